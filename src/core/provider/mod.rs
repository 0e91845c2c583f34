//! The provider seam: anything that answers a chat request with a stream of text.
//!
//! There is one way to call a model, [`Provider::stream`]; [`complete`] is a fold over it. Besides
//! its messages a request carries a typed [`Brief`]. HTTP codecs ignore it; [`builtin`] and [`sim`]
//! read it instead of parsing templates that users can override.
//!
//! The layers above a transport are providers too, each wrapping the one below, and report what
//! they do as [`Chunk`]s. Outermost first: [`cache`], [`route`] (the binding, then its fallbacks),
//! [`breaker`], [`retry`], [`adapt`] (fits requests to the model), [`permit`], [`metered`] (the
//! ledger, which counts every outgoing call), the turn ([`permit`] too), [`timeout`], [`checked`],
//! transport. [`registry`]
//! builds one provider's stack; `engine::wiring` adds the first two layers from a phase's binding.
//!
//! For networked providers, [`frame`] splits bytes into frames and a [`wire`] codec builds requests
//! and reads frames, both without I/O; one [`transport`] moves the bytes.

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
pub mod settings;
pub mod sim;
mod spacing;
mod throttle;
pub mod timeout;
pub mod transport;
pub mod wire;

use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, StreamExt};

use crate::domain::{ModelMetadata, Phase, TargetFamily, TokenUsage};
use crate::error::{Problem, ProviderError};
use crate::ledger::Account;

/// Answers chat requests.
pub trait Provider: Send + Sync {
    /// Its name in the configuration.
    fn name(&self) -> &str;

    /// The model used when a request names none.
    fn default_model(&self) -> &str;

    /// Streams an answer, up to [`Chunk::Done`] or an error. Dropping the stream cancels the call.
    fn stream(&self, request: ChatRequest) -> ChunkStream;
}

/// A streaming answer.
pub type ChunkStream = Pin<Box<dyn Stream<Item = Result<Chunk, ProviderError>> + Send>>;

/// One piece of an answer, or a report from a layer below.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// Text to append.
    Text(String),
    /// Activity that is not part of the answer: the model's reasoning as far as the provider shows
    /// it, empty for a keep-alive. Resets the silence timeout.
    Thinking(String),
    /// All text so far is void: the call failed and is repeated after a delay.
    Retrying {
        /// The provider called next.
        provider: String,
        /// The model called next; empty for the provider's default.
        model: String,
        /// The number of the next attempt, from 2.
        attempt: u32,
        /// The delay before it.
        delay: Duration,
        /// Why the previous attempt failed.
        error: Problem,
    },
    /// Something the user should know.
    Warning(String),
    /// The answer is complete. Always last.
    Done(Completion),
}

/// How an answer ended and what it took, as measured at the provider boundary.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// The provider that answered.
    pub provider: String,
    /// The model that answered.
    pub model: String,
    /// Token counts.
    pub usage: TokenUsage,
    /// US dollars; `None` when the price is unknown.
    pub cost_usd: Option<f64>,
    /// From sending the successful request to its last token.
    pub latency: Duration,
    /// From sending the successful request to its first token.
    pub first_token: Option<Duration>,
    /// Calls that failed before this one.
    pub retries: u32,
    /// The primary provider, when a fallback answered.
    pub fallback_from: Option<String>,
    /// True when the answer was cut at `max_tokens`.
    pub truncated: bool,
    /// True when it came from the cache: no call, no cost.
    pub cached: bool,
}

impl Completion {
    /// The call's metadata.
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
    /// Requested temperature, 0..=2; sent only if the model accepts it.
    pub temperature: Option<f64>,
    /// Requested limit; sent only if the model accepts it.
    pub max_tokens: Option<u32>,
    /// A JSON Schema the answer must satisfy; `None`: free text.
    pub response_schema: Option<serde_json::Value>,
    /// What the request is about, for providers that are not language models.
    pub brief: Brief,
    /// The account charged: the caps and the call log of the run this call belongs to.
    pub account: Account,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The author's role.
    pub role: Role,
    /// The text.
    pub content: String,
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The instructions.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// Typed information about a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Brief {
    /// One phase of a variant.
    Phase(PhaseBrief),
    /// A question to a judge.
    Judge(JudgeBrief),
}

/// The brief of a phase call.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseBrief {
    /// The phase to run.
    pub phase: Phase,
    /// The phases of this request, in order; `phase` is one of them.
    pub phases: Vec<Phase>,
    /// The persona's name.
    pub persona: String,
    /// The strategy's name.
    pub strategy: String,
    /// The model family the finished prompt is written for.
    pub target: TargetFamily,
    /// The variant's index, from 0.
    pub variant: u32,
    /// The user's input, verbatim.
    pub original_input: String,
    /// The input of this phase: the previous phase's output, or the original input in the first.
    pub input: String,
    /// Background texts.
    pub context: Vec<String>,
}

/// The brief of a question to a judge.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeBrief {
    /// The task the candidates were written for.
    pub task: String,
    /// The persona they were written for.
    pub persona: String,
    /// Criteria and weights, which add up to 1.
    pub criteria: Vec<(String, f64)>,
    /// The question.
    pub question: JudgeQuestion,
}

/// A question to a judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgeQuestion {
    /// Which of two candidates is better, and by how much.
    Compare {
        /// Shown first.
        a: String,
        /// Shown second.
        b: String,
    },
    /// How good a single candidate is.
    Rate {
        /// The candidate.
        text: String,
    },
}

impl JudgeQuestion {
    /// The candidates, in the order shown.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Self::Compare { a, b } => vec![a, b],
            Self::Rate { text } => vec![text],
        }
    }
}

/// Collects a stream into its whole text. Discards text before a [`Chunk::Retrying`].
///
/// # Errors
/// Those of the stream; `provider_unavailable` when it ends without [`Chunk::Done`].
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
