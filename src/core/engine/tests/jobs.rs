//! Jobs: what is recorded, what is resumed and by which process, and what it may still cost.

use std::time::Duration;

use super::*;
use crate::api::{FollowJobRequest, JobKey, JobRequest, JobsRequest, ResumeJobRequest, SelectRequest};
use crate::domain::{JobDetails, JobState, Operation, SessionId};
use crate::engine::RequestContext;
use crate::event::run::Run;
use crate::ledger::{Caller, CapPeriod};
use crate::store::{Held, JobClaim, Worker};

/// Every call costs something, and the second and third variant hang in their second phase.
const HANGS: &str = "
answer: {text: 'made of {input}'}
price: {input: 1.0, output: 10.0}
usage: {input_tokens: 500, output_tokens: 40}
rules:
  - when: {variant: [1, 2], phase: solutio}
    fault: hang
";
const HEALTHY: &str = "
answer: {text: 'made of {input}'}
price: {input: 1.0, output: 10.0}
usage: {input_tokens: 500, output_tokens: 40}
judge: {quality_spread: 2}
";

impl Home {
    pub(super) fn lab(&self, script: &str) {
        std::fs::write(self.folder.path().join("lab.yaml"), script).unwrap();
        let config = "providers:\n  lab: {kind: sim, script: lab.yaml, max_retries: 0}\n";
        std::fs::write(self.folder.path().join("config.yaml"), config).unwrap();
    }

    pub(super) fn with_lab(script: &str) -> Self {
        let home = Self::new();
        home.lab(script);
        home
    }

    /// An engine with ids of its own, as another process would have.
    pub(super) fn engine_of_another_process(&self) -> Engine {
        let environment = Environment::from_pairs([("ALUDEL_HOME", self.folder.path().to_str().unwrap())]);
        let loaded = config::load(&Flags::default(), &environment).unwrap();
        let clock = Arc::new(FixedClock::ticking_from(1_800_000_000_000));
        let engine = Engine::open_with(loaded, clock, Arc::new(SeededIds::new(2)));
        engine.stop_indexing();
        engine
    }
}

fn of(id: SessionId) -> JobRequest {
    JobRequest { job_id: JobKey::Id(id) }
}

fn again(id: SessionId) -> ResumeJobRequest {
    ResumeJobRequest { job_id: JobKey::Id(id), budget_usd: None, max_calls: None }
}

async fn job(engine: &Engine, id: SessionId) -> JobDetails {
    engine.job(of(id)).await.unwrap()
}

async fn keep(engine: &Engine, raw: Value) -> SessionId {
    engine.prepare(engine.decode(raw).unwrap()).unwrap().keep().await.unwrap()
}

