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
    /// The judge's choice, when `auto_select` was asked for.
    pub selected: Option<SelectResult>,
    /// Variants that did not finish, and finished ones that could not be stored: of those `phase` is null, the code is
    /// `storage`, and `prompts` has them.
    pub failures: Vec<VariantFailure>,
    /// What the user should know: parameters left out, fallbacks used, ranking weights that could not apply.
    pub warnings: Vec<String>,
    /// All calls added up.
    pub model_metadata: ModelMetadata,
}

/// Why one variant did not finish, or is finished and not stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariantFailure {
    /// Which variant, from 0.
    pub variant: u32,
    /// The phase it failed in; null when it failed outside any (storing it, say).
    pub phase: Option<Phase>,
    /// What went wrong.
    pub error: Problem,
}

/// One prompt's place and the sum that gave it. `score` is the weighted mean of `components`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ranking {
    /// Which prompt.
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
    /// What the persona asks of a prompt, and whether it is there; it counts for nothing in the score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckMet>,
    /// The version of the formulas: scores of different versions cannot be compared.
    #[serde(default = "first_formula")]
    pub formula: u32,
}

/// Something that a persona asks of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckMet {
    /// A clause that completes "the prompt …".
    pub label: String,
    /// True where a word or phrase of it stands in the prompt.
    pub met: bool,
}

const fn first_level() -> u32 {
    1
}

const fn first_formula() -> u32 {
    1
}
