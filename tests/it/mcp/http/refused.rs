//! What is refused before a tool is called, with the status and the code of the specification.

use axum::body::Body;
use serde_json::{Value, json};

use super::{ACCEPT, Era, Host, NEWER};
use crate::rest::{Reply, request};
use crate::seeded::Seeded;

/// The message of a refused request.
fn error(reply: &Reply) -> Value {
    let message = reply.json();
    assert_eq!(message["jsonrpc"], "2.0");
    assert!(!message["error"]["message"].as_str().expect("text").is_empty(), "{message}");
    message["error"].clone()
}

/// Status and code of the answer to a message with these headers besides those of any message.
async fn told(host: &Host, message: &str, headers: &[(&str, &str)]) -> (u16, Value) {
    let mut all = vec![("content-type", "application/json"), ("accept", ACCEPT)];
    all.extend(headers);
    let all: Vec<(String, String)> = all.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    let reply = host.post_with(message, &all).await.whole().await;
    (reply.status.as_u16(), error(&reply)["code"].clone())
}

fn list(meta: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } }).to_string()
}

fn whole_meta() -> Value {
    json!({ "io.modelcontextprotocol/protocolVersion": NEWER, "io.modelcontextprotocol/clientCapabilities": {} })
}

/// DNS rebinding, and pages of other sites (specification, "Security Warning").
#[tokio::test]
async fn other_hosts_and_other_sites_are_refused() {
    let host = Host::new(Seeded::with_config("server: {allowed_hosts: [prompts.example]}\n"), Era::Newer);
    let message = list(&whole_meta());
    let ask = async |more: &[(&str, &str)]| {
        let mut headers = vec![("content-type", "application/json"), ("accept", ACCEPT)];
        headers.extend([("mcp-protocol-version", NEWER), ("mcp-method", "tools/list")]);
        headers.extend(more);
        host.send(request("POST", "/mcp", &headers, Body::from(message.clone()))).await.whole().await
    };
    for good in [
        &[("host", "localhost")][..],
        &[("host", "127.0.0.1:3000")],
        &[("host", "[::1]:3000")],
        &[("host", "prompts.example")],
        &[("origin", "http://localhost:8080")],
        &[("host", "prompts.example"), ("origin", "https://prompts.example")],
    ] {
        assert_eq!(ask(good).await.status, 200, "{good:?}");
    }
    for bad in [
        &[("host", "evil.example")][..],
        &[("host", "localhost.evil.example")],
        &[("host", "192.0.2.1")],
        &[("origin", "http://evil.example")],
        &[("origin", "null")],
        &[("origin", "http://localhost:3000")],
        &[("sec-fetch-site", "cross-site")],
    ] {
        let reply = ask(bad).await;
        assert_eq!(reply.status, 403, "{bad:?}");
        assert_eq!(error(&reply)["data"]["code"], "forbidden");
    }
    let mut bare = request("POST", "/mcp", &[], Body::empty());
    bare.headers_mut().remove("host");
    assert_eq!(host.send(bare).await.status, 400);
}

#[tokio::test]
async fn a_session_that_is_not_known_is_not_found_and_one_that_is_missing_is_asked_for() {
    let mut host = Host::new(Seeded::new(), Era::Older);
    for (session, status) in [(Some("none".to_owned()), 404), (None, 400)] {
        host.session = session;
        assert_eq!(host.ask("tools/list", json!({})).await.status, status);
        assert_eq!(host.bare("GET", &[]).await.status, status);
        assert_eq!(host.bare("DELETE", &[]).await.status, status);
        let reply = host.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        assert_eq!(reply.status, status);
        assert!(error(&reply)["message"].as_str().expect("text").to_lowercase().contains("session"));
    }
}

/// Specification of 2026-07-28: "Server Validation" of the headers that repeat the body.
#[tokio::test]
async fn the_headers_of_the_newer_era_must_agree_with_the_body() {
    let host = Host::newer(Seeded::new());
    let message = list(&whole_meta());
    let version = ("mcp-protocol-version", NEWER);
    let mismatch = (400, json!(-32020));
    assert_eq!(told(&host, &message, &[version]).await, mismatch);
    assert_eq!(told(&host, &message, &[version, ("mcp-method", "tools/call")]).await, mismatch);
    assert_eq!(told(&host, &message, &[("mcp-method", "tools/list")]).await, mismatch);
    assert_eq!(
        told(&host, &message, &[("mcp-protocol-version", "2025-11-25"), ("mcp-method", "tools/list")]).await,
        mismatch
    );
    let params = json!({ "name": "list_prompts", "arguments": {}, "_meta": whole_meta() });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let method = ("mcp-method", "tools/call");
    assert_eq!(told(&host, &call, &[version, method]).await, mismatch);
    assert_eq!(told(&host, &call, &[version, method, ("mcp-name", "delete_prompt")]).await, mismatch);
    let no_meta = list(&json!({}));
    assert_eq!(told(&host, &no_meta, &[version, ("mcp-method", "tools/list")]).await, (400, json!(-32602)));
    let future = list(
        &json!({ "io.modelcontextprotocol/protocolVersion": "2099-01-01", "io.modelcontextprotocol/clientCapabilities": {} }),
    );
    let headers = [("mcp-protocol-version", "2099-01-01"), ("mcp-method", "tools/list")];
    assert_eq!(told(&host, &future, &headers).await, (400, json!(-32022)));
}

