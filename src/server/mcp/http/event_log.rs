//! The newest events of one session, so that a client that lost a stream can resume it.
//!
//! The specification up to 2025-11-25 lets a client name the last event it received in
//! `Last-Event-ID`; later ones drop that. Events are numbered over all streams of the session, so
//! that a number says which stream it is from. A resumed stream first repeats what was missed, then
//! goes on live, and ends with the reply or with the session. The log is bounded: older events are
//! forgotten, and a stream whose last event is unknown cannot be resumed.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use futures_util::stream;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::transport::streamable_http_server::session::{EventStore, EventStoreError, EventStream, ServerSseMessage};
use tokio::sync::watch;

/// The most bytes of messages kept. The newest event is kept whatever its size.
const MOST_BYTES: usize = 1024 * 1024;
/// What an event without a message counts as, in bytes.
const OVERHEAD: usize = 128;

/// The log of one session.
#[derive(Debug)]
pub(super) struct EventLog {
    events: Mutex<Events>,
    appended: watch::Sender<()>,
    this: Weak<Self>,
}

#[derive(Debug, Default)]
struct Events {
    /// The number of the newest event. The first is 1.
    last: u64,
    kept: VecDeque<Logged>,
    bytes: usize,
}

#[derive(Debug)]
struct Logged {
    number: u64,
    stream: Arc<str>,
    event: ServerSseMessage,
    bytes: usize,
}

/// What follows an event in its stream.
enum Next {
    Event(u64, ServerSseMessage),
    NotYet,
}

impl EventLog {
    /// An empty log.
    pub(super) fn new() -> Arc<Self> {
        Arc::new_cyclic(|this| Self { events: Mutex::default(), appended: watch::Sender::new(()), this: this.clone() })
    }

    /// Adds an event to a stream; returns its id.
    pub(super) fn append(&self, stream: &str, event: &ServerSseMessage) -> String {
        let number = self.lock().append(stream, event);
        self.appended.send_replace(());
        number.to_string()
    }

