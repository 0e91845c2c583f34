//! Servers that ignore the token limit, under caps: what is extended, what is cut, and the cost.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use proptest::prelude::*;

use super::*;
use crate::ledger::{Account, Caps, Labels, Tally};
use crate::provider::metered::{CostBounds, Metered, most_input_tokens};
use crate::provider::permit::Permit;
use crate::provider::sim::Sim;
use crate::provider::sim::testing::{request, sim};
use crate::provider::{Brief, Chunk, ChunkStream, Provider, complete};

/// 5,000 tokens where a hundred are asked, some of them a millisecond, at the price of [`price`].
const OVERLONG: &str = "{answer: {words: 5000}, pacing: {first_token_ms: 5, tokens_per_s: 1000}, \
                        price: {input: 1.0, output: 10.0}, rules: [{fault: overlong}]}";

fn price() -> Price {
    Price { input: 1.0, output: 10.0, ..Price::FREE }
}

fn account(budget: Option<f64>) -> Account {
    let caps = Caps { budget: budget.map(Money::from_dollars_down), ..Caps::default() };
    Account::open(caps, Labels::default(), None)
}

fn paid_by(account: &Account, variant: u32) -> ChatRequest {
    ChatRequest { max_tokens: Some(100), account: account.clone(), ..request(variant) }
}

fn limited(script: &str, concurrency: usize) -> Permit {
    limited_to(Arc::new(sim(script)), concurrency)
}

fn limited_to(server: Arc<dyn Provider>, concurrency: usize) -> Permit {
    let terms = CostBounds { price: Some(price()), ..CostBounds::default() };
    let metered = Metered::new(server, Arc::new(move |_| terms));
    Permit::new(Arc::new(metered), NonZeroUsize::new(concurrency).unwrap())
}

/// What a server sends, and what it charges.
struct Billing {
    inner: Sim,
    sent: Arc<Mutex<BTreeMap<Option<u32>, String>>>,
}

impl Billing {
    fn of(script: &str) -> Self {
        Self { inner: sim(script), sent: Arc::default() }
    }

    fn bill(&self) -> Money {
        let asked = request(0);
        let input: u64 = asked.messages.iter().map(|message| tokens::estimate(&message.content)).sum();
        let sent = self.sent.lock().unwrap();
        sent.values().map(|text| Money::from_dollars_up(price().most(input, tokens::estimate(text)))).sum()
    }
}

impl Provider for Billing {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn default_model(&self) -> &str {
        self.inner.default_model()
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let variant = match &request.brief {
            Brief::Phase(brief) => Some(brief.variant),
            Brief::Judge(_) => None,
        };
        let sent = Arc::clone(&self.sent);
        Box::pin(self.inner.stream(request).inspect(move |chunk| {
            if let Ok(Chunk::Text(text)) = chunk {
                sent.lock().unwrap().entry(variant).or_default().push_str(text);
            }
        }))
    }
}

