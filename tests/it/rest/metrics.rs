//! `/metrics` and `/health/detailed`: what they say beside what was done.

use std::collections::BTreeMap;

use axum::body::Body;
use serde_json::{Value, json};

use super::{Api, request};
use crate::seeded::Seeded;

/// The series of a Prometheus text by their names and labels as written.
pub(super) fn series(text: &str) -> BTreeMap<String, f64> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let read = lines.map(|line| {
        let (name, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("no value: {line}"));
        (name.to_owned(), value.parse().unwrap_or_else(|error| panic!("{line}: {error}")))
    });
    read.collect()
}

async fn metrics(api: &Api) -> BTreeMap<String, f64> {
    let reply = api.get("/metrics").await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    series(&reply.text())
}

fn requests(method: &str, route: &str, status: u16) -> String {
    format!(r#"aludel_http_requests_total{{method="{method}",route="{route}",status="{status}"}}"#)
}

#[tokio::test]
async fn requests_are_counted_by_method_route_and_status() {
    let api = Api::new(Seeded::with_echo());
    let result = api.generate(&json!({ "input": "Name a boat", "count": 1 })).await;
    let id = result["prompts"][0]["id"].as_str().expect("an id");
    for path in [&format!("/api/v1/prompts/{id}"), "/api/v1/prompts/01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21"] {
        api.get(path).await;
    }
    for path in ["/nowhere", "/elsewhere?token=secret", "/%7Bprompt_id%7D"] {
        api.get(path).await;
    }
    api.send(request("BREW", "/api/v1/prompts", &[], Body::empty())).await;
    let found = metrics(&api).await;
    let count = |method, route, status| found.get(&requests(method, route, status)).copied();
    assert_eq!(count("POST", "/api/v1/prompts/generate", 200), Some(1.0));
    assert_eq!(count("GET", "/api/v1/prompts/{prompt_id}", 200), Some(1.0));
    assert_eq!(count("GET", "/api/v1/prompts/{prompt_id}", 404), Some(1.0));
    assert_eq!(count("GET", "unmatched", 404), Some(3.0));
    assert_eq!(count("other", "/api/v1/prompts", 405), Some(1.0));
    let all: f64 =
        found.iter().filter(|(name, _)| name.starts_with("aludel_http_requests_total")).map(|(_, value)| value).sum();
    assert_eq!(Some(all), Some(7.0), "{found:?}");
    let took = r#"aludel_http_request_duration_seconds_count{method="GET",route="/api/v1/prompts/{prompt_id}"}"#;
    assert_eq!(found.get(took), Some(&2.0));
    // The request for the metrics itself.
    assert_eq!(found.get("aludel_http_requests_in_progress"), Some(&1.0));
    assert_eq!(found.get(r#"aludel_runs_total{operation="generate",outcome="finished"}"#), Some(&1.0));
    assert!(!found.keys().any(|name| name.contains("secret") || name.contains("nowhere")));
}

#[tokio::test]
async fn every_metric_is_named_and_explained_once_as_prometheus_wants() {
    let api = Api::new(Seeded::with_echo());
    api.generate(&json!({ "input": "Name a boat", "count": 1 })).await;
    let text = api.get("/metrics").await.text();
    let mut kinds: BTreeMap<&str, &str> = BTreeMap::new();
    let mut helped = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, about) = rest.split_once(' ').expect("an explanation");
            assert!(!helped.contains(&name) && about.starts_with(char::is_uppercase), "{line}");
            helped.push(name);
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').expect("a type");
            assert_eq!(helped.last(), Some(&name), "{line}");
            assert!(kinds.insert(name, kind).is_none(), "{line}");
        } else {
            let name = line.split(['{', ' ']).next().expect("a name");
            let family = ["_bucket", "_sum", "_count"].iter().find_map(|ending| {
                let family = name.strip_suffix(ending)?;
                (kinds.get(family) == Some(&"histogram")).then_some(family)
            });
            assert_eq!(helped.last(), Some(&family.unwrap_or(name)), "a series apart from its family: {line}");
        }
    }
    for (name, kind) in &kinds {
        assert!(name.starts_with("aludel_") || name.starts_with("process_"), "{name}");
        assert_eq!(name.ends_with("_total"), *kind == "counter", "{name} is a {kind}");
        assert!(!name.contains("_ms") && !name.contains("__"), "{name}");
    }
    for name in ["process_start_time_seconds", "aludel_build_info", "aludel_http_request_slots", "aludel_permits"] {
        assert!(kinds.contains_key(name), "{name}");
    }
    let found = series(&text);
    let build = format!(r#"aludel_build_info{{version="{}"}}"#, env!("CARGO_PKG_VERSION"));
    assert_eq!(found.get(&build), Some(&1.0));
    // Cumulative buckets end with all that was observed.
    let buckets: Vec<f64> = text
        .lines()
        .filter(|line| line.starts_with("aludel_run_duration_seconds_bucket{"))
        .map(|line| line.rsplit_once(' ').expect("a value").1.parse().expect("a number"))
        .collect();
    assert!(buckets.len() > 10 && buckets.is_sorted() && buckets.last() == Some(&1.0), "{buckets:?}");
}

#[tokio::test]
async fn refusals_for_the_rate_are_counted_and_the_metrics_are_within_it() {
    let config = "server: {rate_limiting: {enabled: true, requests_per_minute: 1, burst: 4}}\n";
    let api = Api::new(Seeded::with_config(config));
    assert_eq!(metrics(&api).await.get("aludel_http_rate_limited_total"), Some(&0.0));
    let mut refused = 0;
    for _ in 0..5 {
        refused += u32::from(api.get("/api/v1/prompts").await.status == 429);
    }
    assert_eq!(refused, 2);
    for path in ["/metrics", "/health/detailed"] {
        assert_eq!(api.get(path).await.problem().code.as_str(), "rate_limited", "{path}");
    }
    assert_eq!(api.get("/health").await.status, 200);
}

/// The body of `/health/detailed`, its status, and its dependencies by name.
async fn health(api: &Api) -> (u16, Value, BTreeMap<String, Value>) {
    let reply = api.get("/health/detailed").await;
    let body = reply.json();
    let named = |dependency: &Value| (dependency["name"].as_str().expect("a name").to_owned(), dependency.clone());
    let dependencies = body["dependencies"].as_array().expect("a list").iter().map(named).collect();
    (reply.status.as_u16(), body, dependencies)
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[tokio::test]
async fn each_dependency_has_a_status_and_a_latency() {
    let api = Api::new(Seeded::with_echo());
    let (status, body, dependencies) = health(&api).await;
    assert_eq!((status, body["status"].as_str()), (200, Some("ok")), "{body}");
    assert_eq!(keys(&body), ["status", "version", "uptime", "dependencies"]);
    for (name, dependency) in &dependencies {
        assert_eq!(keys(dependency), ["name", "status", "needed", "latency_ms", "detail"]);
        assert_eq!(dependency["needed"], *name == "store", "{name}");
        assert_eq!(dependency["latency_ms"].is_u64(), name != "provider sim", "{name}");
    }
    for name in ["store", "search", "jobs", "provider sim"] {
        assert_eq!(dependencies[name]["status"], "ok", "{name}");
    }
    assert!(!dependencies.contains_key("provider openai"), "it is not configured");
    api.generate(&json!({ "input": "Name a boat", "count": 1 })).await;
    assert!(health(&api).await.2["provider sim"]["latency_ms"].is_u64(), "it was called");
}

#[tokio::test]
async fn a_provider_that_cannot_be_used_does_not_bring_the_server_down() {
    let config = "providers: {lab: {kind: openai, model: m}}\n";
    let (status, body, dependencies) = health(&Api::new(Seeded::with_config(config))).await;
    assert_eq!((status, body["status"].as_str()), (200, Some("degraded")), "{body}");
    let lab = &dependencies["provider lab"];
    assert_eq!(lab["status"], "down");
    assert!(lab["detail"].as_str().expect("why").contains("LAB_API_KEY"), "{lab}");
}

#[tokio::test]
async fn without_its_store_the_server_is_down_in_the_same_shape() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("aludel.db"),
        "this is no database, and long enough to be read as one".repeat(99),
    )
    .expect("a file");
    let api = Api::new(Seeded::at(folder.path()));
    let (status, body, dependencies) = health(&api).await;
    assert_eq!((status, body["status"].as_str()), (503, Some("down")), "{body}");
    assert_eq!(keys(&body), ["status", "version", "uptime", "dependencies"]);
    assert_eq!(dependencies["store"]["status"], "down");
    assert!(!dependencies["store"]["detail"].as_str().expect("why").is_empty());
}
