//! Offered prompts: names, arguments, what they are filled in to; and suggestions.

use serde_json::Map;

use super::*;
use crate::domain::{OfferedPage, OfferedPrompt};
use crate::provider::{Message, Role};

const PERSONAS: [&str; 4] = ["persona_analysis", "persona_code", "persona_generic", "persona_writing"];

async fn offered(engine: &Engine, raw: Value) -> Result<OfferedPage, Error> {
    engine.offered_prompts(engine.decode(raw)?).await
}

fn arguments(raw: Value) -> Map<String, Value> {
    let Value::Object(arguments) = raw else { panic!("an object") };
    arguments
}

/// Stores a prompt with this content, made from "Review a diff", and returns how it is offered.
async fn stored(engine: &Engine, content: &str) -> OfferedPrompt {
    generate(engine, json!({ "input": "Review a diff", "count": 1 })).await.unwrap();
    let raw = json!({ "prompt_id": "@last", "content": content, "add_tags": ["mcp"] });
    let prompt = engine.update(engine.decode(raw).unwrap()).await.unwrap();
    assert_eq!(prompt.content, content);
    engine.offered_prompt(&format!("review_a_diff_{}", prompt.id.short())).await.unwrap()
}

#[tokio::test]
async fn every_persona_and_what_is_tagged_is_offered() {
    let home = Home::new();
    let engine = home.engine();
    let page = offered(&engine, json!({})).await.unwrap();
    let mut names: Vec<&str> = page.prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, PERSONAS);
    assert_eq!(page.next_cursor, None);
    assert!(page.prompts.iter().all(|prompt| prompt.arguments.len() == 1 && prompt.arguments[0].name == "input"));

    let review = stored(&engine, "Review {{diff}} in {{language}}, then {{diff}}.").await;
    let page = offered(&engine, json!({})).await.unwrap();
    assert_eq!(page.prompts.len(), 5);
    assert_eq!(page.prompts[4], review);
    assert_eq!(review.title, "Review a diff");
    let names: Vec<&str> = review.arguments.iter().map(|argument| argument.name.as_str()).collect();
    assert_eq!(names, ["diff", "language"]);

    let notes = json!({ "prompt_id": "@last", "notes": "\n For our team \nmore" });
    engine.update(engine.decode(notes).unwrap()).await.unwrap();
    let again = engine.offered_prompt(&review.name).await.unwrap();
    assert_eq!((again.name, again.description.as_str()), (review.name.clone(), "For our team"));

    let untag = json!({ "prompt_id": "@last", "remove_tags": ["mcp"] });
    engine.update(engine.decode(untag).unwrap()).await.unwrap();
    assert_eq!(engine.offered_prompt(&review.name).await.unwrap_err().code(), Code::NotFound);
    assert_eq!(offered(&engine, json!({})).await.unwrap().prompts.len(), 4);
}

#[tokio::test]
async fn a_persona_of_the_users_is_offered_once_it_can_be_used() {
    let home = Home::new();
    let engine = home.engine();
    let folder = home.folder.path().join("personas");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("legal-work.md"), "broken").unwrap();
    assert_eq!(offered(&engine, json!({})).await.unwrap().prompts.len(), 4);
    let text = "---\nname: legal-work\ndescription: Contracts.\n---\n## Role\na lawyer\n## Prima materia\np\n\
        ## Solutio\ns\n## Coagulatio\nName the clauses.\n";
    std::fs::write(folder.join("legal-work.md"), text).unwrap();
    let legal = engine.offered_prompt("persona_legal-work").await.unwrap();
    assert_eq!(legal.title, "Write a prompt: legal-work");
    assert!(legal.description.ends_with("Contracts."), "{legal:?}");
}

#[tokio::test]
async fn a_stored_prompt_is_filled_in() {
    let home = Home::new();
    let engine = home.engine();
    let review = stored(&engine, "Review {{diff}} in {{ language }}, then {{diff}}. Keep ${HOME}.").await;
    let filled = engine.fill_prompt(&review.name, arguments(json!({ "diff": "{{language}}", "language": "" }))).await;
    let expected =
        Message { role: Role::User, content: "Review {{language}} in , then {{language}}. Keep ${HOME}.".into() };
    assert_eq!(filled.unwrap().messages, [expected]);

    for (raw, code, fields) in [
        (json!({}), Code::InvalidRequest, vec!["diff", "language"]),
        (json!({ "diff": "x", "language": null }), Code::InvalidRequest, vec!["language"]),
        (json!({ "diff": "x", "language": 5 }), Code::InvalidRequest, vec!["language"]),
        (json!({ "diff": "x", "language": "y", "lines": "z" }), Code::InvalidRequest, vec!["lines"]),
        (json!({ "diff": "x".repeat(100_001), "language": "y" }), Code::ValidationFailed, vec!["diff"]),
    ] {
        let error = engine.fill_prompt(&review.name, arguments(raw)).await.unwrap_err();
        let found: Vec<&str> = error.faults().iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!((error.code(), found), (code, fields), "{error}");
    }
    let longest = json!({ "diff": "x".repeat(100_000), "language": "y" });
    assert!(engine.fill_prompt(&review.name, arguments(longest)).await.is_ok());
}

