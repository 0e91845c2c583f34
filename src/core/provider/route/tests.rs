//! Which failures move on, and how that is reported.

use std::fmt::Write as _;

use futures_util::FutureExt;
use futures_util::future::join_all;
use proptest::prelude::*;

use super::*;
use crate::error::Code;
use crate::provider::retry::{Jitter, Retry, RetryPolicy};
use crate::provider::sim::testing::request;
use crate::provider::sim::{CallEnd, Sim};
use crate::provider::{Completion, complete};

/// A named script under the checks and two retries.
fn target(name: &str, script: &str) -> (Sim, Target) {
    let sim = Sim::from_yaml(name, script).unwrap();
    let checked = crate::provider::checked::Checked::new(Arc::new(sim.clone()));
    let patience = crate::provider::timeout::Timeouts::default();
    let timed = crate::provider::timeout::Timeout::new(Arc::new(checked), patience);
    let policy = RetryPolicy { max_retries: 2, ..RetryPolicy::default() };
    let provider = Retry::new(Arc::new(timed), policy, Arc::new(Jitter::new(1)));
    (sim, Target::new(Arc::new(provider)))
}

/// Retries as `provider/model attempt`, warnings, and the end.
async fn tell(route: &Route) -> (Vec<String>, Vec<String>, Result<(String, Completion), ProviderError>) {
    let (mut retries, mut warnings, mut text) = (Vec::new(), Vec::new(), String::new());
    let mut stream = route.stream(request(0));
    while let Some(chunk) = stream.next().await {
        match chunk {
            Ok(Chunk::Text(more)) => text.push_str(&more),
            Ok(Chunk::Retrying { provider, model, attempt, .. }) => {
                text.clear();
                retries.push(format!("{provider}/{model} {attempt}"));
            }
            Ok(Chunk::Warning(warning)) => warnings.push(warning),
            Ok(Chunk::Thinking(_)) => {}
            Ok(Chunk::Done(completion)) => return (retries, warnings, Ok((text, completion))),
            Err(error) => return (retries, warnings, Err(error)),
        }
    }
    panic!("the stream ended without an end");
}

/// A provider whose breaker is open.
struct Down;

impl Provider for Down {
    fn name(&self) -> &'static str {
        "down"
    }

    fn default_model(&self) -> &'static str {
        "d-1"
    }

    fn stream(&self, _request: ChatRequest) -> ChunkStream {
        let error = ProviderError::new("down", ProviderFailure::Unavailable, "it was not asked").without_call();
        Box::pin(futures_util::stream::once(async { Err(error) }))
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_was_not_asked_is_no_retry() {
    let spare = Sim::from_yaml("spare", "answer: {text: hello}").unwrap();
    let route = Route::new(Target::new(Arc::new(Down)), [Target::new(Arc::new(spare))]);
    let (told, warnings, end) = tell(&route).await;
    let (_, completion) = end.unwrap();
    assert_eq!((completion.retries, completion.fallback_from.as_deref()), (0, Some("down")));
    assert_eq!((told.len(), warnings.len()), (1, 1), "and moving on is shown all the same");
}

#[tokio::test(start_paused = true)]
async fn a_healthy_binding_answers_alone() {
    let (_, first) = target("first", "answer: {text: hello}");
    let (spare, second) = target("second", "");
    let (retries, warnings, end) = tell(&Route::new(first, [second])).await;
    let (text, completion) = end.unwrap();
    assert_eq!((text.as_str(), completion.provider.as_str(), completion.fallback_from), ("hello", "first", None));
    assert!(retries.is_empty() && warnings.is_empty() && spare.asked() == 0);
}

#[tokio::test(start_paused = true)]
async fn a_fallback_is_told_in_every_way() {
    let (_, first) =
        target("first", "{answer: {words: 50}, rules: [{fault: {kind: server_error, status: 503, after_chunks: 2}}]}");
    let (_, second) = target("second", "{answer: {text: saved}, rules: [{times: 1, fault: cut}]}");
    let route = Route::new(first.with_model("big"), [second.with_model("small")]);
    let (retries, warnings, end) = tell(&route).await;
    assert_eq!(retries, ["first/big 2", "first/big 3", "second/small 4", "second/small 5"]);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("`first/big` failed") && warnings[0].contains("`second/small`"), "{}", warnings[0]);
    let (text, completion) = end.unwrap();
    assert_eq!((text.as_str(), completion.model.as_str()), ("saved", "small"));
    assert_eq!((completion.fallback_from.as_deref(), completion.retries), (Some("first"), 4));
}

