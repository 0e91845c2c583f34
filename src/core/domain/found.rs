//! The result of a search: the prompts found, how each one matched, and the total.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ModelMetadata, Prompt, PromptId};

/// The result of a search, best first: whole prompts, or some of their fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SearchResult")]
pub struct SearchResult<P = Prompt> {
    /// The requested page.
    pub prompts: Vec<FoundPrompt<P>>,
    /// By words: prompts that pass the filters and match. By meaning, or by both: prompts that pass the filters.
    pub total: u64,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Tokens and cost of embedding the query; none for a search by words.
    pub model_metadata: ModelMetadata,
}

/// A prompt and how it matched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FoundPrompt")]
pub struct FoundPrompt<P = Prompt> {
    /// The prompt. Its `score` is the stored one, not that of the match.
    #[serde(flatten)]
    pub prompt: P,
    /// How it matched.
    #[serde(rename = "match")]
    pub matched: Match,
    /// A near-duplicate further up in this result.
    pub near_duplicate_of: Option<PromptId>,
}

/// How a prompt matched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Match {
    /// How well it matches, comparable within one result: BM25 by words, cosine by meaning, the sum
    /// of reciprocal ranks by both.
    pub score: f64,
    /// An excerpt of its text around what matched.
    pub snippet: String,
    /// The ranges of the snippet that matched: from, to (exclusive), in characters.
    pub marks: Vec<(u32, u32)>,
    /// The kind of search that found it.
    pub kind: MatchKind,
    /// True if its meaning is so far from the query that it is probably about something else. Only
    /// for embedding models for which this was measured; absent if false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub far: bool,
}

/// The kind of search that found a prompt.
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
    /// A near-duplicate further up in this list; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near_duplicate_of: Option<PromptId>,
}
