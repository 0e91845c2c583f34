//! Repeats calls that failed and may succeed later, and shows that it does.
//!
//! Owns which failures are worth another call, how long to wait, and when to stop.
//! [`Chunk::Retrying`] precedes each attempt and voids the text so far, so a retry after the first
//! token visibly restarts the step. [`Completion::retries`](super::Completion::retries) counts the
//! failed calls. Falling back to another provider is done by [`route`](super::route).
//!
//! | | |
//! |---|---|
//! | retried | 408, 409, 429, 500, 502, 503, 504, 529, refused and reset connections, cut streams |
//! | not retried | silence (its limit is already long, and a fallback is quicker), a refused key, exhausted credit, a rejected request |
//! | precedence | what the provider itself says about retrying, if anything |
//! | wait | exactly `Retry-After`; else a random part of 0.5 s, 1 s, 2 s, … at most 8 s (full jitter) |
//! | down | a server that asks for more than 60 s: no wait, the error at once |
//! | patient accounts | a refusal as too many uses up no retry; the call waits for at most 10 minutes |

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_stream::stream;
use futures_util::StreamExt;
use tokio::time::Instant;

use super::checked::ended_early;
use super::{ChatRequest, Chunk, ChunkStream, Provider};
use crate::error::{Error, Problem, ProviderError, ProviderFailure};
use crate::ledger::Account;

/// How often and with which delays a call is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Further calls after the first; 0 means none.
    pub max_retries: u32,
    /// The longest wait before the first retry; doubled for each later one.
    pub base: Duration,
    /// The longest wait without `Retry-After`.
    pub cap: Duration,
    /// A provider that asks for a longer wait counts as down.
    pub longest_wait: Duration,
}

impl Default for RetryPolicy {
    /// Three retries, 0.5 s doubling up to 8 s, and a `Retry-After` of up to 60 s.
    fn default() -> Self {
        Self {
            max_retries: 3,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(8),
            longest_wait: Duration::from_mins(1),
        }
    }
}

impl RetryPolicy {
    /// The wait after failure number `failed` (from 0), before jitter.
    fn backoff(&self, failed: u32) -> Duration {
        let factor = 2_u32.saturating_pow(failed.min(31));
        self.base.saturating_mul(factor).min(self.cap)
    }
}

/// A reproducible source of fractions that keeps calls which failed together from retrying
/// together.
#[derive(Debug)]
pub struct Jitter {
    seed: u64,
    drawn: AtomicU64,
}

impl Jitter {
    /// Creates the sequence of `seed`.
    pub fn new(seed: u64) -> Self {
        Self { seed, drawn: AtomicU64::new(0) }
    }

