//! Bounds concurrency, per provider and for the whole process, by shared [`Permits`].
//!
//! A permit is taken when the request goes out and returned with the last chunk, with the error, or
//! when the stream is dropped, whichever comes first. Waiting is first come, first served, and no
//! timer of the layers below runs meanwhile. The retry layer is above this one, so no permit is
//! held while waiting to retry.
//!
//! A provider that refuses requests as too many gets fewer of them for a while, at once and a second
//! ([`Throttle`]). The layer [`Turn`] waits for that right before a request is sent, below the ledger,
//! whose writes would bring requests together again.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_stream::stream;
use futures_util::StreamExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::throttle::{SentCall, Throttle};
use super::{ChatRequest, Chunk, ChunkStream, Provider};
use crate::error::{ProviderError, ProviderFailure};
use crate::metrics::{CallCounter, CallInProgress, GaugeGuard, Metrics};

/// Limits on requests in flight: to one provider, and in total.
#[derive(Clone)]
pub struct Permits {
    own: Arc<ProviderPermits>,
    all: Arc<Semaphore>,
}

/// The permits of one provider.
struct ProviderPermits {
    provider: String,
    room: Arc<Semaphore>,
    counter: CallCounter,
    /// Held by the request that goes out next, while requests are spaced.
    gate: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

struct State {
    throttle: Throttle,
    last: Option<LastCall>,
    /// Permits to be revoked as soon as they are returned.
    owed: usize,
}

/// How the last call to a provider ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastCall {
    /// From sending it to its end.
    pub latency: Duration,
    /// Why it failed; `None` if it was answered.
    pub failure: Option<String>,
}

impl ProviderPermits {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A permit for one request in flight, returned on drop.
pub struct PermitGuard {
    _own: ProviderPermit,
    _all: OwnedSemaphorePermit,
    _counted: GaugeGuard,
}

/// A permit of the provider itself.
struct ProviderPermit {
    own: Arc<ProviderPermits>,
    /// `None` once revoked.
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for ProviderPermit {
    fn drop(&mut self) {
        let mut state = self.own.lock();
        if state.owed > 0
            && let Some(permit) = self.permit.take()
        {
            state.owed -= 1;
            permit.forget();
        }
    }
}

/// A request that was sent, and is over on drop.
pub struct SentRequest {
    own: Arc<ProviderPermits>,
    call: SentCall,
    counted: CallInProgress,
}

impl SentRequest {
    /// Records that the provider began to answer.
    pub fn accepted(&self) {
        self.own.lock().throttle.accepted(self.call, Instant::now());
    }

    /// Counts the tokens of the answer, and its cost in US dollars if that is known.
    pub fn used(&self, input_tokens: u64, output_tokens: u64, cost_usd: Option<f64>) {
        self.counted.used(input_tokens, output_tokens, cost_usd);
    }

    /// Ends the request, with its failure if any, and adapts the provider's limits to it.
    pub fn ended(mut self, failure: Option<&ProviderError>) {
        self.counted.ended(failure.map(|error| error.failure));
        let (own, now) = (&self.own, Instant::now());
        let mut state = own.lock();
        state.last = Some(LastCall { latency: self.counted.elapsed(), failure: failure.map(ToString::to_string) });
        match failure {
            None => {
                let more = state.throttle.answered(self.call, now);
                let revoked = more.min(state.owed);
                state.owed -= revoked;
                own.room.add_permits(more - revoked);
            }
            Some(error) if error.failure == ProviderFailure::RateLimited => {
                let was_spaced = state.throttle.is_spaced();
                let fewer = state.throttle.refused(self.call, now);
                if fewer > 0 {
                    state.owed += fewer - own.room.forget_permits(fewer);
                }
                let (provider, allowed, rate) = (&own.provider, state.throttle.allowed(), state.throttle.rate());
                if fewer > 0 || !was_spaced {
                    tracing::info!(
                        provider,
                        allowed,
                        rate,
                        "it refuses requests, so fewer go out, at once or a second"
                    );
                }
            }
            Some(_) => {}
        }
    }
}

impl Drop for SentRequest {
    fn drop(&mut self) {
        self.own.lock().throttle.over();
    }
}

/// A semaphore with this many permits.
pub fn room(most: NonZeroUsize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(most.get().min(Semaphore::MAX_PERMITS)))
}

impl Permits {
    /// Limits one provider, whose requests also count towards `all`, and counts its calls.
    pub fn new(provider: &str, max_concurrency: NonZeroUsize, all: Arc<Semaphore>, metrics: &Metrics) -> Self {
        let room = room(max_concurrency);
        let state = Mutex::new(State { throttle: Throttle::new(room.available_permits()), last: None, owed: 0 });
        let (counter, gate) = (metrics.calls_to(provider), tokio::sync::Mutex::default());
        Self { own: Arc::new(ProviderPermits { provider: provider.to_owned(), room, counter, gate, state }), all }
    }

