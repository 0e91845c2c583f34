//! Jobs: held by one worker at a time, progress recorded once, the same events for all followers.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::{Check, assert_fails, first_page, ids};
use crate::domain::{Filter, Job, JobState, Operation, Order, PromptId, SessionId};
use crate::error::Code;
use crate::event::EventKind;
use crate::store::{
    ClaimedJob, Held, JobClaim, JobEnd, JobProgress, JobUnit, LeaseRenewal, MAX_ATTEMPTS, Mutation, NewJob, Store,
    Worker, samples,
};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "a job is read back as it began", run: a_job_is_read_back },
    Check { name: "a job that is known conflicts", run: a_job_that_is_known_conflicts },
    Check { name: "progress of a job is read back, numbered without gaps", run: progress_is_read_back },
    Check { name: "a unit of a job that is done stays as it is", run: a_unit_that_is_done_stays },
    Check { name: "units that are no longer needed are deleted, and no others", run: obsolete_units_are_deleted },
    Check { name: "rows of a batch that failed stay so, and variants are made again", run: failed_rows_stay_so },
    Check {
        name: "a job and the prompts it made are stored together or not at all",
        run: prompts_come_with_their_unit,
    },
    Check { name: "a job is held by one worker at a time", run: a_job_is_held_by_one },
    Check { name: "of many workers one gets an interrupted job", run: one_of_many_gets_it },
    Check { name: "a worker learns that it is to stop, and that it has lost its job", run: a_worker_learns },
    Check { name: "a job that nobody works on is stopped at once", run: an_idle_job_is_stopped },
    Check { name: "a job that has ended can be taken up, and is told as going on", run: an_ended_job_goes_on },
    Check { name: "a job that has finished is not taken up", run: a_finished_job_is_not_taken },
    Check { name: "jobs are listed newest first, by how they stand", run: jobs_are_listed },
    Check { name: "only kept jobs are taken up unasked", run: only_kept_jobs_are_adopted },
    Check { name: "a job that ends its workers is left alone", run: a_job_that_ends_its_workers_is_left_alone },
    Check { name: "a job that has served its time is forgotten", run: an_old_job_is_forgotten },
    Check { name: "a job goes with the last prompt of its run", run: a_job_goes_with_its_prompts },
    Check { name: "a job is found by the beginning and end of its id", run: a_job_is_found_by_a_fragment },
];

const LONG: Duration = Duration::from_mins(10);

fn worker(name: &str, lease: Duration) -> Worker {
    Worker { name: name.to_owned(), lease }
}

fn id(seed: u32) -> SessionId {
    SessionId(samples::id(seed))
}

fn new_job(seed: u32, kept: bool) -> NewJob {
    NewJob {
        id: id(seed),
        operation: Operation::Generate,
        about: format!("job {seed}: \u{0} \"quoted\""),
        request: json!({ "input": "an idea", "count": 3 }),
        kept,
        total: Some(3),
        started: EventKind::Started { operation: Operation::Generate, total: Some(3), variants: 3, phases: Vec::new() },
        caller: None,
    }
}

fn begin(store: &dyn Store, seed: u32, kept: bool, lease: Duration) -> Held {
    store.begin_job(new_job(seed, kept), worker("first", lease)).wait().unwrap();
    Held { id: id(seed), attempt: 1 }
}

/// Begins a job whose worker is gone.
fn begin_and_die(store: &dyn Store, seed: u32, kept: bool) -> Held {
    let held = begin(store, seed, kept, Duration::ZERO);
    thread::sleep(Duration::from_millis(5));
    held
}

fn warning(message: &str) -> EventKind {
    EventKind::Warning { variant: None, phase: None, message: message.to_owned(), code: None }
}

fn unit(name: &str, result: u32) -> JobUnit {
    JobUnit { unit: name.to_owned(), is_whole: true, result: json!({ "is": result }) }
}

fn done(name: &str) -> JobProgress {
    JobProgress { units: vec![unit(name, 1)], events: vec![warning(name)], done: 1, ..JobProgress::default() }
}

fn end(state: JobState, event: EventKind) -> JobEnd {
    JobEnd { state, event, stored_for: LONG }
}

fn job(store: &dyn Store, seed: u32) -> Job {
    store.job(id(seed)).wait().unwrap().unwrap().0
}

fn events(store: &dyn Store, seed: u32, from: u64, limit: u32) -> Vec<EventKind> {
    store.job_events(id(seed), from, limit).wait().unwrap().unwrap().events
}

fn taken(taking: Option<JobClaim>) -> ClaimedJob {
    match taking {
        Some(JobClaim::ClaimedJob(taken)) => *taken,
        other => panic!("the job should have been taken: {other:?}"),
    }
}

