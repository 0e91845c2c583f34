//! Which stored prompts are meant, and in which order they come: what a request chooses by and what a store is asked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Phase, SessionId, Timestamp};

/// A filter on prompts. The empty filter passes all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Has all of these tags.
    pub tags: Vec<String>,
    /// The last step's phase.
    pub phase: Option<Phase>,
    /// The last step's provider.
    pub provider: Option<String>,
    /// The last step's model.
    pub model: Option<String>,
    /// The persona.
    pub persona: Option<String>,
    /// The run.
    pub session_id: Option<SessionId>,
    /// Made at this moment or later.
    pub since: Option<Timestamp>,
    /// Made before this moment.
    pub until: Option<Timestamp>,
}

/// The sort order of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// By creation time, newest first; the id breaks ties.
    #[default]
    Newest,
    /// By creation time, oldest first.
    Oldest,
    /// By score, best first, unranked last; equal scores newest first.
    Score,
}
