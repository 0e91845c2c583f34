//! Embeddings over real sockets: order, batches, checks, retries and accounting.

use std::num::NonZeroUsize;

use super::*;
use crate::ledger::{Account, Caps, Labels, Money, Price};
use crate::provider::embedding::{Embedder, Purpose};
use crate::provider::metered::CostBounds;
use crate::provider::permit::Permits;
use crate::provider::retry::{Jitter, RetryPolicy};

/// A dollar per token.
const DEAR: Price = Price { input: 1e6, output: 0.0, cached_input: 1e6, cache_write: 1e6, above: None };

fn call_policy() -> CallPolicy {
    let policy =
        RetryPolicy { base: Duration::from_millis(1), cap: Duration::from_millis(2), ..RetryPolicy::default() };
    CallPolicy {
        policy,
        jitter: Arc::new(Jitter::new(1)),
        permits: Permits::alone("lab", NonZeroUsize::new(2).unwrap()),
        patience: Timeouts { silence: Duration::from_millis(500), ..Timeouts::default() },
        cost_bounds_of: Arc::new(|_| CostBounds { price: Some(DEAR), ..CostBounds::default() }),
        cost_of: Arc::new(|_, usage| Some(DEAR.cost(usage))),
    }
}

fn embedder(server: &ScriptedServer, wanted: Option<usize>) -> HttpEmbedder {
    let link = link(&settings(server.url()), Plain::default()).unwrap();
    HttpEmbedder::new(link, "embed-small", wanted.and_then(NonZeroUsize::new), None, call_policy())
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|number| number.to_string()).collect()
}

/// A server whose vector for the text `7` is `[1, 7]`, and that counts a token per text.
async fn numbers() -> ScriptedServer {
    ScriptedServer::answering(|asked| {
        let texts = asked.json()["texts"].as_array().unwrap().clone();
        let vectors: Vec<_> =
            texts.iter().map(|text| json!([1.0, text.as_str().unwrap().parse::<f64>().unwrap()])).collect();
        Script::json(200, &json!({"vectors": vectors, "tokens": texts.len()}))
    })
    .await
}

async fn refusal(script: Script, wanted: Option<usize>) -> ProviderError {
    let server = ScriptedServer::start([script]).await;
    let error = embedder(&server, wanted).embed(texts(2), Purpose::Document, Account::default()).await.unwrap_err();
    assert_clean(&error);
    error
}

#[tokio::test]
async fn vectors_come_in_the_order_of_the_texts_and_have_length_one() {
    let server = numbers().await;
    let embedder = embedder(&server, None);
    assert_eq!(embedder.dimensions(), None);
    let embedded = embedder.embed(texts(250), Purpose::Document, Account::default()).await.unwrap();
    assert_eq!(embedded.vectors.len(), 250);
    for (number, vector) in embedded.vectors.iter().enumerate() {
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 1e-5);
        assert!((vector[1] / vector[0] - number as f32).abs() < 0.01, "{number}: {vector:?}");
    }
    let asked: Vec<usize> =
        server.requests().iter().map(|asked| asked.json()["texts"].as_array().unwrap().len()).collect();
    assert_eq!((asked.len(), asked.iter().sum::<usize>(), asked.iter().max()), (3, 250, Some(&100)));
    let account = embedded.metadata;
    assert_eq!(
        (account.calls, account.input_tokens, account.cost_usd, account.estimated),
        (3, 250, Some(250.0), false)
    );
    assert_eq!(account.embedding_provider.as_deref(), Some("acme"));
    assert_eq!(account.embedding_model.as_deref(), Some("embed-small"));
    assert_eq!((embedder.dimensions(), embedder.provider(), embedder.model()), (Some(2), "acme", "embed-small"));
    assert_eq!(server.requests()[0].header("accept"), Some("application/json"));
    let nothing = embedder.embed(Vec::new(), Purpose::Query, Account::default()).await.unwrap();
    assert!(nothing.vectors.is_empty() && nothing.metadata.calls == 0);
}

