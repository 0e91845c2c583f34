//! Bytes no vendor would send after a 200: the call ends by the rules, and nonsense is rejected.
//!
//! Random bytes, complete answers with errors, and complete answers in pieces of any length.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aludel_core::domain::ModelMetadata;
use aludel_core::error::Code;
use aludel_core::provider::transport::testing::Script;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::json;
use tokio::runtime::Builder;

use super::fault::PIECES;
use super::lab::{FinishedRun, Lab};
use super::stage::Actor;
use super::vendors::{MODEL, Vendor};

/// Cases per vendor, for each of the two sorts.
const CASES: u32 = 64;
/// Attempts to shrink a failing case.
const SHRINKS: u32 = 64;
const PROVIDERS: usize = (CASES + SHRINKS) as usize;

/// Longer than any call here, and well below the program's own limits.
const PATIENCE: Duration = Duration::from_secs(20);

/// A change to a complete answer.
#[derive(Debug, Clone)]
enum Change {
    Replace(Index, u8),
    Remove(Index, u8),
    Insert(Index, Vec<u8>),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Replace(at, byte)),
        (any::<Index>(), 1..40_u8).prop_map(|(at, length)| Change::Remove(at, length)),
        (any::<Index>(), prop::collection::vec(any::<u8>(), 1..8)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (any::<Index>(), "[0-9.e\\-]{1,20}").prop_map(|(at, digits)| Change::Insert(at, digits.into_bytes())),
    ];
    prop::collection::vec(change, 1..6)
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        if bytes.is_empty() {
            return bytes;
        }
        match change {
            Change::Replace(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Change::Remove(at, length) => {
                let at = at.index(bytes.len());
                bytes.drain(at..bytes.len().min(at + usize::from(*length)));
            }
            Change::Insert(at, more) => {
                let at = at.index(bytes.len());
                bytes.splice(at..at, more.iter().copied());
            }
        }
    }
    bytes
}

/// The bytes of a complete answer.
fn whole(vendor: Vendor) -> Vec<u8> {
    vendor.answer(MODEL, &PIECES).frames().flatten().copied().collect()
}

/// A provider per case, so that no breaker opens. All send the bytes set here.
struct NoiseProvider {
    vendor: Vendor,
    lab: Lab,
    said: Arc<Mutex<Script>>,
    next: AtomicUsize,
}

impl NoiseProvider {
    async fn open(vendor: Vendor) -> Self {
        let said = Arc::new(Mutex::new(Script::nothing()));
        let actor = |number: usize| {
            let said = Arc::clone(&said);
            let mut actor = Actor::new(format!("p{number}"), vendor)
                .playing(move |_| Some(said.lock().unwrap_or_else(PoisonError::into_inner).clone()));
            actor.max_retries = 0;
            actor
        };
        let actors = (0..PROVIDERS).map(actor).collect();
        Self { vendor, lab: Lab::open("", |_| actors).await, said, next: AtomicUsize::new(0) }
    }

    /// Sets the bytes to send, in pieces of this length.
    fn say(&self, bytes: &[u8], piece: usize) {
        let stream = Script::stream(self.vendor.stream_type());
        let script = bytes.chunks(piece.max(1)).fold(stream, Script::chunk).end();
        *self.said.lock().unwrap_or_else(PoisonError::into_inner) = script;
    }

    /// One call to a provider that was not called before.
    async fn ask(&self) -> Result<FinishedRun, String> {
        let provider = format!("p{}", self.next.fetch_add(1, Ordering::Relaxed) % PROVIDERS);
        let request = json!({"provider": provider, "count": 1, "phases": ["coagulatio"], "save": false});
        let ran = tokio::time::timeout(PATIENCE, self.lab.run(request)).await;
        ran.map_err(|_| "it hangs".to_owned())?
    }

    /// One call that is answered with these bytes, in pieces of this length.
    async fn check(&self, bytes: &[u8], piece: usize) -> Result<(), TestCaseError> {
        self.say(bytes, piece);
        let ran = self.ask().await.map_err(TestCaseError::fail)?;
        let Ok(result) = ran.result() else {
            let problem = ran.failure().map_err(TestCaseError::fail)?;
            // Noise is never an internal error.
            let is_the_providers = matches!(
                problem.code,
                Code::ProviderUnavailable | Code::ProviderRejected | Code::ProviderRateLimited | Code::ProviderAuth
            );
            prop_assert!(is_the_providers, "{}: {}", problem.code, problem.detail);
            prop_assert!(problem.detail.len() < 1200 && !problem.detail.contains('\0'), "{}", problem.detail);
            return Ok(());
        };
        prop_assert!(!result.prompts[0].content.trim().is_empty());
        let ModelMetadata { input_tokens, output_tokens, cost_usd, model, .. } = &result.model_metadata;
        prop_assert!(*input_tokens < 1_000_000_000 && *output_tokens < 1_000_000_000, "{:?}", result.model_metadata);
        prop_assert!(
            cost_usd.is_none_or(|cost| cost.is_finite() && (0.0..1_000_000.0).contains(&cost)),
            "{cost_usd:?}"
        );
        prop_assert!(model.len() < 300 && !model.contains(char::is_control), "{model:?}");
        Ok(())
    }
}

/// Runs the cases of one sort for every vendor, each with its own random numbers.
fn try_all<S: Strategy>(strategy: impl Fn(Vendor) -> S, bytes: impl Fn(Vendor, S::Value) -> (Vec<u8>, usize)) {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    for vendor in Vendor::ALL {
        let babel = runtime.block_on(NoiseProvider::open(vendor));
        let config = Config { cases: CASES, max_shrink_iters: SHRINKS, failure_persistence: None, ..Config::default() };
        let outcome = TestRunner::new(config).run(&strategy(vendor), |drawn| {
            let (bytes, piece) = bytes(vendor, drawn);
            runtime.block_on(babel.check(&bytes, piece))
        });
        outcome.unwrap_or_else(|why| panic!("{vendor:?}: {why}"));
    }
}

#[test]
fn random_bytes_are_an_error_and_never_more() {
    let strategy = |_| (prop::collection::vec(any::<u8>(), 0..600), 1..200_usize);
    try_all(strategy, |_, drawn| drawn);
}

#[test]
fn a_whole_answer_is_read_whatever_its_pieces() {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    for vendor in Vendor::ALL {
        let babel = runtime.block_on(NoiseProvider::open(vendor));
        let bytes = whole(vendor);
        for piece in [1, 2, 3, 5, 7, 64, 4096] {
            let content = runtime.block_on(async {
                babel.say(&bytes, piece);
                let ran = babel.ask().await.expect("a lawful run");
                ran.result().map(|result| result.prompts[0].content.clone())
            });
            assert_eq!(content.as_deref(), Ok(PIECES.concat().as_str()), "{vendor:?} in pieces of {piece}");
        }
    }
}

#[test]
fn an_answer_with_wrong_bytes_ends_well_or_in_an_error() {
    try_all(|_| (changes(), 1..400_usize), |vendor, (changes, piece)| (changed(whole(vendor), &changes), piece));
}
