//! The prompt: one finished variant, with every step that led to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ModelMetadata, Phase, PromptId, SessionId, Timestamp};

/// One finished variant, as stored and as shown by every face.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prompt {
    /// UUIDv7.
    pub id: PromptId,
    /// The generate call it came from.
    pub session_id: SessionId,
    /// Position among the variants of its call, from 0.
    pub variant: u32,
    /// The prompt itself: what one sends to a model.
    pub content: String,
    /// What the user asked for, to the letter.
    pub original_input: String,
    /// The last phase that shaped it.
    pub phase: Phase,
    /// The persona it was written for.
    pub persona: String,
    /// The provider of the last phase.
    pub provider: String,
    /// The model of the last phase.
    pub model: String,
    /// The temperature that was wanted.
    pub temperature: f64,
    /// The token limit that was wanted for each phase.
    pub max_tokens: u32,
    /// Labels, trimmed and distinct.
    pub tags: Vec<String>,
    /// Background texts that were given with the input.
    pub context: Vec<String>,
    /// The user's own remarks.
    pub notes: Option<String>,
    /// What it was derived from.
    pub parent_id: Option<PromptId>,
    /// How it came to be here.
    pub source: Source,
    /// How this variant was asked for; see `templates list`.
    pub strategy: String,
    /// 1, 2, …: raised by every change, and the `ETag` over HTTP.
    pub revision: u32,
    /// The ranking's score, 0..=1; null until ranked.
    pub score: Option<f64>,
    /// The version of the formula that gave the score; null until ranked. Scores of different formulas cannot be compared.
    pub score_formula: Option<u32>,
    /// What each phase did, in order. The intermediate texts live here and nowhere else.
    pub steps: Vec<Step>,
    /// The steps added up.
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
    /// Which phase.
    pub phase: Phase,
    /// The provider that answered.
    pub provider: String,
    /// The model that answered.
    pub model: String,
    /// Its text, cleaned of preambles and fences.
    pub content: String,
    /// What it took.
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
