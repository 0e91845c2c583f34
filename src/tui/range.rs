//! The time ranges of the Spending screen, as data of its requests.

use aludel_core::domain::SpendBy;
use serde_json::{Map, Value, json};

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
