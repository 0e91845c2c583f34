//! The contract's table of errors over HTTP: every row that a client can meet, provoked.
//!
//! [`TABLE`] is written by hand from the contract, not read from the code. A code that is added must
//! be provoked in `provoked` or excused in [`EXCUSED`] with the reason, else the test fails.

use std::collections::{BTreeMap, BTreeSet};

use aludel_core::error::Code;
use axum::body::Body;
use serde_json::{Value, json};

use super::{Api, Reply, request};
use crate::seeded::Seeded;

/// Code and HTTP status.
const TABLE: [(&str, u16); 23] = [
    ("invalid_request", 400),
    ("validation_failed", 422),
    ("unauthorized", 401),
    ("forbidden", 403),
    ("not_found", 404),
    ("method_not_allowed", 405),
    ("not_acceptable", 406),
    ("unsupported_media_type", 415),
    ("payload_too_large", 413),
    ("conflict", 409),
    ("file", 422),
    ("rate_limited", 429),
    ("overloaded", 503),
    ("config_invalid", 500),
    ("provider_unavailable", 502),
    ("provider_auth", 502),
    ("provider_rate_limited", 503),
    ("provider_rejected", 502),
    ("provider_timeout", 504),
    ("judge_unreliable", 502),
    ("budget_exceeded", 422),
    ("storage", 500),
    ("internal", 500),
];

/// Codes that no request can provoke, and why.
const EXCUSED: [(&str, &str); 1] = [("internal", "only a defect of the program comes to it")];

const GENERATE: &str = "/api/v1/prompts/generate";
const BATCH: &str = "/api/v1/prompts/batch";
const JSON: (&str, &str) = ("content-type", "application/json");

fn idea() -> Value {
    json!({ "input": "Name a boat", "count": 1 })
}

/// The reply to a generation by a provider with this script.
async fn with_script(script: &str, body: &Value) -> Reply {
    Api::new(Seeded::with_script(script, "")).post(GENERATE, body).await
}

async fn with_fault(fault: &str) -> Reply {
    with_script(&format!("rules: [{{fault: {fault}}}]"), &idea()).await
}

/// The reply to a generation with this configuration.
async fn with_config(config: &str, files: &[(&str, &str)]) -> Reply {
    Api::new(Seeded::with_files(config, files)).post(GENERATE, &idea()).await
}

async fn conflict() -> Reply {
    let api = Api::new(Seeded::with_echo());
    let made = api.generate(&idea()).await;
    let path = format!("/api/v1/prompts/{}", made["prompts"][0]["id"].as_str().expect("an id"));
    let body = Body::from(json!({ "notes": "mine" }).to_string());
    api.send(request("PATCH", &path, &[JSON, ("if-match", "\"7\"")], body)).await
}

async fn overloaded() -> Reply {
    let script = "rules: [{fault: {kind: hang, after_chunks: 1}}]";
    let api = Api::new(Seeded::with_script(script, "server: {max_connections: 1}\n"));
    let events = request("POST", GENERATE, &[JSON, ("accept", "text/event-stream")], Body::from(idea().to_string()));
    // The stream has the only slot as long as it is not dropped.
    let held = tower::ServiceExt::oneshot(api.router.clone(), events).await.expect("infallible");
    let reply = api.get("/api/v1/prompts").await;
    drop(held);
    reply
}

async fn rate_limited() -> Reply {
    let limits = "server: {rate_limiting: {enabled: true, requests_per_minute: 1, burst: 1}}\n";
    let api = Api::new(Seeded::with_config(limits));
    assert_eq!(api.get("/api/v1/prompts").await.status, 200);
    api.get("/api/v1/prompts").await
}

