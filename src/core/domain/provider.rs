//! What users see of a provider. The providers themselves are in [`crate::provider`].

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

/// What a test of the providers found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderTests {
    /// True when none of those tested failed.
    pub ok: bool,
    /// One entry a provider, in the order of the configuration.
    pub providers: Vec<ProviderTest>,
}

/// What a real call to one provider told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderTest {
    /// Its name in the configuration, or the kind's own name.
    pub name: String,
    /// The protocol it speaks.
    pub kind: ProviderKind,
    /// The model that was asked; null when none is known.
    pub model: Option<String>,
    /// Where it is reached; null for embedded ones.
    pub base_url: Option<String>,
    /// False when it was left out: it is not set up, and nobody named it.
    pub tested: bool,
    /// True when it was tested and no check failed.
    pub ok: bool,
    /// Milliseconds from the request to the last token.
    pub latency_ms: Option<u64>,
    /// Milliseconds from the request to the first token.
    pub first_token_ms: Option<u64>,
    /// Tokens sent and received, those of the embedding included.
    pub total_tokens: Option<u64>,
    /// US dollars, those of the embedding included; null when the price is not known.
    pub cost_usd: Option<f64>,
    /// The five checks, in the order in which one rests on the other.
    pub checks: Vec<ProviderCheck>,
    /// What else the user should know.
    pub warnings: Vec<String>,
}

impl ProviderTest {
    /// The first check that failed.
    pub fn failure(&self) -> Option<&ProviderCheck> {
        self.checks.iter().find(|check| check.status == ProviderCheckStatus::Failed)
    }

    /// The check of this name.
    pub fn check(&self, name: ProviderCheckName) -> Option<&ProviderCheck> {
        self.checks.iter().find(|check| check.name == name)
    }
}

/// One thing a provider must do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderCheck {
    /// What was looked at.
    pub name: ProviderCheckName,
    /// How it stands.
    pub status: ProviderCheckStatus,
    /// What was found, and what to do where it failed.
    pub detail: String,
}

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderCheckName {
    /// Something answers where it should be.
    Reachable,
    /// The key is there and accepted.
    Key,
    /// The model exists.
    Model,
    /// Text comes, and comes in pieces.
    Streaming,
    /// Texts become vectors.
    Embeddings,
}

impl ProviderCheckName {
    /// All checks, each after those it depends on.
    pub const ALL: [Self; 5] = [Self::Reachable, Self::Key, Self::Model, Self::Streaming, Self::Embeddings];

    /// The name on every wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reachable => "reachable",
            Self::Key => "key",
            Self::Model => "model",
            Self::Streaming => "streaming",
            Self::Embeddings => "embeddings",
        }
    }
}

/// How a check of a provider stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderCheckStatus {
    /// As it should be.
    Ok,
    /// It does not work.
    Failed,
    /// Not looked at: there is nothing to look at, or something before it failed.
    Skipped,
}
