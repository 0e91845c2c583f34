//! The fields that filter stored prompts, shared by all operations that select some.

use super::field::{Field, Kind};
use super::{Decoded, Moment};
use crate::domain::{Filter, Phase, Timestamp, limits};

pub(super) const LIMIT: Field =
    Field::new("limit", Kind::Integer { min: 1, max: limits::MAX_LIMIT }, "Maximum rows, 1 to 1000; 10 by default.");
pub(super) const OFFSET: Field =
    Field::new("offset", Kind::Integer { min: 0, max: 1 << 40 }, "Rows to skip; 0 by default.");
pub(super) const PHASE: Field = Field::new("phase", Kind::Phase, "Only prompts whose last step was this phase.");
// Stored prompts can have names that are no longer configured, so any name is allowed.
pub(super) const PROVIDER: Field =
    Field::new("provider", Kind::Name { min: 1 }, "Only prompts whose last step used this provider.");
pub(super) const MODEL: Field =
    Field::new("model", Kind::Name { min: 1 }, "Only prompts whose last step used this model.");
pub(super) const PERSONA: Field =
    Field::new("persona", Kind::Name { min: 1 }, "Only prompts written for this persona.");
pub(super) const TAGS: Field = Field::new("tags", Kind::Tags, "Only prompts that have all of these tags.");
pub(super) const SINCE: Field = Field::new(
    "since",
    Kind::Moment,
    "Only prompts created then or later: a date, an RFC 3339 time or an age such as 7d.",
);
pub(super) const UNTIL: Field =
    Field::new("until", Kind::Moment, "Only prompts created then or earlier; a date includes the whole day.");

/// A filter of stored prompts. The default selects all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    /// The last step's phase.
    pub phase: Option<Phase>,
    /// The last step's provider.
    pub provider: Option<String>,
    /// The last step's model.
    pub model: Option<String>,
    /// The persona.
    pub persona: Option<String>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// Made at this moment or later.
    pub since: Option<Moment>,
    /// Made at this moment or earlier; a day counts whole.
    pub until: Option<Moment>,
}

impl Filters {
    /// Takes the filters from the values of a request.
    pub(super) fn from_decoded(values: &mut Decoded) -> Self {
        Self {
            phase: values.phase("phase"),
            provider: values.text("provider"),
            model: values.text("model"),
            persona: values.text("persona"),
            tags: values.texts("tags").unwrap_or_default(),
            since: values.moment("since"),
            until: values.moment("until"),
        }
    }

    /// Converts them to a store filter. Ages count back from `now`.
    pub fn into_filter(self, now: Timestamp) -> Filter {
        Filter {
            tags: self.tags,
            phase: self.phase,
            provider: self.provider,
            model: self.model,
            persona: self.persona,
            session_id: None,
            since: self.since.map(|moment| moment.as_since(now)),
            until: self.until.map(|moment| moment.as_until(now)),
        }
    }
}
