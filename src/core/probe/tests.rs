//! Tests with the scripted provider: the stage and the message of each failure.

use std::sync::Arc;

use super::*;
use crate::domain::{ProviderCheckName as Name, ProviderCheckStatus as Status};
use crate::error::ProviderFailure;
use crate::provider::builtin::Builtin;
use crate::provider::embedding::{Embedded, Embedding, Purpose};
use crate::provider::registry::Registry;
use crate::provider::settings::ProviderSettings;
use crate::provider::sim::testing::sim;

const LIMIT: Duration = Duration::from_secs(30);

fn setup(kind: ProviderKind) -> Setup {
    Setup {
        name: "mine".into(),
        kind,
        base_url: Some("http://127.0.0.1:8000/v1".into()),
        has_own_url: true,
        model: None,
        model_was_asked_for: false,
        has_embedding_model: true,
        key: KeySource::Variable("MINE_API_KEY".into()),
        proxy: None,
    }
}

fn nothing_listed() -> ModelList {
    Box::new(|| Box::pin(async { Err(ProviderError::new("mine", ProviderFailure::Unavailable, "no list")) }))
}

fn listed(models: &'static [&'static str]) -> ModelList {
    Box::new(move || Box::pin(async move { Ok(models.iter().map(|&model| model.to_owned()).collect()) }))
}

fn subject(script: &str) -> Subject {
    let settings = ProviderSettings::new("mine", ProviderKind::OpenAi);
    let registry = Registry::new([], 1).with_transport(settings, Arc::new(sim(script)));
    Subject {
        setup: setup(ProviderKind::OpenAi),
        provider: registry.get("mine").unwrap(),
        embedder: None,
        models: nothing_listed(),
        max_tokens: 16,
    }
}

async fn test(subject: Subject) -> ProviderTest {
    probe(subject, LIMIT, Account::default()).await
}

/// The statuses of the five checks as letters: `o`k, `f`ailed, `-` for skipped.
fn letters(test: &ProviderTest) -> String {
    let letter = |check: &crate::domain::ProviderCheck| match check.status {
        Status::Ok => 'o',
        Status::Failed => 'f',
        Status::Skipped => '-',
    };
    test.checks.iter().map(letter).collect()
}

fn said(test: &ProviderTest) -> &str {
    test.failure().map_or("", |check| &check.detail)
}

#[tokio::test]
async fn a_healthy_provider_passes_with_its_figures() {
    let test = test(subject("{model: m-1, answer: {text: ready steady go}, pacing: {chunk_chars: 4}}")).await;
    assert!(test.ok && test.tested, "{test:?}");
    assert_eq!(letters(&test), "oooo-");
    assert_eq!(test.model.as_deref(), Some("m-1"));
    assert!(test.latency_ms.is_some() && test.first_token_ms.is_some() && test.total_tokens > Some(0));
    let names: Vec<Name> = test.checks.iter().map(|check| check.name).collect();
    assert_eq!(names, Name::ALL);
    assert_eq!(test.checks[1].detail, "MINE_API_KEY is accepted");
    assert_eq!(test.checks[3].detail, "the answer came in 4 pieces");
}

#[tokio::test]
async fn the_embedded_writer_passes_and_costs_nothing() {
    let setup = Setup { key: KeySource::NotNeeded, base_url: None, ..setup(ProviderKind::Builtin) };
    let subject = Subject {
        setup,
        provider: Arc::new(Builtin::new("mine", crate::provider::builtin::Writer::default())),
        embedder: None,
        models: nothing_listed(),
        max_tokens: 16,
    };
    let test = test(subject).await;
    assert_eq!((letters(&test).as_str(), test.cost_usd), ("o-oo-", Some(0.0)));
}

