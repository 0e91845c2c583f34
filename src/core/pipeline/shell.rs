//! Spawns work as a run: connects its events, attends its journal if it is a job, sends its end.

use super::announce::Announcer;
use super::plan::FollowUp;
use crate::domain::SessionId;
use crate::error::Error;
use crate::event::run::{Run, RunControl};
use crate::event::{EventKind, Outcome};
use crate::job::Journal;

/// The end of some work.
pub struct WorkEnd {
    /// The result or the error.
    pub result: Result<Outcome, Error>,
    /// Follow-up work, to begin after the last event.
    pub afterwards: Option<FollowUp>,
}

/// Starts work with this many variants in the current runtime and returns at once.
pub fn start<F: Future<Output = WorkEnd> + Send>(
    session_id: SessionId,
    variants: u32,
    journal: Option<Journal>,
    work: impl FnOnce(Announcer, RunControl) -> F + Send + 'static,
) -> Run {
    let control = RunControl::new(variants);
    let (events, run) = Run::new(session_id, control.clone());
    let events = match &journal {
        Some(journal) => events.tapped(journal.tap(&control)),
        None => events,
    };
    tokio::spawn(async move {
        let events = Announcer::new(events);
        let work = work(events.clone(), control.clone());
        let worked = match &journal {
            Some(journal) => journal.run_with_lease(&control, work).await,
            None => work.await,
        };
        let end = EventKind::end_of(worked.result);
        // End the job first, so that a consumer of the last event finds it ended.
        if let Some(journal) = &journal {
            journal.end(&end).await;
        }
        events.send(end).await;
        if let Some(begin) = worked.afterwards {
            begin();
        }
    });
    run
}
