//! Batches: the end of a row and of the whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GenerationResult, ModelMetadata};
use crate::error::Problem;

/// How a row of a batch ended. A line of its output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BatchRow {
    /// Its number in the input, from 1.
    pub row: u64,
    /// Its id: the one that the input gives it, else its number.
    pub id: String,
    /// Whether it has a result.
    pub status: RowStatus,
    /// The result; absent in the recorded events of a job, to which its prompts are stored apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<GenerationResult>>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<Problem>>,
}

/// Whether a row has a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RowStatus {
    /// It has a result.
    Ok,
    /// It has an error.
    Failed,
}

impl RowStatus {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
        }
    }

    /// The inverse of [`RowStatus::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Ok, Self::Failed].into_iter().find(|status| status.as_str() == text)
    }
}

/// The end of a batch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BatchSummary {
    /// Rows in all.
    pub total: u64,
    /// Rows with a result.
    pub ok: u64,
    /// Rows with an error.
    pub failed: u64,
    /// Rows that were not done.
    pub skipped: u64,
    /// Totals of the calls of all rows that were done, in every attempt.
    pub model_metadata: ModelMetadata,
}
