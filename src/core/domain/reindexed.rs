//! The report of a rebuilt search index.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was made anew.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reindexed {
    /// Prompts whose words are in the index now; 0 where that was not asked for.
    pub text: u64,
    /// Prompts that got vectors; 0 where that was not asked for, or none lacked one.
    pub vectors: u64,
    /// How long it took.
    pub seconds: f64,
}
