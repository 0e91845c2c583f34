//! Embedding with a remote model: retries with backoff in the background, and never past the daily
//! budget.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::api::{ImportRequest, ReindexRequest};
use crate::provider::transport::testing::{ReceivedRequest, Script, ScriptedServer};
use crate::transfer::Input;

/// The price of the model in US dollars per million tokens.
const PRICES: &str = "lab:\n  models:\n    vec: {dimensions: 4, context: 8000, price: {input: 10.0}}\n";

/// A response with a vector for each text of a request, and this token count.
fn vectors(request: &ReceivedRequest, tokens: u64) -> Script {
    let texts = request.json()["input"].as_array().map_or(1, Vec::len);
    let data: Vec<Value> =
        (0..texts).map(|index| json!({ "index": index, "embedding": [1.0, 2.0, 3.0, index] })).collect();
    Script::json(200, &json!({ "data": data, "usage": { "prompt_tokens": tokens, "total_tokens": tokens } }))
}

/// A server that gives these refusals in turn, then answers.
async fn refusing(refusals: &'static [(u16, &'static str)]) -> ScriptedServer {
    let asked = AtomicUsize::new(0);
    ScriptedServer::answering(move |request| match refusals.get(asked.fetch_add(1, Ordering::Relaxed)) {
        Some((status, message)) => Script::whole(
            *status,
            &[("content-type", "application/json"), ("retry-after", "0")],
            json!({ "error": { "message": message } }).to_string(),
        ),
        None => vectors(request, 10),
    })
    .await
}

/// A home that embeds with this server, and its engine with this many prompts.
async fn with_prompts(server: &ScriptedServer, retries: u32, more: &str, prompts: usize) -> (Home, Engine) {
    let home = Home::with_config(&format!(
        "providers:\n  lab: {{kind: openai, base_url: \"{}/v1\", api_key: canary-of-the-lab, max_retries: {retries}}}\n\
         generation: {{default_embedding_model: lab/vec}}\n{more}",
        server.url()
    ));
    std::fs::write(home.folder.path().join("models.yaml"), PRICES).unwrap();
    let engine = home.indexing_engine();
    assert_eq!(import(&engine, prompts, json!({ "no_vectors": true })).await, prompts as u64);
    (home, engine)
}

/// Imports this many prompts and returns how many were new.
async fn import(engine: &Engine, prompts: usize, mut raw: Value) -> u64 {
    let lines: Vec<String> = (0..prompts).map(|number| format!("{{\"content\": \"Idea {number}\"}}\n")).collect();
    let text = lines.concat();
    raw["format"] = "jsonl".into();
    let request: ImportRequest = engine.decode(raw).unwrap();
    let input = Input { name: "ideas".into(), source: std::io::Cursor::new(text.into_bytes()) };
    imported(engine.import(request, input)).await.unwrap().imported
}

async fn reindex(engine: &Engine) -> Result<u64, Box<Problem>> {
    let request: ReindexRequest = engine.decode(json!({ "vectors": true })).unwrap();
    reindexed(engine.reindex(request)).await.map(|made| made.vectors)
}

#[tokio::test]
async fn a_refusal_that_passes_is_asked_again_and_counts_in_the_ledger() {
    let server = refusing(&[(429, "slow down"), (503, "busy")]).await;
    let (_home, engine) = with_prompts(&server, 3, "", 40).await;
    assert_eq!(reindex(&engine).await.unwrap(), 40);
    let asked: Vec<usize> = server.requests().iter().map(|it| it.json()["input"].as_array().unwrap().len()).collect();
    assert_eq!(asked, [32, 32, 32, 8], "a batch is asked for until it is had");
    assert_eq!(reindex(&engine).await.unwrap(), 0);
    assert_eq!(server.requests().len(), 4, "what has its vectors is not paid for twice");
}

#[tokio::test]
async fn a_refusal_for_good_is_not_asked_again_and_keeps_what_is_done() {
    let answered = AtomicUsize::new(0);
    let server = ScriptedServer::answering(move |request| match answered.fetch_add(1, Ordering::Relaxed) {
        0 => vectors(request, 10),
        _ => Script::json(401, &json!({ "error": { "message": "bad key" } })),
    })
    .await;
    let (_home, engine) = with_prompts(&server, 3, "", 40).await;
    assert_eq!(reindex(&engine).await.unwrap_err().code, Code::ProviderAuth);
    assert_eq!(server.requests().len(), 2);
    let spaces = engine.finder().spaces().await.unwrap();
    assert_eq!((spaces.len(), spaces[0].prompts), (1, 32));
}

#[tokio::test]
async fn a_days_budget_ends_reindexing_before_the_call_that_would_pass_it() {
    // The first batch reports 100,000 tokens: a dollar.
    let server = ScriptedServer::answering(|request| vectors(request, 100_000)).await;
    let (_home, engine) = with_prompts(&server, 0, "spend: {daily_budget_usd: 1.0}\n", 40).await;
    let error = reindex(&engine).await.unwrap_err();
    assert_eq!(error.code, Code::BudgetExceeded, "{error:?}");
    assert_eq!(server.requests().len(), 1);
    assert_eq!(engine.finder().spaces().await.unwrap()[0].prompts, 32, "what is done stays");
    assert_eq!(reindex(&engine).await.unwrap_err().code, Code::BudgetExceeded);
    assert_eq!(server.requests().len(), 1);
}

/// Waits until the background reports this problem.
async fn until_told(engine: &Engine, problem: &str) {
    while !engine.indexing().problem.is_some_and(|told| told.contains(problem)) {
        tokio::task::yield_now().await;
    }
}

/// Advances the paused clock.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_background_waits_longer_after_each_failure_and_goes_on_when_it_is_over() {
    let server = refusing(&[(500, "the first failure"), (500, "the second failure")]).await;
    let (_home, engine) = with_prompts(&server, 0, "", 3).await;
    engine.keep_indexed();
    until_told(&engine, "the first failure").await;
    pass(Duration::from_millis(4_900)).await;
    assert_eq!(server.requests().len(), 1, "five seconds are not over");
    pass(Duration::from_millis(200)).await;
    until_told(&engine, "the second failure").await;
    pass(Duration::from_millis(9_900)).await;
    assert_eq!(server.requests().len(), 2, "ten seconds are not over");
    pass(Duration::from_millis(200)).await;
    while engine.indexing().done < 3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.requests().len(), 3);
    engine.stop_indexing();
    engine.close().await.unwrap();
}

#[tokio::test]
async fn an_import_is_answered_before_its_vectors_and_the_background_begins_with_them_at_once() {
    let server = ScriptedServer::start([Script::nothing().hang()]).await;
    let (_home, engine) = with_prompts(&server, 0, "", 0).await;
    engine.keep_indexed();
    // The background has found nothing to do, so by itself it looks again in a minute.
    pass(Duration::from_millis(1)).await;
    import(&engine, 40, json!({ "no_vectors": true })).await;
    pass(Duration::from_millis(1)).await;
    assert_eq!(server.requests().len(), 0, "they are left to its next look");
    assert_eq!(import(&engine, 80, json!({})).await, 40);
    assert!(server.until_asked(1).await, "nobody waits for it, and it is under way");
    assert!(engine.finder().spaces().await.unwrap().is_empty());
    assert_eq!(engine.store().count(crate::domain::Filter::default()).await.unwrap(), 80);
    engine.stop_indexing();
    engine.close().await.unwrap();
}
