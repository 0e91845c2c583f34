//! Tests of how the Jobs respond to keys, time and replies; and snapshots.

use aludel_core::domain::{Job, JobState, Operation, Phase};
use aludel_core::error::{Error, Problem};
use serde_json::json;

use crate::tui::action::ScreenName;
use crate::tui::effect::{CoreEffect, CoreResult, Effect, Query, Ticket};
use crate::tui::message::{Message, QueryReply};
use crate::tui::model::PhasePane;
use crate::tui::model::jobs::JobListing;
use crate::tui::testing::gallery::Gallery;
use crate::tui::testing::samples::{job, job_details, jobs};
use crate::tui::testing::*;
use aludel_core::event::EventKind;

const GALLERY: Gallery = Gallery("jobs");

fn refused() -> Box<Problem> {
    let detail = "job 01932c07-7d1c-7c3e-8a51-0e4b00000003 is running: process 4242 works on it; follow it with `aludel \
                  jobs follow 00000003`, or stop it with `aludel jobs stop 00000003`";
    Box::new(Problem::from(Error::Conflict(detail.into())))
}

fn told(bench: &mut Bench, ticket: Ticket, told: QueryReply) -> Vec<Effect> {
    bench.send(Message::Reply { ticket, reply: told })
}

/// Replies to the newest request for the list.
fn list(bench: &mut Bench, outcome: CoreResult<Box<JobListing>>) -> Vec<Effect> {
    let (ticket, _) = bench.model.jobs.asked.unwrap_or_else(|| panic!("nothing is asked"));
    told(bench, ticket, QueryReply::Jobs(outcome))
}

fn list_of(bench: &mut Bench, rows: Vec<Job>) -> Vec<Effect> {
    list(bench, Ok(Box::new(JobListing { jobs: rows, ..jobs() })))
}

/// Replies to the newest request for a job in full.
fn read(bench: &mut Bench) {
    let marked = bench.model.jobs.marked().unwrap_or_else(|| panic!("no job is marked")).clone();
    if let Some((ticket, _)) = bench.model.jobs.reading {
        told(bench, ticket, QueryReply::Job(Ok(Box::new(job_details(marked)))));
    }
}

/// The screen with a job of each state, after these keys; every request gets its reply.
fn with_all(keys: &str) -> impl Fn(&mut Bench) {
    move |bench| {
        bench.press("Esc 8 a");
        list(bench, Ok(Box::new(jobs())));
        read(bench);
        for key in keys.split(' ').filter(|key| !key.is_empty()) {
            bench.press(key);
            read(bench);
        }
    }
}

/// The screen at this size with a job of each state, the `marked`th under the cursor.
fn bench_at(marked: usize) -> Bench {
    let mut bench = Bench::new(80, 24);
    with_all(&["j"; 5][..marked].join(" "))(&mut bench);
    bench
}

fn inquiry(ticket: u64, inquiry: Query) -> Effect {
    CoreEffect::RunQuery { ticket: Ticket(ticket), inquiry }.into()
}

fn said(bench: &Bench) -> &str {
    bench.model.toast.as_ref().map_or("", |toast| &toast.text)
}

const RUNNING: usize = 0;
const STOPPING: usize = 1;
const INTERRUPTED: usize = 2;
const FINISHED: usize = 3;
const FAILED: usize = 4;
const CANCELLED: usize = 5;

#[test]
fn a_job_of_each_state() {
    GALLERY.keep("states", with_all(""));
    GALLERY.keep_in_colour("states", with_all(""));
    GALLERY.keep_in_ascii("states", with_all(""));
}

#[test]
fn why_one_failed_is_said() {
    GALLERY.keep("failed", with_all("j j j j"));
}

#[test]
fn the_request_and_the_result_have_the_room_while_they_are_read() {
    GALLERY.keep("whole", with_all("j j j Enter"));
}

#[test]
fn without_jobs_it_says_what_they_are() {
    GALLERY.keep("empty", |bench| {
        bench.press("Esc 8");
        list_of(bench, Vec::new());
    });
}

#[test]
fn before_the_first_answer_it_says_that_it_looks() {
    GALLERY.keep("loading", |bench| _ = bench.press("Esc 8"));
}

#[test]
fn a_failure_says_why_and_what_to_press() {
    GALLERY.keep("problem", |bench| {
        bench.press("Esc 8");
        list(bench, Err(Box::new(Problem::from(Error::Storage("the disk is full".into())))));
    });
}

#[test]
fn why_one_is_not_resumed_stands_below_the_list() {
    GALLERY.keep("refused", |bench| {
        with_all("j j R")(bench);
        let (ticket, _) = bench.model.jobs.resuming.unwrap();
        told(bench, ticket, QueryReply::JobResumed(Err(refused())));
    });
}

