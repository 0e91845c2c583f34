//! The Jobs screen: work that is under way in any process on this database, or can be resumed.
//!
//! Plain data; [`crate::tui::screens::jobs`] handles keys and replies. Each request has a ticket,
//! and only the reply to the newest one of its kind is accepted.

use aludel_core::domain::{Job, JobDetails, JobState, SessionId, Timestamp};
use aludel_core::error::Problem;
use aludel_core::time::from_millis;
use serde_json::Value;

use super::batch::Batch;
use crate::tui::effect::{CoreResult, Ticket};
use crate::tui::widgets::figures::thousands;

/// A list of jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JobListing {
    /// The jobs, the newest first.
    pub(crate) jobs: Vec<Job>,
    /// When it was read; ages count from here.
    pub(crate) at: Timestamp,
}

/// Why the list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefreshTrigger {
    /// The user asked, and is shown progress.
    User,
    /// The screen refreshes itself.
    Clock,
}

/// A job in one of its states. Its details change only with these.
pub(crate) type JobAndState = (SessionId, JobState);

/// The Jobs screen.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    /// True to show finished jobs too.
    pub(crate) all: bool,
    /// The pending request for the list.
    pub(crate) asked: Option<(Ticket, RefreshTrigger)>,
    /// The last list; `None` before the first.
    pub(crate) listed: Option<JobListing>,
    /// When it arrived.
    pub(crate) arrived: u64,
    /// Why the last request failed.
    pub(crate) problem: Option<Box<Problem>>,
    /// The pending request for a job's details.
    pub(crate) reading: Option<(Ticket, JobAndState)>,
    /// The details last read, or why they could not be read.
    pub(crate) read: Option<(JobAndState, CoreResult<Box<JobDetails>>)>,
    /// The job being stopped.
    pub(crate) stopping: Option<(Ticket, SessionId)>,
    /// The job being resumed, with the ticket of its run.
    pub(crate) resuming: Option<(Ticket, SessionId)>,
    /// The last job that could not be stopped or resumed, and why.
    pub(crate) refused: Option<(SessionId, Box<Problem>)>,
    /// True to show the request and the result of the selected job.
    pub(crate) is_whole: bool,
    /// The job to select in the next list.
    pub(crate) wanted: Option<SessionId>,
    /// The selected row.
    pub(crate) marked: usize,
    /// The first visible row.
    pub(crate) top: usize,
    /// The first visible row of the selected job's details.
    pub(crate) details_top: usize,
    /// The file of rows that is being checked.
    pub(crate) checking: Option<Checking>,
    /// The pending request to start the checked batch.
    pub(crate) starting: Option<Ticket>,
    /// The batch that is shown in place of the list.
    pub(crate) batch: Option<Box<Batch>>,
    /// Batches that this process works on, and that end with it.
    pub(crate) own: Vec<SessionId>,
    /// The last ticket issued.
    pub(crate) last_ticket: Ticket,
}

impl Jobs {
    /// The next ticket.
    pub(crate) fn ticket(&mut self) -> Ticket {
        self.last_ticket = self.last_ticket.next();
        self.last_ticket
    }

    /// The jobs; empty before the first list.
    pub(crate) fn rows(&self) -> &[Job] {
        self.listed.as_ref().map_or(&[], |listed| &listed.jobs)
    }

    /// The selected job.
    pub(crate) fn marked(&self) -> Option<&Job> {
        self.rows().get(self.marked)
    }

    /// The batch that is shown, or the selected job: what is stopped and resumed.
    pub(crate) fn current(&self) -> Option<&Job> {
        self.batch.as_ref().map(|batch| &batch.job).or_else(|| self.marked())
    }

    /// The selected job's details, or why they could not be read; `None` until then.
    pub(crate) fn whole(&self) -> Option<&CoreResult<Box<JobDetails>>> {
        let marked = self.marked()?;
        self.read.as_ref().filter(|((id, _), _)| *id == marked.id).map(|(_, outcome)| outcome)
    }

    /// True while a process works on any of them.
    pub(crate) fn has_active(&self) -> bool {
        self.rows().iter().any(|job| job.state.is_active())
    }

    /// True while the spinner is shown.
    pub(crate) fn is_waiting(&self) -> bool {
        let is_batch_active =
            self.batch.as_ref().is_some_and(|batch| batch.asked.is_some() || batch.job.state.is_active());
        let is_asked = self.stopping.is_some() || self.resuming.is_some() || self.starting.is_some();
        self.is_looking() || is_asked || is_batch_active || self.has_active()
    }

    /// True while the user waits for the list.
    pub(crate) const fn is_looking(&self) -> bool {
        matches!(self.asked, Some((_, RefreshTrigger::User)))
    }

    /// The time at `now` (milliseconds since the program began), based on the time of the list.
    pub(crate) fn moment(&self, now: u64) -> Timestamp {
        let Some(listed) = &self.listed else { return Timestamp::UNIX_EPOCH };
        let since = i64::try_from(now.saturating_sub(self.arrived)).unwrap_or(0);
        from_millis(listed.at.as_millisecond().saturating_add(since))
    }
}

/// A file of rows that is being checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Checking {
    /// Identifies the check.
    pub(crate) ticket: Ticket,
    /// Rows that are checked.
    pub(crate) rows: u64,
}

impl Checking {
    /// `checking, 12,000 rows so far`.
    pub(crate) fn told(self) -> String {
        match self.rows {
            0 => "checking the file".to_owned(),
            rows => format!("checking the file, {} rows so far", thousands(rows)),
        }
    }
}

/// The request of a job without its empty fields.
pub(crate) fn said_in(request: &Value) -> Value {
    let is_open = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    match request {
        Value::Object(fields) => {
            let said = fields.iter().filter(|(_, value)| !is_open(value));
            Value::Object(said.map(|(name, value)| (name.clone(), value.clone())).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_request_left_open_is_not_said() {
        let request = json!({ "input": "idea", "count": null, "tags": [], "context": ["a"], "save": true });
        assert_eq!(said_in(&request), json!({ "input": "idea", "context": ["a"], "save": true }));
        assert_eq!(said_in(&json!("odd")), json!("odd"));
    }

    #[test]
    fn ages_go_on_between_two_answers() {
        let mut jobs = Jobs { arrived: 500, ..Jobs::default() };
        assert_eq!(jobs.moment(900), Timestamp::UNIX_EPOCH);
        jobs.listed = Some(JobListing { jobs: Vec::new(), at: from_millis(7_000) });
        assert_eq!(jobs.moment(900), from_millis(7_400));
    }
}
