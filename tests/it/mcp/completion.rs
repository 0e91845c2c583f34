//! Completion of ids and arguments, in both versions of the protocol.

use serde_json::{Value, json};

use super::Wire;
use crate::seeded::Seeded;

async fn both() -> [Wire; 2] {
    [Wire::newer(Seeded::with_echo()), Wire::older(Seeded::with_echo()).await]
}

fn of_id(value: &str) -> Value {
    json!({
        "ref": { "type": "ref/resource", "uri": "aludel://prompts/{id}" },
        "argument": { "name": "id", "value": value }
    })
}

fn of_prompt(prompt: &str, argument: &str, value: &str) -> Value {
    json!({ "ref": { "type": "ref/prompt", "name": prompt }, "argument": { "name": argument, "value": value } })
}

async fn complete(wire: &mut Wire, params: Value) -> Value {
    let answer = wire.request("completion/complete", params).await;
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"]["completion"].clone()
}

#[tokio::test]
async fn the_id_of_a_resource_is_completed_newest_first() {
    for mut wire in both().await {
        let none = complete(&mut wire, of_id("")).await;
        assert_eq!(none, json!({ "values": [], "total": 0, "hasMore": false }));
        for count in [100, 50] {
            wire.content("generate_prompts", json!({ "input": "Write a haiku", "count": count })).await;
        }
        let all = wire.content("list_prompts", json!({ "limit": 1000 })).await;
        let ids: Vec<&str> =
            all["prompts"].as_array().expect("prompts").iter().map(|row| row["id"].as_str().expect("an id")).collect();
        let found = complete(&mut wire, of_id("")).await;
        assert_eq!(
            (&found["values"], &found["total"], &found["hasMore"]),
            (&json!(ids[..100]), &json!(150), &json!(true))
        );
        let oldest = ids[149];
        for typed in [oldest, &oldest[oldest.len() - 8..]] {
            let found = complete(&mut wire, of_id(typed)).await;
            assert_eq!(found, json!({ "values": [oldest], "total": 1, "hasMore": false }), "{typed}");
        }
        let huge = "0".repeat(1_000_000);
        for typed in ["zz", "\u{1b}", "%", &huge] {
            assert_eq!(complete(&mut wire, of_id(typed)).await["values"], json!([]));
        }
    }
}

#[tokio::test]
async fn an_argument_is_completed_where_its_values_are_known() {
    for mut wire in both().await {
        wire.content("generate_prompts", json!({ "input": "Ask", "count": 1, "tags": ["sea"] })).await;
        let content = "Ask {{persona}} about {{subject}}, {{tag}}, {{provider}}.";
        let raw = json!({ "prompt_id": "@last", "content": content, "add_tags": ["mcp"] });
        let prompt = wire.content("update_prompt", raw).await;
        let id = prompt["id"].as_str().expect("an id");
        let name = format!("ask_{}", &id[id.len() - 8..]);
        for (argument, typed, expected) in [
            ("persona", "w", json!(["writing"])),
            ("persona", "W", json!(["writing"])),
            ("provider", "si", json!(["sim"])),
            ("tag", "s", json!(["sea"])),
            ("subject", "", json!([])),
            ("persona", "nobody", json!([])),
        ] {
            let found = complete(&mut wire, of_prompt(&name, argument, typed)).await;
            let total = expected.as_array().map(Vec::len);
            assert_eq!(found, json!({ "values": expected, "total": total, "hasMore": false }), "{argument}");
        }
        let input = complete(&mut wire, of_prompt("persona_code", "input", "Write")).await;
        assert_eq!(input["values"], json!([]));
    }
}

#[tokio::test]
async fn what_cannot_be_completed_is_refused() {
    for mut wire in both().await {
        let other = json!({ "type": "ref/resource", "uri": "file:///{path}" });
        let ours = json!({ "type": "ref/resource", "uri": "aludel://prompts/{id}" });
        for (params, says) in [
            (json!({ "ref": other, "argument": { "name": "path", "value": "" } }), "aludel://prompts/{id}"),
            (json!({ "ref": ours, "argument": { "name": "path", "value": "" } }), "must be `id`"),
            (of_prompt("nobody", "input", ""), "`nobody`"),
            (of_prompt("persona_code", "diff", ""), "it takes input"),
            (json!({ "ref": ours, "argument": { "name": "id" } }), "`argument` must be"),
            (
                json!({ "ref": { "type": "ref/tool", "name": "x" }, "argument": { "name": "a", "value": "" } }),
                "`ref` must be",
            ),
            (json!({ "ref": ours }), "`argument` must be"),
            (json!({}), "`ref` must be"),
        ] {
            let error = wire.error("completion/complete", params).await;
            assert_eq!(error["code"], -32602, "{error}");
            assert!(error["message"].as_str().expect("words").contains(says), "{error}");
        }
    }
}