#[test]
fn of_many_jobs_the_marked_one_is_in_sight() {
    GALLERY.keep("many", |bench| {
        bench.press("Esc 8 a");
        let rows = (0..70).map(|at| job(at, JobState::ALL[at as usize % 6], Operation::Generate, 90 * i64::from(at)));
        list_of(bench, rows.collect());
        read(bench);
        bench.press(&["j"; 40].join(" "));
        read(bench);
    });
}

#[test]
fn going_there_asks_for_what_is_unfinished_and_then_for_the_marked_one() {
    let mut bench = Bench::new(80, 24);
    assert_eq!(bench.press("Alt+8"), [inquiry(1, Query::Jobs { all: false })]);
    let first = jobs().jobs[0].id;
    assert_eq!(list(&mut bench, Ok(Box::new(jobs()))), [inquiry(2, Query::Job(first))]);
    assert_eq!(bench.press("a"), [inquiry(3, Query::Jobs { all: true })]);
    assert_eq!(bench.press("a"), [inquiry(4, Query::Jobs { all: false })]);
    assert_eq!(bench.press("r"), [], "it is asked for");
    list(&mut bench, Ok(Box::new(jobs())));
    assert_eq!(bench.press("r"), [inquiry(5, Query::Jobs { all: false })]);
}

#[test]
fn only_the_answer_to_the_newest_question_is_taken() {
    let mut bench = Bench::new(80, 24);
    bench.press("Alt+8");
    let (stale, _) = bench.model.jobs.asked.unwrap();
    bench.press("a");
    assert_eq!(told(&mut bench, stale, QueryReply::Jobs(Ok(Box::new(jobs())))), []);
    assert!(bench.model.jobs.listed.is_none());
    list_of(&mut bench, vec![job(7, JobState::Running, Operation::Generate, 5)]);
    assert_eq!(bench.model.jobs.rows().len(), 1);
}

#[test]
fn a_job_that_is_read_too_late_is_not_shown_for_another() {
    let mut bench = Bench::new(80, 24);
    bench.press("Alt+8");
    list(&mut bench, Ok(Box::new(jobs())));
    let (stale, _) = bench.model.jobs.reading.unwrap();
    bench.press("j");
    told(&mut bench, stale, QueryReply::Job(Ok(Box::new(job_details(jobs().jobs[0].clone())))));
    assert!(bench.model.jobs.read.is_none() && bench.model.jobs.reading.is_some());
    read(&mut bench);
    assert!(bench.model.jobs.whole().is_some());
}

#[test]
fn the_marked_job_stays_marked_wherever_it_stands_and_is_read_once() {
    let mut bench = bench_at(INTERRUPTED);
    bench.press("r");
    let rows = jobs().jobs;
    assert_eq!(list_of(&mut bench, [rows[5].clone(), rows[2].clone()].to_vec()), [], "it is known as it stands");
    assert_eq!(bench.model.jobs.marked, 1);
    bench.press("r");
    let taken = Job { state: JobState::Running, ..rows[2].clone() };
    let effects = list_of(&mut bench, vec![taken]);
    assert!(matches!(effects[..], [Effect::Core(CoreEffect::RunQuery { inquiry: Query::Job(_), .. })]));
    bench.press("r");
    list_of(&mut bench, Vec::new());
    assert_eq!((bench.model.jobs.marked, bench.model.jobs.marked()), (0, None));
}

#[test]
fn while_one_is_under_way_the_list_is_asked_for_once_a_second() {
    let mut bench = bench_at(RUNNING);
    assert_eq!(bench.wait_and_see(999), []);
    let effects = bench.wait_and_see(1);
    assert!(matches!(effects[..], [Effect::Core(CoreEffect::RunQuery { inquiry: Query::Jobs { .. }, .. })]));
    assert_eq!(bench.wait_and_see(5_000), [], "one question at a time");
    assert!(!bench.picture().contains("looking"), "what comes by itself is not announced");
    list(&mut bench, Ok(Box::new(jobs())));
    assert_eq!(bench.wait_and_see(1_000).len(), 1);
}

#[test]
fn nothing_is_asked_by_itself_where_nothing_is_under_way_or_nobody_looks() {
    let mut bench = bench_at(RUNNING);
    bench.press("Esc");
    assert_eq!((bench.model.screen, bench.wait_and_see(60_000)), (ScreenName::Work, vec![]));
    bench.press("8");
    list_of(&mut bench, jobs().jobs.split_off(INTERRUPTED));
    assert_eq!(bench.wait_and_see(60_000), []);
    assert_eq!(crate::tui::update::next_wake(&bench.model), None);
}

