//! Ends an audit early when it gets no usable answers and would only cost money.

use crate::error::{Code, Error, Result};
use crate::judge::Judge;
use crate::judge::ask::AnswerError;

/// The number of failures in a row that ends an audit.
pub(super) const MOST: usize = 8;

/// The failures since the last valid answer, over all stages of an audit.
#[derive(Debug, Default)]
pub struct Failures {
    /// Failures since the last valid answer.
    in_a_row: usize,
    /// All failures so far.
    missing: usize,
    /// All calls so far.
    asked: usize,
    /// The last failed call since the last valid answer.
    error: Option<Error>,
    /// What was wrong with the last unreadable reply.
    unreadable: String,
}

impl Failures {
    /// Counts a valid answer.
    pub(super) fn end(&mut self) {
        self.asked += 1;
        self.in_a_row = 0;
        self.error = None;
    }

    /// Counts a failure.
    ///
    /// # Errors
    /// A reached cap, at once; otherwise the failure, if it is one too many.
    pub(super) fn add(&mut self, judge: &Judge, unanswered: AnswerError) -> Result<()> {
        self.asked += 1;
        self.missing += 1;
        self.in_a_row += 1;
        match unanswered {
            AnswerError::Failed(error) if error.code() == Code::BudgetExceeded => return Err(error),
            AnswerError::Failed(error) => self.error = Some(error),
            AnswerError::Unreadable(fault) => self.unreadable = fault,
        }
        if self.in_a_row < MOST {
            return Ok(());
        }
        std::mem::take(self).into_error(judge).map_or(Ok(()), Err)
    }

    /// The error of the failures since the last valid answer, if any.
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