#[tokio::test(start_paused = true)]
async fn every_fault_moves_on_or_not_as_documented() {
    for (fault, moves_on, code) in [
        ("rate_limit", true, Code::ProviderRateLimited),
        ("{kind: rate_limit, retry_after_s: 600}", true, Code::ProviderRateLimited),
        ("server_error", true, Code::ProviderUnavailable),
        ("cut", true, Code::ProviderUnavailable),
        ("hang", true, Code::ProviderTimeout),
        ("{kind: hang, after_chunks: 1}", true, Code::ProviderTimeout),
        ("auth", true, Code::ProviderAuth),
        ("quota", true, Code::ProviderRateLimited),
        ("{kind: rejected, status: 404}", true, Code::ProviderRejected),
        ("rejected", true, Code::ProviderRejected),
        ("{kind: rejected, status: 413}", true, Code::ProviderRejected),
        ("too_long", true, Code::ProviderRejected),
        ("empty", true, Code::ProviderRejected),
        ("refusal", false, Code::ProviderRejected),
    ] {
        let script = format!("rules: [{{fault: {fault}}}]");
        let (_, first) = target("first", &script);
        let (spare, second) = target("second", "answer: {text: saved}");
        let (_, warnings, end) = tell(&Route::new(first.clone(), [second])).await;
        assert_eq!(spare.asked(), u64::from(moves_on), "{fault}");
        assert_eq!(warnings.len(), usize::from(moves_on), "{fault}");
        match end {
            Ok((text, completion)) => {
                assert!(moves_on, "{fault}");
                assert_eq!((text.as_str(), completion.fallback_from.as_deref()), ("saved", Some("first")), "{fault}");
            }
            Err(error) => assert_eq!((moves_on, error.code()), (false, code), "{fault}"),
        }
        let alone = complete(&Route::new(first, []), request(0)).await.unwrap_err();
        assert_eq!((alone.code(), alone.provider.as_str()), (code, "first"), "{fault}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_moves_on_where_the_user_asked_for_it() {
    for (on_refusal, asked) in [(OnRefusal::Report, 0), (OnRefusal::FallBack, 1)] {
        let (_, first) = target("first", "rules: [{fault: refusal}]");
        let (spare, second) = target("second", "answer: {text: saved}");
        let (_, warnings, end) = tell(&Route::new(first, [second]).on_refusal(on_refusal)).await;
        assert_eq!((spare.asked(), warnings.len()), (asked, usize::try_from(asked).unwrap()));
        match end {
            Ok((text, completion)) => {
                assert_eq!((text.as_str(), completion.fallback_from.as_deref()), ("saved", Some("first")));
            }
            Err(error) => assert_eq!((error.failure, asked), (ProviderFailure::Refused, 0)),
        }
    }
}

/// Fails like the ledger when the next call would exceed a cap.
struct Capped;

impl Provider for Capped {
    fn name(&self) -> &'static str {
        "capped"
    }

    fn default_model(&self) -> &'static str {
        "m"
    }

    fn stream(&self, _: ChatRequest) -> ChunkStream {
        let error = ProviderError::new("capped", ProviderFailure::Budget, "the next call would pass the cap");
        Box::pin(futures_util::stream::iter([Err(error)]))
    }
}

