//! Totals of what was spent: the result of `spend`, the same on every face.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// What a report adds calls up by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpendBy {
    /// The day a call went out, UTC: `2026-11-21`.
    #[default]
    Day,
    /// The model asked.
    Model,
    /// The provider asked.
    Provider,
    /// What for: a phase, `judge`, `embedding`.
    Phase,
    /// A label of the run; a call of a run with several counts for each of them, one of a run without any for the
    /// empty label.
    Tag,
    /// The operation: `generate`.
    Command,
}

impl SpendBy {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Day, Self::Model, Self::Provider, Self::Phase, Self::Tag, Self::Command];

    /// The name on every wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Model => "model",
            Self::Provider => "provider",
            Self::Phase => "phase",
            Self::Tag => "tag",
            Self::Command => "command",
        }
    }

    /// The inverse of [`SpendBy::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.as_str() == text)
    }
}

/// What was spent, and what may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpendReport {
    /// What the lines are added up by.
    pub by: SpendBy,
    /// The first moment that counts; null: from the beginning.
    #[serde(with = "super::moment::written_or_null")]
    #[schemars(with = "Option<String>")]
    pub since: Option<Timestamp>,
    /// The first moment that no longer counts; null: to the end.
    #[serde(with = "super::moment::written_or_null")]
    #[schemars(with = "Option<String>")]
    pub until: Option<Timestamp>,
    /// Days newest first; all else the dearest first.
    pub lines: Vec<SpendLine>,
    /// Every call once.
    pub total: SpendTotals,
    /// The caps in force.
    pub caps: SpendCaps,
}

/// The calls of one day, model, …
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpendLine {
    /// Which.
    pub key: String,
    /// What its calls came to.
    #[serde(flatten)]
    pub totals: SpendTotals,
}

/// What calls came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpendTotals {
    /// Calls that went out, retries included.
    pub calls: u64,
    /// Of these, refused by the provider before any answer, and free.
    pub failed: u64,
    /// Of these, those whose end nobody saw (cancelled, cut, hung, or under way): what they cost is not known.
    pub unseen: u64,
    /// Of these, answered by a model of unknown price.
    pub unpriced: u64,
    /// Tokens sent, by the calls that were answered.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// US dollars; null when any price in it is unknown, never a guess.
    pub cost_usd: Option<f64>,
    /// US dollars of the calls whose cost is known.
    pub known_cost_usd: f64,
    /// The most that the unseen calls can have cost, in US dollars, where their price is known.
    pub unseen_usd: f64,
}

/// The caps in force, and what is left of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpendCaps {
    /// US dollars that may be spent a day (UTC), by all runs together; null: no cap.
    pub daily_budget_usd: Option<f64>,
    /// What today's calls count as, those under way at their worst case.
    pub used_today_usd: f64,
    /// What is left of today; null: no cap.
    pub left_today_usd: Option<f64>,
    /// A run that may cost more than so many US dollars asks first; null: never.
    pub preflight_usd: Option<f64>,
}
