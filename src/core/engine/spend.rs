//! Who pays: the account of an operation, and the book that all of them share.

use std::sync::Arc;

use super::Engine;
use crate::api::GenerateRequest;
use crate::ids::SystemIds;
use crate::ledger::{Account, Caps, Labels, Money, SpendBook};
use crate::provider::catalog::Price;
use crate::store::StoreBook;

impl Engine {
    /// The account of one operation, written down in the book of this installation and held to its daily budget.
    pub(super) fn account(&self, caps: Caps, labels: Labels) -> Account {
        Account::open(caps, labels, Some(Arc::clone(self.book())))
    }

    /// One book for all operations of this process: those that wait for room under the daily budget wait for each other.
    fn book(&self) -> &Arc<dyn SpendBook> {
        self.inner.book.get_or_init(|| {
            let daily_cap = self.config().spend.daily_budget_usd.map(Money::from_dollars_down);
            // Calls need no names that repeat, and the prompts' own sequence is left alone.
            let ids = Arc::new(SystemIds);
            Arc::new(StoreBook::new(Arc::clone(self.store()), Arc::clone(&self.inner.clock), ids, daily_cap))
        })
    }
}

/// What a run may take.
pub(super) fn caps(request: &GenerateRequest) -> Caps {
    let alike =
        |dollars| Price { input: dollars, output: dollars, cached_input: dollars, cache_write: dollars, above: None };
    Caps {
        budget: request.budget_usd.map(Money::from_dollars_down),
        calls: request.max_calls,
        assumed_price: request.assume_price.map(alike),
    }
}
