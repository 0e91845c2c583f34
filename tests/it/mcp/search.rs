//! The tools that find stored prompts.

use serde_json::{Value, json};

use super::Wire;
use crate::seeded::Seeded;

const IDEAS: [&str; 2] = ["Apologise to a customer whose parcel came late", "Sort an array of integers"];

fn inputs(content: &Value) -> Vec<&str> {
    let prompts = content["prompts"].as_array().expect("prompts");
    prompts.iter().map(|row| row["original_input"].as_str().expect("text")).collect()
}

#[tokio::test]
async fn prompts_are_found_by_words_and_by_meaning() {
    let seeded = Seeded::indexing();
    let engine = seeded.engine.clone();
    let mut wire = Wire::newer(seeded);
    for idea in IDEAS {
        wire.content("generate_prompts", json!({ "input": idea, "count": 1, "phases": ["prima-materia"] })).await;
    }
    engine.settle().await;
    let by_words =
        wire.content("search_prompts", json!({ "query": "integers", "limit": 5, "since": "1990-01-01" })).await;
    assert_eq!((inputs(&by_words), &by_words["total"]), (vec![IDEAS[1]], &json!(1)));
    let query = "say sorry because a delivery was delayed";
    let by_meaning = wire.content("semantic_search_prompts", json!({ "query": query, "limit": 1 })).await;
    assert_eq!((inputs(&by_meaning), &by_meaning["total"]), (vec![IDEAS[0]], &json!(2)));
    assert_eq!(by_meaning["prompts"][0]["match"]["kind"], "semantic");
    let both = wire.content("search_prompts", json!({ "query": query, "hybrid": true })).await;
    assert_eq!(inputs(&both)[0], IDEAS[0]);
}

#[tokio::test]
async fn bad_arguments_and_missing_vectors_are_told() {
    let mut wire = Wire::newer(Seeded::new());
    let mut refused = async |tool: &str, arguments: Value| -> Value {
        let result = wire.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        serde_json::from_str(result["content"][0]["text"].as_str().expect("text")).expect("a problem")
    };
    let fault = refused("search_prompts", json!({ "query": "x", "semantic": true, "hybrid": true })).await;
    assert_eq!((&fault["code"], &fault["errors"][0]["field"]), (&json!("validation_failed"), &json!("hybrid")));
    let fault = refused("semantic_search_prompts", json!({ "hybrid": true })).await;
    assert_eq!(fault["code"], "invalid_request");
    let conflict = refused("semantic_search_prompts", json!({ "query": "x" })).await;
    assert_eq!(conflict["code"], "conflict");
}
