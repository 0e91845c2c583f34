//! Personas and tagged prompts as prompts of the protocol, in both of its versions.

use serde_json::{Value, json};

use super::Wire;
use crate::seeded::Seeded;

const PERSONAS: [&str; 4] = ["persona_analysis", "persona_code", "persona_generic", "persona_writing"];

async fn both() -> [Wire; 2] {
    [Wire::newer(Seeded::with_echo()), Wire::older(Seeded::with_echo()).await]
}

async fn list(wire: &mut Wire, params: Value) -> Value {
    let answer = wire.request("prompts/list", params).await;
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"].clone()
}

/// The text of the one message of a prompt, which must be the user's.
async fn text(wire: &mut Wire, name: &str, arguments: Value) -> String {
    let answer = wire.request("prompts/get", json!({ "name": name, "arguments": arguments })).await;
    let messages = answer["result"]["messages"].as_array().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!((messages.len(), &messages[0]["role"]), (1, &json!("user")));
    assert_eq!(messages[0]["content"]["type"], "text");
    messages[0]["content"]["text"].as_str().expect("text").to_owned()
}

/// Stores a prompt of this content that is tagged, and returns its name.
async fn stored(wire: &mut Wire, content: &str) -> String {
    wire.content("generate_prompts", json!({ "input": "Review a diff", "count": 1 })).await;
    let changed = json!({ "prompt_id": "@last", "content": content, "add_tags": ["mcp"] });
    let prompt = wire.content("update_prompt", changed).await;
    let id = prompt["id"].as_str().expect("an id");
    format!("review_a_diff_{}", &id[id.len() - 8..])
}

#[tokio::test]
async fn every_persona_is_a_prompt_of_one_required_argument() {
    for mut wire in both().await {
        let listed = list(&mut wire, json!({})).await;
        let prompts = listed["prompts"].as_array().expect("prompts");
        let mut names: Vec<&str> = prompts.iter().map(|prompt| prompt["name"].as_str().expect("a name")).collect();
        names.sort_unstable();
        assert_eq!((names.as_slice(), listed.get("nextCursor")), (PERSONAS.as_slice(), None));
        assert_eq!((listed["ttlMs"].is_u64(), listed["cacheScope"].is_string()), (wire.is_newer(), wire.is_newer()));
        for prompt in prompts {
            let [argument] = prompt["arguments"].as_array().expect("arguments").as_slice() else { panic!("{prompt}") };
            assert_eq!((&argument["name"], &argument["required"]), (&json!("input"), &json!(true)));
            assert!(prompt["title"].is_string() && prompt["description"].is_string());
            assert!(argument["description"].is_string());
        }
    }
}

#[tokio::test]
async fn a_personas_prompt_can_be_sent_as_it_is() {
    for mut wire in both().await {
        let text = text(&mut wire, "persona_code", json!({ "input": "Sort a list of {{names}}" })).await;
        assert!(text.starts_with("You write prompts for language models."), "{text}");
        assert!(text.contains("an engineer who works in the language at hand"), "{text}");
        assert!(text.contains("\nSort a list of {{names}}\n"), "{text}");
        assert!(text.ends_with("Answer with the prompt alone."), "{text}");
    }
}

#[tokio::test]
async fn a_stored_prompt_is_offered_while_it_is_tagged() {
    for mut wire in both().await {
        let name = stored(&mut wire, "Review {{diff}} in {{ language }}, then {{diff}}.").await;
        let listed = list(&mut wire, json!({})).await;
        let prompts = listed["prompts"].as_array().expect("prompts");
        assert_eq!(prompts.len(), 5, "the untagged parent is not offered");
        let prompt = prompts.iter().find(|prompt| prompt["name"] == json!(name)).expect("the stored one");
        assert_eq!(prompt["title"], "Review a diff");
        let arguments = prompt["arguments"].as_array().expect("arguments");
        let arguments: Vec<_> = arguments.iter().map(|argument| (&argument["name"], &argument["required"])).collect();
        assert_eq!(arguments, [(&json!("diff"), &json!(true)), (&json!("language"), &json!(true))]);

        let filled = text(&mut wire, &name, json!({ "diff": "a\u{1b}\n{{language}}", "language": "Rust" })).await;
        assert_eq!(filled, "Review a\u{1b}\n{{language}} in Rust, then a\u{1b}\n{{language}}.");
        let again = r#"{"diff":"first","diff":"second","language":"x"}"#;
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":77,"method":"prompts/get","params":{{"name":"{name}","arguments":{again},"_meta":{}}}}}"#,
            wire.meta()
        );
        wire.line(&line).await;
        let answer = wire.answer(77).await;
        assert_eq!(answer["result"]["messages"][0]["content"]["text"], "Review second in x, then second.");

        wire.content("update_prompt", json!({ "prompt_id": "@last", "remove_tags": ["mcp"] })).await;
        assert_eq!(list(&mut wire, json!({})).await["prompts"].as_array().map(Vec::len), Some(4));
        assert_eq!(wire.error("prompts/get", json!({ "name": name })).await["code"], -32602);
    }
}

