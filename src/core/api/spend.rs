//! The request of `spend`: which calls to add up, and by what.

use super::field::{Field, Kind};
use super::{Decoded, Moment, Request};
use crate::domain::SpendBy;

/// Asks what was spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpendRequest {
    /// What calls are grouped by; day by default.
    pub by: SpendBy,
    /// Calls that went out at this moment or later.
    pub since: Option<Moment>,
    /// Calls that went out at this moment or earlier; a day counts whole.
    pub until: Option<Moment>,
}

impl Request for SpendRequest {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "by",
            Kind::Choice(&["day", "model", "provider", "phase", "tag", "command"]),
            "What calls are grouped by; day by default.",
        ),
        Field::new("since", Kind::Moment, "Only calls made then or later: a date (UTC), a time or an age such as 7d."),
        Field::new("until", Kind::Moment, "Only calls made then or earlier; a date includes the whole day."),
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            by: values.text("by").and_then(|by| SpendBy::parse(&by)).unwrap_or_default(),
            since: values.moment("since"),
            until: values.moment("until"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_adding_up_can_be_asked_for() {
        let Kind::Choice(words) = SpendRequest::FIELDS[0].kind else { panic!("it is no choice") };
        assert_eq!(words, SpendBy::ALL.map(SpendBy::as_str));
    }
}
