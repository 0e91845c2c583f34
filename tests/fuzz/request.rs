//! The request decoder, for every operation: accepted values are within limits, faults are named by
//! field, briefly; equal values give equal results.

use std::fmt::Debug;

use aludel_core::api::{
    CompareRequest, DeleteOneRequest, DeleteRequest, ExportRequest, GenerateRequest, HistoryRequest,
    ImportAlchemyRequest, ImportRequest, JudgeAuditRequest, Known, ListRequest, MetricsRequest, NoFields,
    ReindexRequest, Request, SearchRequest, SelectRequest, SemanticSearchRequest, ShowRequest, SimilarRequest,
    SpendRequest, StatsRequest, TestProvidersRequest, UpdateRequest, WhyRequest, decode, value_of_text,
};
use aludel_core::domain::limits;
use aludel_core::error::Error;
use serde_json::Value;

use crate::tape::{self, Tape};

/// Values that fields expect; their names come from the tables.
const WORDS: &[&str] = &[
    "solutio",
    "coagulatio",
    "code",
    "generic",
    "sim",
    "sim/model",
    "2026-01-01",
    "30d",
    "-1",
    "1e999",
    "NaN",
    "019373a0-0000-7000-8000-000000000000",
    "019373",
    "a,b",
    "json",
    "yaml",
    "true",
    "0",
    "",
    " ",
    "score",
    "default",
    "./x.yaml",
    "weight",
    "name",
    "question",
    "desc",
];

/// The most bytes reported about one request.
const SAID_BYTES: usize = 256 * 1024;

fn check<R: Request + Debug>(input: &[u8], known: &Known) -> Option<R> {
    let mut words: Vec<&str> = R::FIELDS.iter().map(|field| field.name).collect();
    words.extend(WORDS);
    let value = match input.split_first() {
        Some((b'0', rest)) => serde_json::from_slice(rest).unwrap_or(Value::Null),
        Some((byte, rest)) => {
            let mut tape = Tape(rest);
            let mut value = tape::object(&mut tape, &words, 4);
            // Half of them have the required fields, with plausible values.
            for field in R::FIELDS.iter().filter(|field| byte % 2 == 1 && field.required) {
                value[field.name] =
                    if byte % 4 == 1 { tape.word(&words).into() } else { tape::json(&mut tape, &words, 2) };
            }
            value
        }
        None => Value::Null,
    };
    for field in R::FIELDS {
        let text = tape::text(&input[..input.len().min(64)], &words);
        let _ = value_of_text(R::FIELDS, field.name, &text);
    }
    let (first, second) = (decode::<R>(value.clone(), known), decode::<R>(value.clone(), known));
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
    match first {
        Ok(request) => Some(request),
        Err(error) => {
            assert!(matches!(error, Error::Shape(_) | Error::Value(_)), "{error}");
            let faults = error.faults();
            assert!(!faults.is_empty() && faults.iter().all(|fault| !fault.message.is_empty()), "{error}");
            let said = error.to_string().len();
            assert!(said <= SAID_BYTES, "{said} bytes said of {}", value.to_string().len());
            None
        }
    }
}

#[test]
fn request() {
    let known =
        Known { personas: vec!["code".into(), "generic".into()], providers: vec!["sim".into()], ..Known::default() };
    bolero::check!(name = "request").with_max_len(1024).for_each(|input: &[u8]| {
        let Some((which, input)) = input.split_first() else { return };
        match which % 22 {
            0 => {
                let Some(request) = check::<GenerateRequest>(input, &known) else { return };
                assert!((1..=limits::TEXT_CHARS).contains(&request.input.chars().count()));
                assert!(request.count.is_none_or(|count| (1..=limits::MAX_COUNT).contains(&u64::from(count))));
                assert!(request.temperature.is_none_or(|degree| (0.0..=limits::MAX_TEMPERATURE).contains(&degree)));
                assert!(request.tags.len() <= limits::MAX_TAGS && request.context.len() <= limits::MAX_CONTEXTS);
                assert!(request.budget_usd.is_none_or(|usd| usd > 0.0 && usd <= limits::MAX_BUDGET_USD));
            }
            1 => _ = check::<CompareRequest>(input, &known),
            2 => _ = check::<DeleteOneRequest>(input, &known),
            3 => _ = check::<DeleteRequest>(input, &known),
            4 => _ = check::<ExportRequest>(input, &known),
            5 => _ = check::<HistoryRequest>(input, &known),
            6 => _ = check::<ImportAlchemyRequest>(input, &known),
            7 => _ = check::<ImportRequest>(input, &known),
            8 => _ = check::<JudgeAuditRequest>(input, &known),
            9 => _ = check::<ListRequest>(input, &known),
            10 => _ = check::<MetricsRequest>(input, &known),
            11 => _ = check::<NoFields>(input, &known),
            12 => _ = check::<ReindexRequest>(input, &known),
            13 => _ = check::<SearchRequest>(input, &known),
            14 => _ = check::<SelectRequest>(input, &known),
            15 => _ = check::<SemanticSearchRequest>(input, &known),
            16 => _ = check::<ShowRequest>(input, &known),
            17 => _ = check::<SimilarRequest>(input, &known),
            18 => _ = check::<SpendRequest>(input, &known),
            19 => _ = check::<StatsRequest>(input, &known),
            20 => _ = check::<TestProvidersRequest>(input, &known),
            _ => {
                _ = check::<UpdateRequest>(input, &known);
                _ = check::<WhyRequest>(input, &known);
            }
        }
    });
}
