//! The report of a rebuilt search index.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was rebuilt.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reindexed {
    /// Prompts in the rebuilt word index; 0 if that was not requested.
    pub text: u64,
    /// Prompts that got vectors; 0 if that was not requested or none was missing.
    pub vectors: u64,
    /// How long it took.
    pub seconds: f64,
}
