//! The headers of every answer, and compression.

use std::io::Read;

use axum::body::Body;
use serde_json::{Value, json};

use super::{Api, Reply, request};
use crate::seeded::Seeded;

const PROMPTS: &str = "/api/v1/prompts";

fn secured(reply: &Reply) -> bool {
    let policy = "default-src 'none'; frame-ancestors 'none'";
    reply.headers["x-content-type-options"] == "nosniff"
        && reply.headers["content-security-policy"] == policy
        && reply.headers["referrer-policy"] == "no-referrer"
}

#[tokio::test]
async fn every_answer_is_data_that_is_not_stored() {
    let api = Api::new(Seeded::new());
    let evil = [("host", "evil.example")];
    let refused = api.send(request("GET", PROMPTS, &evil, Body::empty())).await;
    let body = json!({ "input": "x", "count": 1 });
    let headers = [("content-type", "application/json"), ("accept", "text/event-stream")];
    let events = request("POST", "/api/v1/prompts/generate", &headers, Body::from(body.to_string()));
    let replies =
        [api.get(PROMPTS).await, api.get("/alive").await, api.get("/nothing").await, refused, api.send(events).await];
    for reply in &replies {
        assert!(secured(reply) && reply.headers["cache-control"] == "no-store", "{:?}", reply.headers);
    }
    assert_eq!(replies.map(|reply| reply.status.as_u16()), [200, 200, 404, 403, 200]);
}

#[tokio::test]
async fn what_has_an_etag_may_be_kept_and_asked_for() {
    let api = Api::new(Seeded::new());
    let result = api.generate(&json!({ "input": "x", "count": 1 })).await;
    let path = format!("{PROMPTS}/{}", result["prompts"][0]["id"].as_str().expect("an id"));
    let whole = api.get(&path).await;
    let known = [("if-none-match", whole.headers["etag"].to_str().expect("text"))];
    let unchanged = api.send(request("GET", &path, &known, Body::empty())).await;
    assert_eq!(unchanged.status, 304);
    for reply in [whole, unchanged] {
        assert!(secured(&reply) && reply.headers["cache-control"] == "private, no-cache");
    }
}

async fn accepting(api: &Api, path: &str, coding: &str) -> Reply {
    api.send(request("GET", path, &[("accept-encoding", coding)], Body::empty())).await
}

#[tokio::test]
async fn json_is_compressed_for_who_accepts_it() {
    let api = Api::new(Seeded::new());
    api.generate(&json!({ "input": "Plan a launch", "count": 3 })).await;
    let plain = api.get(PROMPTS).await;
    let packed = accepting(&api, PROMPTS, "deflate, gzip;q=0.5").await;
    assert_eq!((packed.headers["content-encoding"].as_bytes(), packed.status.as_u16()), (&b"gzip"[..], 200));
    assert!(packed.headers["vary"].to_str().expect("text").eq_ignore_ascii_case("accept-encoding"));
    assert!(!packed.headers.contains_key("content-length") && packed.body.len() * 2 < plain.body.len());
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(packed.body.as_slice()).read_to_end(&mut text).expect("gzip");
    assert_eq!(serde_json::from_slice::<Value>(&text).expect("JSON"), plain.json());
    for coding in ["gzip;q=0", "identity", "br", "identity;q=0, gzip;q=0"] {
        let reply = accepting(&api, PROMPTS, coding).await;
        assert!(reply.status == 200 && !reply.headers.contains_key("content-encoding"), "{coding}");
    }
    assert!(!accepting(&api, "/alive", "gzip").await.headers.contains_key("content-encoding"));
}

#[tokio::test]
async fn events_are_never_compressed() {
    let api = Api::new(Seeded::new());
    let headers = [("content-type", "application/json"), ("accept", "text/event-stream"), ("accept-encoding", "gzip")];
    let body = json!({ "input": "Plan a launch", "count": 2 });
    let reply = api.send(request("POST", "/api/v1/prompts/generate", &headers, Body::from(body.to_string()))).await;
    assert!(!reply.headers.contains_key("content-encoding") && reply.text().contains("event: finished"));
}