    /// The events after this one in its stream, and those to come; `None` if it is not in the log.
    pub(super) fn resume(&self, last_event_id: &str) -> Option<EventStream> {
        let after: u64 = last_event_id.parse().ok()?;
        let (stream, has_ended) = {
            let events = self.lock();
            let last = events.find(after)?;
            (Arc::clone(&last.stream), is_last(&last.event))
        };
        if has_ended {
            return Some(Box::pin(stream::empty()));
        }
        let (log, appended) = (self.this.clone(), self.appended.subscribe());
        let state = Some((after, appended));
        Some(Box::pin(stream::unfold(state, move |state| {
            let (log, stream) = (log.clone(), Arc::clone(&stream));
            async move {
                let (after, mut appended) = state?;
                loop {
                    let next = log.upgrade()?.lock().next(&stream, after);
                    match next {
                        Next::Event(_, event) if is_last(&event) => return Some((event, None)),
                        Next::Event(number, event) => return Some((event, Some((number, appended)))),
                        Next::NotYet => appended.changed().await.ok()?,
                    }
                }
            }
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Events> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Events {
    fn append(&mut self, stream: &str, event: &ServerSseMessage) -> u64 {
        self.last += 1;
        let number = self.last;
        let event = ServerSseMessage::clone(event);
        let event = with_id(event, number);
        let bytes = size(&event);
        self.bytes += bytes;
        // Streams have few names and many events.
        let known = self.kept.iter().rev().find(|logged| &*logged.stream == stream);
        let stream = known.map_or_else(|| stream.into(), |logged| Arc::clone(&logged.stream));
        self.kept.push_back(Logged { number, stream, event, bytes });
        while self.bytes > MOST_BYTES && self.kept.len() > 1 {
            self.bytes -= self.kept.pop_front().map_or(0, |oldest| oldest.bytes);
        }
        number
    }

    fn find(&self, number: u64) -> Option<&Logged> {
        let at = self.kept.partition_point(|logged| logged.number < number);
        self.kept.get(at).filter(|logged| logged.number == number)
    }

    fn next(&self, stream: &str, after: u64) -> Next {
        let at = self.kept.partition_point(|logged| logged.number <= after);
        let next = self.kept.iter().skip(at).find(|logged| &*logged.stream == stream);
        next.map_or(Next::NotYet, |logged| Next::Event(logged.number, logged.event.clone()))
    }
}

fn with_id(mut event: ServerSseMessage, number: u64) -> ServerSseMessage {
    event.event_id = Some(number.to_string());
    event
}

/// True for the reply to a request, which ends its stream.
fn is_last(event: &ServerSseMessage) -> bool {
    matches!(event.message.as_deref(), Some(ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)))
}

/// The size of an event as it is sent.
fn size(event: &ServerSseMessage) -> usize {
    let mut count = ByteCounter(OVERHEAD);
    if let Some(message) = &event.message {
        // What cannot be written is not sent either.
        let _ = serde_json::to_writer(&mut count, &**message);
    }
    count.0
}

/// Counts what is written to it.
struct ByteCounter(usize);

impl io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[async_trait]
impl EventStore for EventLog {
    async fn store_event(&self, stream: &str, event: &ServerSseMessage) -> Result<String, EventStoreError> {
        Ok(self.append(stream, event))
    }

    async fn replay_events_after(&self, last_event_id: &str) -> Result<EventStream, EventStoreError> {
        self.resume(last_event_id).ok_or_else(|| "the event is not in the log".into())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, StreamExt};
    use rmcp::model::{EmptyResult, JsonRpcResponse, JsonRpcVersion2_0, RequestId, ServerResult};

    use super::*;

    fn reply(id: i64) -> ServerSseMessage {
        ServerSseMessage::from_message(ServerJsonRpcMessage::Response(JsonRpcResponse {
            jsonrpc: JsonRpcVersion2_0,
            id: RequestId::Number(id),
            result: ServerResult::EmptyResult(EmptyResult {}),
        }))
    }

    fn step() -> ServerSseMessage {
        ServerSseMessage::default()
    }

    #[tokio::test]
    async fn a_resumed_stream_repeats_what_was_missed_and_goes_on_until_its_reply() {
        let log = EventLog::new();
        let first = log.append("a", &step());
        log.append("b", &step());
        let second = log.append("a", &step());
        let mut resumed = log.resume(&first).unwrap();
        assert_eq!(resumed.next().await.unwrap().event_id, Some(second));
        assert!(resumed.next().now_or_never().is_none());
        log.append("b", &reply(2));
        assert!(resumed.next().now_or_never().is_none());
        let last = log.append("a", &reply(1));
        assert_eq!(resumed.next().await.unwrap().event_id, Some(last.clone()));
        assert!(resumed.next().await.is_none());
        assert!(log.resume(&last).unwrap().next().await.is_none());
    }

    #[tokio::test]
    async fn a_resumed_stream_ends_with_its_session() {
        let log = EventLog::new();
        let first = log.append("a", &step());
        let mut resumed = log.resume(&first).unwrap();
        assert!(resumed.next().now_or_never().is_none());
        drop(log);
        assert!(resumed.next().await.is_none());
    }

    #[test]
    fn what_is_not_in_the_log_cannot_be_resumed() {
        let log = EventLog::new();
        for id in ["0", "1", "", "x", "-1", "99999999999999999999"] {
            assert!(log.resume(id).is_none(), "{id}");
        }
    }

    #[test]
    fn old_events_make_room_for_new_ones() {
        let log = EventLog::new();
        let ids: Vec<String> = (0..20_000).map(|_| log.append("a", &step())).collect();
        assert!(log.resume(&ids[0]).is_none() && log.resume(&ids[19_999]).is_some());
        let events = log.lock();
        assert_eq!((events.kept.len(), events.bytes), (8192, MOST_BYTES));
    }
}