#[tokio::test]
async fn every_failure_is_put_down_to_one_check_with_what_to_do() {
    for (fault, expected, words) in [
        ("auth", "of---", "put a valid key into MINE_API_KEY"),
        ("quota", "of---", "add credit"),
        ("{kind: rate_limit, retry_after_s: 7}", "oo-f-", "test again in 7 s"),
        ("{kind: server_error, status: 503}", "f----", "failing: test again later"),
        ("refusal", "ooof-", "declined"),
        ("cut", "ooof-", "ended before it was complete"),
        ("empty", "oo-f-", "no text at all"),
    ] {
        let test = test(subject(&format!("{{pacing: {{chunk_chars: 2}}, rules: [{{fault: {fault}}}]}}"))).await;
        assert_eq!(letters(&test), expected, "{fault}: {test:?}");
        assert!(said(&test).contains(words), "{fault}: {}", said(&test));
        assert!(!test.ok && test.latency_ms.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_not_repeated() {
    let sim = sim("rules: [{fault: {kind: server_error, status: 500}}]");
    let settings = ProviderSettings::new("mine", ProviderKind::OpenAi);
    let registry = Registry::new([], 1).with_transport(settings, Arc::new(sim.clone()));
    let subject = Subject { provider: registry.get("mine").unwrap(), ..subject("answer: echo") };
    assert!(!test(subject).await.ok);
    assert_eq!((sim.asked(), sim.in_flight()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn silence_ends_at_the_limit_of_the_test() {
    let start = Instant::now();
    let test = test(subject("rules: [{fault: hang}]")).await;
    assert_eq!((letters(&test).as_str(), start.elapsed()), ("f----", LIMIT));
    assert!(said(&test).contains("30 s") && said(&test).contains("`providers.mine.base_url`"), "{}", said(&test));
}

#[tokio::test]
async fn a_model_that_is_not_listed_is_named_with_near_ones() {
    let rejected = "{model: gpt-6-lunar, rules: [{fault: {kind: rejected, status: 404}}]}";
    let with = |models| Subject { models, ..subject(rejected) };
    let missing = test(with(listed(&["gpt-6-luna", "gpt-6.1-sol", "text-embedding-3-small"]))).await;
    assert_eq!(letters(&missing), "oof--");
    let expected = "there is no model `gpt-6-lunar`: correct `providers.mine.model`; it has `gpt-6-luna`";
    assert!(said(&missing).starts_with(expected), "{}", said(&missing));
    let other = test(with(listed(&["gpt-6-lunar"]))).await;
    assert_eq!(letters(&other), "ooof-");
    let nowhere = test(with(nothing_listed())).await;
    assert_eq!(letters(&nowhere), "f----");
    assert!(said(&nowhere).contains("`providers.mine.base_url`"), "{}", said(&nowhere));
}

#[tokio::test]
async fn a_model_that_ollama_does_not_have_is_to_be_pulled() {
    let rejected = "{model: 'qwen3:8b', rules: [{fault: {kind: rejected, status: 404}}]}";
    let setup = Setup { key: KeySource::Without { variables: Vec::new() }, ..setup(ProviderKind::Ollama) };
    let test = test(Subject { setup, models: listed(&["llama3.3:latest"]), ..subject(rejected) }).await;
    assert_eq!(letters(&test), "o-f--");
    let words = said(&test);
    assert!(words.contains("`ollama pull qwen3:8b`") && words.contains("`llama3.3:latest`"), "{words}");
}

#[tokio::test]
async fn a_server_without_a_key_that_asks_for_one_is_told_where_to_put_it() {
    let key = KeySource::Without { variables: vec!["MINE_API_KEY".into()] };
    let setup = Setup { key, ..setup(ProviderKind::OpenAi) };
    let test = test(Subject { setup, ..subject("rules: [{fault: auth}]") }).await;
    assert!(
        said(&test).ends_with("set MINE_API_KEY in the environment, or `providers.mine.api_key`"),
        "{}",
        said(&test)
    );
}

struct Vectors(Result<usize, ProviderFailure>);

impl Embedder for Vectors {
    fn provider(&self) -> &'static str {
        "mine"
    }

    fn model(&self) -> &'static str {
        "vectors-1"
    }

    fn dimensions(&self) -> Option<usize> {
        None
    }

    fn embed(&self, texts: Vec<String>, _: Purpose, _: Account) -> Embedding<'_> {
        let answer = match self.0 {
            Ok(dimensions) => Ok(Embedded {
                vectors: texts.iter().map(|_| vec![0.0; dimensions]).collect(),
                metadata: ModelMetadata { total_tokens: 5, cost_usd: Some(0.25), ..ModelMetadata::default() },
            }),
            Err(failure) => Err(ProviderError::new("mine", failure, "no such model")),
        };
        Box::pin(async { answer })
    }
}

#[tokio::test]
async fn embeddings_are_checked_and_counted_where_there_is_a_model_for_them() {
    let healthy = "{answer: {text: ready steady go}, pacing: {chunk_chars: 4}}";
    let with = |vectors| Subject { embedder: Some(Arc::new(Vectors(vectors))), ..subject(healthy) };
    let without = test(subject(healthy)).await;
    let passed = test(with(Ok(3))).await;
    assert_eq!((letters(&passed).as_str(), passed.ok), ("ooooo", true));
    assert_eq!(passed.checks[4].detail, "`vectors-1` gives 3 dimensions");
    assert_eq!(passed.total_tokens, without.total_tokens.map(|tokens| tokens + 5));
    let failed = test(with(Err(ProviderFailure::Rejected))).await;
    assert_eq!((letters(&failed).as_str(), failed.ok), ("oooof", false));
    assert!(said(&failed).contains("`providers.mine.embedding_model`"), "{}", said(&failed));
    let setup = Setup { has_embedding_model: false, ..setup(ProviderKind::Ollama) };
    let usual = test(Subject { setup, ..with(Err(ProviderFailure::Rejected)) }).await;
    assert_eq!((letters(&usual).as_str(), usual.ok), ("oooo-", true));
    assert!(usual.checks[4].detail.contains("`ollama pull vectors-1`"), "{usual:?}");
}

#[test]
fn what_cannot_be_asked_says_why_and_sends_nothing() {
    let key = KeySource::Missing { variables: vec!["GOOGLE_API_KEY".into(), "GEMINI_API_KEY".into()] };
    let setup = Setup { key, ..setup(ProviderKind::Google) };
    let reason = set_up(&setup);
    assert_eq!(reason, "no key: set GOOGLE_API_KEY or GEMINI_API_KEY in the environment, or `providers.mine.api_key`");
    let failed = unusable(&setup, &reason);
    assert_eq!((letters(&failed).as_str(), failed.tested, failed.ok), ("-f---", true, false));
    let skipped = left_out(&setup, &reason);
    assert_eq!((letters(&skipped).as_str(), skipped.tested, skipped.ok), ("-----", false, false));
    assert_eq!(skipped.checks[1].detail, reason);
}

#[test]
fn advice_that_the_message_gives_is_not_repeated() {
    let advice = "start it with `ollama serve`, or correct `providers.x.base_url`";
    for advised in ["refused; start it with `ollama serve`", "no name; check the network and `providers.x.base_url`"] {
        assert_eq!(advice::sentence(advised, advice), advised);
    }
    assert_eq!(advice::sentence("refused.", advice), format!("refused; {advice}"));
    assert_eq!(advice::sentence("refused", ""), "refused");
}

#[tokio::test]
async fn a_proxy_is_told_whether_the_provider_is_reached_or_not() {
    let proxy = crate::provider::transport::proxy::ProxyInUse {
        address: "http://proxy.corp:3128".to_owned(),
        variable: "HTTPS_PROXY".to_owned(),
    };
    for script in ["answer: {text: ready}", "rules: [{fault: {kind: server_error, status: 503}}]"] {
        let mut subject = subject(script);
        subject.setup.proxy = Some(proxy.clone());
        let test = test(subject).await;
        let reachable = test.check(Name::Reachable).unwrap();
        assert!(
            reachable.detail.contains("through the proxy http://proxy.corp:3128 from HTTPS_PROXY"),
            "{reachable:?}"
        );
    }
}
