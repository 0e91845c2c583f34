//! `Idempotency-Key`: what is repeated is answered again and not done again.

use std::sync::Arc;
use std::time::Duration;

use aludel_core::engine::RequestContext;
use aludel_core::ledger::{Caller, CapPeriod};
use aludel_core::store::sqlite::SqliteStore;
use axum::body::{Body, Bytes};
use axum::http::Request;
use futures_util::FutureExt as _;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tower::ServiceExt as _;

use super::socket::Running;
use super::{Api, Reply, request};
use crate::seeded::Seeded;

const GENERATE: &str = "/api/v1/prompts/generate";
const BATCH: &str = "/api/v1/prompts/batch";
const SCRIPT: &str = "
answer: echo
rules:
  - when: {input: waits}
    fault: {kind: hang, after_chunks: 1}
    times: 1
  - when: {input: fails}
    fault: auth
    times: 1
";

fn api() -> Api {
    Api::new(Seeded::with_script(SCRIPT, ""))
}

fn asked(path: &str, key: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Request<Body> {
    let key = format!("\"{key}\"");
    let headers = [&[("content-type", "application/json"), ("idempotency-key", &*key)], headers].concat();
    // A later header of the same name is what counts in these tests.
    let mut request = request("POST", path, &[], body.into());
    for (name, value) in headers {
        request
            .headers_mut()
            .insert(axum::http::HeaderName::try_from(name).expect("a name"), value.parse().expect("a value"));
    }
    request
}

async fn send(api: &Api, path: &str, key: &str, body: &Value) -> Reply {
    api.send(asked(path, key, &[], body.to_string())).await
}

fn is_replayed(reply: &Reply) -> bool {
    reply.headers.get("idempotency-replayed").is_some_and(|value| value == "true")
}

async fn calls(api: &Api) -> u64 {
    api.get("/api/v1/spend").await.json()["total"]["calls"].as_u64().expect("a number")
}

/// The second reply must be the first again.
fn assert_replayed(first: &Reply, second: &Reply) {
    assert!(!is_replayed(first) && is_replayed(second), "{:?} {:?}", first.headers, second.headers);
    assert_eq!((first.status, first.text()), (second.status, second.text()));
    let of_handler = |reply: &Reply| {
        let mut headers = reply.headers.clone();
        // Those of each answer, and the length, which a stream has not.
        for name in ["x-request-id", "idempotency-replayed", "content-length"] {
            headers.remove(name);
        }
        headers
    };
    assert_eq!(of_handler(first), of_handler(second));
}

fn idea(input: &str) -> Value {
    json!({ "input": input, "count": 1 })
}

#[tokio::test]
async fn a_repeated_request_is_answered_alike_and_spends_nothing() {
    let api = api();
    let first = send(&api, GENERATE, "one", &idea("Name a boat")).await;
    assert_eq!(first.status, 200, "{}", first.text());
    let spent = calls(&api).await;
    let second = send(&api, GENERATE, "one", &idea("Name a boat")).await;
    assert_replayed(&first, &second);
    assert_ne!(first.headers["x-request-id"], second.headers["x-request-id"]);
    assert_eq!((spent, calls(&api).await), (3, 3));
    let other = send(&api, GENERATE, "two", &idea("Name a boat")).await;
    assert!(!is_replayed(&other) && other.text() != first.text());
    assert_eq!(api.get("/api/v1/prompts").await.json()["prompts"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn every_route_that_spends_repeats_its_answer() {
    let api = api();
    let made = api.generate(&json!({ "input": "Name a boat", "count": 2 })).await;
    let ids = json!([made["prompts"][0]["id"], made["prompts"][1]["id"]]);
    let judged = json!({ "prompt_ids": ids, "task_description": "Name a boat", "no_cache": true });
    for (path, body) in [
        ("/api/v1/prompts/select", judged.clone()),
        ("/api/v1/prompts/compare", judged),
        ("/api/v1/prompts/search", json!({ "query": "boat" })),
        (BATCH, json!({ "rows": [{ "input": "Name a cat" }], "count": 1 })),
    ] {
        let first = send(&api, path, path, &body).await;
        assert_eq!(first.status, 200, "{path}: {}", first.text());
        let spent = calls(&api).await;
        assert_replayed(&first, &send(&api, path, path, &body).await);
        assert_eq!(calls(&api).await, spent, "{path}");
    }
    let found = send(&api, "/api/v1/prompts/search", "/api/v1/prompts/search", &json!({ "query": "boat" })).await;
    assert_eq!(found.headers["x-total-count"], "2");
}

#[tokio::test]
async fn events_are_repeated_as_they_were_sent() {
    let api = api();
    let events = |key| asked(GENERATE, key, &[("accept", "text/event-stream")], idea("Name a boat").to_string());
    let first = api.send(events("k")).await;
    assert!(first.text().contains("event: finished\n"), "{}", first.text());
    let second = api.send(events("k")).await;
    assert_replayed(&first, &second);
    assert_eq!(second.headers["content-type"], "text/event-stream");
    assert_eq!(calls(&api).await, 3);
}

#[tokio::test]
async fn lines_sent_as_a_file_are_a_request_like_another() {
    let api = api();
    let lines = |text: &str| {
        let pieces: Vec<_> =
            text.as_bytes().chunks(7).map(|it| Ok::<_, std::io::Error>(Bytes::copy_from_slice(it))).collect();
        let body = Body::from_stream(futures_util::stream::iter(pieces));
        asked(&format!("{BATCH}?count=1"), "k", &[("content-type", "application/x-ndjson")], body)
    };
    let text = "{\"input\":\"Name a boat\"}\n{\"input\":\"Name a cat\"}\n";
    let first = api.send(lines(text)).await;
    assert_eq!(first.json()["summary"]["ok"], 2, "{}", first.text());
    assert_replayed(&first, &api.send(lines(text)).await);
    assert_eq!(calls(&api).await, 6);
    let other = api.send(lines(&text.replace("cat", "dog"))).await.problem();
    assert_eq!((other.code.as_str(), other.errors[0].field.as_str()), ("validation_failed", "Idempotency-Key"));
}

#[tokio::test]
async fn streams_are_whole_over_a_socket_the_first_time_and_again() {
    let server = Running::start(SCRIPT, "").await;
    let ask = async |accept: &str, path: &str, body: &str| {
        let mut client = server.connect().await;
        let headers = format!("idempotency-key: \"{path}\"\r\naccept: {accept}\r\nconnection: close\r\n");
        client.send("POST", path, &headers, body).await;
        let mut answer = String::new();
        client.0.read_to_string(&mut answer).await.expect("an answer");
        answer
    };
    let rows = json!({ "rows": [{ "input": "Name a boat" }], "count": 1 }).to_string();
    for (accept, path, body, end) in [
        ("text/event-stream", GENERATE, idea("Name a boat").to_string(), "event: finished"),
        ("application/json", BATCH, rows, "\"rows\":["),
    ] {
        let (first, second) = (ask(accept, path, &body).await, ask(accept, path, &body).await);
        for answer in [&first, &second] {
            assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains(end), "{answer}");
        }
        assert!(first.ends_with("\r\n0\r\n\r\n"), "the first is a stream that ended: {first}");
        assert!(!first.contains("idempotency-replayed: true") && second.contains("idempotency-replayed: true"));
    }
}

#[tokio::test]
async fn a_key_belongs_to_the_request_it_was_first_sent_with() {
    let api = api();
    send(&api, GENERATE, "k", &idea("Name a boat")).await;
    let body = idea("Name a boat").to_string();
    let kept = ("prefer", "respond-async");
    for request in [
        asked(GENERATE, "k", &[], idea("Name a cat").to_string()),
        asked(GENERATE, "k", &[], format!("{body} ")),
        asked(GENERATE, "k", &[("accept", "text/event-stream")], body.clone()),
        asked(GENERATE, "k", &[kept], body.clone()),
        asked(&format!("{GENERATE}?x=1"), "k", &[], body.clone()),
        asked(BATCH, "k", &[], body),
    ] {
        let reply = api.send(request).await;
        let problem = reply.problem();
        assert_eq!((reply.status.as_u16(), problem.code.as_str()), (422, "validation_failed"));
        assert_eq!(problem.errors[0].field, "Idempotency-Key");
        assert!(problem.detail.contains("new key"), "{}", problem.detail);
    }
    assert_eq!(calls(&api).await, 3);
}

#[tokio::test]
async fn a_key_that_is_no_string_is_refused_by_name_and_only_where_it_counts() {
    let api = api();
    for key in ["k", "\"\"", "\"k", "\"k\";a=1", &format!("\"{}\"", "x".repeat(256))] {
        let headers = [("content-type", "application/json"), ("idempotency-key", key)];
        let body = Body::from(idea("Name a boat").to_string());
        let problem = api.send(request("POST", GENERATE, &headers, body)).await.problem();
        assert_eq!((problem.status, problem.code.as_str()), (400, "invalid_request"), "{key}");
        assert_eq!(problem.errors[0].field, "Idempotency-Key");
        let reply = api.send(request("GET", "/api/v1/prompts", &headers, Body::empty())).await;
        assert_eq!(reply.status, 200, "{key}");
    }
    assert_eq!(calls(&api).await, 0);
    let twice = request("POST", GENERATE, &[("idempotency-key", "\"a\""), ("idempotency-key", "\"b\"")], Body::empty());
    let mut twice = twice;
    twice.headers_mut().insert("content-type", "application/json".parse().expect("a value"));
    *twice.body_mut() = Body::from("{}");
    assert_eq!(api.send(twice).await.problem().errors[0].field, "Idempotency-Key");
}

#[tokio::test]
async fn a_request_in_progress_is_a_conflict_in_every_process_and_free_once_its_client_has_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("script.yaml"), SCRIPT).expect("a script");
    let config = "providers:\n  sim: {script: script.yaml, max_retries: 0}\n";
    std::fs::write(folder.path().join("config.yaml"), config).expect("a configuration");
    let (here, there) = (Api::new(Seeded::at(folder.path())), Api::new(Seeded::at(folder.path())));
    let waits = || asked(GENERATE, "k", &[], idea("waits").to_string());
    let first = tokio::spawn(here.router.clone().oneshot(waits()));
    while here.get("/api/v1/jobs").await.json()["jobs"] == json!([]) {
        tokio::task::yield_now().await;
    }
    for api in [&here, &there] {
        let refused = api.send(waits()).await.problem();
        assert_eq!(refused.code.as_str(), "conflict");
        assert!(refused.detail.contains("in progress"), "{}", refused.detail);
    }
    first.abort();
    let again = until_free(&here, waits).await;
    assert_eq!(again.status, 200, "{}", again.text());
    assert_replayed(&again, &there.send(waits()).await);
}

/// The reply once the key is free. Where the first request was dropped before its call was made, the
/// next one hangs in its place, and is dropped as well.
async fn until_free(api: &Api, request: impl Fn() -> Request<Body>) -> Reply {
    loop {
        match tokio::time::timeout(Duration::from_secs(2), api.send(request())).await {
            Ok(reply) if reply.status != 409 => return reply,
            _ => tokio::task::yield_now().await,
        }
    }
}

#[tokio::test]
async fn a_stream_whose_client_goes_away_frees_its_key() {
    let api = api();
    let waits = || asked(GENERATE, "k", &[("accept", "text/event-stream")], idea("waits").to_string());
    let response = api.router.clone().oneshot(waits()).await.expect("infallible");
    let mut body = response.into_body();
    let mut text = String::new();
    while !text.contains("event: delta\n") {
        let piece = body.frame().await.expect("a frame").expect("a piece").into_data().expect("data");
        text.push_str(std::str::from_utf8(&piece).expect("UTF-8"));
    }
    assert_eq!(api.send(waits()).await.status, 409);
    drop(body);
    let again = until_free(&api, waits).await;
    assert!(again.status == 200 && again.text().contains("event: finished"), "{}", again.text());
    assert_replayed(&again, &api.send(waits()).await);
}

#[tokio::test]
async fn a_stream_that_was_sent_to_its_last_event_counts_though_its_end_was_not_read() {
    let api = api();
    let events = || asked(GENERATE, "k", &[("accept", "text/event-stream")], idea("Name a boat").to_string());
    let response = api.router.clone().oneshot(events()).await.expect("infallible");
    let (mut body, mut text) = (response.into_body(), String::new());
    while !text.contains("event: finished\n") {
        let piece = body.frame().await.expect("a frame").expect("a piece").into_data().expect("data");
        text.push_str(std::str::from_utf8(&piece).expect("UTF-8"));
    }
    drop(body);
    let again = api.send(events()).await;
    assert!(is_replayed(&again));
    assert_eq!((again.text(), calls(&api).await), (text, 3));
}

#[tokio::test]
async fn the_end_of_a_recorded_stream_can_be_asked_for_again() {
    let api = api();
    for (path, accept, body) in [
        (GENERATE, "text/event-stream", idea("Name a boat")),
        (BATCH, "application/json", json!({ "rows": [{ "input": "Name a boat" }], "count": 1 })),
    ] {
        let request = asked(path, path, &[("accept", accept)], body.to_string());
        let response = api.router.clone().oneshot(request).await.expect("infallible");
        let mut body = response.into_body();
        while body.frame().await.is_some() {}
        for _ in 0..3 {
            assert!(matches!(body.frame().now_or_never(), Some(None)), "{path}");
        }
    }
}

#[tokio::test]
async fn failures_and_refusals_before_any_work_are_tried_again() {
    let api = api();
    let failed = send(&api, GENERATE, "a", &idea("fails")).await;
    assert_eq!(failed.problem().code.as_str(), "provider_auth");
    let made = send(&api, GENERATE, "a", &idea("fails")).await;
    assert!(made.status == 200 && !is_replayed(&made), "{}", made.text());

    let refused = send(&api, GENERATE, "b", &json!({ "input": " " })).await;
    assert_eq!(refused.status, 422);
    assert!(!is_replayed(&send(&api, GENERATE, "b", &json!({ "input": " " })).await));
    assert_eq!(send(&api, GENERATE, "b", &idea("Name a boat")).await.status, 200);

    let api = self::api();
    let events = || asked(GENERATE, "c", &[("accept", "text/event-stream")], idea("fails").to_string());
    assert!(api.send(events()).await.text().contains("event: failed"));
    assert!(api.send(events()).await.text().contains("event: finished"));
}

#[tokio::test]
async fn a_budget_that_was_used_up_is_told_again_and_not_used_again() {
    let api = api();
    let rows: Vec<Value> = (0..4).map(|number| json!({ "input": format!("Name boat {number}") })).collect();
    let body = json!({ "rows": rows, "count": 1, "concurrency": 1, "max_calls": 7 });
    let first = send(&api, BATCH, "k", &body).await;
    let spent = calls(&api).await;
    assert!(first.status == 422 && spent > 0, "{} {spent}", first.text());
    let second = send(&api, BATCH, "k", &body).await;
    assert!(is_replayed(&second));
    let (first, second) = (first.problem(), second.problem());
    assert_eq!((first.code, first.detail), (second.code, second.detail));
    assert_ne!(first.request_id, second.request_id);
    assert_eq!(calls(&api).await, spent);
}

#[tokio::test]
async fn a_job_is_begun_once_and_resumed_once() {
    let api = api();
    let kept = || asked(GENERATE, "k", &[("prefer", "respond-async")], idea("Name a boat").to_string());
    let first = api.send(kept()).await;
    assert_eq!(first.status, 202);
    let second = api.send(kept()).await;
    assert_replayed(&first, &second);
    assert_eq!(second.headers["location"], first.headers["location"]);
    assert_eq!(api.get("/api/v1/jobs?all=true").await.json()["jobs"].as_array().map(Vec::len), Some(1));

    let rows = json!({ "rows": [{ "input": "a" }, { "input": "b" }], "count": 1, "concurrency": 1, "max_calls": 3 });
    let problem = api.post(BATCH, &rows).await.problem();
    let path = problem.detail.split('`').find_map(|part| part.strip_prefix("GET ")).expect("where the rows are");
    let resume = path.replace("/result", "/resume");
    let body = json!({ "max_calls": 12 });
    let first = send(&api, &resume, "r", &body).await;
    assert_eq!(first.status, 202, "{}", first.text());
    assert_replayed(&first, &send(&api, &resume, "r", &body).await);
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_not_kept_and_not_made_again() {
    let api = Api::new(Seeded::with_script(SCRIPT, "run: {max_concurrency: 4}"));
    // Each row of the answer is larger than its input.
    let row = |number: u32| json!({ "input": format!("{number} {}", "x".repeat(90_000)) }).to_string();
    let rows = (0..70).map(row).collect::<Vec<_>>().join("\n");
    let lines = || {
        let headers = [("content-type", "application/x-ndjson")];
        asked(&format!("{BATCH}?count=1"), "k", &headers, rows.clone())
    };
    let first = api.send(lines()).await;
    assert!(first.status == 200 && first.body.len() > 9 << 20, "{}", first.body.len());
    let spent = calls(&api).await;
    let problem = api.send(lines()).await.problem();
    assert_eq!(problem.code.as_str(), "conflict");
    let job = first.json()["job_id"].as_str().expect("an id").to_owned();
    assert!(problem.detail.contains(&job) && problem.detail.contains("new key"), "{}", problem.detail);
    assert_eq!(calls(&api).await, spent);
}

#[tokio::test]
async fn what_was_deleted_for_good_is_not_told_again() {
    let seeded = Seeded::with_script(SCRIPT, "");
    let database = seeded.engine.paths().database.clone();
    let api = Api::new(seeded);
    let made = send(&api, GENERATE, "k", &idea("Name a boat")).await.json();
    let id = made["prompts"][0]["id"].as_str().expect("an id").parse().expect("a prompt id");
    let gone = aludel_core::store::Mutation::Delete { ids: vec![id], expected_revision: None };
    let store: Box<dyn aludel_core::store::Store> = Box::new(SqliteStore::open(&database));
    store.apply(gone).await.expect("deleted");
    let problem = send(&api, GENERATE, "k", &idea("Name a boat")).await.problem();
    assert_eq!(problem.code.as_str(), "conflict");
    assert!(problem.detail.contains("deleted") && !problem.detail.contains("boat"), "{}", problem.detail);
}

#[tokio::test]
async fn callers_have_their_own_keys() {
    let api = api();
    let of = |id: &str| {
        let caller = Arc::new(Caller { id: id.to_owned(), budget: None, max_calls: None, period: CapPeriod::Day });
        let mut request = asked(GENERATE, "k", &[], idea(id).to_string());
        request.extensions_mut().insert(RequestContext { caller: Some(caller), ..RequestContext::default() });
        request
    };
    let (anna, ben) = (api.send(of("anna")).await, api.send(of("ben")).await);
    assert_eq!((anna.status.as_u16(), ben.status.as_u16()), (200, 200), "{}", ben.text());
    assert_replayed(&anna, &api.send(of("anna")).await);
    assert_replayed(&ben, &api.send(of("ben")).await);
}