#[tokio::test]
async fn methods_that_the_newer_era_removed_are_not_found_whatever_their_parameters() {
    let host = Host::newer(Seeded::new());
    for method in ["initialize", "resources/subscribe", "resources/unsubscribe"] {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "_meta": whole_meta() } });
        let headers = [("mcp-protocol-version", NEWER), ("mcp-method", method)];
        assert_eq!(told(&host, &message.to_string(), &headers).await, (404, json!(-32601)), "{method}");
    }
}

#[tokio::test]
async fn a_body_that_is_no_message_is_refused_without_an_id() {
    let host = Host::newer(Seeded::new());
    for (body, code) in [
        ("this is no JSON", -32700),
        ("{", -32700),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600),
        ("5", -32600),
        ("{}", -32600),
        ("", -32600),
        (" \n ", -32600),
    ] {
        assert_eq!(told(&host, body, &[]).await, (400, json!(code)), "{body:?}");
        let headers = [("content-type".into(), "application/json".into()), ("accept".into(), ACCEPT.into())];
        let message = host.post_with(body, &headers).await.whole().await.json();
        assert!(message.get("id").is_none(), "{message}");
    }
}

#[tokio::test]
async fn parameters_that_do_not_fit_are_answered_to_their_request() {
    let mut host = Host::newer(Seeded::new());
    let answer = host.result("tools/call", json!({ "name": "list_prompts", "arguments": [] })).await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(host.next_id), &json!(-32602)));
}

/// The limit of REST, 4 MiB.
#[tokio::test]
async fn a_body_of_ten_megabytes_is_refused_and_one_of_four_is_read() {
    let mut host = Host::newer(Seeded::new());
    let mut fit = host.message("tools/list", json!({}));
    fit["params"]["padding"] = json!("x".repeat(4 * 1024 * 1024 - 1000));
    assert_eq!(host.post_with(&fit.to_string(), &host.headers(&fit)).await.status, 200);
    let mut large = host.message("tools/list", json!({}));
    large["params"]["padding"] = json!("x".repeat(10_000_000));
    let reply = host.post_with(&large.to_string(), &host.headers(&large)).await.whole().await;
    assert_eq!((reply.status.as_u16(), &error(&reply)["data"]["code"]), (413, &json!("payload_too_large")));
}

#[tokio::test]
async fn what_a_client_sends_and_accepts_is_checked() {
    let host = Host::newer(Seeded::new());
    let message = list(&whole_meta());
    let status = async |content_type: &str, accept: &str| {
        let headers = [("content-type", content_type), ("accept", accept)];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let reply = host.post_with(&message, &headers).await.whole().await;
        error(&reply);
        reply.status.as_u16()
    };
    assert_eq!(status("text/plain", ACCEPT).await, 415);
    assert_eq!(status("application/json", "application/json").await, 406);
    assert_eq!(status("application/json", "text/event-stream").await, 406);
    assert_eq!(host.bare("PUT", &[]).await.status, 405);
}

#[tokio::test]
async fn other_paths_lead_nowhere() {
    let host = Host::newer(Seeded::new());
    for path in ["/", "/mcp/", "/sse", "/api/v1/prompts", "/health", "/.well-known/oauth-protected-resource"] {
        let reply = host.send(request("GET", path, &[], Body::empty())).await.whole().await;
        assert_eq!((reply.status.as_u16(), &error(&reply)["data"]["code"]), (404, &json!("not_found")), "{path}");
    }
}

#[tokio::test]
async fn a_client_that_asks_too_often_is_told_when_to_come_back() {
    let limit = "server:\n  rate_limiting: {enabled: true, requests_per_minute: 1, burst: 2}\n";
    let mut host = Host::newer(Seeded::with_config(limit));
    for (status, left) in [(200, "\"default\";r=1;t=60"), (200, "\"default\";r=0;t=120"), (429, "\"default\";r=0;t=60")]
    {
        let reply = host.ask("tools/list", json!({})).await;
        assert_eq!((reply.status, reply.headers["ratelimit"].to_str().ok()), (status, Some(left)));
        assert_eq!(reply.headers.contains_key("retry-after"), status == 429);
    }
}

#[tokio::test]
async fn pages_of_allowed_origins_can_read_the_session_and_others_cannot() {
    let cors = "server:\n  cors: {enabled: true, allowed_origins: ['https://app.example']}\n";
    let host = Host::new(Seeded::with_config(cors), Era::Older);
    let preflight = [("origin", "https://app.example"), ("access-control-request-method", "POST")];
    let reply = host.send(request("OPTIONS", "/mcp", &preflight, Body::empty())).await;
    assert_eq!(
        (reply.status, &reply.headers["access-control-allow-origin"]),
        (200, &preflight[0].1.parse().expect("text"))
    );
    let reply = host.bare("GET", &[("origin", "https://app.example")]).await;
    let exposed = reply.headers["access-control-expose-headers"].to_str().expect("text").to_lowercase();
    assert!(exposed.contains("mcp-session-id") && exposed.contains("www-authenticate"), "{exposed}");
    assert_eq!(host.bare("GET", &[("origin", "https://other.example")]).await.status, 403);
}
