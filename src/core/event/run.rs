//! The bounded channel between a run and its one consumer, and the means to stop it.
//!
//! A slow reader loses nothing: when the channel is full, a delta is appended to the last queued
//! event of its variant if that is of the same phase; anything else waits for room. `seq` is set
//! when the consumer takes an event, so merging leaves no gap. If the producers vanish without a
//! terminal event (a bug), the consumer still gets `failed`. Dropping the [`Run`] cancels the work.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{Event, EventKind, Outcome};
use crate::domain::SessionId;
use crate::error::{Error, Problem};
use crate::metrics::RunCounter;

/// How many events may wait for the consumer.
pub const CAPACITY: usize = 1024;

#[derive(Default)]
struct Queue {
    events: VecDeque<EventKind>,
    producers: usize,
    consumer_gone: bool,
}

struct Shared {
    queue: Mutex<Queue>,
    arrived: Notify,
    room: Notify,
    capacity: usize,
}

impl Shared {
    /// The queue. A poisoned lock is taken over: every critical section leaves the queue whole.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The producing end; clones send into the same run.
pub struct EventSender {
    shared: Arc<Shared>,
    tap: Option<Tap>,
}

/// Sees every event as it is sent, whether or not the consumer is still there. Must not block.
pub type Tap = Arc<dyn Fn(&EventKind) + Send + Sync>;

impl EventSender {
    /// Adds a tap to the sender and its future clones.
    #[must_use]
    pub fn tapped(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }

    /// Queues one event, waiting for room if need be. Does nothing once the consumer is gone.
    pub async fn send(&self, kind: EventKind) {
        if let Some(tap) = &self.tap {
            tap(&kind);
        }
        let mut kind = kind;
        loop {
            let room = self.shared.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            match self.try_queue(kind) {
                None => return,
                Some(back) => kind = back,
            }
            room.await;
        }
    }

    /// Reports progress without waiting. It replaces an unread report of the same part, and is
    /// dropped while there is no room, because more will follow.
    pub fn send_progress(&self, part: Option<&str>, done: u64, total: Option<u64>) {
        let kind = EventKind::Progress { part: part.map(str::to_owned), done, total };
        if let Some(tap) = &self.tap {
            tap(&kind);
        }
        let mut queue = self.shared.lock();
        if queue.consumer_gone {
            return;
        }
        let has_room = queue.events.len() < self.shared.capacity;
        match queue.events.back_mut() {
            Some(EventKind::Progress { part: told, done: at, total: of }) if told.as_deref() == part => {
                (*at, *of) = (done, total);
            }
            _ if has_room => queue.events.push_back(kind),
            _ => return,
        }
        drop(queue);
        self.shared.arrived.notify_one();
    }

    /// Queues or merges; gives the event back when there is no room.
    fn try_queue(&self, kind: EventKind) -> Option<EventKind> {
        let mut queue = self.shared.lock();
        if queue.consumer_gone {
            return None;
        }
        if queue.events.len() < self.shared.capacity {
            queue.events.push_back(kind);
        } else if let Some(text) = mergeable(&mut queue.events, &kind) {
            if let EventKind::Delta { text: more, .. } = &kind {
                text.push_str(more);
            }
        } else {
            return Some(kind);
        }
        drop(queue);
        self.shared.arrived.notify_one();
        None
    }
}

/// The text of the queued delta that `kind` may be appended to: the last event of its variant, same phase.
fn mergeable<'a>(events: &'a mut VecDeque<EventKind>, kind: &EventKind) -> Option<&'a mut String> {
    let EventKind::Delta { variant, phase, .. } = kind else { return None };
    let last = events.iter_mut().rev().find(|event| event.variant() == Some(*variant))?;
    match last {
        EventKind::Delta { phase: queued, text, .. } if queued == phase => Some(text),
        _ => None,
    }
}

impl Clone for EventSender {
    fn clone(&self) -> Self {
        self.shared.lock().producers += 1;
        Self { shared: Arc::clone(&self.shared), tap: self.tap.clone() }
    }
}

impl Drop for EventSender {
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.producers -= 1;
        if queue.producers == 0 {
            drop(queue);
            self.shared.arrived.notify_one();
        }
    }
}

