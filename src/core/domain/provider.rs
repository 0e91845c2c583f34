//! What a user is told of a provider. The providers themselves are in [`crate::provider`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The protocol a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    /// OpenAI and everything compatible with its chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Google's Gemini.
    Google,
    /// OpenRouter, a router over many vendors.
    OpenRouter,
    /// A local Ollama.
    Ollama,
    /// The embedded, deterministic prompt writer. Not a language model.
    Builtin,
    /// A scripted provider for tests and prompt suites.
    Sim,
}

impl ProviderKind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::OpenAi, Self::Anthropic, Self::Google, Self::OpenRouter, Self::Ollama, Self::Builtin, Self::Sim];

    /// The name in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Google => "google",
            Self::OpenRouter => "openrouter",
            Self::Ollama => "ollama",
            Self::Builtin => "builtin",
            Self::Sim => "sim",
        }
    }

    /// The inverse of [`ProviderKind::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

impl std::fmt::Display for ProviderKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// One provider as listed to users: whether it can be used, and if not, why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderInfo {
    /// Its name in the configuration, or the kind's own name.
    pub name: String,
    /// True when a run could call it now.
    pub available: bool,
    /// True when it can embed texts.
    pub supports_embeddings: bool,
    /// Known model names.
    pub models: Vec<String>,
    /// The protocol it speaks.
    pub kind: ProviderKind,
    /// The model used when none is named.
    pub default_model: Option<String>,
    /// Where it is reached; null for embedded ones.
    pub base_url: Option<String>,
    /// Why it is not available, and what to do.
    pub reason: Option<String>,
}
