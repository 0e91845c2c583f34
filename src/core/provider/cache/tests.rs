//! What is answered from the cache, what is cached, and what equal concurrent requests do.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use proptest::prelude::*;

use super::*;
use crate::domain::{ProviderKind, Timestamp};
use crate::error::ProviderError;
use crate::provider::retry::{Jitter, Retry, RetryPolicy};
use crate::provider::route::{Route, Target};
use crate::provider::sim::Sim;
use crate::provider::sim::testing::{judge_request, request, sim};
use crate::provider::{Brief, complete};
use crate::time::{Clock, from_millis};

/// A manual clock.
#[derive(Default)]
struct ManualClock(AtomicI64);

impl ManualClock {
    fn pass(&self, time: Duration) {
        self.0.fetch_add(i64::try_from(time.as_millis()).unwrap(), Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        from_millis(self.0.load(Ordering::Relaxed))
    }
}

/// An in-memory store that counts.
#[derive(Default)]
struct StoreInMemory {
    kept: Mutex<HashMap<AnswerKey, (CacheNamespace, Arc<CachedAnswer>)>>,
    looked_up: AtomicI64,
}

impl AnswerStore for StoreInMemory {
    fn get(&self, key: &AnswerKey) -> Option<CachedAnswer> {
        self.looked_up.fetch_add(1, Ordering::Relaxed);
        self.kept.lock().unwrap().get(key).map(|(_, answer)| CachedAnswer::clone(answer))
    }

    fn put(&self, namespace: CacheNamespace, _: NamespaceLimits, key: AnswerKey, answer: Arc<CachedAnswer>) {
        self.kept.lock().unwrap().insert(key, (namespace, answer));
    }