fn take(store: &dyn Store, seed: u32, lease: Duration) -> ClaimedJob {
    taken(store.take_job(id(seed), worker("second", lease)).wait().unwrap())
}

fn a_job_is_read_back(store: &dyn Store) {
    begin(store, 1, true, LONG);
    let (job, request) = store.job(id(1)).wait().unwrap().unwrap();
    let NewJob { operation, about, request: asked, started, .. } = new_job(1, true);
    assert_eq!((job.id, job.operation, &job.about, &request), (id(1), operation, &about, &asked));
    assert_eq!((job.state, job.kept, job.attempt, job.owner.as_deref()), (JobState::Running, true, 1, Some("first")));
    assert_eq!((job.done, job.failed, job.total, job.ended_at), (0, 0, Some(3), None));
    assert_eq!(events(store, 1, 0, 10), [started]);
    assert_eq!(store.job(id(2)).wait().unwrap(), None);
    assert_eq!(store.job_events(id(2), 0, 10).wait().unwrap(), None);
    assert_eq!(store.take_job(id(2), worker("w", LONG)).wait().unwrap(), None);
    assert_eq!(store.stop_job(id(2)).wait().unwrap(), None);
}

fn a_job_that_is_known_conflicts(store: &dyn Store) {
    begin(store, 1, true, LONG);
    assert_fails(store.begin_job(new_job(1, false), worker("other", LONG)).wait(), Code::Conflict);
    assert!(job(store, 1).kept);
    assert_eq!(events(store, 1, 0, 10).len(), 1);
}

fn obsolete_units_are_deleted(store: &dyn Store) {
    let (held, other) = (begin(store, 1, false, LONG), begin(store, 2, false, LONG));
    let names = ["1", "1/a", "1/b", "1/~", "10", "2", "2/a"];
    for held in [held, other] {
        let units = names.iter().map(|name| unit(name, 1)).collect();
        store.record_progress(held, JobProgress { units, ..JobProgress::default() }).wait().unwrap();
    }
    let obsolete = Some(("1".to_owned(), "1/~".to_owned()));
    let units = vec![unit("3", 1)];
    store.record_progress(held, JobProgress { units, obsolete, ..JobProgress::default() }).wait().unwrap();
    let left = |seed| -> Vec<String> {
        store.job_units(id(seed), None, 100).wait().unwrap().into_iter().map(|unit| unit.unit).collect()
    };
    assert_eq!(left(1), ["1", "1/~", "10", "2", "2/a", "3"]);
    assert_eq!(left(2), names);
}

fn failed_rows_stay_so(store: &dyn Store) {
    for (seed, operation, failed_after) in [(1, Operation::Generate, 0), (2, Operation::Batch, 1)] {
        let started = EventKind::Started { operation, total: Some(3), variants: 0, phases: Vec::new() };
        let new = NewJob { operation, started, ..new_job(seed, false) };
        store.begin_job(new, worker("first", LONG)).wait().unwrap();
        let held = Held { id: id(seed), attempt: 1 };
        let progress = JobProgress { units: vec![unit("1", 1)], done: 1, failed: 1, ..JobProgress::default() };
        store.record_progress(held, progress).wait().unwrap();
        store.release_job(held).wait().unwrap();
        let job = take(store, seed, LONG).job;
        assert_eq!((job.done, job.failed), (1, failed_after), "{operation}");
    }
}

fn progress_is_read_back(store: &dyn Store) {
    let held = begin(store, 1, false, LONG);
    for name in ["b", "a", "c/1"] {
        store.record_progress(held, done(name)).wait().unwrap();
    }
    let step = JobUnit { is_whole: false, ..unit("c/2", 9) };
    let progress = JobProgress { units: vec![step.clone()], total: Some(7), failed: 1, ..JobProgress::default() };
    store.record_progress(held, progress).wait().unwrap();
    let Job { done, failed, total, .. } = job(store, 1);
    assert_eq!((done, failed, total), (3, 1, Some(7)));

    let all = [unit("a", 1), unit("b", 1), unit("c/1", 1), step];
    assert_eq!(store.job_units(id(1), None, 10).wait().unwrap(), all);
    assert_eq!(store.job_units(id(1), None, 2).wait().unwrap(), all[..2]);
    assert_eq!(store.job_units(id(1), Some("b".to_owned()), 10).wait().unwrap(), all[2..]);
    assert_eq!(store.job_units(id(1), Some("c/2".to_owned()), 10).wait().unwrap(), []);

    let told = [new_job(1, false).started, warning("b"), warning("a"), warning("c/1")];
    assert_eq!(events(store, 1, 0, 10), told);
    assert_eq!(events(store, 1, 1, 2), told[1..3]);
    assert_eq!(events(store, 1, 4, 2), []);
}

