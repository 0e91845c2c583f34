//! The provider seam: anything that answers a chat request with a stream of text.
//!
//! There is one way to call a model, [`Provider::stream`]; completing is a fold over it ([`complete`]). A request
//! carries, beside its messages, a typed [`Brief`]: HTTP codecs ignore it, [`builtin`] and [`sim`] read it instead
//! of parsing templates that users may override.
//!
//! The layers above a transport are providers themselves, each wrapped around the one below, and speak through
//! [`Chunk`], so what they do is visible in the run. Outermost first: [`cache`], [`route`] (the binding, then its
//! fallbacks), [`breaker`], [`retry`], [`adapt`] (sends what a model takes), [`permit`], [`metered`] (the ledger, which
//! counts every call that goes out), [`timeout`], [`checked`], transport. [`registry`] builds all of it for one provider
//! but the first two, which `engine::wiring` puts together from a phase's binding.
//!
//! What speaks over a network is apart in three: [`frame`] cuts bytes into frames, a [`wire`] codec gives each
//! protocol's requests and reads its frames, both without input or output, and one [`transport`] moves the bytes.

pub mod adapt;
pub mod breaker;
pub mod builtin;
pub mod cache;
pub mod catalog;
pub mod checked;
pub mod embedding;
pub mod frame;
pub mod metered;
mod overrun;
mod pace;
pub mod permit;
pub mod registry;
pub mod retry;
pub mod route;
pub mod sim;
pub mod timeout;
pub mod transport;
pub mod wire;

use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, StreamExt};

use crate::domain::{ModelMetadata, Phase, TokenUsage};
use crate::error::{Problem, ProviderError};
use crate::ledger::Account;

/// Answers chat requests.
pub trait Provider: Send + Sync {
    /// Its name in the configuration.
    fn name(&self) -> &str;

    /// The model used where a request names none.
    fn default_model(&self) -> &str;

    /// Asks; text comes as it is made. Ends with [`Chunk::Done`] or an error. Dropping the stream cancels the call.
    fn stream(&self, request: ChatRequest) -> ChunkStream;
}

/// The answer as it comes.
pub type ChunkStream = Pin<Box<dyn Stream<Item = Result<Chunk, ProviderError>> + Send>>;

/// One piece of an answer, or news of the layers below.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// Text to append.
    Text(String),
    /// A sign of life that is no part of the answer: the model's reasoning as far as the provider shows it, empty for
    /// a mere keep-alive. Keeps the call from counting as silent.
    Thinking(String),
    /// All text so far is void: the call failed and is made again after a wait.
    Retrying {
        /// The provider asked next.
        provider: String,
        /// The model asked next; empty for the provider's default.
        model: String,
        /// The attempt that follows, from 2.
        attempt: u32,
        /// How long until it.
        delay: Duration,
        /// Why the last one failed.
        error: Problem,
    },
    /// Something the user should know.
    Warning(String),
    /// Complete. Always last.
    Done(Completion),
}

/// How an answer ended and what it took, as measured at the provider boundary.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// The provider that answered.
    pub provider: String,
    /// The model that answered.
    pub model: String,
    /// Tokens.
    pub usage: TokenUsage,
    /// US dollars; `None` when the price is unknown.
    pub cost_usd: Option<f64>,
    /// From the successful request to its last token.
    pub latency: Duration,
    /// From the successful request to its first token.
    pub first_token: Option<Duration>,
    /// Calls that failed before this one.
    pub retries: u32,
    /// The provider asked first, when a fallback answered.
    pub fallback_from: Option<String>,
    /// True when the answer was cut at `max_tokens`.
    pub truncated: bool,
    /// True when it came from the cache: nothing was sent and nothing was paid.
    pub cached: bool,
}

impl Completion {
    /// The call's account.
    pub fn metadata(&self) -> ModelMetadata {
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        ModelMetadata {
            provider: self.provider.clone(),
            model: self.model.clone(),
            input_tokens: self.usage.input_tokens,
            output_tokens: self.usage.output_tokens,
            total_tokens: self.usage.input_tokens + self.usage.output_tokens,
            cost_usd: self.cost_usd,
            most_usd: None,
            latency_ms: millis(self.latency),
            first_token_ms: self.first_token.map(millis),
            calls: u32::from(!self.cached),
            retries: self.retries,
            cached: self.cached,
            fallback_from: self.fallback_from.clone(),
            estimated: self.usage.estimated,
            embedding_provider: None,
            embedding_model: None,
        }
    }
}

/// One request to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// The conversation; system first.
    pub messages: Vec<Message>,
    /// `None`: the provider's default.
    pub model: Option<String>,
    /// Wanted, 0..=2; sent only where the model takes it.
    pub temperature: Option<f64>,
    /// Wanted; sent only where the model takes it.
    pub max_tokens: Option<u32>,
    /// A JSON Schema the answer must satisfy; `None`: free text.
    pub response_schema: Option<serde_json::Value>,
    /// What this is about, for providers that are no language model.
    pub brief: Brief,
    /// Who pays: the caps and the book of the run this call belongs to.
    pub account: Account,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The rules.
    System,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
}

