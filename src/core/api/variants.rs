//! The request for further variants of a stored prompt, or for variants of a request.

use serde::{Deserialize, Serialize};

use super::bounds::{ASSUME_PRICE, BUDGET_USD, MAX_CALLS, TIMEOUT_S};
use super::field::Field;
use super::generate::{AUTO_SELECT, COUNT, GenerateRequest, INPUT, PERSONA, PROVIDER, TAGS, TARGET_MODEL, TEMPERATURE};
use super::prompts::PROMPT_ID;
use super::{Decoded, PromptKey, Request};
use crate::domain::PromptId;
use crate::error::Fault;

/// Asks for variants. Exactly one of `prompt_id` and `generation.input` is given.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantsRequest {
    /// The stored prompt to make variants of.
    pub prompt_id: Option<PromptKey>,
    /// The request to make them from, and what to do differently.
    pub generation: GenerateRequest,
}

/// The prompt whose further variants a run makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantOf {
    /// It.
    pub parent: PromptId,
    /// Its strategy, which is the last that is used again.
    pub strategy: String,
}

impl Request for VariantsRequest {
    const FIELDS: &'static [Field] = &[
        PROMPT_ID.optional().with_doc(
            "The stored prompt to make further variants of, by id: from the same request, with its settings unless they are given here.",
        ),
        INPUT.with_doc("Instead of `prompt_id`: the request to make variants of; 1 to 100,000 characters."),
        COUNT,
        PERSONA,
        PROVIDER,
        TEMPERATURE,
        TARGET_MODEL,
        TAGS,
        AUTO_SELECT,
        TIMEOUT_S,
        BUDGET_USD,
        MAX_CALLS,
        ASSUME_PRICE,
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self { prompt_id: values.key("prompt_id"), generation: GenerateRequest::from_decoded(values) }
    }

    fn cross_check(&self) -> Vec<Fault> {
        match (&self.prompt_id, self.generation.input.is_empty()) {
            (Some(_), true) | (None, false) => Vec::new(),
            (None, true) => vec![Fault::new("prompt_id", "is missing: give a stored prompt, or a request as `input`")],
            (Some(_), false) => vec![Fault::new("input", "cannot be given with `prompt_id`: leave one of them out")],
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::{Known, decode};

    fn fault(raw: Value) -> String {
        decode::<VariantsRequest>(raw, &Known::default()).unwrap_err().to_string()
    }

    #[test]
    fn one_of_a_prompt_and_a_request_is_given() {
        assert!(fault(json!({})).contains("prompt_id"));
        assert!(fault(json!({ "prompt_id": "@last", "input": "x" })).contains("input"));
        let given = decode::<VariantsRequest>(json!({ "prompt_id": "@last", "count": 2 }), &Known::default()).unwrap();
        assert_eq!((given.prompt_id, given.generation.count), (Some(PromptKey::Last), Some(2)));
        assert!(given.generation.save, "variants are stored");
    }
}
