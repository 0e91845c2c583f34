//! What a list of names needs to know of a stored prompt, without its text.

use super::{PromptId, Timestamp};

/// A stored prompt without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptOutline {
    /// Its id.
    pub id: PromptId,
    /// What it is named after: the request it was made from, or its own text if that is blank.
    pub subject: String,
    /// The size of its text in UTF-8, in bytes.
    pub content_bytes: u64,
    /// The persona it was written for.
    pub persona: String,
    /// Its labels.
    pub tags: Vec<String>,
    /// The user's notes.
    pub notes: Option<String>,
    /// 1, 2, …: raised by every change.
    pub revision: u32,
    /// When it was first stored.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