    /// Limits one provider that shares permits with no other.
    pub fn alone(provider: &str, max_concurrency: NonZeroUsize) -> Self {
        Self::new(provider, max_concurrency, room(NonZeroUsize::MAX), &Metrics::default())
    }

    /// Waits for a permit; `None` once the semaphores are closed.
    pub async fn enter(&self) -> Option<PermitGuard> {
        let waiting = self.own.counter.waiting();
        // The provider's own permit first, so a slow provider does not block the others.
        let permit = Arc::clone(&self.own.room).acquire_owned().await.ok()?;
        let own = ProviderPermit { own: Arc::clone(&self.own), permit: Some(permit) };
        let all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        drop(waiting);
        Some(PermitGuard { _own: own, _all: all, _counted: self.own.counter.permit() })
    }

    /// Waits until the next request may be sent, which is then to be sent at once.
    pub async fn turn(&self) -> SentRequest {
        let mut gate = None;
        loop {
            let now = Instant::now();
            let due = {
                let mut state = self.own.lock();
                // Who waits already goes first.
                let is_first = gate.is_some() || !state.throttle.is_spaced();
                match state.throttle.due(now) {
                    due if is_first && due <= now => {
                        let call = state.throttle.send(now);
                        return SentRequest { own: Arc::clone(&self.own), call, counted: self.own.counter.call() };
                    }
                    due => due,
                }
            };
            match gate {
                Some(_) => tokio::time::sleep_until(due).await,
                None => gate = Some(self.own.gate.lock().await),
            }
        }
    }

    /// How the last call to the provider ended; `None` before the first one has.
    pub fn last_call(&self) -> Option<LastCall> {
        self.own.lock().last.clone()
    }

    /// How many more requests could start now.
    pub fn free(&self) -> usize {
        self.own.room.available_permits().min(self.all.available_permits())
    }
}

/// Limits the concurrent requests of the inner provider.
pub struct Permit {
    inner: Arc<dyn Provider>,
    permits: Permits,
}

impl Permit {
    /// At most `max_concurrency` requests at once, each in its [`Turn`].
    pub fn new(inner: Arc<dyn Provider>, max_concurrency: NonZeroUsize) -> Self {
        let permits = Permits::alone(inner.name(), max_concurrency);
        Self::sharing(Arc::new(Turn::new(inner, permits.clone())), permits)
    }

    /// Draws from `permits`, which others may share.
    pub fn sharing(inner: Arc<dyn Provider>, permits: Permits) -> Self {
        Self { inner, permits }
    }

