//! `aludel migrate`: how far to go.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  aludel migrate --status
  aludel migrate --dry-run
  aludel migrate

The database is backed up beside itself before anything changes.";

/// Bring the database to the newest schema
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MigrateArgs {
    /// Say which migrations are done and which are pending
    #[arg(long, conflicts_with = "dry_run")]
    pub status: bool,
    /// Say what would be done
    #[arg(long)]
    pub dry_run: bool,
}
