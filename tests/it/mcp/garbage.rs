//! Lines that are not messages: each gets a JSON-RPC 2.0 error, and the next line is served.

use serde_json::{Value, json};

use super::{NEWER, Wire};
use crate::seeded::Seeded;

/// A call of a tool with these arguments, as text.
fn call(id: u64, arguments: &str) -> String {
    let meta =
        json!({ "io.modelcontextprotocol/protocolVersion": NEWER, "io.modelcontextprotocol/clientCapabilities": {} });
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"list_prompts","arguments":{arguments},"_meta":{meta}}}}}"#
    )
}

/// The code and id of the only reply to a line.
async fn answer(wire: &mut Wire, line: &str) -> (i64, Value) {
    wire.line(line).await;
    let answer = wire.next().await.expect("an answer");
    assert!(answer["error"]["message"].as_str().expect("words").len() < 200, "{answer}");
    (answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}")), answer["id"].clone())
}

#[tokio::test]
async fn each_is_told_what_it_is_before_and_within_a_session() {
    let mut wire = Wire::newer(Seeded::new());
    for _ in 0..2 {
        assert_eq!(answer(&mut wire, "this is no JSON").await, (-32700, Value::Null));
        assert_eq!(answer(&mut wire, &"[".repeat(1_000_000)).await, (-32700, Value::Null));
        assert_eq!(answer(&mut wire, &call(1, "1e999")).await, (-32700, Value::Null));
        assert_eq!(answer(&mut wire, &call(2, &("[".repeat(500) + &"]".repeat(500)))).await, (-32700, Value::Null));
        assert_eq!(answer(&mut wire, &format!("[{}]", call(3, "{}"))).await, (-32600, Value::Null));
        assert_eq!(answer(&mut wire, r#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#).await, (-32600, json!(4)));
        for wrong in ["[]", "[1]", "\"x\"", "7", "true"] {
            assert_eq!(answer(&mut wire, &call(5, wrong)).await, (-32602, json!(5)), "{wrong}");
        }
        assert!(wire.request("tools/list", json!({})).await.get("result").is_some());
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_no_json() {
    let mut wire = Wire::newer(Seeded::new());
    wire.bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xffng\"}\n\xff\xfe\n").await;
    for _ in 0..2 {
        assert_eq!(wire.next().await.expect("an answer")["error"]["code"], -32700);
    }
    assert!(wire.request("tools/list", json!({})).await.get("result").is_some());
}

#[tokio::test]
async fn a_line_that_is_too_long_is_told_once_and_left_out() {
    let mut wire = Wire::newer(Seeded::new());
    let long = call(1, &format!(r#"{{"provider":"{}"}}"#, "x".repeat(10_000_000)));
    assert_eq!(answer(&mut wire, &long).await, (-32600, Value::Null));
    assert!(wire.request("tools/list", json!({})).await.get("result").is_some());
    // The longest allowed: the tool rejects its value.
    wire.line(&call(2, &format!(r#"{{"provider":"{}"}}"#, "x".repeat(4_000_000)))).await;
    let refused = wire.next().await.expect("an answer");
    assert_eq!((&refused["id"], &refused["result"]["isError"]), (&json!(2), &json!(true)), "{refused}");
}

#[tokio::test]
async fn numbers_beyond_all_limits_and_names_given_twice_are_values_like_others() {
    let mut wire = Wire::newer(Seeded::new());
    wire.line(&call(1, r#"{"limit":99999999999999999999999}"#)).await;
    let refused = wire.next().await.expect("an answer");
    assert!(refused["result"]["content"][0]["text"].as_str().expect("text").contains("validation_failed"), "{refused}");
    wire.line(&call(2, r#"{"limit":0,"limit":2}"#)).await;
    assert_eq!(wire.next().await.expect("an answer")["result"]["isError"], false);
}

#[tokio::test]
async fn a_last_line_without_a_line_break_is_a_line() {
    let mut wire = Wire::newer(Seeded::new());
    wire.bytes(call(7, "{}").as_bytes()).await;
    wire.end();
    assert_eq!(wire.next().await.expect("an answer")["id"], 7);
    assert_eq!(wire.next().await, None);
}

#[tokio::test]
async fn more_calls_than_may_run_are_told_to_wait() {
    let script = "rules: [{fault: {kind: hang, after_chunks: 1}}]";
    let mut wire = Wire::newer(Seeded::with_script(script, "server: {max_connections: 2}"));
    for token in 1..=2 {
        let params =
            json!({ "name": "generate_prompts", "arguments": { "input": "x" }, "_meta": { "progressToken": token } });
        wire.ask("tools/call", params).await;
        while wire.next().await.expect("progress")["params"]["progressToken"] != json!(token) {}
    }
    let id = wire.ask("tools/call", json!({ "name": "list_prompts", "arguments": {} })).await;
    let refused = loop {
        let message = wire.next().await.expect("an answer");
        if message["id"] == json!(id) {
            break message;
        }
    };
    let text = refused["result"]["content"][0]["text"].as_str().expect("text");
    assert!(text.contains("\"overloaded\"") && text.contains("server.max_connections"), "{text}");
}
