//! What was spent, as shown: the report of the ledger for a range and a grouping, day by day, and what is stored.
//!
//! Plain data; what keys and answers do to it is in [`crate::tui::screens::spend`].

use aludel_core::domain::{SpendBy, SpendReport, StatsTotals};
use aludel_core::error::Problem;
use serde_json::{Map, Value, json};

use crate::tui::effect::Ticket;

/// How far back it reaches.
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
    /// The next, in a circle.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::Day => Self::Week,
            Self::Week => Self::Month,
            Self::Month => Self::All,
            Self::All => Self::Day,
        }
    }

    /// What people read.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Day => "last 24 hours",
            Self::Week => "last 7 days",
            Self::Month => "last 30 days",
            Self::All => "all time",
        }
    }

    /// How requests name its beginning.
    const fn since(self) -> Option<&'static str> {
        match self {
            Self::Day => Some("24h"),
            Self::Week => Some("7d"),
            Self::Month => Some("30d"),
            Self::All => None,
        }
    }

    /// How many days a picture of it has; of all time, the last ones.
    pub(crate) const fn days(self) -> usize {
        match self {
            Self::Day => 2,
            Self::Week => 8,
            Self::Month => 31,
            Self::All => 90,
        }
    }

    /// The raw request of what was spent, added up by `by`.
    pub(crate) fn request(self, by: SpendBy) -> Value {
        let mut raw = self.filter();
        raw.insert("by".to_owned(), json!(by));
        raw.into()
    }

    /// The raw filter of what is stored.
    pub(crate) fn filter(self) -> Map<String, Value> {
        self.since().map(|since| ("since".to_owned(), json!(since))).into_iter().collect()
    }
}

/// A day of the picture.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Day {
    /// As `11-21`.
    pub(crate) name: String,
    /// US dollars, as far as known.
    pub(crate) cost_usd: f64,
    /// Tokens sent and received.
    pub(crate) tokens: u64,
}

/// What the core answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spent {
    /// What was spent.
    pub(crate) report: SpendReport,
    /// The same day by day, the oldest first; days without a call are there too.
    pub(crate) days: Vec<Day>,
    /// What is stored of that time.
    pub(crate) stored: StatsTotals,
}

/// The screen of what was spent.
#[derive(Debug, Default)]
pub(crate) struct Spend {
    /// How far back it reaches.
    pub(crate) range: Range,
    /// What calls are added up by.
    pub(crate) by: SpendBy,
    /// The question under way.
    pub(crate) asked: Option<Ticket>,
    /// What was answered last; `None` before the first answer.
    pub(crate) spent: Option<Box<Spent>>,
    /// Why the last question had no answer.
    pub(crate) problem: Option<Box<Problem>>,
    /// The first visible line.
    pub(crate) top: usize,
    /// The last ticket given out.
    pub(crate) last_ticket: Ticket,
}

impl Spend {
    /// The next ticket.
    pub(crate) fn ticket(&mut self) -> Ticket {
        self.last_ticket = self.last_ticket.next();
        self.last_ticket
    }

    /// How many lines there are.
    pub(crate) fn lines(&self) -> usize {
        self.spent.as_ref().map_or(0, |spent| spent.report.lines.len())
    }
}
