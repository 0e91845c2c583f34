//! Storms of refusals: providers that take so many calls a second, or at once, and refuse the others
//! without a word on when to come back. On a paused clock.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_stream::stream;
use futures_util::StreamExt;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::error::{ProviderError, ProviderFailure};
use crate::ledger::Account;
use crate::provider::permit::Permit;
use crate::provider::retry::{Jitter, Retry, RetryPolicy};
use crate::provider::sim::testing::{request, sim};
use crate::provider::{ChatRequest, Chunk, ChunkStream, Provider, complete};

/// What a provider takes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Takes {
    /// A call every so often, and so many at once after a pause.
    Evenly { per_second: f64, burst: f64 },
    /// So many in each whole second of its clock.
    InEachSecond(u32),
    /// So many in any second.
    InAnySecond(usize),
    /// So many at once.
    AtOnce(usize),
}

/// A provider that answers after about `latency`, and refuses after a tenth of that.
#[derive(Clone)]
struct Limited {
    takes: Arc<Mutex<Takes>>,
    latency: Duration,
    began: Instant,
    jitter: Arc<Jitter>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// When calls were taken.
    taken: VecDeque<Instant>,
    held: f64,
    last: Option<Instant>,
    under_way: usize,
    refused: u64,
}

impl Limited {
    fn new(takes: Takes, latency: Duration, seed: u64) -> Self {
        Self {
            takes: Arc::new(Mutex::new(takes)),
            latency,
            began: Instant::now(),
            jitter: Arc::new(Jitter::new(seed)),
            state: Arc::default(),
        }
    }

    fn take(&self) -> bool {
        let (now, mut state) = (Instant::now(), self.state.lock().unwrap());
        let is_taken = match *self.takes.lock().unwrap() {
            Takes::Evenly { per_second, burst } => {
                let gained = state.last.map_or(burst, |last| (now - last).as_secs_f64() * per_second);
                state.held = (state.held + gained).min(burst);
                state.last = Some(now);
                let is_taken = state.held >= 1.0 - 1e-9;
                state.held -= f64::from(u8::from(is_taken));
                is_taken
            }
            Takes::InEachSecond(most) => {
                let second = |at: Instant| (at - self.began).as_secs();
                state.taken.iter().filter(|at| second(**at) == second(now)).count() < most as usize
            }
            Takes::InAnySecond(most) => {
                state.taken.iter().filter(|at| now - **at < Duration::from_secs(1)).count() < most
            }
            Takes::AtOnce(most) => state.under_way < most,
        };
        if is_taken {
            state.taken.push_back(now);
            state.under_way += 1;
            if state.taken.len() > 100 {
                state.taken.pop_front();
            }
        } else {
            state.refused += 1;
        }
        is_taken
    }

    fn refused(&self) -> u64 {
        self.state.lock().unwrap().refused
    }
}

impl Provider for Limited {
    fn name(&self) -> &'static str {
        "limited"
    }

    fn default_model(&self) -> &'static str {
        "model"
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let (this, mut answer) = (self.clone(), sim("answer: {text: hello}").stream(request));
        Box::pin(stream! {
            if !this.take() {
                tokio::time::sleep(this.latency / 10).await;
                yield Err(ProviderError::new("limited", ProviderFailure::RateLimited, "too many requests"));
                return;
            }
            let latency = this.latency.mul_f64(0.75 + this.jitter.next_fraction() / 2.0);
            tokio::time::sleep(latency / 3).await;
            yield Ok(Chunk::Text(String::new()));
            tokio::time::sleep(latency * 2 / 3).await;
            this.state.lock().unwrap().under_way -= 1;
            while let Some(chunk) = answer.next().await {
                yield chunk;
            }
        })
    }
}

/// The layers that wait for turns, around a provider that gets so many calls at once.
fn stack(limited: &Limited, at_once: usize, max_retries: u32) -> Arc<Retry> {
    let permit = Permit::new(Arc::new(limited.clone()), NonZeroUsize::new(at_once).unwrap());
    let policy = RetryPolicy { max_retries, ..RetryPolicy::default() };
    Arc::new(Retry::new(Arc::new(permit), policy, Arc::new(Jitter::new(5))))
}

