//! The distributed trace of a request, from its headers to the calls it makes and to the log.

use aludel_core::provider::transport::testing::{Script, ScriptedServer};
use axum::body::Body;
use serde_json::json;

use super::{Api, request};
use crate::seeded::Seeded;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

async fn provider() -> ScriptedServer {
    let chunk = json!({"model": "m", "choices": [{"index": 0, "delta": {"content": "so"}, "finish_reason": "stop"}]});
    ScriptedServer::answering(move |_| Script::events([chunk.to_string(), "[DONE]".into()])).await
}

/// What the provider gets of these headers: `traceparent` and `tracestate` of each call.
async fn passed_on(headers: &[(&str, &str)]) -> Vec<(Option<String>, Option<String>)> {
    let provider = provider().await;
    let config = format!(
        "providers:\n  mock: {{kind: openai, base_url: '{}/v1', api_key: k, model: m, max_retries: 0}}\n",
        provider.url()
    );
    let api = Api::new(Seeded::with_config(&config));
    let body = json!({ "input": "Name a boat", "count": 1, "phases": ["prima-materia", "solutio"] }).to_string();
    let headers: Vec<(&str, &str)> =
        [("content-type", "application/json")].into_iter().chain(headers.iter().copied()).collect();
    let reply = api.send(request("POST", "/api/v1/prompts/generate", &headers, Body::from(body))).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let header = |name: &str| provider.requests().iter().map(|it| it.header(name).map(str::to_owned)).collect();
    let (parents, states): (Vec<_>, Vec<_>) = (header("traceparent"), header("tracestate"));
    parents.into_iter().zip(states).collect()
}

#[tokio::test]
async fn a_provider_gets_the_trace_with_a_parent_of_its_own_for_each_call() {
    let parent = format!("00-{TRACE}-{PARENT}-01");
    let calls = passed_on(&[("traceparent", &parent), ("tracestate", "congo=t61rcWkgMzE")]).await;
    assert_eq!(calls.len(), 2);
    let mut spans = vec![PARENT.to_owned()];
    for (parent, state) in calls {
        let parent = parent.expect("a trace");
        let parts: Vec<&str> = parent.split('-').collect();
        assert_eq!((parts[0], parts[1], parts[3]), ("00", TRACE, "01"), "{parent}");
        assert!(parts[2].len() == 16 && parts[2].bytes().all(|byte| byte.is_ascii_hexdigit()), "{parent}");
        assert!(!spans.contains(&parts[2].to_owned()), "a span twice: {parent}");
        spans.push(parts[2].to_owned());
        assert_eq!(state.as_deref(), Some("congo=t61rcWkgMzE"));
    }
}

#[tokio::test]
async fn without_a_usable_trace_none_is_passed_on() {
    let zero = format!("00-{}-{PARENT}-01", "0".repeat(32));
    let upper = format!("00-{}-{PARENT}-01", TRACE.to_uppercase());
    for bad in ["nonsense", &zero, &upper, ""] {
        let calls = passed_on(&[("traceparent", bad), ("tracestate", "congo=t61")]).await;
        assert_eq!(calls, [(None, None), (None, None)], "{bad}");
    }
    assert_eq!(passed_on(&[]).await, [(None, None), (None, None)]);
}
