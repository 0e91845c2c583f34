//! The ledger's book over a store.
//!
//! Without a daily cap a call is handed to the store when it has ended, and nobody waits for it: the store commits what
//! has queued up together, and closing it waits for the rest. With one, the store is asked before each call goes out,
//! because other processes spend from the same day. Calls ask side by side while there is room. One that does not
//! fit waits, if this process has calls under way whose end may make room, and those behind it wait their turn;
//! for other processes nobody waits.

use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::{RwLock, watch};
use uuid::Uuid;

use super::{Admitted, SpendCall, Store};
use crate::error::Error;
use crate::ids::IdSource;
use crate::ledger::{Admission, BookEntry, BookedCall, CallEnd, Money, Refusal, SpendBook};
use crate::time::Clock;

/// Writes calls into a store, and asks it for room under the cap of a day.
pub struct StoreBook {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    daily_cap: Option<Money>,
    /// Shared by those who ask while there is room; held alone by the first who found none.
    turn: RwLock<()>,
    ours: Arc<watch::Sender<Ours>>,
}

/// The calls of this process. One value, so that whoever looks sees a state that was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Ours {
    under_way: usize,
    /// Questions to the store that have no answer yet.
    asked: usize,
    /// No more calls are taken in.
    is_closed: bool,
    /// How many have ended so far.
    ended: u64,
}

impl StoreBook {
    /// A book over `store`, with at most `daily_cap` a day.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>, daily_cap: Option<Money>) -> Self {
        Self { store, clock, ids, daily_cap, turn: RwLock::new(()), ours: Arc::default() }
    }

    fn call(&self, booked: BookedCall) -> SpendCall {
        let BookedCall { labels, provider, model, purpose, worst } = booked;
        SpendCall {
            id: self.ids.next(),
            at: self.clock.now(),
            session_id: labels.session,
            command: labels.command.to_owned(),
            phase: purpose.to_owned(),
            provider,
            model,
            tags: labels.tags.clone(),
            worst,
        }
    }

    /// Counts a call or a question in, unless the book is closed.
    fn enter(&self, count: impl FnOnce(&mut Ours)) -> Result<(), Refusal> {
        let is_open = self.ours.send_if_modified(|ours| {
            if !ours.is_closed {
                count(ours);
            }
            !ours.is_closed
        });
        if is_open { Ok(()) } else { Err(Refusal::Closed) }
    }

    /// The entry of a call that is counted in.
    fn entry(&self, kind: OpenKind) -> Box<dyn BookEntry> {
        let (store, ours) = (Arc::clone(&self.store), Arc::clone(&self.ours));
        Box::new(OpenCall { store, ours, kind: Some(kind) })
    }

    async fn admit_under(&self, cap: Money, call: SpendCall) -> Result<Box<dyn BookEntry>, Refusal> {
        {
            let _among_others = self.turn.read().await;
            if let Ok(entry) = self.ask(cap, &call).await? {
                return Ok(entry);
            }
        }
        let _alone = self.turn.write().await;
        let mut ours = self.ours.subscribe();
        loop {
            let before = *ours.borrow_and_update();
            let counted = match self.ask(cap, &call).await? {
                Ok(entry) => return Ok(entry),
                Err(counted) => counted,
            };
            let now = *ours.borrow();
            if now.ended == before.ended {
                if now.under_way == 0 {
                    return Err(Refusal::Day { cap, counted, wanted: call.worst.unwrap_or_default() });
                }
                // The sender is ours and stays, so this fails never.
                drop(ours.changed().await);
            }
        }
    }

    /// Asks once. What the day's calls count as, where there is no room.
    async fn ask(&self, cap: Money, call: &SpendCall) -> Result<Result<Box<dyn BookEntry>, Money>, Refusal> {
        self.enter(|ours| ours.asked += 1)?;
        let asking = Asking { book: self, id: Some(call.id) };
        let admitted = self.store.admit_call(call.clone(), cap).await;
        let is_in = matches!(admitted, Ok(Admitted::Yes));
        asking.answered(is_in);
        match admitted {
            Ok(Admitted::Yes) => Ok(Ok(self.entry(OpenKind::Admitted(call.id)))),
            Ok(Admitted::No { counted }) => Ok(Err(counted)),
            Err(error) => Err(refusal(&error)),
        }
    }
}

fn refusal(error: &Error) -> Refusal {
    Refusal::Book(error.to_string())
}

impl SpendBook for StoreBook {
    fn daily_cap(&self) -> Option<Money> {
        self.daily_cap
    }

    fn admit(&self, booked: BookedCall) -> Admission<'_> {
        let call = self.call(booked);
        Box::pin(async move {
            match self.daily_cap {
                Some(cap) => self.admit_under(cap, call).await,
                None => {
                    self.enter(|ours| ours.under_way += 1)?;
                    Ok(self.entry(OpenKind::Unasked(Box::new(call))))
                }
            }
        })
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            self.ours.send_modify(|ours| ours.is_closed = true);
            let mut ours = self.ours.subscribe();
            // The sender is ours and stays, so this fails never.
            let _rest = ours.wait_for(|ours| ours.under_way == 0 && ours.asked == 0).await;
        })
    }
}

/// A question that was put to the store. Dropped before the answer it takes the call out again, if it got in.
struct Asking<'a> {
    book: &'a StoreBook,
    id: Option<Uuid>,
}

impl Asking<'_> {
    /// A call that is in counts among those under way before it leaves the questions.
    fn answered(mut self, is_in: bool) {
        self.id = None;
        self.book.ours.send_modify(|ours| ours.under_way += usize::from(is_in));
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.book.store.withdraw_call(id).unattended();
        }
        self.book.ours.send_modify(|ours| ours.asked -= 1);
    }
}

/// A call that is under way.
struct OpenCall {
    store: Arc<dyn Store>,
    ours: Arc<watch::Sender<Ours>>,
    /// `None` once it has ended.
    kind: Option<OpenKind>,
}

enum OpenKind {
    /// The store has taken it in.
    Admitted(Uuid),
    /// It is written down when it has ended.
    Unasked(Box<SpendCall>),
}

impl OpenCall {
    fn end(&mut self, end: CallEnd) {
        let written = match self.kind.take() {
            None => return,
            Some(OpenKind::Admitted(id)) => self.store.end_call(id, end),
            Some(OpenKind::Unasked(call)) => self.store.record_call(*call, end),
        };
        written.unattended();
        // After the store knows: who is woken asks it, and finds the room.
        self.ours.send_modify(|ours| {
            ours.under_way -= 1;
            ours.ended += 1;
        });
    }
}

impl BookEntry for OpenCall {
    fn close(mut self: Box<Self>, end: CallEnd) {
        self.end(end);
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.end(CallEnd::Unseen);
    }
}

#[cfg(test)]
#[path = "book_tests.rs"]
mod tests;