/// Makes `calls` patient calls, so many under way. Returns how many seconds they took.
async fn storm(provider: &Arc<Retry>, calls: u32, under_way: usize) -> f64 {
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for number in 0..calls {
        if tasks.len() == under_way {
            tasks.join_next().await.unwrap().unwrap();
        }
        let provider = Arc::clone(provider);
        tasks.spawn(async move {
            let account = Account::default().patient(Duration::from_mins(10));
            let answer = complete(&*provider, ChatRequest { account, ..request(number) }).await;
            assert!(answer.is_ok(), "call {number}: {answer:?}");
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.unwrap();
    }
    began.elapsed().as_secs_f64()
}

const LATENCIES: [(u64, usize); 5] = [(5, 16), (20, 16), (100, 16), (20, 64), (500, 64)];

#[tokio::test(start_paused = true)]
async fn a_provider_that_takes_fifty_a_second_gets_fifty_a_second_whatever_its_clock() {
    const CALLS: u32 = 1_000;
    for takes in [
        Takes::Evenly { per_second: 50.0, burst: 1.0 },
        Takes::Evenly { per_second: 50.0, burst: 10.0 },
        Takes::Evenly { per_second: 50.0, burst: 50.0 },
        Takes::InEachSecond(50),
        Takes::InAnySecond(50),
    ] {
        for (latency, at_once) in LATENCIES {
            let limited = Limited::new(takes, Duration::from_millis(latency), latency);
            let took = storm(&stack(&limited, at_once, 0), CALLS, 2 * at_once).await;
            let refused = limited.refused();
            let best = f64::from(CALLS) / 50.0;
            assert!(took <= 1.25 * best, "{took} s for {best} s: {takes:?}, {latency} ms, {at_once} at once");
            assert!(refused <= u64::from(CALLS), "{refused} refusals: {takes:?}, {latency} ms, {at_once} at once");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_provider_is_waited_for_and_seldom_asked_in_vain() {
    for (latency, at_once) in LATENCIES {
        let takes = Takes::Evenly { per_second: 2.0, burst: 1.0 };
        let limited = Limited::new(takes, Duration::from_millis(latency), latency);
        let took = storm(&stack(&limited, at_once, 0), 400, 2 * at_once).await;
        let refused = limited.refused();
        assert!(took <= 1.25 * 200.0, "{took} s, {latency} ms, {at_once} at once");
        assert!(refused <= 800, "{refused} refusals, {latency} ms, {at_once} at once");
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_takes_six_at_once_gets_about_six() {
    for (latency, at_once) in [(20, 16), (100, 16), (500, 64)] {
        let limited = Limited::new(Takes::AtOnce(6), Duration::from_millis(latency), latency);
        let took = storm(&stack(&limited, at_once, 0), 2_000, 2 * at_once).await;
        let refused = limited.refused();
        let best = 2_000.0 * latency as f64 / 1e3 / 6.0;
        assert!(took <= 1.3 * best, "{took} s for {best} s: {latency} ms, {at_once} at once");
        assert!(refused <= 500, "{refused} refusals: {latency} ms, {at_once} at once");
    }
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_falls_and_rises_again_is_followed() {
    let rate = |per_second| Takes::Evenly { per_second, burst: per_second };
    let limited = Limited::new(rate(50.0), Duration::from_millis(50), 3);
    let provider = stack(&limited, 16, 0);
    for (per_second, most) in [(50.0, 1.25), (5.0, 1.25), (50.0, 4.0)] {
        *limited.takes.lock().unwrap() = rate(per_second);
        let took = storm(&provider, 500, 32).await;
        assert!(took <= most * 500.0 / per_second, "{took} s at {per_second} a second");
    }
}

#[tokio::test(start_paused = true)]
async fn the_patience_ends() {
    let limited = Limited::new(Takes::AtOnce(0), Duration::from_millis(50), 3);
    let provider = stack(&limited, 16, 2);
    let began = Instant::now();
    let patient = |patience| ChatRequest { account: Account::default().patient(patience), ..request(0) };
    let error = complete(&*provider, patient(Duration::from_mins(10))).await.unwrap_err();
    let took = began.elapsed();
    assert!((570..660).contains(&took.as_secs()), "{took:?}");
    assert_eq!(error.failure, ProviderFailure::RateLimited);
    assert!(limited.refused() <= 1_000, "{}", limited.refused());
    let (before, began) = (limited.refused(), Instant::now());
    complete(&*provider, patient(Duration::ZERO)).await.unwrap_err();
    assert_eq!(limited.refused() - before, 3);
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
}
