//! Watching a job from anywhere: what is written down of it, as events.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::time::{Instant, sleep};

use super::{ADOPTED_WITHIN, FOLLOWED_EVERY};
use crate::domain::{Job, JobState, SessionId};
use crate::error::{Error, Result};
use crate::event::{Event, EventKind};
use crate::store::Store;

/// What to do where there is no such job.
pub const HINT: &str = "`aludel jobs --all` lists them; one that has ended is forgotten after seven days at most";

/// Events that are read at once.
const STEP: u32 = 256;

/// A watcher of one job. Dropping it changes nothing for the job.
pub struct Following {
    store: Arc<dyn Store>,
    id: SessionId,
    /// The number of the next event.
    next: u64,
    read: VecDeque<EventKind>,
    /// Whether there were no more when the job stood as it was read.
    has_read_all: bool,
    job: Job,
    /// Since when nobody works on it.
    deserted: Option<Instant>,
    is_over: bool,
}

impl Following {
    /// Watches this job from the event of this number on.
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

    /// The job as it was when events were last read.
    pub const fn job(&self) -> &Job {
        &self.job
    }

    /// The next event, as soon as there is one. `None` after the terminal one, and where nobody
    /// works on the job any more and no server takes it up: how it stands says [`Following::job`].
    /// Cancel-safe.
    ///
    /// # Errors
    /// `not_found` when the job was forgotten meanwhile; `storage`.
    pub async fn next(&mut self) -> Result<Option<Event>> {
        loop {
            if let Some(kind) = self.read.pop_front() {
                let seq = self.next;
                self.next += 1;
                self.is_over = kind.is_terminal();
                return Ok(Some(Event { session_id: self.id, seq, kind }));
            }
            // What was read last belongs to the state that was read with it.
            if self.is_over || (self.has_read_all && !self.may_go_on()) {
                return Ok(None);
            }
            self.read_more().await?;
            if self.read.is_empty() && self.may_go_on() {
                sleep(FOLLOWED_EVERY).await;
            }
        }
    }

    /// Whether more is to be expected: somebody works on it, or a server may soon.
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

/// That there is no such job.
pub fn no_job(id: SessionId) -> Error {
    Error::NotFound { what: "job", key: id.to_string(), hint: HINT }
}
