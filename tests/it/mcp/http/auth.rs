//! Tokens: who may connect, what their scopes open, what they may spend, and whose a session is.

use aludel::server::mcp::{Options, ToolSet, http};
use axum::body::Body;
use serde_json::{Value, json};

use super::{Era, Host, OLDER, generation};
use crate::jwt::token;
use crate::rest::request;
use crate::seeded::Seeded;

const SECRET: &str = "canary-secret-0123456789-canary-secret";
/// The time of a [`Seeded`] server, in seconds since 1970.
const NOW: i64 = 1_790_000_000;
const METADATA: &str = "resource_metadata=\"http://localhost:8080/.well-known/oauth-protected-resource/mcp\"";

fn seeded() -> Seeded {
    let config = format!(
        "providers:\n  sim: {{script: script.yaml, max_retries: 0}}\nserver:\n  auth: {{enabled: true, secret: {SECRET}}}\n"
    );
    Seeded::with_files(&config, &[("script.yaml", "answer: echo")])
}

fn bearer(sub: &str, scope: &str, caps: &Value) -> String {
    let mut claims = json!({ "sub": sub, "jti": "1", "exp": NOW + 600, "scope": scope });
    claims.as_object_mut().expect("an object").extend(caps.as_object().expect("an object").clone());
    token(SECRET, &claims.to_string())
}

pub(super) fn with_scope(scope: &str) -> String {
    bearer("client", scope, &json!({}))
}

pub(super) fn newer(token: Option<String>) -> Host {
    Host { token, ..Host::newer(seeded()) }
}

#[tokio::test]
async fn without_a_token_nothing_is_served_and_the_challenge_says_where_to_read_on() {
    let mut host = newer(None);
    let refused = host.ask("tools/list", json!({})).await.whole().await;
    assert_eq!(refused.status, 401);
    assert_eq!(refused.headers["www-authenticate"], format!("Bearer realm=\"aludel\", {METADATA}"));
    let message = refused.json();
    assert_eq!(message["error"]["data"]["code"], "unauthorized");
    for (method, status) in [("GET", 401), ("DELETE", 401), ("PUT", 401), ("POST", 401)] {
        assert_eq!(host.bare(method, &[]).await.status, status, "{method}");
    }
    host.token = Some(token("another-secret-0123456789-another-secret", &format!("{{\"exp\":{}}}", NOW + 600)));
    let refused = host.ask("tools/list", json!({})).await;
    let challenge = format!("Bearer realm=\"aludel\", error=\"invalid_token\", {METADATA}");
    assert_eq!((refused.status, &refused.headers["www-authenticate"]), (401, &challenge.parse().expect("text")));
}

/// RFC 9728, sections 2 and 3.
#[tokio::test]
async fn the_metadata_is_read_without_a_token() {
    let host = newer(None);
    let read = async |path: &str, headers: &[(&str, &str)]| {
        let reply = host.send(request("GET", path, headers, Body::empty())).await.whole().await;
        assert_eq!(reply.status, 200, "{path}");
        reply.json()
    };
    let whole = json!({
        "resource": "http://localhost:8080/mcp",
        "resource_name": "aludel",
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["read", "write", "spend", "admin"],
    });
    assert_eq!(read("/.well-known/oauth-protected-resource", &[]).await, whole);
    assert_eq!(read("/.well-known/oauth-protected-resource/mcp", &[]).await, whole);
    let behind_a_proxy = read("/.well-known/oauth-protected-resource/mcp", &[("x-forwarded-proto", "https")]).await;
    assert_eq!(behind_a_proxy["resource"], "https://localhost:8080/mcp");
    let evil = [("host", "evil.example")];
    let reply = host.send(request("GET", "/.well-known/oauth-protected-resource", &evil, Body::empty())).await;
    assert_eq!(reply.status, 403);
}

#[tokio::test]
async fn a_token_needs_to_read_to_connect_and_the_scope_of_a_tool_to_call_it() {
    let calls = [
        ("get_system_info", json!({}), "read"),
        ("list_prompts", json!({}), "read"),
        ("generate_prompts", generation("Name a boat"), "spend"),
        ("delete_prompt", json!({ "prompt_id": "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21" }), "write"),
    ];
    let opened: [(&str, &[&str]); 4] = [
        ("read", &["read"]),
        ("write", &["read", "write"]),
        ("spend", &["read", "spend"]),
        ("admin", &["read", "write", "spend"]),
    ];
    let mut host = newer(Some(with_scope("")));
    let refused = host.ask("tools/list", json!({})).await;
    let challenge = format!("Bearer realm=\"aludel\", error=\"insufficient_scope\", scope=\"read\", {METADATA}");
    assert_eq!((refused.status, &refused.headers["www-authenticate"]), (403, &challenge.parse().expect("text")));
    for (scope, opened) in opened {
        host.token = Some(with_scope(scope));
        assert_eq!(host.ask("tools/list", json!({})).await.status, 200, "{scope}");
        for (tool, arguments, needed) in &calls {
            let reply = host.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await;
            if opened.contains(needed) {
                assert_eq!(reply.status, 200, "{tool} with {scope}");
                continue;
            }
            let challenge =
                format!("Bearer realm=\"aludel\", error=\"insufficient_scope\", scope=\"{needed}\", {METADATA}");
            assert_eq!(
                (reply.status, &reply.headers["www-authenticate"]),
                (403, &challenge.parse().expect("text")),
                "{tool}"
            );
        }
    }
}

