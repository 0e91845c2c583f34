//! Tests of decoding: both sides of every limit, every fault named, conversion of text.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::domain::{Phase, limits};
use crate::error::{Code, Error, Problem};

fn known() -> Known {
    Known {
        personas: vec!["code".into(), "writing".into()],
        providers: vec!["builtin".into(), "fast".into()],
        ..Known::default()
    }
}

fn generate(value: Value) -> Result<GenerateRequest, Error> {
    decode(value, &known())
}

fn fields_at_fault(error: &Error) -> Vec<&str> {
    error.faults().iter().map(|fault| fault.field.as_str()).collect()
}

#[test]
fn a_full_request_is_decoded() {
    let request = generate(json!({
        "input": "idea", "count": 2.0, "phases": ["solutio", "prima-materia"], "persona": "code",
        "provider": "fast/model-x", "temperature": 0, "max_tokens": 5, "tags": [" a ", "b", "a"],
        "context": ["c"], "auto_select": true, "save": false, "target_model": "claude", "timeout_s": 1.5
    }))
    .unwrap();
    assert_eq!(request.count, Some(2));
    assert_eq!(request.phases, Some(vec![Phase::Solutio, Phase::PrimaMateria]));
    assert_eq!(request.tags, ["a", "b"]);
    assert!(request.auto_select && !request.save);
}

#[test]
fn every_fault_of_value_is_listed() {
    let error = generate(json!({
        "input": "  ", "count": 101, "phases": ["solutio", "solutio", "sublimatio"], "persona": "cod",
        "provider": "nobody", "temperature": 2.1, "max_tokens": 0, "tags": ["a,b", ""], "context": [""], "timeout_s": 0
    }))
    .unwrap_err();
    assert_eq!(error.code(), Code::ValidationFailed);
    assert_eq!(
        fields_at_fault(&error),
        [
            "input",
            "count",
            "phases[1]",
            "phases[2]",
            "persona",
            "provider",
            "temperature",
            "max_tokens",
            "tags[0]",
            "tags[1]",
            "context[0]",
            "timeout_s"
        ]
    );
    assert!(error.to_string().contains("Did you mean `code`?"));
}

#[test]
fn faults_of_shape_come_first_and_all_together() {
    let error =
        generate(json!({ "cuont": 3, "count": "many", "tags": "a", "context": [1], "temperature": 9 })).unwrap_err();
    assert_eq!(error.code(), Code::InvalidRequest);
    assert_eq!(fields_at_fault(&error), ["input", "count", "tags", "context", "cuont"]);
    assert!(error.to_string().contains("did you mean `count`?"));
}

#[test]
fn of_very_many_unknown_fields_a_hundred_are_listed_and_the_rest_counted() {
    let map = (0..42_030).map(|number| (format!("f{number}"), Value::Null)).chain([("input".to_owned(), json!("x"))]);
    let error = generate(Value::Object(map.collect())).unwrap_err();
    assert_eq!((error.code(), error.faults().len()), (Code::InvalidRequest, 100));
    let problem = Problem::from(&error);
    assert!(problem.detail.ends_with("; and 41,930 more"), "{}", &problem.detail[problem.detail.len() - 60..]);
    assert!(serde_json::to_vec(&problem).unwrap().len() < 100_000);
}

#[test]
fn very_long_lists_are_checked_in_one_pass_and_their_faults_counted() {
    let items = |write: fn(u32) -> String| (0..100_000).map(write).map(Value::from).collect::<Value>();
    let refused = |field: &str, items: Value, listed: usize, rest: Option<&str>| {
        let error = generate(json!({ "input": "x", field: items })).unwrap_err();
        assert_eq!((error.code(), error.faults().len()), (Code::ValidationFailed, listed), "{field}");
        assert_eq!(error.further_faults().as_deref(), rest, "{field}");
    };
    refused("tags", items(|number| format!("tag {number}")), 1, None);
    refused("tags", items(|number| format!("a,{number}")), 100, Some("and 99,901 more"));
    refused("phases", items(|number| format!("phase {number}")), 100, Some("and 99,900 more"));
    refused("phases", items(|_| "solutio".into()), 100, Some("and 99,899 more"));
    refused("context", items(|_| String::new()), 100, Some("and 99,901 more"));
    let ids = items(|number| format!("{number:08x}"));
    let error = decode::<SelectRequest>(json!({ "prompt_ids": ids }), &known()).unwrap_err();
    assert_eq!(error.to_string(), "prompt_ids: names 100000 prompts; from 2 to 64 are allowed");
    let models = items(|number| format!("fast/{number}"));
    let providers = decode::<TestProvidersRequest>(json!({ "providers": models }), &known()).unwrap();
    assert_eq!(format!("{providers:?}").matches("fast/").count(), 100_000);
}

#[test]
fn a_very_long_name_is_shortened_and_compared_with_none() {
    let name = "inputs".repeat(600_000);
    let error = generate(json!({ "input": "x", "persona": name, "provider": name, name.as_str(): 1 })).unwrap_err();
    assert!(error.to_string().len() < 1000, "{}", error.to_string().len());
    let error = generate(json!({ "input": "x", "persona": name })).unwrap_err();
    assert!(error.to_string().len() < 1000 && !error.to_string().contains("Did you mean"));
}