/// Stops a run, or one variant of it. Cheap to clone; outlives the run harmlessly.
#[derive(Debug, Clone)]
pub struct RunControl {
    all: CancellationToken,
    variants: Arc<[CancellationToken]>,
}

impl RunControl {
    /// Control over a run of `variants` variants.
    pub fn new(variants: u32) -> Self {
        let all = CancellationToken::new();
        let variants = (0..variants).map(|_| all.child_token()).collect();
        Self { all, variants }
    }

    /// Stops everything; what has finished is kept.
    pub fn cancel_all(&self) {
        self.all.cancel();
    }

    /// Stops one variant; a number out of range does nothing.
    pub fn cancel_variant(&self, variant: u32) {
        if let Some(token) = self.variants.get(variant as usize) {
            token.cancel();
        }
    }

    /// The token of the whole run.
    pub fn token(&self) -> &CancellationToken {
        &self.all
    }

    /// The token of one variant; that of the run for a number out of range.
    pub fn variant_token(&self, variant: u32) -> &CancellationToken {
        self.variants.get(variant as usize).unwrap_or(&self.all)
    }
}

/// A run as its consumer holds it: a stream of events, and control. Dropping it cancels the work.
pub struct Run {
    session_id: SessionId,
    shared: Arc<Shared>,
    control: RunControl,
    next_seq: u64,
    terminated: bool,
    /// Counts it until its last event is taken.
    counter: Option<RunCounter>,
}

impl Run {
    /// A run and the sender that feeds it.
    pub fn new(session_id: SessionId, control: RunControl) -> (EventSender, Self) {
        Self::with_capacity(session_id, control, CAPACITY)
    }

