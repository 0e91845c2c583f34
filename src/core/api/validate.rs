//! The request of `validate`: how thoroughly to check.

use super::field::{Field, Kind};
use super::{Decoded, Request};

/// Asks whether everything a run needs works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ValidateRequest {
    /// True: checks only the tables of the database, not every page.
    pub quick: bool,
}

impl Request for ValidateRequest {
    const FIELDS: &'static [Field] = &[Field::new(
        "quick",
        Kind::Boolean,
        "Check only the tables of the database, not every page, which takes seconds for a large one; false by default.",
    )];

    fn from_decoded(mut values: Decoded) -> Self {
        Self { quick: values.boolean("quick").unwrap_or(false) }
    }
}