    /// How many more requests could start now.
    pub fn free(&self) -> usize {
        self.permits.free()
    }
}

impl Provider for Permit {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn default_model(&self) -> &str {
        self.inner.default_model()
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let (inner, permits) = (Arc::clone(&self.inner), self.permits.clone());
        Box::pin(stream! {
            let Some(permit) = permits.enter().await else {
                yield Err(ProviderError::new(inner.name(), ProviderFailure::Unavailable, "it is shutting down"));
                return;
            };
            let mut answer = inner.stream(request);
            while let Some(chunk) = answer.next().await {
                if matches!(chunk, Ok(Chunk::Done(_)) | Err(_)) {
                    // The call ends before the caller sees how it ended.
                    drop(answer);
                    drop(permit);
                    yield chunk;
                    return;
                }
                yield chunk;
            }
        })
    }
}

/// Sends the requests of the inner provider at the rate that it accepts.
pub struct Turn {
    inner: Arc<dyn Provider>,
    permits: Permits,
}

impl Turn {
    /// Takes turns with all that share `permits`.
    pub fn new(inner: Arc<dyn Provider>, permits: Permits) -> Self {
        Self { inner, permits }
    }
}

impl Provider for Turn {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn default_model(&self) -> &str {
        self.inner.default_model()
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let (inner, permits) = (Arc::clone(&self.inner), self.permits.clone());
        Box::pin(stream! {
            let sent = permits.turn().await;
            let mut answer = inner.stream(request);
            let mut has_begun = false;
            while let Some(chunk) = answer.next().await {
                if matches!(chunk, Ok(Chunk::Done(_)) | Err(_)) {
                    drop(answer);
                    if let Ok(Chunk::Done(completion)) = &chunk {
                        let usage = completion.usage;
                        sent.used(usage.input_tokens, usage.output_tokens, completion.cost_usd);
                    }
                    sent.ended(chunk.as_ref().err());
                    yield chunk;
                    return;
                }
                if !std::mem::replace(&mut has_begun, true) {
                    sent.accepted();
                }
                yield chunk;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::Relaxed;
    use std::time::Duration;

    use super::*;
    use crate::provider::complete;
    use crate::provider::retry::{Jitter, Retry, RetryPolicy};
    use crate::provider::sim::Sim;
    use crate::provider::sim::testing::{request, sim};
    use futures_util::future::join_all;

    fn permit(sim: &Sim, max: usize) -> Permit {
        Permit::new(Arc::new(sim.clone()), NonZeroUsize::new(max).unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_the_limit_are_under_way_at_once() {
        for limit in [1, 3, 16, 64] {
            let sim = sim("pacing: {first_token_ms: 100, tokens_per_s: 100}");
            let limited = permit(&sim, limit);
            let answers = join_all((0..40).map(|variant| complete(&limited, request(variant)))).await;
            assert!(answers.iter().all(Result::is_ok));
            assert_eq!(sim.peak_in_flight(), limit.min(40));
            assert_eq!(limited.free(), limit);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_permit_is_free_again_once_the_last_chunk_is_out() {
        let sim = sim("answer: {text: hello}");
        let limited = permit(&sim, 1);
        let mut stream = limited.stream(request(0));
        assert_eq!(limited.free(), 1, "nothing is held before the stream is polled");
        assert!(matches!(stream.next().await, Some(Ok(Chunk::Text(_)))));
        assert_eq!(limited.free(), 0);
        assert!(matches!(stream.next().await, Some(Ok(Chunk::Done(_)))));
        assert_eq!(limited.free(), 1, "the finished stream still exists");
    }

    #[tokio::test(start_paused = true)]
    async fn a_failure_and_a_cut_free_the_permit() {
        for fault in ["server_error", "cut"] {
            let sim = sim(&format!("rules: [{{fault: {fault}}}]"));
            let limited = permit(&sim, 1);
            assert!(complete(&limited, request(0)).await.is_err());
            assert_eq!(limited.free(), 1, "{fault}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn dropping_a_stream_frees_its_permit_at_once() {
        let sim = sim("rules: [{fault: hang}]");
        let limited = permit(&sim, 1);
        let mut hanging = limited.stream(request(0));
        assert!(tokio::time::timeout(Duration::from_secs(1), hanging.next()).await.is_err());
        assert_eq!((limited.free(), sim.in_flight()), (0, 1));
        drop(hanging);
        assert_eq!((limited.free(), sim.in_flight()), (1, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn one_who_stops_waiting_leaves_the_queue() {
        let sim = sim("rules: [{when: {variant: 0}, fault: hang}]");
        let limited = permit(&sim, 1);
        let mut first = limited.stream(request(0));
        let mut second = limited.stream(request(1));
        let patience = Duration::from_secs(1);
        assert!(tokio::time::timeout(patience, first.next()).await.is_err());
        assert!(tokio::time::timeout(patience, second.next()).await.is_err());
        drop(second);
        drop(first);
        assert!(complete(&limited, request(2)).await.is_ok());
        assert_eq!(sim.journal().iter().filter(|asked| asked.variant() == Some(1)).count(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn providers_side_by_side_keep_to_what_all_may() {
        let all = room(NonZeroUsize::new(5).unwrap());
        let (one, other) = (sim("pacing: {first_token_ms: 100}"), sim("pacing: {first_token_ms: 100}"));
        let limited = |sim: &Sim, most| {
            let permits = Permits::new("lab", NonZeroUsize::new(most).unwrap(), Arc::clone(&all), &Metrics::default());
            Permit::sharing(Arc::new(sim.clone()), permits)
        };
        let (first, second) = (limited(&one, 4), limited(&other, 4));
        let most = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let watch = async {
            for _ in 0..200 {
                most.fetch_max(one.in_flight() + other.in_flight(), std::sync::atomic::Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let asked =
            (0..20).flat_map(|variant| [complete(&first, request(variant)), complete(&second, request(variant))]);
        let (answers, ()) = tokio::join!(join_all(asked), watch);
        assert!(answers.iter().all(Result::is_ok));
        assert_eq!(most.load(std::sync::atomic::Ordering::Relaxed), 5);
        assert!(one.peak_in_flight() <= 4 && other.peak_in_flight() <= 4);
        assert_eq!(all.available_permits(), 5);
    }
    /// Takes so many requests at once, and refuses the others after a while.
    #[derive(Clone)]
    struct Crowded {
        takes: usize,
        under_way: Arc<AtomicUsize>,
        refused: Arc<AtomicUsize>,
    }

    impl Provider for Crowded {
        fn name(&self) -> &'static str {
            "crowded"
        }

        fn default_model(&self) -> &'static str {
            "model"
        }

        fn stream(&self, request: ChatRequest) -> ChunkStream {
            let (this, answer) = (self.clone(), sim("answer: {text: hello}").stream(request));
            Box::pin(stream! {
                let before = this.under_way.fetch_add(1, Relaxed);
                tokio::time::sleep(Duration::from_millis(50)).await;
                this.under_way.fetch_sub(1, Relaxed);
                if before >= this.takes {
                    this.refused.fetch_add(1, Relaxed);
                    yield Err(ProviderError::new("crowded", ProviderFailure::RateLimited, "too many requests"));
                    return;
                }
                let mut answer = answer;
                while let Some(chunk) = answer.next().await {
                    yield chunk;
                }
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_that_refuses_gets_fewer_at_once_and_every_call_comes_through() {
        let crowded = Crowded { takes: 6, under_way: Arc::default(), refused: Arc::default() };
        let permits = Permits::alone("crowded", NonZeroUsize::new(16).unwrap());
        let in_turn = Arc::new(Turn::new(Arc::new(crowded.clone()), permits.clone()));
        let limited = Arc::new(Permit::sharing(in_turn, permits.clone()));
        let patient = RetryPolicy { max_retries: 30, ..RetryPolicy::default() };
        let retried = Retry::new(limited, patient, Arc::new(Jitter::new(7)));
        let all = async |count: u32| join_all((0..count).map(|variant| complete(&retried, request(variant)))).await;
        assert!(all(300).await.iter().all(Result::is_ok));
        let free = permits.free();
        assert!((4..=8).contains(&free), "{free} go out at once where 6 are taken");
        let learning = crowded.refused.swap(0, Relaxed);
        assert!(all(600).await.iter().all(Result::is_ok));
        let refused = crowded.refused.load(Relaxed);
        assert!(refused < 60, "{refused} of 600 were refused, and {learning} before");
        // Dropping a request in the middle loses no permit.
        let free = permits.free();
        let mut hanging = retried.stream(request(0));
        assert!(tokio::time::timeout(Duration::from_millis(1), hanging.next()).await.is_err());
        assert_eq!(permits.free(), free - 1);
        drop(hanging);
        assert_eq!(permits.free(), free);
    }
}
