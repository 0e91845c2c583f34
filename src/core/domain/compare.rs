//! The result of `compare`: prompts side by side and, given a task, the judge's choice.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Prompt, SelectResult, TextSize};

/// The answer of `compare`. Every list has the prompts' order, which is that of the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompareResult {
    /// The prompts compared.
    pub prompts: Vec<Prompt>,
    /// How the second is made of the first, word by word; null for more than two prompts.
    pub diff: Option<Vec<DiffPart>>,
    /// What the rules of the ranking read out of each content, each 0..=1, and their mean by weight as `score`; null
    /// where a prompt's persona has nothing to agree with.
    pub scores: BTreeMap<String, Vec<Option<f64>>>,
    /// How long each content is.
    pub sizes: Vec<TextSize>,
    /// The share of words that stay, 0..=1; of several prompts the mean over all pairs.
    pub similarity: f64,
    /// The judge's choice; null without a task.
    pub selection: Option<SelectResult>,
}

/// A piece of a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffPart {
    /// Whose text it is.
    pub op: DiffOp,
    /// Whole words, with the white space between them. Never empty.
    pub text: String,
}

/// Whose text a piece of a difference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiffOp {
    /// Of both.
    Equal,
    /// Of the second alone.
    Insert,
    /// Of the first alone.
    Delete,
}
