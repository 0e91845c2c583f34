//! Falling back from a failing provider: visibly, with every cause, and only where it helps.
//!
//! With the five vendors over sockets; the breaker's pause on a virtual clock.

use std::time::Duration;

use aludel_core::domain::{GenerationResult, Phase};
use aludel_core::error::Code;
use aludel_core::event::EventKind;
use serde_json::json;

use super::fault::Fault;
use super::lab::{FinishedRun, KEY, Lab};
use super::stage::{Actor, good_text};
use super::vendors::Vendor;
use crate::seeded::Seeded;

/// A provider named `name` that always has this fault, without retries.
fn failing(name: &str, vendor: Vendor, fault: Fault, elsewhere: &str) -> Actor {
    let script = fault.script(vendor, KEY, elsewhere).expect("a fault of this vendor");
    let mut actor = Actor::new(name, vendor).playing(move |_| Some(script.clone()));
    actor.place = fault.place();
    actor.timeout_s = fault.timeout_s();
    actor.max_retries = 0;
    actor
}

/// The last phase, bound to `first` with these fallbacks.
fn bound(first: &str, fallbacks: &str) -> String {
    format!("phases:\n  coagulatio: {{provider: {first}, fallback: [{fallbacks}]}}\n")
}

async fn run(lab: &Lab) -> FinishedRun {
    lab.run(json!({"count": 1, "phases": ["coagulatio"]})).await.expect("a lawful run")
}