#[tokio::test]
async fn what_may_pass_is_asked_again_and_the_rest_is_not() {
    let ok = || Script::json(200, &json!({"vectors": [[1], [2]]}));
    let server = ScriptedServer::start([Script::json(503, &json!({})), Script::nothing().reset(), ok()]).await;
    let embedded = embedder(&server, None).embed(texts(2), Purpose::Document, Account::default()).await.unwrap();
    assert_eq!((embedded.metadata.retries, embedded.metadata.calls, embedded.metadata.estimated), (2, 1, true));
    assert_eq!(embedded.metadata.cost_usd, None, "our own counts are no ground for a price");
    let server = ScriptedServer::start([Script::json(400, &json!({})), ok()]).await;
    assert!(embedder(&server, None).embed(texts(2), Purpose::Document, Account::default()).await.is_err());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn answers_that_do_not_fit_the_texts_are_errors() {
    let vectors = |vectors: serde_json::Value| Script::json(200, &json!({"vectors": vectors}));
    assert!(refusal(vectors(json!([[1.0]])), None).await.message.contains("2 texts with 1 vectors"));
    assert!(refusal(vectors(json!([[1.0], [0.0]])), None).await.message.contains("zero vector"));
    let uneven = refusal(vectors(json!([[1.0], [1.0, 2.0]])), None).await;
    assert!(uneven.message.contains("2 dimensions where it has 1"), "{uneven}");
    let unwanted = refusal(vectors(json!([[1.0], [1.0]])), Some(3)).await;
    assert!(unwanted.message.contains("1 dimensions where 3 were asked for"), "{unwanted}");
    let error = refusal(Script::json(200, &json!({"error": {"message": "no credit"}})), None).await;
    assert!(error.message.contains("no credit"), "{error}");
    let list = refusal(Script::whole(200, &[], "<html>"), None).await;
    assert!(list.message.contains("no list"), "{list}");
    let silent = refusal(Script::nothing().hang(), None).await;
    assert_eq!(silent.failure, ProviderFailure::Timeout);
}

#[tokio::test]
async fn a_blank_text_is_refused_before_anything_is_sent() {
    let server = numbers().await;
    let embedder = embedder(&server, None);
    let given = vec!["1".to_owned(), " ".to_owned()];
    let error = embedder.embed(given, Purpose::Query, Account::default()).await.unwrap_err();
    assert!(error.never_sent && error.message.contains("text 2 of 2"), "{error}");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn calls_are_paid_from_the_account_and_never_pass_its_cap() {
    let server = numbers().await;
    let budget = |dollars| Caps { budget: Some(Money::from_dollars_down(dollars)), ..Caps::default() };
    let account = Account::open(budget(1000.0), Labels::default(), None);
    embedder(&server, None).embed(texts(3), Purpose::Document, account.clone()).await.unwrap();
    assert_eq!((account.tally().calls, account.tally().spent), (1, Money::from_dollars_up(3.0)));
    let poor = Account::open(budget(50.0), Labels::default(), None);
    let error = embedder(&server, None).embed(texts(3), Purpose::Document, poor.clone()).await.unwrap_err();
    assert_eq!((error.failure, poor.tally().calls), (ProviderFailure::Budget, 0));
    assert_eq!(server.requests().len(), 1);
    let refused = ScriptedServer::start([Script::json(400, &json!({}))]).await;
    let account = Account::open(budget(1000.0), Labels::default(), None);
    assert!(embedder(&refused, None).embed(texts(3), Purpose::Document, account.clone()).await.is_err());
    assert_eq!((account.tally().calls, account.tally().spent), (1, Money::ZERO));
}

#[tokio::test]
async fn no_more_calls_are_under_way_than_the_provider_may_have() {
    let busy = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let seen = Arc::clone(&busy);
    let server = ScriptedServer::answering(move |asked| {
        seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let count = asked.json()["texts"].as_array().unwrap().len();
        let body = json!({"vectors": vec![[1.0]; count]}).to_string();
        let head = Script::head(200, &[("content-length", &body.len().to_string())]);
        head.pause(Duration::from_millis(120)).bytes(body)
    })
    .await;
    let embedder = embedder(&server, None);
    let all = embedder.embed(texts(400), Purpose::Document, Account::default());
    tokio::pin!(all);
    assert!(tokio::time::timeout(Duration::from_millis(60), &mut all).await.is_err());
    assert_eq!(busy.load(std::sync::atomic::Ordering::SeqCst), 2);
    assert_eq!(all.await.unwrap().vectors.len(), 400);
}

#[tokio::test]
async fn dropping_the_future_closes_the_socket() {
    let server = ScriptedServer::start([Script::nothing().hang()]).await;
    let embedder = embedder(&server, None);
    let one = embedder.embed(texts(1), Purpose::Query, Account::default());
    assert!(tokio::time::timeout(Duration::from_millis(80), one).await.is_err());
    assert!(server.until_closed(0).await);
}