fn a_unit_that_is_done_stays(store: &dyn Store) {
    let held = begin(store, 1, false, LONG);
    store.record_progress(held, done("a")).wait().unwrap();
    let again = JobProgress { units: vec![unit("a", 2), unit("b", 2)], ..JobProgress::default() };
    store.record_progress(held, again).wait().unwrap();
    assert_eq!(store.job_units(id(1), None, 10).wait().unwrap(), [unit("a", 1), unit("b", 2)]);
}

fn prompts_come_with_their_unit(store: &dyn Store) {
    let held = begin(store, 1, false, LONG);
    let with = |name: &str, seed: u32| JobProgress { prompts: vec![samples::prompt(seed)], ..done(name) };
    store.record_progress(held, with("a", 7)).wait().unwrap();
    assert_eq!(store.get(PromptId(samples::id(7))).wait().unwrap(), Some(samples::prompt(7)));
    // A prompt that cannot be stored undoes its unit, and a unit of a lost job undoes its prompt.
    assert_fails(store.record_progress(held, with("b", 7)).wait(), Code::Conflict);
    assert_fails(store.record_progress(Held { attempt: 2, ..held }, with("c", 8)).wait(), Code::Conflict);
    assert_fails(store.record_progress(Held { id: id(2), ..held }, with("d", 9)).wait(), Code::Conflict);
    assert_eq!(store.job_units(id(1), None, 10).wait().unwrap(), [unit("a", 1)]);
    assert_eq!((job(store, 1).done, events(store, 1, 0, 10).len()), (1, 2));
    let page = store.page(Filter::default(), Order::Newest, first_page(10)).wait().unwrap();
    assert_eq!(ids(&page.items), [PromptId(samples::id(7))]);
}

fn a_job_is_held_by_one(store: &dyn Store) {
    let first = begin(store, 1, false, LONG);
    match store.take_job(id(1), worker("second", LONG)).wait().unwrap() {
        Some(JobClaim::Refused(job)) => assert_eq!((job.attempt, job.owner.as_deref()), (1, Some("first"))),
        other => panic!("a job that is held was taken: {other:?}"),
    }
    store.record_progress(first, done("a")).wait().unwrap();
    assert_eq!(store.renew_job(first, Duration::ZERO).wait().unwrap(), LeaseRenewal::Held);
    thread::sleep(Duration::from_millis(5));
    assert_eq!(job(store, 1).state, JobState::Interrupted);
    // A worker that overslept continues as long as no other has taken over.
    store.record_progress(first, done("b")).wait().unwrap();
    assert_eq!(store.renew_job(first, Duration::ZERO).wait().unwrap(), LeaseRenewal::Held);
    thread::sleep(Duration::from_millis(5));

    let taken = take(store, 1, LONG);
    assert_eq!((taken.job.attempt, taken.job.state, taken.job.done), (2, JobState::Running, 2));
    assert_eq!((taken.job.owner.as_deref(), &taken.request), (Some("second"), &new_job(1, false).request));
    assert_eq!(taken.held(), Held { id: id(1), attempt: 2 });
    assert_fails(store.record_progress(first, done("c")).wait(), Code::Conflict);
    assert_fails(store.end_job(first, end(JobState::Cancelled, EventKind::Cancelled {})).wait(), Code::Conflict);
    store.release_job(first).wait().unwrap();
    assert_eq!(job(store, 1).state, JobState::Running, "an attempt that lost its job cannot let go of it");
    store.record_progress(taken.held(), done("c")).wait().unwrap();
    assert_eq!(job(store, 1).done, 3);
}

fn one_of_many_gets_it(store: &dyn Store) {
    for seed in 0..8 {
        begin_and_die(store, seed, true);
        let got: Vec<bool> = thread::scope(|scope| {
            let takers: Vec<_> = (0..8)
                .map(|number| {
                    let asked = move || store.take_job(id(seed), worker(&format!("w{number}"), LONG)).wait().unwrap();
                    scope.spawn(move || matches!(asked(), Some(JobClaim::ClaimedJob(_))))
                })
                .collect();
            takers.into_iter().map(|taker| taker.join().unwrap()).collect()
        });
        assert_eq!(got.iter().filter(|got| **got).count(), 1, "{got:?}");
        assert_eq!(job(store, seed).attempt, 2);
    }
}

