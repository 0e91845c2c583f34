//! Caps hold over scripted faults, with retries, at any concurrency; how each end of a call counts.

use std::num::NonZeroUsize;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::join_all;
use proptest::prelude::*;

use super::*;
use crate::ledger::{Account, Caps, Labels, Tally, Tier};
use crate::provider::checked::Checked;
use crate::provider::complete;
use crate::provider::permit::Permit;
use crate::provider::retry::{Jitter, Retry, RetryPolicy};
use crate::provider::sim::testing::{judge_request, request, sim};
use crate::provider::sim::{JournalEntry, Sim};
use crate::provider::timeout::{Timeout, Timeouts};
use crate::text::tokens;

fn price(input: f64, output: f64) -> Price {
    Price { input, output, ..Price::FREE }
}

/// The ledger over a script, with the script's price.
fn metered(sim: &Sim) -> Metered {
    let terms = CostBounds { price: sim.price(), ..CostBounds::default() };
    let checked = Arc::new(Checked::new(Arc::new(sim.clone())));
    let timed = Arc::new(Timeout::new(checked, Timeouts::default()));
    Metered::new(timed, Arc::new(move |_| terms))
}

/// The layers as the registry stacks them.
fn stack(sim: &Sim, concurrency: usize, max_retries: u32) -> Retry {
    let limited = Permit::new(Arc::new(metered(sim)), NonZeroUsize::new(concurrency).unwrap());
    let policy = RetryPolicy { max_retries, ..RetryPolicy::default() };
    Retry::new(Arc::new(limited), policy, Arc::new(Jitter::new(1)))
}

fn account(budget: Option<f64>, calls: Option<u64>, assumed: Option<Price>) -> Account {
    let caps = Caps { budget: budget.map(Money::from_dollars_down), calls, assumed_price: assumed };
    Account::open(caps, Labels::default(), None)
}

fn paid_by(account: &Account, variant: u32, max_tokens: u32) -> ChatRequest {
    ChatRequest { max_tokens: Some(max_tokens), account: account.clone(), ..request(variant) }
}

const PRICED: &str = "{answer: {words: 50}, price: {input: 1.0, output: 10.0}}";

/// The worst case of [`paid_by`] at the price of [`PRICED`].
fn worst(request: &ChatRequest) -> Money {
    most(&price(1.0, 10.0), most_input_tokens(request), u64::from(request.max_tokens.unwrap()))
}

async fn tally_after(script: &str) -> (Tally, Money) {
    let account = account(Some(1.0), None, None);
    let asked = paid_by(&account, 0, 100);
    let worst = worst(&asked);
    let _ended = tokio::time::timeout(Duration::from_hours(1), complete(&metered(&sim(script)), asked)).await.unwrap();
    (account.tally(), worst)
}

fn with_fault(fault: &str) -> String {
    format!("{{answer: {{words: 50}}, price: {{input: 1.0, output: 10.0}}, rules: [{{fault: {fault}}}]}}")
}

/// A provider without a default model.
struct Modelless;

impl Provider for Modelless {
    fn name(&self) -> &'static str {
        "modelless"
    }

    fn default_model(&self) -> &'static str {
        ""
    }

    fn stream(&self, _request: ChatRequest) -> ChunkStream {
        let error = ProviderError::new("modelless", ProviderFailure::Rejected, "no model is set; it has a, b");
        Box::pin(futures_util::stream::once(async { Err(error) }))
    }
}

#[tokio::test]
async fn without_a_model_nobody_is_asked_and_no_price_is_missed() {
    let account = account(Some(1.0), None, None);
    let metered = Metered::new(Arc::new(Modelless), Arc::new(|_| CostBounds::default()));
    let error = complete(&metered, paid_by(&account, 0, 100)).await.unwrap_err();
    assert!(error.message.contains("it has a, b"), "{error}");
    assert_eq!(account.tally(), Tally::default());
}

#[tokio::test(start_paused = true)]
async fn an_answer_counts_as_what_it_cost() {
    let account = account(Some(1.0), None, None);
    let (_, completion) = complete(&metered(&sim(PRICED)), paid_by(&account, 0, 100)).await.unwrap();
    let cost = Money::from_dollars_up(completion.cost_usd.unwrap());
    assert!(cost > Money::ZERO);
    assert_eq!(account.tally(), Tally { calls: 1, spent: cost, reserved: Money::ZERO });
}

