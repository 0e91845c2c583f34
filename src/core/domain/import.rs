//! The report of an import: what happened to the records of a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PromptId;

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportReport {
    /// Records read.
    pub records: u64,
    /// Of these, stored now; with `dry_run`, those that would be.
    pub imported: u64,
    /// Of these, already stored and identical.
    pub existing: u64,
    /// Of these, already stored with other content, which was kept.
    pub conflicts: u64,
    /// The first of the conflicts.
    pub conflicting: Vec<Conflict>,
    /// Of these, skipped.
    pub skipped: u64,
    /// Why records were skipped, each reason once.
    pub skips: Vec<Skip>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// True if nothing was to be stored.
    pub dry_run: bool,
}

/// A record whose id is already stored with other content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conflict {
    /// The id.
    pub id: PromptId,
    /// Its place in the file: `record 3 (line 17)`.
    pub place: String,
    /// The fields that differ.
    pub fields: Vec<String>,
}

/// Records skipped for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skip {
    /// The reason.
    pub reason: String,
    /// How many records.
    pub count: u64,
    /// The place of the first one in the file.
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