/// A comparison reads, unless it asks the judge.
#[tokio::test]
async fn a_tool_that_spends_only_if_asked_to_checks_that_itself() {
    let mut host = newer(Some(with_scope("spend")));
    let made = host.call("generate_prompts", json!({ "input": "Name a boat", "count": 2 })).await;
    let prompts = &made["structuredContent"]["prompts"];
    let ids = json!([prompts[0]["id"], prompts[1]["id"]]);
    let judged = json!({ "prompt_ids": ids, "task_description": "Name a boat" });
    host.token = Some(with_scope("read"));
    assert_eq!(host.call("compare_prompts", json!({ "prompt_ids": ids })).await["isError"], false);
    let refused = host.call("compare_prompts", judged.clone()).await;
    assert_eq!(refused["isError"], true);
    let problem: Value = serde_json::from_str(refused["content"][0]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(problem["code"], "forbidden");
}

#[tokio::test]
async fn a_server_that_only_reads_does_so_for_every_token() {
    let seeded = seeded();
    let options = Options { tools: ToolSet::choose(None, true).expect("tools"), ..Options::default() };
    let router = http::router(&seeded.engine, options).expect("routes");
    let mut all = newer(Some(with_scope("spend")));
    let made = all.call("generate_prompts", json!({ "input": "Name a boat", "count": 2 })).await;
    assert_eq!(made["isError"], false);
    let mut host = Host { router, token: Some(with_scope("admin")), ..Host::newer(seeded) };
    let answer = host.result("tools/call", json!({ "name": "generate_prompts", "arguments": generation("x") })).await;
    assert_eq!(answer["error"]["code"], -32602);
    let judged = json!({ "prompt_ids": ["01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21", "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c22"],
        "task_description": "Name a boat" });
    let refused = host.call("compare_prompts", judged).await;
    assert!(refused["content"][0]["text"].as_str().expect("text").contains("forbidden"), "{refused}");
}

#[tokio::test]
async fn what_a_token_may_spend_in_a_day_is_counted_over_all_its_sessions() {
    let mut host = Host::new(seeded(), Era::Older);
    host.token = Some(bearer("few", "spend", &json!({ "max_calls": 2 })));
    host.open().await;
    let one = |number: u32| json!({ "input": format!("Name boat {number}"), "count": 1, "phases": ["coagulatio"] });
    assert_eq!(host.call("generate_prompts", one(1)).await["isError"], false);
    let mut second = host.other(host.token.as_deref());
    second.open().await;
    assert_eq!(second.call("generate_prompts", one(2)).await["isError"], false);
    let refused = second.call("generate_prompts", one(3)).await;
    let problem: Value = serde_json::from_str(refused["content"][0]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(problem["code"], "budget_exceeded", "{problem}");
    assert!(problem["detail"].as_str().expect("text").contains("allows 2 calls a day"), "{problem}");
    let mut rich = host.other(Some(&bearer("rich", "spend", &json!({}))));
    rich.open().await;
    assert_eq!(rich.call("generate_prompts", one(4)).await["isError"], false);
}

#[tokio::test]
async fn the_session_of_one_caller_does_not_exist_for_another() {
    let mut host = Host::new(seeded(), Era::Older);
    host.token = Some(bearer("one", "admin", &json!({})));
    host.open().await;
    let mut thief = host.other(Some(&bearer("two", "admin", &json!({}))));
    thief.session.clone_from(&host.session);
    assert_eq!(thief.ask("tools/list", json!({})).await.status, 404);
    assert_eq!(thief.bare("GET", &[]).await.status, 404);
    assert_eq!(thief.bare("GET", &[("last-event-id", "1")]).await.status, 404);
    assert_eq!(thief.bare("DELETE", &[]).await.status, 404);
    let hello = json!({ "protocolVersion": OLDER, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    assert_eq!(thief.ask("initialize", hello).await.status, 404);
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    assert_eq!(thief.post(&cancel).await.status, 404);
    // Another token of the same bearer goes on where the first was.
    let mut again = host.other(Some(&bearer("one", "read", &json!({ "iat": NOW }))));
    again.session.clone_from(&host.session);
    assert_eq!(again.ask("tools/list", json!({})).await.status, 200);
    // What a token may do counts for each request, and not what opened the session could.
    let arguments = json!({ "name": "generate_prompts", "arguments": generation("Name a boat") });
    assert_eq!(again.ask("tools/call", arguments).await.status, 403);
    assert_eq!(host.ask("tools/list", json!({})).await.status, 200);
}

#[tokio::test]
async fn a_budget_of_the_server_is_refused_where_tokens_have_theirs() {
    let options = || Options { budget_usd: Some(2.0), ..Options::default() };
    let error = http::router(&seeded().engine, options()).expect_err("a refusal").to_string();
    assert!(error.contains("budget_usd") && error.contains("aludel token --budget-usd"), "{error}");
    assert!(http::router(&Seeded::new().engine, options()).is_ok());
}
