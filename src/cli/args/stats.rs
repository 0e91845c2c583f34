//! The options of `aludel stats` and `aludel metrics`.

use aludel_core::api::{MetricsRequest, StatsRequest};
use clap::Args;
use serde_json::Value;

use super::filters::FilterArgs;
use super::global::GlobalsLast;
use super::raw::Raw;

const STATS_EXAMPLES: &str = "\
Examples:
  aludel stats
  aludel stats --by model --since 30d
  aludel stats --by tag,persona --provider openai --limit 20
  aludel stats --format json | jq .total.latency_ms.p95

Totals of the stored prompts: a step is what one phase did to one prompt, and
its latency runs from request to last token. Cached answers have none. Deleted
prompts do not count. All spending, including deleted prompts, judging and
failed calls, is in `aludel spend`. Days are in UTC.";

/// Show totals of stored prompts by day, phase, provider and model
#[derive(Debug, Default, Args)]
#[command(after_help = STATS_EXAMPLES, globals_last())]
pub(crate) struct StatsArgs {
    /// Group by day, phase, provider, model, persona or tag, separated by commas (the first four)
    #[arg(long, value_name = "LIST")]
    pub by: Vec<String>,
    /// Maximum rows of each table, 1 to 1000 (10; for days 30)
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<String>,

    #[command(flatten)]
    pub filters: FilterArgs,
}

impl StatsArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        let raw = Raw::of::<StatsRequest>().list("by", &self.by).text("limit", self.limit.as_ref());
        self.filters.add_to(raw).into_value()
    }
}

const METRICS_EXAMPLES: &str = "\
Examples:
  aludel metrics @last
  aludel metrics 7a3f9c21 5e0b44d9
  aludel metrics --tags review --since 7d
  aludel metrics --limit 1000 --format csv > metrics.csv

For one prompt: tokens, cost and latency of each phase, its length, the
ranking's measures of its text, its rank, and the prompts it was derived from
and that were derived from it. For several: the same for each, and how they
differ. Without an id, the newest prompts that pass the filters are measured.";

/// Measure prompts: cost, latency, length, quality, rank
#[derive(Debug, Default, Args)]
#[command(after_help = METRICS_EXAMPLES, globals_last())]
pub(crate) struct MetricsArgs {
    /// The ids, six or more of their first or last characters, or @last
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Maximum prompts to measure, newest first, 1 to 1000 (100)
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<String>,

    #[command(flatten)]
    pub filters: FilterArgs,
}

impl MetricsArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        let raw = Raw::of::<MetricsRequest>().items("prompt_ids", &self.ids).text("limit", self.limit.as_ref());
        self.filters.add_to(raw).into_value()
    }
}