/// Asserts that the fallback is reported everywhere it should be.
fn check_fallback(result: &GenerationResult, ran: &FinishedRun, first: &str, fallback: &str) {
    let prompt = &result.prompts[0];
    assert_eq!(prompt.provider, fallback);
    assert_eq!(prompt.content, good_text(Phase::Coagulatio, 0));
    assert_eq!(prompt.steps[0].provider, fallback);
    assert_eq!(prompt.steps[0].model_metadata.fallback_from.as_deref(), Some(first));
    assert_eq!(prompt.model_metadata.fallback_from.as_deref(), Some(first));
    let warning = result.warnings.iter().find(|warning| warning.contains(first) && warning.contains(fallback));
    assert!(warning.is_some(), "no warning: {:?}", result.warnings);
    assert!(ran.retries().iter().any(|(provider, _)| provider == fallback), "{:?}", ran.retries());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_wrong_with_the_provider_its_fallback_answers_and_the_result_says_so() {
    let faults = [
        (Fault::NobodyListens, Vendor::OpenAi),
        (Fault::Internal, Vendor::Anthropic),
        (Fault::BadKey, Vendor::Google),
        (Fault::QuotaUsedUp, Vendor::OpenAi),
        (Fault::OutOfCredit, Vendor::OpenRouter),
        (Fault::RateLimitAnHour, Vendor::Anthropic),
        (Fault::UnknownModel, Vendor::Ollama),
        (Fault::HangsBeforeToken, Vendor::OpenAi),
        (Fault::CutInCharacter, Vendor::Google),
        (Fault::UntrustedCertificate, Vendor::OpenRouter),
        (Fault::RedirectTemporary, Vendor::Google),
    ];
    let runs = faults.map(|(fault, vendor)| async move {
        let actors =
            |elsewhere: &str| vec![failing("first", vendor, fault, elsewhere), Actor::new("second", Vendor::Ollama)];
        let lab = Lab::open(&bound("first", "second"), actors).await;
        let ran = run(&lab).await;
        let result = ran.result().unwrap_or_else(|why| panic!("{fault:?} of {vendor:?}: {why}"));
        check_fallback(result, &ran, "first", "second");
        assert_eq!(
            lab.stored(&result.prompts[0]).await.expect("stored").model_metadata,
            result.prompts[0].model_metadata
        );
        assert_eq!(lab.stage.objections(), Vec::<String>::new());
        assert_eq!(lab.stage.elsewhere_asked(), 0);
    });
    futures_util::future::join_all(runs).await;
}

#[tokio::test]
async fn when_all_are_down_the_first_cause_is_told_with_those_of_the_fallbacks() {
    let actors = |elsewhere: &str| {
        vec![
            failing("first", Vendor::Anthropic, Fault::QuotaUsedUp, elsewhere),
            failing("second", Vendor::Google, Fault::GatewayPage, elsewhere),
            failing("third", Vendor::OpenAi, Fault::BadKey, elsewhere),
        ]
    };
    let lab = Lab::open(&bound("first", "second, third"), actors).await;
    let ran = run(&lab).await;
    let problem = ran.failure().expect("a failure");
    assert_eq!((problem.code, problem.provider.as_deref()), (Code::ProviderRateLimited, Some("first")));
    assert_eq!(problem.upstream_status, Some(429));
    let place = |word: &str| problem.detail.find(word).unwrap_or_else(|| panic!("no {word}: {}", problem.detail));
    assert!(place("API usage threshold") < place("`second`") && place("`second`") < place("502"));
    assert!(place("502") < place("`third`"), "{}", problem.detail);
    assert!(!ran.everything().contains(KEY));
}

#[tokio::test]
async fn a_request_that_one_provider_rejects_is_taken_to_the_next() {
    for vendor in Vendor::ALL {
        for fault in [Fault::Empty, Fault::TooLong, Fault::BadRequest] {
            if fault.script(vendor, KEY, "").is_err() {
                continue; // This vendor has no such fault.
            }
            let actors = |elsewhere: &str| {
                vec![failing("first", vendor, fault, elsewhere), Actor::new("second", Vendor::OpenAi)]
            };
            let lab = Lab::open(&bound("first", "second"), actors).await;
            let ran = run(&lab).await;
            let result = ran.result().unwrap_or_else(|why| panic!("{fault:?} of {vendor:?}: {why}"));
            check_fallback(result, &ran, "first", "second");
        }
    }
}

#[tokio::test]
async fn a_refusal_is_the_outcome_unless_the_phase_falls_back_on_it() {
    for fault in [Fault::RefusalFirst, Fault::RefusalSecond] {
        for falls_back in [false, true] {
            let actors = |elsewhere: &str| {
                vec![failing("first", Vendor::Anthropic, fault, elsewhere), Actor::new("second", Vendor::OpenAi)]
            };
            let bound = bound("first", "second")
                .replace("fallback: ", &format!("fallback_on_refusal: {falls_back}, fallback: "));
            let lab = Lab::open(&bound, actors).await;
            let ran = run(&lab).await;
            if falls_back {
                check_fallback(ran.result().expect("a result"), &ran, "first", "second");
            } else {
                assert_eq!(ran.failure().expect("a failure").code, Code::ProviderRejected, "{fault:?}");
                assert_eq!(lab.stage.asked("second").len(), 0, "{fault:?}");
            }
        }
    }
}

#[tokio::test]
async fn each_phase_has_its_own_provider_and_its_own_fallback() {
    let actors = |elsewhere: &str| {
        vec![
            failing("claude", Vendor::Anthropic, Fault::Overloaded, elsewhere),
            Actor::new("router", Vendor::OpenRouter),
            Actor::new("gemini", Vendor::Google),
            failing("gpt", Vendor::OpenAi, Fault::StreamInternal, elsewhere),
            Actor::new("local", Vendor::Ollama),
        ]
    };
    let phases = "phases:\n  prima-materia: {provider: claude, fallback: [router]}\n  solutio: {provider: gemini}\n  \
                  coagulatio: {provider: gpt, fallback: [claude, local]}\n";
    let lab = Lab::open(phases, actors).await;
    let ran = lab.run(json!({"count": 2})).await.expect("a lawful run");
    let result = ran.result().expect("a result");
    assert_eq!(result.failures, []);
    for prompt in &result.prompts {
        let steps: Vec<(&str, Option<&str>)> = prompt
            .steps
            .iter()
            .map(|step| (step.provider.as_str(), step.model_metadata.fallback_from.as_deref()))
            .collect();
        assert_eq!(steps, [("router", Some("claude")), ("gemini", None), ("local", Some("gpt"))]);
        assert_eq!(prompt.content, good_text(Phase::Coagulatio, prompt.variant));
        // Only the router reports a cost, so the sum is unknown.
        assert_eq!((prompt.model_metadata.cost_usd, prompt.model_metadata.input_tokens), (None, 33));
        // The text that the first provider began with is discarded.
        assert!(!prompt.content.contains("Keep the receiver cool. Heat"));
    }
    assert_eq!(lab.stage.objections(), Vec::<String>::new());
}

#[tokio::test]
async fn a_provider_that_keeps_failing_is_not_asked_any_more_and_its_fallback_is_asked_at_once() {
    let actors = |elsewhere: &str| {
        vec![failing("first", Vendor::OpenAi, Fault::Unavailable, elsewhere), Actor::new("second", Vendor::Anthropic)]
    };
    let lab = Lab::open(&format!("{}run: {{max_concurrency: 1}}\n", bound("first", "second")), actors).await;
    let ran = lab.run(json!({"count": 8, "phases": ["coagulatio"]})).await.expect("a lawful run");
    let result = ran.result().expect("a result");
    assert_eq!(result.prompts.len(), 8);
    assert!(result.prompts.iter().all(|prompt| prompt.model_metadata.fallback_from.as_deref() == Some("first")));
    assert_eq!(lab.stage.asked("first").len(), 5, "the breaker opens after five");
    assert_eq!(lab.stage.asked("second").len(), 8);
    assert!(result.warnings.iter().any(|warning| warning.contains("was not called")), "{:?}", result.warnings);
}

/// Generates once on a virtual clock, without storing, because the store has its own thread.
async fn generate(seeded: &Seeded) -> Result<(String, Option<String>), String> {
    let request = json!({"input": "Distil", "count": 1, "phases": ["coagulatio"], "save": false});
    let mut run = seeded.engine.generate(seeded.engine.decode(request).expect("a request")).expect("a run");
    let mut last = None;
    while let Some(event) = run.next().await {
        last = Some(event.kind);
    }
    match last {
        Some(EventKind::Finished { outcome }) => {
            let result = serde_json::to_value(outcome.result()).expect("JSON");
            let step = &result["prompts"][0]["steps"][0];
            let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
            Ok((text(&step["provider"]).unwrap_or_default(), text(&step["model_metadata"]["fallback_from"])))
        }
        Some(EventKind::Failed { error }) => Err(error.detail),
        other => Err(format!("{other:?}")),
    }
}

#[tokio::test(start_paused = true)]
async fn the_breaker_opens_tries_once_and_closes_while_the_fallback_answers() {
    // Down for its first five calls and the first trial, then healthy.
    let script = "{answer: {text: 'from the first'}, rules: [{times: 6, fault: {kind: server_error, status: 503}}]}";
    let files = [("first.yaml", script), ("second.yaml", "answer: {text: 'from the second'}")];
    let configuration = format!(
        "providers:\n  first: {{kind: sim, script: first.yaml, max_retries: 0}}\n  second: {{kind: sim, script: second.yaml}}\n{}",
        bound("first", "second")
    );
    let seeded = Seeded::with_files(&configuration, &files);
    let from_the_second = Ok(("second".to_owned(), Some("first".to_owned())));
    for _ in 0..8 {
        assert_eq!(generate(&seeded).await, from_the_second, "closed, then open after five");
    }
    tokio::time::advance(Duration::from_secs(31)).await;
    assert_eq!(generate(&seeded).await, from_the_second, "half-open: the trial fails");
    tokio::time::advance(Duration::from_secs(31)).await;
    assert_eq!(generate(&seeded).await, from_the_second, "open for twice as long");
    tokio::time::advance(Duration::from_secs(31)).await;
    assert_eq!(generate(&seeded).await, Ok(("first".to_owned(), None)), "half-open: the trial answers");
    assert_eq!(generate(&seeded).await, Ok(("first".to_owned(), None)), "closed again");
}
