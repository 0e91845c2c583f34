//! The tools: descriptions, results, failures, progress and cancellation.

use std::fmt::Write as _;

use aludel::server::mcp::EVENT_KEY;
use aludel_core::domain::PromptFields;
use aludel_core::error::Problem;
use serde_json::{Value, json};

use super::Wire;
use crate::seeded::Seeded;

/// The problem of a call that must fail.
async fn problem(wire: &mut Wire, tool: &str, arguments: Value) -> Problem {
    let result = wire.call(tool, arguments).await;
    assert_eq!(result["isError"], true, "{result}");
    assert!(result.get("structuredContent").is_none(), "SDKs check it against the output schema");
    let problem: Problem =
        serde_json::from_str(result["content"][0]["text"].as_str().expect("text")).expect("a problem");
    assert!(problem.request_id.is_some());
    problem
}

fn fields(problem: &Problem) -> Vec<&str> {
    problem.errors.iter().map(|fault| fault.field.as_str()).collect()
}

#[tokio::test]
async fn a_model_is_told_what_each_tool_does_and_takes() {
    let mut wire = Wire::newer(Seeded::new());
    let answer = wire.request("tools/list", json!({})).await;
    let mut told = String::new();
    for tool in answer["result"]["tools"].as_array().expect("tools") {
        let text = |name: &str| tool[name].as_str().expect("text").to_owned();
        let _ = writeln!(told, "{} - {}\n{}", text("name"), text("title"), text("description"));
        let _ = writeln!(told, "{}", tool["annotations"]);
        let (input, output) = (&tool["inputSchema"], &tool["outputSchema"]);
        assert_eq!((&input["type"], &input["additionalProperties"]), (&json!("object"), &json!(false)));
        assert_eq!(output["type"], "object");
        for (name, property) in input["properties"].as_object().expect("properties") {
            assert!(property["description"].is_string(), "{name} is not described");
            let required = input["required"].as_array().is_some_and(|names| names.contains(&json!(name)));
            let _ = writeln!(told, "  in  {name}{} {}", if required { "!" } else { "" }, property["type"]);
        }
        let members = output["properties"].as_object().expect("properties");
        assert_eq!(output["minProperties"], members.len(), "{}: each is always written", tool["name"]);
        assert_eq!(output["additionalProperties"], false, "and nothing else");
        for (name, _) in members {
            let _ = writeln!(told, "  out {name}");
        }
        told.push('\n');
    }
    insta::assert_snapshot!(told);
}

/// Where a schema has what translators of schemas refuse: a list of types, or null as a default.
fn unportable(path: &str, value: &Value) -> Vec<String> {
    let below = |name: &str, value: &Value| unportable(&format!("{path}/{name}"), value);
    match value {
        Value::Object(fields) => {
            let is_list = fields.get("type").is_some_and(Value::is_array);
            let is_null = fields.get("default").is_some_and(Value::is_null);
            let own = (is_list || is_null).then(|| path.to_owned());
            own.into_iter().chain(fields.iter().flat_map(|(name, value)| below(name, value))).collect()
        }
        Value::Array(items) => items.iter().flat_map(|item| below("", item)).collect(),
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn schemas_have_a_single_type_everywhere() {
    let mut wire = Wire::newer(Seeded::new());
    let answer = wire.request("tools/list", json!({})).await;
    for tool in answer["result"]["tools"].as_array().expect("tools") {
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(unportable(schema, &tool[schema]), [""; 0], "{}", tool["name"]);
        }
    }
}

/// A model pays for the list with every conversation. The estimate errs on the high side for JSON: by
/// `o200k_base` it was 5,400 tokens for the model and 8,700 in all when these bounds were set.
#[tokio::test]
async fn the_list_of_tools_is_short() {
    let mut wire = Wire::newer(Seeded::new());
    let list = wire.request("tools/list", json!({})).await["result"]["tools"].clone();
    let tokens = |value: &Value| aludel_core::text::tokens::estimate(&value.to_string());
    // What hosts hand on to a model: the rest is for them.
    let shown: Vec<Value> = list.as_array().expect("tools").iter().map(|tool| {
        json!({ "name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"] })
    }).collect();
    let (shown, all) = (tokens(&json!(shown)), tokens(&list));
    assert!(shown <= 8_500 && all <= 14_900, "{shown} tokens for the model, {all} in all");
}

