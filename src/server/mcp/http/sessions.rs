//! The sessions of clients of the protocol up to 2025-11-25: whose they are, and how many.
//!
//! Each is a session of the library's with a log of its events of its own, so that no client can
//! resume a stream of another's. A session belongs to the caller that opened it; for any other it
//! does not exist. It ends when its client deletes it, or was gone for an hour: without a request or an
//! open stream, whatever it is notified of. When there are too many, the one that was not used for the
//! longest time makes room.
//!
//! The library asks for sessions while it handles a request, so the caller of the request is known
//! by the task ([`as_caller`]). It works for nobody when it closes a session by itself.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{Stream, StreamExt, stream};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionConfig,
};
use rmcp::transport::streamable_http_server::session::{EventStream, ServerSseMessage, SessionId, SessionManager};

use tokio::time::Instant;

use super::event_log::EventLog;

/// Most sessions open at once.
const MOST: usize = 512;
/// How long a client may be gone. A host keeps a session while its user is away, so not too short.
const ABSENCE: Duration = Duration::from_hours(1);
/// When a client should try to resume a broken stream.
pub(super) const RETRY: Duration = Duration::from_secs(3);

/// The id of the token of a request, if it needs one.
pub(super) type CallerId = Option<Arc<str>>;

tokio::task_local! {
    static CALLER: CallerId;
}

/// Runs a future that works for this caller.
pub(super) async fn as_caller<F: Future>(caller: CallerId, work: F) -> F::Output {
    CALLER.scope(caller, work).await
}

fn caller() -> CallerId {
    CALLER.try_with(Clone::clone).unwrap_or_default()
}

/// The open sessions of a server.
#[derive(Debug)]
pub(super) struct Sessions {
    open: Mutex<Open>,
    most: usize,
}

#[derive(Debug, Default)]
struct Open {
    sessions: HashMap<SessionId, Session>,
}

#[derive(Debug, Clone)]
struct Session {
    /// Manages this session alone.
    manager: Arc<LocalSessionManager>,
    log: Arc<EventLog>,
    owner: CallerId,
    usage: Arc<Usage>,
}

/// When a session was last used.
#[derive(Debug)]
struct Usage {
    last: Mutex<Instant>,
    open_streams: AtomicUsize,
}

/// Keeps a session in use until dropped.
struct OpenStream(Arc<Usage>);

impl Usage {
    fn now() -> Arc<Self> {
        Arc::new(Self { last: Mutex::new(Instant::now()), open_streams: AtomicUsize::new(0) })
    }

    fn touch(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// When it was last used; `None` if it is in use.
    fn last(&self) -> Option<Instant> {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        (self.open_streams.load(Ordering::Relaxed) == 0).then_some(last)
    }
}

impl OpenStream {
    fn of(session: &Session) -> Self {
        session.usage.open_streams.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(&session.usage))
    }

