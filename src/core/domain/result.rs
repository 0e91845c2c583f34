//! The result of a generate run: prompts best first, how they were ranked, what failed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ModelMetadata, Phase, Prompt, PromptId, SelectResult, SessionId};
use crate::error::Problem;

/// The result of a generate run. At least one variant succeeded, else the run is an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GenerationResult {
    /// The run.
    pub session_id: SessionId,
    /// The finished variants, best first.
    pub prompts: Vec<Prompt>,
    /// One per prompt, in the same order.
    pub rankings: Vec<Ranking>,
    /// The judge's choice, if `auto_select` was set.
    pub selected: Option<SelectResult>,
    /// Variants that failed, and finished ones that could not be stored. The latter have a null
    /// `phase` and the code `storage`, and are in `prompts`.
    pub failures: Vec<VariantFailure>,
    /// Warnings for the user: parameters left out, fallbacks used, ranking weights that could not
    /// apply.
    pub warnings: Vec<String>,
    /// Totals of all calls.
    pub model_metadata: ModelMetadata,
}

/// Why a variant failed, or was finished but not stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariantFailure {
    /// The variant's number, from 0.
    pub variant: u32,
    /// The phase it failed in; null if it failed outside a phase, such as while it was stored.
    pub phase: Option<Phase>,
    /// What went wrong.
    pub error: Problem,
}

/// One prompt's rank and its score breakdown. `score` is the weighted mean of `components`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ranking {
    /// The prompt's id.
    pub prompt_id: PromptId,
    /// 1 is best.
    pub rank: u32,
    /// Prompts of one level are about equal; 1 is the best.
    #[serde(default = "first_level")]
    pub level: u32,
    /// 0..=1.
    pub score: f64,
    /// Each component's value, 0..=1; the formulas are in [`crate::rank`].
    pub components: BTreeMap<String, f64>,
    /// Each component's weight, 0..=1, adding up to 1.
    pub weights: BTreeMap<String, f64>,
    /// The persona's checks, and whether the prompt meets them; the score does not count them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckMet>,
    /// The version of the formulas: scores of different versions cannot be compared.
    #[serde(default = "first_formula")]
    pub formula: u32,
}

/// A check that a persona makes of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckMet {
    /// A clause that completes "the prompt …".
    pub label: String,
    /// True if one of its words or phrases is in the prompt.
    pub met: bool,
}

const fn first_level() -> u32 {
    1
}

const fn first_formula() -> u32 {
    1
}
