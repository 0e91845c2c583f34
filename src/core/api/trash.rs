//! Requests about the trash: list, restore, delete for good.

use super::decoder::Decoded;
use super::field::{Field, Kind};
use super::filter::{LIMIT, OFFSET};
use super::prompts::PROMPT_ID;
use super::{PromptKey, Request};
use crate::domain::limits;

/// Restores prompts from the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreRequest {
    /// Which prompts; `@last` is the one deleted last.
    pub prompt_ids: Vec<PromptKey>,
}

impl Request for RestoreRequest {
    const FIELDS: &'static [Field] = &[Field::new(
        "prompt_ids",
        Kind::PromptKeys { min: 1, max: limits::MAX_DELETIONS },
        "The prompts to restore, by id; @last is the last deleted one.",
    )
    .required()];

    fn from_decoded(mut values: Decoded) -> Self {
        Self { prompt_ids: values.keys("prompt_ids").unwrap_or_default() }
    }
}

/// Restores one prompt from the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreOneRequest {
    /// Which prompt.
    pub prompt_id: PromptKey,
}

impl Request for RestoreOneRequest {
    const FIELDS: &'static [Field] = &[PROMPT_ID];

    fn from_decoded(mut values: Decoded) -> Self {
        Self { prompt_id: values.key("prompt_id").unwrap_or(PromptKey::Last) }
    }
}

impl From<RestoreOneRequest> for RestoreRequest {
    fn from(one: RestoreOneRequest) -> Self {
        Self { prompt_ids: vec![one.prompt_id] }
    }
}

/// Deletes these prompts from the trash for good, or all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmptyTrashRequest {
    /// Which prompts; all where none are named.
    pub prompt_ids: Vec<PromptKey>,
}

impl Request for EmptyTrashRequest {
    const FIELDS: &'static [Field] = &[Field::new(
        "prompt_ids",
        Kind::PromptKeys { min: 1, max: limits::MAX_DELETIONS },
        "The prompts to delete for good, by id; by default all in the trash.",
    )];

    fn from_decoded(mut values: Decoded) -> Self {
        Self { prompt_ids: values.keys("prompt_ids").unwrap_or_default() }
    }
}

/// Lists what is in the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrashRequest {
    /// At most this many.
    pub limit: Option<u32>,
    /// Skips this many.
    pub offset: u64,
}

impl Request for TrashRequest {
    const FIELDS: &'static [Field] = &[LIMIT, OFFSET];

    fn from_decoded(mut values: Decoded) -> Self {
        Self { limit: values.count("limit"), offset: values.integer("offset").unwrap_or(0) }
    }
}
