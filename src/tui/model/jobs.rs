//! The jobs, as shown: work that is under way in any process on this database, or can be resumed.
//!
//! Plain data; what keys and answers do to it is in [`crate::tui::screens::jobs`]. Each question
//! has a ticket, and only the answer to the newest question of its sort is taken.

use aludel_core::domain::{Job, JobDetails, JobState, SessionId, Timestamp};
use aludel_core::error::Problem;
use aludel_core::time::from_millis;
use serde_json::Value;

use crate::tui::effect::Ticket;
use crate::tui::message::Outcome;

/// What the core answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    /// The jobs, the newest first.
    pub(crate) jobs: Vec<Job>,
    /// When they stood so, which ages count from.
    pub(crate) at: Timestamp,
}

/// Who asked for the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asker {
    /// The user, who is shown that it is looked for.
    User,
    /// The screen itself, to keep what it shows true.
    Clock,
}

/// A job in one of its states. What is known of it in full changes only with these.
pub(crate) type Stand = (SessionId, JobState);

/// The screen of the jobs.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    /// True when those that have finished are shown, too.
    pub(crate) all: bool,
    /// The question for the list that is under way.
    pub(crate) asked: Option<(Ticket, Asker)>,
    /// What was answered last; `None` before the first answer.
    pub(crate) listed: Option<Listed>,
    /// When the last answer arrived.
    pub(crate) arrived: u64,
    /// Why the last question had no answer.
    pub(crate) problem: Option<Box<Problem>>,
    /// The question for a job in full that is under way.
    pub(crate) reading: Option<(Ticket, Stand)>,
    /// The job that was read in full last, or why it was not.
    pub(crate) read: Option<(Stand, Outcome<Box<JobDetails>>)>,
    /// The job that is being stopped.
    pub(crate) stopping: Option<(Ticket, SessionId)>,
    /// The job that is being resumed; the ticket is that of its run.
    pub(crate) resuming: Option<(Ticket, SessionId)>,
    /// The job that could not be stopped or resumed last, and why.
    pub(crate) refused: Option<(SessionId, Box<Problem>)>,
    /// True when the request and the result of the marked one are shown.
    pub(crate) is_whole: bool,
    /// The marked row.
    pub(crate) marked: usize,
    /// The first visible row.
    pub(crate) top: usize,
    /// The first visible row of what is known of the marked one.
    pub(crate) details_top: usize,
    /// The last ticket given out.
    pub(crate) last_ticket: Ticket,
}

impl Jobs {
    /// The next ticket.
    pub(crate) fn ticket(&mut self) -> Ticket {
        self.last_ticket = self.last_ticket.next();
        self.last_ticket
    }

    /// The jobs, none before the first answer.
    pub(crate) fn rows(&self) -> &[Job] {
        self.listed.as_ref().map_or(&[], |listed| &listed.jobs)
    }

    /// The marked one.
    pub(crate) fn marked(&self) -> Option<&Job> {
        self.rows().get(self.marked)
    }

    /// The marked one in full, or why it could not be read; `None` until that is answered.
    pub(crate) fn whole(&self) -> Option<&Outcome<Box<JobDetails>>> {
        let marked = self.marked()?;
        self.read.as_ref().filter(|((id, _), _)| *id == marked.id).map(|(_, outcome)| outcome)
    }

    /// True while a process works on one of them.
    pub(crate) fn has_active(&self) -> bool {
        self.rows().iter().any(|job| job.state.is_active())
    }

    /// True while something is waited for whose coming is shown by what turns.
    pub(crate) fn is_waiting(&self) -> bool {
        self.is_looking() || self.stopping.is_some() || self.resuming.is_some() || self.has_active()
    }

    /// True while the user waits for the list.
    pub(crate) const fn is_looking(&self) -> bool {
        matches!(self.asked, Some((_, Asker::User)))
    }

    /// The time at `now` (milliseconds since the program began), counted from that of the answer.
    pub(crate) fn moment(&self, now: u64) -> Timestamp {
        let Some(listed) = &self.listed else { return Timestamp::UNIX_EPOCH };
        let since = i64::try_from(now.saturating_sub(self.arrived)).unwrap_or(0);
        from_millis(listed.at.as_millisecond().saturating_add(since))
    }
}

/// The request of a job without what it left open, as a raw request says it.
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
        jobs.listed = Some(Listed { jobs: Vec::new(), at: from_millis(7_000) });
        assert_eq!(jobs.moment(900), from_millis(7_400));
    }
}
