//! The requests to generate prompts for many rows, which are in a file or in the request.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::bounds::{ASSUME_PRICE, BUDGET_USD, MAX_CALLS};
use super::field::{Field, Kind};
use super::{Decoded, GenerateRequest, Request};
use crate::domain::limits;

/// Asks for a batch. A job stores it in this form.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BatchRequest {
    /// The format of the rows; detected from the file's name or first bytes by default.
    pub format: Option<String>,
    /// Variants at once, 1..=1000.
    pub concurrency: Option<u32>,
    /// True: the first row that fails ends the batch.
    pub fail_fast: bool,
    /// US dollars that the batch can cost; above 0.
    pub budget_usd: Option<f64>,
    /// Calls to models that the batch can make, including retries.
    pub max_calls: Option<u64>,
    /// US dollars for a million tokens of a model whose price is unknown, sent and received alike.
    pub assume_price: Option<f64>,
    /// The models that the prompts of each row are for: a row that names none becomes one row for
    /// each of them.
    pub target_models: Vec<String>,
    /// What rows have that do not say otherwise, by the names of [`GenerateRequest`].
    pub defaults: Map<String, Value>,
}

/// Asks for a batch of rows that are in the request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InlineBatchRequest {
    /// The rows: what a generation takes and, optionally, an `id`; 1..=1000.
    pub rows: Vec<Value>,
    /// What is the same for all of them.
    pub batch: BatchRequest,
}

/// The field for the models that prompts are for.
const TARGET_MODEL: &str = "target_model";

/// The field of the format of a file.
const FORMAT: &str = "format";

/// The fields of a generation that a batch can set for all rows, and that go to each as they are.
const DEFAULTS: [&str; 12] = [
    "count",
    "phases",
    "persona",
    "provider",
    "temperature",
    "max_tokens",
    "tags",
    "context",
    "auto_select",
    "save",
    "timeout_s",
    "no_cache",
];

/// The fields of a generation that belong to the batch as a whole.
pub(crate) const OF_THE_BATCH: [&str; 3] = ["budget_usd", "max_calls", "assume_price"];

/// The field of a generation with this name.
const fn of_row(name: &str) -> Field {
    let (mut at, fields) = (0, GenerateRequest::FIELDS);
    while !is_same(fields[at].name, name) {
        at += 1;
    }
    fields[at]
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    a.len() == b.len() && at == a.len()
}

impl Request for BatchRequest {
    const FIELDS: &'static [Field] = &[
        Field::new(
            FORMAT,
            Kind::Choice(&["text", "json", "jsonl", "csv", "yaml"]),
            "The format of the rows; detected from the file's name or content by default.",
        ),
        Field::new(
            "concurrency",
            Kind::Integer { min: 1, max: limits::MAX_CONCURRENCY },
            "How many variants are made at once; `run.max_concurrency` by default. Each provider's own limit also applies.",
        ),
        Field::new("fail_fast", Kind::Boolean, "Stop at the first row that fails; false by default."),
        BUDGET_USD
            .with_doc("Budget of the batch in US dollars: a row that could exceed it is not started. None by default."),
        MAX_CALLS.with_doc(
            "Maximum calls to models of the whole batch, including retries and the judge's. No limit by default.",
        ),
        ASSUME_PRICE,
        of_row(DEFAULTS[0]),
        of_row(DEFAULTS[1]),
        of_row(DEFAULTS[2]),
        of_row(DEFAULTS[3]),
        of_row(DEFAULTS[4]),
        of_row(DEFAULTS[5]),
        of_row(DEFAULTS[6]),
        of_row(DEFAULTS[7]),
        of_row(DEFAULTS[8]),
        of_row(DEFAULTS[9]),
        of_row(DEFAULTS[10]).with_doc("Seconds for each row; variants finished by then are kept. No limit by default."),
        of_row(DEFAULTS[11]),
        Field::new(
            TARGET_MODEL,
            Kind::Names { max: limits::MAX_TARGET_MODELS },
            "The model the prompts are for, which determines their form. With several, each row that names none \
             becomes one row a model, its id followed by `:` and the model.",
        ),
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        let (format, concurrency) = (values.text(FORMAT), values.count("concurrency"));
        let fail_fast = values.boolean("fail_fast").unwrap_or(false);
        let (budget_usd, max_calls) = (values.number("budget_usd"), values.integer("max_calls"));
        let assume_price = values.number("assume_price");
        let target_models = values.texts(TARGET_MODEL).unwrap_or_default();
        let given: Vec<&str> = DEFAULTS.into_iter().filter(|name| values.has(name)).collect();
        let defaults = match serde_json::to_value(GenerateRequest::from_decoded(values)) {
            Ok(Value::Object(all)) => all.into_iter().filter(|(name, _)| given.contains(&name.as_str())).collect(),
            _ => Map::new(),
        };
        Self { format, concurrency, fail_fast, budget_usd, max_calls, assume_price, target_models, defaults }
    }
}

