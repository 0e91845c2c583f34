//! Attempts, delays and how they are reported, on a paused clock.

use std::fmt::Write as _;
use std::num::NonZeroUsize;

use futures_util::future::join_all;
use proptest::prelude::*;
use tokio::time::Instant;

use super::*;
use crate::error::Code;
use crate::provider::checked::Checked;
use crate::provider::complete;
use crate::provider::permit::Permit;
use crate::provider::sim::testing::{request, sim};
use crate::provider::sim::{CallEnd, Sim};
use crate::provider::timeout::{Timeout, Timeouts};

const SEED: u64 = 11;

/// The layers of one provider, as the registry stacks them.
fn stack(sim: &Sim, max_retries: u32, max_concurrency: usize) -> Retry {
    let timed = Timeout::new(Arc::new(Checked::new(Arc::new(sim.clone()))), Timeouts::default());
    let limited = Permit::new(Arc::new(timed), NonZeroUsize::new(max_concurrency).unwrap());
    let policy = RetryPolicy { max_retries, ..RetryPolicy::default() };
    Retry::new(Arc::new(limited), policy, Arc::new(Jitter::new(SEED)))
}

/// What the consumer sees, with the times.
#[derive(Debug, Default)]
struct Observed {
    text: String,
    retries: Vec<(Duration, u32, Duration, Code)>,
    end: Option<Result<u32, ProviderError>>,
    took: Duration,
}

async fn listen(provider: &dyn Provider) -> Observed {
    let start = Instant::now();
    let mut told = Observed::default();
    let mut stream = provider.stream(request(0));
    while let Some(chunk) = stream.next().await {
        assert!(told.end.is_none(), "nothing comes after the end");
        match chunk {
            Ok(Chunk::Text(text)) => told.text.push_str(&text),
            Ok(Chunk::Retrying { provider, model, attempt, delay, error }) => {
                assert_eq!((provider.as_str(), model.as_str()), ("sim", "sim-1"));
                told.text.clear();
                told.retries.push((start.elapsed(), attempt, delay, error.code));
            }
            Ok(Chunk::Warning(_) | Chunk::Thinking(_)) => {}
            Ok(Chunk::Done(completion)) => told.end = Some(Ok(completion.retries)),
            Err(error) => told.end = Some(Err(error)),
        }
    }
    told.took = start.elapsed();
    told
}

/// The delays by policy and seed, one per failure.
fn expected_waits(count: u32) -> Vec<Duration> {
    let (policy, jitter) = (RetryPolicy::default(), Jitter::new(SEED));
    (0..count).map(|failed| policy.backoff(failed).mul_f64(jitter.next_fraction())).collect()
}

#[test]
fn backoff_doubles_from_half_a_second_to_eight() {
    let waits: Vec<u128> = (0..7).map(|failed| RetryPolicy::default().backoff(failed).as_millis()).collect();
    assert_eq!(waits, [500, 1000, 2000, 4000, 8000, 8000, 8000]);
    assert_eq!(RetryPolicy::default().backoff(u32::MAX), Duration::from_secs(8));
}

#[test]
fn jitter_is_reproducible_and_fills_the_whole_range() {
    let (a, b) = (Jitter::new(3), Jitter::new(3));
    let fractions: Vec<f64> = (0..1000).map(|_| a.next_fraction()).collect();
    assert!(fractions.iter().all(|x| (0.0..1.0).contains(x) && x.to_bits() == b.next_fraction().to_bits()));
    assert!(fractions.iter().any(|x| *x < 0.05) && fractions.iter().any(|x| *x > 0.95));
}

