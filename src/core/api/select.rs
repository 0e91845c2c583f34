//! The requests of the judge: which stored prompt is best, and why one got its place.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::bounds::{ASSUME_PRICE, BUDGET_USD, MAX_CALLS, NO_CACHE, TIMEOUT_S};
use super::field::{Field, Kind};
use super::prompts::PROMPT_ID;
use super::{Decoded, PromptKey, Request};
use crate::domain::limits;

/// Asks which of several stored prompts is best. A job stores it in this form, by field name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SelectRequest {
    /// The candidates, 2 to 64 distinct keys. Whether the prompts are distinct is checked later.
    pub prompt_ids: Vec<PromptKey>,
    /// What they are for; `None`: their common original input.
    #[serde(rename = "task_description")]
    pub task: Option<String>,
    /// What to judge by; `None`: `judge.criteria`, else the rubric of their persona.
    pub criteria: Option<Criteria>,
    /// Continues up to every pair, to 0.95 unless `confidence` is set.
    pub thorough: bool,
    /// The P(best) at which the judge stops, 0.5..=0.99; `None`: 0.8.
    pub confidence: Option<f64>,
    /// The judges, each `name` or `name/model`; empty: the usual judge. Several form a panel.
    #[serde(rename = "judge_provider")]
    pub judges: Vec<String>,
    /// Whole run, in seconds.
    pub timeout_s: Option<f64>,
    /// US dollars that the run can cost; above 0.
    pub budget_usd: Option<f64>,
    /// Calls to models that the run can make, including retries; 1..=1,000,000.
    pub max_calls: Option<u64>,
    /// US dollars for a million tokens of a model whose price is unknown, sent and received alike.
    pub assume_price: Option<f64>,
    /// True: answers are neither read from nor written to the cache.
    pub no_cache: bool,
}

/// The criteria for judging candidates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Criteria {
    /// The rubric of this name.
    Rubric(String),
    /// These criteria of the usual rubric with their weights, scaled to add up to 1.
    Weights(BTreeMap<String, f64>),
    /// The rubric in this file, as `{"file": …}`. Allowed only in the user's own requests
    /// ([`Known::may_name_files`](super::Known)): otherwise a client could read the server's files.
    File {
        /// The file.
        file: PathBuf,
    },
}

pub(super) const TASK: Field = Field::new(
    "task_description",
    Kind::Text { min: 1, max: limits::TEXT_CHARS },
    "The task the prompts are for; by default the request they were made from, which must then be the same for all.",
);
pub(super) const CRITERIA: Field = Field::new(
    "criteria",
    Kind::Criteria,
    "What to judge by: the name of a rubric, or an object that gives criteria of the usual rubric a weight each.",
);
pub(super) const THOROUGH: Field = Field::new(
    "thorough",
    Kind::Boolean,
    "Compare up to every pair, until one prompt is the best with a probability of 0.95; false by default.",
);
pub(super) const CONFIDENCE: Field = Field::new(
    "confidence",
    Kind::Number { min: 0.5, max: 0.99 },
    "Ask the judge until one prompt is the best with this probability, 0.5 to 0.99; 0.8 by default, 0.95 with `thorough`. A choice below it is not `confident`.",
);
pub(super) const JUDGE_PROVIDER: Field = Field::new(
    "judge_provider",
    Kind::Judges { max: limits::MAX_JUDGES },
    "The judge, as `name` or `name/model`; several form a panel. By default judge.provider, else a configured provider of another model family than the prompts' own.",
);

impl Request for SelectRequest {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "prompt_ids",
            Kind::PromptKeys { min: limits::MIN_PROMPT_IDS, max: limits::MAX_PROMPT_IDS },
            "The stored prompts to choose among, 2 to 64, by id.",
        )
        .required(),
        TASK,
        CRITERIA,
        THOROUGH,
        CONFIDENCE,
        JUDGE_PROVIDER,
        TIMEOUT_S.with_doc("Seconds for the whole selection; answers received so far are cached. No limit by default."),
        BUDGET_USD.with_doc(
            "Budget of the selection in US dollars: a call that could exceed it is not made. None by default.",
        ),
        MAX_CALLS.with_doc("Maximum calls of the selection to models, including retries. No limit by default."),
        ASSUME_PRICE,
        NO_CACHE.with_doc("Neither read nor write the answer cache; false by default."),
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            prompt_ids: values.keys("prompt_ids").unwrap_or_default(),
            task: values.text("task_description"),
            criteria: values.criteria("criteria"),
            thorough: values.boolean("thorough").unwrap_or(false),
            confidence: values.number("confidence"),
            judges: values.texts("judge_provider").unwrap_or_default(),
            timeout_s: values.number("timeout_s"),
            budget_usd: values.number("budget_usd"),
            max_calls: values.integer("max_calls"),
            assume_price: values.number("assume_price"),
            no_cache: values.boolean("no_cache").unwrap_or(false),
        }
    }
}

/// Asks how a prompt came about and got its rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyRequest {
    /// Which prompt.
    pub prompt_id: PromptKey,
    /// Most judgements to report, newest first; 10 by default.
    pub limit: Option<u32>,
}

impl Request for WhyRequest {
    const FIELDS: &'static [Field] = &[
        PROMPT_ID,
        Field::new(
            "limit",
            Kind::Integer { min: 1, max: limits::MAX_LIMIT },
            "Maximum judgements to show, newest first; 10 by default.",
        ),
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self { prompt_id: values.key("prompt_id").unwrap_or(PromptKey::Last), limit: values.count("limit") }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::{Known, decode};
    use crate::error::{Code, Error};

