//! The calls of a test: one short chat and one short embedding, within the remaining time.
//!
//! Makes the calls and records their results; [`super::verdict`] interprets them.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::{Instant, timeout_at};

use crate::domain::{Phase, TargetFamily};
use crate::error::{Code, Problem, ProviderError, ProviderFailure};
use crate::ledger::Account;
use crate::provider::embedding::{Embedded, Embedder, Purpose};
use crate::provider::{Brief, ChatRequest, Chunk, Completion, Message, PhaseBrief, Provider, Role};

/// The question: easy, with an answer of a few words, so that a stream has something to split.
const QUESTION: &str = "Reply with these three words and nothing else: ready steady go";

/// The text to embed.
const TEXT: &str = "ready steady go";

/// A chat call to be made.
pub(super) struct ChatProbe<'a> {
    pub(super) provider: &'a dyn Provider,
    pub(super) model: Option<String>,
    pub(super) max_tokens: u32,
    pub(super) limit: Duration,
    pub(super) deadline: Instant,
}

/// The result of a chat call.
#[derive(Debug)]
pub(super) struct ChatResult {
    /// The number of text chunks before the end or the failure.
    pub(super) pieces: usize,
    /// The warnings of the provider's layers.
    pub(super) warnings: Vec<String>,
    /// How it ended.
    pub(super) outcome: Result<Completion, ProviderError>,
}

impl ChatProbe<'_> {
    /// Makes the call, once.
    pub(super) async fn call(self, account: Account) -> ChatResult {
        let name = self.provider.name().to_owned();
        let mut answer = self.provider.stream(request(self.model, self.max_tokens, account));
        let (mut pieces, mut warnings) = (0, Vec::new());
        let outcome = loop {
            let Ok(next) = timeout_at(self.deadline, answer.next()).await else {
                break Err(too_late(&name, self.limit));
            };
            match next {
                Some(Ok(Chunk::Text(text))) => pieces += usize::from(!text.is_empty()),
                Some(Ok(Chunk::Warning(warning))) => warnings.push(warning),
                Some(Ok(Chunk::Thinking(_))) => {}
                Some(Ok(Chunk::Retrying { error, .. })) => match repeated(&name, &error) {
                    Some(error) => break Err(error),
                    // The same request in another form is not a failure.
                    None => pieces = 0,
                },
                Some(Ok(Chunk::Done(completion))) => break Ok(completion),
                Some(Err(error)) => break Err(error),
                None => {
                    let message = "the answer ended before it was complete";
                    break Err(ProviderError::new(&name, ProviderFailure::Unavailable, message));
                }
            }
        };
        ChatResult { pieces, warnings, outcome }
    }
}

/// Embeds one short text.
pub(super) async fn embed(
    embedder: &dyn Embedder,
    limit: Duration,
    deadline: Instant,
    account: Account,
) -> Result<Embedded, ProviderError> {
    let embedding = embedder.embed(vec![TEXT.to_owned()], Purpose::Document, account);
    timeout_at(deadline, embedding).await.unwrap_or_else(|_| Err(too_late(embedder.provider(), limit)))
}

fn request(model: Option<String>, max_tokens: u32, account: Account) -> ChatRequest {
    // Providers without a language model read the brief; this is the smallest work for them.
    let brief = PhaseBrief {
        phase: Phase::PrimaMateria,
        phases: vec![Phase::PrimaMateria],
        persona: String::from("generic"),
        strategy: String::from("direct"),
        target: TargetFamily::Generic,
        variant: 0,
        original_input: QUESTION.to_owned(),
        input: QUESTION.to_owned(),
        context: Vec::new(),
    };
    ChatRequest {
        messages: vec![Message { role: Role::User, content: QUESTION.to_owned() }],
        model,
        temperature: None,
        max_tokens: Some(max_tokens),
        response_schema: None,
        brief: Brief::Phase(brief),
        account,
    }
}

fn too_late(name: &str, limit: Duration) -> ProviderError {
    let message = format!("no complete answer within the {} s of this test", limit.as_secs_f64());
    ProviderError::new(name, ProviderFailure::Timeout, message)
}

/// The failure that a layer is about to retry with the same call; `None` if it makes another call.
fn repeated(name: &str, problem: &Problem) -> Option<ProviderError> {
    let failure = match problem.code {
        Code::ProviderUnavailable => ProviderFailure::Unavailable,
        Code::ProviderRateLimited => ProviderFailure::RateLimited,
        Code::ProviderTimeout => ProviderFailure::Timeout,
        _ => return None,
    };
    // Both the problem's detail and the new error begin with the provider's name.
    let prefix = format!("provider `{name}`: ");
    let message = problem.detail.strip_prefix(&prefix).unwrap_or(&problem.detail);
    let mut error = ProviderError::new(name, failure, message);
    error.upstream_status = problem.upstream_status;
    error.retry_after = problem.retry_after_s.and_then(|wait| Duration::try_from_secs_f64(wait).ok());
    Some(error)
}