fn a_worker_learns(store: &dyn Store) {
    let held = begin(store, 1, false, LONG);
    assert_eq!(store.renew_job(held, LONG).wait().unwrap(), LeaseRenewal::Held);
    assert_eq!(store.stop_job(id(1)).wait().unwrap().unwrap().state, JobState::Stopping);
    assert_eq!(job(store, 1).state, JobState::Stopping);
    assert_eq!(store.renew_job(held, LONG).wait().unwrap(), LeaseRenewal::StopAsked);
    assert_eq!(store.renew_job(Held { attempt: 2, ..held }, LONG).wait().unwrap(), LeaseRenewal::Lost);
    store.end_job(held, end(JobState::Cancelled, EventKind::Cancelled {})).wait().unwrap();
    assert_eq!(store.renew_job(held, LONG).wait().unwrap(), LeaseRenewal::Lost);
    let ended = job(store, 1);
    assert_eq!((ended.state, ended.owner), (JobState::Cancelled, None));
    assert!(ended.ended_at.is_some());
}

fn an_idle_job_is_stopped(store: &dyn Store) {
    let held = begin_and_die(store, 1, true);
    assert_eq!(store.stop_job(id(1)).wait().unwrap().unwrap().state, JobState::Cancelled);
    assert_eq!(events(store, 1, 1, 10), [EventKind::Cancelled {}]);
    assert_eq!(store.take_abandoned_job(worker("w", LONG)).wait().unwrap(), None);
    assert_fails(store.record_progress(held, done("a")).wait(), Code::Conflict);
    // Stopping again, or after the end, changes nothing.
    assert_eq!(store.stop_job(id(1)).wait().unwrap().unwrap().state, JobState::Cancelled);
    assert_eq!(events(store, 1, 0, 10).len(), 2);
}

fn an_ended_job_goes_on(store: &dyn Store) {
    let held = begin(store, 1, false, LONG);
    store.record_progress(held, done("a")).wait().unwrap();
    store.end_job(held, end(JobState::Cancelled, EventKind::Cancelled {})).wait().unwrap();
    assert_eq!(events(store, 1, 2, 10), [EventKind::Cancelled {}]);
    let again = take(store, 1, LONG);
    assert_eq!((again.job.state, again.job.ended_at, again.job.done), (JobState::Running, None, 1));
    store.record_progress(again.held(), done("b")).wait().unwrap();
    let told = events(store, 1, 0, 10);
    assert_eq!((told.len(), told.iter().any(EventKind::is_terminal)), (4, false), "{told:?}");
    assert_eq!((&told[1], &told[3]), (&warning("a"), &warning("b")));
}

fn a_finished_job_is_not_taken(store: &dyn Store) {
    let held = begin(store, 1, true, LONG);
    // The event does not matter here.
    store.end_job(held, end(JobState::Finished, EventKind::Cancelled {})).wait().unwrap();
    match store.take_job(id(1), worker("second", LONG)).wait().unwrap() {
        Some(JobClaim::Refused(job)) => assert_eq!((job.state, job.attempt), (JobState::Finished, 1)),
        other => panic!("a finished job was taken: {other:?}"),
    }
    assert_eq!(store.take_abandoned_job(worker("w", LONG)).wait().unwrap(), None);
}

fn jobs_are_listed(store: &dyn Store) {
    for seed in 1..=4 {
        begin(store, seed, false, LONG);
        thread::sleep(Duration::from_millis(2));
    }
    begin_and_die(store, 5, false);
    store.stop_job(id(2)).wait().unwrap();
    let held = Held { id: id(3), attempt: 1 };
    store.end_job(held, end(JobState::Failed, EventKind::Cancelled {})).wait().unwrap();
    let list = |states: &[JobState], limit| -> Vec<u32> {
        let jobs = store.jobs(states.to_vec(), limit).wait().unwrap();
        jobs.iter().map(|job| (1..=5).find(|seed| id(*seed) == job.id).unwrap()).collect()
    };
    assert_eq!(list(&[], 10), [5, 4, 3, 2, 1]);
    assert_eq!(list(&[], 2), [5, 4]);
    assert_eq!(list(&[JobState::Running], 10), [4, 1]);
    assert_eq!(list(&[JobState::Stopping, JobState::Interrupted], 10), [5, 2]);
    assert_eq!(list(&[JobState::Failed], 10), [3]);
    assert_eq!(list(&[JobState::Finished], 10), Vec::<u32>::new());
}