async fn never_passed(concurrency: usize) {
    let account = account(Some(0.1));
    let server = Arc::new(Billing::of(OVERLONG));
    let provider = limited_to(Arc::clone(&server) as Arc<dyn Provider>, concurrency);
    let calls = (0..64).map(|variant| complete(&provider, paid_by(&account, variant)));
    let all: Vec<_> = futures_util::stream::iter(calls).buffer_unordered(concurrency).collect().await;
    let bill = server.bill();
    let Tally { spent, reserved, .. } = account.tally();
    assert!(bill <= spent, "{bill} charged, {spent} written down");
    assert!(spent <= Money::from_dollars_down(0.1), "{spent}");
    assert_eq!(reserved, Money::ZERO);
    let whole = all.iter().filter(|answer| answer.is_ok()).count();
    assert!(concurrency > 1 || whole == 1, "alone, the first answer has what the budget leaves: {whole}");
    let failures = all.into_iter().filter_map(Result::err).filter(|error| !error.never_sent);
    let mut cut = failures.peekable();
    assert!(cut.peek().is_some());
    for error in cut {
        assert_eq!(error.failure, ProviderFailure::Budget);
        let words = ["`sim-1` ignores the limit of 100 tokens", "budget of $0.10", "`budget_usd` to at least $"];
        assert!(words.iter().all(|word| error.message.contains(word)), "{error}");
        assert!(!error.is_retryable());
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ignores_the_limit_passes_no_cap_at_any_concurrency() {
    for concurrency in [1, 2, 4, 16, 64] {
        never_passed(concurrency).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_outruns_its_reservation_is_paid_for_from_what_the_caps_leave() {
    let account = account(Some(1.0));
    let provider = limited(OVERLONG, 1);
    let (text, completion) = complete(&provider, paid_by(&account, 0)).await.unwrap();
    assert_eq!((tokens::estimate(&text), completion.usage.output_tokens), (5000, 5000));
    let cost = Money::from_dollars_up(completion.cost_usd.unwrap());
    assert_eq!(account.tally(), Tally { calls: 1, spent: cost, reserved: Money::ZERO });
}

#[tokio::test(start_paused = true)]
async fn without_a_cap_in_dollars_nothing_is_cut() {
    let account = Account::open(Caps { calls: Some(1), ..Caps::default() }, Labels::default(), None);
    assert!(complete(&limited(OVERLONG, 1), paid_by(&account, 0)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_keeps_to_its_limit_is_not_cut_when_the_budget_is_exactly_its_worst_case() {
    for chunk_chars in [1, 3, 16, 400] {
        let script = format!(
            "{{answer: {{words: 100}}, pacing: {{chunk_chars: {chunk_chars}}}, price: {{input: 1.0, output: 10.0}}}}"
        );
        let worst = price().most(most_input_tokens(&paid_by(&account(None), 0)), 100);
        let account = account(Some(worst + 2e-9));
        let answer = complete(&limited(&script, 1), paid_by(&account, 0)).await;
        assert!(answer.is_ok_and(|(text, _)| tokens::estimate(&text) == 100), "{chunk_chars}");
    }
}

/// Thinks forever, a word at a time.
struct EndlessThinker;

impl Provider for EndlessThinker {
    fn name(&self) -> &'static str {
        "brooding"
    }

    fn default_model(&self) -> &'static str {
        "b-1"
    }

    fn stream(&self, _request: ChatRequest) -> ChunkStream {
        let words = std::iter::repeat_with(|| Ok(Chunk::Thinking("well ".into())));
        Box::pin(futures_util::stream::iter(words))
    }
}

#[tokio::test(start_paused = true)]
async fn reasoning_counts_as_what_comes() {
    let terms = CostBounds { price: Some(price()), ..CostBounds::default() };
    let metered = Metered::new(Arc::new(EndlessThinker), Arc::new(move |_| terms));
    let account = account(Some(0.01));
    let ended = tokio::time::timeout(Duration::from_mins(1), complete(&metered, paid_by(&account, 0))).await.unwrap();
    assert_eq!(ended.unwrap_err().failure, ProviderFailure::Budget);
    assert!(account.tally().spent <= Money::from_dollars_down(0.01), "{:?}", account.tally());
}

#[test]
fn a_long_word_is_counted_once_however_it_comes() {
    let mut arrived = ArrivedTokens::default();
    for _ in 0..100_000 {
        arrived.push("a");
        assert!(arrived.pending.len() <= LONGEST_PENDING, "what is counted anew has no end");
    }
    assert!((14_000..20_000).contains(&arrived.count()), "{}", arrived.count());
}

proptest! {
    /// The counts of the pieces add up to that of the whole text.
    #[test]
    fn pieces_count_as_much_as_their_text(
        text in "[a-z]{1,12}( [a-z,.]{1,12}){0,30}",
        cuts in prop::collection::vec(1_usize..9, 1..20),
    ) {
        let mut arrived = ArrivedTokens::default();
        let (mut rest, mut cuts) = (text.as_str(), cuts.iter().cycle());
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.len().min(*cuts.next().unwrap()));
            arrived.push(piece);
            rest = after;
        }
        prop_assert_eq!(arrived.count(), tokens::estimate(&text));
    }
}
