//! Totals of what is stored: the result of `stats`, the same on every face.
//!
//! A step is what one phase did to one prompt; a prompt stored without steps (an imported one, say)
//! counts by its own account. A step counts once in each grouping, except by tag, where it counts
//! for each of the prompt's tags. Deleted prompts are left out; what they cost is in `spend`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// What totals are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatsBy {
    /// The day a prompt was created, UTC: `2026-11-21`.
    Day,
    /// The phase of a step.
    Phase,
    /// The provider of a step.
    Provider,
    /// The model of a step.
    Model,
    /// The persona a prompt was written for.
    Persona,
    /// A tag of a prompt. A prompt counts once for each of its tags, or for the empty tag.
    Tag,
}

impl StatsBy {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Day, Self::Phase, Self::Provider, Self::Model, Self::Persona, Self::Tag];

    /// The groupings shown by default.
    pub const USUAL: [Self; 4] = [Self::Day, Self::Phase, Self::Provider, Self::Model];

    /// The name on every wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Phase => "phase",
            Self::Provider => "provider",
            Self::Model => "model",
            Self::Persona => "persona",
            Self::Tag => "tag",
        }
    }

    /// The inverse of [`StatsBy::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.as_str() == text)
    }
}

/// Totals of what is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatsReport {
    /// Start of the period, inclusive; null: from the beginning.
    #[serde(with = "super::moment::written_or_null")]
    #[schemars(with = "Option<String>")]
    pub since: Option<Timestamp>,
    /// End of the period, exclusive; null: no end.
    #[serde(with = "super::moment::written_or_null")]
    #[schemars(with = "Option<String>")]
    pub until: Option<Timestamp>,
    /// Totals of all prompts that pass the filters, each counted once.
    pub total: StatsTotals,
    /// The same by each requested grouping, in the order of the request.
    pub groups: Vec<StatsGroup>,
}

/// Totals by one grouping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatsGroup {
    /// What the lines are grouped by.
    pub by: StatsBy,
    /// How many keys there are; `lines` has the first of them.
    pub keys: u64,
    /// Days newest first, phases in their order, anything else by tokens, most first.
    pub lines: Vec<StatsLine>,
}

/// The totals of one day, phase, …
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatsLine {
    /// The day, phase, … that these totals are for.
    pub key: String,
    /// Its totals.
    #[serde(flatten)]
    pub totals: StatsTotals,
}

/// Totals of prompts and their steps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatsTotals {
    /// Prompts. By phase, provider or model: prompts with such a step.
    pub prompts: u64,
    /// Steps: what one phase did to one prompt.
    pub steps: u64,
    /// Calls to providers, not counting retries.
    pub calls: u64,
    /// Calls made again after a failure.
    pub retries: u64,
    /// Steps answered from the cache.
    pub cached: u64,
    /// Steps answered by a fallback provider.
    pub fallbacks: u64,
    /// Steps, and prompts stored without steps, whose token counts are estimates.
    pub estimated: u64,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Input and output tokens together.
    pub total_tokens: u64,
    /// Steps, and prompts stored without steps, whose price is unknown.
    pub unpriced: u64,
    /// US dollars; null if any price in it is unknown, never a guess.
    pub cost_usd: Option<f64>,
    /// US dollars of the steps and prompts whose price is known.
    pub known_cost_usd: f64,
    /// Milliseconds from request to last token, per step, without cached answers. Null if there are
    /// none.
    pub latency_ms: Option<Spread>,
    /// Milliseconds from request to first token, per step, where known. Null if there are none.
    pub first_token_ms: Option<Spread>,
    /// Tokens received per second of latency; null if the latency is zero.
    pub output_tokens_per_s: Option<f64>,
}

/// The distribution of a set of numbers. Percentiles are nearest-rank, never interpolated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// How many numbers, at least one.
    pub count: u64,
    /// The smallest.
    pub min: u64,
    /// The median: 50 % are at or below this.
    pub p50: u64,
    /// 90 % are at or below this.
    pub p90: u64,
    /// 95 % are at or below this.
    pub p95: u64,
    /// 99 % are at or below this.
    pub p99: u64,
    /// The largest.
    pub max: u64,
    /// The mean.
    pub mean: f64,
}
