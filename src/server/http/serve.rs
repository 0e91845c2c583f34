//! The socket: binding, one task per connection, reaping slow clients, and orderly shutdown.
//! `connections` closes waiting connections when there are too many.
//!
//! On SIGTERM or SIGINT the socket stays open and new requests get 503, while current ones can
//! finish within `server.shutdown_grace_s`. Then runs are cancelled and streams get their last
//! event, and connections are closed. A second signal ends the grace period at once.
//!
//! `bind` decides where it can listen and what is rejected at the start.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use aludel_core::engine::{Engine, JobAdoptionGuard};
use aludel_core::error::{Error, Result};
use aludel_core::metrics::GaugeGuard;
use aludel_core::trace;
use axum::body::Body;
use axum::http::Request;
use axum::response::Response;
use futures_util::FutureExt;
use futures_util::future::{Abortable, BoxFuture};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connections::{Connection, Connections};
use super::load::Load;
use super::stall::WriteTimeout;
use super::{bind, descriptors};
use crate::server::signals::Signals;

/// Time limit for the head of a request.
const HEAD_ARRIVAL: Duration = Duration::from_secs(10);
/// Time limit for flushing connections when the server closes.
const FLUSH: Duration = Duration::from_secs(2);
/// Pause after a failed accept (out of descriptors, usually).
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// A name or an address.
    pub host: String,
    /// A port; 0 takes any free one.
    pub port: u16,
}

/// Answers requests, of any number at once.
pub(in crate::server) type Answer = Arc<dyn Fn(Request<Body>) -> BoxFuture<'static, Response> + Send + Sync>;

/// What a server answers with.
pub(in crate::server) struct Service {
    /// Answers a request.
    pub(in crate::server) answer: Answer,
    /// The path that clients call, empty for many.
    pub(in crate::server) path: &'static str,
    /// The slots of its requests, which end it in order.
    pub(in crate::server) load: Load,
    /// Counts a connection as open until dropped, if anybody counts.
    pub(in crate::server) count_connection: Option<Box<dyn Fn() -> GaugeGuard + Send + Sync>>,
}

/// Serves until SIGTERM or SIGINT, and prints its address to standard error.
///
/// # Errors
/// As [`Server::bind`]; `storage` when the final write fails.
pub(in crate::server) async fn serve(engine: Engine, options: &Options, service: Service) -> Result<()> {
    let mut signals =
        Signals::listen().map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")))?;
    let server = Server::bind(engine.clone(), options, service).await?;
    server.announce();
    engine.keep_indexed();
    let adopts_jobs = engine.adopt_jobs();
    let stop = server.stop_handle();
    let serving = server.run();
    let mut serving = pin!(serving);
    tokio::select! {
        () = &mut serving => return close(&engine, adopts_jobs).await,
        () = signals.next() => stop.gracefully(),
    }
    tokio::select! {
        () = &mut serving => {}
        () = signals.next() => {
            stop.now();
            serving.await;
        }
    }
    close(&engine, adopts_jobs).await
}

/// Ends the work of the process. Stops adopting jobs first, so that none is taken up in vain.
async fn close(engine: &Engine, adopts_jobs: JobAdoptionGuard) -> Result<()> {
    drop(adopts_jobs);
    let closed = engine.close().await;
    trace::flush();
    closed
}

/// A server that listens but does not answer yet.
pub struct Server {
    engine: Engine,
    service: Service,
    listener: TcpListener,
    address: SocketAddr,
    stop: StopHandle,
}

/// A handle to stop a server from elsewhere.
#[derive(Debug, Clone, Default)]
pub struct StopHandle {
    gracefully: CancellationToken,
    now: CancellationToken,
}

impl StopHandle {
    /// Rejects new requests and ends when current ones have, or the grace period is over.
    pub fn gracefully(&self) {
        self.gracefully.cancel();
    }

    /// Stops without a grace period.
    pub fn now(&self) {
        self.now.cancel();
        self.gracefully.cancel();
    }
}

impl Server {
    /// Binds the listener.
    ///
    /// # Errors
    /// `config_invalid` when the configuration asks for what this server cannot do, or does not allow
    /// exposing the server; `conflict` when it cannot listen there.
    pub(in crate::server) async fn bind(engine: Engine, options: &Options, service: Service) -> Result<Self> {
        let listener = bind::listen(&engine, options).await?;
        let address = listener
            .local_addr()
            .map_err(|error| Error::Internal(format!("the server does not know its own address: {error}")))?;
        Ok(Self { engine, service, listener, address, stop: StopHandle::default() })
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The handle that stops it.
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    fn announce(&self) {
        use std::io::Write;
        let warning = bind::warning(self.address, &self.engine.config().server);
        let mut lines =
            warning.into_iter().chain([format!("listening on http://{}{}", self.address, self.service.path)]);
        // Standard error may be closed, which should not keep the server from starting.
        let _ = lines.try_for_each(|line| writeln!(io::stderr(), "{line}"));
    }

    /// Serves until stopped.
    pub async fn run(self) {
        let config = &self.engine.config().server;
        let grace = Duration::from_secs(config.shutdown_grace_s);
        let most = descriptors::most_connections(config.max_connections);
        let Service { answer, load, count_connection, .. } = self.service;
        let (connections, tasks, closing) = (Connections::new(most), TaskTracker::new(), CancellationToken::new());
        let mut ended = pin!(drained(&load, &self.stop, grace));
        loop {
            tokio::select! {
                () = &mut ended => break,
                accepted = accept(&self.listener, &connections) => match accepted {
                    Ok((socket, peer, room)) => {
                        let (connection, permit, registration) = connections.add(peer, room);
                        let counted = count_connection.as_ref().map(|count| count());
                        let served = handle_connection(socket, connection, Arc::clone(&answer), closing.clone());
                        tasks.spawn(async move {
                            // Ends early when it is closed to make room.
                            let _ = Abortable::new(served, registration).await;
                            drop((permit, counted));
                        });
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be taken");
                        connections.close_longest_waiting();
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        closing.cancel();
        tasks.close();
        if tokio::time::timeout(FLUSH, tasks.wait()).await.is_err() {
            tracing::warn!("some connections did not close in time");
        }
    }
}

/// Resolves when the server was stopped and its requests have ended.
async fn drained(load: &Load, stop: &StopHandle, grace: Duration) {
    stop.gracefully.cancelled().await;
    tokio::select! {
        () = load.drain(grace) => {}
        () = stop.now.cancelled() => load.drain(Duration::ZERO).await,
    }
}

/// Accepts the next connection, and makes room for it.
async fn accept(
    listener: &TcpListener,
    connections: &Connections,
) -> io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let (socket, peer) = listener.accept().await?;
    Ok((socket, peer, connections.make_room().await))
}

/// Serves one connection until its client or the server closes it.
async fn handle_connection(socket: TcpStream, connection: Connection, answer: Answer, closing: CancellationToken) {
    if let Err(error) = socket.set_nodelay(true) {
        tracing::debug!(%error, "a connection answers late");
    }
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_ARRIVAL);
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        connection.received();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(connection.clone());
        answer(request).map(Ok::<_, Infallible>)
    });
    let serving = http.serve_connection(TokioIo::new(WriteTimeout::new(socket)), service);
    let mut serving = pin!(serving);
    let ended = tokio::select! {
        ended = &mut serving => ended,
        () = closing.cancelled() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = ended {
        // A client that disconnected or does not speak HTTP: nothing to do or report.
        tracing::debug!(%error, "a connection broke");
    }
}