async fn judge_unreliable() -> Reply {
    let script = "{answer: echo, rules: [{when: {role: judge}, answer: {text: 'no JSON'}}]}";
    let api = Api::new(Seeded::with_script(script, ""));
    let made = api.generate(&json!({ "input": "Name a boat", "count": 2 })).await;
    let ids = [&made["prompts"][0]["id"], &made["prompts"][1]["id"]];
    api.post("/api/v1/prompts/select", &json!({ "prompt_ids": ids })).await
}

async fn storage() -> Reply {
    let seeded = Seeded::new();
    std::fs::write(&seeded.engine.paths().database, "no database at all, and long enough to be read").expect("a file");
    Api::new(seeded).get("/api/v1/prompts").await
}

/// The reply that has this code; `None` for one that cannot be provoked.
async fn provoked(code: &str) -> Option<Reply> {
    let api = Api::new(Seeded::with_echo());
    let sent = |method: &str, path: &str, headers: &[(&str, &str)], body: String| {
        let request = request(method, path, headers, Body::from(body));
        let api = &api;
        async move { api.send(request).await }
    };
    Some(match code {
        "invalid_request" => api.post(GENERATE, &json!({ "inptu": "x" })).await,
        "validation_failed" => api.post(GENERATE, &json!({ "input": "x", "count": 101 })).await,
        "unauthorized" => api.get("/api/export").await,
        "forbidden" => sent("GET", "/api/v1/prompts", &[("host", "evil.example")], String::new()).await,
        "not_found" => api.get("/api/v1/prompts/01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21").await,
        "method_not_allowed" => sent("PUT", "/api/v1/prompts", &[], String::new()).await,
        "not_acceptable" => sent("GET", "/api/v1/prompts", &[("accept", "image/png")], String::new()).await,
        "unsupported_media_type" => sent("POST", GENERATE, &[("content-type", "image/png")], "x".into()).await,
        "payload_too_large" => sent("POST", GENERATE, &[JSON], " ".repeat(4 * 1024 * 1024 + 1)).await,
        "conflict" => conflict().await,
        "file" => with_config("providers: {sim: {script: missing.yaml}}\n", &[]).await,
        "rate_limited" => rate_limited().await,
        "overloaded" => overloaded().await,
        "config_invalid" => {
            with_config("providers: {sim: {script: script.yaml}}\n", &[("script.yaml", "anwser: echo")]).await
        }
        "provider_unavailable" => with_fault("{kind: server_error, status: 503}").await,
        "provider_auth" => with_fault("{kind: auth, status: 401}").await,
        "provider_rate_limited" => with_fault("{kind: rate_limit, status: 429, retry_after_s: 7}").await,
        "provider_rejected" => with_fault("{kind: rejected, status: 400}").await,
        "provider_timeout" => {
            let config = "providers: {sim: {script: script.yaml, max_retries: 0, timeout_s: 1}}\n";
            with_config(config, &[("script.yaml", "rules: [{fault: hang}]")]).await
        }
        "judge_unreliable" => judge_unreliable().await,
        "budget_exceeded" => with_script("answer: echo", &json!({ "input": "x", "count": 1, "max_calls": 1 })).await,
        "storage" => storage().await,
        _ => return None,
    })
}

