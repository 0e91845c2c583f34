//! The options of `aludel trash`.

use aludel_core::api::{EmptyTrashRequest, RestoreRequest, TrashRequest};
use clap::{Args, Subcommand};
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const LIST_EXAMPLES: &str = "\
Examples:
  aludel trash list
  aludel trash list --limit 100 --format json";

const RESTORE_EXAMPLES: &str = "\
Examples:
  aludel trash restore @last
  aludel trash restore 7a3f9c21 5e0b44d9";

const EMPTY_EXAMPLES: &str = "\
Examples:
  aludel trash empty
  aludel trash empty 7a3f9c21 --yes

Asks for confirmation on a terminal; elsewhere --yes is required.";

const EXAMPLES: &str = "\
Examples:
  aludel trash list
  aludel trash restore @last
  aludel trash empty

Deleted prompts are kept for storage.trash_days days, then deleted for good.";

/// List, restore and remove deleted prompts
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true, globals_last())]
pub(crate) struct TrashArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: TrashCommand,
}

/// What to do with deleted prompts.
#[derive(Debug, Subcommand)]
pub(crate) enum TrashCommand {
    /// List deleted prompts, last deleted first
    List(TrashListArgs),
    /// Restore deleted prompts
    Restore(TrashRestoreArgs),
    /// Delete for good: the given prompts, or all in the trash
    Empty(TrashEmptyArgs),
}

/// Which page of it.
#[derive(Debug, Default, Args)]
#[command(after_help = LIST_EXAMPLES, globals_last())]
pub(crate) struct TrashListArgs {
    /// Maximum rows, 1 to 1000 (10)
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<String>,
    /// Rows to skip
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub offset: Option<String>,
}

impl TrashListArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<TrashRequest>().text("limit", self.limit.as_ref()).text("offset", self.offset.as_ref()).into_value()
    }
}

/// Which prompts.
#[derive(Debug, Default, Args)]
#[command(after_help = RESTORE_EXAMPLES, globals_last())]
pub(crate) struct TrashRestoreArgs {
    /// The ids, six or more of their first or last characters; @last is the last deleted one
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
}

impl TrashRestoreArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<RestoreRequest>().items("prompt_ids", &self.ids).into_value()
    }
}

/// Which prompts.
#[derive(Debug, Default, Args)]
#[command(after_help = EMPTY_EXAMPLES, globals_last())]
pub(crate) struct TrashEmptyArgs {
    /// The ids; by default all in the trash
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
}

impl TrashEmptyArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<EmptyTrashRequest>().items("prompt_ids", &self.ids).into_value()
    }
}