#[tokio::test]
async fn a_stored_prompt_without_variables_takes_no_arguments() {
    let mut wire = Wire::older(Seeded::with_echo()).await;
    let name = stored(&mut wire, "Say ${HOME} and {one}.").await;
    let listed = list(&mut wire, json!({})).await;
    let prompts = listed["prompts"].as_array().expect("prompts").iter();
    let prompt = prompts.clone().find(|prompt| prompt["name"] == json!(name)).expect("the stored one");
    assert!(prompt.get("arguments").is_none(), "{prompt}");
    let answer = wire.request("prompts/get", json!({ "name": name })).await;
    assert_eq!(answer["result"]["messages"][0]["content"]["text"], "Say ${HOME} and {one}.");
    let error = wire.error("prompts/get", json!({ "name": name, "arguments": { "HOME": "x" } })).await;
    assert_eq!((&error["code"], &error["data"]["errors"][0]["field"]), (&json!(-32602), &json!("HOME")));
}

#[tokio::test]
async fn a_wrong_argument_is_named_and_so_is_an_unknown_prompt() {
    for mut wire in both().await {
        let huge = "x".repeat(100_001);
        for (arguments, field) in [
            (json!({}), "input"),
            (json!(null), "input"),
            (json!({ "input": "" }), "input"),
            (json!({ "input": " \n" }), "input"),
            (json!({ "input": 5 }), "input"),
            (json!({ "input": ["x"] }), "input"),
            (json!({ "input": huge }), "input"),
            (json!({ "input": "x", "language": "en" }), "language"),
        ] {
            let error = wire.error("prompts/get", json!({ "name": "persona_code", "arguments": arguments })).await;
            assert_eq!(
                (&error["code"], &error["data"]["errors"][0]["field"]),
                (&json!(-32602), &json!(field)),
                "{error}"
            );
            assert!(error["message"].as_str().expect("words").contains(field), "{error}");
            assert!(error.to_string().len() < 2000);
        }
        let long = "x".repeat(1_000_000);
        for name in ["nobody", "persona_nobody", "", "a\u{0}b", &long] {
            let error = wire.error("prompts/get", json!({ "name": name })).await;
            assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32602), &json!("not_found")), "{error}");
            assert!(error.to_string().len() < 2000);
        }
        let error = wire.error("prompts/get", json!({ "name": "nobody" })).await;
        assert!(error["message"].as_str().expect("words").contains("`nobody`"), "{error}");
    }
}

#[tokio::test]
async fn many_stored_prompts_come_in_pages_after_the_personas() {
    let mut wire = Wire::newer(Seeded::with_echo());
    for count in [100, 100, 50] {
        let raw = json!({ "input": "海について俳句を書いて", "count": count, "tags": ["mcp"] });
        wire.content("generate_prompts", raw).await;
    }
    let (mut names, mut sizes, mut params) = (Vec::new(), Vec::new(), json!({}));
    loop {
        let page = list(&mut wire, params.clone()).await;
        let rows = page["prompts"].as_array().expect("prompts");
        sizes.push(rows.len());
        names.extend(rows.iter().map(|row| row["name"].as_str().expect("a name").to_owned()));
        match page.get("nextCursor") {
            Some(cursor) => params = json!({ "cursor": cursor }),
            None => break,
        }
    }
    assert_eq!(sizes, [54, 50, 50, 50, 50]);
    let is_valid = |name: &String| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    assert!(names.iter().all(|name| is_valid(name) && name.len() <= 64), "{names:?}");
    assert!(names[4..].iter().all(|name| name.starts_with("prompt_")), "{names:?}");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 254, "every name is one prompt's");
}
