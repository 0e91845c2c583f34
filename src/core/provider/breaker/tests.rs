//! The layer around real calls, on a virtual clock: alone, under a route, and with many callers.

use futures_util::FutureExt;
use futures_util::future::join_all;

use super::*;
use crate::error::Code;
use crate::provider::complete;
use crate::provider::permit::Permit;
use crate::provider::retry::{Jitter, Retry, RetryPolicy};
use crate::provider::route::{Route, Target};
use crate::provider::sim::Sim;
use crate::provider::sim::testing::{request, sim};
use crate::provider::timeout::{Timeout, Timeouts};

/// Calls 1 to `calls` fail; later ones answer.
fn down_for(calls: u32) -> Sim {
    sim(&format!(
        "{{answer: {{text: hello}}, rules: [{{times: {calls}, fault: {{kind: server_error, status: 503}}}}]}}"
    ))
}

fn breaker(sim: &Sim) -> Breaker {
    Breaker::new(Arc::new(sim.clone()), BreakerPolicy::default())
}

async fn fail(breaker: &Breaker, times: u32) -> ProviderError {
    let mut last = None;
    for _ in 0..times {
        last = Some(complete(breaker, request(0)).await.unwrap_err());
    }
    last.unwrap()
}

async fn pass(seconds: u64) {
    tokio::time::advance(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn while_open_nothing_is_asked_and_the_error_says_all_there_is_to_know() {
    let sim = down_for(100);
    let breaker = breaker(&sim);
    assert_eq!(fail(&breaker, 5).await.upstream_status, Some(503));
    pass(10).await;
    let error = fail(&breaker, 1).await;
    assert_eq!((sim.asked(), error.code()), (5, Code::ProviderUnavailable));
    assert_eq!((error.retry_after, error.upstream_status), (Some(Duration::from_secs(20)), None));
    for part in ["down for 10 s", "5 calls in a row", "the server failed", "next try is in 20 s"] {
        assert!(error.message.contains(part), "{error}");
    }
    assert_eq!(breaker.outage(), Some(error));
}

#[tokio::test(start_paused = true)]
async fn it_opens_tries_opens_again_and_closes() {
    let sim = down_for(6);
    let breaker = breaker(&sim);
    fail(&breaker, 5).await;
    pass(30).await;
    assert_eq!(fail(&breaker, 1).await.upstream_status, Some(503), "the trial went out");
    pass(30).await;
    assert!(fail(&breaker, 1).await.message.contains("6 calls in a row"), "the pause is twice as long now");
    pass(30).await;
    assert!(complete(&breaker, request(0)).await.is_ok());
    assert_eq!(breaker.outage(), None);
    assert!(complete(&breaker, request(1)).await.is_ok());
    assert_eq!(sim.asked(), 8);
}

#[tokio::test(start_paused = true)]
async fn of_many_callers_at_a_half_open_circuit_one_goes_through() {
    let failing = down_for(5);
    let breaker = breaker(&failing);
    fail(&breaker, 5).await;
    pass(30).await;
    let mut trial = breaker.stream(request(0));
    assert!(matches!(trial.next().await, Some(Ok(Chunk::Text(_)))), "the trial is answering");
    let others = join_all((1..64).map(|variant| complete(&breaker, request(variant)))).await;
    for other in others {
        let error = other.unwrap_err();
        assert!(error.message.contains("one call is testing it now"), "{error}");
        assert_eq!(error.retry_after, Some(WAIT_FOR_TRIAL));
    }
    assert_eq!(failing.asked(), 6);
    assert!(matches!(trial.next().await, Some(Ok(Chunk::Done(_)))));
    assert!(complete(&breaker, request(1)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_dropped_trial_is_given_back() {
    let sim =
        sim("{answer: {text: hello}, rules: [{times: 5, fault: server_error}, {when: {variant: 7}, fault: hang}]}");
    let breaker = breaker(&sim);
    fail(&breaker, 5).await;
    pass(30).await;
    let mut trial = breaker.stream(request(7));
    assert!(trial.next().now_or_never().is_none());
    assert!(complete(&breaker, request(0)).await.is_err());
    drop(trial);
    assert!(complete(&breaker, request(0)).await.is_ok());
    assert_eq!(breaker.outage(), None);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_never_polled_takes_no_trial() {
    let sim = down_for(5);
    let breaker = breaker(&sim);
    fail(&breaker, 5).await;
    pass(30).await;
    let idle = breaker.stream(request(1));
    assert!(complete(&breaker, request(0)).await.is_ok());
    drop(idle);
}

#[tokio::test(start_paused = true)]
async fn a_hanging_trial_ends_with_its_time_limit_and_opens_the_circuit_again() {
    let sim = sim("{rules: [{times: 5, fault: server_error}, {fault: hang}]}");
    let timed = Arc::new(Timeout::new(Arc::new(sim.clone()), Timeouts::default()));
    let breaker = Breaker::new(timed, BreakerPolicy::default());
    fail(&breaker, 5).await;
    pass(30).await;
    let start = Instant::now();
    assert_eq!(fail(&breaker, 1).await.failure, ProviderFailure::Timeout);
    assert_eq!(start.elapsed().as_secs(), 120);
    assert_eq!(breaker.outage().unwrap().retry_after, Some(Duration::from_mins(1)));
}

#[tokio::test(start_paused = true)]
async fn calls_that_fail_for_their_own_fault_or_are_dropped_never_open_it() {
    for fault in ["auth", "quota", "rejected", "refusal", "too_long"] {
        let sim = sim(&format!("rules: [{{fault: {fault}}}]"));
        let breaker = breaker(&sim);
        fail(&breaker, 12).await;
        assert_eq!((sim.asked(), breaker.outage()), (12, None), "{fault}");
    }
    let sim = sim("rules: [{fault: hang}]");
    let breaker = breaker(&sim);
    for _ in 0..12 {
        assert!(breaker.stream(request(0)).next().now_or_never().is_none());
    }
    assert_eq!((sim.asked(), breaker.outage()), (12, None));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_just_ends_is_a_failure() {
    let sim = sim("rules: [{fault: cut}]");
    let breaker = breaker(&sim);
    assert!(fail(&breaker, 5).await.message.contains("before it was complete"));
    assert!(breaker.outage().is_some());
}

#[tokio::test(start_paused = true)]
async fn a_call_is_counted_after_its_retries() {
    let sim = down_for(1000);
    let policy = RetryPolicy { max_retries: 2, ..RetryPolicy::default() };
    let retried = Retry::new(Arc::new(sim.clone()), policy, Arc::new(Jitter::new(1)));
    let breaker = Breaker::new(Arc::new(retried), BreakerPolicy::default());
    fail(&breaker, 4).await;
    assert_eq!((sim.asked(), breaker.outage()), (12, None));
    fail(&breaker, 1).await;
    assert_eq!(sim.asked(), 15);
    let start = Instant::now();
    fail(&breaker, 20).await;
    assert_eq!((sim.asked(), start.elapsed()), (15, Duration::ZERO), "neither asked nor waited");
}

#[tokio::test(start_paused = true)]
async fn while_open_the_fallback_answers_without_a_wait_and_the_result_says_so() {
    let first = Sim::from_yaml("first", "rules: [{times: 6, fault: server_error}]").unwrap();
    let second = Sim::from_yaml("second", "answer: {text: saved}").unwrap();
    let guarded = Arc::new(breaker(&first));
    let route = Route::new(Target::new(Arc::clone(&guarded) as Arc<dyn Provider>), [Target::new(Arc::new(second))]);
    for _ in 0..5 {
        complete(&route, request(0)).await.unwrap();
    }
    let start = Instant::now();
    let mut stream = route.stream(request(0));
    let (mut warnings, mut completion) = (Vec::new(), None);
    while let Some(chunk) = stream.next().await {
        match chunk.unwrap() {
            Chunk::Warning(warning) => warnings.push(warning),
            Chunk::Retrying { delay, .. } => assert_eq!(delay, Duration::ZERO),
            Chunk::Done(done) => completion = Some(done),
            Chunk::Text(_) | Chunk::Thinking(_) => {}
        }
    }
    let completion = completion.unwrap();
    assert_eq!((completion.provider.as_str(), completion.fallback_from.as_deref()), ("second", Some("first")));
    assert!(warnings.len() == 1 && warnings[0].contains("5 calls in a row"), "{warnings:?}");
    assert_eq!((first.asked(), start.elapsed()), (5, Duration::ZERO));
    // Half-open: the trial fails and falls back too; then the first provider recovers.
    pass(30).await;
    assert!(complete(&route, request(0)).await.unwrap().1.fallback_from.is_some());
    assert_eq!(first.asked(), 6);
    pass(60).await;
    assert_eq!(complete(&route, request(0)).await.unwrap().1.fallback_from, None);
}

#[tokio::test(start_paused = true)]
async fn with_sixty_four_calls_failing_at_once_it_opens_once_and_comes_back() {
    let sim = sim(
        "{answer: {text: hello}, pacing: {first_token_ms: 100}, rules: [{times: 64, fault: {kind: rate_limit, retry_after_s: 45}}]}",
    );
    let limited = Permit::new(Arc::new(sim.clone()), std::num::NonZeroUsize::new(16).unwrap());
    let breaker = Breaker::new(Arc::new(limited), BreakerPolicy::default());
    let answers = join_all((0..64).map(|variant| complete(&breaker, request(variant)))).await;
    assert!(answers.iter().all(|answer| answer.as_ref().unwrap_err().failure == ProviderFailure::RateLimited));
    let outage = breaker.outage().unwrap();
    assert!(outage.message.contains("5 calls in a row"), "{outage}");
    // It opened with the first batch, 400 ms before the last one ended: fewer of those ran at once.
    assert_eq!(outage.retry_after, Some(Duration::from_millis(45_000 - 400)));
    pass(45).await;
    assert!(complete(&breaker, request(0)).await.is_ok());
    let answers = join_all((0..64).map(|variant| complete(&breaker, request(variant)))).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(sim.asked(), 64 + 1 + 64);
}