#[tokio::test(start_paused = true)]
async fn waits_are_those_of_the_policy_and_the_seed() {
    let told = listen(&stack(&sim("{answer: {text: hello}, rules: [{times: 3, fault: server_error}]}"), 3, 1)).await;
    assert_eq!((told.text.as_str(), told.end), ("hello", Some(Ok(3))));
    let waits: Vec<Duration> = told.retries.iter().map(|(_, _, delay, _)| *delay).collect();
    assert_eq!(waits, expected_waits(3));
    let attempts: Vec<u32> = told.retries.iter().map(|(_, attempt, _, _)| *attempt).collect();
    assert_eq!(attempts, [2, 3, 4]);
    let total: Duration = waits.iter().sum();
    assert!(told.took >= total && told.took < total + Duration::from_millis(10), "{:?} {total:?}", told.took);
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_obeyed_to_the_letter() {
    let sim = sim("{answer: {text: hello}, rules: [{times: 2, fault: {kind: rate_limit, retry_after_s: 7.5}}]}");
    let told = listen(&stack(&sim, 3, 1)).await;
    let waits: Vec<Duration> = told.retries.iter().map(|(_, _, delay, _)| *delay).collect();
    assert_eq!(waits, [Duration::from_millis(7500); 2]);
    assert_eq!((told.took.as_secs(), told.end), (15, Some(Ok(2))));
}

#[tokio::test(start_paused = true)]
async fn a_minute_is_waited_for_and_more_is_taken_as_down() {
    let script = |seconds: u32| format!("rules: [{{times: 1, fault: {{kind: rate_limit, retry_after_s: {seconds}}}}}]");
    let told = listen(&stack(&sim(&script(60)), 3, 1)).await;
    assert_eq!((told.end, told.took.as_secs()), (Some(Ok(1)), 60));
    let told = listen(&stack(&sim(&script(61)), 3, 1)).await;
    let error = told.end.unwrap().unwrap_err();
    assert_eq!((told.retries.len(), told.took), (0, Duration::ZERO));
    assert_eq!((error.failure, error.retry_after), (ProviderFailure::RateLimited, Some(Duration::from_secs(61))));
    assert!(error.message.contains("61 s") && error.message.contains("60 s counts as down"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn every_fault_is_retried_or_not_as_documented() {
    for (fault, calls, code) in [
        ("rate_limit", 4, Code::ProviderRateLimited),
        ("{kind: rate_limit, status: 529}", 4, Code::ProviderRateLimited),
        ("server_error", 4, Code::ProviderUnavailable),
        ("{kind: server_error, status: 408}", 4, Code::ProviderUnavailable),
        ("{kind: server_error, status: 409}", 4, Code::ProviderUnavailable),
        ("{kind: server_error, status: 502}", 4, Code::ProviderUnavailable),
        ("{kind: server_error, status: 503}", 4, Code::ProviderUnavailable),
        ("{kind: server_error, status: 504}", 4, Code::ProviderUnavailable),
        ("{kind: server_error, status: 529}", 4, Code::ProviderRateLimited),
        ("{kind: server_error, after_chunks: 2}", 4, Code::ProviderUnavailable),
        ("cut", 4, Code::ProviderUnavailable),
        ("{kind: cut, after_chunks: 0}", 4, Code::ProviderUnavailable),
        ("endless", 4, Code::ProviderUnavailable),
        ("hang", 1, Code::ProviderTimeout),
        ("{kind: hang, after_chunks: 1}", 1, Code::ProviderTimeout),
        ("auth", 1, Code::ProviderAuth),
        ("quota", 1, Code::ProviderRateLimited),
        ("rejected", 1, Code::ProviderRejected),
        ("{kind: rejected, status: 404}", 1, Code::ProviderRejected),
        ("too_long", 1, Code::ProviderRejected),
        ("refusal", 1, Code::ProviderRejected),
        ("empty", 1, Code::ProviderRejected),
    ] {
        let script = format!("{{answer: {{words: 2000}}, pacing: {{chunk_chars: 5000}}, rules: [{{fault: {fault}}}]}}");
        let sim = sim(&script);
        let told = listen(&stack(&sim, 3, 1)).await;
        let error = told.end.unwrap().unwrap_err();
        assert_eq!((sim.asked(), error.code()), (calls, code), "{fault}: {error}");
        assert_eq!(error.message.contains("gave up after 4 attempts"), calls == 4, "{fault}: {error}");
        assert_eq!(told.retries.len() as u64, calls - 1, "{fault}");
        assert!(told.retries.iter().all(|(_, _, _, told)| *told == code), "{fault}");
    }
}

#[test]
fn what_the_provider_says_of_a_retry_goes_before_the_kind_of_failure() {
    for (failure, said, is_made_again) in [
        (ProviderFailure::Unavailable, None, true),
        (ProviderFailure::Unavailable, Some(false), false),
        (ProviderFailure::RateLimited, Some(false), false),
        (ProviderFailure::Rejected, None, false),
        (ProviderFailure::Rejected, Some(true), true),
    ] {
        let error = ProviderError { should_retry: said, ..ProviderError::new("p", failure, "no") };
        let step = Attempts::of(&Account::default()).after(error, &RetryPolicy::default(), &Jitter::new(SEED));
        assert_eq!(matches!(step, Step::Wait(..)), is_made_again, "{failure:?} {said:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn malformed_json_is_an_answer_like_any_other() {
    let sim = sim("rules: [{fault: malformed}]");
    assert_eq!(listen(&stack(&sim, 3, 1)).await.end, Some(Ok(0)));
}

#[tokio::test(start_paused = true)]
async fn no_retries_means_one_call() {
    let sim = sim("rules: [{fault: server_error}]");
    let error = listen(&stack(&sim, 0, 1)).await.end.unwrap().unwrap_err();
    assert_eq!(sim.asked(), 1);
    assert!(!error.message.contains("gave up"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_the_first_token_restarts_the_text_visibly() {
    let script = "{answer: {text: the whole answer}, pacing: {chunk_chars: 4}, rules: [{times: 2, fault: {kind: cut, after_chunks: 3}}]}";
    let provider = stack(&sim(script), 3, 1);
    let mut stream = provider.stream(request(0));
    let mut shape = String::new();
    while let Some(Ok(chunk)) = stream.next().await {
        shape.push(match chunk {
            Chunk::Text(_) => 't',
            Chunk::Retrying { .. } => 'R',
            Chunk::Warning(_) => 'w',
            Chunk::Thinking(_) => '~',
            Chunk::Done(_) => 'D',
        });
    }
    assert_eq!(shape, "tttRtttRttttD");
    assert_eq!(complete(&provider, request(1)).await.unwrap().0, "the whole answer");
}

#[tokio::test(start_paused = true)]
async fn nobody_holds_a_permit_while_waiting_to_try_again() {
    let script = "rules: [{when: {variant: 0}, times: 1, fault: {kind: rate_limit, retry_after_s: 30}}]";
    let sim = sim(script);
    let provider = stack(&sim, 3, 1);
    let start = Instant::now();
    let (slow, quick) = tokio::join!(complete(&provider, request(0)), async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let answer = complete(&provider, request(1)).await;
        (answer, start.elapsed())
    });
    assert!(slow.is_ok() && quick.0.is_ok());
    assert_eq!(quick.1.as_secs(), 1);
    assert_eq!(sim.peak_in_flight(), 1);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_stream_stops_everything_at_once() {
    let sim =
        sim("{answer: {words: 50}, pacing: {tokens_per_s: 10}, rules: [{when: {variant: 1}, fault: server_error}]}");
    let provider = stack(&sim, 3, 1);
    let mut in_the_middle = provider.stream(request(0));
    assert!(matches!(in_the_middle.next().await, Some(Ok(Chunk::Text(_)))));
    assert_eq!(sim.in_flight(), 1);
    drop(in_the_middle);
    assert_eq!((sim.in_flight(), sim.journal()[0].end), (0, CallEnd::Dropped));

    let mut waiting = provider.stream(request(1));
    assert!(matches!(waiting.next().await, Some(Ok(Chunk::Retrying { .. }))));
    assert!(futures_util::poll!(waiting.next()).is_pending());
    drop(waiting);
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!((sim.asked(), sim.in_flight()), (2, 0), "no further attempt is made");
}

/// One of the retried faults, where it strikes, and whether it asks for a delay.
fn retried_fault() -> impl Strategy<Value = String> {
    prop_oneof![
        (0_u32..4).prop_map(|after| format!("{{kind: cut, after_chunks: {after}}}")),
        (0_u32..4).prop_map(|after| format!("{{kind: server_error, status: 503, after_chunks: {after}}}")),
        (0_u32..4, 0_u32..20)
            .prop_map(|(after, wait)| format!("{{kind: rate_limit, after_chunks: {after}, retry_after_s: {wait}}}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn after_any_faults_the_text_since_the_last_restart_is_the_answer(
        faults in proptest::collection::vec(retried_fault(), 0..6),
        max_retries in 0_u32..6,
        callers in 1_u32..9,
        max_concurrency in 1_usize..4,
    ) {
        let mut rules = String::from(if faults.is_empty() { " []" } else { "" });
        for (attempt, fault) in (1..).zip(&faults) {
            let _ = write!(rules, "\n  - {{when: {{attempt: {attempt}}}, fault: {fault}}}");
        }
        let answer = "the answer of variant";
        let sim = sim(&format!("answer: {{text: '{answer} {{variant}}'}}\npacing: {{chunk_ms: 3, chunk_chars: 5}}\nrules:{rules}\n"));
        let failing = u32::try_from(faults.len()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let provider = stack(&sim, max_retries, max_concurrency);
        let answers = runtime.block_on(join_all((0..callers).map(|variant| complete(&provider, request(variant)))));
        for (variant, told) in answers.into_iter().enumerate() {
            match told {
                Ok((text, completion)) => {
                    prop_assert!(failing <= max_retries);
                    prop_assert_eq!(text, format!("{answer} {variant}"));
                    prop_assert_eq!(completion.retries, failing);
                }
                Err(error) => {
                    prop_assert!(failing > max_retries);
                    prop_assert!(matches!(error.failure, ProviderFailure::Unavailable | ProviderFailure::RateLimited));
                }
            }
        }
        prop_assert_eq!(sim.asked(), u64::from(callers) * u64::from(failing.min(max_retries) + 1));
        prop_assert!(sim.peak_in_flight() <= max_concurrency);
        prop_assert_eq!(sim.in_flight(), 0);
    }
}
