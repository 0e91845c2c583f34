//! The shell around work: spawns it, gives it a voice, has it attended where it is a job, and tells
//! its end.

use super::announce::Announcer;
use super::plan::Begin;
use crate::domain::SessionId;
use crate::error::Error;
use crate::event::{EventKind, Outcome, Run, RunControl};
use crate::job::Journal;

/// What some work came to.
pub struct Worked {
    /// The result, or why there is none.
    pub result: Result<Outcome, Error>,
    /// What was announced, to be begun once the end is told.
    pub afterwards: Option<Begin>,
}

/// Starts work of so many variants in the current runtime and returns at once.
pub fn start<F: Future<Output = Worked> + Send>(
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
            Some(journal) => journal.attended(&control, work).await,
            None => work.await,
        };
        let end = EventKind::end_of(worked.result);
        // First, so that whoever sees the end and looks finds the job ended.
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
