//! The client that a server acts for, as far as the ledger cares: who is charged, and the daily caps
//! of the token that was presented.

use super::money::Money;

/// The bearer of a token. Its calls are recorded under [`Caller::id`] and limited by its caps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The token's identity: calls of equal ids share the caps of a day.
    pub id: String,
    /// Money a day (UTC); `None` if unlimited.
    pub daily_budget: Option<Money>,
    /// Calls a day (UTC), retries included; `None` if unlimited.
    pub daily_calls: Option<u64>,
}
