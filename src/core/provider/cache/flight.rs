//! Single flight: of equal concurrent requests one is sent, and the others wait for its answer.
//!
//! If the first one fails, is dropped or makes no progress for [`STALL`], the others are sent too
//! and do not wait again. So delays do not add up, and a stalled reader blocks nobody else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use super::{AnswerKey, CachedAnswer};

/// After this long without a chunk, the others stop waiting.
pub(super) const STALL: Duration = Duration::from_mins(1);

type SharedResult = Option<Arc<CachedAnswer>>;

/// The requests in flight.
#[derive(Default)]
pub(super) struct InFlight {
    open: Mutex<HashMap<AnswerKey, watch::Receiver<SharedResult>>>,
}

/// The role of a request.
pub(super) enum FlightRole {
    /// It is to be sent.
    Leader(Leader),
    /// It waits for an equal one in flight.
    Follower(Follower),
}

impl InFlight {
    /// Joins the call in flight for `key`, or starts one.
    pub(super) fn join(self: &Arc<Self>, key: AnswerKey) -> FlightRole {
        let mut open = self.open();
        if let Some(result) = open.get(&key) {
            return FlightRole::Follower(Follower { result: result.clone() });
        }
        let (result, others) = watch::channel(None);
        open.insert(key, others);
        FlightRole::Leader(Leader { in_flight_calls: Arc::clone(self), key, result })
    }

    /// A poisoned lock is safe to use: no update under it can be left half done.
    fn open(&self) -> MutexGuard<'_, HashMap<AnswerKey, watch::Receiver<SharedResult>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The request that is sent. Dropping it makes the others send their own.
pub(super) struct Leader {
    in_flight_calls: Arc<InFlight>,
    key: AnswerKey,
    result: watch::Sender<SharedResult>,
}

impl Leader {
    /// Resets the others' stall timer.
    pub(super) fn report_progress(&self) {
        self.result.send_modify(|_| {});
    }

    /// Hands the answer to the others.
    pub(super) fn complete(self, answer: Arc<CachedAnswer>) {
        self.result.send_replace(Some(answer));
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.in_flight_calls.open().remove(&self.key);
    }
}

/// A request waiting for another's answer.
pub(super) struct Follower {
    result: watch::Receiver<SharedResult>,
}

impl Follower {
    /// Waits for the answer; `None` when none will come.
    pub(super) async fn answer(mut self) -> Option<Arc<CachedAnswer>> {
        loop {
            let news = timeout(STALL, self.result.changed()).await;
            let answer = self.result.borrow().clone();
            if answer.is_some() || !matches!(news, Ok(Ok(()))) {
                return answer;
            }
        }
    }
}
