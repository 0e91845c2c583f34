//! Work started as a job, and `/api/v1/jobs`.

use std::time::Duration;

use aludel_core::event::{Event, EventKind, laws};
use axum::body::Body;
use serde_json::{Value, json};

use super::{Api, Reply, request};
use crate::seeded::Seeded;

const GENERATE: &str = "/api/v1/prompts/generate";
const JOBS: &str = "/api/v1/jobs";
const HANGS: &str = "{answer: echo, rules: [{when: {variant: 1}, fault: hang}]}";

async fn begin(api: &Api, path: &str, body: &Value) -> Reply {
    let headers = [("content-type", "application/json"), ("prefer", "respond-async")];
    api.send(request("POST", path, &headers, Body::from(body.to_string()))).await
}

async fn follow(api: &Api, id: &str, headers: &[(&str, &str)]) -> Vec<(Option<u64>, Event)> {
    let reply = api.send(request("GET", &format!("{JOBS}/{id}/events"), headers, Body::empty())).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.headers["content-type"], "text/event-stream");
    let messages = reply.text();
    let messages = messages.split("\n\n").filter(|message| !message.is_empty() && !message.starts_with(':'));
    messages
        .map(|message| {
            let line = |name: &str| message.lines().find_map(|line| line.strip_prefix(name));
            let event: Event = serde_json::from_str(line("data: ").expect("data")).expect("an event");
            assert_eq!(line("event: "), Some(event.kind.name()));
            (line("id: ").map(|id| id.parse().expect("a number")), event)
        })
        .collect()
}

