//! The options of `aludel reindex`.

use aludel_core::api::ReindexRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel reindex
  aludel reindex --vectors
  aludel reindex --vectors --all

Without --text or --vectors both are rebuilt. It can be stopped at any time:
finished vectors are kept, and the next call continues from there.";

/// Rebuild the search indexes
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct ReindexArgs {
    /// Rebuild only the word index
    #[arg(long)]
    pub text: bool,
    /// Make only the missing vectors
    #[arg(long)]
    pub vectors: bool,
    /// Rebuild all vectors, not only the missing ones
    #[arg(long)]
    pub all: bool,
}

impl ReindexArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<ReindexRequest>()
            .switch("text", self.text)
            .switch("vectors", self.vectors)
            .switch("all", self.all)
            .into_value()
    }
}
