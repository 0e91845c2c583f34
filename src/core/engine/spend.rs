//! Accounts for operations, the call log that they share, and `spend`, which reads it.

use std::sync::Arc;

use super::Engine;
use super::context::RequestContext;
use super::jobs::WorkOrigin;
use crate::api::SpendRequest;
use crate::domain::{SpendBy, SpendCaps, SpendLine, SpendReport, SpendTotals};
use crate::error::Result;
use crate::ids::SystemIds;
use crate::ledger::{Account, CallLog, Caps, Labels, Money, Price};
use crate::store::{SpendQuery, SpendRow, StoreCallLog};

impl Engine {
    /// The recorded spend, added up, and the caps in force.
    ///
    /// # Errors
    /// `storage`.
    pub async fn spend(&self, request: SpendRequest) -> Result<SpendReport> {
        let now = self.inner.clock.now();
        let since = request.since.map(|moment| moment.as_since(now));
        let until = request.until.map(|moment| moment.as_until(now));
        let all = SpendQuery { by: None, since, until };
        let mut rows = self.store().spend(SpendQuery { by: Some(request.by), ..all }).await?;
        match request.by {
            SpendBy::Day => rows.sort_by(|a, b| b.key.cmp(&a.key)),
            _ => rows.sort_by(|a, b| (b.cost, b.calls, &a.key).cmp(&(a.cost, a.calls, &b.key))),
        }
        let total = self.store().spend(all).await?.first().map(totals).unwrap_or_default();
        let used_today = self.store().counted_on(now).await?;
        let spend = &self.config().spend;
        let left = |budget| Money::from_dollars_down(budget).saturating_sub(used_today).dollars();
        Ok(SpendReport {
            by: request.by,
            since,
            until,
            lines: rows.iter().map(|row| SpendLine { key: row.key.clone(), totals: totals(row) }).collect(),
            total,
            caps: SpendCaps {
                daily_budget_usd: spend.daily_budget_usd,
                used_today_usd: used_today.dollars(),
                left_today_usd: spend.daily_budget_usd.map(left),
                preflight_usd: spend.preflight_usd,
            },
        })
    }

    /// Opens the account of an operation, with the shared call log and its daily budget.
    pub(super) fn account(&self, caps: Caps, labels: Labels) -> Account {
        Account::open(caps, self.in_context(labels), Some(Arc::clone(self.call_log())))
    }

    /// The account of new or resumed work.
    pub(super) fn account_of(&self, life: &WorkOrigin, caps: Caps, labels: Labels) -> Account {
        match life {
            WorkOrigin::New(_) => self.account(caps, labels),
            WorkOrigin::Resumed { taken, .. } => {
                Account::reopen(caps, self.in_context(labels), Some(Arc::clone(self.call_log())), *taken)
            }
        }
    }

    /// Adds the caller and the trace that this engine acts for.
    fn in_context(&self, labels: Labels) -> Labels {
        let RequestContext { caller, trace, .. } = self.context().clone();
        Labels { caller, trace, ..labels }
    }

    /// The call log of this process, shared so that operations queue for room in the daily budget.
    fn call_log(&self) -> &Arc<dyn CallLog> {
        self.inner.call_log.get_or_init(|| {
            let daily_cap = self.config().spend.daily_budget_usd.map(Money::from_dollars_down);
            // Call ids need not be reproducible, and must not disturb the sequence of prompt ids.
            let ids = Arc::new(SystemIds);
            Arc::new(StoreCallLog::new(Arc::clone(self.store()), Arc::clone(&self.inner.clock), ids, daily_cap))
        })
    }
}

fn totals(row: &SpendRow) -> SpendTotals {
    SpendTotals {
        calls: row.calls,
        failed: row.failed,
        unseen: row.unseen,
        unpriced: row.unpriced,
        input_tokens: row.input_tokens,
        output_tokens: row.output_tokens,
        cost_usd: (row.unpriced == 0).then(|| row.cost.dollars()),
        known_cost_usd: row.cost.dollars(),
        unseen_usd: row.unseen_cost.dollars(),
    }
}

/// The caps of a run.
pub(super) fn caps(budget_usd: Option<f64>, calls: Option<u64>, assume_price: Option<f64>) -> Caps {
    let alike =
        |dollars| Price { input: dollars, output: dollars, cached_input: dollars, cache_write: dollars, above: None };
    Caps { budget: budget_usd.map(Money::from_dollars_down), calls, assumed_price: assume_price.map(alike) }
}
