//! Totals of what is stored: the result of `stats`, the same on every face.
//!
//! A step is what one phase did to one prompt; a prompt stored without steps (an imported one, say)
//! counts by its own account. A step counts once in each grouping, except by tag, where it counts
//! for each of the prompt's tags. Deleted prompts are left out; what they cost is in `spend`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// What totals are added up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatsBy {
    /// The day a prompt was made, UTC: `2026-11-21`.
    Day,
    /// The phase of a step.
    Phase,
    /// The provider of a step.
    Provider,
    /// The model of a step.
    Model,
    /// The persona a prompt was written for.
    Persona,
    /// A tag of a prompt; one with several counts for each of them, one without any for the empty tag.
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
    /// The first moment that counts; null: from the beginning.
    #[serde(with = "super::moment::written_or_null")]
    #[schemars(with = "Option<String>")]
    pub since: Option<Timestamp>,
    /// The first moment that no longer counts; null: to the end.
    #[serde(with = "super::moment::written_or_null")]
    #[schemars(with = "Option<String>")]
    pub until: Option<Timestamp>,
    /// Every prompt that passes the filters, once.
    pub total: StatsTotals,
    /// The same by each key that was asked for, in that order.
    pub groups: Vec<StatsGroup>,
}

/// Totals by one key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatsGroup {
    /// What the lines are added up by.
    pub by: StatsBy,
    /// How many keys there are; the lines are the first of them.
    pub keys: u64,
    /// Days newest first; phases in their order; all else that with the most tokens first.
    pub lines: Vec<StatsLine>,
}

/// The totals of one day, phase, …
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatsLine {
    /// Which.
    pub key: String,
    /// Its totals.
    #[serde(flatten)]
    pub totals: StatsTotals,
}

/// What prompts and their steps came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatsTotals {
    /// Prompts; by phase, provider or model those with such a step.
    pub prompts: u64,
    /// Steps: what one phase did to one prompt.
    pub steps: u64,
    /// Calls to providers, those that were retried not counted.
    pub calls: u64,
    /// Calls made again after a failure.
    pub retries: u64,
    /// Steps answered from the cache.
    pub cached: u64,
    /// Steps that a fallback answered.
    pub fallbacks: u64,
    /// Accounts whose tokens are our estimate.
    pub estimated: u64,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Sum of the two.
    pub total_tokens: u64,
    /// Accounts without a known price: of steps, and of prompts stored without steps.
    pub unpriced: u64,
    /// US dollars; null when any price in it is unknown, never a guess.
    pub cost_usd: Option<f64>,
    /// US dollars of the accounts whose price is known.
    pub known_cost_usd: f64,
    /// Milliseconds from request to last token, a step each; answers from the cache do not count. Null without any.
    pub latency_ms: Option<Spread>,
    /// Milliseconds from request to first token, a step each, where it is known. Null without any.
    pub first_token_ms: Option<Spread>,
    /// Tokens received for each second of latency; null where no time passed.
    pub output_tokens_per_s: Option<f64>,
}

/// How numbers are spread. A percentile is the number at the nearest rank: one that occurred, never one between two.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// How many numbers there are, at least one.
    pub count: u64,
    /// The least.
    pub min: u64,
    /// Half of them are not above this.
    pub p50: u64,
    /// 90 % of them are not above this.
    pub p90: u64,
    /// 95 % of them are not above this.
    pub p95: u64,
    /// 99 % of them are not above this.
    pub p99: u64,
    /// The greatest.
    pub max: u64,
    /// Their mean.
    pub mean: f64,
}
