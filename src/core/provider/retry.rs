//! Calls that failed and may succeed a little later are made again, visibly.
//!
//! Owns which failures are worth another call, how long to wait, and when to stop. Before each new attempt it emits
//! [`Chunk::Retrying`], which voids the text so far, so a retry after the first token restarts the step where
//! everybody sees it. The number of failed calls ends up in [`Completion::retries`](super::Completion::retries).
//! Asking another provider instead is [`route`](super::route)'s business; this layer knows one.
//!
//! | | |
//! |---|---|
//! | retried | 408, 409, 429, 500, 502, 503, 504, 529, refused and reset connections, cut streams |
//! | not retried | silence (its limit is already long, and a fallback is quicker), a refused key, used-up credit, a rejected request |
//! | first | what the provider itself says of a retry, where it says anything |
//! | wait | `Retry-After` to the letter; else a random part of 0.5 s, 1 s, 2 s, … at most 8 s (full jitter) |
//! | down | a server that asks for more than 60 s: no wait, the error at once |

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_stream::stream;
use futures_util::StreamExt;

use super::checked::ended_early;
use super::{ChatRequest, Chunk, ChunkStream, Provider};
use crate::error::{Error, Problem, ProviderError, ProviderFailure};

/// How often and how patiently a call is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Further calls after the first; 0 means none.
    pub max_retries: u32,
    /// The longest wait before the first retry; doubled for each one after it.
    pub base: Duration,
    /// The longest wait of our own choosing.
    pub cap: Duration,
    /// A provider that asks for more than this is taken as down.
    pub longest_wait: Duration,
}

impl Default for RetryPolicy {
    /// Three retries, half a second doubling up to 8 s, and 60 s of obedience.
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

/// A reproducible source of fractions that spreads retries out, so that callers who failed together do not come
/// back together.
#[derive(Debug)]
pub struct Jitter {
    seed: u64,
    drawn: AtomicU64,
}

impl Jitter {
    /// The sequence of `seed`.
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

/// Makes failed calls of the inner provider again.
pub struct Retry {
    inner: Arc<dyn Provider>,
    policy: RetryPolicy,
    jitter: Arc<Jitter>,
}

impl Retry {
    /// Retries as `policy` says, spread out by `jitter`.
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
            let mut failed = 0_u32;
            loop {
                let mut answer = inner.stream(request.clone());
                let error = loop {
                    match answer.next().await {
                        Some(Ok(Chunk::Done(mut completion))) => {
                            drop(answer);
                            completion.retries += failed;
                            yield Ok(Chunk::Done(completion));
                            return;
                        }
                        Some(Ok(chunk)) => yield Ok(chunk),
                        Some(Err(error)) => break error,
                        None => break ended_early(inner.name()),
                    }
                };
                drop(answer);
                match next_step(error, failed, &policy, &jitter) {
                    Step::GiveUp(error) => {
                        yield Err(error);
                        return;
                    }
                    Step::Wait(delay, error) => {
                        failed += 1;
                        yield Ok(Chunk::Retrying {
                            provider: inner.name().to_owned(),
                            model: request.model.clone().unwrap_or_else(|| inner.default_model().to_owned()),
                            attempt: failed + 1,
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

/// What follows a failure.
pub(super) enum Step {
    /// The call is made again after so long; the error is why.
    Wait(Duration, ProviderError),
    /// There is no further call.
    GiveUp(ProviderError),
}

/// Decides after failure number `failed`, from 0.
pub(super) fn next_step(mut error: ProviderError, failed: u32, policy: &RetryPolicy, jitter: &Jitter) -> Step {
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
    if failed >= policy.max_retries {
        if failed > 0 {
            error.message = format!("{}; gave up after {} attempts", error.message, failed + 1);
        }
        return Step::GiveUp(error);
    }
    let delay = error.retry_after.unwrap_or_else(|| policy.backoff(failed).mul_f64(jitter.next_fraction()));
    Step::Wait(delay, error)
}

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
