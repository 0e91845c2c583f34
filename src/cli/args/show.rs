//! The options of `aludel show`.

use aludel_core::api::ShowRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel show 7a3f9c21
  aludel show @last --quiet | pbcopy
  aludel show @last --format markdown > prompt.md";

/// Show a prompt with every step
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct ShowArgs {
    /// The id, six or more of its first or last characters, or @last
    #[arg(value_name = "ID")]
    pub id: String,
}

impl ShowArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<ShowRequest>().set("prompt_id", self.id.as_str()).into_value()
    }
}
