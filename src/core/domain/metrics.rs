//! The result of `metrics`, for one prompt or several.
//!
//! Cost and time come from the stored account, sizes and measures from the current text.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ModelMetadata, Phase, PromptId, SessionId, Source, StatsGroup, StatsTotals, Timestamp};

/// The metrics of one prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptMetrics {
    /// The prompt's id.
    pub prompt_id: PromptId,
    /// The run it came from.
    pub session_id: SessionId,
    /// When it was first stored, UTC.
    #[serde(with = "super::moment::written")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// The persona it was written for.
    pub persona: String,
    /// The strategy of its variant.
    pub strategy: String,
    /// How it came to be stored.
    pub source: Source,
    /// The accounting of each phase, in order.
    pub steps: Vec<StepMetrics>,
    /// Totals of the steps.
    pub model_metadata: ModelMetadata,
    /// The size of the prompt.
    pub content: TextSize,
    /// The size of the user's request.
    pub original_input: TextSize,
    /// The ranking's measures of its text, each 0..=1: coverage, additions, structure, clarity,
    /// concision.
    pub measures: BTreeMap<String, f64>,
    /// The ranking's score, 0..=1; null until ranked.
    pub score: Option<f64>,
    /// Its rank in its run, 1 is best; null until ranked.
    pub rank: Option<u32>,
    /// How many ranked prompts of its run are stored.
    pub ranked: u32,
    /// The prompt it was derived from.
    pub parent_id: Option<PromptId>,
    /// Prompts derived from it, oldest first.
    pub children: Vec<PromptId>,
}

/// The accounting of one phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepMetrics {
    /// The phase.
    pub phase: Phase,
    /// Its tokens, cost and latency.
    pub model_metadata: ModelMetadata,
}

/// The size of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextSize {
    /// Unicode scalar values.
    pub characters: u64,
    /// Words (Unicode UAX #29).
    pub words: u64,
    /// Lines.
    pub lines: u64,
    /// Tokens, estimated.
    pub tokens: u64,
}

/// The metrics of several prompts, each alone and all together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricsReport {
    /// The metrics of each prompt.
    pub prompts: Vec<PromptMetrics>,
    /// The metrics of all together.
    pub summary: MetricsSummary,
}

/// The metrics of several prompts together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricsSummary {
    /// How many prompts pass the filters, or were named.
    pub matched: u64,
    /// How many of them were measured, newest first.
    pub measured: u64,
    /// Totals of the measured prompts.
    pub total: StatsTotals,
    /// The same by phase, by provider and by model.
    pub groups: Vec<StatsGroup>,
    /// The distribution of each figure over the measured prompts: latency, tokens, cost, length,
    /// measures, score.
    pub figures: Vec<Figure>,
}

/// The distribution of one figure over prompts. The median of an even count is the lower of the
/// middle two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// What is measured, with its unit: `latency_ms`, `total_tokens`, `cost_usd`, `characters`, …
    pub name: String,
    /// How many prompts have it.
    pub count: u64,
    /// The smallest.
    pub min: f64,
    /// The median.
    pub median: f64,
    /// The largest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
}