#[tokio::test]
async fn prompts_are_generated_found_changed_and_deleted() {
    let mut wire = Wire::older(Seeded::with_echo()).await;
    let result = wire.content("generate_prompts", json!({ "input": "Write a haiku", "count": 2, "tags": ["a"] })).await;
    let prompts = result["prompts"].as_array().expect("prompts");
    assert_eq!(prompts.len(), 2);
    let id = &prompts[0]["id"];

    assert_eq!(&wire.prompt(id).await, &prompts[0]);
    let page = wire.content("list_prompts", json!({ "tags": ["a"], "limit": 1 })).await;
    assert_eq!(page["prompts"].as_array().expect("prompts").len(), 1);
    assert!(page["next_cursor"].is_string());

    let changed = wire.content("update_prompt", json!({ "prompt_id": id, "tags": ["b"], "revision": 1 })).await;
    assert_eq!((&changed["tags"], &changed["revision"]), (&json!(["b"]), &json!(2)));
    let old = problem(&mut wire, "update_prompt", json!({ "prompt_id": id, "notes": "x", "revision": 1 })).await;
    assert_eq!(old.code.as_str(), "conflict");

    let deleted = wire.content("delete_prompt", json!({ "prompt_id": id })).await;
    assert_eq!(deleted["deleted"], json!([id]));
    assert!(deleted["restorable_until"].is_string(), "{deleted}");
    assert_eq!(problem(&mut wire, "get_prompt_details", json!({ "prompt_id": id })).await.code.as_str(), "not_found");
    let restored = wire.content("restore_prompt", json!({ "prompt_id": id })).await;
    assert_eq!((&restored["restored"][0]["id"], &restored["restored"][0]["revision"]), (id, &json!(3)));
    assert_eq!(wire.content("get_prompt_details", json!({ "prompt_id": id })).await["tags"], json!(["b"]));
    let none = problem(&mut wire, "restore_prompt", json!({ "prompt_id": id })).await;
    assert_eq!(none.code.as_str(), "not_found");
}

#[tokio::test]
async fn the_texts_of_a_prompt_are_cut_to_what_a_model_has_room_for() {
    let mut wire = Wire::newer(Seeded::with_echo());
    wire.content("generate_prompts", json!({ "input": "Write a haiku", "count": 1, "context": ["c"] })).await;
    let text = &"héllo ".repeat(5_000);
    let id = &wire.content("update_prompt", json!({ "prompt_id": "@last", "content": text })).await["id"];

    let usual = wire.content("get_prompt_details", json!({ "prompt_id": id })).await;
    let shown = usual["content"].as_str().expect("text");
    assert_eq!((shown.chars().count(), text.starts_with(shown)), (20_000, true));
    assert_eq!(
        (&usual["truncated"], &usual["original_input"], &usual["context"]),
        (&json!(true), &json!(""), &json!([""]))
    );
    assert_eq!(usual["cut"][0], json!({ "field": "content", "chars": text.chars().count() }));
    assert!(usual.to_string().len() < 50_000);

    let all = wire.content("get_prompt_details", json!({ "prompt_id": id, "max_chars": 1_000_000 })).await;
    assert_eq!((&all["truncated"], &all["content"], &all["cut"]), (&json!(false), &json!(text), &json!([])));
    let chars = |text: &Value| text.as_str().expect("text").chars().count();
    let steps: usize = all["steps"].as_array().expect("steps").iter().map(|step| chars(&step["content"])).sum();
    assert_eq!(all["text_chars"], json!(chars(&all["content"]) + chars(&all["original_input"]) + 1 + steps));
    assert_eq!(usual["text_chars"], all["text_chars"]);
    for wrong in [json!(0), json!(-1), json!(100_000_001)] {
        let bad = problem(&mut wire, "get_prompt_details", json!({ "prompt_id": id, "max_chars": wrong })).await;
        assert_eq!(fields(&bad), ["max_chars"]);
    }
}

#[tokio::test]
async fn prompts_are_exported_as_one_text() {
    let mut wire = Wire::older(Seeded::with_echo()).await;
    wire.content("generate_prompts", json!({ "input": "Write a haiku", "count": 12, "tags": ["a"] })).await;
    let mut listed = wire.content("list_prompts", json!({ "fields": PromptFields::NAMES })).await;
    for row in listed["prompts"].as_array_mut().expect("prompts") {
        // A list's own field: among twelve variants some are near duplicates.
        row.as_object_mut().expect("a prompt").remove("near_duplicate_of");
    }
    let exported = wire.content("export_prompts", json!({})).await;
    assert_eq!((&exported["format"], &exported["count"], &exported["total"]), (&json!("json"), &json!(10), &json!(12)));
    let text = exported["text"].as_str().expect("text");
    let mut rows: Value = serde_json::from_str(text).expect("JSON");
    for row in rows.as_array_mut().expect("prompts") {
        // An export's own field, so that its run can be restored.
        let run = row.as_object_mut().expect("a prompt").remove("session").expect("a run");
        assert_eq!(run["count"], 12);
    }
    assert_eq!(rows, listed["prompts"]);
    let csv = wire.content("export_prompts", json!({ "format": "csv", "limit": 1, "tags": ["a"] })).await;
    assert!(csv["text"].as_str().expect("text").starts_with("id,session_id,variant,content,"));
    let bad = problem(&mut wire, "export_prompts", json!({ "format": "xml" })).await;
    assert_eq!(fields(&bad), ["format"]);
}

