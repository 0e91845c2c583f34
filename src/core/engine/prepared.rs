//! Prepared work: read, resolved and estimated once, so that what the user confirms is exactly what
//! starts.

use std::sync::Arc;

use super::estimate::Preflight;
use crate::domain::SessionId;
use crate::error::{Error, Result};
use crate::event::run::Run;
use crate::job::{Journal, Keeper};

/// Builds the work for a budget and a lifetime.
type PlanFn = Box<dyn FnOnce(Option<f64>, Lifetime) -> Result<PlannedRun> + Send>;

/// How long work lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifetime {
    /// As long as its run is consumed.
    Attached,
    /// Until it is done.
    Kept,
}

/// Planned work, ready to start.
pub(super) struct PlannedRun {
    /// The journal of its progress, if it is a job.
    pub(super) journal: Option<Journal>,
    /// Starts it.
    pub(super) start: Box<dyn FnOnce() -> Run + Send>,
}

/// A run that has not started. Nothing has been sent for it.
pub struct Prepared {
    preflight: Preflight,
    budget_usd: Option<f64>,
    keeper: Arc<Keeper>,
    make: PlanFn,
}

impl Prepared {
    pub(super) fn new(
        preflight: Preflight,
        budget_usd: Option<f64>,
        keeper: Arc<Keeper>,
        make: impl FnOnce(Option<f64>, Lifetime) -> Result<PlannedRun> + Send + 'static,
    ) -> Self {
        Self { preflight, budget_usd, keeper, make: Box::new(make) }
    }

    /// Whether it can start without confirmation, and what it may cost.
    pub const fn preflight(&self) -> &Preflight {
        &self.preflight
    }

    /// Its budget in US dollars.
    pub const fn budget_usd(&self) -> Option<f64> {
        self.budget_usd
    }

    /// Sets the budget. A budget is consent to what the run may cost.
    #[must_use]
    pub fn with_budget(self, budget_usd: Option<f64>) -> Self {
        Self { budget_usd, ..self }
    }

    /// Starts it. Needs a tokio runtime. Dropping the run cancels it.
    ///
    /// # Errors
    /// `budget_exceeded` for a run without a budget that may cost more than `spend.preflight_usd`;
    /// `validation_failed` when a provider cannot be used.
    pub fn start(self) -> Result<Run> {
        Ok(((self.make)(self.budget_usd, Lifetime::Attached)?.start)())
    }

    /// Starts it as a kept job, which this process runs even if no one follows it. Returns once the
    /// job is stored. Needs a tokio runtime.
    ///
    /// # Errors
    /// As [`Prepared::start`]; `storage`.
    pub async fn keep(self) -> Result<SessionId> {
        let PlannedRun { journal, start } = (self.make)(self.budget_usd, Lifetime::Kept)?;
        let journal = journal.ok_or_else(|| Error::Internal("a kept job has no journal".into()))?;
        journal.begin().await?;
        let id = journal.id();
        self.keeper.keep(start(), journal);
        Ok(id)
    }
}
