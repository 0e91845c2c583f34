//! The measuring side of the storage seam: what stored prompts came to, and how one relates to others.
//!
//! What is added up is what is stored: the account of each step, or of the prompt where it has no steps. What was spent,
//! also on prompts that are gone, is in [`super::SpendStore`]. Percentiles are exact, so a backend that folds rows does it
//! with [`super::tally`], which keeps each distinct number once.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Filter, Pending};
use crate::domain::{PromptId, StatsBy, StatsLine, StatsTotals};

/// Prompts that are counted between two tellings: some tenths of a second.
const STEP: u64 = 2_000;

/// The measuring half of a database of prompts.
pub trait MeasureStore: Send + Sync {
    /// Adds up the prompts that pass the filter, all together and by each of `by`. One state of the database, one pass.
    fn measure(&self, filter: Filter, by: Vec<StatsBy>) -> Pending<Measured> {
        self.measure_watched(filter, by, MeasureWatch::default())
    }

    /// As [`MeasureStore::measure`], telling how far it is where prompts are counted one by one. Fails with
    /// [`Error::Cancelled`](crate::error::Error::Cancelled) when the watch ends it.
    fn measure_watched(&self, filter: Filter, by: Vec<StatsBy>, watch: MeasureWatch) -> Pending<Measured>;

    /// How these prompts relate to others, in this order; an id that is not there relates to none but its children.
    fn relations(&self, ids: Vec<PromptId>) -> Pending<Vec<Relations>>;
}

/// How many of the prompts that pass a filter are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasureProgress {
    /// Counted by now.
    pub done: u64,
    /// In all.
    pub total: u64,
}

/// Is told how far a count is, on the thread that counts, and may end it. By default nobody is told.
#[derive(Clone, Default)]
pub struct MeasureWatch(Option<Watching>);

#[derive(Clone)]
struct Watching {
    step: u64,
    told: Arc<dyn Fn(MeasureProgress) -> ControlFlow<()> + Send + Sync>,
}

impl MeasureWatch {
    /// Tells this after every few thousand prompts.
    pub fn by(told: impl Fn(MeasureProgress) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Self::every(STEP, told)
    }

    /// Tells this after every so many prompts.
    pub fn every(step: u64, told: impl Fn(MeasureProgress) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Self(Some(Watching { step: step.max(1), told: Arc::new(told) }))
    }

    /// True when so many prompts are worth telling.
    pub fn is_due(&self, done: u64) -> bool {
        self.0.as_ref().is_some_and(|watching| done.is_multiple_of(watching.step))
    }

    /// Tells how far the count is; whether to go on.
    pub fn tell(&self, progress: MeasureProgress) -> ControlFlow<()> {
        self.0.as_ref().map_or(ControlFlow::Continue(()), |watching| (watching.told)(progress))
    }
}

impl fmt::Debug for MeasureWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MeasureWatch").field(&self.0.as_ref().map(|watching| watching.step)).finish()
    }
}

/// What prompts came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// All together.
    pub total: StatsTotals,
    /// By each key asked for, in that order; its lines in no order.
    pub groups: Vec<Vec<StatsLine>>,
}

/// How a prompt relates to others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relations {
    /// Its place among the ranked prompts of its run, 1 is best; `None` until ranked.
    pub rank: Option<u32>,
    /// How many ranked prompts of its run are stored.
    pub ranked: u32,
    /// The prompts derived from it, oldest first.
    pub children: Vec<PromptId>,
}