/// What a request is about, typed.
#[derive(Debug, Clone, PartialEq)]
pub enum Brief {
    /// A phase of a variant.
    Phase(PhaseBrief),
    /// A question to a judge.
    Judge(JudgeBrief),
}

/// The brief of a phase call.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseBrief {
    /// Which phase is asked for.
    pub phase: Phase,
    /// The phases of this request, in order; `phase` is one of them.
    pub phases: Vec<Phase>,
    /// The persona's name.
    pub persona: String,
    /// The strategy's name.
    pub strategy: String,
    /// The model family the finished prompt is written for.
    pub target: TargetFamily,
    /// Which variant, from 0, of how many.
    pub variant: u32,
    /// What the user asked for, to the letter.
    pub original_input: String,
    /// What this phase works on: the last phase's output, or the input itself in the first.
    pub input: String,
    /// Background texts.
    pub context: Vec<String>,
}

/// The brief of a question to a judge.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeBrief {
    /// What the candidates are for.
    pub task: String,
    /// The persona they were written for.
    pub persona: String,
    /// Criteria and weights, which add up to 1.
    pub criteria: Vec<(String, f64)>,
    /// What is asked.
    pub question: JudgeQuestion,
}

/// What a judge is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgeQuestion {
    /// Which of two candidates is better, and by how much.
    Compare {
        /// Shown first.
        a: String,
        /// Shown second.
        b: String,
    },
    /// How good one candidate is by itself.
    Rate {
        /// The candidate.
        text: String,
    },
}

impl JudgeQuestion {
    /// The candidates shown, in the order in which they are.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Self::Compare { a, b } => vec![a, b],
            Self::Rate { text } => vec![text],
        }
    }
}

/// The family of the model a finished prompt is written for; it changes the prompt's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TargetFamily {
    /// Unknown or unnamed: Markdown headings, the safest form.
    #[default]
    Generic,
    /// OpenAI's: Markdown headings.
    Gpt,
    /// Anthropic's: XML sections.
    Claude,
    /// Google's: Markdown headings, the task last, after the context.
    Gemini,
    /// Small and local models: short, plain, numbered, the format last.
    Llama,
}

impl TargetFamily {
    /// All families.
    pub const ALL: [Self; 5] = [Self::Generic, Self::Gpt, Self::Claude, Self::Gemini, Self::Llama];

    /// The name shown and used in templates.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Gpt => "gpt",
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Llama => "llama",
        }
    }

    /// Guesses the family from a model's name, such as `anthropic/claude-sonnet-5.5` or `qwen3:8b`.
    pub fn of_model(model: &str) -> Self {
        let name = model.to_ascii_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        if has(&["claude", "anthropic"]) {
            Self::Claude
        } else if has(&["gemini", "google"]) && !has(&["gemma"]) {
            Self::Gemini
        } else if has(&["llama", "mistral", "mixtral", "qwen", "gemma", "phi", "deepseek", "ollama", "gpt-oss"]) {
            Self::Llama
        } else if has(&["gpt", "openai", "chatgpt"]) || ["o1", "o3", "o4"].iter().any(|p| name.starts_with(p)) {
            Self::Gpt
        } else {
            Self::Generic
        }
    }
}

/// Folds a stream to its whole text. Text before a [`Chunk::Retrying`] is void.
///
/// # Errors
/// The stream's own; `provider_unavailable` when it ends without [`Chunk::Done`].
pub async fn complete(provider: &dyn Provider, request: ChatRequest) -> Result<(String, Completion), ProviderError> {
    let mut stream = provider.stream(request);
    let mut text = String::new();
    while let Some(chunk) = stream.next().await {
        match chunk? {
            Chunk::Text(more) => text.push_str(&more),
            Chunk::Retrying { .. } => text.clear(),
            Chunk::Warning(_) | Chunk::Thinking(_) => {}
            Chunk::Done(completion) => return Ok((text, completion)),
        }
    }
    Err(checked::ended_early(provider.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_told_from_model_names() {
        for (model, family) in [
            ("claude-sonnet-5-5", TargetFamily::Claude),
            ("anthropic/claude-haiku-5.5", TargetFamily::Claude),
            ("gpt-6-luna", TargetFamily::Gpt),
            ("openai/gpt-oss-20b", TargetFamily::Llama),
            ("gemini-3.8-flash", TargetFamily::Gemini),
            ("gemma3:4b", TargetFamily::Llama),
            ("qwen3:8b", TargetFamily::Llama),
            ("something-new", TargetFamily::Generic),
        ] {
            assert_eq!(TargetFamily::of_model(model), family, "{model}");
        }
    }
}
