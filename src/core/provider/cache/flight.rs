//! Single flight: of equal concurrent requests one is sent, and the others wait for its answer.
//!
//! If the first one fails, is dropped or makes no progress for [`STALL`], the others are sent too
//! and do not wait again. So delays do not add up, and a stalled reader blocks nobody else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use super::{Answer, AnswerKey};

/// After this long without a chunk, the others stop waiting.
pub(super) const STALL: Duration = Duration::from_mins(1);

type Landing = Option<Arc<Answer>>;

/// The requests in flight.
#[derive(Default)]
pub(super) struct InFlight {
    open: Mutex<HashMap<AnswerKey, watch::Receiver<Landing>>>,
}

/// The role of a request.
pub(super) enum Place {
    /// It is to be sent.
    First(Leading),
    /// It waits for an equal one in flight.
    Behind(Following),
}

impl InFlight {
    /// Joins the call in flight for `key`, or starts one.
    pub(super) fn join(self: &Arc<Self>, key: AnswerKey) -> Place {
        let mut open = self.open();
        if let Some(landing) = open.get(&key) {
            return Place::Behind(Following { landing: landing.clone() });
        }
        let (landing, others) = watch::channel(None);
        open.insert(key, others);
        Place::First(Leading { flights: Arc::clone(self), key, landing })
    }

    /// A poisoned lock is safe to use: no update under it can be left half done.
    fn open(&self) -> MutexGuard<'_, HashMap<AnswerKey, watch::Receiver<Landing>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The request that is sent. Dropping it makes the others send their own.
pub(super) struct Leading {
    flights: Arc<InFlight>,
    key: AnswerKey,
    landing: watch::Sender<Landing>,
}

impl Leading {
    /// Resets the others' stall timer.
    pub(super) fn report_progress(&self) {
        self.landing.send_modify(|_| {});
    }

    /// Hands the answer to the others.
    pub(super) fn complete(self, answer: Arc<Answer>) {
        self.landing.send_replace(Some(answer));
    }
}

impl Drop for Leading {
    fn drop(&mut self) {
        self.flights.open().remove(&self.key);
    }
}

/// A request waiting for another's answer.
pub(super) struct Following {
    landing: watch::Receiver<Landing>,
}

impl Following {
    /// Waits for the answer; `None` when none will come.
    pub(super) async fn answer(mut self) -> Option<Arc<Answer>> {
        loop {
            let news = timeout(STALL, self.landing.changed()).await;
            let answer = self.landing.borrow().clone();
            if answer.is_some() || !matches!(news, Ok(Ok(()))) {
                return answer;
            }
        }
    }
}