async fn wait_until(engine: &Engine, id: SessionId, is_so: impl Fn(&JobDetails) -> bool) -> JobDetails {
    for _ in 0..4_000 {
        let details = job(engine, id).await;
        if is_so(&details) {
            return details;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it never was so: {:?}", job(engine, id).await.job)
}

async fn end_of(mut run: Run) -> Vec<crate::event::Event> {
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        events.push(event);
    }
    laws::check(&events).unwrap();
    events
}

async fn calls(engine: &Engine) -> u64 {
    engine.store().withdraw_call(uuid::Uuid::nil()).await.unwrap();
    engine.store().spend(crate::store::SpendQuery::default()).await.unwrap()[0].calls
}

/// A kept job with one variant and two steps done, as left by a process that closed.
async fn interrupted(home: &Home, more: Value) -> SessionId {
    interrupted_for(home, more, RequestContext::default()).await
}

/// The same, begun in this context.
async fn interrupted_for(home: &Home, more: Value, context: RequestContext) -> SessionId {
    home.lab(HANGS);
    let engine = home.engine().with_context(context);
    let mut raw = json!({ "input": "Name a boat", "count": 3, "tags": ["sea"] });
    raw.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let id = keep(&engine, raw).await;
    wait_until(&engine, id, |details| details.job.done == 1).await;
    while calls(&engine).await < 5 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Steps are recorded some time after their calls.
    while engine.store().job_units(id, None, 100).await.unwrap().len() < 5 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    engine.close().await.unwrap();
    home.lab(HEALTHY);
    id
}

#[tokio::test]
async fn a_server_takes_up_what_another_has_let_go_of_and_makes_the_rest() {
    let home = Home::with_lab(HANGS);
    let id = interrupted(&home, json!({})).await;
    let server = home.engine_of_another_process();
    assert_eq!(job(&server, id).await.job.state, JobState::Interrupted);
    let before = calls(&server).await;
    let _adopts = server.adopt_jobs();
    let details = wait_until(&server, id, |details| details.job.state.has_ended()).await;
    assert_eq!((details.job.state, details.job.attempt, details.job.done), (JobState::Finished, 2, 3));
    let result: GenerationResult = serde_json::from_value(details.result.unwrap()).unwrap();
    let variants: std::collections::BTreeSet<u32> = result.prompts.iter().map(|prompt| prompt.variant).collect();
    assert_eq!((variants, result.session_id), ([0, 1, 2].into(), id));
    assert!(result.failures.is_empty() && result.prompts.iter().all(|prompt| prompt.tags == ["sea"]));
    for prompt in &result.prompts {
        assert_eq!(&show(&server, &prompt.id.to_string()).await.unwrap(), prompt);
        assert_eq!(prompt.steps.len(), 3);
    }
    // The five answered calls of nine are not repeated; two had been cut off.
    assert_eq!((before, calls(&server).await), (7, 11));
    let finished = result.model_metadata.calls;
    assert_eq!(finished, 9, "the result accounts for all attempts");
}

#[tokio::test]
async fn what_is_taken_up_again_is_charged_to_the_caller_that_began_it() {
    let home = Home::with_lab(HANGS);
    let caller = Arc::new(Caller { id: "ci/1".into(), budget: None, max_calls: Some(100), period: CapPeriod::Day });
    let context = RequestContext { caller: Some(Arc::clone(&caller)), ..RequestContext::default() };
    let id = interrupted_for(&home, json!({}), context).await;
    let server = home.engine_of_another_process();
    // The days by the clocks of the two processes.
    let counted = async |day_ms| {
        calls(&server).await;
        server.store().counted_to(Arc::clone(&caller), crate::time::from_millis(day_ms)).await.unwrap().calls
    };
    let (before, after) = (1_700_000_000_000, 1_800_000_000_000);
    assert_eq!((counted(before).await, counted(after).await), (7, 0));
    let _adopts = server.adopt_jobs();
    wait_until(&server, id, |details| details.job.state.has_ended()).await;
    assert_eq!((counted(before).await, counted(after).await, calls(&server).await), (7, 4, 11));
}

#[tokio::test]
async fn an_attached_job_is_nobodys_to_take_up_unasked() {
    let home = Home::with_lab(HANGS);
    let engine = home.engine();
    let mut run = engine.generate(engine.decode(json!({ "input": "Name a boat", "count": 2 })).unwrap()).unwrap();
    let id = run.session_id();
    while !matches!(run.next().await.unwrap().kind, EventKind::VariantFinished { .. }) {}
    let held = Held { id, attempt: 1 };
    engine.store().release_job(held).await.unwrap();
    let server = home.engine_of_another_process();
    let _adopts = server.adopt_jobs();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(job(&server, id).await.job.state, JobState::Interrupted);
    // Its process notices that the job was taken from it, and stops.
    server.stop_job(of(id)).await.unwrap();
    let mut last = None;
    while let Some(event) = run.next().await {
        last = Some(event.kind);
    }
    assert!(matches!(last, Some(EventKind::Cancelled {})), "{last:?}");
    assert_eq!(job(&server, id).await.job.state, JobState::Cancelled);
}

#[tokio::test]
async fn what_a_job_took_counts_against_its_caps_when_it_is_resumed() {
    let home = Home::with_lab(HANGS);
    let id = interrupted(&home, json!({ "max_calls": 9 })).await;
    let engine = home.engine_of_another_process();
    let events = end_of(engine.resume_job(again(id)).await.unwrap()).await;
    let EventKind::Finished { outcome } = &events.last().unwrap().kind else { panic!("{events:?}") };
    let result = outcome.generation().unwrap();
    assert_eq!(
        (result.prompts.len(), calls(&engine).await),
        (2, 9),
        "two were cut off, two are left: one variant's rest"
    );
    assert_eq!(result.failures[0].error.code, Code::BudgetExceeded);
    let detail = &result.failures[0].error.detail;
    assert!(detail.contains("cap of 9 calls"), "{detail}");
    // Seven before, and two for each of the two remaining variants.
    assert!(detail.contains("raise `max_calls` to at least 11"), "{detail}");
}

#[tokio::test]
async fn a_job_may_be_resumed_under_another_cap() {
    let home = Home::with_lab(HANGS);
    let id = interrupted(&home, json!({ "max_calls": 9 })).await;
    let engine = home.engine_of_another_process();
    let request = ResumeJobRequest { max_calls: Some(11), ..again(id) };
    let events = end_of(engine.resume_job(request).await.unwrap()).await;
    let EventKind::Finished { outcome } = &events.last().unwrap().kind else { panic!("{events:?}") };
    assert_eq!((outcome.generation().unwrap().prompts.len(), calls(&engine).await), (3, 11));
}

#[tokio::test]
async fn a_resumed_job_does_not_bring_back_what_was_deleted() {
    let home = Home::with_lab(HANGS);
    let id = interrupted(&home, json!({})).await;
    let engine = home.engine_of_another_process();
    engine.delete(engine.decode(json!({ "prompt_ids": ["@last"] })).unwrap()).await.unwrap();
    let events = end_of(engine.resume_job(again(id)).await.unwrap()).await;
    let EventKind::Finished { outcome } = &events.last().unwrap().kind else { panic!("{events:?}") };
    let result = outcome.generation().unwrap();
    assert_eq!((result.prompts.len(), result.failures.len()), (2, 1));
    assert!(result.failures[0].error.detail.contains("deleted since"), "{}", result.failures[0].error.detail);
    let details = job(&engine, id).await;
    assert_eq!((details.job.done, details.job.failed, details.job.total), (3, 1, Some(3)));
}

#[tokio::test]
async fn a_selection_that_was_stopped_is_resumed_over_the_same_prompts() {
    let home = Home::with_lab("{seed: 1, answer: {words: 30}}");
    let engine = home.engine();
    let made = generate(&engine, json!({ "input": "Name a boat", "count": 3 })).await.unwrap();
    home.lab("{answer: echo, rules: [{when: {role: judge}, fault: hang}]}");
    let engine = home.engine_of_another_process();
    let short: Vec<Value> = made.prompts.iter().map(|prompt| json!(prompt.id.short())).collect();
    let request: SelectRequest = engine.decode(json!({ "prompt_ids": short })).unwrap();
    let id = engine.prepare_selection(Operation::Select, request).await.unwrap().keep().await.unwrap();
    let details = job(&engine, id).await;
    assert_eq!((details.job.operation, details.job.total), (Operation::Select, Some(3)));
    let ids: Vec<Value> = made.prompts.iter().map(|prompt| json!(prompt.id)).collect();
    let named = details.request["prompt_ids"].as_array().unwrap();
    assert!(ids.iter().all(|id| named.contains(id)), "whole ids: more prompts may come, which begin alike");
    engine.stop_job(of(id)).await.unwrap();
    wait_until(&engine, id, |details| details.job.state == JobState::Cancelled).await;
    home.lab(HEALTHY);
    let engine = home.engine_of_another_process();
    let events = end_of(engine.resume_job(again(id)).await.unwrap()).await;
    let EventKind::Finished { outcome } = &events.last().unwrap().kind else { panic!("{events:?}") };
    assert!(outcome.selection().unwrap().ranking.len() == 3);
    assert_eq!(job(&engine, id).await.job.state, JobState::Finished);
}

#[tokio::test]
async fn a_judge_is_not_asked_again_what_it_has_answered_even_without_the_cache() {
    const SLOW: &str = "{seed: 1, answer: {words: 30}, judge: {quality_spread: 1}, pacing: {first_token_ms: 150}}";
    let home = Home::with_lab(SLOW);
    let engine = home.engine();
    let made = generate(&engine, json!({ "input": "Name a boat", "count": 4 })).await.unwrap();
    let before = calls(&engine).await;
    let ids: Vec<Value> = made.prompts.iter().map(|prompt| json!(prompt.id)).collect();
    let raw = json!({ "prompt_ids": ids, "no_cache": true, "thorough": true, "confidence": 0.99 });
    let request: SelectRequest = engine.decode(raw.clone()).unwrap();
    let id = engine.prepare_selection(Operation::Select, request).await.unwrap().keep().await.unwrap();
    wait_until(&engine, id, |details| details.job.done >= 2).await;
    engine.stop_job(of(id)).await.unwrap();
    let stopped = wait_until(&engine, id, |details| details.job.state == JobState::Cancelled).await;
    assert!(stopped.job.done < 6 && stopped.job.failed == 0, "{:?}", stopped.job);
    let asked = calls(&engine).await - before;
    let answered = engine.store().job_units(id, None, 100).await.unwrap().len() as u64;
    assert!(answered >= 4 && asked <= 2 * 6, "{answered} of {asked}");

    let other = home.engine_of_another_process();
    let events = end_of(other.resume_job(again(id)).await.unwrap()).await;
    assert!(matches!(events.last().unwrap().kind, EventKind::Finished { .. }));
    let in_all = calls(&other).await - before;

    // As many as an uninterrupted selection makes; calls that were cut off are repeated.
    let request: SelectRequest = other.decode(raw).unwrap();
    end_of(other.select(request).await.unwrap()).await;
    let fresh = calls(&other).await - before - in_all;
    assert_eq!(in_all - (asked - answered), fresh, "{answered} of {asked} were answered before");
}

#[tokio::test]
async fn work_that_costs_nothing_is_no_job_unless_it_is_to_be_kept() {
    let home = Home::new();
    let engine = home.engine();
    generate(&engine, json!({ "input": "Name a boat" })).await.unwrap();
    let all = JobsRequest { all: true, ..JobsRequest::default() };
    assert_eq!(engine.jobs(all).await.unwrap().jobs, []);
    let id = keep(&engine, json!({ "input": "Name a boat", "save": false })).await;
    let details = wait_until(&engine, id, |details| details.job.state == JobState::Finished).await;
    assert_eq!(details.result.unwrap()["prompts"].as_array().unwrap().len(), 3);
    assert_eq!(engine.jobs(JobsRequest::default()).await.unwrap().jobs, [], "it has finished");
    assert_eq!(engine.jobs(all).await.unwrap().jobs.len(), 1);
}

#[tokio::test]
async fn a_job_that_cannot_be_taken_up_says_why_and_has_failed() {
    let home = Home::with_lab(HANGS);
    let id = interrupted(&home, json!({ "persona": "code" })).await;
    std::fs::write(home.folder.path().join("config.yaml"), "providers:\n  lab: {kind: sim, script: none.yaml}\n")
        .unwrap();
    let engine = home.engine_of_another_process();
    let error = engine.resume_job(again(id)).await.err().unwrap();
    assert!(error.to_string().contains("none.yaml"), "{error}");
    let details = job(&engine, id).await;
    assert_eq!(details.job.state, JobState::Failed);
    assert!(details.error.unwrap()["detail"].as_str().unwrap().contains("none.yaml"));
    // It continues once that is fixed.
    home.lab(HEALTHY);
    let engine = home.engine_of_another_process();
    end_of(engine.resume_job(again(id)).await.unwrap()).await;
    assert_eq!(job(&engine, id).await.job.state, JobState::Finished);
    let again = engine.resume_job(again(id)).await.err().unwrap();
    assert_eq!(again.code(), Code::Conflict);
}

#[tokio::test]
async fn of_two_that_resume_a_job_one_is_refused() {
    let home = Home::with_lab(HANGS);
    let id = interrupted(&home, json!({})).await;
    home.lab(HANGS);
    let (one, other) = (home.engine_of_another_process(), home.engine());
    let run = one.resume_job(again(id)).await.unwrap();
    let refused = other.resume_job(again(id)).await.err().unwrap();
    assert_eq!(refused.code(), Code::Conflict);
    assert!(refused.to_string().contains("works on it"), "{refused}");
    drop(run);
    wait_until(&other, id, |details| details.job.state == JobState::Cancelled).await;
}

#[tokio::test]
async fn followers_of_a_job_are_told_the_same_from_any_number_on() {
    let home = Home::with_lab(HEALTHY);
    let engine = home.engine();
    let id = keep(&engine, json!({ "input": "Name a boat", "count": 2 })).await;
    let elsewhere = home.engine_of_another_process();
    let follow = |engine: &Engine, from: u64| {
        let engine = engine.clone();
        async move {
            let request = FollowJobRequest { job_id: JobKey::Id(id), from };
            let mut following = engine.follow_job(request).await.unwrap();
            let mut events = Vec::new();
            while let Some(event) = following.next().await.unwrap() {
                events.push(event);
            }
            events
        }
    };
    let (here, there, later) = tokio::join!(follow(&engine, 0), follow(&elsewhere, 0), follow(&elsewhere, 2));
    laws::check(&here).unwrap();
    assert_eq!(here, there);
    assert_eq!(here[2..], later[..]);
    assert!(matches!(here.last().unwrap().kind, EventKind::Finished { .. }));
}

#[tokio::test]
async fn a_worker_that_overslept_does_not_write_over_another() {
    let home = Home::with_lab(HANGS);
    let id = interrupted(&home, json!({})).await;
    let engine = home.engine_of_another_process();
    let worker = Worker { name: "another".to_owned(), lease: Duration::from_mins(1) };
    let Some(JobClaim::ClaimedJob(taken)) = engine.store().take_job(id, worker).await.unwrap() else {
        panic!("it is free")
    };
    assert_eq!(taken.job.attempt, 2);
    let old = crate::store::JobProgress { done: 1, ..crate::store::JobProgress::default() };
    let refused = engine.store().record_progress(Held { id, attempt: 1 }, old).await.unwrap_err();
    assert_eq!(refused.code(), Code::Conflict);
}
