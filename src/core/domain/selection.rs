//! What the judge gives back: the winner, how sure it is, and every comparison behind it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ModelMetadata, Prompt, PromptId};

/// The judge's choice among several prompts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelectResult {
    /// The winner.
    pub prompt: Prompt,
    /// Why, in words.
    pub reasoning: String,
    /// P(best), 0..=1.
    pub confidence: f64,
    /// False when it is too close to call.
    pub confident: bool,
    /// The prompts the winner could not be told from; empty when `confident`.
    pub tied: Vec<PromptId>,
    /// All candidates, best first.
    pub ranking: Vec<Standing>,
    /// Every comparison made.
    pub comparisons: Vec<Comparison>,
    /// The share of comparisons whose two orders agreed, 0..=1.
    pub swap_consistency: f64,
    /// Comparisons without a valid verdict.
    pub missing: u32,
    /// Age of the judge's own test, in days; null when it was never tested.
    pub audit_age_days: Option<f64>,
    /// The criteria and their weights, adding up to 1.
    pub criteria: BTreeMap<String, f64>,
    /// The judge's calls added up.
    pub model_metadata: ModelMetadata,
}

/// One candidate's standing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// Which prompt.
    pub prompt_id: PromptId,
    /// Strength, 0..=1: the chance to beat an average candidate.
    pub score: f64,
    /// 90 % bootstrap interval of the score.
    pub interval: [f64; 2],
    /// Comparisons won.
    pub wins: u32,
    /// Comparisons lost.
    pub losses: u32,
    /// Comparisons that were even.
    pub ties: u32,
}

/// One comparison of two candidates, both orders taken together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The first candidate.
    pub a: PromptId,
    /// The second candidate.
    pub b: PromptId,
    /// The better one; null when even.
    pub winner: Option<PromptId>,
    /// Averaged over both orders, -1..=1; positive favours `a`.
    pub margin: f64,
    /// True when the two orders agreed.
    pub agreed: bool,
    /// Why, in words.
    pub reasoning: String,
}
