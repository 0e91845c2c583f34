//! The options of `aludel delete`.

use aludel_core::api::DeleteRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel delete 7a3f9c21
  aludel delete 7a3f9c21 5e0b44d9 --yes
  aludel delete --all
  aludel delete 7a3f9c21 --forever

Asks for confirmation on a terminal; elsewhere --yes is required. Deleted
prompts can be restored for storage.trash_days days: see `aludel trash`.";

/// Delete prompts
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct DeleteArgs {
    /// The ids, six or more of their first or last characters, or @last
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Delete every stored prompt
    #[arg(long)]
    pub all: bool,
    /// Delete for good instead of moving to the trash
    #[arg(long)]
    pub forever: bool,
}

impl DeleteArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<DeleteRequest>()
            .items("prompt_ids", &self.ids)
            .switch("all", self.all)
            .switch("forever", self.forever)
            .into_value()
    }
}
