//! Latency and throughput over HTTP.

use serde_json::json;

use super::Api;
use crate::seeded::Seeded;

#[tokio::test]
async fn performance_is_told_in_total_and_by_what_is_asked_for() {
    let api = Api::new(Seeded::with_echo());
    api.generate(&json!({ "input": "Write a haiku", "count": 2, "tags": ["a"] })).await;
    let told = api.get("/api/performance").await.json();
    assert_eq!((&told["total"]["prompts"], &told["total"]["latency_ms"]["count"]), (&json!(2), &json!(6)));
    let by = |told: &serde_json::Value| {
        told["groups"].as_array().expect("groups").iter().map(|group| group["by"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(by(&told), ["day", "phase", "provider", "model"]);
    let some = api.get("/api/performance?by=model,tag&tags=a&limit=1").await.json();
    assert_eq!(by(&some), ["model", "tag"]);
    assert_eq!(some["groups"][1]["lines"][0]["key"], "a");
    assert_eq!(api.get("/api/performance?until=2000-01-01").await.json()["total"]["latency_ms"], json!(null));
}

#[tokio::test]
async fn what_cannot_be_asked_for_is_refused_with_every_fault() {
    let api = Api::new(Seeded::new());
    let problem = api.get("/api/performance?by=colour&limit=0&phase=nigredo").await.problem();
    assert_eq!(problem.code.as_str(), "validation_failed");
    let fields: Vec<&str> = problem.errors.iter().map(|fault| fault.field.as_str()).collect();
    assert_eq!(fields, ["by[0]", "limit", "phase"]);
    assert_eq!(api.get("/api/performance?colour=red").await.problem().code.as_str(), "invalid_request");
}
