//! Handles answers that exceed their reservation: a server can ignore the token limit it was sent.
//!
//! Estimates the cost of a call while its answer streams, from our own token count of the request,
//! the text and the reasoning. When that is about to exceed the reservation, the reservation is
//! extended as far as the caps allow. Beyond them the answer is cut and its variant fails with
//! `budget_exceeded`. An answer within its limit is never cut because of an estimate that is a
//! little high: the reservation counts the request in bytes, which is more than it costs.
//!
//! Tokens that are billed and never shown (hidden reasoning), and what a server has sent before the
//! connection closes, cannot be prevented. The usage reported at the end is booked as it is, and
//! counts against the caps of later calls.

use super::ChatRequest;
use crate::error::{ProviderError, ProviderFailure};
use crate::ledger::{Money, Price, Refusal, Reservation};
use crate::text::tokens;

/// The longest unfinished piece, in bytes, that is recounted when more text arrives.
const LONGEST_PENDING: usize = 64;

/// Counts the tokens of a text that arrives in pieces. Exact except within long words.
#[derive(Debug, Default)]
struct ArrivedTokens {
    tokens: u64,
    /// The end of the text, which the next piece may continue.
    pending: String,
}

impl ArrivedTokens {
    fn push(&mut self, piece: &str) {
        self.pending.push_str(piece);
        let settled = match self.pending.rfind(char::is_whitespace) {
            _ if self.pending.len() > LONGEST_PENDING => self.pending.len(),
            Some(space) => space,
            None => 0,
        };
        self.tokens += tokens::estimate(&self.pending[..settled]);
        self.pending.drain(..settled);
    }

    fn count(&self) -> u64 {
        self.tokens + tokens::estimate(&self.pending)
    }
}

/// A call whose answer is streaming, under a cap in dollars.
pub(super) struct CostMeter {
    provider: String,
    model: String,
    price: Price,
    /// Estimated tokens of the request.
    input: u64,
    /// The most tokens the answer may have.
    limit: u64,
    arrived: ArrivedTokens,
    /// Tokens of the longest piece so far.
    longest: u64,
}

impl CostMeter {
    pub(super) fn new(provider: &str, model: &str, request: &ChatRequest, price: Price, limit: Option<u64>) -> Self {
        Self {
            provider: provider.to_owned(),
            model: model.to_owned(),
            price,
            input: request.messages.iter().map(|message| tokens::estimate(&message.content)).sum(),
            limit: limit.unwrap_or(u64::MAX),
            arrived: ArrivedTokens::default(),
            longest: 0,
        }
    }

    /// The estimated cost so far.
    pub(super) fn cost(&self) -> Money {
        self.cost_with(0)
    }

    fn cost_with(&self, more: u64) -> Money {
        Money::from_dollars_up(self.price.most(self.input, self.arrived.count().saturating_add(more)))
    }

    /// Counts a piece and extends the reservation if needed; past the limit, for a next piece too.
    ///
    /// # Errors
    /// The caps leave no room, so the answer must be cut.
    pub(super) async fn take(&mut self, piece: &str, reservation: &mut Reservation) -> Result<(), ProviderError> {
        let Some(reserved) = reservation.bound() else { return Ok(()) };
        let before = self.arrived.count();
        self.arrived.push(piece);
        let count = self.arrived.count();
        self.longest = self.longest.max(count.saturating_sub(before));
        let is_over = count > self.limit;
        let needed = self.cost_with(if is_over { self.longest } else { 0 }).saturating_sub(reserved);
        if needed == Money::ZERO {
            return Ok(());
        }
        // Extends in larger steps if the caps allow it.
        let ample = needed.max(Money::from_nanos(reserved.nanos() / 4));
        match reservation.extend(ample).await {
            Ok(()) => Ok(()),
            Err(_) if ample > needed => match reservation.extend(needed).await {
                Ok(()) => Ok(()),
                Err(refusal) => Err(self.too_long(count, &refusal)),
            },
            Err(refusal) => Err(self.too_long(count, &refusal)),
        }
    }

    fn too_long(&self, count: u64, refusal: &Refusal) -> ProviderError {
        let Self { model, limit, .. } = self;
        let why = match refusal {
            Refusal::Budget { cap, spent, reserved, wanted } => format!(
                "the budget of {cap} leaves no more; raise `budget_usd` to at least {}",
                (*spent + *reserved + *wanted).advised()
            ),
            Refusal::Day { cap, counted, wanted } => format!(
                "the daily budget of {cap} leaves no more; raise `spend.daily_budget_usd` to at least {}",
                (*counted + *wanted).advised()
            ),
            other => other.to_string(),
        };
        let message = format!(
            "`{model}` ignores the limit of {limit} tokens: about {count} came, all that was reserved for the answer, and it was cut off, because {why}, or ask another provider"
        );
        ProviderError::new(&self.provider, ProviderFailure::Budget, message)
    }
}

#[cfg(test)]
#[path = "overrun_tests.rs"]
mod tests;
