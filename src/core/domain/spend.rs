//! Totals of what was spent: the result of `spend`, the same on every face.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// What calls are grouped by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpendBy {
    /// The day of a call, UTC: `2026-11-21`.
    #[default]
    Day,
    /// The model called.
    Model,
    /// The provider called.
    Provider,
    /// The purpose: a phase, `judge`, `embedding`.
    Phase,
    /// A tag of the run. A call counts once for each tag of its run, or for the empty tag.
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

/// What was spent, and the budgets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpendReport {
    /// What the lines are grouped by.
    pub by: SpendBy,
    /// Start of the period, inclusive; null: from the beginning.
    #[serde(with = "super::moment::written_or_null")]
    #[schemars(with = "Option<String>")]
    pub since: Option<Timestamp>,
    /// End of the period, exclusive; null: no end.
    #[serde(with = "super::moment::written_or_null")]
    #[schemars(with = "Option<String>")]
    pub until: Option<Timestamp>,
    /// Days newest first, anything else most expensive first.
    pub lines: Vec<SpendLine>,
    /// Totals of all calls, each counted once.
    pub total: SpendTotals,
    /// The budgets in force.
    pub caps: SpendCaps,
}

/// The totals of one day, model, …
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpendLine {
    /// The day, model, … that these totals are for.
    pub key: String,
    /// Its totals.
    #[serde(flatten)]
    pub totals: SpendTotals,
}

/// Totals of calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpendTotals {
    /// Calls sent, retries included.
    pub calls: u64,
    /// Of these, refused by the provider before any answer, so free.
    pub failed: u64,
    /// Of these, unconfirmed (cancelled, cut off, hung or in progress): their cost is unknown.
    pub unseen: u64,
    /// Of these, answered by a model of unknown price.
    pub unpriced: u64,
    /// Tokens sent, by answered calls.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// US dollars; null if any price in it is unknown, never a guess.
    pub cost_usd: Option<f64>,
    /// US dollars of the calls whose cost is known.
    pub known_cost_usd: f64,
    /// Upper bound of the cost of the unconfirmed calls, in US dollars, where their price is known.
    pub unseen_usd: f64,
}

/// The budgets in force, and what is left of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpendCaps {
    /// US dollars that all runs together may spend per day (UTC); null: no budget.
    pub daily_budget_usd: Option<f64>,
    /// US dollars counted for today's calls, those in progress at their worst case.
    pub used_today_usd: f64,
    /// US dollars left for today; null: no budget.
    pub left_today_usd: Option<f64>,
    /// A run that may cost more than this many US dollars asks first; null: never.
    pub preflight_usd: Option<f64>,
}
