//! The prompt: one finished variant, with every step that led to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ModelMetadata, Phase, PromptId, SessionId, Timestamp};

/// One finished variant, as stored and shown everywhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prompt {
    /// UUIDv7.
    pub id: PromptId,
    /// The generate run it came from.
    pub session_id: SessionId,
    /// Its variant number in that run, from 0.
    pub variant: u32,
    /// The prompt itself: the text to send to a model.
    pub content: String,
    /// The user's request, verbatim.
    pub original_input: String,
    /// The last phase that shaped it.
    pub phase: Phase,
    /// The persona it was written for.
    pub persona: String,
    /// The provider of the last phase.
    pub provider: String,
    /// The model of the last phase.
    pub model: String,
    /// The requested temperature.
    pub temperature: f64,
    /// The requested token limit of each phase.
    pub max_tokens: u32,
    /// Labels, trimmed and distinct.
    pub tags: Vec<String>,
    /// Background texts given with the request.
    pub context: Vec<String>,
    /// The user's notes.
    pub notes: Option<String>,
    /// The prompt it was derived from.
    pub parent_id: Option<PromptId>,
    /// How it came to be stored.
    pub source: Source,
    /// The strategy of this variant; see `templates list`.
    pub strategy: String,
    /// 1, 2, …: raised by every change; the `ETag` over HTTP.
    pub revision: u32,
    /// The ranking's score, 0..=1; null until ranked.
    pub score: Option<f64>,
    /// The version of the formula that gave the score; null until ranked. Scores of different formulas cannot be compared.
    pub score_formula: Option<u32>,
    /// What each phase did, in order. Only the steps have the intermediate texts.
    pub steps: Vec<Step>,
    /// Totals of the steps.
    pub model_metadata: ModelMetadata,
    /// When it was first stored, UTC.
    #[serde(with = "super::moment::written")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// When it last changed, UTC.
    #[serde(with = "super::moment::written")]
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
}

/// What one phase did to one variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The phase.
    pub phase: Phase,
    /// The provider that answered.
    pub provider: String,
    /// The model that answered.
    pub model: String,
    /// Its text, without preambles and code fences.
    pub content: String,
    /// Its tokens, cost and latency.
    pub model_metadata: ModelMetadata,
}

/// How a prompt came to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// By a generate run.
    Generated,
    /// By the optimiser.
    Optimized,
    /// Read from a file.
    Imported,
    /// Written or edited by the user.
    Manual,
}

impl Source {
    /// The name on every wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::Optimized => "optimized",
            Self::Imported => "imported",
            Self::Manual => "manual",
        }
    }

    /// The inverse of [`Source::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Generated, Self::Optimized, Self::Imported, Self::Manual]
            .into_iter()
            .find(|source| source.as_str() == text)
    }
}