    /// As [`Run::new`] with room for `capacity` waiting events, at least one.
    pub fn with_capacity(session_id: SessionId, control: RunControl, capacity: usize) -> (EventSender, Self) {
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue { producers: 1, ..Queue::default() }),
            arrived: Notify::new(),
            room: Notify::new(),
            capacity: capacity.max(1),
        });
        let sender = EventSender { shared: Arc::clone(&shared), tap: None };
        (sender, Self { session_id, shared, control, next_seq: 0, terminated: false, counter: None })
    }

    /// The run's name: the `session_id` of its prompts.
    pub fn session_id(&self) -> SessionId {
        self.session_id
    }

    /// Counts the run with this counter.
    #[must_use]
    pub fn counted_by(mut self, counter: RunCounter) -> Self {
        self.counter = Some(counter);
        self
    }

    /// A control handle that can be moved elsewhere.
    pub fn control(&self) -> RunControl {
        self.control.clone()
    }

    /// The next event; `None` after the terminal one. Cancel-safe.
    pub async fn next(&mut self) -> Option<Event> {
        if self.terminated {
            return None;
        }
        let shared = Arc::clone(&self.shared);
        loop {
            let arrived = shared.arrived.notified();
            tokio::pin!(arrived);
            arrived.as_mut().enable();
            if let Some(kind) = self.take() {
                return Some(self.number(kind));
            }
            arrived.await;
        }
    }

    /// Waits for the result, discarding the events before it.
    ///
    /// # Errors
    /// Why it failed; `cancelled` where it was stopped.
    pub async fn outcome(mut self) -> Result<Outcome, Box<Problem>> {
        while let Some(event) = self.next().await {
            match event.kind {
                EventKind::Finished { outcome } => return Ok(*outcome),
                EventKind::Failed { error } => return Err(error),
                _ => {}
            }
        }
        Err(Box::new(Problem::from(Error::Cancelled)))
    }

    /// The next event if one is already queued.
    pub fn try_next(&mut self) -> Option<Event> {
        if self.terminated {
            return None;
        }
        let kind = self.take()?;
        Some(self.number(kind))
    }

    fn take(&mut self) -> Option<EventKind> {
        let mut queue = self.shared.lock();
        let kind = queue.events.pop_front();
        if kind.is_some() {
            drop(queue);
            self.shared.room.notify_waiters();
            return kind;
        }
        (queue.producers == 0).then(|| {
            let lost = Error::Internal("the run ended without a result".into());
            EventKind::Failed { error: Box::new(Problem::from(lost)) }
        })
    }

    fn number(&mut self, kind: EventKind) -> Event {
        self.terminated = kind.is_terminal();
        if self.terminated
            && let Some(mut counter) = self.counter.take()
        {
            counter.note(&kind);
        }
        let seq = self.next_seq;
        self.next_seq += 1;
        Event { session_id: self.session_id, seq, kind }
    }

    /// The events as a [`futures_util::Stream`], for servers.
    pub fn into_stream(self) -> Pin<Box<dyn futures_util::Stream<Item = Event> + Send>> {
        Box::pin(futures_util::stream::unfold(
            self,
            |mut run| async move { run.next().await.map(|event| (event, run)) },
        ))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.control.cancel_all();
        let mut queue = self.shared.lock();
        queue.consumer_gone = true;
        queue.events.clear();
        drop(queue);
        self.shared.room.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Phase;
    use uuid::Uuid;

    fn channel(capacity: usize) -> (EventSender, Run) {
        Run::with_capacity(SessionId(Uuid::nil()), RunControl::new(2), capacity)
    }

    fn delta(variant: u32, text: &str) -> EventKind {
        EventKind::Delta { variant, phase: Phase::Solutio, text: text.into() }
    }

    #[tokio::test]
    async fn deltas_merge_when_full_and_leave_no_gap() {
        let (sender, mut run) = channel(2);
        for text in ["a", "b", "c", "d"] {
            sender.send(delta(0, text)).await;
        }
        let first = run.next().await.unwrap();
        let second = run.next().await.unwrap();
        assert_eq!((first.seq, second.seq), (0, 1));
        assert_eq!((first.kind, second.kind), (delta(0, "a"), delta(0, "bcd")));
    }

    #[tokio::test]
    async fn deltas_of_another_variant_do_not_merge_across() {
        let (sender, mut run) = channel(2);
        sender.send(delta(0, "a")).await;
        sender.send(delta(1, "x")).await;
        sender.send(delta(0, "b")).await;
        assert_eq!(run.next().await.unwrap().kind, delta(0, "ab"));
        assert_eq!(run.next().await.unwrap().kind, delta(1, "x"));
    }

    #[tokio::test]
    async fn of_progress_that_nobody_read_the_last_is_told() {
        let (sender, mut run) = channel(2);
        for done in 0..=3 {
            sender.send_progress(Some("words"), done, Some(3));
        }
        sender.send_progress(Some("vectors"), 1, None);
        sender.send_progress(None, 9, None);
        let at = |part: &str, done, total| EventKind::Progress { part: Some(part.into()), done, total };
        assert_eq!(run.next().await.unwrap().kind, at("words", 3, Some(3)));
        sender.send_progress(Some("vectors"), 2, None);
        assert_eq!(run.next().await.unwrap().kind, at("vectors", 2, None));
        sender.send(EventKind::Cancelled {}).await;
        assert_eq!(run.next().await.unwrap().kind, EventKind::Cancelled {}, "for the third there was no room");
        drop(run);
        sender.send_progress(None, 1, None);
    }

    #[tokio::test]
    async fn other_events_wait_for_room() {
        let (sender, mut run) = channel(1);
        sender.send(delta(0, "a")).await;
        let sending = tokio::spawn(async move { sender.send(EventKind::Cancelled {}).await });
        tokio::task::yield_now().await;
        assert!(!sending.is_finished());
        assert_eq!(run.next().await.unwrap().kind, delta(0, "a"));
        assert_eq!(run.next().await.unwrap().kind, EventKind::Cancelled {});
        assert!(run.next().await.is_none());
    }

    #[tokio::test]
    async fn producers_that_vanish_end_the_run_with_a_failure() {
        let (sender, mut run) = channel(4);
        drop(sender);
        assert!(matches!(run.next().await.unwrap().kind, EventKind::Failed { .. }));
        assert!(run.next().await.is_none());
    }

    #[tokio::test]
    async fn dropping_the_run_cancels_and_frees_waiting_senders() {
        let (sender, run) = channel(1);
        let control = run.control();
        sender.send(delta(0, "a")).await;
        let sending = tokio::spawn(async move { sender.send(EventKind::Cancelled {}).await });
        tokio::task::yield_now().await;
        drop(run);
        sending.await.unwrap();
        assert!(control.variant_token(1).is_cancelled());
    }
}
