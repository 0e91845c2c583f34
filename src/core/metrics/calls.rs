//! Counts calls to providers as they go out: retries, fallbacks, the judge's, embeddings.
//!
//! Every call ends with one outcome. One that is dropped, because its client left or a budget cut
//! it, counts as cancelled. Answers from the cache are no calls.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::sync::atomic::AtomicU64;
use tokio::time::Instant;

use super::DURATION_BUCKETS;
use super::gauge::GaugeGuard;
use crate::error::ProviderFailure;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ProviderLabel {
    provider: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    provider: String,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TokenLabels {
    provider: String,
    direction: &'static str,
}

/// US dollars.
type Dollars = Counter<f64, AtomicU64>;

#[derive(Debug, Clone)]
pub(super) struct CallFamilies {
    calls: Family<CallLabels, Counter>,
    duration: Family<ProviderLabel, Histogram, fn() -> Histogram>,
    in_progress: Family<ProviderLabel, Gauge>,
    waiting: Family<ProviderLabel, Gauge>,
    permits_in_use: Family<ProviderLabel, Gauge>,
    tokens: Family<TokenLabels, Counter>,
    cost: Family<ProviderLabel, Dollars>,
}

impl Default for CallFamilies {
    fn default() -> Self {
        Self {
            calls: Family::default(),
            duration: Family::new_with_constructor(|| Histogram::new(DURATION_BUCKETS)),
            in_progress: Family::default(),
            waiting: Family::default(),
            permits_in_use: Family::default(),
            tokens: Family::default(),
            cost: Family::default(),
        }
    }
}

impl CallFamilies {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "aludel_provider_calls",
            "Calls to a provider that ended, retries included, by outcome: ok, cancelled, or how they failed",
            self.calls.clone(),
        );
        let about = "From sending a call to the end of its answer";
        registry.register_with_unit("aludel_provider_call_duration", about, Unit::Seconds, self.duration.clone());
        let about = "Calls to a provider that were sent and have not ended";
        registry.register("aludel_provider_calls_in_progress", about, self.in_progress.clone());
        let about = "Calls that wait for a permit of their provider or of the process";
        registry.register("aludel_provider_calls_waiting", about, self.waiting.clone());
        let about = "Permits to call a provider that are taken";
        registry.register("aludel_provider_permits_in_use", about, self.permits_in_use.clone());
        let about = "Tokens of answered calls, by direction: input or output";
        registry.register("aludel_tokens", about, self.tokens.clone());
        let about = "US dollars that answered calls cost, as far as their price is known";
        registry.register("aludel_cost_usd", about, self.cost.clone());
    }
}

/// The counters of one provider. Clones share them.
#[derive(Debug, Clone)]
pub struct CallCounter {
    families: CallFamilies,
    provider: String,
}

impl CallCounter {
    pub(super) fn new(families: CallFamilies, provider: &str) -> Self {
        Self { families, provider: provider.to_owned() }
    }

    /// Counts a call that waits for its permit.
    pub fn waiting(&self) -> GaugeGuard {
        GaugeGuard::new(&self.families.waiting.get_or_create(&self.label()))
    }

    /// Counts a permit that is taken.
    pub fn permit(&self) -> GaugeGuard {
        GaugeGuard::new(&self.families.permits_in_use.get_or_create(&self.label()))
    }

    /// Counts a call that is sent now.
    pub fn call(&self) -> CallInProgress {
        let in_progress = GaugeGuard::new(&self.families.in_progress.get_or_create(&self.label()));
        CallInProgress { counter: self.clone(), begun: Instant::now(), outcome: "cancelled", _in_progress: in_progress }
    }

    fn label(&self) -> ProviderLabel {
        ProviderLabel { provider: self.provider.clone() }
    }

    fn count(&self, outcome: &'static str, took: Duration) {
        self.families.calls.get_or_create(&CallLabels { provider: self.provider.clone(), outcome }).inc();
        self.families.duration.get_or_create(&self.label()).observe(took.as_secs_f64());
    }

    fn count_tokens(&self, direction: &'static str, tokens: u64) {
        self.families.tokens.get_or_create(&TokenLabels { provider: self.provider.clone(), direction }).inc_by(tokens);
    }
}

/// Counts one call that was sent, when it is dropped.
#[derive(Debug)]
pub struct CallInProgress {
    counter: CallCounter,
    begun: Instant,
    outcome: &'static str,
    _in_progress: GaugeGuard,
}

impl CallInProgress {
    /// The time since it was sent.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Notes how the call ended: answered, or with this failure.
    pub fn ended(&mut self, failure: Option<ProviderFailure>) {
        self.outcome = failure.map_or("ok", outcome);
    }

    /// Counts the tokens of its answer, and its cost in US dollars if that is known.
    pub fn used(&self, input_tokens: u64, output_tokens: u64, cost_usd: Option<f64>) {
        self.counter.count_tokens("input", input_tokens);
        self.counter.count_tokens("output", output_tokens);
        // A counter never falls, and a sum with something that is no number would stay none.
        if let Some(cost) = cost_usd.filter(|cost| cost.is_finite() && *cost >= 0.0) {
            self.counter.families.cost.get_or_create(&self.counter.label()).inc_by(cost);
        }
    }
}

impl Drop for CallInProgress {
    fn drop(&mut self) {
        self.counter.count(self.outcome, self.elapsed());
    }
}

const fn outcome(failure: ProviderFailure) -> &'static str {
    match failure {
        ProviderFailure::Unavailable => "unavailable",
        ProviderFailure::Auth => "auth",
        ProviderFailure::RateLimited => "rate_limited",
        ProviderFailure::QuotaExhausted => "quota_exhausted",
        ProviderFailure::Rejected => "rejected",
        ProviderFailure::Refused => "refused",
        ProviderFailure::Timeout => "timeout",
        // The ledger's failures come before a call is sent.
        ProviderFailure::Budget | ProviderFailure::CallLogFailed => "cancelled",
    }
}
