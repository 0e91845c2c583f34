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

Asks first on a terminal; elsewhere --yes is needed.";

const EXAMPLES: &str = "\
Examples:
  aludel trash list
  aludel trash restore @last
  aludel trash empty

What is deleted is kept for storage.trash_days, and is gone for good then.";

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
    /// Bring deleted prompts back
    Restore(TrashRestoreArgs),
    /// Delete for good: these, or all in the trash
    Empty(TrashEmptyArgs),
}

/// Which part of it.
#[derive(Debug, Default, Args)]
#[command(after_help = LIST_EXAMPLES, globals_last())]
pub(crate) struct TrashListArgs {
    /// Most rows, 1 to 1000 (10)
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
    /// The ids, six or more of their first or last characters each; @last is the one deleted last
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
    /// The ids; all in the trash unless some are named
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
}

impl TrashEmptyArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<EmptyTrashRequest>().items("prompt_ids", &self.ids).into_value()
    }
}
