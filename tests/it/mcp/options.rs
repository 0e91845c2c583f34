//! What a host is offered: chosen tools, only what reads, a budget for the session.

use aludel::server::mcp;
use aludel_core::api::ServeRequest;
use serde_json::{Value, json};

use super::Wire;
use crate::seeded::Seeded;

fn options(request: ServeRequest) -> mcp::Options {
    mcp::Options::new(request).expect("valid options")
}

async fn names(wire: &mut Wire) -> Vec<String> {
    let answer = wire.request("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().expect("tools");
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn only_the_chosen_tools_are_there() {
    let chosen = Some(vec!["spend".to_owned(), "list_prompts".to_owned()]);
    let mut wire = Wire::silent_with(Seeded::new(), options(ServeRequest { tools: chosen, ..ServeRequest::default() }));
    assert_eq!(names(&mut wire).await, ["list_prompts", "spend"]);
    let hidden = wire.request("tools/call", json!({ "name": "generate_prompts", "arguments": { "input": "x" } })).await;
    assert_eq!(hidden["error"]["code"], -32602, "{hidden}");
}

#[tokio::test]
async fn a_server_that_only_reads_changes_and_spends_nothing() {
    let seeded = Seeded::with_echo();
    let engine = seeded.engine.clone();
    let mut whole = Wire::newer(seeded);
    let made = whole.content("generate_prompts", json!({ "input": "Write a haiku", "count": 2 })).await;
    let ids: Vec<&Value> = made["prompts"].as_array().expect("prompts").iter().map(|prompt| &prompt["id"]).collect();

    let read_only = options(ServeRequest { read_only: true, ..ServeRequest::default() });
    let mut wire = Wire::silent_with(Seeded::over(engine), read_only);
    let answer = wire.request("tools/list", json!({})).await;
    for tool in answer["result"]["tools"].as_array().expect("tools") {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{}", tool["name"]);
    }
    for hidden in ["generate_prompts", "update_prompt", "delete_prompt", "job_cancel", "select_best_prompt"] {
        let refused = wire.request("tools/call", json!({ "name": hidden, "arguments": {} })).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    wire.content("compare_prompts", json!({ "prompt_ids": ids })).await;
    let judged = json!({ "prompt_ids": ids, "task_description": "Write a haiku", "judge_provider": "sim" });
    let refused = wire.call("compare_prompts", judged).await;
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(refused["content"][0]["text"].as_str().is_some_and(|text| text.contains("forbidden")), "{refused}");
}

#[tokio::test]
async fn all_calls_of_a_session_share_its_budget() {
    // A call may cost $0.0004, and costs about a quarter of that.
    let script = "{answer: {words: 10}, price: {input: 0, output: 10}}";
    let seeded = Seeded::with_script(script, "");
    let engine = seeded.engine.clone();
    let budget = options(ServeRequest { budget_usd: Some(0.001), ..ServeRequest::default() });
    let mut wire = Wire::silent_with(seeded, budget);
    let arguments = json!({ "input": "Write a haiku", "count": 1, "phases": ["coagulatio"], "max_tokens": 40 });
    let mut made = 0;
    let refused = loop {
        let result = wire.call("generate_prompts", arguments.clone()).await;
        if result["isError"] == true {
            break result;
        }
        made += 1;
        assert!(made < 100, "nothing ends it");
    };
    assert!(made >= 2, "{made}");
    let detail = refused["content"][0]["text"].as_str().expect("text");
    assert!(detail.contains("budget_exceeded") && detail.contains("this session allows $0.001"), "{detail}");
    assert!(detail.contains("--budget-usd"), "{detail}");

    let mut other = Wire::silent_with(
        Seeded::over(engine),
        options(ServeRequest { budget_usd: Some(0.001), ..ServeRequest::default() }),
    );
    other.content("generate_prompts", arguments).await;
}