    fn select(more: Value) -> Result<SelectRequest, Error> {
        let mut raw = json!({ "prompt_ids": ["7a3f9c21", "@last"] });
        if let (Value::Object(raw), Value::Object(more)) = (&mut raw, more) {
            raw.extend(more);
        }
        decode(raw, &Known { providers: vec!["builtin".into(), "lab".into()], ..Known::default() })
    }

    fn refused(more: Value, code: Code, says: &str) {
        let error = select(more).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }

    #[test]
    fn one_prompt_sixty_five_and_a_repeated_one_are_refused_each_in_its_own_words() {
        let ids = |count: usize| (0..count).map(|at| format!("{at:012x}")).collect::<Vec<_>>();
        for count in [2, 64] {
            assert_eq!(select(json!({ "prompt_ids": ids(count) })).unwrap().prompt_ids.len(), count);
        }
        for count in [0, 1, 65] {
            let says = format!("names {count} prompts; from 2 to 64 are allowed");
            refused(json!({ "prompt_ids": ids(count) }), Code::ValidationFailed, &says);
        }
        let twice = json!({ "prompt_ids": ["7a3f9c21", "@last", "7A3F-9c21"] });
        refused(twice, Code::ValidationFailed, "prompt_ids[2]: `7A3F-9c21` is named twice");
        refused(json!({ "prompt_ids": "7a3f9c21" }), Code::InvalidRequest, "prompt_ids: expected a list of texts");
    }

    #[test]
    fn a_task_that_is_given_says_something() {
        assert_eq!(select(json!({ "task_description": null })).unwrap().task, None);
        refused(json!({ "task_description": " \n" }), Code::ValidationFailed, "task_description: is empty");
        refused(
            json!({ "task_description": "é".repeat(100_001) }),
            Code::ValidationFailed,
            "task_description: has 100001 characters",
        );
        assert!(select(json!({ "task_description": "é".repeat(100_000) })).is_ok());
    }

    #[test]
    fn a_judge_is_one_name_or_a_panel_of_distinct_ones() {
        let judges = |value: Value| select(json!({ "judge_provider": value })).unwrap().judges;
        assert_eq!(judges(json!("lab/m-1")), ["lab/m-1"]);
        assert_eq!(judges(json!(["lab/m-1", "lab/m-2", "builtin"])), ["lab/m-1", "lab/m-2", "builtin"]);
        let refused = |value: Value, code, says: &str| refused(json!({ "judge_provider": value }), code, says);
        refused(json!("nobody"), Code::ValidationFailed, "judge_provider: there is no provider `nobody`");
        refused(json!(["lab", "nobody"]), Code::ValidationFailed, "judge_provider[1]: there is no provider");
        refused(json!(["lab", "lab"]), Code::ValidationFailed, "judge_provider[1]: `lab` is named twice");
        refused(json!([]), Code::ValidationFailed, "names no provider: leave it out for the usual judge");
        refused(
            json!(["lab", "lab", "lab", "lab", "lab", "lab", "lab", "lab", "lab"]),
            Code::ValidationFailed,
            "names 9 judges; a panel has at most 8",
        );
        refused(json!(7), Code::InvalidRequest, "expected a text or a list of texts");
    }

    #[test]
    fn criteria_are_a_rubrics_name_or_weights() {
        let criteria = |value: Value| select(json!({ "criteria": value })).unwrap().criteria.unwrap();
        assert_eq!(criteria(json!("code")), Criteria::Rubric("code".into()));
        let weights = [("clarity".to_owned(), 2.0), ("fit".to_owned(), 1.0)].into();
        assert_eq!(criteria(json!({ "clarity": 2, "fit": 1.0 })), Criteria::Weights(weights));
        let refused = |value: Value, code, says: &str| refused(json!({ "criteria": value }), code, says);
        refused(json!(""), Code::ValidationFailed, "criteria: is empty");
        refused(json!({}), Code::ValidationFailed, "criteria: has 0 criteria; from 1 to 12");
        refused(json!({ "clarity": 0 }), Code::ValidationFailed, "the weight of `clarity` is 0; it must be above 0");
        refused(json!({ "clarity": "much" }), Code::InvalidRequest, "the weight of `clarity` is a text");
        refused(json!(["clarity"]), Code::InvalidRequest, "expected a text or an object of numbers");
    }

    #[test]
    fn a_file_of_criteria_is_named_by_the_user_alone() {
        let raw = json!({ "prompt_ids": ["7a3f9c21", "@last"], "criteria": { "file": "./tone.yaml" } });
        let of = |may_name_files| decode::<SelectRequest>(raw.clone(), &Known { may_name_files, ..Known::default() });
        let file = Criteria::File { file: "./tone.yaml".into() };
        assert_eq!(of(true).unwrap().criteria, Some(file));
        let refused = of(false).unwrap_err();
        assert_eq!(refused.code(), Code::InvalidRequest);
        assert!(refused.to_string().contains("the weight of `file` is a text"), "{refused}");
    }

    #[test]
    fn bounds_are_those_of_generate() {
        use crate::api::GenerateRequest;
        for name in ["timeout_s", "budget_usd", "max_calls", "assume_price", "no_cache"] {
            let kind = |fields: &[Field]| fields.iter().find(|field| field.name == name).map(|field| field.kind);
            assert_eq!(kind(SelectRequest::FIELDS), kind(GenerateRequest::FIELDS));
            assert!(kind(SelectRequest::FIELDS).is_some(), "{name}");
        }
    }
}
