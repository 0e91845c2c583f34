//! The result of `compare`: prompts side by side and, given a task, the judge's choice.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Prompt, SelectResult, TextSize};

/// The result of `compare`. Every list is in the order of the request's prompts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompareResult {
    /// The prompts compared.
    pub prompts: Vec<Prompt>,
    /// The word diff from the first prompt to the second; null for more than two prompts.
    pub diff: Option<Vec<DiffPart>>,
    /// The ranking's measures of each content, each 0..=1, and their weighted mean as `score`; null
    /// where a measure does not apply.
    pub scores: BTreeMap<String, Vec<Option<f64>>>,
    /// The size of each content.
    pub sizes: Vec<TextSize>,
    /// The share of words that are unchanged, 0..=1; for more than two prompts the mean over all
    /// pairs.
    pub similarity: f64,
    /// The judge's choice; null without a task.
    pub selection: Option<SelectResult>,
}

/// A part of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffPart {
    /// Whether the text is unchanged, added or removed.
    pub op: DiffOp,
    /// Whole words, with the white space between them. Never empty.
    pub text: String,
}

/// Whether a part of a diff is unchanged, added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiffOp {
    /// In both texts.
    Equal,
    /// Only in the second.
    Insert,
    /// Only in the first.
    Delete,
}
