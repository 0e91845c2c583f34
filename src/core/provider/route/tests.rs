//! Which failures move on, and what is told when they do.

use futures_util::FutureExt;
use futures_util::future::join_all;

use super::*;
use crate::error::Code;
use crate::provider::complete;
use crate::provider::retry::{Jitter, Retry, RetryPolicy};
use crate::provider::sim::testing::request;
use crate::provider::sim::{CallEnd, Sim};

/// A named script under the checks and two retries.
fn target(name: &str, script: &str) -> (Sim, Target) {
    let sim = Sim::from_yaml(name, script).unwrap();
    let checked = crate::provider::checked::Checked::new(Arc::new(sim.clone()));
    let patience = crate::provider::timeout::Patience::default();
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
            Ok(Chunk::Done(completion)) => return (retries, warnings, Ok((text, completion))),
            Err(error) => return (retries, warnings, Err(error)),
        }
    }
    panic!("the stream ended without an end");
}

use crate::provider::Completion;

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
        ("rejected", false, Code::ProviderRejected),
        ("too_long", false, Code::ProviderRejected),
        ("refusal", false, Code::ProviderRejected),
        ("empty", false, Code::ProviderRejected),
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
