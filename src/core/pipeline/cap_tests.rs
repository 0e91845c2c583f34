//! Property tests of caps over 500 random runs: a cap is never exceeded and buys whole prompts.
//!
//! The provider keeps its own bill of every request and every word it sends. The oracle is simple
//! arithmetic over that bill; it shares with the ledger only the rule that a request is bounded by
//! its bytes and an answer by its limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::assets::{Assets, strategy_for};
use crate::domain::{Phase, TargetFamily, TokenUsage};
use crate::error::Code;
use crate::event::EventKind;
use crate::ids::SeededIds;
use crate::ledger::{Account, CallLog, Caps, Labels, Money, Price};
use crate::prompting;
use crate::provider::metered::{CostBounds, Metered};
use crate::provider::permit::Permit;
use crate::provider::{Brief, ChatRequest, Chunk, ChunkStream, Completion, PhaseBrief, Provider};
use crate::rank::Weights;
use crate::store::sqlite::SqliteStore;
use crate::store::{Store, StoreCallLog};
use crate::text::tokens;
use crate::time::FixedClock;

const INPUT: &str = "Write a note about 3 rivers";

/// A random run.
#[derive(Debug, Clone)]
struct Case {
    count: u32,
    phases: usize,
    /// US dollars per million input and output tokens.
    prices: (f64, f64),
    limit: u32,
    /// Lengths of the answers in percent of the limit, indexed by variant and phase.
    lengths: Vec<u32>,
    concurrency: usize,
    permits: usize,
    /// Percent of what all variants may cost.
    budget: Option<u32>,
    /// Percent of the calls of all variants.
    calls: Option<u32>,
}

fn case(longest: u32) -> impl Strategy<Value = Case> {
    let run = (1_u32..14, 1_usize..=3, (0.5_f64..5.0, 1.0_f64..40.0), 20_u32..160);
    let world = (prop::collection::vec(1_u32..=longest, 1..40), 1_usize..=64, 1_usize..=64);
    let caps = (prop::option::weighted(0.8, 0_u32..130), prop::option::weighted(0.5, 0_u32..130));
    (run, world, caps).prop_map(|((count, phases, prices, limit), (lengths, concurrency, permits), (budget, calls))| {
        Case { count, phases, prices, limit, lengths, concurrency, permits, budget, calls }
    })
}

/// Answers with the case's number of one-token words whatever the limit, and keeps its own bill.
struct Server {
    case: Case,
    /// In billionths of a dollar.
    bill: Arc<AtomicU64>,
    calls: Arc<AtomicU64>,
}