/// Checks a reply against its row, field by field.
fn check(code: &str, status: u16, reply: &Reply) {
    assert_eq!(reply.status.as_u16(), status, "{code}: {}", reply.text());
    assert_eq!(reply.headers["content-type"], "application/problem+json", "{code}");
    let body: Value = serde_json::from_slice(&reply.body).expect("JSON");
    let members: BTreeSet<&str> = body.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut expected: BTreeSet<&str> = ["type", "title", "status", "detail", "code", "request_id"].into();
    if ["invalid_request", "validation_failed"].contains(&code) {
        expected.insert("errors");
        let faults = body["errors"].as_array().expect("faults");
        assert!(!faults.is_empty() && faults.iter().all(|it| it["field"].is_string() && it["message"].is_string()));
    }
    if ["rate_limited", "overloaded", "provider_rate_limited"].contains(&code) {
        expected.insert("retry_after_s");
        let wait = body["retry_after_s"].as_f64().expect("a number");
        let header: f64 = reply.headers["retry-after"].to_str().expect("text").parse().expect("a number");
        assert!(wait > 0.0 && header >= wait && header - wait < 1.0, "{code}: {wait} {header}");
    }
    if code.starts_with("provider_") {
        expected.insert("provider");
        assert_eq!(body["provider"], "sim", "{code}");
        if let Some(upstream) = [("unavailable", 503), ("auth", 401), ("rate_limited", 429), ("rejected", 400)]
            .into_iter()
            .find_map(|(name, upstream)| (code == format!("provider_{name}")).then_some(upstream))
        {
            expected.insert("upstream_status");
            assert_eq!(body["upstream_status"], upstream, "{code}");
        }
    }
    assert_eq!(members, expected, "{code}: {body}");
    assert_eq!(
        (&body["type"], &body["status"], &body["code"]),
        (&json!(format!("urn:aludel:error:{code}")), &json!(status), &json!(code))
    );
    for name in ["title", "detail"] {
        assert!(body[name].as_str().is_some_and(|text| text.len() > 3), "{code}: {body}");
    }
    assert_eq!(body["request_id"], reply.headers["x-request-id"].to_str().expect("text"), "{code}");
    assert!(code != "method_not_allowed" || reply.headers.contains_key("allow"));
    assert!(code != "unauthorized" || reply.headers["www-authenticate"].as_bytes().starts_with(b"Bearer"));
}

#[tokio::test]
async fn every_row_of_the_table_is_met_or_excused() {
    let table: BTreeMap<&str, u16> = TABLE.into();
    let known: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(table.keys().copied().collect::<BTreeSet<_>>(), known, "the contract's table and the codes differ");
    let excused: BTreeMap<&str, &str> = EXCUSED.into();
    for (code, status) in TABLE {
        match (provoked(code).await, excused.get(code)) {
            (Some(reply), None) => check(code, status, &reply),
            (None, Some(_)) => {}
            (None, None) => panic!("`{code}` is neither provoked nor excused"),
            (Some(_), Some(reason)) => panic!("`{code}` is provoked and excused: {reason}"),
        }
    }
}

#[tokio::test]
async fn of_more_than_a_hundred_faults_the_first_hundred_are_listed_by_every_kind_of_body() {
    let api = Api::new(Seeded::with_echo());
    let fields: serde_json::Map<_, _> = (0..150).map(|number| (format!("k{number:03}"), json!(0))).collect();
    // `input` is missing as well.
    let unknown = api.post(GENERATE, &fields.into()).await.problem();
    let rows: Vec<Value> = (0..150).map(|_| json!({ "input": " " })).collect();
    let bad_rows = api.post(BATCH, &json!({ "rows": rows })).await.problem();
    let lines = "{\"input\": \" \"}\n".repeat(150);
    let bad_lines =
        api.send(request("POST", BATCH, &[("content-type", "application/x-ndjson")], Body::from(lines))).await;
    let records = "{\"content\": \" \"}\n".repeat(150);
    let headers = [("content-type", "application/x-ndjson")];
    let bad_records = api.send(request("POST", "/api/v1/prompts/import", &headers, Body::from(records))).await;
    let parameters: Vec<String> = (0..151).map(|number| format!("k{number}=1")).collect();
    let bad_query = api.get(&format!("/api/v1/prompts?{}", parameters.join("&"))).await.problem();
    for (name, status, problem) in [
        ("fields", 400, unknown),
        ("rows", 422, bad_rows),
        ("lines", 422, bad_lines.problem()),
        ("records", 422, bad_records.problem()),
        ("a query", 400, bad_query),
    ] {
        assert_eq!((problem.status, problem.errors.len()), (status, 100), "{name}");
        assert!(problem.detail.ends_with("; and 51 more"), "{name}: {}", problem.detail);
    }
}