#[test]
fn a_request_that_is_no_object_is_refused() {
    assert_eq!(generate(json!([1])).unwrap_err().code(), Code::InvalidRequest);
}

#[test]
fn lengths_are_counted_in_characters_on_both_sides_of_the_limit() {
    assert!(generate(json!({ "input": "é".repeat(100_000) })).is_ok());
    let error = generate(json!({ "input": "é".repeat(100_001) })).unwrap_err();
    assert_eq!(error.code(), Code::ValidationFailed);
    assert!(error.to_string().contains("100001") && error.to_string().contains("100000"));
}

#[test]
fn numbers_that_are_not_finite_are_faults_of_value() {
    for text in ["NaN", "inf", "-Infinity"] {
        let error = generate(json!({ "input": "x", "temperature": text })).unwrap_err();
        assert_eq!(error.code(), Code::ValidationFailed, "{text}");
    }
}

#[test]
fn texts_become_what_their_field_takes_and_else_stay_texts() {
    let of = |name, text| value_of_text(GenerateRequest::FIELDS, name, text);
    assert_eq!(of("count", "3"), json!(3));
    assert_eq!(of("count", "x"), json!("x"));
    assert_eq!(of("temperature", "0.5"), json!(0.5));
    assert_eq!(of("temperature", "NaN"), json!("NaN"));
    assert_eq!(of("phases", "solutio, coagulatio"), json!(["solutio", "coagulatio"]));
    assert_eq!(of("auto_select", "true"), json!(true));
    assert_eq!(of("input", "3"), json!("3"));
}

#[test]
fn an_update_that_changes_nothing_is_refused() {
    let error = decode::<UpdateRequest>(json!({ "prompt_id": "@last" }), &known()).unwrap_err();
    assert_eq!(error.code(), Code::ValidationFailed);
    let request = decode::<UpdateRequest>(json!({ "prompt_id": "@last", "notes": null }), &known()).unwrap();
    assert_eq!(request.notes, Some(None));
}

#[test]
fn deleting_one_prompt_is_deleting_a_list_of_one() {
    let one: DeleteOneRequest = decode(json!({ "prompt_id": "7a3f9c21", "revision": 2 }), &known()).unwrap();
    let list: DeleteRequest = decode(json!({ "prompt_ids": ["7a3f9c21"], "revision": 2 }), &known()).unwrap();
    assert_eq!(DeleteRequest::from(one), list);
}

#[test]
fn an_operation_that_takes_nothing_refuses_anything() {
    assert_eq!(decode::<NoFields>(json!({}), &known()).unwrap(), NoFields);
    let error = decode::<NoFields>(json!({ "limit": 3 }), &known()).unwrap_err();
    assert_eq!(error.to_string(), "limit: unknown field; no field is allowed here");
}

#[test]
fn ids_may_be_shortened_to_six_characters() {
    assert_eq!(PromptKey::parse("7A3F-9c21").unwrap(), PromptKey::Fragment("7a3f9c21".into()));
    assert!(PromptKey::parse("7a3f9").unwrap_err().contains("at least 6"));
    assert!(PromptKey::parse("not-an-id").is_err());
}

#[test]
fn the_schema_of_generate_is_as_reviewed() {
    let schema = schema(GenerateRequest::FIELDS, &known());
    insta::assert_snapshot!(serde_json::to_string_pretty(&schema).unwrap());
}

#[test]
fn a_brief_schema_says_nothing_twice_and_no_limit_that_nobody_reaches() {
    let brief = brief_schema(GenerateRequest::FIELDS, &known());
    let of = |name: &str| brief["properties"][name].clone();
    assert_eq!(
        of("temperature"),
        json!({ "type": "number", "minimum": 0.0, "maximum": 2.0, "description": "Sampling temperature" })
    );
    assert_eq!(of("persona")["description"], "Who the prompt is written for");
    assert_eq!((&of("input")["minLength"], &of("input")["maxLength"]), (&json!(1), &Value::Null));
    assert_eq!((&of("max_tokens")["minimum"], &of("max_tokens")["maximum"]), (&json!(1), &Value::Null));
    assert_eq!(of("tags")["items"], json!({ "type": "string" }));
    assert_eq!(of("tags")["maxItems"], json!(limits::MAX_TAGS));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|n| serde_json::Number::from_f64(n).map_or(Value::Null, Value::Number)),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| prop::collection::vec(inner, 0..4).prop_map(Value::from))
}

proptest! {
    #[test]
    fn no_value_makes_decoding_panic(values in prop::collection::vec(any_json(), GenerateRequest::FIELDS.len())) {
        let map = GenerateRequest::FIELDS.iter().map(|field| field.name.to_owned()).zip(values).collect();
        if let Err(error) = generate(Value::Object(map)) {
            prop_assert!(!error.faults().is_empty());
        }
    }
}