/// A text of one-token words.
fn words(count: u32, variant: u32) -> String {
    let word = |number: u32| format!("w{}", char::from(b'a' + u8::try_from((number + variant) % 26).unwrap()));
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

impl Case {
    fn phases(&self) -> &'static [Phase] {
        &Phase::ALL[..self.phases]
    }

    fn price(&self) -> Price {
        let (input, output) = self.prices;
        Price { input, output, cached_input: input, cache_write: input, ..Price::FREE }
    }

    fn length(&self, variant: u32, phase: usize) -> u32 {
        let percent = self.lengths[(variant as usize * 7 + phase * 3) % self.lengths.len()];
        (self.limit * percent / 100).max(1)
    }

    fn is_overlong(&self, variant: u32) -> bool {
        (0..self.phases).any(|phase| self.length(variant, phase) > self.limit)
    }

    /// The charge for these tokens, in billionths of a dollar.
    fn nanos(&self, input: u64, output: u64) -> u64 {
        let (of_input, of_output) = self.prices;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and positive")]
        let nanos = ((input as f64 * of_input + output as f64 * of_output) * 1e3).ceil() as u64;
        nanos
    }

    fn brief(&self, variant: u32, phase: usize, draft: &str) -> PhaseBrief {
        PhaseBrief {
            phase: self.phases()[phase],
            phases: self.phases().to_vec(),
            persona: "generic".into(),
            strategy: strategy_for(variant).to_owned(),
            target: TargetFamily::Generic,
            variant,
            original_input: INPUT.into(),
            input: draft.to_owned(),
            context: Vec::new(),
        }
    }

    fn request(&self, assets: &Assets, variant: u32, phase: usize, draft: &str) -> ChatRequest {
        prompting::phase_request(assets, &self.brief(variant, phase, draft), None, None, None).unwrap()
    }

    /// The largest charge for a phase: bytes in, the limit out.
    fn worst(&self, assets: &Assets, variant: u32, phase: usize) -> u64 {
        let draft = if phase == 0 { INPUT } else { "" };
        let messages = self.request(assets, variant, phase, draft).messages;
        let bytes: u64 = messages.iter().map(|message| message.content.len() as u64 + 16).sum();
        let draft = if phase == 0 { 0 } else { u64::from(self.limit) * 4 };
        self.nanos(64 + bytes + draft, u64::from(self.limit)) + 1
    }

    /// The actual charge for a phase.
    fn charge(&self, assets: &Assets, variant: u32, phase: usize) -> u64 {
        let draft = if phase == 0 { INPUT.to_owned() } else { words(self.length(variant, phase - 1), variant) };
        let messages = self.request(assets, variant, phase, &draft).messages;
        let input = messages.iter().map(|message| tokens::estimate(&message.content)).sum();
        self.nanos(input, u64::from(self.length(variant, phase)))
    }

    fn caps(&self, chains: &[Vec<u64>]) -> (Option<u64>, Option<u64>) {
        let all: u64 = chains.iter().flatten().sum();
        let calls = u64::from(self.count) * self.phases as u64;
        (
            self.budget.map(|percent| all * u64::from(percent) / 100),
            self.calls.map(|percent| calls * u64::from(percent) / 100),
        )
    }

    fn chains(&self, assets: &Assets) -> Vec<Vec<u64>> {
        let chain = |variant| (0..self.phases).map(|phase| self.worst(assets, variant, phase)).collect();
        (0..self.count).map(chain).collect()
    }

    /// How many variants a serial run would finish, and its charge.
    fn serial(&self, assets: &Assets, chains: &[Vec<u64>], budget: Option<u64>, calls: Option<u64>) -> (usize, u64) {
        let (mut whole, mut spent, mut made) = (0, 0, 0);
        for variant in 0..self.count {
            let worst: u64 = chains[variant as usize].iter().sum();
            let fits =
                spent + worst <= budget.unwrap_or(u64::MAX) && made + self.phases as u64 <= calls.unwrap_or(u64::MAX);
            if fits {
                whole += 1;
                made += self.phases as u64;
                spent += (0..self.phases).map(|phase| self.charge(assets, variant, phase)).sum::<u64>();
            }
        }
        (whole, spent)
    }
}

impl Provider for Server {
    fn name(&self) -> &'static str {
        "server"
    }

    fn default_model(&self) -> &'static str {
        "s-1"
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let (case, bill, calls) = (self.case.clone(), Arc::clone(&self.bill), Arc::clone(&self.calls));
        Box::pin(async_stream::stream! {
            let Brief::Phase(brief) = &request.brief else { panic!("nobody judges here") };
            let phase = case.phases().iter().position(|phase| *phase == brief.phase).unwrap();
            let input: u64 = request.messages.iter().map(|message| tokens::estimate(&message.content)).sum();
            let length = case.length(brief.variant, phase);
            let text = words(length, brief.variant);
            calls.fetch_add(1, Ordering::SeqCst);
            bill.fetch_add(case.nanos(input, 0), Ordering::SeqCst);
            let mut sent = 0;
            for (number, word) in text.split(' ').enumerate() {
                if number % 16 == 0 {
                    tokio::time::sleep(Duration::from_millis(1 + u64::from(brief.variant % 5))).await;
                }
                // Charged when written, even if no one reads it.
                sent += 1;
                bill.fetch_add(case.nanos(input, sent) - case.nanos(input, sent - 1), Ordering::SeqCst);
                yield Ok(Chunk::Text(if number == 0 { word.to_owned() } else { format!(" {word}") }));
            }
            yield Ok(Chunk::Done(Completion {
                provider: "server".into(),
                model: "s-1".into(),
                usage: TokenUsage { input_tokens: input, output_tokens: u64::from(length), estimated: false },
                cost_usd: Some(case.nanos(input, u64::from(length)) as f64 / 1e9),
                latency: Duration::ZERO,
                first_token: None,
                retries: 0,
                fallback_from: None,
                truncated: false,
                cached: false,
            }));
        })
    }
}

/// A server's bill and its number of calls.
struct Site {
    bill: Arc<AtomicU64>,
    calls: Arc<AtomicU64>,
    provider: Arc<dyn Provider>,
}

