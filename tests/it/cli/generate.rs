//! The main job: from an idea to ranked, stored prompts.

use serde_json::Value;

use crate::support::Home;

const PRIMES: &str = "Write a python function that finds prime numbers";

/// Every prompt of a result, in its order.
fn prompts(result: &Value) -> &Vec<Value> {
    result["prompts"].as_array().expect("prompts")
}

#[test]
fn an_idea_becomes_three_prompts_on_an_empty_machine() {
    let home = Home::new();
    let result = home.run(&["generate", PRIMES, "--format", "json"]).quietly_done().json();
    assert_eq!(prompts(&result).len(), 3);
    for prompt in prompts(&result) {
        assert_eq!(prompt["original_input"], PRIMES);
        assert_eq!(prompt["steps"].as_array().map(Vec::len), Some(3));
        assert_eq!(prompt["content"], prompt["steps"][2]["content"]);
    }
    assert!(home.database().exists());
}
