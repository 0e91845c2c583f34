//! An ordered list of targets: the provider bound to a phase, then its fallbacks.
//!
//! Owns which failures lead to the next target. No fallback is silent: [`Chunk::Retrying`] names
//! the next provider, a [`Chunk::Warning`] says so, and the completion has `fallback_from`.
//! Attempts and retries are counted over all targets.
//!
//! A rejected request also moves on: the next model may accept the parameter, have a longer
//! context, or answer where this one returned nothing. A refusal moves on only if the user asked
//! for it ([`OnRefusal`]), because a model that declines has answered. A cap never moves on.

use std::sync::Arc;
use std::time::Duration;

use async_stream::stream;
use futures_util::StreamExt;

use super::checked::ended_early;
use super::{ChatRequest, Chunk, ChunkStream, Provider};
use crate::error::{Error, Problem, ProviderError, ProviderFailure};

/// A provider to call, and its model.
#[derive(Clone)]
pub struct Target {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// The model. `None` means the request's model at the first target and the provider's default
    /// at a fallback, because one vendor's model names mean nothing to another.
    pub model: Option<String>,
}

impl Target {
    /// `provider` with its default model.
    pub fn new(provider: Arc<dyn Provider>) -> Self {
        Self { provider, model: None }
    }

    /// The same provider with `model`.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// `provider/model`, for messages.
    fn label(&self) -> String {
        let model = self.model.as_deref().unwrap_or_else(|| self.provider.default_model());
        format!("{}/{model}", self.provider.name())
    }
}

/// What to do when a model declines to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnRefusal {
    /// Report the refusal.
    #[default]
    Report,
    /// Call the next target.
    FallBack,
}

/// Calls the first target, and the next one after failures that another provider may not have.
pub struct Route {
    first: Target,
    fallbacks: Arc<[Target]>,
    on_refusal: OnRefusal,
}

impl Route {
    /// Calls `first`, then each of `fallbacks` in order.
    pub fn new(first: Target, fallbacks: impl IntoIterator<Item = Target>) -> Self {
        Self { first, fallbacks: fallbacks.into_iter().collect(), on_refusal: OnRefusal::default() }
    }

    /// Sets what to do when a model declines to answer.
    #[must_use]
    pub fn on_refusal(mut self, on_refusal: OnRefusal) -> Self {
        self.on_refusal = on_refusal;
        self
    }
}

impl Provider for Route {
    fn name(&self) -> &str {
        self.first.provider.name()
    }

    fn default_model(&self) -> &str {
        self.first.model.as_deref().unwrap_or_else(|| self.first.provider.default_model())
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let (first, fallbacks, on_refusal) = (self.first.clone(), Arc::clone(&self.fallbacks), self.on_refusal);
        Box::pin(stream! {
            let first_name = first.provider.name().to_owned();
            let first_model = first.model.clone().or_else(|| request.model.clone());
            let mut target = Target { model: first_model, ..first };
            let mut waiting = fallbacks.iter();
            let mut failures: Vec<ProviderError> = Vec::new();
            // Failed attempts at earlier targets, and targets that made no call at all.
            let mut failed_before = 0_u32;
            let mut never_called = 0_u32;
            loop {
                let mut answer = target.provider.stream(ChatRequest { model: target.model.clone(), ..request.clone() });
                let mut failed_here = 0_u32;
                let error = loop {
                    match answer.next().await {
                        Some(Ok(Chunk::Done(mut completion))) => {
                            drop(answer);
                            completion.retries += failed_before - never_called;
                            if !failures.is_empty() {
                                completion.fallback_from = Some(first_name);
                            }
                            yield Ok(Chunk::Done(completion));
                            return;
                        }
                        Some(Ok(Chunk::Retrying { provider, model, attempt, delay, error })) => {
                            failed_here = attempt.saturating_sub(1);
                            let attempt = failed_before + attempt;
                            yield Ok(Chunk::Retrying { provider, model, attempt, delay, error });
                        }
                        Some(Ok(chunk)) => yield Ok(chunk),
                        Some(Err(error)) => break error,
                        None => break ended_early(target.provider.name()),
                    }
                };
                drop(answer);
                failed_before += failed_here + 1;
                never_called += u32::from(error.never_called);
                let next = if is_worth_fallback(&error, on_refusal) { waiting.next() } else { None };
                let Some(next) = next else {
                    yield Err(combined_failure(failures, error));
                    return;
                };
                let warning = fallback_warning(&target, next, &error);
                yield Ok(Chunk::Retrying {
                    provider: next.provider.name().to_owned(),
                    model: next.model.clone().unwrap_or_else(|| next.provider.default_model().to_owned()),
                    attempt: failed_before + 1,
                    delay: Duration::ZERO,
                    error: Problem::from(Error::from(error.clone())),
                });
                yield Ok(Chunk::Warning(warning));
                failures.push(error);
                target = next.clone();
            }
        })
    }
}

/// True if the same request may succeed at another provider.
fn is_worth_fallback(error: &ProviderError, on_refusal: OnRefusal) -> bool {
    match error.failure {
        ProviderFailure::Unavailable
        | ProviderFailure::RateLimited
        | ProviderFailure::QuotaExhausted
        | ProviderFailure::Timeout
        | ProviderFailure::Auth
        | ProviderFailure::Rejected => true,
        ProviderFailure::Refused => on_refusal == OnRefusal::FallBack,
        ProviderFailure::Budget | ProviderFailure::CallLogFailed => false,
    }
}

fn fallback_warning(from: &Target, to: &Target, error: &ProviderError) -> String {
    format!("`{}` failed ({}), so its fallback `{}` is used instead", from.label(), error.message, to.label())
}

/// The primary provider's failure, with those of its fallbacks appended. If a cap stopped a
/// fallback, that is the failure instead: it ends the run, and raising the cap would help.
fn combined_failure(mut earlier: Vec<ProviderError>, mut last: ProviderError) -> ProviderError {
    if earlier.is_empty() {
        return last;
    }
    if matches!(last.failure, ProviderFailure::Budget | ProviderFailure::CallLogFailed) {
        let failed: Vec<String> =
            earlier.iter().map(|error| format!("`{}`: {}", error.provider, error.message)).collect();
        last.message = format!("{}; used as a fallback, after {}", last.message, failed.join("; "));
        return last;
    }
    let mut first = earlier.remove(0);
    for fallback in earlier.into_iter().chain([last]) {
        first.message = format!("{}; its fallback `{}`: {}", first.message, fallback.provider, fallback.message);
    }
    first
}

#[cfg(test)]
mod tests;