#[tokio::test(start_paused = true)]
async fn a_refusal_with_a_status_is_a_call_that_costs_nothing() {
    for fault in ["rate_limit", "server_error", "auth", "quota", "rejected", "too_long"] {
        let (tally, _) = tally_after(&with_fault(fault)).await;
        assert_eq!(tally, Tally { calls: 1, ..Tally::default() }, "{fault}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_end_nobody_saw_counts_as_its_worst_case() {
    for fault in
        ["cut", "hang", "{kind: hang, after_chunks: 2}", "empty", "refusal", "{kind: server_error, after_chunks: 2}"]
    {
        let (tally, worst) = tally_after(&with_fault(fault)).await;
        assert_eq!(tally, Tally { calls: 1, spent: worst, reserved: Money::ZERO }, "{fault}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_counts_as_its_worst_case_and_one_that_never_began_as_nothing() {
    let account = account(Some(1.0), None, None);
    let metered = metered(&sim(PRICED));
    let asked = paid_by(&account, 0, 100);
    let worst = worst(&asked);
    drop(metered.stream(asked.clone()));
    assert_eq!(account.tally(), Tally::default());
    let mut answer = metered.stream(asked);
    assert!(matches!(answer.next().await, Some(Ok(Chunk::Text(_)))));
    assert_eq!(account.tally(), Tally { calls: 1, spent: Money::ZERO, reserved: worst });
    drop(answer);
    assert_eq!(account.tally(), Tally { calls: 1, spent: worst, reserved: Money::ZERO });
}

#[tokio::test(start_paused = true)]
async fn a_call_is_settled_before_its_last_chunk_is_read() {
    let account = account(None, None, None);
    let mut answer =
        metered(&sim("{answer: {text: hello}, price: {input: 1.0, output: 1.0}}")).stream(paid_by(&account, 0, 100));
    while let Some(chunk) = answer.next().await {
        if matches!(chunk, Ok(Chunk::Done(_))) {
            assert_eq!(account.tally().reserved, Money::ZERO);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_price_is_refused_under_a_budget_and_nothing_is_sent() {
    let sim = sim("answer: {words: 50}");
    let refused = complete(&metered(&sim), paid_by(&account(Some(1.0), None, None), 0, 100)).await.unwrap_err();
    assert_eq!(refused.failure, ProviderFailure::Budget);
    assert!(refused.message.contains("`sim-1`") && refused.message.contains("assume_price"), "{refused}");
    assert_eq!(sim.asked(), 0);
    assert!(
        complete(&metered(&sim), paid_by(&account(None, Some(1), None), 0, 100)).await.is_ok(),
        "no cap in dollars"
    );
}

#[tokio::test(start_paused = true)]
async fn an_assumed_price_stands_in_for_an_unknown_one_alone() {
    let unpriced = sim("{answer: {words: 50}, usage: {input_tokens: 1000, output_tokens: 500}}");
    let assuming = account(Some(1.0), None, Some(price(2.0, 2.0)));
    let (_, completion) = complete(&metered(&unpriced), paid_by(&assuming, 0, 1000)).await.unwrap();
    assert_eq!(completion.cost_usd, None, "what is assumed is not told as a cost");
    assert_eq!(assuming.tally().spent, most(&price(2.0, 2.0), 1000, 500));
    let priced = account(Some(1.0), None, Some(price(200.0, 200.0)));
    let (_, completion) = complete(&metered(&sim(PRICED)), paid_by(&priced, 0, 100)).await.unwrap();
    assert_eq!(priced.tally().spent, Money::from_dollars_up(completion.cost_usd.unwrap()));
}

#[tokio::test(start_paused = true)]
async fn without_a_limit_of_tokens_the_models_own_bounds_the_answer() {
    let unlimited = |account: &Account| ChatRequest { max_tokens: None, ..paid_by(account, 0, 1) };
    let sim = sim(PRICED);
    let unbounded = account(Some(1.0), None, None);
    let refused = complete(&metered(&sim), unlimited(&unbounded)).await.unwrap_err();
    assert!(refused.failure == ProviderFailure::Budget && refused.message.contains("nothing bounds"), "{refused}");
    let terms = CostBounds { price: sim.price(), max_output: Some(200), ..CostBounds::default() };
    let bounded = Metered::new(Arc::new(sim.clone()), Arc::new(move |_| terms));
    assert!(complete(&bounded, unlimited(&unbounded)).await.is_ok());
}

#[test]
fn the_worst_case_takes_the_lower_bound_of_the_answer_and_the_dearest_price() {
    let terms = |price, max_output| CostBounds { price: Some(price), max_output, ..CostBounds::default() };
    let dollars = |case: WorstCase| (case.amount().unwrap().dollars() * 1e6).round() / 1e6;
    let plain = terms(price(1.0, 10.0), Some(1000));
    assert_eq!(dollars(plain.worst_case(2000, Some(100))).to_bits(), 0.003_f64.to_bits());
    assert_eq!(dollars(plain.worst_case(2000, Some(9000))).to_bits(), 0.012_f64.to_bits());
    let cached = Price { cache_write: 1.25, cached_input: 0.1, ..price(1.0, 10.0) };
    assert_eq!(dollars(terms(cached, None).worst_case(1000, Some(0))).to_bits(), 0.00125_f64.to_bits());
    let long = Tier { input: 2.0, output: 15.0, cached_input: 2.0, cache_write: 2.0 };
    let tiered = Price { above: Some((200_000, long)), ..price(1.0, 10.0) };
    assert_eq!(dollars(terms(tiered, None).worst_case(1000, Some(1000))).to_bits(), 0.011_f64.to_bits());
    assert_eq!(dollars(terms(tiered, None).worst_case(300_000, Some(1000))).to_bits(), 0.615_f64.to_bits());
    assert_eq!(CostBounds::default().worst_case(1, Some(1)), WorstCase::UnknownPrice);
    assert_eq!(CostBounds::EMBEDDED.worst_case(1, None), WorstCase::Most(Money::ZERO));
}

#[test]
fn no_request_has_more_tokens_than_its_bound() {
    for request in [request(0), judge_request("über 海 🦀", "\u{0}\n\t")] {
        let estimated: u64 = request.messages.iter().map(|message| tokens::estimate(&message.content)).sum();
        assert!(estimated < most_input_tokens(&request));
    }
    let bare = request(0);
    let with_schema = ChatRequest { response_schema: Some(serde_json::json!({"type": "object"})), ..bare.clone() };
    assert_eq!(most_input_tokens(&with_schema), most_input_tokens(&bare) + 17 + SCHEMA_OVERHEAD);
}

#[tokio::test(start_paused = true)]
async fn many_that_reserve_much_and_cost_little_all_go_through() {
    // 64 at once, each of which may cost a tenth of the budget, and costs a thousandth.
    let sim = sim("{answer: {words: 1}, pacing: {first_token_ms: 50}, price: {input: 0.0, output: 1000.0}}");
    let account = account(Some(1.0), None, None);
    let provider = stack(&sim, 64, 0);
    let calls = (0..64).map(|variant| complete(&provider, paid_by(&account, variant, 100)));
    let answers = tokio::time::timeout(Duration::from_mins(5), join_all(calls)).await.expect("all of them end");
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(account.tally().calls, 64);
    assert!(sim.peak_in_flight() >= 9, "{} at once", sim.peak_in_flight());
}

/// A generated run.
#[derive(Debug, Clone)]
struct Case {
    seed: u64,
    concurrency: usize,
    max_retries: u32,
    variants: u32,
    words: u32,
    input: f64,
    output: f64,
    budget: Option<f64>,
    calls: Option<u64>,
}

fn case(concurrency: usize) -> impl Strategy<Value = Case> {
    let prices = (0.0_f64..20.0, 0.0_f64..100.0);
    let caps = (prop::option::of(0.0_f64..0.05), prop::option::of(0_u64..120));
    (any::<u64>(), 0_u32..4, 1_u32..80, 1_u32..200, prices, caps).prop_map(
        move |(seed, max_retries, variants, words, (input, output), (budget, calls))| Case {
            seed,
            concurrency,
            max_retries,
            variants,
            words,
            input,
            output,
            budget,
            calls,
        },
    )
}

impl Case {
    const FREE_OF_CHARGE: [usize; 2] = [0, 1];

    fn script(&self) -> String {
        let Self { seed, words, input, output, .. } = self;
        format!(
            "seed: {seed}\nanswer: {{words: {words}}}\nprice: {{input: {input}, output: {output}}}\n\
             pacing: {{first_token_ms: 20, tokens_per_s: 1000}}\nrules:\n  - {{probability: 0.1, fault: rate_limit}}\n  \
             - {{probability: 0.1, fault: server_error}}\n  - {{probability: 0.1, fault: cut}}\n  \
             - {{probability: 0.05, fault: {{kind: hang, after_chunks: 3}}}}\n  - {{probability: 0.05, fault: empty}}\n"
        )
    }

    fn request(&self, account: &Account, variant: u32) -> ChatRequest {
        let _ = self;
        paid_by(account, variant, 1 + variant * 7 % 150)
    }

    fn worst(&self, request: &ChatRequest) -> Money {
        most(&price(self.input, self.output), most_input_tokens(request), u64::from(request.max_tokens.unwrap()))
    }

    /// What a vendor can charge for a call: nothing for a refusal with a status, its usage for an
    /// answer, and the worst case for anything in between.
    fn charge(&self, entry: &JournalEntry) -> Money {
        match entry.rule {
            Some(rule) if Self::FREE_OF_CHARGE.contains(&rule) => Money::ZERO,
            Some(_) => self.worst(&entry.request),
            None => {
                let sent: u64 = entry.request.messages.iter().map(|message| tokens::estimate(&message.content)).sum();
                let received = entry.request.max_tokens.unwrap().min(self.words);
                Money::from_dollars_up((sent as f64 * self.input + f64::from(received) * self.output) / 1e6)
            }
        }
    }

    async fn run(&self) {
        let sim = sim(&self.script());
        let provider = stack(&sim, self.concurrency, self.max_retries);
        let account = account(self.budget, self.calls, None);
        let calls = (0..self.variants).map(|variant| complete(&provider, self.request(&account, variant)));
        let all = futures_util::stream::iter(calls).buffer_unordered(self.concurrency).collect::<Vec<_>>();
        let ends = tokio::time::timeout(Duration::from_hours(100), all).await.expect("nobody waits for ever");
        let Tally { calls, spent, reserved } = account.tally();

        assert_eq!(calls, sim.asked());
        assert!(calls <= self.calls.unwrap_or(u64::MAX), "{calls} calls");
        let charged: Money = sim.journal().iter().map(|entry| self.charge(entry)).sum();
        let budget = self.budget.map_or(Money::MAX, Money::from_dollars_down);
        assert!(charged <= budget, "{charged} of {budget}");
        assert_eq!((spent, reserved), (charged, Money::ZERO));
        // And no cap stopped what it did not have to.
        let is_stopped =
            |end: &Result<_, ProviderError>| matches!(end, Err(error) if error.failure == ProviderFailure::Budget);
        if ends.iter().any(is_stopped) && Some(calls) != self.calls {
            let dearest = (0..self.variants).map(|variant| self.worst(&self.request(&account, variant))).max().unwrap();
            assert!(spent + dearest > budget, "{spent} spent, and {dearest} would have fitted in {budget}");
        }
        if self.budget.is_none() && self.calls.is_none() {
            assert!(!ends.iter().any(is_stopped));
        }
    }
}

fn never_passed(concurrency: usize) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) };
    proptest!(config, |(case in case(concurrency))| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(case.run());
    });
}

#[test]
fn no_cap_is_passed_at_a_concurrency_of_1() {
    never_passed(1);
}

#[test]
fn no_cap_is_passed_at_a_concurrency_of_4() {
    never_passed(4);
}

#[test]
fn no_cap_is_passed_at_a_concurrency_of_16() {
    never_passed(16);
}

#[test]
fn no_cap_is_passed_at_a_concurrency_of_64() {
    never_passed(64);
}

/// The same in real time on real threads, with callers that give up at any point.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_cap_is_passed_on_many_threads_and_those_who_give_up_block_nobody() {
    let sim = sim(
        "{answer: {words: 20}, pacing: {first_token_ms: 1}, price: {input: 0.0, output: 100.0}, rules: [{probability: 0.1, fault: cut}]}",
    );
    // 0.01 at most for a call, 0.002 in truth.
    let budget = 0.2;
    let account = account(Some(budget), Some(150), None);
    let provider = Arc::new(stack(&sim, 64, 2));
    let tasks: Vec<_> = (0..256_u32)
        .map(|variant| {
            let (provider, asked) = (Arc::clone(&provider), paid_by(&account, variant, 100));
            tokio::spawn(async move {
                let patience = if variant % 5 == 0 { Duration::from_millis(1) } else { Duration::from_mins(1) };
                tokio::time::timeout(patience, complete(provider.as_ref(), asked)).await.is_ok()
            })
        })
        .collect();
    let ended = tokio::time::timeout(Duration::from_mins(1), join_all(tasks)).await.expect("nobody waits for ever");
    assert!(ended.iter().enumerate().all(|(at, ended)| at % 5 == 0 || *ended.as_ref().unwrap()));
    let Tally { calls, spent, reserved } = account.tally();
    assert_eq!((calls, reserved), (sim.asked(), Money::ZERO));
    assert!(calls <= 150 && spent <= Money::from_dollars_down(budget), "{calls} calls, {spent}");
    assert!(calls == 150 || spent + Money::from_dollars_up(0.01) > Money::from_dollars_down(budget));
}
