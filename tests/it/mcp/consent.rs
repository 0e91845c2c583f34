//! A run that may cost more than is allowed unasked: the user is asked where the client can ask.

use serde_json::{Value, json};

use super::Wire;
use crate::seeded::Seeded;

/// Dollars per million tokens, so that a call may cost about half a dollar.
const SCRIPT: &str = "{answer: echo, price: {input: 1000, output: 1000}}";

fn seeded() -> Seeded {
    Seeded::with_script(SCRIPT, "spend: {preflight_usd: 0.1}\n")
}

fn asking() -> Value {
    json!({ "elicitation": { "form": {} } })
}

fn request() -> Value {
    json!({ "input": "Write a haiku", "count": 1, "phases": ["coagulatio"], "max_tokens": 200 })
}

fn refused(result: &Value) -> String {
    assert_eq!(result["isError"], true, "{result}");
    let problem: Value = serde_json::from_str(result["content"][0]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(problem["code"], "budget_exceeded", "{problem}");
    problem["detail"].as_str().expect("a detail").to_owned()
}

async fn stored(wire: &mut Wire) -> usize {
    wire.content("list_prompts", json!({})).await["prompts"].as_array().expect("prompts").len()
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_told_what_is_the_consent() {
    for mut wire in [Wire::newer(seeded()), Wire::older(seeded()).await] {
        let detail = refused(&wire.call("generate_prompts", request()).await);
        assert!(detail.contains("budget_usd"), "{detail}");
        assert_eq!(stored(&mut wire).await, 0);
        let mut request = request();
        request["budget_usd"] = json!(5);
        wire.content("generate_prompts", request).await;
        assert_eq!(stored(&mut wire).await, 1);
    }
}

/// The tool call with replies to what was asked.
async fn again(wire: &mut Wire, replies: Value) -> Value {
    let params = json!({ "name": "generate_prompts", "arguments": request(), "inputResponses": replies });
    wire.request("tools/call", params).await["result"].clone()
}

#[tokio::test]
async fn in_the_newer_version_the_question_is_the_answer_and_the_reply_comes_with_the_next_call() {
    let mut wire = Wire::newer(seeded()).with_capabilities(asking());
    let question = wire.call("generate_prompts", request()).await;
    assert_eq!(question["resultType"], "input_required", "{question}");
    let asked = question["inputRequests"].as_object().expect("requests");
    let (name, asked) = asked.iter().next().expect("one");
    assert_eq!((&asked["method"], &asked["params"]["mode"]), (&json!("elicitation/create"), &json!("form")));
    let message = asked["params"]["message"].as_str().expect("a message");
    assert!(message.contains('$') && message.contains("1 call") && message.contains("$0.1"), "{message}");

    let unknown = again(&mut wire, json!({ "other": { "action": "accept" } })).await;
    assert_eq!(unknown["resultType"], "input_required", "a reply to something else is none");
    for action in ["decline", "cancel"] {
        let detail = refused(&again(&mut wire, json!({ name.as_str(): { "action": action } })).await);
        assert!(detail.contains("the user did not agree"), "{detail}");
    }
    assert_eq!(stored(&mut wire).await, 0);
    let done = again(&mut wire, json!({ name.as_str(): { "action": "accept", "content": {} } })).await;
    assert_eq!(done["isError"], false, "{done}");
    assert_eq!(stored(&mut wire).await, 1);
}

#[tokio::test]
async fn in_the_older_version_the_server_asks() {
    for (reply, is_made) in [
        (json!({ "result": { "action": "accept", "content": {} } }), true),
        (json!({ "result": { "action": "decline" } }), false),
        (json!({ "error": { "code": -32601, "message": "not here" } }), false),
    ] {
        let mut wire = Wire::silent(seeded()).with_capabilities(json!({ "elicitation": {} })).greeted().await;
        let id = wire.ask("tools/call", json!({ "name": "generate_prompts", "arguments": request() })).await;
        let question = wire.next().await.expect("a question");
        assert_eq!(question["method"], "elicitation/create", "{question}");
        assert_eq!(question["params"]["requestedSchema"]["type"], "object");
        let mut answer = json!({ "jsonrpc": "2.0", "id": question["id"] });
        answer.as_object_mut().expect("an object").extend(reply.as_object().expect("an object").clone());
        wire.line(&answer.to_string()).await;
        let result = wire.answer(id).await["result"].clone();
        assert_eq!(result["isError"], !is_made, "{result}");
        assert_eq!(stored(&mut wire).await, usize::from(is_made));
    }
}

#[tokio::test]
async fn a_batch_and_a_choice_ask_as_well() {
    let mut wire = Wire::newer(seeded()).with_capabilities(asking());
    let mut generation = request();
    generation["budget_usd"] = json!(5);
    generation["count"] = json!(2);
    let made = wire.content("generate_prompts", generation).await;
    let ids: Vec<&Value> = made["prompts"].as_array().expect("prompts").iter().map(|prompt| &prompt["id"]).collect();
    let rows = json!({ "rows": [{ "input": "Name a boat" }], "count": 1 });
    let judging = json!({ "prompt_ids": ids, "task_description": "Write a haiku", "judge_provider": "sim" });
    for (tool, arguments) in
        [("start_batch", rows), ("select_best_prompt", judging.clone()), ("compare_prompts", judging)]
    {
        let question = wire.call(tool, arguments).await;
        assert_eq!(question["resultType"], "input_required", "{tool}: {question}");
    }
}
