//! Timeouts for a call: for silence, and for the whole.
//!
//! Silence is measured from the request to the first chunk and between chunks, and only while the
//! caller is waiting for the next one: a slow reader is not the provider's fault. The transport has
//! the connect timeout. The clock is tokio's, so tests can pause it.

use std::sync::Arc;
use std::time::Duration;

use async_stream::stream;
use futures_util::StreamExt;
use tokio::time::{Instant, timeout_at};

use super::{ChatRequest, Chunk, ChunkStream, Provider};
use crate::error::{ProviderError, ProviderFailure};

/// The timeouts of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// The longest silence: before the first token, and between tokens.
    pub silence: Duration,
    /// The longest call, first to last chunk.
    pub whole: Duration,
}

impl Default for Timeouts {
    /// 120 s of silence, 600 s for the whole.
    fn default() -> Self {
        Self { silence: Duration::from_mins(2), whole: Duration::from_mins(10) }
    }
}

/// Ends calls of the inner provider that take too long, with [`ProviderFailure::Timeout`].
pub struct Timeout {
    inner: Arc<dyn Provider>,
    patience: Timeouts,
}

impl Timeout {
    /// Wraps `inner` with these timeouts.
    pub fn new(inner: Arc<dyn Provider>, patience: Timeouts) -> Self {
        Self { inner, patience }
    }
}

impl Provider for Timeout {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn default_model(&self) -> &str {
        self.inner.default_model()
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let (inner, patience) = (Arc::clone(&self.inner), self.patience);
        Box::pin(stream! {
            let start = Instant::now();
            let end = later(start, patience.whole);
            let mut answer = inner.stream(request);
            let mut has_text = false;
            loop {
                let silence_ends = later(Instant::now(), patience.silence);
                match timeout_at(silence_ends.min(end), answer.next()).await {
                    Ok(Some(chunk)) => {
                        has_text |= matches!(chunk, Ok(Chunk::Text(_)));
                        let is_last = matches!(chunk, Ok(Chunk::Done(_)) | Err(_));
                        yield chunk;
                        if is_last {
                            return;
                        }
                    }
                    Ok(None) => return,
                    Err(_) => {
                        drop(answer);
                        let message = if end <= silence_ends {
                            whole_too_long(patience.whole)
                        } else {
                            let place = if has_text { "in the middle of the answer" } else { "before the first token" };
                            silent_too_long(inner.name(), patience.silence, place)
                        };
                        yield Err(ProviderError::new(inner.name(), ProviderFailure::Timeout, message));
                        return;
                    }
                }
            }
        })
    }
}

/// `start` plus `wait`; a hundred years later if the clock overflows.
pub(super) fn later(start: Instant, wait: Duration) -> Instant {
    let century = Duration::from_hours(100 * 365 * 24);
    start + wait.min(century)
}

/// The message for a call that exceeded its total time.
pub(super) fn whole_too_long(whole: Duration) -> String {
    format!("the answer was not complete after {} s, the longest a call may take", whole.as_secs_f64())
}

/// The message for silence, and where in the answer it occurred.
pub(super) fn silent_too_long(provider: &str, silence: Duration, place: &str) -> String {
    let seconds = silence.as_secs_f64();
    format!("no data for {seconds} s {place}; `providers.{provider}.timeout_s` sets how long to wait")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::complete;
    use crate::provider::sim::testing::{request, sim};

    async fn outcome(script: &str) -> (Result<String, ProviderError>, Duration) {
        let limited = Timeout::new(Arc::new(sim(script)), Timeouts::default());
        let start = Instant::now();
        let answer = complete(&limited, request(0)).await;
        (answer.map(|(text, _)| text), start.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn no_first_token_ends_after_the_silence() {
        let (answer, took) = outcome("rules: [{fault: hang}]").await;
        let error = answer.unwrap_err();
        assert_eq!((error.failure, took.as_secs()), (ProviderFailure::Timeout, 120));
        assert!(error.message.contains("before the first token") && error.message.contains("timeout_s"), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn silence_in_the_middle_is_counted_from_the_last_token() {
        let script =
            "{pacing: {first_token_ms: 90000, chunk_ms: 60000}, rules: [{fault: {kind: hang, after_chunks: 2}}]}";
        let (answer, took) = outcome(script).await;
        let error = answer.unwrap_err();
        assert_eq!((error.failure, took.as_secs()), (ProviderFailure::Timeout, 90 + 60 + 120));
        assert!(error.message.contains("in the middle"), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_but_steady_answer_passes_until_the_whole_is_too_long() {
        let (answer, took) = outcome("{answer: {words: 10}, pacing: {tokens_per_s: 0.02, chunk_chars: 4}}").await;
        assert!(answer.is_ok(), "{answer:?}");
        assert!((400..=600).contains(&took.as_secs()), "{took:?}");
        let (answer, took) = outcome("{answer: {words: 100}, pacing: {tokens_per_s: 0.05}}").await;
        let error = answer.unwrap_err();
        assert_eq!((error.failure, took.as_secs()), (ProviderFailure::Timeout, 600));
        assert!(error.message.contains("600 s"), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_is_not_the_providers_fault() {
        let limited = Timeout::new(Arc::new(sim("answer: {words: 30}")), Timeouts::default());
        let mut answer = limited.stream(request(0));
        assert!(matches!(answer.next().await, Some(Ok(Chunk::Text(_)))));
        tokio::time::advance(Duration::from_hours(1)).await;
        assert!(matches!(answer.next().await, Some(Ok(Chunk::Text(_)))));
    }

    #[tokio::test(start_paused = true)]
    async fn endless_patience_does_not_overflow_the_clock() {
        let patience = Timeouts { silence: Duration::MAX, whole: Duration::MAX };
        let limited = Timeout::new(Arc::new(sim("answer: {text: hello}")), patience);
        assert_eq!(complete(&limited, request(0)).await.unwrap().0, "hello");
    }

    #[tokio::test(start_paused = true)]
    async fn the_call_is_dropped_when_it_times_out() {
        let sim = sim("rules: [{fault: hang}]");
        let limited = Timeout::new(Arc::new(sim.clone()), Timeouts::default());
        let mut answer = limited.stream(request(0));
        assert!(answer.next().await.unwrap().is_err());
        assert_eq!(sim.in_flight(), 0);
    }
}
