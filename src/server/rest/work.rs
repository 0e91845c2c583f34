//! What the handler of a request reports about its work, for the answer to be kept or not.
//!
//! The mark travels in the extensions of a request that has an idempotency key; others have none.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aludel_core::domain::SessionId;
use aludel_core::error::Problem;
use aludel_core::event::EventKind;

/// The mark of one request. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct WorkMark(Arc<Mutex<Work>>);

#[derive(Debug, Default)]
struct Work {
    run: Option<SessionId>,
    streamed: Streamed,
}

/// How far the events of a run were streamed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Streamed {
    /// The answer is not made of events.
    #[default]
    Nothing,
    /// The last event is still to come.
    Some,
    /// The last event was sent. `is_final` if a repetition should get the same.
    All {
        /// False if the same request may end otherwise next time.
        is_final: bool,
    },
}

/// True if a failure with this problem should be repeated, and not tried again: the server and the
/// provider did their part.
pub(super) fn is_final(problem: &Problem) -> bool {
    // A conflict here is a run that someone stopped.
    problem.status < 500 && problem.status != 409
}

impl WorkMark {
    fn lock(&self) -> MutexGuard<'_, Work> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Work began, as this run or job.
    pub(super) fn began(&self, run: SessionId) {
        self.lock().run = Some(run);
    }

    /// The run or job that began.
    pub(super) fn run(&self) -> Option<SessionId> {
        self.lock().run
    }

    /// The answer is the events of a run.
    pub(super) fn streams(&self) {
        self.lock().streamed = Streamed::Some;
    }

    /// An event was sent.
    pub(super) fn sent(&self, event: &EventKind) {
        let is_final = match event {
            EventKind::Finished { .. } => true,
            EventKind::Failed { error } => is_final(error),
            EventKind::Cancelled {} => false,
            _ => return,
        };
        self.lock().streamed = Streamed::All { is_final };
    }

    /// How far the events were streamed.
    pub(super) fn streamed(&self) -> Streamed {
        self.lock().streamed
    }
}
