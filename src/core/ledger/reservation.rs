//! The reservation of one call, held until its cost is known.

use super::call_log::{CallEnd, CallLogEntry};
use super::money::Money;
use super::refusal::Refusal;
use super::run_budget::BudgetGuard;

/// The money reserved for one call under way.
///
/// If it is dropped without [`Reservation::settle`] or [`Reservation::release`] (cancelled, cut,
/// hung), the call counts as its worst case, because it may have been billed.
#[must_use = "a reservation that is dropped counts as its worst case"]
pub struct Reservation {
    /// `None` once settled.
    parts: Option<Parts>,
    worst: Option<Money>,
    /// True if a cap in dollars is in force.
    is_capped: bool,
}

struct Parts {
    hold: BudgetGuard,
    entry: Option<Box<dyn CallLogEntry>>,
}

/// The usage of an answered call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallUsage {
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// The cost; `None` if the price is unknown.
    pub cost: Option<Money>,
    /// The cost at the assumed price, if the price is unknown.
    pub assumed: Option<Money>,
}

impl Reservation {
    pub(super) fn new(
        hold: BudgetGuard,
        entry: Option<Box<dyn CallLogEntry>>,
        worst: Option<Money>,
        is_capped: bool,
    ) -> Self {
        Self { parts: Some(Parts { hold, entry }), worst, is_capped }
    }

    /// The reserved amount; `None` without a cap in dollars.
    pub fn bound(&self) -> Option<Money> {
        self.worst.filter(|_| self.is_capped)
    }

    /// Reserves more for a call that exceeds its reservation, if the caps leave that much.
    ///
    /// # Errors
    /// Why they do not. The reservation is unchanged then.
    pub async fn extend(&mut self, by: Money) -> Result<(), Refusal> {
        let Some(Parts { hold, entry }) = &mut self.parts else { return Err(Refusal::Gone) };
        hold.extend(by)?;
        if let Some(entry) = entry
            && let Err(refusal) = entry.extend(by).await
        {
            hold.shrink(by);
            return Err(refusal);
        }
        self.worst = self.worst.map(|worst| worst + by);
        Ok(())
    }

    /// Ends a call cut for exceeding its reservation; counts the larger of that and `came_to`.
    pub fn cut(mut self, came_to: Money) {
        let counted = self.worst.unwrap_or_default().max(came_to);
        self.end(counted, CallEnd::Cut { counted });
    }

    /// Ends an answered call. The actual cost counts, even above the reservation, because the
    /// provider has charged it. If the cost is unknown, the reservation counts.
    pub fn settle(mut self, actual: CallUsage) {
        let counted = actual.cost.or(actual.assumed).or(self.worst).unwrap_or_default();
        let CallUsage { input_tokens, output_tokens, cost, .. } = actual;
        if let Some(Parts { hold, .. }) = &self.parts {
            hold.count_answered(actual);
        }
        self.end(counted, CallEnd::Answered { input_tokens, output_tokens, cost, counted });
    }

    /// Ends an unbilled call (refused connection, HTTP error status). It still counts as a call.
    pub fn release(mut self) {
        self.end(Money::ZERO, CallEnd::Failed);
    }

    /// Ends an unbilled call that is to be repeated when the provider has room: it does not count.
    pub fn take_back(mut self) {
        let Some(Parts { hold, entry }) = self.parts.take() else { return };
        if let Some(entry) = entry {
            entry.close(CallEnd::Failed);
        }
        hold.take_back();
    }

    fn end(&mut self, counted: Money, end: CallEnd) {
        let Some(Parts { hold, entry }) = self.parts.take() else { return };
        match end {
            CallEnd::Answered { .. } | CallEnd::Failed => {}
            CallEnd::Cut { counted } => hold.count_unseen(Some(counted)),
            CallEnd::Unseen => hold.count_unseen(self.worst),
        }
        // First the call log, because the next call that the budget admits reads it.
        if let Some(entry) = entry {
            entry.close(end);
        }
        hold.settle(counted);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.end(self.worst.unwrap_or_default(), CallEnd::Unseen);
    }
}