    /// The next fraction, 0..1.
    pub fn next_fraction(&self) -> f64 {
        let number = self.drawn.fetch_add(1, Ordering::Relaxed);
        let bits = xxhash_rust::xxh3::xxh3_64_with_seed(&number.to_le_bytes(), self.seed);
        (bits >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Repeats failed calls of the inner provider.
pub struct Retry {
    inner: Arc<dyn Provider>,
    policy: RetryPolicy,
    jitter: Arc<Jitter>,
}

impl Retry {
    /// Wraps `inner`, retrying as `policy` says, with delays spread by `jitter`.
    pub fn new(inner: Arc<dyn Provider>, policy: RetryPolicy, jitter: Arc<Jitter>) -> Self {
        Self { inner, policy, jitter }
    }
}

impl Provider for Retry {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn default_model(&self) -> &str {
        self.inner.default_model()
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let (inner, policy, jitter) = (Arc::clone(&self.inner), self.policy, Arc::clone(&self.jitter));
        Box::pin(stream! {
            let mut waiting = Attempts::of(&request.account);
            loop {
                let mut answer = inner.stream(request.clone());
                let error = loop {
                    match answer.next().await {
                        Some(Ok(Chunk::Done(mut completion))) => {
                            drop(answer);
                            completion.retries += waiting.made;
                            yield Ok(Chunk::Done(completion));
                            return;
                        }
                        Some(Ok(chunk)) => yield Ok(chunk),
                        Some(Err(error)) => break error,
                        None => break ended_early(inner.name()),
                    }
                };
                drop(answer);
                match waiting.after(error, &policy, &jitter) {
                    Step::GiveUp(error) => {
                        yield Err(error);
                        return;
                    }
                    Step::Wait(delay, error) => {
                        yield Ok(Chunk::Retrying {
                            provider: inner.name().to_owned(),
                            model: request.model.clone().unwrap_or_else(|| inner.default_model().to_owned()),
                            attempt: waiting.made + 1,
                            delay,
                            error: Problem::from(Error::from(error)),
                        });
                        tokio::time::sleep(delay).await;
                    }
                }
            }
        })
    }
}

/// What to do after a failure.
pub(super) enum Step {
    /// Repeat the call after this delay; the error is the reason.
    Wait(Duration, ProviderError),
    /// Stop with this error.
    GiveUp(ProviderError),
}

/// The failed attempts of one call.
#[derive(Debug)]
pub(super) struct Attempts {
    /// All of them.
    pub(super) made: u32,
    /// Those that used up a retry.
    failed: u32,
    /// For how long refusals as too many use up none.
    patience: Duration,
    /// When the first of those in a row came.
    refused_since: Option<Instant>,
    /// How many came in a row.
    refusals: u32,
}

impl Attempts {
    /// None so far, by a call of this account.
    pub(super) fn of(account: &Account) -> Self {
        Self { made: 0, failed: 0, patience: account.patience(), refused_since: None, refusals: 0 }
    }

    /// Decides what to do after another one.
    pub(super) fn after(&mut self, error: ProviderError, policy: &RetryPolicy, jitter: &Jitter) -> Step {
        let step = match self.wait_for_turn(&error, policy, jitter) {
            Some(delay) => Step::Wait(delay, error),
            None => self.next_step(error, policy, jitter),
        };
        self.made += 1;
        step
    }

    /// Decides what to do after one that uses up a retry.
    fn next_step(&mut self, mut error: ProviderError, policy: &RetryPolicy, jitter: &Jitter) -> Step {
        if !is_worth_retrying(&error) {
            return Step::GiveUp(error);
        }
        if let Some(wait) = error.retry_after.filter(|wait| *wait > policy.longest_wait) {
            let (asked, limit) = (wait.as_secs_f64(), policy.longest_wait.as_secs_f64());
            error.message = format!(
                "{}; it asks to wait {asked} s, and a provider that asks for more than {limit} s counts as down",
                error.message
            );
            return Step::GiveUp(error);
        }
        if self.failed >= policy.max_retries {
            if self.made > 0 {
                error.message = format!("{}; gave up after {} attempts", error.message, self.made + 1);
            }
            return Step::GiveUp(error);
        }
        let backoff = || policy.backoff(self.failed).mul_f64(jitter.next_fraction());
        let delay = error.retry_after.unwrap_or_else(backoff);
        self.failed += 1;
        Step::Wait(delay, error)
    }

    /// The delay after a refusal that uses up no retry.
    fn wait_for_turn(&mut self, error: &ProviderError, policy: &RetryPolicy, jitter: &Jitter) -> Option<Duration> {
        if error.failure != ProviderFailure::RateLimited || error.should_retry == Some(false) || self.patience.is_zero()
        {
            (self.refused_since, self.refusals) = (None, 0);
            return None;
        }
        let waited = self.refused_since.get_or_insert_with(Instant::now).elapsed();
        let backoff = policy.backoff(self.refusals.min(PATIENT_DOUBLINGS)).mul_f64(jitter.next_fraction());
        self.refusals += 1;
        Some(error.retry_after.unwrap_or(backoff)).filter(|delay| waited + *delay < self.patience)
    }
}

/// How often the delay of a patient call doubles. The permits space its attempts.
const PATIENT_DOUBLINGS: u32 = 2;

/// True for the failures in the table above.
fn is_worth_retrying(error: &ProviderError) -> bool {
    if let Some(should_retry) = error.should_retry {
        return should_retry;
    }
    match error.failure {
        ProviderFailure::RateLimited => true,
        ProviderFailure::Unavailable => match error.upstream_status {
            Some(status) => status < 300 || matches!(status, 408 | 409 | 429 | 500 | 502 | 503 | 504 | 529),
            None => true,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests;
