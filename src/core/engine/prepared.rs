//! Work that is ready to begin: read, resolved and estimated once, so that whoever asks "go on?" and whoever begins speak of the
//! same thing.

use super::estimate::Preflight;
use crate::error::Result;
use crate::event::Run;

/// Begins the work under this budget.
type Begin = Box<dyn FnOnce(Option<f64>) -> Result<Run> + Send>;

/// A run that has not begun. Nothing was sent for it.
pub struct Prepared {
    preflight: Preflight,
    budget_usd: Option<f64>,
    begin: Begin,
}

impl Prepared {
    pub(super) fn new(
        preflight: Preflight,
        budget_usd: Option<f64>,
        begin: impl FnOnce(Option<f64>) -> Result<Run> + Send + 'static,
    ) -> Self {
        Self { preflight, budget_usd, begin: Box::new(begin) }
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
        (self.begin)(self.budget_usd)
    }
}
