//! The client that a server acts for, as far as the ledger cares: who is charged, and under which
//! caps: those of the token that was presented, or of the session that a host was given.

use serde::{Deserialize, Serialize};

use super::account::Need;
use super::money::Money;

/// A client of a server. Its calls are recorded under [`Caller::id`] and limited by its caps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The identity of the token or session: calls of equal ids share the caps.
    pub id: String,
    /// Money in a period; `None` if unlimited.
    #[serde(alias = "daily_budget")]
    pub budget: Option<Money>,
    /// Calls in a period, retries included; `None` if unlimited.
    #[serde(alias = "daily_calls")]
    pub max_calls: Option<u64>,
    /// When the caps start again.
    #[serde(default)]
    pub period: CapPeriod,
}

/// The time for which the caps of a caller hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapPeriod {
    /// A day (UTC): the caps of a token.
    #[default]
    Day,
    /// As long as the caller exists: the caps of a session.
    Session,
}

impl CapPeriod {
    /// Who sets such caps, and for how long: "the token allows $1.00 a day".
    pub(crate) const fn in_words(self) -> (&'static str, &'static str) {
        match self {
            Self::Day => ("the token", " a day"),
            Self::Session => ("this session", ""),
        }
    }
}

impl Caller {
    /// The session of a host that may spend this many US dollars in all.
    pub fn session(id: &str, budget_usd: f64) -> Self {
        let budget = Some(Money::from_dollars_down(budget_usd));
        Self { id: format!("session/{id}"), budget, max_calls: None, period: CapPeriod::Session }
    }

    /// True if it has a cap.
    pub const fn is_capped(&self) -> bool {
        self.budget.is_some() || self.max_calls.is_some()
    }

    /// True if `wanted` fits the caps of a period in which `used` counts already.
    pub fn has_room(&self, used: Need, wanted: Need) -> bool {
        wanted.fits(self.left(used))
    }

    /// What is left of the caps of a period in which `used` counts; the maximum for what is not capped.
    pub fn left(&self, used: Need) -> Need {
        Need {
            calls: self.max_calls.map_or(u64::MAX, |cap| cap.saturating_sub(used.calls)),
            money: self.budget.map_or(Money::MAX, |cap| cap.saturating_sub(used.money)),
        }
    }
}