    fn close(&self) {}
}

const HOUR: Duration = Duration::from_hours(1);

fn policy() -> CachePolicy {
    let limits = NamespaceLimits { ttl: HOUR, max_entries: 1000 };
    CachePolicy { namespace: CacheNamespace::Generation, limits, accepts: |_, _| true }
}

fn answers() -> Arc<AnswerCache> {
    Arc::new(AnswerCache::new(Arc::new(ManualClock::default())))
}

fn cache_over(inner: Arc<dyn Provider>, answers: &Arc<AnswerCache>) -> Cache {
    let source = Source {
        provider: inner.name().into(),
        kind: ProviderKind::Sim,
        base_url: None,
        headers: Vec::new(),
        model: None,
        script: None,
    };
    Cache::new(inner, source, policy(), Arc::clone(answers))
}

fn cache(sim: &Sim) -> Cache {
    cache_over(Arc::new(sim.clone()), &answers())
}

async fn is_cached(cache: &Cache, request: ChatRequest) -> Result<bool, ProviderError> {
    complete(cache, request).await.map(|(_, completion)| completion.cached)
}

#[tokio::test(start_paused = true)]
async fn an_equal_request_is_answered_with_the_same_text_at_once_and_for_nothing() {
    let sim = sim(
        "{answer: {words: 40}, pacing: {first_token_ms: 300, tokens_per_s: 20}, price: {input: 3, output: 15}, usage: {input_tokens: 12, output_tokens: 40}}",
    );
    let cache = cache(&sim);
    let (text, first) = complete(&cache, request(0)).await.unwrap();
    assert!(!first.cached && first.cost_usd > Some(0.0));
    let start = Instant::now();
    let (again, second) = complete(&cache, request(0)).await.unwrap();
    assert_eq!((again, sim.asked(), start.elapsed()), (text, 1, Duration::ZERO));
    assert_eq!((second.provider, second.model, second.usage), (first.provider, first.model, first.usage));
    assert_eq!((second.cost_usd, second.latency, second.retries), (Some(0.0), Duration::ZERO, 0));
    let (_, third) = complete(&cache, request(0)).await.unwrap();
    let metadata = third.metadata();
    assert_eq!((metadata.cached, metadata.calls, metadata.cost_usd), (true, 0, Some(0.0)));
    assert_eq!((metadata.input_tokens, metadata.output_tokens), (12, 40));
}

#[tokio::test]
async fn another_request_is_asked_for_itself() {
    let sim = sim("answer: echo");
    let cache = cache(&sim);
    let requests = [
        request(0),
        request(1),
        judge_request("a", "b"),
        judge_request("b", "a"),
        ChatRequest { temperature: None, ..request(0) },
        ChatRequest { max_tokens: Some(50), ..request(0) },
        ChatRequest { model: Some("sim-2".into()), ..request(0) },
    ];
    for round in [false, true] {
        for request in &requests {
            assert_eq!(is_cached(&cache, request.clone()).await, Ok(round));
        }
    }
    assert_eq!(sim.asked(), 7);
}

#[tokio::test]
async fn an_answer_ages_and_one_from_the_future_has_no_age() {
    let sim = sim("answer: echo");
    let clock = Arc::new(ManualClock::default());
    let answers = Arc::new(AnswerCache::new(Arc::clone(&clock) as _).with_store(Arc::new(StoreInMemory::default())));
    let cache = cache_over(Arc::new(sim.clone()), &answers);
    assert_eq!(is_cached(&cache, request(0)).await, Ok(false));
    clock.pass(Duration::from_millis(3_599_999));
    assert_eq!(is_cached(&cache, request(0)).await, Ok(true));
    clock.pass(Duration::from_millis(1));
    assert_eq!(is_cached(&cache, request(0)).await, Ok(false), "memory and store hold it, and it is too old");
    assert_eq!(is_cached(&cache, request(0)).await, Ok(true));
    clock.0.store(0, Ordering::Relaxed);
    assert_eq!(is_cached(&cache, request(0)).await, Ok(false));
}

#[tokio::test(start_paused = true)]
async fn errors_and_half_answers_are_never_kept() {
    for fault in ["auth", "cut", "refusal", "rejected", "server_error", "{kind: cut, after_chunks: 0}"] {
        let sim = sim(&format!("{{answer: {{words: 60}}, rules: [{{times: 1, fault: {fault}}}]}}"));
        let cache = cache(&sim);
        assert!(is_cached(&cache, request(0)).await.is_err(), "{fault}");
        assert_eq!(is_cached(&cache, request(0)).await, Ok(false), "{fault}");
        assert_eq!(is_cached(&cache, request(0)).await, Ok(true), "{fault}");
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_is_too_long_or_cannot_be_read_is_not_kept() {
    let cut = sim("answer: {words: 100}");
    let short = ChatRequest { max_tokens: Some(10), ..request(0) };
    let endless = sim("{answer: {text: '{input}'}, pacing: {chunk_chars: 65536}}");
    let mut long = request(0);
    let Brief::Phase(brief) = &mut long.brief else { unreachable!() };
    brief.input = "x".repeat(LONGEST_TEXT + 1);
    for (sim, request) in [(cut, short), (endless, long)] {
        let cache = cache(&sim);
        assert_eq!(is_cached(&cache, request.clone()).await, Ok(false));
        assert_eq!(is_cached(&cache, request).await, Ok(false));
        assert_eq!(sim.asked(), 2);
    }
    let sim = sim("{answer: {text: '{\"a\": 1}'}, rules: [{times: 1, fault: malformed}]}");
    let cache = Cache { policy: CachePolicy { accepts: |_, text| text.ends_with('}'), ..policy() }, ..cache(&sim) };
    for expected in [false, false, true] {
        assert_eq!(is_cached(&cache, request(0)).await, Ok(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn the_text_before_a_retry_is_no_part_of_the_answer() {
    let sim = sim("{answer: {words: 30}, rules: [{times: 2, fault: {kind: cut, after_chunks: 3}}]}");
    let retry = Retry::new(Arc::new(sim.clone()), RetryPolicy::default(), Arc::new(Jitter::new(1)));
    let cache = cache_over(Arc::new(retry), &answers());
    let (first, completion) = complete(&cache, request(0)).await.unwrap();
    assert_eq!(completion.retries, 2);
    let (second, completion) = complete(&cache, request(0)).await.unwrap();
    assert_eq!((second, completion.retries, completion.cached), (first, 0, true));
}

#[tokio::test(start_paused = true)]
async fn what_a_fallback_answered_is_not_kept() {
    let down = Sim::from_yaml("down", "rules: [{times: 1, fault: auth}]").unwrap();
    let spare = Sim::from_yaml("spare", "answer: {text: saved}").unwrap();
    let route = Route::new(Target::new(Arc::new(down.clone())), [Target::new(Arc::new(spare.clone()))]);
    let cache = cache_over(Arc::new(route), &answers());
    let (_, completion) = complete(&cache, request(0)).await.unwrap();
    assert_eq!(completion.fallback_from.as_deref(), Some("down"));
    assert_eq!(is_cached(&cache, request(0)).await, Ok(false), "the binding is asked again");
    assert_eq!(is_cached(&cache, request(0)).await, Ok(true));
    assert_eq!((down.asked(), spare.asked()), (2, 1));
}

/// Warns once per call, like the layer below when it leaves out a parameter.
struct Warns(Sim);

impl Provider for Warns {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn default_model(&self) -> &str {
        self.0.default_model()
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let warning = futures_util::stream::iter([Ok(Chunk::Warning("`temperature` was left out".into()))]);
        Box::pin(warning.chain(self.0.stream(request)))
    }
}

#[tokio::test]
async fn a_warning_is_told_again_with_the_answer_it_came_with() {
    let cache = cache_over(Arc::new(Warns(sim("answer: {text: hello}"))), &answers());
    for cached in [false, true] {
        let chunks: Vec<_> = cache.stream(request(0)).map(Result::unwrap).collect().await;
        assert_eq!(chunks[..2], [Chunk::Warning("`temperature` was left out".into()), Chunk::Text("hello".into())]);
        assert!(matches!(&chunks[2..], [Chunk::Done(completion)] if completion.cached == cached));
    }
}

#[tokio::test]
async fn namespaces_do_not_crowd_each_other_out() {
    let sim = sim("answer: echo");
    let answers = answers();
    let narrow =
        |namespace| CachePolicy { namespace, limits: NamespaceLimits { ttl: HOUR, max_entries: 1 }, ..policy() };
    let generation =
        Cache { policy: narrow(CacheNamespace::Generation), ..cache_over(Arc::new(sim.clone()), &answers) };
    let judge = Cache { policy: narrow(CacheNamespace::Judge), ..cache_over(Arc::new(sim.clone()), &answers) };
    assert_eq!(is_cached(&generation, request(0)).await, Ok(false));
    for (a, b) in [("a", "b"), ("b", "a"), ("a", "c")] {
        assert_eq!(is_cached(&judge, judge_request(a, b)).await, Ok(false));
    }
    assert_eq!(is_cached(&generation, request(0)).await, Ok(true));
    assert_eq!(is_cached(&generation, request(1)).await, Ok(false));
    assert_eq!(is_cached(&generation, request(0)).await, Ok(false), "one entry, and another one took its place");
}

#[tokio::test]
async fn what_one_process_kept_another_finds_in_the_store() {
    let sim = sim("answer: echo");
    let store = Arc::new(StoreInMemory::default());
    let process = || Arc::new(AnswerCache::new(Arc::new(ManualClock::default())).with_store(Arc::clone(&store) as _));
    let first = cache_over(Arc::new(sim.clone()), &process());
    let (text, _) = complete(&first, request(0)).await.unwrap();
    let second = cache_over(Arc::new(sim.clone()), &process());
    let (found, completion) = complete(&second, request(0)).await.unwrap();
    assert_eq!((found, completion.cached, sim.asked()), (text, true, 1));
    assert!(store.kept.lock().unwrap().values().all(|(namespace, _)| *namespace == CacheNamespace::Generation));
    let looked_up = store.looked_up.load(Ordering::Relaxed);
    complete(&second, request(0)).await.unwrap();
    assert_eq!(store.looked_up.load(Ordering::Relaxed), looked_up, "then it is in memory");
}

#[tokio::test(start_paused = true)]
async fn of_equal_requests_at_once_one_is_sent() {
    let sim = sim("{answer: {words: 30}, pacing: {first_token_ms: 200, tokens_per_s: 100}}");
    let cache = cache(&sim);
    let start = Instant::now();
    let answers = join_all((0..64).map(|number| complete(&cache, request(number % 2)))).await;
    let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    assert_eq!((sim.asked(), answers.iter().filter(|(_, completion)| !completion.cached).count()), (2, 2));
    let took = start.elapsed();
    for (number, (text, completion)) in answers.iter().enumerate() {
        assert_eq!(text, &answers[number % 2].0);
        assert!(completion.latency <= took);
    }
}

#[tokio::test(start_paused = true)]
async fn when_the_first_fails_each_of_the_others_asks_for_itself() {
    let sim = sim("{answer: {text: hello}, pacing: {first_token_ms: 100}, rules: [{times: 1, fault: auth}]}");
    let cache = cache(&sim);
    let answers = join_all((0..5).map(|_| is_cached(&cache, request(0)))).await;
    assert!(answers[0].is_err());
    assert_eq!(answers[1..], [Ok(false), Ok(false), Ok(false), Ok(false)]);
    assert_eq!(sim.asked(), 5);
    assert_eq!(is_cached(&cache, request(0)).await, Ok(true));
}

#[tokio::test(start_paused = true)]
async fn when_the_first_is_dropped_or_shows_no_life_the_second_asks_for_itself() {
    for drops in [true, false] {
        let sim = sim("{answer: {text: hello}, rules: [{times: 1, fault: {kind: hang, after_chunks: 1}}]}");
        let cache = cache(&sim);
        let mut first = cache.stream(request(0));
        assert!(matches!(first.next().await, Some(Ok(Chunk::Text(_)))));
        let start = Instant::now();
        let mut second = Box::pin(is_cached(&cache, request(0)));
        assert!(second.as_mut().now_or_never().is_none(), "it waits");
        let first = (!drops).then_some(first);
        assert_eq!(second.await, Ok(false));
        assert_eq!(start.elapsed(), if drops { Duration::ZERO } else { flight::STALL });
        drop(first);
        assert_eq!(is_cached(&cache, request(0)).await, Ok(true));
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_first_is_waited_for_while_it_shows_life() {
    let sim = sim("{answer: {words: 20}, pacing: {chunk_ms: 50000, chunk_chars: 8}}");
    let cache = cache(&sim);
    let (first, second) = futures_util::join!(is_cached(&cache, request(0)), is_cached(&cache, request(0)));
    assert_eq!((first, second, sim.asked()), (Ok(false), Ok(true), 1));
}

#[tokio::test]
async fn a_stream_that_is_never_polled_holds_nobody_up() {
    let sim = sim("answer: {text: hello}");
    let cache = cache(&sim);
    let idle = cache.stream(request(0));
    assert_eq!(is_cached(&cache, request(0)).await, Ok(false));
    drop(idle);
}

/// A caller: how long it waits before it asks, what for, and when it gives up.
type Caller = (u64, u32, Option<u64>);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whoever_comes_and_goes_nobody_hangs_and_every_text_is_the_right_one(
        callers in proptest::collection::vec((0_u64..400, 0_u32..2, proptest::option::of(0_u64..400)), 1..12),
        failing in proptest::collection::vec(1_u32..6, 1..3),
    ) {
        let sim = sim(&format!(
            "{{answer: {{text: 'the answer to {{variant}}'}}, pacing: {{first_token_ms: 50, chunk_chars: 4, chunk_ms: 20}}, \
             rules: [{{nth: {failing:?}, fault: {{kind: cut, after_chunks: 1}}}}]}}"
        ));
        let cache = cache(&sim);
        let call = |(wait, variant, patience): Caller| {
            let cache = &cache;
            async move {
                tokio::time::sleep(Duration::from_millis(wait)).await;
                let patience = Duration::from_millis(patience.unwrap_or(3_600_000));
                (variant, tokio::time::timeout(patience, complete(cache, request(variant))).await)
            }
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let ended = runtime.block_on(join_all(callers.iter().copied().map(call)));
        let mut fresh = 0_u64;
        for (variant, end) in ended {
            if let Ok(Ok((text, completion))) = end {
                prop_assert_eq!(text, format!("the answer to {variant}"));
                fresh += u64::from(!completion.cached);
            }
        }
        prop_assert!(fresh <= sim.asked());
        prop_assert_eq!(sim.in_flight(), 0);
        for variant in 0..2 {
            // Callers that gave up left no entry in flight.
            let (text, _) = runtime.block_on(async {
                loop {
                    if let Ok(answer) = complete(&cache, request(variant)).await {
                        break answer;
                    }
                }
            });
            prop_assert_eq!(text, format!("the answer to {variant}"));
        }
    }
}
