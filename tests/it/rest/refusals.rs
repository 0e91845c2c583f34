//! What the HTTP face itself refuses, each with its status and the common error body.

use std::collections::{BTreeMap, BTreeSet};

use aludel::server::rest::ROUTES;
use axum::body::Body;
use serde_json::json;

use super::{Api, request};
use crate::seeded::Seeded;

const GENERATE: &str = "/api/v1/prompts/generate";
const JSON: (&str, &str) = ("content-type", "application/json");

fn api() -> Api {
    Api::new(Seeded::new())
}

#[tokio::test]
async fn an_unknown_route_is_not_found() {
    for path in ["/", "/api/v1/nothing", "/api/v1/prompts/"] {
        assert_eq!(api().get(path).await.problem().code.as_str(), "not_found", "{path}");
    }
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones() {
    let api = api();
    for (method, path, allowed) in [
        ("GET", GENERATE, &["POST"][..]),
        ("PUT", "/api/v1/prompts", &["GET", "HEAD"]),
        ("POST", "/health", &["GET", "HEAD"]),
        ("PUT", "/api/v1/prompts/01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21", &["GET", "HEAD", "PATCH", "DELETE"]),
    ] {
        let reply = api.send(request(method, path, &[], Body::empty())).await;
        assert_eq!(reply.problem().code.as_str(), "method_not_allowed", "{path}");
        let allow = reply.headers["allow"].to_str().expect("text");
        let mut named: Vec<&str> = allow.split(',').collect();
        named.sort_unstable();
        let mut expected = allowed.to_vec();
        expected.sort_unstable();
        assert_eq!(named, expected, "{path}");
    }
}

#[tokio::test]
async fn every_path_tells_its_methods_to_options_and_head_is_a_get() {
    let api = api();
    let mut methods: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for route in ROUTES {
        let of_path = methods.entry(route.path).or_default();
        of_path.insert(route.method.as_str());
        if route.method == "GET" {
            of_path.insert("HEAD");
        }
    }
    for (path, methods) in methods {
        let concrete = path.replace("{prompt_id}", "abcdef").replace("{job_id}", "abcdef");
        for (method, status) in [("OPTIONS", 204), ("TRACE", 405), ("PUT", 405)] {
            let reply = api.send(request(method, &concrete, &[], Body::empty())).await;
            assert_eq!(reply.status.as_u16(), status, "{method} {path}");
            let allow = reply.headers["allow"].to_str().expect("text");
            assert_eq!(allow.split(',').map(str::trim).collect::<BTreeSet<_>>(), methods, "{method} {path}");
            assert!(status == 405 || reply.body.is_empty());
        }
        if methods.contains("GET") && !path.ends_with("/events") {
            let (get, head) =
                (api.get(&concrete).await, api.send(request("HEAD", &concrete, &[], Body::empty())).await);
            assert_eq!((head.status, head.headers.get("content-type")), (get.status, get.headers.get("content-type")));
            assert!(head.body.is_empty(), "{path}");
        }
    }
    let unknown = api.send(request("OPTIONS", "/api/v1/nothing", &[], Body::empty())).await;
    assert_eq!(unknown.problem().code.as_str(), "not_found");
}

#[tokio::test]
async fn only_json_is_taken() {
    let api = api();
    for headers in
        [&[][..], &[("content-type", "text/plain")], &[("content-type", "application/x-www-form-urlencoded")]]
    {
        let reply = api.send(request("POST", GENERATE, headers, Body::from(r#"{"input": "x"}"#))).await;
        assert_eq!(reply.problem().code.as_str(), "unsupported_media_type");
    }
}

#[tokio::test]
async fn a_body_over_four_mebibytes_is_too_large_whether_announced_or_not() {
    let api = api();
    let body = format!(r#"{{"input": "{}"}}"#, "x".repeat(4 * 1024 * 1024));
    let length = body.len().to_string();
    for headers in [&[JSON][..], &[JSON, ("content-length", &length)]] {
        let reply = api.send(request("POST", GENERATE, headers, Body::from(body.clone()))).await;
        let problem = reply.problem();
        assert_eq!(problem.code.as_str(), "payload_too_large");
        assert!(problem.detail.contains("4 MiB"));
    }
}

#[tokio::test]
async fn what_cannot_be_given_is_not_acceptable() {
    let api = api();
    for (path, accept) in [("/api/v1/prompts", "text/html"), ("/api/v1/providers", "text/event-stream")] {
        let reply = api.send(request("GET", path, &[("accept", accept)], Body::empty())).await;
        assert_eq!(reply.problem().code.as_str(), "not_acceptable", "{path}");
    }
    let reply = api.send(request("POST", GENERATE, &[JSON, ("accept", "text/html")], Body::from("{}"))).await;
    assert_eq!(reply.problem().code.as_str(), "not_acceptable");
}

#[tokio::test]
async fn what_is_no_json_is_malformed_and_says_where() {
    let api = api();
    for body in ["", "{", "{\"input\": \"x\",}", "{\"input\": \"\u{0}\"}", "input=x", "{\"input\": \"x\"} more"] {
        let problem = api.send(request("POST", GENERATE, &[JSON], Body::from(body))).await.problem();
        assert_eq!(problem.code.as_str(), "invalid_request", "{body}");
        assert!(problem.detail.starts_with("the body is "), "{}", problem.detail);
    }
    let not_utf8 = api.send(request("POST", GENERATE, &[JSON], Body::from(&b"{\"input\": \"\xff\"}"[..]))).await;
    assert_eq!(not_utf8.problem().code.as_str(), "invalid_request");
}

#[tokio::test]
async fn fields_in_the_query_of_a_json_body_are_refused_and_not_ignored() {
    let api = api();
    let reply = api.post(&format!("{GENERATE}?count=2"), &json!({ "input": "Name a boat" })).await;
    let problem = reply.problem();
    assert_eq!((reply.status.as_u16(), problem.code.as_str()), (400, "invalid_request"));
    assert!(problem.detail.contains("put its fields in the body"), "{}", problem.detail);
    assert_eq!(api.post(&format!("{GENERATE}?"), &json!({ "input": "Name a boat", "count": 1 })).await.status, 200);
}

#[tokio::test]
async fn every_fault_of_a_request_is_listed() {
    let api = api();
    let problem = api.post(GENERATE, &json!({ "input": " ", "count": 101, "phases": ["nigredo"] })).await.problem();
    assert_eq!((problem.status, problem.code.as_str()), (422, "validation_failed"));
    assert_eq!(
        problem.errors.iter().map(|fault| fault.field.as_str()).collect::<Vec<_>>(),
        ["input", "count", "phases[0]"]
    );
    let problem = api.post(GENERATE, &json!({ "cuont": 3, "count": "many" })).await.problem();
    assert_eq!((problem.status, problem.code.as_str()), (400, "invalid_request"));
    assert_eq!(
        problem.errors.iter().map(|fault| fault.field.as_str()).collect::<Vec<_>>(),
        ["input", "count", "cuont"]
    );
}

#[tokio::test]
async fn another_machines_name_and_another_sites_page_are_forbidden() {
    let api = api();
    for headers in [
        &[("host", "evil.example")][..],
        &[("origin", "https://evil.example")],
        &[("sec-fetch-site", "cross-site")],
        &[("origin", "http://localhost:3000"), ("sec-fetch-site", "same-site")],
    ] {
        for path in ["/api/v1/prompts", "/nothing"] {
            let reply = api.send(request("GET", path, headers, Body::empty())).await;
            assert_eq!(reply.problem().code.as_str(), "forbidden", "{headers:?}");
        }
    }
}

#[tokio::test]
async fn probes_are_answered_under_any_name_and_not_to_another_sites_page() {
    let api = api();
    for path in ["/alive", "/ready", "/health"] {
        let reply = api.send(request("GET", path, &[("host", "10.0.0.7:8080")], Body::empty())).await;
        assert_eq!(reply.status, 200, "{path}");
        let reply = api.send(request("GET", path, &[("sec-fetch-site", "cross-site")], Body::empty())).await;
        assert_eq!(reply.problem().code.as_str(), "forbidden", "{path}");
    }
}

#[tokio::test]
async fn of_very_many_faults_a_hundred_are_listed_and_the_answer_stays_small() {
    let api = api();
    let fields: serde_json::Map<_, _> = (0..290_000).map(|number| (format!("k{number:07}"), json!(0))).collect();
    let reply = api.post(GENERATE, &fields.into()).await;
    let problem = reply.problem();
    assert_eq!((problem.code.as_str(), problem.errors.len()), ("invalid_request", 100));
    assert!(problem.detail.ends_with("; and 289,901 more"), "{}", &problem.detail[problem.detail.len() - 60..]);
    assert!(reply.body.len() < 100_000, "{}", reply.body.len());
    let parameters: Vec<String> = (0..6000).map(|number| format!("k{number}=1")).collect();
    let problem = api.get(&format!("/api/v1/prompts?{}", parameters.join("&"))).await.problem();
    assert_eq!((problem.code.as_str(), problem.errors.len()), ("invalid_request", 100));
    assert!(problem.detail.ends_with("; and 5,900 more"));
}

#[tokio::test]
async fn a_body_nested_too_deeply_is_malformed() {
    let api = api();
    for open in ["[", r#"{"a":"#] {
        let body = open.repeat(700_000);
        let problem = api.send(request("POST", GENERATE, &[JSON], Body::from(body))).await.problem();
        assert_eq!(problem.code.as_str(), "invalid_request");
    }
    let nested = format!(r#"{{"input": "x", "tags": {}{}}}"#, "[".repeat(100), "]".repeat(100));
    let problem = api.send(request("POST", GENERATE, &[JSON], Body::from(nested))).await.problem();
    assert_eq!(problem.errors[0].field, "tags");
}

#[tokio::test]
async fn a_requests_name_is_kept_or_given() {
    let api = api();
    let named = async |name: &str| {
        let reply = api.send(request("GET", "/alive", &[("x-request-id", name)], Body::empty())).await;
        reply.headers["x-request-id"].to_str().expect("text").to_owned()
    };
    assert_eq!(named("job-7").await, "job-7");
    let given = named("two words").await;
    assert_eq!(given.len(), 36);
    assert_ne!(given, named("two words").await);
    let refused = api.send(request("GET", "/nothing", &[("x-request-id", "job-8")], Body::empty())).await;
    assert_eq!(refused.problem().request_id.as_deref(), Some("job-8"));
}

#[tokio::test]
async fn the_probes_tell_how_it_is() {
    let api = api();
    let health = api.get("/health").await.json();
    assert_eq!((&health["status"], &health["version"]), (&json!("ok"), &json!(env!("CARGO_PKG_VERSION"))));
    assert!(health["uptime"].as_str().expect("text").ends_with('s'));
    for path in ["/alive", "/ready"] {
        assert_eq!(api.get(path).await.json(), json!({ "status": "ok" }), "{path}");
    }
}

#[tokio::test]
async fn a_server_whose_store_is_broken_is_alive_and_not_ready() {
    let seeded = Seeded::new();
    std::fs::write(seeded.engine.paths().database.clone(), "this is no database at all, and long enough to be read")
        .expect("a file");
    let api = Api::new(seeded);
    let problem = api.get("/ready").await.problem();
    assert_eq!(problem.status, 503);
    assert!(problem.detail.starts_with("not ready: "), "{}", problem.detail);
    assert_eq!(api.get("/alive").await.status, 200);
    assert_eq!(api.get("/api/v1/prompts").await.problem().code.as_str(), "storage");
}

#[tokio::test]
async fn providers_are_listed() {
    let providers = api().get("/api/v1/providers").await.json();
    let names: Vec<&str> = providers["providers"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| it["name"].as_str().expect("text"))
        .collect();
    assert!(names.contains(&"builtin"));
}

#[tokio::test]
async fn a_head_is_the_answer_without_its_body() {
    let reply = api().send(request("HEAD", "/api/v1/providers", &[], Body::empty())).await;
    assert_eq!((reply.status.as_u16(), reply.body.len()), (200, 0));
}
