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

Asks first on a terminal; elsewhere --yes is needed. What is deleted can be
restored for some time (storage.trash_days): see `aludel trash`.";

/// Delete prompts
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct DeleteArgs {
    /// The ids, six or more of their first or last characters each, or @last
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Delete every stored prompt
    #[arg(long)]
    pub all: bool,
    /// Delete for good, not into the trash
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
