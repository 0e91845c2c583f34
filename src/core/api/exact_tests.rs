//! The exact schema and the decoder accept the same: a validator of JSON Schema that knows nothing
//! of the decoder is asked about every field with many values, fitting and not.

use proptest::prelude::*;

use super::*;
use crate::api::{
    CompareRequest, DeleteOneRequest, JobResultRequest, JobsRequest, ListRequest, ResumeJobRequest, SearchRequest,
    SelectRequest, SimilarRequest, SpendRequest, StatsRequest, TestProvidersRequest, UpdateRequest, decode,
};

fn known() -> Known {
    Known {
        personas: vec!["code".into(), "writing".into()],
        providers: vec!["builtin".into(), "my.server".into()],
        ..Known::default()
    }
}

/// Values of every kind, on both sides of what kinds allow.
fn values() -> Vec<Value> {
    let long = |count: usize| "é".repeat(count);
    let texts = [
        "",
        " ",
        "\t\n",
        "\u{2003}",
        "a",
        " a ",
        "a,b",
        "a\nb",
        "a\u{0}",
        "\u{202e}x",
        "\u{85}",
        "é",
        "size 𝄞",
        "newest",
        "score",
        "day",
        "tag",
        "running",
        "finished",
        "ok",
        "failed",
        "content",
        "code",
        "writing",
        "cod",
        "builtin",
        "builtin/m",
        "builtin/",
        "builtin/a/b",
        "builtin/a\nb",
        "my.server",
        "myxserver",
        "nobody",
        "solutio",
        " solutio ",
        "prima-materia",
        "nigredo",
        "@last",
        "@first",
        "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21",
        "7a3f9c",
        "7A3F9C",
        "7a3f9",
        "zzzzzz",
        "7d",
        "12h",
        "7x",
        "+7d",
        "1234567890d",
        "2026-11-21",
        "2026-13-01",
        "2026-02-30",
        "2026-11-21T08:30:00Z",
        "2026-11-21T08:30:00",
        "soon",
        "1",
        "true",
        "1.5",
    ]
    .map(Value::from);
    let long = [256, 257, 64, 65, 1000, 1001, 100_000, 100_001].map(|count| Value::from(long(count)));
    let numbers = [
        json!(0),
        json!(1),
        json!(1.0),
        json!(2.0),
        json!(1.5),
        json!(-1),
        json!(0.5),
        json!(0.99),
        json!(0.999),
        json!(2.1),
        json!(64),
        json!(1000),
        json!(1001),
        json!(u32::MAX),
        json!(5_000_000_000_u64),
        json!(1e30),
    ];
    let others = [json!(null), json!(true), json!(false), json!({}), json!({ "clarity": 1 }), json!({ "clarity": 0 })];
    let texts: Vec<Value> = texts.into_iter().chain(long).collect();
    let mut values: Vec<Value> = texts.iter().cloned().chain(numbers).chain(others).collect();
    values.extend(texts.iter().map(|text| json!([text])));
    values.extend([
        json!([]),
        json!([1]),
        json!([null]),
        json!(["a", "a"]),
        json!(["solutio", "solutio"]),
        json!(["solutio", "coagulatio"]),
        json!(["day", "tag"]),
        json!(["day", "day"]),
        json!(["builtin", "builtin/m"]),
        json!(["7a3f9c21", "@last"]),
        json!(vec!["a"; 33]),
        json!((0..32).map(|number| format!("t{number}")).collect::<Vec<_>>()),
        json!((0..33).map(|number| format!("t{number}")).collect::<Vec<_>>()),
    ]);
    values
}

/// Asks both about `base` and about `base` with one field changed.
fn agree<R: Request>(base: &Value) {
    let known = known();
    let schema = exact_schema::<R>(&[], &known);
    assert!(jsonschema::meta::is_valid(&schema), "{schema}");
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema");
    let compare = |raw: Value| {
        let decoded = decode::<R>(raw.clone(), &known).map(drop).map_err(|error| error.to_string());
        let faults: Vec<String> = validator.iter_errors(&raw).map(|error| error.to_string()).collect();
        let shown: String = raw.to_string().chars().take(300).collect();
        assert_eq!(decoded.is_ok(), faults.is_empty(), "{shown}\ndecoder: {decoded:?}\nschema: {faults:?}");
    };
    compare(base.clone());
    compare(json!([]));
    for field in R::FIELDS {
        let mut without = base.clone();
        without.as_object_mut().unwrap().shift_remove(field.name);
        compare(without);
        for value in values() {
            let mut raw = base.clone();
            raw[field.name] = value;
            compare(raw);
        }
    }
    let mut unknown = base.clone();
    unknown["colour"] = json!("red");
    compare(unknown);
}

#[test]
fn the_decoder_and_the_schema_agree_on_requests_that_generate() {
    agree::<GenerateRequest>(&json!({ "input": "x" }));
    agree::<SelectRequest>(&json!({ "prompt_ids": ["7a3f9c21", "@last"] }));
    agree::<CompareRequest>(&json!({ "prompt_ids": ["7a3f9c21", "@last"] }));
    agree::<CompareRequest>(&json!({ "prompt_ids": ["7a3f9c21", "@last"], "task_description": "x" }));
    agree::<TestProvidersRequest>(&json!({}));
}

#[test]
fn the_decoder_and_the_schema_agree_on_requests_about_what_is_stored() {
    agree::<ListRequest>(&json!({}));
    agree::<SearchRequest>(&json!({ "query": "x" }));
    agree::<SearchRequest>(&json!({ "query": "x", "semantic": true }));
    agree::<SimilarRequest>(&json!({ "prompt_id": "@last" }));
    agree::<UpdateRequest>(&json!({ "prompt_id": "@last" }));
    agree::<UpdateRequest>(&json!({ "prompt_id": "@last", "notes": null }));
    agree::<DeleteOneRequest>(&json!({ "prompt_id": "@last" }));
    agree::<SpendRequest>(&json!({}));
    agree::<StatsRequest>(&json!({}));
}

#[test]
fn the_decoder_and_the_schema_agree_on_requests_about_jobs() {
    agree::<JobsRequest>(&json!({}));
    agree::<JobResultRequest>(&json!({ "job_id": "@last" }));
    agree::<ResumeJobRequest>(&json!({ "job_id": "@last" }));
}

#[test]
fn a_row_takes_what_a_generation_takes_but_for_the_limits_of_the_batch() {
    let schema = exactly(Kind::Rows { max: 2 }, &known());
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for good in [json!([{ "input": "x" }]), json!([{ "input": "x", "id": 1 }, { "input": "y", "id": "b", "count": 2 }])]
    {
        assert!(validator.is_valid(&good), "{good}");
    }
    for bad in
        [json!([]), json!([{}]), json!([{ "input": "x", "budget_usd": 1 }]), json!([{ "input": "x", "id": 1.5 }])]
    {
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}

proptest! {
    #[test]
    fn the_decoder_and_the_schema_agree_on_any_text(text in any::<String>(), tag in "\\PC{0,70}") {
        let known = known();
        let schema = exact_schema::<GenerateRequest>(&[], &known);
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        for raw in [json!({ "input": text }), json!({ "input": "x", "target_model": tag }), json!({ "input": "x", "tags": [tag] })] {
            // A joiner is allowed or not by the character before it, which a schema cannot say.
            if tag.chars().any(|c| shown::unfit_for_a_name(c.encode_utf8(&mut [0; 4])).is_some()) {
                continue;
            }
            prop_assert_eq!(decode::<GenerateRequest>(raw.clone(), &known).is_ok(), validator.is_valid(&raw), "{}", raw);
        }
    }
}
