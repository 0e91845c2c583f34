//! Beginning and end: both protocol versions, unexpected clients, and every way to stop.

use std::time::Duration;

use serde_json::json;

use super::{NEWER, OLDER, Wire};
use crate::seeded::Seeded;

#[tokio::test]
async fn the_older_era_begins_with_a_greeting() {
    let mut wire = Wire::silent(Seeded::new());
    let client = json!({ "name": "test", "version": "1" });
    let hello = json!({ "protocolVersion": OLDER, "capabilities": {}, "clientInfo": client });
    let hello = json!({ "jsonrpc": "2.0", "id": "a", "method": "initialize", "params": hello });
    wire.line(&hello.to_string()).await;
    let answer = wire.next().await.expect("an answer");
    let result = &answer["result"];
    assert_eq!((&answer["id"], &result["protocolVersion"]), (&json!("a"), &json!(OLDER)));
    assert_eq!(result["serverInfo"]["name"], "aludel");
    assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    let (list, resources) = (json!({ "listChanged": true }), json!({ "subscribe": true, "listChanged": true }));
    let capabilities = json!({ "tools": {}, "resources": resources, "prompts": list, "completions": {} });
    assert_eq!(result["capabilities"], capabilities);
    assert!(result["instructions"].as_str().expect("text").contains("generate_prompts"));
}

#[tokio::test]
async fn an_older_session_pings_and_lists_tools_in_its_own_form() {
    let mut wire = Wire::older(Seeded::new()).await;
    assert_eq!(wire.request("ping", json!({})).await["result"], json!({}));
    let tools = wire.request("tools/list", json!({})).await;
    assert!(tools["result"]["tools"].as_array().expect("tools").len() >= 6);
    assert!(tools["result"].get("resultType").is_none() && tools["result"].get("ttlMs").is_none());
}

#[tokio::test]
async fn the_newer_era_needs_no_greeting() {
    let mut wire = Wire::newer(Seeded::new());
    let tools = wire.request("tools/list", json!({})).await;
    assert_eq!(tools["result"]["resultType"], "complete");
    assert!(tools["result"]["ttlMs"].is_u64());
}

#[tokio::test]
async fn the_newer_era_is_discovered() {
    let mut wire = Wire::newer(Seeded::new());
    let found = wire.request("server/discover", json!({})).await;
    let versions: Vec<&str> = found["result"]["supportedVersions"]
        .as_array()
        .expect("versions")
        .iter()
        .filter_map(|it| it.as_str())
        .collect();
    assert!(versions.contains(&OLDER) && versions.contains(&NEWER), "{versions:?}");
}

#[tokio::test]
async fn a_version_of_the_future_is_told_those_there_are() {
    let mut wire = Wire::silent(Seeded::new());
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2099-01-01", "io.modelcontextprotocol/clientCapabilities": {} });
    wire.line(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } }).to_string())
        .await;
    let answer = wire.next().await.expect("an answer");
    assert_eq!(answer["error"]["code"], -32022);
    assert_eq!(answer["error"]["data"]["requested"], "2099-01-01");
}

#[tokio::test]
async fn what_comes_before_the_first_request_does_no_harm() {
    let mut wire = Wire::newer(Seeded::new());
    wire.line("this is no JSON").await;
    assert_eq!(wire.next().await.expect("an answer")["error"]["code"], -32700);
    wire.notify("notifications/cancelled", json!({ "requestId": 7 })).await;
    wire.notify("notifications/initialized", json!({})).await;
    wire.line(&json!({ "jsonrpc": "2.0", "id": 9, "result": {} }).to_string()).await;
    assert!(wire.request("tools/list", json!({})).await.get("result").is_some());
}

#[tokio::test]
async fn a_request_without_what_it_needs_is_told_so_and_the_next_is_served() {
    let mut wire = Wire::newer(Seeded::new());
    wire.line(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string()).await;
    assert_eq!(wire.next().await.expect("an answer")["error"]["code"], -32602);
    assert!(wire.request("tools/list", json!({})).await.get("result").is_some());
}

#[tokio::test]
async fn the_end_of_input_before_any_request_is_the_end() {
    let mut wire = Wire::silent(Seeded::new());
    wire.end();
    assert_eq!(wire.next().await, None);
    wire.task.await.expect("no panic");
}

#[tokio::test]
async fn what_was_asked_before_the_end_of_input_is_still_answered() {
    let mut wire = Wire::newer(Seeded::with_echo());
    let arguments = json!({ "input": "Write a haiku", "count": 1 });
    let params = json!({ "name": "generate_prompts", "arguments": arguments, "_meta": { "progressToken": 1 } });
    let id = wire.ask("tools/call", params).await;
    wire.end();
    assert_eq!(wire.answer(id).await["result"]["isError"], false);
    assert_eq!(wire.next().await, None);
    wire.task.await.expect("no panic");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_never_ends_does_not_keep_the_server_after_its_input() {
    let mut wire = Wire::newer(Seeded::with_script("rules: [{fault: hang}]", ""));
    wire.ask("tools/call", json!({ "name": "generate_prompts", "arguments": { "input": "x" } })).await;
    wire.end();
    let begun = tokio::time::Instant::now();
    while wire.next().await.is_some() {}
    wire.task.await.expect("no panic");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_what_runs_at_once() {
    let mut wire = Wire::newer(Seeded::with_script("rules: [{fault: {kind: hang, after_chunks: 1}}]", ""));
    let params = json!({ "name": "generate_prompts", "arguments": { "input": "x" }, "_meta": { "progressToken": 1 } });
    wire.ask("tools/call", params).await;
    assert_eq!(wire.next().await.expect("progress")["method"], "notifications/progress");
    let begun = tokio::time::Instant::now();
    wire.stop.cancel();
    while wire.next().await.is_some() {}
    wire.task.await.expect("no panic");
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_stop_before_any_request_is_the_end() {
    let mut wire = Wire::silent(Seeded::new());
    wire.stop.cancel();
    assert_eq!(wire.next().await, None);
}

#[tokio::test]
async fn an_output_that_breaks_ends_what_runs_and_the_server() {
    let script = "answer: {words: 2000}\npacing: {tokens_per_s: 20}";
    let mut wire = Wire::newer(Seeded::with_script(script, ""));
    let params = json!({ "name": "generate_prompts", "arguments": { "input": "x" }, "_meta": { "progressToken": 1 } });
    wire.ask("tools/call", params).await;
    wire.next().await.expect("progress");
    wire.close_output();
    // The next reply cannot be written, although the input is still open.
    wire.ask("tools/list", json!({})).await;
    (&mut wire.task).await.expect("no panic");
}
