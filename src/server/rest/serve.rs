//! The socket: binding, one task per connection, reaping slow clients, and orderly shutdown.
//!
//! On SIGTERM or SIGINT the socket stays open and new requests get 503, while current ones can
//! finish within `server.shutdown_grace_s`. Then runs are cancelled and streams get their last
//! event, and connections are closed. A second signal ends the grace period at once.
//!
//! `bind` decides where it can listen and what is rejected at the start.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use aludel_core::engine::{Engine, JobAdoptionGuard};
use aludel_core::error::{Error, Result};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::stall::WriteTimeout;
use super::{App, bind};
use crate::server::signals::Signals;

/// Time limit for the head of a request.
const HEAD_ARRIVAL: Duration = Duration::from_secs(10);
/// Time limit for flushing connections when the server closes.
const FLUSH: Duration = Duration::from_secs(2);
/// Pause after a failed accept (out of descriptors, usually).
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Open connections per request that can be served.
const SOCKETS_PER_REQUEST: usize = 4;
/// Open connections in addition to those.
const SPARE_SOCKETS: usize = 64;

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// A name or an address.
    pub host: String,
    /// A port; 0 takes any free one.
    pub port: u16,
}

/// Serves until SIGTERM or SIGINT, and prints its address to standard error.
///
/// # Errors
/// `config_invalid` when the configuration asks for what this server cannot do, or does not allow
/// exposing the server; `conflict` when it cannot listen there; `storage` when the final write
/// fails.
pub async fn serve(engine: Engine, options: Options) -> Result<()> {
    let mut signals =
        Signals::listen().map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")))?;
    let server = Server::bind(engine.clone(), &options).await?;
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
    engine.close().await
}

/// A server that listens but does not answer yet.
pub struct Server {
    app: App,
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
    /// As [`serve`].
    pub async fn bind(engine: Engine, options: &Options) -> Result<Self> {
        let listener = bind::listen(&engine, options).await?;
        let address = listener
            .local_addr()
            .map_err(|error| Error::Internal(format!("the server does not know its own address: {error}")))?;
        Ok(Self { app: App::new(engine), listener, address, stop: StopHandle::default() })
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
        let warning = bind::warning(self.address, &self.app.engine().config().server);
        let mut lines = warning.into_iter().chain([format!("listening on http://{}", self.address)]);
        // Standard error may be closed, which should not keep the server from starting.
        let _ = lines.try_for_each(|line| writeln!(io::stderr(), "{line}"));
    }

    /// Serves until stopped.
    pub async fn run(self) {
        let grace = Duration::from_secs(self.app.engine().config().server.shutdown_grace_s);
        let service = TowerToHyperService::new(self.app.clone().router());
        let (connections, closing) = (TaskTracker::new(), CancellationToken::new());
        let sockets = Arc::new(Semaphore::new(most_sockets(self.app.engine().config().server.max_connections)));
        let mut ended = pin!(drained(&self.app, &self.stop, grace));
        loop {
            tokio::select! {
                () = &mut ended => break,
                accepted = accept(&self.listener, &sockets) => match accepted {
                    Ok((socket, room)) => {
                        let attending = handle_connection(socket, service.clone(), closing.clone());
                        connections.spawn(async move {
                            attending.await;
                            drop(room);
                        });
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be taken");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        closing.cancel();
        connections.close();
        if tokio::time::timeout(FLUSH, connections.wait()).await.is_err() {
            tracing::warn!("some connections did not close in time");
        }
    }
}

/// Resolves when the server was stopped and its requests have ended.
async fn drained(app: &App, stop: &StopHandle, grace: Duration) {
    stop.gracefully.cancelled().await;
    tokio::select! {
        () = app.load().drain(grace) => {}
        () = stop.now.cancelled() => app.load().drain(Duration::ZERO).await,
    }
}

/// The most connections open at once: several per request served, for those that wait for a head, a
/// body or their next request.
fn most_sockets(max_connections: usize) -> usize {
    max_connections.saturating_mul(SOCKETS_PER_REQUEST).saturating_add(SPARE_SOCKETS).min(Semaphore::MAX_PERMITS)
}

/// Accepts the next connection once there is room; until then it waits in the system's backlog.
async fn accept(listener: &TcpListener, sockets: &Arc<Semaphore>) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let room = Arc::clone(sockets).acquire_owned().await.map_err(io::Error::other)?;
    let (socket, _) = listener.accept().await?;
    Ok((socket, room))
}

type Service = TowerToHyperService<axum::Router>;

/// Serves one connection until its client or the server closes it.
async fn handle_connection(socket: TcpStream, service: Service, closing: CancellationToken) {
    if let Err(error) = socket.set_nodelay(true) {
        tracing::debug!(%error, "a connection answers late");
    }
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_ARRIVAL);
    let connection = http.serve_connection(TokioIo::new(WriteTimeout::new(socket)), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        // A client that disconnected or does not speak HTTP: nothing to do or report.
        tracing::debug!(%error, "a connection broke");
    }
}
