//! Counts what this process does: runs, calls to providers, tokens, money.
//!
//! Parts of the core report to a [`Metrics`] of their engine as things happen; nothing here is
//! stored or sent. A face that publishes them [registers](Metrics::register) them once with a
//! registry of its own, under names that follow the Prometheus conventions (base units, `_total`
//! for counters). Labels are bounded: operations, outcomes, and the providers of the configuration.

mod calls;
mod gauge;
mod runs;

use prometheus_client::registry::Registry;

use crate::domain::Operation;
pub use calls::{CallCounter, CallInProgress};
pub use gauge::GaugeGuard;
pub use runs::RunCounter;

/// Upper bounds of the buckets for durations, in seconds: from a local read to a long run.
pub const DURATION_BUCKETS: [f64; 18] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0];

/// The counters of one engine. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Metrics {
    runs: runs::RunFamilies,
    calls: calls::CallFamilies,
}

impl Metrics {
    /// Adds every metric to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        self.runs.register(registry);
        self.calls.register(registry);
    }

    /// Counts a run of this operation that starts now.
    pub fn run(&self, operation: Operation) -> RunCounter {
        RunCounter::start(self.runs.clone(), operation)
    }

    /// The counters of the calls to a provider.
    pub fn calls_to(&self, provider: &str) -> CallCounter {
        CallCounter::new(self.calls.clone(), provider)
    }
}
