//! Search over stored prompts with the embedded model: embedding after runs and catching up.

use super::*;
use crate::api::{ReindexRequest, SearchRequest, ValidateRequest};
use crate::domain::{Operation, SearchResult};
use crate::engine::Indexing;
use crate::event::RunState;

const IDEAS: [&str; 3] =
    ["Apologise to a customer whose parcel came late", "Sort an array of integers", "Bake a loaf of rye bread"];
/// A paraphrase of the first idea that shares no word with it.
const PARAPHRASE: &str = "say sorry because a delivery was delayed";

async fn search(engine: &Engine, raw: Value) -> Result<SearchResult, Error> {
    engine.search(engine.decode::<SearchRequest>(raw)?).await
}

async fn reindex(engine: &Engine, raw: Value) -> Result<Reindexed, Box<Problem>> {
    reindexed(engine.decode::<ReindexRequest>(raw).and_then(|request| engine.reindex(request))).await
}

fn inputs(result: &SearchResult) -> Vec<&str> {
    result.prompts.iter().map(|found| found.prompt.original_input.as_str()).collect()
}

async fn filled(home: &Home) -> Engine {
    let engine = home.indexing_engine();
    for idea in IDEAS {
        generate(&engine, json!({ "input": idea, "count": 1, "phases": ["prima-materia"] })).await.unwrap();
    }
    engine.settle().await;
    engine
}

#[tokio::test]
async fn what_a_run_stored_is_found_by_a_meaning_that_shares_no_word_with_it() {
    let home = Home::new();
    let engine = filled(&home).await;
    assert_eq!(engine.indexing(), Indexing { done: 3, left: 0, problem: None });
    for way in ["semantic", "hybrid"] {
        let result = search(&engine, json!({ "query": PARAPHRASE, way: true })).await.unwrap();
        assert_eq!((inputs(&result)[0], result.total), (IDEAS[0], 3), "{way}");
        assert_eq!(result.model_metadata.embedding_model.as_deref(), Some("all-minilm-l6-v2"));
        assert!(result.warnings.is_empty(), "{:?}", result.warnings);
    }
    let near = json!({ "prompt_id": "@last", "limit": 1 });
    let similar = engine.similar(engine.decode(near).unwrap()).await.unwrap();
    assert_eq!((similar.prompts.len(), similar.total), (1, 2));
}

#[tokio::test]
async fn a_run_that_is_not_saved_is_not_embedded_and_an_empty_store_is_a_conflict() {
    let home = Home::new();
    let engine = home.indexing_engine();
    generate(&engine, json!({ "input": IDEAS[0], "count": 1, "save": false })).await.unwrap();
    engine.settle().await;
    assert_eq!(engine.indexing(), Indexing::default());
    let error = search(&engine, json!({ "query": "x", "semantic": true })).await.unwrap_err();
    assert_eq!(error.code(), Code::Conflict);
    assert!(error.to_string().contains("aludel reindex"), "{error}");
}

#[tokio::test]
async fn a_model_that_cannot_be_asked_fails_no_run_and_is_told() {
    let home = Home::with_config("generation: {default_embedding_model: openai}\n");
    let engine = filled(&home).await;
    let Indexing { done, left, problem } = engine.indexing();
    assert_eq!((done, left), (0, 3));
    assert!(problem.as_deref().is_some_and(|problem| problem.contains("OPENAI_API_KEY")), "{problem:?}");
    let error = search(&engine, json!({ "query": "x", "semantic": true })).await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderAuth);
    assert!(!engine.validate(ValidateRequest::default()).await.valid);
    engine.close().await.unwrap();

    // After a change or fix of the model, the missing vectors are made.
    std::fs::write(home.folder.path().join("config.yaml"), "").unwrap();
    let engine = home.indexing_engine();
    let made = reindex(&engine, json!({ "vectors": true })).await.unwrap();
    assert_eq!((made.text, made.vectors), (0, 3));
    assert_eq!(inputs(&search(&engine, json!({ "query": PARAPHRASE, "semantic": true })).await.unwrap())[0], IDEAS[0]);
}

