//! Prompts that a host offers its user by name, in a menu, say.

use serde::{Deserialize, Serialize};

/// A prompt that can be chosen by name and filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedPrompt {
    /// Its name: `a-z`, `0-9`, `-` and `_`. Never changes.
    pub name: String,
    /// A title for people, on one line.
    pub title: String,
    /// What it is for, on one line.
    pub description: String,
    /// What it needs, in the order to ask for it.
    pub arguments: Vec<OfferedArgument>,
}

/// A text that a prompt needs before it can be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedArgument {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
}

/// A page of offered prompts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedPage {
    /// On the first page the personas, then stored prompts, newest first.
    pub prompts: Vec<OfferedPrompt>,
    /// The cursor of the next page; `None` on the last one.
    pub next_cursor: Option<String>,
}

/// The values that could complete what a user has begun to type.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestions {
    /// The first of them.
    pub values: Vec<String>,
    /// How many there are, if they were counted.
    pub total: Option<u64>,
    /// True if there are more than `values`.
    pub has_more: bool,
}
