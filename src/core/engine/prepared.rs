//! Work that is ready to begin: read, resolved and estimated once, so that whoever asks "go on?" and whoever begins speak of the
//! same thing.

use std::sync::Arc;

use super::estimate::Preflight;
use crate::domain::SessionId;
use crate::error::{Error, Result};
use crate::event::Run;
use crate::job::{Journal, Keeper};

/// Makes the work for this budget, to live so long.
type Make = Box<dyn FnOnce(Option<f64>, Lifetime) -> Result<Ready> + Send>;

/// How long work may live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifetime {
    /// As long as somebody consumes its run.
    Attached,
    /// To its end.
    Kept,
}

/// Work with its plan made.
pub(super) struct Ready {
    /// Where its progress is written down, when it is a job.
    pub(super) journal: Option<Journal>,
    /// Begins it.
    pub(super) start: Box<dyn FnOnce() -> Run + Send>,
}

/// A run that has not begun. Nothing was sent for it.
pub struct Prepared {
    preflight: Preflight,
    budget_usd: Option<f64>,
    keeper: Arc<Keeper>,
    make: Make,
}

impl Prepared {
    pub(super) fn new(
        preflight: Preflight,
        budget_usd: Option<f64>,
        keeper: Arc<Keeper>,
        make: impl FnOnce(Option<f64>, Lifetime) -> Result<Ready> + Send + 'static,
    ) -> Self {
        Self { preflight, budget_usd, keeper, make: Box::new(make) }
    }

    /// Whether it may begin without a question, and what it may cost.
    pub const fn preflight(&self) -> &Preflight {
        &self.preflight
    }

    /// The budget that it has.
    pub const fn budget_usd(&self) -> Option<f64> {
        self.budget_usd
    }

    /// The same with this budget, by which somebody consented to what it may cost.
    #[must_use]
    pub fn with_budget(self, budget_usd: Option<f64>) -> Self {
        Self { budget_usd, ..self }
    }

    /// Begins it. Needs a tokio runtime. Dropping the run cancels it.
    ///
    /// # Errors
    /// `budget_exceeded` for a run without a budget that may cost more than passes without asking; `validation_failed` when a
    /// provider cannot be used.
    pub fn start(self) -> Result<Run> {
        Ok(((self.make)(self.budget_usd, Lifetime::Attached)?.start)())
    }

    /// Begins it as a job that this process works on whoever watches, and answers once it is
    /// stored. Needs a tokio runtime.
    ///
    /// # Errors
    /// As [`Prepared::start`]; `storage`.
    pub async fn keep(self) -> Result<SessionId> {
        let Ready { journal, start } = (self.make)(self.budget_usd, Lifetime::Kept)?;
        let journal = journal.ok_or_else(|| Error::Internal("a kept job has no journal".into()))?;
        journal.begin().await?;
        let id = journal.id();
        self.keeper.keep(start(), journal);
        Ok(id)
    }
}
