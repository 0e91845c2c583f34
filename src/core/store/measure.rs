//! The statistics part of the storage seam: totals of stored prompts, and how prompts relate.
//!
//! Totals are summed from stored data: the account of each step, or of the prompt where it has no
//! steps. Spending, including on deleted prompts, is in [`super::SpendStore`]. Percentiles are
//! exact; [`super::tally`] folds rows, storing each distinct number once.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::Pending;
use crate::domain::{Filter, PromptId, StatsBy, StatsLine, StatsTotals};

/// Prompts counted between two progress reports: some tenths of a second.
const STEP: u64 = 2_000;

/// Statistics over a database of prompts.
pub trait MeasureStore: Send + Sync {
    /// Totals of the prompts that pass the filter, overall and by each of `by`, from one state of
    /// the database.
    fn measure(&self, filter: Filter, by: Vec<StatsBy>) -> Pending<PromptTotals> {
        self.measure_watched(filter, by, MeasureWatch::default())
    }

    /// As [`MeasureStore::measure`], reporting progress where prompts are counted one by one. Fails
    /// with [`Error::Cancelled`](crate::error::Error::Cancelled) when the watch cancels it.
    fn measure_watched(&self, filter: Filter, by: Vec<StatsBy>, watch: MeasureWatch) -> Pending<PromptTotals>;

    /// The relations of these prompts, in this order; an unknown id has none but its children.
    fn relations(&self, ids: Vec<PromptId>) -> Pending<Vec<Relations>>;
}

/// Progress of counting the prompts that pass a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasureProgress {
    /// Counted so far.
    pub done: u64,
    /// Prompts in total.
    pub total: u64,
}

/// A progress callback, called on the counting thread, that can cancel the count. None by default.
#[derive(Clone, Default)]
pub struct MeasureWatch(Option<Watching>);

#[derive(Clone)]
struct Watching {
    step: u64,
    told: Arc<dyn Fn(MeasureProgress) -> ControlFlow<()> + Send + Sync>,
}

impl MeasureWatch {
    /// Calls `told` after every few thousand prompts.
    pub fn by(told: impl Fn(MeasureProgress) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Self::every(STEP, told)
    }

    /// Calls `told` after every `step` prompts.
    pub fn every(step: u64, told: impl Fn(MeasureProgress) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Self(Some(Watching { step: step.max(1), told: Arc::new(told) }))
    }

    /// True when `done` prompts are due for a report.
    pub fn is_due(&self, done: u64) -> bool {
        self.0.as_ref().is_some_and(|watching| done.is_multiple_of(watching.step))
    }

    /// Reports progress; returns whether to continue.
    pub fn report(&self, progress: MeasureProgress) -> ControlFlow<()> {
        self.0.as_ref().map_or(ControlFlow::Continue(()), |watching| (watching.told)(progress))
    }
}

impl fmt::Debug for MeasureWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MeasureWatch").field(&self.0.as_ref().map(|watching| watching.step)).finish()
    }
}

/// Totals of prompts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptTotals {
    /// Over all prompts.
    pub total: StatsTotals,
    /// By each requested key, in that order; the lines are unordered.
    pub groups: Vec<Vec<StatsLine>>,
}

/// How a prompt relates to others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relations {
    /// Its rank among the ranked prompts of its run, 1 is best; `None` until ranked.
    pub rank: Option<u32>,
    /// How many ranked prompts of its run are stored.
    pub ranked: u32,
    /// The prompts derived from it, oldest first.
    pub children: Vec<PromptId>,
}