#[tokio::test]
async fn prompts_are_measured_alone_and_together() {
    let mut wire = Wire::newer(Seeded::with_echo());
    let result = wire.content("generate_prompts", json!({ "input": "Write a haiku", "count": 2, "tags": ["a"] })).await;
    let best = &result["prompts"][0];
    let one = wire.content("get_prompt_metrics", json!({ "prompt_id": best["id"] })).await;
    assert_eq!((&one["prompt_id"], &one["rank"], &one["ranked"]), (&best["id"], &json!(1), &json!(2)));
    assert_eq!((&one["model_metadata"], &one["score"]), (&best["model_metadata"], &best["score"]));
    assert_eq!(one["steps"].as_array().map(Vec::len), Some(3));

    let together = wire.content("analyze_prompt_performance", json!({ "tags": ["a"] })).await;
    assert_eq!((&together["matched"], &together["measured"]), (&json!(2), &json!(2)));
    assert_eq!(together["total"]["steps"], 6);
    assert!(together.get("prompts").is_none(), "each of them would fill a model's context");
    let ids = json!({ "prompt_ids": [best["id"]] });
    assert_eq!(wire.content("analyze_prompt_performance", ids).await["measured"], 1);
    let both = problem(&mut wire, "analyze_prompt_performance", json!({ "prompt_ids": ["@last"], "limit": 3 })).await;
    assert_eq!(fields(&both), ["prompt_ids"]);
}

#[tokio::test]
async fn the_installation_is_described() {
    let mut wire = Wire::newer(Seeded::with_echo());
    let info = wire.content("get_system_info", json!({})).await;
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(info["phases"], json!(["prima-materia", "solutio", "coagulatio"]));
    let providers = wire.content("get_provider_status", json!({})).await;
    let names: Vec<&Value> = providers["providers"].as_array().expect("a list").iter().map(|it| &it["name"]).collect();
    let by_name = json!(["sim", "builtin", "openai", "anthropic", "google", "openrouter", "ollama"]);
    assert_eq!(info["providers"], by_name);
    assert!(info["providers"].as_array().expect("a list").iter().all(|name| names.contains(&name)));
}

#[tokio::test]
async fn the_installation_is_checked() {
    let mut wire = Wire::newer(Seeded::with_echo());
    let found = wire.content("validate_configuration", json!({})).await;
    assert_eq!(found["valid"], true, "{found}");
    assert!(found["checks"].as_array().expect("checks").iter().any(|check| check["name"] == "database"));
}

#[tokio::test]
async fn a_name_that_is_not_listed_is_answered_too() {
    let mut wire = Wire::newer(Seeded::with_echo());
    let result = wire.content("generate_prompt", json!({ "input": "Write a haiku", "count": 1 })).await;
    assert_eq!(result["prompts"].as_array().expect("prompts").len(), 1);
}

#[tokio::test]
async fn bad_arguments_are_named_all_of_them() {
    let mut wire = Wire::newer(Seeded::new());
    let shape = problem(&mut wire, "generate_prompts", json!({ "count": "many", "cuont": 3 })).await;
    assert_eq!((shape.code.as_str(), fields(&shape)), ("invalid_request", vec!["input", "count", "cuont"]));
    let value = problem(&mut wire, "generate_prompts", json!({ "input": " ", "count": 0, "tags": ["a,b"] })).await;
    assert_eq!((value.code.as_str(), fields(&value)), ("validation_failed", vec!["input", "count", "tags[0]"]));
    let idle = problem(&mut wire, "get_system_info", json!({ "verbose": true })).await;
    assert_eq!(fields(&idle), ["verbose"]);
    let all = problem(&mut wire, "delete_prompt", json!({ "all": true })).await;
    assert_eq!(fields(&all), ["prompt_id", "all"]);
}

#[tokio::test]
async fn a_call_without_arguments_is_one_with_none() {
    let mut wire = Wire::newer(Seeded::new());
    let answer = wire.request("tools/call", json!({ "name": "list_prompts" })).await;
    assert_eq!(answer["result"]["structuredContent"], json!({ "prompts": [], "next_cursor": null }));
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol() {
    let mut wire = Wire::newer(Seeded::new());
    let answer = wire.request("tools/call", json!({ "name": "no_such_tool", "arguments": {} })).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer["error"]["message"].as_str().expect("text").contains("tools/list"));
}

