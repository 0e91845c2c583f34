//! The result of `metrics`, for one prompt or several.
//!
//! Cost and time come from the stored account, sizes and measures from the current text.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ModelMetadata, Phase, PromptId, SessionId, Source, StatsGroup, StatsTotals, Timestamp};

/// One prompt in depth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptMetrics {
    /// Which prompt.
    pub prompt_id: PromptId,
    /// The run it came from.
    pub session_id: SessionId,
    /// When it was first stored, UTC.
    #[serde(with = "super::moment::written")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// The persona it was written for.
    pub persona: String,
    /// How its variant was asked for.
    pub strategy: String,
    /// How it came to be here.
    pub source: Source,
    /// What each phase took, in order.
    pub steps: Vec<StepMetrics>,
    /// The steps added up.
    pub model_metadata: ModelMetadata,
    /// How long the prompt is.
    pub content: TextSize,
    /// How long what the user asked for is.
    pub original_input: TextSize,
    /// What the rules of the ranking read out of its text, each 0..=1: coverage, additions, structure, clarity, concision.
    pub measures: BTreeMap<String, f64>,
    /// The ranking's score, 0..=1; null until ranked.
    pub score: Option<f64>,
    /// Its place in its run, 1 is best; null until ranked.
    pub rank: Option<u32>,
    /// How many ranked prompts of its run are stored.
    pub ranked: u32,
    /// What it was derived from.
    pub parent_id: Option<PromptId>,
    /// What was derived from it, oldest first.
    pub children: Vec<PromptId>,
}

/// What one phase took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepMetrics {
    /// Which phase.
    pub phase: Phase,
    /// Its account.
    pub model_metadata: ModelMetadata,
}

/// How long a text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextSize {
    /// Unicode scalar values.
    pub characters: u64,
    /// Words (Unicode UAX #29).
    pub words: u64,
    /// Lines.
    pub lines: u64,
    /// Tokens, by our estimate.
    pub tokens: u64,
}

/// Several prompts, each in depth and all together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricsReport {
    /// Each of them.
    pub prompts: Vec<PromptMetrics>,
    /// All together.
    pub summary: MetricsSummary,
}

/// Several prompts together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricsSummary {
    /// How many prompts pass the filters, or were named.
    pub matched: u64,
    /// How many of them were measured: the newest ones.
    pub measured: u64,
    /// What the measured ones took.
    pub total: StatsTotals,
    /// The same by phase, by provider and by model.
    pub groups: Vec<StatsGroup>,
    /// How the measured ones differ, a line for each figure: latency, tokens, cost, length, measures, score.
    pub figures: Vec<Figure>,
}

/// How prompts differ in one thing. The median is one of the numbers: of an even count the lower of the middle two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// What is measured, with its unit: `latency_ms`, `total_tokens`, `cost_usd`, `characters`, …
    pub name: String,
    /// How many prompts have it.
    pub count: u64,
    /// The least.
    pub min: f64,
    /// The middle one.
    pub median: f64,
    /// The greatest.
    pub max: f64,
    /// Their mean.
    pub mean: f64,
}