#[test]
fn a_job_is_stopped_whichever_process_works_on_it() {
    let mut bench = bench_at(RUNNING);
    let id = jobs().jobs[RUNNING].id;
    let effects = bench.press("x");
    let (ticket, _) = bench.model.jobs.stopping.unwrap();
    assert_eq!(effects, [inquiry(ticket.0, Query::StopJob(id))]);
    assert_eq!((bench.press("x"), said(&bench)), (vec![], "a job is being stopped"));
    assert_eq!(told(&mut bench, Ticket(0), QueryReply::JobStopped(Err(refused()))), [], "another's answer");
    let stopping = Job { state: JobState::Stopping, ..jobs().jobs[RUNNING].clone() };
    let effects = told(&mut bench, ticket, QueryReply::JobStopped(Ok(Box::new(stopping))));
    assert!(matches!(effects[..], [Effect::Core(CoreEffect::RunQuery { inquiry: Query::Jobs { .. }, .. })]));
    assert_eq!(bench.model.jobs.rows()[RUNNING].state, JobState::Stopping);
    assert_eq!(said(&bench), "00000001 is stopping; what is finished is kept");
}

#[test]
fn what_cannot_be_stopped_or_resumed_says_why() {
    for (marked, key, why) in [
        (RUNNING, "R", "it is under way; x stops it"),
        (STOPPING, "x", "it is stopping already"),
        (STOPPING, "R", "it is stopping"),
        (FINISHED, "x", "it has ended"),
        (FINISHED, "R", "it has finished"),
        (FAILED, "x", "it has ended"),
        (CANCELLED, "x", "it has ended"),
    ] {
        let mut bench = bench_at(marked);
        assert_eq!((bench.press(key), said(&bench)), (vec![], why));
    }
    let mut bench = Bench::new(80, 24);
    bench.press("Esc 8");
    assert_eq!((bench.press("x"), said(&bench)), (vec![], "no job is selected"));
    assert_eq!((bench.press("R"), said(&bench)), (vec![], "no job is selected"));
}

#[test]
fn the_run_of_this_workbench_is_stopped_as_everywhere() {
    let mut bench = Bench::new(80, 24);
    bench.run("idea", 1);
    let run = bench.model.last_ticket;
    bench.press("8");
    list_of(&mut bench, vec![Job { id: session(), ..jobs().jobs[RUNNING].clone() }]);
    assert_eq!(bench.press("x"), [CoreEffect::CancelRun(run).into()]);
    assert!(bench.model.run.as_ref().unwrap().stopping);
}

#[test]
fn a_generation_that_is_resumed_is_the_run_of_the_workbench() {
    let mut bench = bench_at(INTERRUPTED);
    let job = jobs().jobs[INTERRUPTED].clone();
    assert_eq!(bench.press("R"), [CoreEffect::Resume { ticket: Ticket(1), job: job.id }.into()]);
    assert_eq!((bench.press("R"), said(&bench)), (vec![], "a job is being resumed"));
    bench.press("1 i");
    assert_eq!((bench.press("Ctrl+J"), said(&bench)), (vec![], "a job is being resumed"));
    assert_eq!(told(&mut bench, Ticket(9), QueryReply::JobResumed(Ok(Box::new(job_details(job.clone()))))), []);
    assert!(bench.model.run.is_none(), "another's answer");
    assert_eq!(told(&mut bench, Ticket(1), QueryReply::JobResumed(Ok(Box::new(job_details(job))))), []);
    let run = bench.model.run.as_ref().unwrap();
    assert_eq!((run.ticket, bench.model.screen), (Ticket(1), ScreenName::Work));
    assert_eq!(run.raw, json!({ "input": "Write a prompt", "count": 3, "auto_select": false }));
    bench.tell(vec![started(3)]);
    assert_eq!(bench.press("Ctrl+C"), [CoreEffect::CancelRun(Ticket(1)).into()]);
}

