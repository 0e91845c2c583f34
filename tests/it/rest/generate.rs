//! `POST /api/v1/prompts/generate`, as a result and as a stream.

use aludel_core::event::{Event, RunView};
use axum::body::Body;
use serde_json::{Value, json};

use super::{Api, request};
use crate::seeded::{Seeded, without_chance};

const GENERATE: &str = "/api/v1/prompts/generate";

/// The events of a stream, each checked against its name.
fn events(text: &str) -> Vec<Event> {
    text.split("\n\n")
        .filter(|message| !message.is_empty() && !message.starts_with(':'))
        .map(|message| {
            let (name, data) = message.split_once("\ndata: ").expect("a name and data");
            let event: Event = serde_json::from_str(data).expect("an event");
            assert_eq!(name, format!("event: {}", event.kind.name()));
            event
        })
        .collect()
}

async fn stream(api: &Api, body: &Value) -> Vec<Event> {
    let headers = [("content-type", "application/json"), ("accept", "text/event-stream")];
    let reply = api.send(request("POST", GENERATE, &headers, Body::from(body.to_string()))).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.headers["content-type"], "text/event-stream");
    assert_eq!(reply.headers["cache-control"], "no-store");
    events(&reply.text())
}

#[tokio::test]
async fn a_stream_folds_to_the_result_that_json_gives() {
    let api = Api::new(Seeded::with_echo());
    let body = json!({ "input": "Write a haiku about rivers", "count": 2, "tags": ["water"] });
    let result = api.generate(&body).await;

    let events = stream(&api, &body).await;
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), (0..events.len() as u64).collect::<Vec<_>>());
    assert!(events.last().expect("events").kind.is_terminal());
    assert!(events.iter().any(|event| event.kind.name() == "delta"));
    let mut view = RunView::default();
    for event in &events {
        view.apply(event);
    }
    let folded = serde_json::to_value(view.generation().expect("a result")).expect("JSON");

    assert_eq!(result["prompts"].as_array().expect("prompts").len(), 2);
    assert_eq!(without_chance(folded), without_chance(result));
}

#[tokio::test]
async fn what_was_generated_is_stored_unless_not_wanted() {
    let api = Api::new(Seeded::with_echo());
    api.generate(&json!({ "input": "one", "count": 1, "save": false })).await;
    assert_eq!(api.get("/api/v1/prompts").await.json()["prompts"], json!([]));
    let result = api.generate(&json!({ "input": "one", "count": 1 })).await;
    assert_eq!(api.get("/api/v1/prompts").await.json()["prompts"], result["prompts"]);
}

#[tokio::test]
async fn a_request_that_is_refused_is_refused_as_a_problem_even_when_a_stream_was_asked_for() {
    let api = Api::new(Seeded::new());
    let headers = [("content-type", "application/json"), ("accept", "text/event-stream")];
    let reply = api.send(request("POST", GENERATE, &headers, Body::from(r#"{"input": ""}"#))).await;
    assert_eq!(reply.problem().errors[0].field, "input");
}

#[tokio::test]
async fn a_provider_that_fails_every_variant_is_a_bad_gateway_or_the_streams_last_event() {
    let api = Api::new(Seeded::with_script("rules: [{fault: auth}]", ""));
    let body = json!({ "input": "one", "count": 2 });
    let problem = api.post(GENERATE, &body).await.problem();
    assert_eq!((problem.status, problem.code.as_str()), (502, "provider_auth"));
    assert_eq!(problem.provider.as_deref(), Some("sim"));

    let events = stream(&api, &body).await;
    assert_eq!(events.last().expect("events").kind.name(), "failed");
    assert_eq!(events.iter().filter(|event| event.kind.is_terminal()).count(), 1);
}

#[tokio::test]
async fn one_failed_variant_of_two_is_a_success_that_names_it() {
    let api = Api::new(Seeded::with_script("rules: [{when: {variant: 1}, fault: refusal}]", ""));
    let result = api.generate(&json!({ "input": "one", "count": 2 })).await;
    assert_eq!(result["prompts"].as_array().expect("prompts").len(), 1);
    assert_eq!(result["failures"][0]["variant"], 1);
    assert_eq!(result["failures"][0]["error"]["code"], "provider_rejected");
}
