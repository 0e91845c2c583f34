//! The Spend screen: the ledger's report for a range, grouped and by day, and what is stored.
//!
//! Plain data; [`crate::tui::screens::spend`] handles keys and replies.

use aludel_core::domain::{SpendBy, SpendReport, StatsTotals};
use aludel_core::error::Problem;
use serde_json::{Map, Value, json};

use crate::tui::effect::Ticket;

/// The time range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Range {
    /// The last 24 hours.
    Day,
    /// The last seven days.
    Week,
    /// The last thirty days.
    #[default]
    Month,
    /// From the beginning.
    All,
}

impl Range {
    /// The next range, in a cycle.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::Day => Self::Week,
            Self::Week => Self::Month,
            Self::Month => Self::All,
            Self::All => Self::Day,
        }
    }

    /// The name shown.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Day => "last 24 hours",
            Self::Week => "last 7 days",
            Self::Month => "last 30 days",
            Self::All => "all time",
        }
    }

    /// The start of the range, as requests name it.
    const fn since(self) -> Option<&'static str> {
        match self {
            Self::Day => Some("24h"),
            Self::Week => Some("7d"),
            Self::Month => Some("30d"),
            Self::All => None,
        }
    }

    /// The number of days in the chart; of all time, the last ones.
    pub(crate) const fn days(self) -> usize {
        match self {
            Self::Day => 2,
            Self::Week => 8,
            Self::Month => 31,
            Self::All => 90,
        }
    }

    /// The raw request for the spend, grouped by `by`.
    pub(crate) fn request(self, by: SpendBy) -> Value {
        let mut raw = self.filter();
        raw.insert("by".to_owned(), json!(by));
        raw.into()
    }

    /// The raw filter of stored prompts.
    pub(crate) fn filter(self) -> Map<String, Value> {
        self.since().map(|since| ("since".to_owned(), json!(since))).into_iter().collect()
    }
}

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
