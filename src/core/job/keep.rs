//! Keeps runs going that outlive their requester, as long as this process lives.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::Journal;
use crate::domain::SessionId;
use crate::event::run::{Run, RunControl};

/// Consumes the runs of kept jobs.
#[derive(Default)]
pub struct Keeper {
    runs: Mutex<BTreeMap<SessionId, Kept>>,
    ended: Notify,
}

struct Kept {
    control: RunControl,
    journal: Journal,
}

impl Keeper {
    /// Consumes this run to its end. Needs a tokio runtime.
    pub fn keep(self: &Arc<Self>, mut run: Run, journal: Journal) {
        let id = run.session_id();
        self.lock().insert(id, Kept { control: run.control(), journal: journal.clone() });
        let keeper = Arc::clone(self);
        tokio::spawn(async move {
            while run.next().await.is_some() {}
            // A job that was lost may be here again, in a later attempt.
            let mut runs = keeper.lock();
            if runs.get(&id).is_some_and(|kept| kept.journal.is_same_attempt(&journal)) {
                runs.remove(&id);
            }
            drop(runs);
            keeper.ended.notify_waiters();
        });
    }

    /// How many jobs this process runs.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// True if it runs none.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Stops a job of this process at once; false if the job is not one of this process.
    pub fn stop(&self, id: SessionId) -> bool {
        let control = self.lock().get(&id).map(|kept| kept.control.clone());
        control.inspect(RunControl::cancel_all).is_some()
    }

    /// Stops all jobs of this process, leaves them for another, and waits until that is recorded.
    pub async fn release(&self) {
        loop {
            let ended = self.ended.notified();
            tokio::pin!(ended);
            ended.as_mut().enable();
            {
                let runs = self.lock();
                if runs.is_empty() {
                    return;
                }
                for Kept { control, journal } in runs.values() {
                    journal.release();
                    control.cancel_all();
                }
            }
            ended.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionId, Kept>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
