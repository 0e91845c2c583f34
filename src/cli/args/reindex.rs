//! `aludel reindex`: which of the indices to make anew.

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

Without --text or --vectors both are made. It may be stopped at any time:
vectors that are done stay, and the next call goes on from there.";

/// Make the indices that searches read anew
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct ReindexArgs {
    /// The index of words alone
    #[arg(long)]
    pub text: bool,
    /// The vectors that are missing alone
    #[arg(long)]
    pub vectors: bool,
    /// Make all vectors anew, not the missing ones alone
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
