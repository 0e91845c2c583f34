//! The options of `aludel history`.

use aludel_core::api::HistoryRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel history
  aludel history --limit 3 --format json | jq '.sessions[].original_input'";

/// List runs with their variants, newest first
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct HistoryArgs {
    /// Maximum runs, 1 to 1000 (10)
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<String>,
    /// Runs to skip
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub offset: Option<String>,
    /// The next_cursor of the previous page
    #[arg(long, value_name = "CURSOR")]
    pub cursor: Option<String>,
}

impl HistoryArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<HistoryRequest>()
            .text("limit", self.limit.as_ref())
            .text("offset", self.offset.as_ref())
            .text("cursor", self.cursor.as_ref())
            .into_value()
    }
}
