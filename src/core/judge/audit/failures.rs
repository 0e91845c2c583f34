//! When a test ends early: nothing usable has come back for so long that going on would only cost.

use crate::error::{Code, Error, Result};
use crate::judge::Judge;
use crate::judge::ask::Unanswered;

/// So many failures in a row, with no valid answer between them, end a test.
pub(super) const MOST: usize = 8;

/// The failures since the last valid answer, over every stage of a test.
#[derive(Debug, Default)]
pub struct Failures {
    /// Since the last valid answer.
    in_a_row: usize,
    /// Of all calls so far.
    missing: usize,
    /// All calls so far.
    asked: usize,
    /// The newest failed call since the last valid answer.
    error: Option<Error>,
    /// What was wrong with the newest reply that could not be read.
    unreadable: String,
}

impl Failures {
    /// A valid answer.
    pub(super) fn end(&mut self) {
        self.asked += 1;
        self.in_a_row = 0;
        self.error = None;
    }

    /// One more failure.
    ///
    /// # Errors
    /// A cap that is reached, at once; else what has failed, when it was one too many.
    pub(super) fn add(&mut self, judge: &Judge, unanswered: Unanswered) -> Result<()> {
        self.asked += 1;
        self.missing += 1;
        self.in_a_row += 1;
        match unanswered {
            Unanswered::Failed(error) if error.code() == Code::BudgetExceeded => return Err(error),
            Unanswered::Failed(error) => self.error = Some(error),
            Unanswered::Unreadable(fault) => self.unreadable = fault,
        }
        if self.in_a_row < MOST {
            return Ok(());
        }
        std::mem::take(self).into_error(judge).map_or(Ok(()), Err)
    }

    /// What has failed since the last valid answer, if anything has.
    pub(super) fn into_error(self, judge: &Judge) -> Option<Error> {
        if self.in_a_row == 0 {
            return None;
        }
        let name = judge.name();
        Some(self.error.unwrap_or_else(|| Error::JudgeUnreliable {
            judge: format!("{}/{}", name.provider, name.model),
            missing: self.missing,
            total: self.asked,
            last: format!("Of the last reply: {}. ", self.unreadable),
        }))
    }
}
