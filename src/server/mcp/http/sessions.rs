//! The sessions of clients of the protocol up to 2025-11-25: whose they are, and how many.
//!
//! Each is a session of the library's with a log of its events of its own, so that no client can
//! resume a stream of another's. A session belongs to the caller that opened it; for any other it
//! does not exist. It ends when its client deletes it or was silent for an hour, and when there are
//! too many the one that was not used for the longest time makes room.
//!
//! The library asks for sessions while it handles a request, so the caller of the request is known
//! by the task ([`as_caller`]). It works for nobody when it closes a session by itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{Stream, StreamExt, stream};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionConfig,
};
use rmcp::transport::streamable_http_server::session::{EventStream, ServerSseMessage, SessionId, SessionManager};

use super::event_log::EventLog;

/// Most sessions open at once.
const MOST: usize = 512;
/// How long a session may be silent. A host keeps one while its user is away, so not too short.
const SILENCE: Duration = Duration::from_hours(1);
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
    /// Counts the uses of all sessions.
    turn: u64,
}

#[derive(Debug, Clone)]
struct Session {
    /// Manages this session alone.
    manager: Arc<LocalSessionManager>,
    log: Arc<EventLog>,
    owner: CallerId,
    last_used: u64,
}

impl Sessions {
    pub(super) fn new() -> Self {
        Self { open: Mutex::default(), most: MOST }
    }

    /// True if this caller has this session.
    pub(super) fn has(&self, id: &str, caller: &CallerId) -> bool {
        self.lock().sessions.get(id).is_some_and(|session| session.owner == *caller)
    }

    /// The session of the caller of this task, which is then the one used last.
    fn find(&self, id: &str) -> Result<Session, LocalSessionManagerError> {
        let mut open = self.lock();
        open.turn += 1;
        let turn = open.turn;
        let session = open.sessions.get_mut(id).filter(|session| session.owner == caller());
        let session = session.ok_or_else(|| LocalSessionManagerError::SessionNotFound(id.into()))?;
        session.last_used = turn;
        Ok(session.clone())
    }

    /// Adds a session, and takes out the one that makes room for it.
    fn add(&self, id: SessionId, mut session: Session) -> Option<(SessionId, Session)> {
        let mut open = self.lock();
        let oldest = open.sessions.iter().min_by_key(|(_, session)| session.last_used).map(|(id, _)| Arc::clone(id));
        let oldest = oldest.filter(|_| open.sessions.len() >= self.most);
        let removed = oldest.and_then(|id| open.sessions.remove_entry(&id));
        open.turn += 1;
        session.last_used = open.turn;
        open.sessions.insert(id, session);
        removed
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        let session = Session { manager, log, owner: caller(), last_used: 0 };
        if let Some((id, removed)) = self.add(Arc::clone(&id), session) {
            tracing::info!("a session makes room for another");
            // It may be busy, which the new one need not wait for.
            tokio::spawn(async move { removed.manager.close_session(&id).await });
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
        let manager = self.find(id)?.manager;
        let events: EventStream = Box::pin(manager.create_stream(id, message).await?);
        Ok(events)
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.find(id)?.manager.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let Session { manager, log, .. } = self.find(id)?;
        // So that it can be resumed before its first message.
        let event = log.append(&common_stream(id), &ServerSseMessage::retry(RETRY));
        let events: EventStream = Box::pin(manager.create_standalone_stream(id).await?);
        Ok(stream::iter([ServerSseMessage::priming(event, RETRY)]).chain(events))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let manager = self.find(id)?.manager;
        let events: EventStream = Box::pin(manager.resume(id, last_event_id).await?);
        Ok(events)
    }
}

fn config() -> SessionConfig {
    let mut config = SessionConfig::default();
    config.keep_alive = Some(SILENCE);
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

    #[tokio::test]
    async fn the_one_not_used_for_the_longest_time_makes_room() {
        let sessions = sessions(2);
        let (first, _first) = opened(&sessions, "one").await;
        let (second, _second) = opened(&sessions, "one").await;
        assert!(has(&sessions, "one", &first).await);
        let (third, _third) = opened(&sessions, "two").await;
        assert!(!has(&sessions, "one", &second).await);
        assert!(has(&sessions, "one", &first).await && has(&sessions, "two", &third).await);
    }
}
