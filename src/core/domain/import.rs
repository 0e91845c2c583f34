//! The report of an import: what happened to the records of a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PromptId;

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportReport {
    /// Records read.
    pub records: u64,
    /// Of these, stored now; with `dry_run`, those that would be.
    pub imported: u64,
    /// Of these, stored before, and the same.
    pub existing: u64,
    /// Of these, stored before with something else in them; what is stored was kept.
    pub conflicts: u64,
    /// The first of the conflicts.
    pub conflicting: Vec<Conflict>,
    /// Of these, not taken.
    pub skipped: u64,
    /// Why, each reason once.
    pub skips: Vec<Skip>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// True when nothing was to be stored.
    pub dry_run: bool,
}

/// A record whose id is stored with something else in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conflict {
    /// The id.
    pub id: PromptId,
    /// Where in the file it is: `record 3 (line 17)`.
    pub place: String,
    /// The fields that differ.
    pub fields: Vec<String>,
}

/// Records that were not taken, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skip {
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// Where the first of them is.
    pub first: String,
}

impl ImportReport {
    /// Counts a skipped record. Only the first few reasons are reported.
    pub(crate) fn skip(&mut self, reason: String, place: String) {
        const SKIPS_SHOWN: usize = 10;

        self.skipped += 1;
        let has_room = self.skips.len() < SKIPS_SHOWN;
        match self.skips.iter_mut().find(|skip| skip.reason == reason) {
            Some(skip) => skip.count += 1,
            None if has_room => self.skips.push(Skip { reason, count: 1, first: place }),
            None => {}
        }
    }
}
