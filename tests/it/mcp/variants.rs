//! `generate_prompt_variants` and `select_best_prompt`.

use serde_json::{Value, json};

use super::Wire;
use crate::seeded::Seeded;

fn strategies(result: &Value) -> Vec<&str> {
    let prompts = result["prompts"].as_array().expect("prompts");
    let mut by_variant: Vec<(u64, &str)> = prompts
        .iter()
        .map(|prompt| (prompt["variant"].as_u64().expect("a number"), prompt["strategy"].as_str().expect("a strategy")))
        .collect();
    by_variant.sort_unstable();
    by_variant.into_iter().map(|(_, strategy)| strategy).collect()
}

#[tokio::test]
async fn further_variants_are_made_from_the_same_request_with_other_strategies() {
    let mut wire = Wire::newer(Seeded::with_echo());
    let arguments = json!({
        "input": "Write a haiku about rain", "count": 1, "persona": "writing", "tags": ["poems"], "temperature": 0.3,
        "context": ["for children"], "phases": ["solutio", "coagulatio"], "max_tokens": 333
    });
    let first = wire.content("generate_prompts", arguments).await["prompts"][0].clone();
    let made = wire.content("generate_prompt_variants", json!({ "prompt_id": first["id"], "count": 4 })).await;
    let others = strategies(&made);
    assert_eq!(others.iter().collect::<std::collections::HashSet<_>>().len(), 4, "{others:?}");
    assert!(!others.contains(&first["strategy"].as_str().expect("a strategy")), "its own comes last: {others:?}");
    for prompt in made["prompts"].as_array().expect("prompts") {
        for same in ["original_input", "persona", "tags", "temperature", "context", "max_tokens"] {
            assert_eq!(prompt[same], first[same], "{same}");
        }
        assert_eq!((&prompt["parent_id"], prompt["steps"].as_array().map(Vec::len)), (&first["id"], Some(2)));
        assert_ne!(prompt["session_id"], first["session_id"]);
    }
    let changed = json!({ "prompt_id": first["id"], "count": 1, "persona": "code", "tags": ["other"] });
    let changed = wire.content("generate_prompt_variants", changed).await["prompts"][0].clone();
    assert_eq!((&changed["persona"], &changed["tags"]), (&json!("code"), &json!(["other"])));
}

#[tokio::test]
async fn variants_of_an_edited_prompt_start_from_its_text() {
    let mut wire = Wire::newer(Seeded::with_echo());
    let made = wire.content("generate_prompts", json!({ "input": "Write a haiku", "count": 1 })).await;
    let edited = json!({ "prompt_id": made["prompts"][0]["id"], "content": "Write a haiku about the sea" });
    let edited = wire.content("update_prompt", edited).await;
    let made = wire.content("generate_prompt_variants", json!({ "prompt_id": edited["id"], "count": 1 })).await;
    assert_eq!(made["prompts"][0]["original_input"], "Write a haiku about the sea");
}

#[tokio::test]
async fn variants_need_a_prompt_or_a_request() {
    let mut wire = Wire::newer(Seeded::with_echo());
    let made = wire.content("generate_prompt_variants", json!({ "input": "Write a haiku", "count": 2 })).await;
    assert_eq!(made["prompts"].as_array().map(Vec::len), Some(2));
    for (arguments, field, code) in [
        (json!({}), "prompt_id", "validation_failed"),
        (json!({ "input": "x", "prompt_id": "@last" }), "input", "validation_failed"),
        (json!({ "prompt_id": "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21" }), "", "not_found"),
    ] {
        let refused = wire.call("generate_prompt_variants", arguments).await;
        let problem: Value =
            serde_json::from_str(refused["content"][0]["text"].as_str().expect("text")).expect("a problem");
        assert_eq!(problem["code"], code, "{problem}");
        assert!(field.is_empty() || problem["errors"][0]["field"] == field, "{problem}");
    }
}

#[tokio::test]
async fn the_judge_chooses_the_best_and_says_how_sure_it_is() {
    let script = "{seed: 3, answer: echo, judge: {quality_spread: 2}}";
    let mut wire = Wire::newer(Seeded::with_script(script, ""));
    let made = wire.content("generate_prompts", json!({ "input": "Write a haiku", "count": 3 })).await;
    let ids: Vec<&Value> = made["prompts"].as_array().expect("prompts").iter().map(|prompt| &prompt["id"]).collect();
    let chosen = wire.content("select_best_prompt", json!({ "prompt_ids": ids, "judge_provider": "sim" })).await;
    assert!(ids.contains(&&chosen["prompt"]["id"]), "{chosen}");
    assert!(chosen["confidence"].as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)), "{chosen}");
    let refused = wire.call("select_best_prompt", json!({ "prompt_ids": ["@last"] })).await;
    assert_eq!(refused["isError"], true);
}