impl Site {
    fn of(case: &Case) -> Self {
        let (bill, calls) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let server = Server { case: case.clone(), bill: Arc::clone(&bill), calls: Arc::clone(&calls) };
        let terms = CostBounds { price: Some(case.price()), ..CostBounds::default() };
        let metered = Metered::new(Arc::new(server), Arc::new(move |_| terms));
        let permits = std::num::NonZeroUsize::new(case.permits).unwrap();
        Self { bill, calls, provider: Arc::new(Permit::new(Arc::new(metered), permits)) }
    }
}

/// The result of a run.
struct Came {
    whole: usize,
    /// Variants that were started and not finished.
    cut: usize,
    not_begun: usize,
}

async fn run(case: &Case, chains: &[Vec<u64>], site: &Site, account: Account) -> Came {
    let bind = |phase: &Phase| PhaseBinding {
        phase: *phase,
        provider: Arc::clone(&site.provider),
        model: None,
        temperature: 0.7,
        max_tokens: case.limit,
    };
    let ids = Arc::new(SeededIds::new(1));
    let folder = std::env::temp_dir();
    let ports = Ports {
        // Nothing is stored, so this is never opened.
        store: Arc::new(SqliteStore::open(folder.join("aludel-is-never-opened.db"))),
        assets: Arc::new(Assets::new(None)),
        clock: Arc::new(FixedClock::ticking_from(1_700_000_000_000)),
        ids: ids.clone(),
        afterwards: Arc::new(|_, _| Box::new(|| {})),
        save_aside: Arc::new(|_, _| panic!("nothing is to be kept")),
    };
    let money = |steps: &Vec<u64>| steps.iter().map(|nanos| Money::from_nanos(*nanos)).collect();
    let allowance = Allowance { variants: chains.iter().map(money).collect(), ..Allowance::default() };
    let plan = Plan {
        parent: None,
        slots: None,
        session_id: crate::ids::IdSource::session(&*ids),
        begun_at: crate::time::from_millis(1_700_000_000_000),
        input: INPUT.into(),
        count: case.count,
        phases: case.phases().iter().map(bind).collect(),
        strategies: crate::assets::STRATEGIES.map(str::to_owned).to_vec(),
        gaps: 0,
        persona: "generic".into(),
        tags: Vec::new(),
        context: Vec::new(),
        target: TargetFamily::Generic,
        save: false,
        judge: None,
        timeout: None,
        concurrency: case.concurrency,
        ranking_weights: Weights::default(),
        warnings: Vec::new(),
        account: account.clone(),
        allowance: account.is_capped().then_some(allowance),
        journal: None,
        earlier: Vec::new(),
        taken: crate::ledger::Need::default(),
    };
    let mut run = start(plan, ports);
    let mut came = Came { whole: 0, cut: 0, not_begun: 0 };
    let mut last = None;
    while let Some(event) = run.next().await {
        match &event.kind {
            EventKind::VariantFinished { .. } => came.whole += 1,
            EventKind::VariantFailed { phase, error, .. } => {
                assert_eq!(error.code, Code::BudgetExceeded, "{}", error.detail);
                let is_begun = phase.is_some();
                came.cut += usize::from(is_begun);
                came.not_begun += usize::from(!is_begun);
            }
            _ => {}
        }
        last = Some(event.kind);
    }
    match last {
        Some(EventKind::Finished { outcome }) => {
            assert_eq!(outcome.generation().expect("a generation").prompts.len(), came.whole);
        }
        Some(EventKind::Failed { error }) => {
            assert_eq!(error.code, Code::BudgetExceeded, "{}", error.detail);
            if came.cut + came.not_begun == 0 {
                assert!(error.detail.contains("to at least"), "{}", error.detail);
                came.not_begun = case.count as usize;
            }
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(came.whole + came.cut + came.not_begun, case.count as usize);
    came
}

async fn in_one_process(case: Case) {
    let assets = Assets::new(None);
    let chains = case.chains(&assets);
    let (budget, calls) = case.caps(&chains);
    let site = Site::of(&case);
    let caps = Caps { budget: budget.map(Money::from_nanos), calls, assumed_price: None };
    let account = Account::open(caps, Labels::default(), None);
    let work = run(&case, &chains, &site, account.clone());
    let came = tokio::time::timeout(Duration::from_hours(10), work).await.expect("nobody waits for ever");
    let (bill, made) = (site.bill.load(Ordering::SeqCst), site.calls.load(Ordering::SeqCst));
    assert!(bill <= budget.unwrap_or(u64::MAX), "{bill} of {budget:?} charged");
    assert!(made <= calls.unwrap_or(u64::MAX), "{made} of {calls:?} calls");
    let tally = account.tally();
    assert!(tally.spent.nanos() >= bill && tally.reserved == Money::ZERO && tally.calls == made, "{tally:?} {bill}");

    let (serial, _) = case.serial(&assets, &chains, budget, calls);
    let keeps_to_limit = (0..case.count).all(|variant| !case.is_overlong(variant));
    if keeps_to_limit {
        assert_eq!(came.cut, 0, "what is begun becomes whole");
        assert!(came.whole.abs_diff(serial) <= 1, "{} whole, {serial} one after the other", came.whole);
        assert_eq!(made, (came.whole * case.phases) as u64, "every call is one of a whole prompt");
    } else {
        // Only variants with overlong answers can be cut; all others that started are whole.
        let overlong = (0..case.count).filter(|variant| case.is_overlong(*variant)).count();
        assert!(came.cut <= overlong, "{} cut, {overlong} too long", came.cut);
        assert!(budget.is_some() || came.cut == 0, "nothing is cut without a budget");
    }
}

fn in_worlds(cases: u32, longest: u32, check: impl Fn(Case) -> std::pin::Pin<Box<dyn Future<Output = ()>>>) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    proptest!(config, |(case in case(longest))| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(check(case));
    });
}

