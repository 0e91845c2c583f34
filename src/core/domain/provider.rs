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

    /// True for the kinds that are reached over a network, whose models somebody must name.
    pub const fn is_networked(self) -> bool {
        !matches!(self, Self::Builtin | Self::Sim)
    }

    /// The inverse of [`ProviderKind::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// The name of the provider that needs no configuration.
pub const BUILTIN: &str = ProviderKind::Builtin.as_str();

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
    /// True if a run could call it now.
    pub available: bool,
    /// True if it can embed texts.
    pub supports_embeddings: bool,
    /// Known model names.
    pub models: Vec<String>,
    /// The protocol it speaks.
    pub kind: ProviderKind,
    /// The model used when none is named.
    pub default_model: Option<String>,
    /// Its base URL; null for embedded providers.
    pub base_url: Option<String>,
    /// Why it is unavailable, and what to do.
    pub reason: Option<String>,
}

/// The result of testing the providers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderTests {
    /// True if no tested provider failed.
    pub ok: bool,
    /// One entry per provider, in the order of the configuration.
    pub providers: Vec<ProviderTest>,
}

/// The result of a real call to one provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderTest {
    /// Its name in the configuration, or the kind's own name.
    pub name: String,
    /// The protocol it speaks.
    pub kind: ProviderKind,
    /// The model that was called; null if none is known.
    pub model: Option<String>,
    /// Its base URL; null for embedded providers.
    pub base_url: Option<String>,
    /// False if it was skipped: it is not set up and was not named.
    pub tested: bool,
    /// True if it was tested and no check failed.
    pub ok: bool,
    /// Milliseconds from the request to the last token.
    pub latency_ms: Option<u64>,
    /// Milliseconds from the request to the first token.
    pub first_token_ms: Option<u64>,
    /// Tokens sent and received, including the embedding.
    pub total_tokens: Option<u64>,
    /// US dollars, including the embedding; null if the price is unknown.
    pub cost_usd: Option<f64>,
    /// The five checks, each after those it depends on.
    pub checks: Vec<ProviderCheck>,
    /// Warnings for the user.
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

/// One check of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderCheck {
    /// What was checked.
    pub name: ProviderCheckName,
    /// The result.
    pub status: ProviderCheckStatus,
    /// What was found and, if it failed, what to do.
    pub detail: String,
}

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderCheckName {
    /// A server answers at its address.
    Reachable,
    /// The key is present and accepted.
    Key,
    /// The model exists.
    Model,
    /// Text arrives, and in pieces.
    Streaming,
    /// Texts can be embedded.
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

/// The result of a provider check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderCheckStatus {
    /// It works.
    Ok,
    /// It does not work.
    Failed,
    /// Not checked: there is nothing to check, or an earlier check failed.
    Skipped,
}
