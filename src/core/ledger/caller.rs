//! The client that a server acts for, as far as the ledger cares: who is charged, and the daily caps
//! of the token that was presented.

use serde::{Deserialize, Serialize};

use super::account::Need;
use super::money::Money;

/// The bearer of a token. Its calls are recorded under [`Caller::id`] and limited by its caps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The token's identity: calls of equal ids share the caps of a day.
    pub id: String,
    /// Money a day (UTC); `None` if unlimited.
    pub daily_budget: Option<Money>,
    /// Calls a day (UTC), retries included; `None` if unlimited.
    pub daily_calls: Option<u64>,
}

impl Caller {
    /// True if it has a cap.
    pub const fn is_capped(&self) -> bool {
        self.daily_budget.is_some() || self.daily_calls.is_some()
    }

    /// True if `wanted` fits the caps of a day on which `used` counts already.
    pub fn has_room(&self, used: Need, wanted: Need) -> bool {
        wanted.fits(self.left(used))
    }

    /// What is left of the caps of a day; the maximum for what is not capped.
    pub fn left(&self, used: Need) -> Need {
        Need {
            calls: self.daily_calls.map_or(u64::MAX, |cap| cap.saturating_sub(used.calls)),
            money: self.daily_budget.map_or(Money::MAX, |cap| cap.saturating_sub(used.money)),
        }
    }
}