#[tokio::test]
async fn reindexing_makes_what_is_missing_or_all_anew() {
    let home = Home::new();
    let engine = filled(&home).await;
    let made = reindex(&engine, json!({})).await.unwrap();
    assert_eq!((made.text, made.vectors), (3, 0));
    assert_eq!(inputs(&search(&engine, json!({ "query": "rye" })).await.unwrap()), [IDEAS[2]]);
    let all: ReindexRequest = engine.decode(json!({ "vectors": true, "all": true })).unwrap();
    let mut run = engine.reindex(all).unwrap();
    let (mut view, mut events) = (RunView::default(), Vec::new());
    while let Some(event) = run.next().await {
        view.apply(&event);
        events.push(event);
    }
    laws::check(&events).unwrap();
    assert_eq!((view.operation, view.part.as_deref()), (Some(Operation::Reindex), Some("vectors")));
    assert_eq!((view.done, view.total), (3, Some(3)), "it reaches its total");
    let RunState::Finished(outcome) = view.state else { panic!("{:?}", view.state) };
    assert!(matches!(*outcome, Outcome::Reindex(Reindexed { text: 0, vectors: 3, .. })), "{outcome:?}");
}

#[tokio::test]
async fn whoever_keeps_the_engine_open_has_the_rest_embedded_in_the_background() {
    let home = Home::new();
    let engine = home.indexing_engine();
    engine.stop_indexing();
    for idea in IDEAS {
        generate(&engine, json!({ "input": idea, "count": 1, "phases": ["prima-materia"] })).await.unwrap();
    }
    engine.close().await.unwrap();
    assert_eq!(engine.indexing().done, 0, "it was stopped");

    let engine = home.indexing_engine();
    engine.keep_indexed();
    engine.keep_indexed();
    while engine.indexing().done < 3 {
        tokio::task::yield_now().await;
        assert_eq!(engine.indexing().problem, None);
    }
    assert_eq!(engine.indexing(), Indexing { done: 3, left: 0, problem: None });
    assert_eq!(inputs(&search(&engine, json!({ "query": PARAPHRASE, "semantic": true })).await.unwrap())[0], IDEAS[0]);
    engine.close().await.unwrap();
}

#[tokio::test]
async fn new_content_is_found_by_its_meaning() {
    let home = Home::new();
    let engine = filled(&home).await;
    let raw = json!({ "prompt_id": "@last", "content": "Teach a child to play the violin." });
    let new = engine.update(engine.decode(raw).unwrap()).await.unwrap();
    engine.settle().await;
    let result = search(&engine, json!({ "query": "music lessons for kids", "semantic": true })).await.unwrap();
    assert_eq!(result.prompts[0].prompt.id, new.id);
}

#[tokio::test]
async fn a_model_that_makes_no_vectors_is_a_fault_of_the_configuration() {
    for (config, key) in [
        ("generation: {default_embedding_model: anthropic}\n", "default_embedding_model"),
        ("generation: {default_embedding_model: builtin/other}\n", "default_embedding_model"),
        ("generation:\n  default_embedding_dimensions: 99\n", "default_embedding_dimensions"),
    ] {
        let home = Home::with_config(config);
        let engine = home.indexing_engine();
        let error = search(&engine, json!({ "query": "x", "semantic": true })).await.unwrap_err();
        assert_eq!(error.code(), Code::ConfigInvalid, "{config}");
        assert!(error.to_string().contains(key) && error.to_string().contains("config.yaml:"), "{error}");
        assert!(!engine.validate(ValidateRequest::default()).await.valid, "{config}");
    }
}

#[tokio::test]
async fn what_says_nearly_the_same_is_marked_in_lists_and_in_what_is_found() {
    let home = Home::new();
    let engine = filled(&home).await;
    let raw = json!({ "prompt_id": "@last", "content": "Bake a loaf of rye bread at home." });
    let first = engine.update(engine.decode(raw.clone()).unwrap()).await.unwrap();
    let second = engine.update(engine.decode(raw).unwrap()).await.unwrap();
    let page = engine.list(engine.decode(json!({})).unwrap()).await.unwrap();
    let marks: Vec<_> = page.prompts.iter().map(|row| row.near_duplicate_of).collect();
    assert_eq!(marks, [None, Some(second.id), None, None, None]);
    assert_eq!(page.prompts[1].prompt.id, first.id);
    let found = search(&engine, json!({ "query": "\"at home\"" })).await.unwrap();
    assert_eq!(found.prompts.iter().filter(|found| found.near_duplicate_of.is_some()).count(), 1);
}
