//! Stores model responses in a job's journal, so that the next attempt does not ask again.
//!
//! For requests that bypass the cache, which otherwise does the same.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use super::Journal;
use crate::provider::cache::{AnswerKey, AnswerStore, CacheNamespace, CachedAnswer, NamespaceLimits};
use crate::store::{JobProgress, JobUnit};

/// The limits of a job's responses, which are valid as long as the job exists.
pub const LIMITS: NamespaceLimits = NamespaceLimits { ttl: Duration::MAX, max_entries: 100_000 };

/// The journalled responses of one job.
pub struct JournalledAnswers(Journal);

impl JournalledAnswers {
    /// The responses in this journal.
    pub fn of(journal: Journal) -> Self {
        Self(journal)
    }
}

impl AnswerStore for JournalledAnswers {
    fn get(&self, key: &AnswerKey) -> Option<CachedAnswer> {
        serde_json::from_value(self.0.result_of(&unit_of(key))?.clone()).ok()
    }

    fn put(&self, _: CacheNamespace, _: NamespaceLimits, key: AnswerKey, answer: Arc<CachedAnswer>) {
        match serde_json::to_value(&*answer) {
            Ok(result) => {
                let unit = JobUnit { unit: unit_of(&key), is_whole: false, result };
                self.0.note(JobProgress { units: vec![unit], ..JobProgress::default() });
            }
            Err(defect) => tracing::error!(%defect, "an answer cannot be written down"),
        }
    }

    fn close(&self) {}
}

/// The unit name of a response in a journal.
fn unit_of(key: &AnswerKey) -> String {
    key.as_bytes().iter().fold("answer/".to_owned(), |mut name, byte| {
        // Writing into memory cannot fail.
        let _ = write!(name, "{byte:02x}");
        name
    })
}
