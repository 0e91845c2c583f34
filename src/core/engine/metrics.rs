//! What an engine counts, for a face that publishes it. See [`crate::metrics`].
//!
//! Runs are counted where they start, calls where they are sent. What the engine merely knows, such
//! as its limits and its kept jobs, is read when it is asked for.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use super::Engine;
use crate::domain::{Operation, SessionId};
use crate::error::Result;
use crate::event::Outcome;
use crate::event::run::Run;
use crate::pipeline::{self, Reporter};

impl Engine {
    /// Adds all metrics of this engine to `registry`. Their names begin with `aludel_`.
    pub fn register_metrics(&self, registry: &mut Registry) {
        self.inner.registry.metrics().register(registry);
        registry.register_collector(Box::new(EngineState(self.clone())));
    }

    /// Starts work that counts as a run of this operation.
    pub(super) fn counted(
        &self,
        operation: Operation,
        start: impl FnOnce() -> Run + Send + 'static,
    ) -> Box<dyn FnOnce() -> Run + Send> {
        let metrics = self.inner.registry.metrics().clone();
        Box::new(move || start().counted_by(metrics.run(operation)))
    }

    /// [`pipeline::start_task`], counted.
    pub(super) fn start_task<F: Future<Output = Result<Outcome>> + Send>(
        &self,
        session_id: SessionId,
        operation: Operation,
        total: Option<u64>,
        work: impl FnOnce(Reporter) -> F + Send + 'static,
    ) -> Run {
        let counter = self.inner.registry.metrics().run(operation);
        pipeline::start_task(session_id, operation, total, work).counted_by(counter)
    }
}

/// Reads the state of an engine at each request for its metrics.
struct EngineState(Engine);

impl Collector for EngineState {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let inner = &self.0.inner;
        let figures = [
            ("aludel_permits", "Most calls to providers at once (`run.max_concurrency`)", inner.registry.most_calls()),
            ("aludel_permits_in_use", "Calls to providers that hold a permit of the process", inner.registry.calls()),
            ("aludel_jobs_kept", "Kept jobs that this process runs", inner.keeper.len()),
        ];
        for (name, about, figure) in figures {
            let gauge = ConstGauge::new(figure);
            gauge.encode(encoder.encode_descriptor(name, about, None, gauge.metric_type())?)?;
        }
        let unindexed = ConstGauge::new(self.0.indexing().left);
        let about = "Stored prompts without a vector at the last look";
        unindexed.encode(encoder.encode_descriptor("aludel_unindexed_prompts", about, None, unindexed.metric_type())?)
    }
}

impl fmt::Debug for EngineState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineState").finish_non_exhaustive()
    }
}
