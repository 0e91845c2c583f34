//! The account of one run: its caps, its labels, its book.

use std::sync::Arc;

use super::book::{BookedCall, SpendBook};
use super::money::Money;
use super::refusal::Refusal;
use super::reservation::Reservation;
use super::till::{Tally, Till};
use crate::domain::SessionId;
use crate::error::ProviderError;
use crate::provider::catalog::Price;

/// Who pays for the calls of one run. Cheap to clone; all clones are one account.
///
/// The default account has no caps and no book.
#[derive(Clone, Default)]
pub struct Account {
    till: Arc<Till>,
    labels: Arc<Labels>,
    book: Option<Arc<dyn SpendBook>>,
}

/// What a run may take.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Caps {
    /// Money.
    pub budget: Option<Money>,
    /// Calls that go out, retries included.
    pub calls: Option<u64>,
    /// The price of a model whose own is unknown.
    pub assumed_price: Option<Price>,
}

/// Under which names the calls of a run are written down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// The run.
    pub session: Option<SessionId>,
    /// The operation: `generate`.
    pub command: &'static str,
    /// The labels of its prompts.
    pub tags: Vec<String>,
}

/// A call that wants to go out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The provider, by its name in the configuration.
    pub provider: String,
    /// The model.
    pub model: String,
    /// What for: a phase's name, `judge`, `embedding`.
    pub purpose: &'static str,
    /// False for what is part of this program and free: it counts as a call and is not written down.
    pub is_booked: bool,
}

/// The most a call can cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorstCase {
    /// So much.
    Most(Money),
    /// The price is unknown, and none was assumed.
    UnknownPrice,
    /// Nothing bounds the length of the answer.
    Unbounded,
}

impl WorstCase {
    /// The amount, where there is one.
    pub const fn amount(self) -> Option<Money> {
        match self {
            Self::Most(amount) => Some(amount),
            Self::UnknownPrice | Self::Unbounded => None,
        }
    }
}

impl Account {
    /// The account of a run.
    pub fn open(caps: Caps, labels: Labels, book: Option<Arc<dyn SpendBook>>) -> Self {
        Self { till: Arc::new(Till::new(caps)), labels: Arc::new(labels), book }
    }

    /// The price of a model whose own is unknown.
    pub fn assumed_price(&self) -> Option<Price> {
        self.till.caps().assumed_price
    }

    /// What the run has taken so far.
    pub fn tally(&self) -> Tally {
        self.till.tally()
    }

    /// Sets the worst case of a call aside. Call it right before the request goes out, and settle what comes back.
    ///
    /// Waits while calls under way may leave room for it. Dropping the future before it answers leaves everything
    /// as it was.
    ///
    /// # Errors
    /// `budget_exceeded` when the call could pass a cap, or a cap in dollars cannot be kept because its worst case is
    /// unknown; `storage` when the daily cap cannot be asked for. Nothing may be sent then.
    pub async fn reserve(&self, call: Call, worst: WorstCase) -> Result<Reservation, ProviderError> {
        self.set_aside(&call, worst).await.map_err(|refusal| refusal.of(&call.provider))
    }

    async fn set_aside(&self, call: &Call, worst: WorstCase) -> Result<Reservation, Refusal> {
        let book = self.book.as_ref().filter(|_| call.is_booked);
        if self.till.caps().budget.is_some() || book.is_some_and(|book| book.daily_cap().is_some()) {
            match worst {
                WorstCase::Most(_) => {}
                WorstCase::UnknownPrice => return Err(Refusal::UnknownPrice { model: call.model.clone() }),
                WorstCase::Unbounded => return Err(Refusal::UnboundedAnswer { model: call.model.clone() }),
            }
        }
        let mut hold = self.till.reserve(worst.amount().unwrap_or_default()).await?;
        let entry = match book {
            Some(book) => {
                let booked = BookedCall {
                    labels: Arc::clone(&self.labels),
                    provider: call.provider.clone(),
                    model: call.model.clone(),
                    purpose: call.purpose,
                    worst: worst.amount(),
                };
                Some(book.admit(booked).await?)
            }
            None => None,
        };
        hold.goes_out();
        Ok(Reservation::new(hold, entry, worst.amount()))
    }
}

/// Equal when they are the same account.
impl PartialEq for Account {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.till, &other.till)
    }
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account").field("till", &self.till).field("labels", &self.labels).finish_non_exhaustive()
    }
}
