//! `aludel list`: which of the stored prompts, and in which order.

use aludel_core::api::ListRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel list
  aludel list --tags review --since 7d --limit 50
  aludel list --sort score --persona code
  aludel list --format csv > prompts.csv";

/// List stored prompts, newest first
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct ListArgs {
    /// Most rows, 1 to 1000 (10)
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<String>,
    /// Rows to skip
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub offset: Option<String>,
    /// Where the last page ended: its next_cursor
    #[arg(long, value_name = "CURSOR")]
    pub cursor: Option<String>,
    /// newest, oldest or score (newest)
    #[arg(long, value_name = "ORDER")]
    pub sort: Option<String>,

    /// Only prompts that have all of these tags, with commas between
    #[arg(long, value_name = "LIST", help_heading = "Filters")]
    pub tags: Vec<String>,
    /// Only prompts whose last phase was this
    #[arg(long, value_name = "PHASE", help_heading = "Filters")]
    pub phase: Option<String>,
    /// Only prompts whose last phase was by this provider
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub provider: Option<String>,
    /// Only prompts whose last phase was by this model
    #[arg(long, value_name = "MODEL", help_heading = "Filters")]
    pub model: Option<String>,
    /// Only prompts written for this persona
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub persona: Option<String>,
    /// Only prompts made then or later: 2026-11-21, 2026-11-21T08:30:00Z or 7d
    #[arg(long, value_name = "DATE", help_heading = "Filters")]
    pub since: Option<String>,
    /// Only prompts made then or earlier; a day counts whole
    #[arg(long, value_name = "DATE", help_heading = "Filters")]
    pub until: Option<String>,
}

impl ListArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<ListRequest>()
            .text("limit", self.limit.as_ref())
            .text("offset", self.offset.as_ref())
            .text("cursor", self.cursor.as_ref())
            .text("sort", self.sort.as_ref())
            .list("tags", &self.tags)
            .text("phase", self.phase.as_ref())
            .text("provider", self.provider.as_ref())
            .text("model", self.model.as_ref())
            .text("persona", self.persona.as_ref())
            .text("since", self.since.as_ref())
            .text("until", self.until.as_ref())
            .into_value()
    }
}
