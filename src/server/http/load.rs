//! Limits how many requests are served at once, and shuts down in two steps.
//!
//! A request takes a [`RequestSlot`] once its body is complete and holds it until its response is, a
//! stream until its last event. To stop, a server first *drains* (rejects new requests and lets
//! current ones finish) and after the grace period *halts*: runs are cancelled, keep what had
//! finished, and report it. Health probes take no place, so they are answered under any load.

use std::sync::Arc;
use std::time::Duration;

use aludel_core::error::{Code, Error, Result};
use axum::body::{Body, HttpBody};
use axum::response::Response;
use futures_util::StreamExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::connections::{Connection, Served};

/// How long streams have to send their last event once halted.
const HALT_GRACE: Duration = Duration::from_secs(2);

/// The load of one server. Clones share it.
#[derive(Debug, Clone)]
pub(in crate::server) struct Load {
    places: Arc<Semaphore>,
    most: u32,
    draining: CancellationToken,
    halting: CancellationToken,
}

/// The slot of a request being served, freed when dropped. Until then its connection stays open.
#[derive(Debug)]
#[expect(dead_code, reason = "held for their drop")]
pub(in crate::server) struct RequestSlot(OwnedSemaphorePermit, Option<Served>);

impl RequestSlot {
    /// A stream keeps its slot until its last piece; any other response is complete.
    pub(in crate::server) fn hold(self, response: Response) -> Response {
        if response.body().size_hint().exact().is_some() {
            return response;
        }
        response.map(|body| {
            let pieces = body.into_data_stream().map(move |piece| {
                let _held = &self;
                piece
            });
            // The encoder of a compressed answer asks once more after the last piece.
            Body::from_stream(pieces.fuse())
        })
    }
}

impl Load {
    /// Slots for `most` requests, at least one.
    pub(in crate::server) fn new(most: usize) -> Self {
        let most = u32::try_from(most).unwrap_or(u32::MAX).max(1);
        Self {
            places: Arc::new(Semaphore::new(most as usize)),
            most,
            draining: CancellationToken::new(),
            halting: CancellationToken::new(),
        }
    }

    /// How many slots there are.
    pub(in crate::server) fn slots(&self) -> u32 {
        self.most
    }

    /// How many are taken.
    pub(in crate::server) fn slots_in_use(&self) -> u32 {
        self.most.saturating_sub(u32::try_from(self.places.available_permits()).unwrap_or(u32::MAX))
    }

    /// Takes a slot for a request of this connection.
    ///
    /// # Errors
    /// `overloaded` when all are taken, or the server is shutting down.
    pub(in crate::server) fn enter(&self, connection: Option<&Connection>) -> Result<RequestSlot> {
        let permit = self.permit()?;
        Ok(RequestSlot(permit, connection.map(Connection::serve)))
    }

    fn permit(&self) -> Result<OwnedSemaphorePermit> {
        if self.is_draining() {
            return Err(shutting_down());
        }
        Arc::clone(&self.places).try_acquire_owned().map_err(|_| {
            overloaded(format!(
                "{} requests are being served, the maximum: try again in a moment, or raise `server.max_connections`",
                self.most
            ))
        })
    }

    /// Waits for what a request needs before it is served, such as its body, without taking a slot.
    /// Gives up when all are taken or the server begins to shut down.
    ///
    /// # Errors
    /// Its own; `overloaded` as [`Load::enter`].
    pub(in crate::server) async fn before_entering<T>(&self, needed: impl Future<Output = Result<T>>) -> Result<T> {
        drop(self.permit()?);
        self.unless_draining(needed).await
    }

    /// Waits for what a request needs, however many are served. Gives up when the server begins to
    /// shut down.
    ///
    /// # Errors
    /// Its own; `overloaded` when the server is shutting down.
    pub(in crate::server) async fn unless_draining<T>(&self, needed: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            biased;
            () = self.draining.cancelled() => Err(shutting_down()),
            needed = needed => needed,
        }
    }

    /// True once the server was asked to stop.
    pub(in crate::server) fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }

    /// Fires when runs must end.
    pub(in crate::server) fn halting(&self) -> &CancellationToken {
        &self.halting
    }

    /// Rejects new requests, waits up to `grace` for current ones, then halts them. Returns when
    /// all have ended, or shortly after halting.
    pub(in crate::server) async fn drain(&self, grace: Duration) {
        self.draining.cancel();
        if tokio::time::timeout(grace, self.all_gone()).await.is_err() {
            self.halting.cancel();
            if tokio::time::timeout(HALT_GRACE, self.all_gone()).await.is_err() {
                tracing::warn!("some requests did not stop in time; their connections are closed");
            }
        }
        self.halting.cancel();
    }

    async fn all_gone(&self) {
        // The semaphore is never closed, so this only returns once every slot is free.
        let _ = self.places.acquire_many(self.most).await;
    }
}

fn shutting_down() -> Error {
    overloaded("the server is shutting down: try again once it is back".into())
}

fn overloaded(detail: String) -> Error {
    Error::Refused { code: Code::Overloaded, detail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_again_once_dropped() {
        let load = Load::new(1);
        let place = load.enter(None).unwrap();
        let error = load.enter(None).unwrap_err();
        assert_eq!(error.code(), Code::Overloaded);
        assert!(error.to_string().contains("server.max_connections"));
        drop(place);
        assert!(load.enter(None).is_ok());
    }

    #[tokio::test]
    async fn what_is_waited_for_takes_no_place_and_ends_with_the_server() {
        let load = Load::new(1);
        let never = load.before_entering(std::future::pending::<Result<()>>());
        let mut never = std::pin::pin!(never);
        assert!(futures_util::poll!(never.as_mut()).is_pending());
        let place = load.enter(None).unwrap();
        assert_eq!(load.before_entering(async { Ok(()) }).await.unwrap_err().code(), Code::Overloaded);
        drop(place);
        assert!(load.before_entering(async { Ok(()) }).await.is_ok());
        load.drain(Duration::ZERO).await;
        assert!(never.await.unwrap_err().to_string().contains("shutting down"));
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_server_drains_at_once_and_takes_no_more() {
        let load = Load::new(4);
        load.drain(Duration::from_secs(30)).await;
        assert!(load.enter(None).unwrap_err().to_string().contains("shutting down"));
    }

    #[tokio::test(start_paused = true)]
    async fn what_runs_may_finish_within_the_grace() {
        let load = Load::new(2);
        let place = load.enter(None).unwrap();
        let (draining, worker) = (load.clone(), load.clone());
        let halted = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(20)).await;
            let halted = worker.halting().is_cancelled();
            drop(place);
            halted
        });
        draining.drain(Duration::from_secs(30)).await;
        assert!(!halted.await.unwrap());
    }

    #[tokio::test(start_paused = true)]
    async fn what_outlives_the_grace_is_halted_and_waited_for() {
        let load = Load::new(2);
        let place = load.enter(None).unwrap();
        let worker = load.clone();
        let ended = tokio::spawn(async move {
            worker.halting().cancelled().await;
            drop(place);
        });
        load.drain(Duration::from_secs(30)).await;
        assert!(ended.is_finished());
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_end_even_then_is_not_waited_for_forever() {
        let load = Load::new(2);
        let _stuck = load.enter(None).unwrap();
        let begun = tokio::time::Instant::now();
        load.drain(Duration::from_secs(30)).await;
        assert_eq!(begun.elapsed(), Duration::from_secs(32));
    }
}
