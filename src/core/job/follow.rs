//! Follows a job from any process, by reading its recorded events.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::time::{Instant, sleep};

use super::{ADOPTED_WITHIN, FOLLOWED_EVERY};
use crate::domain::{Job, JobState, SessionId};
use crate::error::{Error, Result};
use crate::event::{Event, EventKind};
use crate::store::Store;

/// The hint for a missing job.
pub const HINT: &str = "`aludel jobs --all` lists them; one that has ended is forgotten after seven days at most";

/// The number of events read at once.
const STEP: u32 = 256;

/// A follower of one job. Dropping it does not affect the job.
pub struct JobFollower {
    store: Arc<dyn Store>,
    id: SessionId,
    /// The number of the next event.
    next: u64,
    read: VecDeque<EventKind>,
    /// True if the last read reached the end of the events.
    has_read_all: bool,
    job: Job,
    /// Since when no process works on it.
    deserted: Option<Instant>,
    is_over: bool,
}

impl JobFollower {
    /// Follows this job from the event number `from`.
    ///
    /// # Errors
    /// `not_found`; `storage`.
    pub async fn of(store: Arc<dyn Store>, id: SessionId, from: u64) -> Result<Self> {
        let found = store.job_events(id, from, STEP).await?.ok_or_else(|| no_job(id))?;
        let has_read_all = found.events.len() < STEP as usize;
        Ok(Self {
            store,
            id,
            next: from,
            read: found.events.into(),
            has_read_all,
            job: found.job,
            deserted: None,
            is_over: false,
        })
    }

    /// The job as of the last read.
    pub const fn job(&self) -> &Job {
        &self.job
    }

    /// Waits for the next event. `None` after the terminal one, or if no process works on the job
    /// and no server resumes it; [`JobFollower::job`] has its state then. Cancel-safe.
    ///
    /// # Errors
    /// `not_found` when the job was removed meanwhile; `storage`.
    pub async fn next(&mut self) -> Result<Option<Event>> {
        loop {
            if let Some(kind) = self.read.pop_front() {
                let seq = self.next;
                self.next += 1;
                self.is_over = kind.is_terminal();
                return Ok(Some(Event { session_id: self.id, seq, kind }));
            }
            // The last events and the job's state were read together.
            if self.is_over || (self.has_read_all && !self.may_go_on()) {
                return Ok(None);
            }
            self.read_more().await?;
            if self.read.is_empty() && self.may_go_on() {
                sleep(FOLLOWED_EVERY).await;
            }
        }
    }

    /// Whether more events can come: a process works on the job, or a server may resume it soon.
    fn may_go_on(&mut self) -> bool {
        if self.job.state.is_active() {
            self.deserted = None;
            return true;
        }
        let since = *self.deserted.get_or_insert_with(Instant::now);
        self.job.kept && self.job.state == JobState::Interrupted && since.elapsed() < ADOPTED_WITHIN
    }

    async fn read_more(&mut self) -> Result<()> {
        let found = self.store.job_events(self.id, self.next, STEP).await?.ok_or_else(|| no_job(self.id))?;
        self.has_read_all = found.events.len() < STEP as usize;
        self.read.extend(found.events);
        self.job = found.job;
        Ok(())
    }
}

/// The error for a missing job.
pub fn no_job(id: SessionId) -> Error {
    Error::NotFound { what: "job", key: id.to_string(), hint: HINT }
}
