//! The options of `aludel list`.

use aludel_core::api::ListRequest;
use clap::Args;
use serde_json::Value;

use super::filters::FilterArgs;
use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel list
  aludel list --tags review --since 7d --limit 50
  aludel list --sort score --persona code --flat
  aludel list --format json --fields content,tags,score
  aludel list --format csv > prompts.csv";

/// List stored prompts, newest first
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct ListArgs {
    /// Maximum rows, 1 to 1000 (10)
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<String>,
    /// Rows to skip
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub offset: Option<String>,
    /// The next_cursor of the previous page
    #[arg(long, value_name = "CURSOR")]
    pub cursor: Option<String>,
    /// Sort by newest, oldest or score (newest)
    #[arg(long, value_name = "ORDER")]
    pub sort: Option<String>,
    /// In text, one line per prompt, not grouped by run
    #[arg(long)]
    pub flat: bool,
    /// In json, jsonl and yaml, only these fields of each prompt (and its id), separated by commas
    #[arg(long, value_name = "NAMES")]
    pub fields: Vec<String>,

    #[command(flatten)]
    pub filters: FilterArgs,
}

impl ListArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        let raw = Raw::of::<ListRequest>()
            .text("limit", self.limit.as_ref())
            .text("offset", self.offset.as_ref())
            .text("cursor", self.cursor.as_ref())
            .text("sort", self.sort.as_ref())
            .list("fields", &self.fields);
        self.filters.add_to(raw).into_value()
    }
}