#[tokio::test(start_paused = true)]
async fn a_cap_is_never_passed_by_way_of_a_fallback_and_is_what_ends_the_call() {
    let (spare, second) = target("second", "");
    let (_, _, end) = tell(&Route::new(Target::new(Arc::new(Capped)), [second])).await;
    assert_eq!((end.unwrap_err().failure, spare.asked()), (ProviderFailure::Budget, 0));

    let (_, first) = target("first", "rules: [{fault: too_long}]");
    let (_, _, end) = tell(&Route::new(first, [Target::new(Arc::new(Capped))])).await;
    let error = end.unwrap_err();
    assert_eq!(error.failure, ProviderFailure::Budget, "the exit is that of a cap");
    assert!(error.message.contains("`first`") && error.message.contains("pass the cap"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn when_all_fail_the_first_cause_is_told_and_the_others_named() {
    let (_, first) = target("first", "rules: [{fault: quota}]");
    let (_, second) = target("second", "rules: [{fault: auth}]");
    let (_, third) = target("third", "rules: [{fault: refusal}]");
    let (last, fourth) = target("fourth", "");
    let (retries, warnings, end) = tell(&Route::new(first, [second, third, fourth])).await;
    let error = end.unwrap_err();
    assert_eq!((error.provider.as_str(), error.failure), ("first", ProviderFailure::QuotaExhausted));
    assert!(error.message.contains("`second`: the key was refused") && error.message.contains("`third`"), "{error}");
    assert_eq!(retries, ["second/sim-1 2", "third/sim-1 3"]);
    assert_eq!((warnings.len(), last.asked()), (2, 0), "a refusal is not taken elsewhere");
}

#[tokio::test]
async fn a_model_asked_for_is_the_bindings_and_never_a_fallbacks() {
    let (first_sim, first) = target("first", "rules: [{fault: auth}]");
    let (second_sim, second) = target("second", "model: own");
    let asked = ChatRequest { model: Some("asked-for".into()), ..request(0) };
    let (_, completion) = complete(&Route::new(first, [second]), asked).await.unwrap();
    assert_eq!(first_sim.journal()[0].model, "asked-for");
    assert_eq!((second_sim.journal()[0].model.as_str(), completion.model.as_str()), ("own", "own"));
}

#[tokio::test]
async fn a_route_is_named_after_its_binding() {
    let (_, first) = target("first", "model: own");
    let (_, second) = target("second", "");
    let route = Route::new(first.clone(), [second]);
    assert_eq!((route.name(), route.default_model()), ("first", "own"));
    assert_eq!(Route::new(first.with_model("big"), []).default_model(), "big");
}

#[tokio::test(start_paused = true)]
async fn many_callers_fall_back_independently() {
    let (_, first) =
        target("first", "{answer: {text: 'a {variant}'}, rules: [{when: {variant: [1, 3, 5]}, fault: auth}]}");
    let (spare, second) = target("second", "answer: {text: 'b {variant}'}");
    let route = Route::new(first, [second]);
    let answers = join_all((0..6).map(|variant| complete(&route, request(variant)))).await;
    let texts: Vec<String> = answers.into_iter().map(|answer| answer.unwrap().0).collect();
    assert_eq!(texts, ["a 0", "b 1", "a 2", "b 3", "a 4", "b 5"]);
    assert_eq!(spare.asked(), 3);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_stream_stops_whichever_provider_is_asked() {
    let (first_sim, first) = target("first", "rules: [{fault: auth}]");
    let (second_sim, second) = target("second", "rules: [{fault: hang}]");
    let route = Route::new(first, [second]);
    let mut stream = route.stream(request(0));
    assert!(matches!(stream.next().await, Some(Ok(Chunk::Retrying { .. }))));
    assert!(matches!(stream.next().await, Some(Ok(Chunk::Warning(_)))));
    assert!(stream.next().now_or_never().is_none());
    assert_eq!((first_sim.in_flight(), second_sim.in_flight()), (0, 1));
    drop(stream);
    assert_eq!((second_sim.in_flight(), second_sim.journal()[0].end), (0, CallEnd::Dropped));
}

/// How a call can end: `None` for an answer.
fn ending() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![
        3 => Just(None),
        1 => Just(Some("auth")),
        1 => Just(Some("quota")),
        1 => Just(Some("refusal")),
        1 => Just(Some("{kind: rejected, status: 404}")),
        1 => Just(Some("{kind: hang, after_chunks: 2}")),
        3 => Just(Some("{kind: cut, after_chunks: 2}")),
        3 => Just(Some("{kind: server_error, status: 503, after_chunks: 1}")),
        3 => Just(Some("{kind: rate_limit, retry_after_s: 3}")),
    ]
}

/// A script whose calls end one after another with `endings`, and then succeed.
fn script(answer: &str, endings: &[Option<&str>]) -> String {
    let mut script = format!("{{answer: {{text: '{answer}'}}, pacing: {{chunk_chars: 3, chunk_ms: 1}}, rules: [");
    for (attempt, fault) in (1..).zip(endings).filter_map(|(attempt, fault)| Some((attempt, (*fault)?))) {
        let _ = write!(script, "{{when: {{attempt: {attempt}}}, fault: {fault}}}, ");
    }
    script + "]}"
}

/// The documented result of calls at one target with two retries: failed calls, final failure.
fn expected(endings: &[Option<&'static str>]) -> (u32, Option<&'static str>) {
    let mut failed = 0;
    for ending in endings.iter().copied().chain(std::iter::repeat(None)) {
        let Some(fault) = ending else { return (failed, None) };
        failed += 1;
        let is_retried = ["cut", "server_error", "rate_limit"].iter().any(|kind| fault.contains(kind));
        if !is_retried || failed == 3 {
            return (failed, Some(fault));
        }
    }
    (failed, None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn whatever_fails_the_text_since_the_last_restart_is_the_answer_of_the_one_that_is_named(
        first in proptest::collection::vec(ending(), 0..5),
        second in proptest::collection::vec(ending(), 0..5),
    ) {
        let (first_sim, first_target) = target("first", &script("the answer of the first", &first));
        let (second_sim, second_target) = target("second", &script("the answer of the second", &second));
        let route = Route::new(first_target, [second_target]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let (retries, warnings, end) = runtime.block_on(tell(&route));

        let (failed_first, cause) = expected(&first);
        let moves_on = cause.is_some_and(|cause| cause != "refusal");
        let (failed_second, cause_second) = if moves_on { expected(&second) } else { (0, None) };
        let answered = if moves_on { cause_second.is_none() } else { cause.is_none() };

        prop_assert_eq!(end.is_ok(), answered);
        if let Ok((text, completion)) = end {
            let name = if moves_on { "second" } else { "first" };
            prop_assert_eq!(text, format!("the answer of the {name}"));
            prop_assert_eq!(completion.provider, name);
            prop_assert_eq!(completion.retries, failed_first + failed_second);
            prop_assert_eq!(completion.fallback_from.as_deref(), moves_on.then_some("first"));
        } else if let Err(error) = end {
            prop_assert_eq!(error.provider, "first");
        }
        prop_assert_eq!(warnings.len(), usize::from(moves_on));
        let attempts: Vec<u32> = retries.iter().map(|told| told.rsplit(' ').next().unwrap().parse().unwrap()).collect();
        prop_assert_eq!(&attempts, &(2..).take(attempts.len()).collect::<Vec<u32>>());
        let calls = first_sim.asked() + second_sim.asked();
        prop_assert_eq!(calls, attempts.len() as u64 + 1);
        prop_assert_eq!(first_sim.in_flight() + second_sim.in_flight(), 0);
    }
}