/// The fields of a batch with its rows: they have no format.
const INLINE: [Field; BatchRequest::FIELDS.len()] = {
    let rows = Field::new(
        "rows",
        Kind::Rows { max: limits::MAX_INLINE_ROWS },
        "The requests. Each has `input` and optionally `id`, and may set what a generation can for itself alone.",
    );
    let (mut all, mut at) = ([rows.required(); BatchRequest::FIELDS.len()], 1);
    assert!(is_same(BatchRequest::FIELDS[0].name, FORMAT), "the format is the first field");
    while at < all.len() {
        all[at] = BatchRequest::FIELDS[at];
        at += 1;
    }
    all
};

impl Request for InlineBatchRequest {
    const FIELDS: &'static [Field] = &INLINE;

    fn from_decoded(mut values: Decoded) -> Self {
        let rows = values.rows("rows").unwrap_or_default();
        Self { rows, batch: BatchRequest::from_decoded(values) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::{Known, decode};

    #[test]
    fn what_is_given_for_all_rows_is_kept_in_the_form_of_a_generation() {
        let raw = json!({ "count": 2, "tags": ["a"], "save": false, "concurrency": 4, "budget_usd": 1.5 });
        let request: BatchRequest = decode(raw, &Known::default()).unwrap();
        assert_eq!(Value::Object(request.defaults), json!({ "count": 2, "tags": ["a"], "save": false }));
        assert_eq!((request.concurrency, request.budget_usd, request.fail_fast), (Some(4), Some(1.5), false));
        assert!(decode::<BatchRequest>(json!({ "input": "x" }), &Known::default()).is_err());
    }

    #[test]
    fn rows_can_be_in_the_request() {
        let rows = json!([{ "input": "x" }, { "id": "b", "input": "y", "count": 1 }]);
        let raw = json!({ "rows": rows, "persona": null, "target_model": ["m", "n"] });
        let request: InlineBatchRequest = decode(raw, &Known::default()).unwrap();
        assert_eq!(Value::from(request.rows), rows);
        assert_eq!(request.batch.target_models, ["m", "n"]);
        let one: BatchRequest = decode(json!({ "target_model": "m" }), &Known::default()).unwrap();
        assert_eq!(one.target_models, ["m"]);
        let refused = |raw: Value| decode::<InlineBatchRequest>(raw, &Known::default()).unwrap_err().to_string();
        let many = vec![json!({ "input": "x" }); limits::MAX_INLINE_ROWS + 1];
        assert!(refused(json!({ "rows": many })).contains("has 1001 rows; from 1 to 1000 are allowed"));
        assert!(refused(json!({ "rows": [] })).contains("has 0 rows"));
        assert!(refused(json!({ "rows": ["x"] })).contains("item 0 is a text; expected an object"));
        assert!(refused(json!({ "rows": [{}], "format": "json" })).contains("unknown field"));
        assert!(refused(json!({})).contains("rows: is required"));
        assert!(refused(json!({ "rows": [{}], "target_model": ["m", "m"] })).contains("target_model[1]"));
    }

    #[test]
    fn every_field_of_a_generation_is_of_a_row_or_of_the_batch() {
        let known = ["input", TARGET_MODEL].iter().chain(&DEFAULTS).chain(&OF_THE_BATCH);
        let mut known: Vec<&str> = known.copied().collect();
        let mut all: Vec<&str> = GenerateRequest::FIELDS.iter().map(|field| field.name).collect();
        known.sort_unstable();
        all.sort_unstable();
        assert_eq!(known, all);
    }
}