#[tokio::test]
async fn a_provider_that_fails_is_named_in_the_problem() {
    let mut wire = Wire::newer(Seeded::with_script("rules: [{fault: auth}]", ""));
    let failed = problem(&mut wire, "generate_prompts", json!({ "input": "x", "count": 1 })).await;
    assert_eq!((failed.code.as_str(), failed.provider.as_deref()), ("provider_auth", Some("sim")));
}

#[tokio::test]
async fn progress_is_told_to_who_asked_and_to_nobody_else() {
    let mut wire = Wire::newer(Seeded::with_echo());
    let arguments = json!({ "input": "Write a haiku", "count": 2 });
    wire.content("generate_prompts", arguments.clone()).await;
    assert_eq!(wire.notifications, Vec::<Value>::new());

    let params = json!({ "name": "generate_prompts", "arguments": arguments, "_meta": { "progressToken": "mine" } });
    wire.request("tools/call", params).await;
    let told = &wire.notifications;
    assert!(told.iter().all(|it| it["method"] == "notifications/progress" && it["params"]["progressToken"] == "mine"));
    let numbers: Vec<f64> = told.iter().map(|it| it["params"]["progress"].as_f64().expect("a number")).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b) && numbers.last() == Some(&7.0), "{numbers:?}");
    assert!(told.iter().all(|it| it["params"]["total"] == 7.0));
    assert!(told.iter().all(|it| !it["params"]["message"].as_str().expect("words").is_empty()));
    let kinds: Vec<&str> =
        told.iter().map(|it| it["params"]["_meta"][EVENT_KEY]["type"].as_str().expect("a type")).collect();
    assert_eq!(kinds[0], "started");
    assert_eq!(kinds.iter().filter(|kind| **kind == "phase_finished").count(), 6);
    assert_eq!(kinds.iter().filter(|kind| **kind == "variant_finished").count(), 2);
    assert!(!kinds.contains(&"delta") && kinds.last() == Some(&"finished"));
}

#[tokio::test]
async fn the_progress_of_a_comparison_counts_its_pairs_up_to_the_total() {
    let mut wire = Wire::newer(Seeded::with_script("{seed: 3, answer: echo, judge: {quality_spread: 2}}", ""));
    let made = wire.content("generate_prompts", json!({ "input": "Name a boat", "count": 4 })).await;
    let ids: Vec<&Value> = made["prompts"].as_array().expect("prompts").iter().map(|prompt| &prompt["id"]).collect();
    let arguments = json!({ "prompt_ids": ids, "task_description": "Name a boat" });
    let params = json!({ "name": "compare_prompts", "arguments": arguments, "_meta": { "progressToken": 1 } });
    wire.request("tools/call", params).await;
    let told: Vec<(f64, f64, &str)> = wire
        .notifications
        .iter()
        .map(|it| &it["params"])
        .map(|it| {
            let number = |name: &str| it[name].as_f64().expect("a number");
            (number("progress"), number("total"), it["message"].as_str().expect("words"))
        })
        .collect();
    // At most three pairs, and one step for what follows.
    assert_eq!(told.first(), Some(&(0.0, 4.0, "the judge makes up to 3 comparisons")));
    assert_eq!(told.last(), Some(&(4.0, 4.0, "compare is done")));
    assert!(told.is_sorted_by(|a, b| a.0 < b.0), "{told:?}");
    assert!(told.contains(&(1.0, 4.0, "1 of 3 comparisons")), "{told:?}");
}

#[tokio::test]
async fn a_cancelled_call_stops_its_run_and_is_not_answered() {
    let script = "rules: [{when: {input: hang}, fault: {kind: hang, after_chunks: 1}}]";
    let config = "providers:\n  sim: {script: script.yaml, max_retries: 0, max_concurrency: 1}\n";
    let mut wire = Wire::older(Seeded::with_files(config, &[("script.yaml", script)])).await;
    let params = json!({
        "name": "generate_prompts", "arguments": { "input": "please hang", "count": 1 }, "_meta": { "progressToken": 1 }
    });
    let id = wire.ask("tools/call", params).await;
    assert_eq!(wire.next().await.expect("progress")["method"], "notifications/progress");
    wire.notify("notifications/cancelled", json!({ "requestId": id, "reason": "changed my mind" })).await;
    // The provider takes one call at a time: the next is answered only if the first was dropped.
    let result = wire.content("generate_prompts", json!({ "input": "go on", "count": 1 })).await;
    assert_eq!(result["prompts"].as_array().expect("prompts").len(), 1);
    assert_eq!(wire.request("ping", json!({})).await["result"], json!({}));
}
