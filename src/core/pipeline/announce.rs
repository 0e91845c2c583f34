//! Sends the events of a run, and collects its warnings for the result.

use std::sync::{Arc, Mutex, PoisonError};

use crate::domain::{Phase, SessionId};
use crate::error::{Code, Error};
use crate::event::EventKind;
use crate::event::run::{EventSender, Run, RunControl};

/// Sends the events of one run. Clones share the run.
#[derive(Clone)]
pub struct Announcer {
    events: EventSender,
    warnings: Arc<Mutex<Vec<String>>>,
}

impl Announcer {
    /// An announcer for the events of one run.
    pub fn new(events: EventSender) -> Self {
        Self { events, warnings: Arc::default() }
    }

    /// An announcer to nobody, for a part of other work. It collects warnings.
    pub(super) fn silent(session_id: SessionId) -> Self {
        let (events, _unread) = Run::new(session_id, RunControl::new(0));
        Self::new(events)
    }

    /// Sends one event.
    pub(super) async fn send(&self, kind: EventKind) {
        self.events.send(kind).await;
    }

    /// Sends and remembers a warning. Repeated messages are sent once.
    pub(super) async fn warn(&self, variant: Option<u32>, phase: Option<Phase>, message: String) {
        self.say(variant, phase, message, None).await;
    }

    /// Warns that the whole run continues without something because of this error.
    pub(super) async fn warn_of(&self, doing_without: &str, error: &Error) {
        let code = Some(error.code()).filter(|code| *code == Code::BudgetExceeded);
        self.say(None, None, format!("{doing_without}: {error}"), code).await;
    }

    /// Warns that a finished variant, or data about all of them, could not be stored.
    pub(super) async fn warn_unsaved(&self, variant: Option<u32>, error: &Error) {
        self.say(variant, None, error.to_string(), Some(Code::Storage)).await;
    }

    async fn say(&self, variant: Option<u32>, phase: Option<Phase>, message: String, code: Option<Code>) {
        {
            let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
            if warnings.contains(&message) {
                return;
            }
            warnings.push(message.clone());
        }
        self.events.send(EventKind::Warning { variant, phase, message, code }).await;
    }

    /// Every warning so far, in order.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The channel itself, for use-cases that send their own events.
    pub(super) fn events(&self) -> &EventSender {
        &self.events
    }
}
