//! The request to compare stored prompts and, with a task, to ask the judge.

use serde_json::{Map, Value, json};

use super::bounds::{ASSUME_PRICE, BUDGET_USD, MAX_CALLS, NO_CACHE, TIMEOUT_S};
use super::field::{Field, Kind};
use super::select::{CONFIDENCE, CRITERIA, JUDGE_PROVIDER, SelectRequest, TASK, THOROUGH};
use super::{Decoded, PromptKey, Request};
use crate::domain::limits;
use crate::error::Fault;

/// Asks how stored prompts differ and, with a task, which is best.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CompareRequest {
    /// The selection to make, including `task`; without a task the judge is not asked.
    pub judging: SelectRequest,
}

/// The fields that only make sense with a task, and `thorough`.
const JUDGE_FIELDS: [&str; 5] = ["criteria", "confidence", "judge_provider", "budget_usd", "max_calls"];

impl CompareRequest {
    /// Which prompts, 2 to 64.
    pub fn prompt_ids(&self) -> &[PromptKey] {
        &self.judging.prompt_ids
    }

    /// What the prompts are compared for.
    pub fn task(&self) -> Option<&str> {
        self.judging.task.as_deref()
    }
}

impl Request for CompareRequest {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "prompt_ids",
            Kind::PromptKeys { min: limits::MIN_PROMPT_IDS, max: limits::MAX_PROMPT_IDS },
            "The stored prompts to compare, 2 to 64, by id; two also get a word diff.",
        )
        .required(),
        TASK.with_doc(
            "The task the prompts are compared for: the judge says which is best for it. Without a task no model is called.",
        ),
        CRITERIA,
        THOROUGH,
        CONFIDENCE,
        JUDGE_PROVIDER,
        TIMEOUT_S.with_doc("Seconds for the judge; answers received so far are cached. No limit by default."),
        BUDGET_USD.with_doc("Budget of the judge in US dollars: a call that could exceed it is not made. None by default."),
        MAX_CALLS.with_doc("Maximum calls of the judge to models, including retries. No limit by default."),
        ASSUME_PRICE,
        NO_CACHE.with_doc("Neither read nor write the judge's answer cache; false by default."),
    ];

    fn from_decoded(values: Decoded) -> Self {
        Self { judging: SelectRequest::from_decoded(values) }
    }

    fn rules() -> Vec<Value> {
        let with_task =
            json!({ "required": ["task_description"], "properties": { "task_description": { "type": "string" } } });
        let mut absent: Map<String, Value> =
            JUDGE_FIELDS.iter().map(|field| ((*field).to_owned(), json!({ "type": "null" }))).collect();
        absent.insert("thorough".to_owned(), json!({ "enum": [false, null] }));
        vec![json!({ "anyOf": [with_task, { "properties": absent }] })]
    }

    fn cross_check(&self) -> Vec<Fault> {
        if self.task().is_some() {
            return self.judging.cross_check();
        }
        let asks = &self.judging;
        let stray = [
            ("criteria", asks.criteria.is_some()),
            ("thorough", asks.thorough),
            ("confidence", asks.confidence.is_some()),
            ("judge_provider", !asks.judges.is_empty()),
            ("budget_usd", asks.budget_usd.is_some()),
            ("max_calls", asks.max_calls.is_some()),
        ];
        let given = stray.into_iter().filter(|(_, is_given)| *is_given);
        given
            .map(|(field, _)| Fault::new(field, "applies to the judge, which only runs with a task: add a task"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Known, decode};
    use crate::error::{Code, Error};

    fn compare(raw: Value) -> Result<CompareRequest, Error> {
        decode(raw, &Known { providers: vec!["builtin".into()], ..Known::default() })
    }

    #[test]
    fn without_a_task_the_judge_is_not_asked_and_takes_no_orders() {
        let request = compare(json!({ "prompt_ids": ["7a3f9c21", "@last"] })).unwrap();
        assert_eq!((request.prompt_ids().len(), request.task()), (2, None));
        let stray = json!({ "prompt_ids": ["7a3f9c21", "@last"], "thorough": true, "judge_provider": "builtin" });
        let error = compare(stray).unwrap_err();
        let fields: Vec<&str> = error.faults().iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!((error.code(), fields), (Code::ValidationFailed, vec!["thorough", "judge_provider"]));
    }

    #[test]
    fn what_select_takes_compare_takes() {
        let names = |fields: &[Field]| fields.iter().map(|field| field.name).collect::<Vec<_>>();
        assert_eq!(names(CompareRequest::FIELDS), names(SelectRequest::FIELDS));
        for ids in [json!(["7a3f9c21"]), json!(["7a3f9c21", "7a3f9c21"])] {
            assert_eq!(compare(json!({ "prompt_ids": ids })).unwrap_err().code(), Code::ValidationFailed);
        }
    }
}