#[tokio::test]
async fn a_personas_prompt_says_what_a_run_of_the_last_phase_says() {
    let home = Home::new();
    let engine = home.engine();
    let filled = engine.fill_prompt("persona_code", arguments(json!({ "input": "Sort a list" }))).await.unwrap();
    let [system, user] = filled.messages.as_slice() else { panic!("{filled:?}") };
    assert_eq!((system.role, user.role), (Role::System, Role::User));
    assert!(system.content.contains("an engineer who works in the language at hand"), "{}", system.content);
    assert!(system.content.contains("State the language and version in the first lines"), "{}", system.content);
    assert!(user.content.contains("Sort a list") && user.content.ends_with("Answer with the prompt alone."));

    let blank = engine.fill_prompt("persona_code", arguments(json!({ "input": "  " }))).await.unwrap_err();
    assert_eq!((blank.code(), blank.faults()[0].field.as_str()), (Code::ValidationFailed, "input"));
}

#[tokio::test]
async fn other_names_are_not_found() {
    let home = Home::new();
    let engine = home.engine();
    let review = stored(&engine, "Review it.").await;
    let tail = &review.name[review.name.len() - 8..];
    let long = "x".repeat(1_000_000);
    for name in
        ["", "persona_", "persona_nobody", "persona", "x_12345678", "é1234567", tail, &format!("x_{tail}"), &long]
    {
        let error = engine.offered_prompt(name).await.unwrap_err();
        assert_eq!(error.code(), Code::NotFound, "{name}");
        assert!(error.to_string().len() < 500, "{error}");
    }
}

#[tokio::test]
async fn stored_prompts_come_in_pages_after_the_personas() {
    let home = Home::new();
    let engine = home.engine();
    for _ in 0..2 {
        generate(&engine, json!({ "input": "Write a haiku", "count": 60, "tags": ["mcp"] })).await.unwrap();
    }
    let (mut names, mut cursor, mut sizes) = (Vec::new(), Value::Null, Vec::new());
    loop {
        let raw = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
        let page = offered(&engine, raw).await.unwrap();
        sizes.push(page.prompts.len());
        names.extend(page.prompts.into_iter().map(|prompt| prompt.name));
        match page.next_cursor {
            Some(next) => cursor = json!(next),
            None => break,
        }
    }
    assert_eq!(sizes, [54, 50, 20]);
    let distinct: std::collections::HashSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), 124);
    let bad = offered(&engine, json!({ "cursor": "nonsense" })).await.unwrap_err();
    assert_eq!((bad.code(), bad.faults()[0].field.as_str()), (Code::ValidationFailed, "cursor"));
}

#[tokio::test]
async fn ids_are_suggested_by_how_they_begin_or_end_newest_first() {
    let home = Home::new();
    let engine = home.engine();
    assert_eq!(
        engine.suggest_ids("").await.unwrap(),
        crate::domain::Suggestions { total: Some(0), ..Default::default() }
    );
    generate(&engine, json!({ "input": "Write a haiku", "count": 60 })).await.unwrap();
    generate(&engine, json!({ "input": "Write a poem", "count": 60 })).await.unwrap();
    let all = engine.suggest_ids("").await.unwrap();
    assert_eq!((all.values.len(), all.total, all.has_more), (100, Some(120), true));
    let newest = show(&engine, "@last").await.unwrap().id;
    assert_eq!(all.values[0], newest.to_string());

    let begun = engine.suggest_ids(&newest.to_string()[..6].to_uppercase()).await.unwrap();
    assert_eq!((begun.values[0].clone(), begun.values.len(), begun.has_more), (newest.to_string(), 100, true));
    let whole = engine.suggest_ids(&newest.to_string()).await.unwrap();
    assert_eq!((whole.values, whole.total, whole.has_more), (vec![newest.to_string()], Some(1), false));
    assert_eq!(engine.suggest_ids(&newest.short()).await.unwrap().values, [newest.to_string()]);
    for nonsense in ["no id", "\u{0}", &"0".repeat(1_000_000)] {
        assert_eq!(engine.suggest_ids(nonsense).await.unwrap().values, Vec::<String>::new());
    }
}

#[tokio::test]
async fn values_are_suggested_where_they_are_known() {
    let home = Home::new();
    let engine = home.engine();
    generate(&engine, json!({ "input": "Write a haiku", "count": 1, "tags": ["sea", "mcp"] })).await.unwrap();
    let mut suggested = Vec::new();
    for (argument, typed) in
        [("persona", "W"), ("provider", "built"), ("phase", "sol"), ("tag", "s"), ("input", ""), ("persona", "zzz")]
    {
        let found = engine.suggest_values(argument, typed).await.unwrap();
        assert_eq!(found.total, Some(found.values.len() as u64));
        suggested.push(found.values.join(","));
    }
    assert_eq!(suggested, ["writing", "builtin", "solutio", "sea", "", ""]);
}