fn only_kept_jobs_are_adopted(store: &dyn Store) {
    begin_and_die(store, 1, false);
    begin(store, 2, true, LONG);
    begin_and_die(store, 3, true);
    let released = begin(store, 4, true, LONG);
    store.release_job(released).wait().unwrap();
    assert_eq!(job(store, 4).state, JobState::Interrupted);
    thread::sleep(Duration::from_millis(5));
    let mut adopted = BTreeSet::new();
    while let Some(taken) = store.take_abandoned_job(worker("server", LONG)).wait().unwrap() {
        assert!(adopted.insert(taken.job.id), "a job was adopted twice");
    }
    assert_eq!(adopted, BTreeSet::from([id(3), id(4)]));
    assert_eq!(job(store, 1).state, JobState::Interrupted);
}

fn a_job_that_ends_its_workers_is_left_alone(store: &dyn Store) {
    begin_and_die(store, 1, true);
    for attempt in 2..=MAX_ATTEMPTS {
        let taken = store.take_abandoned_job(worker("server", Duration::ZERO)).wait().unwrap();
        assert_eq!(taken.map(|taken| taken.job.attempt), Some(attempt));
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(store.take_abandoned_job(worker("server", LONG)).wait().unwrap(), None);
    assert_eq!(take(store, 1, LONG).job.attempt, MAX_ATTEMPTS + 1, "by command it goes on");
}

fn an_old_job_is_forgotten(store: &dyn Store) {
    let held = begin(store, 1, false, LONG);
    let ended = JobEnd { stored_for: Duration::ZERO, ..end(JobState::Finished, EventKind::Cancelled {}) };
    store.end_job(held, ended).wait().unwrap();
    let held = begin(store, 2, false, LONG);
    store.record_progress(held, done("a")).wait().unwrap();
    store.end_job(held, end(JobState::Finished, EventKind::Cancelled {})).wait().unwrap();
    thread::sleep(Duration::from_millis(5));
    begin(store, 3, false, LONG);
    assert_eq!(store.job(id(1)).wait().unwrap(), None);
    assert_eq!((job(store, 2).done, events(store, 2, 0, 10).len()), (1, 3));
}

fn a_job_goes_with_its_prompts(store: &dyn Store) {
    let of = |seed: u32, run: u32| crate::domain::Prompt { session_id: id(run), ..samples::prompt(seed) };
    for run in [1, 2, 3] {
        let held = begin(store, run, true, LONG);
        let prompts = vec![of(10 + run, run), of(20 + run, run)];
        store.record_progress(held, JobProgress { prompts, ..done("a") }).wait().unwrap();
        if run != 3 {
            store.end_job(held, end(JobState::Finished, EventKind::Cancelled {})).wait().unwrap();
        }
    }
    let id_of = |seed: u32| PromptId(samples::id(seed));
    let delete = |ids: Vec<PromptId>| Mutation::Delete { ids, expected_revision: None };
    store.apply(delete(vec![id_of(11), id_of(13), id_of(23)])).wait().unwrap();
    assert_eq!(job(store, 1).done, 1, "a prompt of its run is left");
    assert_eq!(job(store, 3).done, 1, "it is under way");
    store.apply(delete(vec![id_of(21)])).wait().unwrap();
    assert_eq!(store.job(id(1)).wait().unwrap(), None);
    let at = samples::prompt(1).created_at;
    let trash = Mutation::Trash { ids: vec![id_of(12), id_of(22)], expected_revision: None, at };
    store.apply(trash).wait().unwrap();
    assert_eq!(job(store, 2).done, 1, "what is in the trash can come back");
    store.apply(Mutation::EmptyTrash { ids: None, before: None }).wait().unwrap();
    assert_eq!(store.job(id(2)).wait().unwrap(), None);
    begin(store, 4, false, LONG);
    begin_and_die(store, 5, false);
    store.apply(Mutation::DeleteWhere { filter: Filter::default() }).wait().unwrap();
    assert_eq!(store.job(id(5)).wait().unwrap(), None);
    assert_eq!(job(store, 4).state, JobState::Running);
}

fn a_job_is_found_by_a_fragment(store: &dyn Store) {
    begin(store, 1, false, LONG);
    begin(store, 2, false, LONG);
    let text = id(1).to_string();
    let resolve = |fragment: &str| store.resolve_job(fragment.to_owned(), 10).wait().unwrap();
    assert_eq!(resolve(&text), [id(1)]);
    assert_eq!(resolve(&text[text.len() - 8..]), [id(1)]);
    assert_eq!(resolve(&text[..18].to_uppercase()), [id(1)]);
    for none in ["", "-", "xyz123", "%", "_", &format!("{text}00")] {
        assert_eq!(resolve(none), [], "{none}");
    }
}
