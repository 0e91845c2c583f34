//! Answers of models, kept in a job's journal: what one attempt was told, the next one does not ask
//! for again.
//!
//! For requests that leave the cache out, which otherwise has the same use.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use super::Journal;
use crate::provider::cache::{Answer, AnswerKey, AnswerStore, CacheNamespace, NamespaceLimits};
use crate::store::{JobProgress, JobUnit};

/// A job's answers are good as long as the job is.
pub const LIMITS: NamespaceLimits = NamespaceLimits { ttl: Duration::MAX, max_entries: 100_000 };

/// The answers of one job.
pub struct JournalledAnswers(Journal);

impl JournalledAnswers {
    /// Those in this journal.
    pub fn of(journal: Journal) -> Self {
        Self(journal)
    }
}

impl AnswerStore for JournalledAnswers {
    fn get(&self, key: &AnswerKey) -> Option<Answer> {
        serde_json::from_value(self.0.result_of(&unit_of(key))?.clone()).ok()
    }

    fn put(&self, _: CacheNamespace, _: NamespaceLimits, key: AnswerKey, answer: Arc<Answer>) {
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

/// The name of an answer in a journal.
fn unit_of(key: &AnswerKey) -> String {
    key.as_bytes().iter().fold("answer/".to_owned(), |mut name, byte| {
        // Writing into memory cannot fail.
        let _ = write!(name, "{byte:02x}");
        name
    })
}
