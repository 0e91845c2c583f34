//! The open connections of a server, and which of them makes room when there are too many.
//!
//! A connection is *served* while its request has a slot (`load`); before and after that it only
//! waits, for a head, a body, its client to read, or the next request. When [`Connections`] is full
//! those that have waited the longest are closed. So slow and idle clients, however many, keep
//! nobody out, and a request that is being served is never cut.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{AbortHandle, AbortRegistration};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The share of the connections that is closed at once to make room.
const SHARE_CLOSED: usize = 64;
/// How long to wait for room before closing more.
const ROOM_WAIT: Duration = Duration::from_millis(100);

/// `Connection::waiting_since` while it is served.
const SERVED: u64 = u64::MAX;
/// `Connection::waiting_since` once it is to be closed.
const CLOSED: u64 = u64::MAX - 1;

/// A connection, also in the extensions of its requests. Clones share it.
#[derive(Debug, Clone)]
pub(in crate::server) struct Connection(Arc<State>);

#[derive(Debug)]
struct State {
    peer: SocketAddr,
    /// When it began to wait, by `turn`; or [`SERVED`] or [`CLOSED`].
    waiting_since: AtomicU64,
    turn: Arc<AtomicU64>,
    abort: AbortHandle,
}

/// Marks a connection as served until dropped.
#[derive(Debug)]
pub(in crate::server) struct Served(Connection);

/// The open connections of one server. Clones share them.
#[derive(Debug, Clone)]
pub(in crate::server) struct Connections {
    open: Arc<Mutex<HashMap<u64, Connection>>>,
    room: Arc<Semaphore>,
    most: usize,
    turn: Arc<AtomicU64>,
}

/// The permit of an open connection, freed when dropped.
#[derive(Debug)]
pub(in crate::server) struct ConnectionPermit {
    number: u64,
    connections: Connections,
    _room: OwnedSemaphorePermit,
}

impl Connection {
    /// The address of the client.
    pub(in crate::server) fn peer(&self) -> SocketAddr {
        self.0.peer
    }

    /// Notes that a request has come, which begins its waiting anew.
    pub(in crate::server) fn received(&self) {
        let State { waiting_since, turn, .. } = &*self.0;
        let now = turn.fetch_add(1, Ordering::Relaxed);
        let _ =
            waiting_since.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |since| (since < CLOSED).then_some(now));
    }

    /// Keeps it from being closed to make room.
    pub(in crate::server) fn serve(&self) -> Served {
        let since = &self.0.waiting_since;
        // Fails only for one that is already being closed.
        let _ = since.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |since| (since != CLOSED).then_some(SERVED));
        Served(self.clone())
    }

    fn close_if_waiting_since(&self, since: u64) {
        let state = &self.0;
        if state.waiting_since.compare_exchange(since, CLOSED, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            state.abort.abort();
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let State { waiting_since, turn, .. } = &*self.0.0;
        let now = turn.fetch_add(1, Ordering::Relaxed);
        let _ = waiting_since.compare_exchange(SERVED, now, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Connections {
    /// Room for `most` connections.
    pub(in crate::server) fn new(most: usize) -> Self {
        let most = most.clamp(1, Semaphore::MAX_PERMITS);
        Self { open: Arc::default(), room: Arc::new(Semaphore::new(most)), most, turn: Arc::default() }
    }

    /// Waits until there is room, closing connections that only wait.
    pub(in crate::server) async fn make_room(&self) -> OwnedSemaphorePermit {
        loop {
            if let Ok(room) = Arc::clone(&self.room).try_acquire_owned() {
                return room;
            }
            self.close_longest_waiting();
            // The semaphore is never closed, so it only times out.
            if let Ok(Ok(room)) = tokio::time::timeout(ROOM_WAIT, Arc::clone(&self.room).acquire_owned()).await {
                return room;
            }
        }
    }

    /// Adds a connection. Its work must run under the registration and hold the permit.
    pub(in crate::server) fn add(
        &self,
        peer: SocketAddr,
        room: OwnedSemaphorePermit,
    ) -> (Connection, ConnectionPermit, AbortRegistration) {
        let (abort, registration) = AbortHandle::new_pair();
        let number = self.turn.fetch_add(1, Ordering::Relaxed);
        let turn = Arc::clone(&self.turn);
        let connection = Connection(Arc::new(State { peer, waiting_since: AtomicU64::new(number), turn, abort }));
        self.lock().insert(number, connection.clone());
        (connection, ConnectionPermit { number, connections: self.clone(), _room: room }, registration)
    }

    /// Closes some of the connections that are not served, those that have waited the longest.
    pub(in crate::server) fn close_longest_waiting(&self) {
        let mut waiting: Vec<(u64, Connection)> = Vec::new();
        for connection in self.lock().values() {
            let since = connection.0.waiting_since.load(Ordering::Relaxed);
            if since < CLOSED {
                waiting.push((since, connection.clone()));
            }
        }
        let count = (self.most / SHARE_CLOSED).max(1).min(waiting.len());
        if count > 0 {
            waiting.select_nth_unstable_by_key(count - 1, |(since, _)| *since);
        }
        for (since, connection) in &waiting[..count] {
            connection.close_if_waiting_since(*since);
        }
        tracing::debug!(count, open = self.most, "waiting connections are closed to make room");
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Connection>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.connections.lock().remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(count: u16) -> (Connections, Vec<(Connection, ConnectionPermit, AbortRegistration)>) {
        let connections = Connections::new(usize::from(count));
        let add = |port| {
            let room = Arc::clone(&connections.room).try_acquire_owned().unwrap();
            connections.add(([127, 0, 0, 1], port).into(), room)
        };
        let open = (0..count).map(add).collect();
        (connections, open)
    }

    /// The ports of the connections that are to be closed.
    fn closed(open: &[(Connection, ConnectionPermit, AbortRegistration)]) -> Vec<u16> {
        let aborted = open.iter().filter(|(connection, ..)| connection.0.abort.is_aborted());
        aborted.map(|(connection, ..)| connection.peer().port()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn the_one_that_waits_the_longest_makes_room() {
        let (connections, mut open) = full(3);
        drop(open[0].0.serve());
        open[1].0.received();
        let mut room = std::pin::pin!(connections.make_room());
        assert!(futures_util::poll!(room.as_mut()).is_pending());
        assert_eq!(closed(&open), [2]);
        open.remove(2);
        drop(room.await);
        assert_eq!(connections.lock().len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_is_served_is_not_closed() {
        let (connections, mut open) = full(2);
        let served: Vec<Served> = open.iter().map(|(connection, ..)| connection.serve()).collect();
        let mut room = std::pin::pin!(connections.make_room());
        assert!(futures_util::poll!(room.as_mut()).is_pending());
        assert!(closed(&open).is_empty());
        drop(served);
        tokio::time::advance(ROOM_WAIT).await;
        assert!(futures_util::poll!(room.as_mut()).is_pending());
        assert_eq!(closed(&open), [0]);
        open.remove(0);
        drop(room.await);
    }

    #[test]
    fn one_that_is_being_closed_stays_so() {
        let (connections, open) = full(1);
        connections.close_longest_waiting();
        drop(open[0].0.serve());
        assert_eq!(open[0].0.0.waiting_since.load(Ordering::Relaxed), CLOSED);
        connections.close_longest_waiting();
        assert_eq!(closed(&open), [0]);
    }

    #[test]
    fn a_share_of_many_is_closed_at_once() {
        let (connections, open) = full(640);
        connections.close_longest_waiting();
        assert_eq!(closed(&open), (0..10).collect::<Vec<u16>>());
    }
}
