//! The options of `aludel spend`.

use aludel_core::api::SpendRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel spend
  aludel spend --by model --since 7d
  aludel spend --by tag --since 2026-11-01 --until 2026-11-30
  aludel spend --format json | jq .total.known_cost_usd

Every call to a provider is counted when it is sent, including retries, and
stays counted when its prompts are deleted. Days are in UTC. The embedded writer
is free and not listed. `spend.daily_budget_usd` limits a day; --budget-usd and
--max-calls limit a run.";

/// Show what was spent, and the budgets in force
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct SpendArgs {
    /// Group by day, model, provider, phase, tag or command (day)
    #[arg(long, value_name = "WHAT")]
    pub by: Option<String>,
    /// Only calls made then or later: 2026-11-21, 2026-11-21T08:30:00Z or 7d
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only calls made then or earlier; a date includes the whole day
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
}

impl SpendArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<SpendRequest>()
            .text("by", self.by.as_ref())
            .text("since", self.since.as_ref())
            .text("until", self.until.as_ref())
            .into_value()
    }
}
