//! Single flight: of equal requests that are under way at once, one is sent and the others wait for its answer.
//!
//! Nobody waits twice: where the first one fails, is dropped or shows no life for [`STALL`], whoever waited asks for
//! itself. So a failure is never multiplied in time, and a caller whose reader has gone to sleep holds nobody up.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use super::{Answer, AnswerKey};

/// Without a chunk for so long, the others go without the first.
pub(super) const STALL: Duration = Duration::from_mins(1);

type Landing = Option<Arc<Answer>>;

/// The requests under way.
#[derive(Default)]
pub(super) struct InFlight {
    open: Mutex<HashMap<AnswerKey, watch::Receiver<Landing>>>,
}

/// Where a request stands.
pub(super) enum Place {
    /// It is to be sent.
    First(Leading),
    /// An equal one was sent before.
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

    /// Nothing that runs under this lock can fail half-way.
    fn open(&self) -> MutexGuard<'_, HashMap<AnswerKey, watch::Receiver<Landing>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The request that is sent. Dropping it sends the others off to ask for themselves.
pub(super) struct Leading {
    flights: Arc<InFlight>,
    key: AnswerKey,
    landing: watch::Sender<Landing>,
}

impl Leading {
    /// Tells the others that waiting is still worth it.
    pub(super) fn report_progress(&self) {
        self.landing.send_modify(|_| {});
    }

    /// Gives the others the answer.
    pub(super) fn complete(self, answer: Arc<Answer>) {
        self.landing.send_replace(Some(answer));
    }
}

impl Drop for Leading {
    fn drop(&mut self) {
        self.flights.open().remove(&self.key);
    }
}

/// A request that waits for another's answer.
pub(super) struct Following {
    landing: watch::Receiver<Landing>,
}

impl Following {
    /// The answer; `None` when none will come.
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