#[test]
fn what_an_earlier_attempt_has_done_is_shown_as_done() {
    let mut bench = bench_at(INTERRUPTED);
    bench.press("R");
    told(&mut bench, Ticket(1), QueryReply::JobResumed(Ok(Box::new(job_details(jobs().jobs[INTERRUPTED].clone())))));
    // The second variant had its first phase done before, the first variant all of them.
    let last = |variant| whole_phase(variant, Phase::Coagulatio, "the end");
    let whole = whole_variant(0, "all of it").pop().unwrap();
    bench.tell([vec![started(2), whole, phase_started(1, Phase::Solutio)]].concat());
    let run = bench.model.run.as_ref().unwrap();
    let shown: Vec<_> = (0..3).map(|phase| run.begun(0, phase).map(|begun| begun.text.as_str())).collect();
    assert_eq!(shown, [Some("all of it"); 3]);
    assert_eq!((run.pane(0, 0).map(|pane| pane.text.text()), run.shown_phase(0)), (Some("all of it"), 2));
    assert!(matches!(run.phase_pane(0, 1), PhasePane::Done(_)));
    assert!(matches!((run.phase_pane(1, 0), run.phase_pane(1, 2)), (PhasePane::Earlier, PhasePane::Queued)));
    assert!(bench.picture().contains("earlier") || bench.picture().contains("2/2"), "{}", bench.picture());
    bench.tell(phase_finished_and(1, last(1)));
    let run = bench.model.run.as_ref().unwrap();
    assert!(matches!(run.phase_pane(1, 0), PhasePane::Done(_)));
    assert_eq!((run.newest_phase(1), run.account().output_tokens), (2, 6 * 90));
}

/// The second phase of `variant` ends; these events and the end of the variant follow.
fn phase_finished_and(variant: u32, then: Vec<EventKind>) -> Vec<EventKind> {
    let ended = phase_finished(variant, Phase::Solutio, "the middle", 90);
    let whole = whole_variant(variant, "the end").pop();
    [ended].into_iter().chain(then).chain(whole).collect()
}

#[test]
fn a_selection_that_is_resumed_is_the_judging_of_the_judge() {
    let mut bench = bench_at(FAILED);
    assert_eq!(bench.model.jobs.marked().unwrap().operation, Operation::Select);
    let job = jobs().jobs[FAILED].clone();
    bench.press("R");
    told(&mut bench, Ticket(1), QueryReply::JobResumed(Ok(Box::new(job_details(job)))));
    assert_eq!(bench.model.screen, ScreenName::Judge);
    assert_eq!((bench.model.judge.prompts.len(), bench.model.judge.task.as_deref()), (2, Some("to review")));
    bench.tell_of(Ticket(1), vec![EventKind::Judged { comparison: comparison(1, 0, 0.5, true) }]);
    assert_eq!(bench.model.judge.comparisons().len(), 1);
    assert_eq!(bench.press("Ctrl+C"), [CoreEffect::CancelRun(Ticket(1)).into()]);
}

#[test]
fn a_job_is_not_resumed_in_the_place_of_a_run_that_is_live() {
    let mut bench = Bench::new(80, 24);
    bench.run("idea", 1);
    bench.press("8");
    list(&mut bench, Ok(Box::new(jobs())));
    bench.press("j j");
    assert_eq!((bench.press("R"), said(&bench)), (vec![], "a run is live; ^C stops it"));
}

#[test]
fn what_could_not_be_watched_is_stopped_again() {
    let mut bench = bench_at(FAILED);
    bench.press("R");
    let mut details = job_details(jobs().jobs[FAILED].clone());
    details.request = json!({ "prompt_ids": ["@last"] });
    let effects = told(&mut bench, Ticket(1), QueryReply::JobResumed(Ok(Box::new(details))));
    assert_eq!(effects, [CoreEffect::CancelRun(Ticket(1)).into()]);
}

#[test]
fn a_refusal_is_forgotten_when_it_is_tried_again() {
    let mut bench = bench_at(INTERRUPTED);
    bench.press("R");
    let (ticket, _) = bench.model.jobs.resuming.unwrap();
    told(&mut bench, ticket, QueryReply::JobResumed(Err(refused())));
    assert!(bench.picture().contains("✗ job 01932c07"), "{}", bench.picture());
    bench.press("R");
    assert!(!bench.picture().contains("✗ job 01932c07"));
}

#[test]
fn the_request_is_read_anew_and_left_with_escape() {
    let mut bench = bench_at(FINISHED);
    let id = jobs().jobs[FINISHED].id;
    let effects = bench.press("Enter");
    assert!(matches!(effects[..], [Effect::Core(CoreEffect::RunQuery { inquiry: Query::Job(of), .. })] if of == id));
    assert!(bench.picture().contains("reading it"));
    bench.press("Esc");
    assert_eq!((bench.model.screen, bench.model.jobs.is_whole), (ScreenName::Jobs, false));
    bench.press("Esc");
    assert_eq!(bench.model.screen, ScreenName::Work);
}

#[test]
fn a_click_marks_a_row_and_the_wheel_moves_what_is_under_it() {
    let mut bench = bench_at(RUNNING);
    let (x, y) = bench.place_of("interrupted");
    bench.click(x, y);
    assert_eq!(bench.model.jobs.marked, INTERRUPTED);
    bench.point(crate::tui::message::Pointer::Down, x, y);
    assert_eq!(bench.model.jobs.marked, FINISHED);
}
