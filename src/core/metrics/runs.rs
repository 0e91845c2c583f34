//! Counts runs by operation and outcome, and how long they took.
//!
//! A run is what a user starts: a batch is one run, however many prompts it generates.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use tokio::time::Instant;

use super::DURATION_BUCKETS;
use super::gauge::GaugeGuard;
use crate::domain::Operation;
use crate::event::EventKind;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabel {
    operation: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RunLabels {
    operation: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone)]
pub(super) struct RunFamilies {
    runs: Family<RunLabels, Counter>,
    in_progress: Family<OperationLabel, Gauge>,
    duration: Family<OperationLabel, Histogram, fn() -> Histogram>,
}

impl Default for RunFamilies {
    fn default() -> Self {
        Self {
            runs: Family::default(),
            in_progress: Family::default(),
            duration: Family::new_with_constructor(|| Histogram::new(DURATION_BUCKETS)),
        }
    }
}

impl RunFamilies {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "aludel_runs",
            "Runs that ended, by operation and outcome: finished, failed or cancelled",
            self.runs.clone(),
        );
        registry.register("aludel_runs_in_progress", "Runs that have not ended", self.in_progress.clone());
        let about = "From the start of a run to its last event";
        registry.register_with_unit("aludel_run_duration", about, Unit::Seconds, self.duration.clone());
    }
}

/// Counts one run. A run that is dropped before its last event counts as cancelled.
#[derive(Debug)]
pub struct RunCounter {
    families: RunFamilies,
    operation: &'static str,
    begun: Instant,
    outcome: &'static str,
    _in_progress: GaugeGuard,
}

impl RunCounter {
    pub(super) fn start(families: RunFamilies, operation: Operation) -> Self {
        let operation = operation.as_str();
        let in_progress = GaugeGuard::new(&families.in_progress.get_or_create(&OperationLabel { operation }));
        Self { families, operation, begun: Instant::now(), outcome: "cancelled", _in_progress: in_progress }
    }

    /// Notes an event of the run: the last one decides its outcome.
    pub fn note(&mut self, event: &EventKind) {
        match event {
            EventKind::Finished { .. } => self.outcome = "finished",
            EventKind::Failed { .. } => self.outcome = "failed",
            _ => {}
        }
    }
}

impl Drop for RunCounter {
    fn drop(&mut self) {
        let Self { families, operation, begun, outcome, .. } = self;
        families.runs.get_or_create(&RunLabels { operation, outcome }).inc();
        families.duration.get_or_create(&OperationLabel { operation }).observe(begun.elapsed().as_secs_f64());
    }
}
