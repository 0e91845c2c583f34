//! Money set aside for one call, until it is known what the call did cost.

use super::call_log::{BookEntry, CallEnd};
use super::money::Money;
use super::refusal::Refusal;
use super::run_budget::BudgetGuard;

/// Money set aside for one call that is under way.
///
/// Dropped without [`Reservation::settle`] or [`Reservation::release`] (cancelled, cut, hung) the call counts as its worst
/// case: nobody saw its end, and it may have been paid for.
#[must_use = "a reservation that is dropped counts as its worst case"]
pub struct Reservation {
    /// `None` once it is settled.
    parts: Option<Parts>,
    worst: Option<Money>,
    /// True when a cap in dollars is in force.
    is_capped: bool,
}

struct Parts {
    hold: BudgetGuard,
    entry: Option<Box<dyn BookEntry>>,
}

/// What a call that was answered took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Actual {
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// What it cost; `None` when the price is unknown.
    pub cost: Option<Money>,
    /// What it comes to at the assumed price, where the cost is unknown.
    pub assumed: Option<Money>,
}

impl Reservation {
    pub(super) fn new(
        hold: BudgetGuard,
        entry: Option<Box<dyn BookEntry>>,
        worst: Option<Money>,
        is_capped: bool,
    ) -> Self {
        Self { parts: Some(Parts { hold, entry }), worst, is_capped }
    }

    /// What is set aside; `None` where no cap in dollars bounds the call.
    pub fn bound(&self) -> Option<Money> {
        self.worst.filter(|_| self.is_capped)
    }

    /// Sets more aside for a call that outruns what was, if the caps leave as much.
    ///
    /// # Errors
    /// Why they do not. What was set aside before stays so.
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

    /// The call was cut because it outran what was set aside: it counts as that, or as what came if that is more.
    pub fn cut(mut self, came_to: Money) {
        let counted = self.worst.unwrap_or_default().max(came_to);
        self.end(counted, CallEnd::Cut { counted });
    }

    /// The call was answered. Booked as it was, even above what was set aside: the provider has charged it. Where no
    /// amount is known it counts as what was set aside.
    pub fn settle(mut self, actual: Actual) {
        let counted = actual.cost.or(actual.assumed).or(self.worst).unwrap_or_default();
        let Actual { input_tokens, output_tokens, cost, .. } = actual;
        if let Some(Parts { hold, .. }) = &self.parts {
            hold.see_answer(actual);
        }
        self.end(counted, CallEnd::Answered { input_tokens, output_tokens, cost, counted });
    }

    /// Nothing was accepted, so nothing is owed: a refused connection, an HTTP status that is an error. It stays a call.
    pub fn release(mut self) {
        self.end(Money::ZERO, CallEnd::Failed);
    }

    fn end(&mut self, counted: Money, end: CallEnd) {
        let Some(Parts { hold, entry }) = self.parts.take() else { return };
        match end {
            CallEnd::Answered { .. } | CallEnd::Failed => {}
            CallEnd::Cut { counted } => hold.lose_sight(Some(counted)),
            CallEnd::Unseen => hold.lose_sight(self.worst),
        }
        // The call log first: the next call that the budget admits reads it.
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