async fn wait_for(api: &Api, id: &str, state: &str) -> Value {
    for _ in 0..2_000 {
        let job = api.get(&format!("{JOBS}/{id}")).await.json();
        if job["state"] == state {
            return job;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the job {id} never was {state}");
}

#[tokio::test]
async fn work_that_is_begun_as_a_job_is_accepted_followed_and_has_its_result() {
    let api = Api::new(Seeded::with_echo());
    let reply = begin(&api, GENERATE, &json!({ "input": "Name a boat", "count": 2, "auto_select": true })).await;
    assert_eq!(reply.status, 202, "{}", reply.text());
    assert_eq!(reply.headers["preference-applied"], "respond-async");
    let begun = reply.json();
    let id = begun["id"].as_str().expect("an id");
    assert_eq!(reply.headers["location"].to_str().expect("text"), format!("{JOBS}/{id}"));
    assert_eq!((&begun["operation"], &begun["kept"], &begun["total"]), (&json!("generate"), &json!(true), &json!(2)));

    let all = follow(&api, id, &[]).await;
    let (ids, events): (Vec<_>, Vec<_>) = all.iter().cloned().unzip();
    laws::check(&events).expect("a whole run");
    assert!(events.iter().zip(&ids).all(|(event, id)| *id == Some(event.seq)));
    let finished = events.iter().filter(|event| matches!(event.kind, EventKind::VariantFinished { .. })).count();
    assert_eq!(finished, 2);
    let details = api.get(&format!("{JOBS}/{id}")).await.json();
    assert_eq!((&details["state"], &details["done"]), (&json!("finished"), &json!(2)));
    assert_eq!(details["request"]["input"], "Name a boat");
    let Some(EventKind::Finished { outcome }) = events.last().map(|event| &event.kind) else { panic!("{events:?}") };
    assert_eq!(details["result"], serde_json::to_value(outcome.result()).expect("JSON"));
    assert!(details["result"]["selected"].is_object());
    assert_eq!(api.get("/api/v1/prompts").await.json()["prompts"].as_array().map(Vec::len), Some(2));

    // A returning client gets the events it has not seen; one that has seen all gets none.
    assert_eq!(follow(&api, id, &[("last-event-id", "1")]).await, all[2..]);
    let last = (all.len() - 1).to_string();
    assert_eq!(follow(&api, id, &[("last-event-id", &last)]).await, []);
    let by_query = api.get(&format!("{JOBS}/{id}/events?from=3")).await.text();
    assert_eq!(by_query.matches("\ndata: ").count(), all.len() - 3);
}

#[tokio::test]
async fn a_selection_may_be_a_job_too() {
    let api = Api::new(Seeded::with_script("{seed: 3, answer: echo, judge: {quality_spread: 2}}", ""));
    let made = api.generate(&json!({ "input": "Name a boat", "count": 3 })).await;
    let ids: Vec<&Value> = made["prompts"].as_array().expect("prompts").iter().map(|prompt| &prompt["id"]).collect();
    let reply = begin(&api, "/api/v1/prompts/select", &json!({ "prompt_ids": ids })).await;
    assert_eq!(reply.status, 202, "{}", reply.text());
    let id = reply.json()["id"].as_str().expect("an id").to_owned();
    let events: Vec<Event> = follow(&api, &id, &[]).await.into_iter().map(|(_, event)| event).collect();
    let judged = events.iter().filter(|event| matches!(event.kind, EventKind::Judged { .. })).count();
    let job = wait_for(&api, &id, "finished").await;
    assert_eq!((&job["operation"], &job["done"]), (&json!("select"), &json!(judged)));
    assert!(ids.contains(&&job["result"]["prompt"]["id"]));
}

#[tokio::test]
async fn a_job_is_stopped_and_listed() {
    let api = Api::new(Seeded::with_script(HANGS, ""));
    let id = begin(&api, GENERATE, &json!({ "input": "Name a boat", "count": 2 })).await.json()["id"].clone();
    let id = id.as_str().expect("an id");
    let listed = api.get(JOBS).await.json();
    assert_eq!((&listed["jobs"][0]["id"], &listed["jobs"][0]["state"]), (&json!(id), &json!("running")));
    while api.get(&format!("{JOBS}/{id}")).await.json()["done"] != 1 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let reply = api.send(request("DELETE", &format!("{JOBS}/{id}"), &[], Body::empty())).await;
    assert_eq!((reply.status.as_u16(), &reply.json()["state"]), (202, &json!("stopping")));
    wait_for(&api, id, "cancelled").await;
    let events = follow(&api, id, &[]).await;
    assert!(matches!(events.last().expect("an event").1.kind, EventKind::Cancelled {}));
    let again = api.send(request("DELETE", &format!("{JOBS}/{id}"), &[], Body::empty())).await;
    assert_eq!((again.status.as_u16(), &again.json()["state"]), (200, &json!("cancelled")));
    assert_eq!(api.get("/api/v1/jobs?state=running").await.json()["jobs"], json!([]));
    assert_eq!(api.get("/api/v1/jobs?state=cancelled&limit=1").await.json()["jobs"][0]["id"], json!(id));
    // What had finished is stored.
    assert_eq!(api.get("/api/v1/prompts").await.json()["prompts"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_job_survives_the_client_that_began_it_and_a_run_does_not() {
    let api = Api::new(Seeded::with_script("{answer: echo, pacing: {first_token_ms: 30}}", ""));
    let id = begin(&api, GENERATE, &json!({ "input": "Name a boat", "count": 2 })).await.json()["id"].clone();
    // The client is gone and nobody follows the job.
    let job = wait_for(&api, id.as_str().expect("an id"), "finished").await;
    assert_eq!(job["result"]["prompts"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn what_cannot_be_is_refused_before_a_job_is_begun() {
    let api = Api::new(Seeded::with_echo());
    assert_eq!(begin(&api, GENERATE, &json!({})).await.problem().status, 400);
    assert_eq!(begin(&api, GENERATE, &json!({ "input": "x", "provider": "nobody" })).await.problem().status, 422);
    assert_eq!(api.get(JOBS).await.json()["jobs"], json!([]));
    let nobody = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21";
    assert_eq!(api.get(&format!("{JOBS}/{nobody}")).await.problem().status, 404);
    assert_eq!(api.get(&format!("{JOBS}/{nobody}/events")).await.problem().status, 404);
    assert_eq!(api.get(&format!("{JOBS}/xyz")).await.problem().status, 422);
    assert_eq!(api.get("/api/v1/jobs?limit=0").await.problem().status, 422);
    assert_eq!(api.get("/api/v1/jobs?all=perhaps").await.problem().status, 400);
    let id = begin(&api, GENERATE, &json!({ "input": "Name a boat", "count": 1 })).await.json()["id"].clone();
    let events = format!("{JOBS}/{}/events", id.as_str().expect("an id"));
    let unfit = api.send(request("GET", &events, &[("last-event-id", "x")], Body::empty())).await.problem();
    assert_eq!((unfit.status, unfit.errors[0].field.as_str()), (400, "Last-Event-ID"));
    let unwanted = api.send(request("GET", &events, &[("accept", "application/json")], Body::empty())).await;
    assert_eq!(unwanted.problem().status, 406);
}
