//! The request to test a judge.

use super::bounds::{ASSUME_PRICE, BUDGET_USD, MAX_CALLS};
use super::field::{Field, Kind};
use super::{Decoded, Request};

/// Asks for a judge to be tested.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JudgeAuditRequest {
    /// The model to test, `name` or `name/model`; `None`: the usual judge.
    pub judge_provider: Option<String>,
    /// US dollars that the test can cost; above 0.
    pub budget_usd: Option<f64>,
    /// Calls to models that the test can make, including retries.
    pub max_calls: Option<u64>,
    /// US dollars for a million tokens of a model whose price is unknown, sent and received alike.
    pub assume_price: Option<f64>,
}

impl Request for JudgeAuditRequest {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "judge_provider",
            Kind::Provider,
            "The judge to test, as `name` or `name/model`; the usual judge by default.",
        ),
        BUDGET_USD
            .with_doc("Budget of the test in US dollars: a call that could exceed it is not made. None by default."),
        MAX_CALLS.with_doc("Maximum calls of the test to models, including retries. No limit by default."),
        ASSUME_PRICE,
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            judge_provider: values.text("judge_provider"),
            budget_usd: values.number("budget_usd"),
            max_calls: values.integer("max_calls"),
            assume_price: values.number("assume_price"),
        }
    }
}
