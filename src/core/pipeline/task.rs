//! Work without variants: reindexing, imports, tests of judges and providers.
//!
//! A task is attached to its run and is not a job. The steps of an import or a reindex are durable,
//! and repeating it does the rest; a stopped test starts again from the beginning.

use serde::Serialize;

use super::shell::{WorkEnd, start};
use crate::domain::{Operation, SessionId};
use crate::error::{Code, Error, Result};
use crate::event::run::{EventSender, Run};
use crate::event::{EventKind, Outcome};

/// Reports the progress of some work. Clones share the run.
#[derive(Clone)]
pub struct Reporter {
    events: EventSender,
}

impl Reporter {
    /// Reports the number of finished units of this part, and the total if known.
    pub fn progress(&self, part: &str, done: u64, total: Option<u64>) {
        self.events.send_progress(Some(part), done, total);
    }

    /// Reports that a unit begins.
    pub async fn unit_started(&self, unit: &str) {
        self.events.send(EventKind::UnitStarted { unit: unit.to_owned() }).await;
    }

    /// Reports the result of a unit.
    ///
    /// # Errors
    /// `internal` when the result cannot be written as JSON.
    pub async fn unit_finished(&self, unit: &str, result: &impl Serialize) -> Result<()> {
        let result = serde_json::to_value(result)
            .map_err(|error| Error::Internal(format!("the result of {unit} cannot be told: {error}")))?;
        self.events.send(EventKind::UnitFinished { unit: unit.to_owned(), result }).await;
        Ok(())
    }

    /// Sends a warning.
    pub async fn warn(&self, message: &str) {
        self.say(message.to_owned(), None).await;
    }

    /// Warns that the result could not be stored.
    pub async fn warn_unsaved(&self, error: &Error) {
        self.say(error.to_string(), Some(Code::Storage)).await;
    }

    async fn say(&self, message: String, code: Option<Code>) {
        self.events.send(EventKind::Warning { variant: None, phase: None, message, code }).await;
    }
}

/// Starts work in the current runtime. Stopping or dropping the run ends it at its next await.
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
        WorkEnd { result, afterwards: None }
    })
}
