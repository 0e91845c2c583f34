//! The options of `aludel validate`.

use aludel_core::api::ValidateRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel validate
  aludel validate --quick
  aludel validate --format json

Nothing is sent anywhere and no command is run: `aludel test-providers` finds
out whether a key is accepted and a model exists. Every page of the database is
read, unless --quick is given. Exits with 1 if a check fails.";

/// Check configuration, providers, templates and database
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct ValidateArgs {
    /// Check only the tables of the database, not every page
    #[arg(long)]
    pub quick: bool,
}

impl ValidateArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<ValidateRequest>().switch("quick", self.quick).into_value()
    }
}