    /// The stream, in use as long as it is held.
    fn hold(self, events: EventStream) -> EventStream {
        Box::pin(events.inspect(move |_| {
            let _held = &self;
        }))
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.touch();
        self.0.open_streams.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Open {
    /// Takes out the sessions whose clients are gone.
    fn expired(&mut self) -> Vec<(SessionId, Session)> {
        let now = Instant::now();
        let is_gone = |session: &Session| session.usage.last().is_some_and(|last| now - last >= ABSENCE);
        self.sessions.extract_if(|_, session| is_gone(session)).collect()
    }
}

impl Sessions {
    pub(super) fn new() -> Self {
        Self { open: Mutex::default(), most: MOST }
    }

    /// True if this caller has this session.
    pub(super) fn has(&self, id: &str, caller: &CallerId) -> bool {
        self.current().sessions.get(id).is_some_and(|session| session.owner == *caller)
    }

    /// The session of the caller of this task, which is then the one used last.
    fn find(&self, id: &str) -> Result<Session, LocalSessionManagerError> {
        let open = self.current();
        let session = open.sessions.get(id).filter(|session| session.owner == caller());
        let session = session.ok_or_else(|| LocalSessionManagerError::SessionNotFound(id.into()))?;
        session.usage.touch();
        Ok(session.clone())
    }

    /// Adds a session, and takes out the one that makes room for it.
    fn add(&self, id: SessionId, session: Session) -> Option<(SessionId, Session)> {
        let mut open = self.current();
        // One that is in use is the last choice.
        let age = |session: &Session| session.usage.last().map_or((1, Instant::now()), |last| (0, last));
        let oldest = open.sessions.iter().min_by_key(|(_, session)| age(session)).map(|(id, _)| Arc::clone(id));
        let oldest = oldest.filter(|_| open.sessions.len() >= self.most);
        let removed = oldest.and_then(|id| open.sessions.remove_entry(&id));
        open.sessions.insert(id, session);
        removed
    }

    /// The sessions whose clients are not gone. Closes the others.
    fn current(&self) -> MutexGuard<'_, Open> {
        let mut open = self.lock();
        open.expired().into_iter().for_each(close);
        open
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes a session. It may be busy, which nobody need wait for.
fn close((id, session): (SessionId, Session)) {
    tokio::spawn(async move { session.manager.close_session(&id).await });
}

/// The name the library gives to the stream of a session that belongs to no request.
fn common_stream(id: &SessionId) -> String {
    format!("{id}:common")
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let log = EventLog::new();
        let mut manager = LocalSessionManager::default();
        manager.session_config = config();
        let manager = Arc::new(manager.with_event_store(Arc::clone(&log) as _));
        let (id, transport) = manager.create_session().await?;
        let session = Session { manager, log, owner: caller(), usage: Usage::now() };
        if let Some(removed) = self.add(Arc::clone(&id), session) {
            tracing::info!("a session makes room for another");
            close(removed);
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.find(id)?.manager.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        Ok(self.find(id).is_ok())
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        let session = self.lock().sessions.remove(id);
        match session {
            Some(session) => session.manager.close_session(id).await,
            None => Ok(()),
        }
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let session = self.find(id)?;
        let open = OpenStream::of(&session);
        Ok(open.hold(Box::pin(session.manager.create_stream(id, message).await?)))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.find(id)?.manager.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let session = self.find(id)?;
        let open = OpenStream::of(&session);
        // So that it can be resumed before its first message.
        let event = session.log.append(&common_stream(id), &ServerSseMessage::retry(RETRY));
        let events: EventStream = Box::pin(session.manager.create_standalone_stream(id).await?);
        Ok(open.hold(Box::pin(stream::iter([ServerSseMessage::priming(event, RETRY)]).chain(events))))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let session = self.find(id)?;
        let open = OpenStream::of(&session);
        Ok(open.hold(Box::pin(session.manager.resume(id, last_event_id).await?)))
    }
}

fn config() -> SessionConfig {
    let mut config = SessionConfig::default();
    // The library counts notifications as use.
    config.keep_alive = None;
    config.sse_retry = Some(RETRY);
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(most: usize) -> Sessions {
        Sessions { most, ..Sessions::new() }
    }

    async fn opened(sessions: &Sessions, caller: &str) -> (SessionId, <Sessions as SessionManager>::Transport) {
        as_caller(Some(caller.into()), sessions.create_session()).await.unwrap()
    }

    async fn has(sessions: &Sessions, caller: &str, id: &SessionId) -> bool {
        as_caller(Some(caller.into()), sessions.has_session(id)).await.unwrap()
    }

    #[tokio::test]
    async fn a_session_is_its_callers_alone() {
        let sessions = sessions(2);
        let (id, _transport) = opened(&sessions, "one").await;
        assert!(has(&sessions, "one", &id).await && !has(&sessions, "two", &id).await && !sessions.has(&id, &None));
        let resumed = as_caller(Some("two".into()), sessions.resume(&id, "1".into())).await;
        assert!(matches!(resumed, Err(LocalSessionManagerError::SessionNotFound(_))));
        sessions.close_session(&id).await.unwrap();
        assert!(!has(&sessions, "one", &id).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_lasts_while_a_stream_is_open_and_an_hour_longer() {
        let sessions = sessions(2);
        let (id, _transport) = opened(&sessions, "one").await;
        let stream = OpenStream::of(&as_caller(Some("one".into()), async { sessions.find(&id) }).await.unwrap());
        tokio::time::advance(ABSENCE * 3).await;
        assert!(sessions.has(&id, &Some("one".into())));
        drop(stream);
        tokio::time::advance(ABSENCE.saturating_sub(Duration::from_secs(1))).await;
        assert!(sessions.has(&id, &Some("one".into())));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!sessions.has(&id, &Some("one".into())) && sessions.lock().sessions.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn the_one_not_used_for_the_longest_time_makes_room() {
        let sessions = sessions(2);
        let second_later = async || tokio::time::advance(Duration::from_secs(1)).await;
        let (first, _first) = opened(&sessions, "one").await;
        second_later().await;
        let (second, _second) = opened(&sessions, "one").await;
        second_later().await;
        assert!(has(&sessions, "one", &first).await);
        second_later().await;
        let (third, _third) = opened(&sessions, "two").await;
        assert!(!has(&sessions, "one", &second).await);
        assert!(has(&sessions, "one", &first).await && has(&sessions, "two", &third).await);
    }
}