#[test]
fn a_cap_buys_as_many_whole_prompts_side_by_side_as_one_after_the_other() {
    in_worlds(300, 100, |case| Box::pin(in_one_process(case)));
}

#[test]
fn a_cap_is_not_passed_by_answers_that_are_longer_than_their_limit() {
    in_worlds(200, 600, |case| Box::pin(in_one_process(case)));
}

/// Two processes under one daily cap, as two call logs over two connections to one file.
async fn in_two_processes(mut case: Case) {
    // The order of requests decides which variants are made, so make them alike to fix the number.
    case.lengths.truncate(1);
    let assets = Assets::new(None);
    let chains = case.chains(&assets);
    let Some(cap) = case.caps(&chains).0.map(|cap| cap * 2) else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    let stores = [(); 2].map(|()| Arc::new(SqliteStore::open(&path)) as Arc<dyn Store>);
    let site = Site::of(&case);
    let account = |store: &Arc<dyn Store>| {
        let clock = Arc::new(FixedClock::ticking_from(1_790_000_000_000));
        let ids = Arc::new(crate::ids::SystemIds);
        let call_log = StoreCallLog::new(Arc::clone(store), clock, ids, Some(Money::from_nanos(cap)));
        Account::open(Caps::default(), Labels::default(), Some(Arc::new(call_log) as Arc<dyn CallLog>))
    };
    let [first, second] = [account(&stores[0]), account(&stores[1])];
    let both = futures_util::future::join(run(&case, &chains, &site, first), run(&case, &chains, &site, second));
    let (first, second) = both.await;
    let bill = site.bill.load(Ordering::SeqCst);
    assert!(bill <= cap, "{bill} of {cap} charged");
    let whole = first.whole + second.whole;
    let overlong = (0..case.count).any(|variant| case.is_overlong(variant));
    if !overlong {
        assert_eq!(first.cut + second.cut, 0, "what is begun becomes whole");
        // Both make the same variants in the same order.
        let (mut serial, mut spent) = (0_usize, 0);
        for variant in (0..case.count).flat_map(|variant| [variant, variant]) {
            if spent + chains[variant as usize].iter().sum::<u64>() <= cap {
                serial += 1;
                spent += (0..case.phases).map(|phase| case.charge(&assets, variant, phase)).sum::<u64>();
            }
        }
        assert!(whole.abs_diff(serial) <= 1, "{whole} whole, {serial} one after the other");
    }
    for store in stores {
        store.close().await.unwrap();
    }
    let reopened = SqliteStore::open(&path);
    let day = crate::time::from_millis(1_790_000_000_000);
    let counted = crate::store::SpendStore::counted_on(&reopened, day).await.unwrap().nanos();
    assert!(counted >= bill && counted <= cap.max(bill), "{counted} written down, {bill} charged, cap {cap}");
}

#[test]
fn the_cap_of_a_day_buys_whole_prompts_in_two_processes() {
    in_worlds(24, 100, |case| Box::pin(in_two_processes(case)));
}

#[test]
fn the_cap_of_a_day_is_not_passed_by_answers_that_are_longer_than_their_limit() {
    in_worlds(12, 500, |case| Box::pin(in_two_processes(case)));
}
