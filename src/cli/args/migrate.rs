//! The options of `aludel migrate`.

use std::path::PathBuf;

use aludel_core::api::ImportAlchemyRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel migrate --status
  aludel migrate --dry-run
  aludel migrate
  aludel migrate --from prompts.db

The database is backed up, in the same folder, before anything changes. The file
given to --from is only read; a second import skips prompts that are already
here.";

/// Migrate the database to the newest schema
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct MigrateArgs {
    /// Show which migrations are done and which are pending
    #[arg(long, conflicts_with = "dry_run")]
    pub status: bool,
    /// Show what would be done
    #[arg(long)]
    pub dry_run: bool,
    /// Import the history of the Go prompt-alchemy from its database
    #[arg(long, value_name = "FILE", conflicts_with = "status")]
    pub from: Option<PathBuf>,
    /// Make no vectors for the imported prompts; `reindex` makes them later
    #[arg(long, requires = "from")]
    pub no_vectors: bool,
}

impl MigrateArgs {
    /// The raw request of an import.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<ImportAlchemyRequest>()
            .switch("dry_run", self.dry_run)
            .switch("no_vectors", self.no_vectors)
            .into_value()
    }
}
