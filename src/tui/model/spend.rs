//! The Spend screen: the ledger's report for a range, grouped and by day, and what is stored.
//!
//! Plain data; [`crate::tui::screens::spend`] handles keys and replies.

use aludel_core::domain::{SpendBy, SpendReport, StatsTotals};
use aludel_core::error::Problem;

use crate::tui::effect::Ticket;
use crate::tui::range::Range;

/// A day of the chart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Day {
    /// Such as `11-21`.
    pub(crate) name: String,
    /// US dollars, as far as known.
    pub(crate) cost_usd: f64,
    /// Tokens sent and received.
    pub(crate) tokens: u64,
}

/// A reply of the core.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spent {
    /// The report.
    pub(crate) report: SpendReport,
    /// The spend by day, the oldest first, including days without a call.
    pub(crate) days: Vec<Day>,
    /// Totals of what was stored in the range.
    pub(crate) stored: StatsTotals,
}

/// The Spend screen.
#[derive(Debug, Default)]
pub(crate) struct Spend {
    /// The time range.
    pub(crate) range: Range,
    /// How calls are grouped.
    pub(crate) by: SpendBy,
    /// The pending request.
    pub(crate) asked: Option<Ticket>,
    /// The last reply; `None` before the first.
    pub(crate) spent: Option<Box<Spent>>,
    /// Why the last request failed.
    pub(crate) problem: Option<Box<Problem>>,
    /// The first visible line.
    pub(crate) top: usize,
    /// The last ticket issued.
    pub(crate) last_ticket: Ticket,
}

impl Spend {
    /// The next ticket.
    pub(crate) fn ticket(&mut self) -> Ticket {
        self.last_ticket = self.last_ticket.next();
        self.last_ticket
    }

    /// The number of lines.
    pub(crate) fn lines(&self) -> usize {
        self.spent.as_ref().map_or(0, |spent| spent.report.lines.len())
    }
}
