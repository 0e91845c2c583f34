//! The result of a search: the prompts found, how each one matched, and the total.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ModelMetadata, Prompt, PromptId};

/// What a search found, best first: whole prompts, or another form of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SearchResult")]
pub struct SearchResult<P = Prompt> {
    /// The part that was asked for.
    pub prompts: Vec<FoundPrompt<P>>,
    /// By words: prompts that pass the filters and match. By meaning, or by both: prompts that pass the filters.
    pub total: u64,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// What embedding the query took; nothing for a search by words.
    pub model_metadata: ModelMetadata,
}

/// A prompt and how it was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FoundPrompt")]
pub struct FoundPrompt<P = Prompt> {
    /// The prompt, its own `score` untouched.
    #[serde(flatten)]
    pub prompt: P,
    /// How it was found.
    #[serde(rename = "match")]
    pub matched: Match,
    /// A prompt further up in this answer that says nearly the same.
    pub near_duplicate_of: Option<PromptId>,
}

/// How a prompt was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Match {
    /// How well, comparable within one answer: BM25 by words, the cosine by meaning, the sum of reciprocal ranks by both.
    pub score: f64,
    /// A piece of its text around what matched.
    pub snippet: String,
    /// What matched in the snippet: from, to (exclusive), in characters.
    pub marks: Vec<(u32, u32)>,
    /// By what it was found.
    pub kind: MatchKind,
    /// True when it was found by a meaning that is not near, for an embedding model of which that was measured: more likely
    /// than not it is about something else. Left out where it is not so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub far: bool,
}

/// By what a prompt was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchKind {
    /// By its words.
    Text,
    /// By its meaning.
    Semantic,
    /// By both.
    Hybrid,
}

/// A prompt in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ListedPrompt")]
pub struct ListedPrompt<P = Prompt> {
    /// The prompt.
    #[serde(flatten)]
    pub prompt: P,
    /// A prompt further up in this list that says nearly the same; left out where there is none, so that a row is a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near_duplicate_of: Option<PromptId>,
}
