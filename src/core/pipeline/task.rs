//! Work without variants: an index made anew, a file read in, a judge or providers tested.
//!
//! It is attached and no job. What an import or an index has done is durable step by step, and doing it again makes the
//! rest; a test that was stopped is made anew.

use serde::Serialize;

use super::shell::{Worked, start};
use crate::domain::{Operation, SessionId};
use crate::error::{Code, Error, Result};
use crate::event::{EventKind, EventSender, Outcome, Run};

/// Says how far some work is. Clones speak for the same run.
#[derive(Clone)]
pub struct Reporter {
    events: EventSender,
}

impl Reporter {
    /// So many units of this part are done, of how many.
    pub fn progress(&self, part: &str, done: u64, total: Option<u64>) {
        self.events.tell_progress(Some(part), done, total);
    }

    /// A unit of this name begins.
    pub async fn unit_started(&self, unit: &str) {
        self.events.send(EventKind::UnitStarted { unit: unit.to_owned() }).await;
    }

    /// A unit of this name came to this.
    ///
    /// # Errors
    /// `internal` for what cannot be written as JSON.
    pub async fn unit_finished(&self, unit: &str, result: &impl Serialize) -> Result<()> {
        let result = serde_json::to_value(result)
            .map_err(|error| Error::Internal(format!("the result of {unit} cannot be told: {error}")))?;
        self.events.send(EventKind::UnitFinished { unit: unit.to_owned(), result }).await;
        Ok(())
    }

    /// Something the user should know.
    pub async fn warn(&self, message: &str) {
        self.say(message.to_owned(), None).await;
    }

    /// What came of the work could not be stored.
    pub async fn warn_unsaved(&self, error: &Error) {
        self.say(error.to_string(), Some(Code::Storage)).await;
    }

    async fn say(&self, message: String, code: Option<Code>) {
        self.events.send(EventKind::Warning { variant: None, phase: None, message, code }).await;
    }
}

/// Starts work in the current runtime and returns at once. Stopped, or with its run dropped, it ends where it waits next.
pub fn start_task<F: Future<Output = Result<Outcome>> + Send>(
    session_id: SessionId,
    operation: Operation,
    total: Option<u64>,
    work: impl FnOnce(Reporter) -> F + Send + 'static,
) -> Run {
    start(session_id, 0, None, move |announcer, control| async move {
        let events = announcer.events().clone();
        events.send(EventKind::Started { operation, total, variants: 0, phases: Vec::new() }).await;
        let result = tokio::select! {
            biased;
            () = control.token().cancelled() => Err(Error::Cancelled),
            result = work(Reporter { events }) => result,
        };
        Worked { result, afterwards: None }
    })
}
