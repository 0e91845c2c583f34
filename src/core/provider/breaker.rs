//! The circuit breaker: pauses calls to a provider that keeps failing.
//!
//! It wraps [`retry`](super::retry), so it counts only calls whose retries are used up. It sits
//! below [`route`](super::route), so while it is open a fallback is called without waiting. Each
//! provider has one, shared by all runs of the process. The state machine is in `circuit`. A call
//! is admitted on its first poll, judged by its end, and withdrawn on drop. A refusal is
//! `provider_unavailable`: how long, how often and why the provider failed, and when to retry.

mod circuit;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_stream::stream;
use futures_util::StreamExt;
use tokio::time::Instant;

pub use circuit::BreakerPolicy;
use circuit::{Change, Circuit, Ending, NextTry, Refusal, Ticket};

use super::checked::ended_early;
use super::{ChatRequest, Chunk, ChunkStream, Provider};
use crate::error::{ProviderError, ProviderFailure};

/// The retry delay reported while the trial call is under way, whose length is unknown.
const WAIT_FOR_TRIAL: Duration = Duration::from_secs(1);

/// Refuses calls to the inner provider while it is down.
pub struct Breaker {
    inner: Arc<dyn Provider>,
    circuit: Arc<Mutex<Circuit>>,
}

impl Breaker {
    /// Wraps `inner` with a closed circuit.
    pub fn new(inner: Arc<dyn Provider>, policy: BreakerPolicy) -> Self {
        Self { inner, circuit: Arc::new(Mutex::new(Circuit::new(policy))) }
    }

    /// The error a call would get now, with the next try's time; `None` while calls go through.
    pub fn outage(&self) -> Option<ProviderError> {
        lock(&self.circuit).refusal(Instant::now()).map(|refusal| refused(self.name(), &refusal))
    }
}

impl Provider for Breaker {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn default_model(&self) -> &str {
        self.inner.default_model()
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let (inner, circuit) = (Arc::clone(&self.inner), Arc::clone(&self.circuit));
        Box::pin(stream! {
            let call = match Admitted::ask(circuit, inner.name()) {
                Ok(call) => call,
                Err(error) => {
                    yield Err(error);
                    return;
                }
            };
            let mut answer = inner.stream(request);
            let error = loop {
                match answer.next().await {
                    Some(Ok(Chunk::Done(completion))) => {
                        drop(answer);
                        call.end(&Ending::Answered);
                        yield Ok(Chunk::Done(completion));
                        return;
                    }
                    Some(Ok(chunk)) => yield Ok(chunk),
                    Some(Err(error)) => break error,
                    None => break ended_early(inner.name()),
                }
            };
            drop(answer);
            call.end(&Ending::of(&error));
            yield Err(error);
        })
    }
}

/// A call that may go out. Dropped before its end, it counts neither as success nor as failure.
struct Admitted {
    circuit: Arc<Mutex<Circuit>>,
    provider: String,
    ticket: Option<Ticket>,
}

impl Admitted {
    fn ask(circuit: Arc<Mutex<Circuit>>, provider: &str) -> Result<Self, ProviderError> {
        let admitted = lock(&circuit).admit(Instant::now());
        let ticket = admitted.map_err(|refusal| refused(provider, &refusal))?;
        if ticket.is_trial() {
            tracing::info!(provider, "half-open: one call tests whether the provider is back");
        }
        Ok(Self { circuit, provider: provider.to_owned(), ticket: Some(ticket) })
    }

    fn end(mut self, ending: &Ending<'_>) {
        if let Some(ticket) = self.ticket.take() {
            self.report(ticket, ending);
        }
    }

    fn report(&self, ticket: Ticket, ending: &Ending<'_>) {
        let change = lock(&self.circuit).end(ticket, ending, Instant::now());
        let provider = self.provider.as_str();
        match change {
            None => {}
            Some(Change::Opened { failures, pause, cause }) => {
                tracing::warn!(
                    provider,
                    failures,
                    pause_s = pause.as_secs_f64(),
                    cause,
                    "too many failures: calls to this provider pause"
                );
            }
            Some(Change::Closed) => tracing::info!(provider, "the provider answers again: calls to it resume"),
        }
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.report(ticket, &Ending::Nothing);
        }
    }
}

fn refused(provider: &str, refusal: &Refusal) -> ProviderError {
    let Refusal { down_for, failures, cause, next } = refusal;
    let (wait, next) = match next {
        NextTry::In(wait) => (*wait, format!("the next try is in {} s", whole_seconds(*wait))),
        NextTry::UnderWay => (WAIT_FOR_TRIAL, "one call is testing it now".to_owned()),
    };
    let message = format!(
        "it was not called, because it has been down for {} s: {failures} calls in a row failed, the last one: {cause}; {next}",
        whole_seconds(*down_for)
    );
    ProviderError::new(provider, ProviderFailure::Unavailable, message).with_retry_after(Some(wait)).without_call()
}

/// Rounded up, so that callers do not retry too early.
fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

/// A poisoned lock is safe to use: no update under it can be left half done.
fn lock(circuit: &Mutex<Circuit>) -> MutexGuard<'_, Circuit> {
    circuit.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
