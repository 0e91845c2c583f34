//! The socket: binding, one task a connection, slow clients reaped, and shutting down in order.
//!
//! Shutting down on SIGTERM or SIGINT: the socket stays open, new requests are answered 503 while those under way may
//! finish within `server.shutdown_grace_s`; then runs are cancelled and streams get their last event; then connections
//! are closed. A second signal ends the grace at once.
//!
//! Where it may listen, and what is refused at the start, is in `bind`.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use aludel_core::engine::{AdoptsJobs, Engine};
use aludel_core::error::{Error, Result};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::stall::Impatient;
use super::{App, bind};
use crate::server::signals::Signals;

/// How long a client may take over the head of a request.
const HEAD_ARRIVAL: Duration = Duration::from_secs(10);
/// How long connections may take to send what is written when the server closes.
const FLUSH: Duration = Duration::from_secs(2);
/// Pause after the system refused a connection (out of descriptors, usually), before the next is taken.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Connections open at once for each request that may be served.
const SOCKETS_A_PLACE: usize = 4;
/// Connections open at once beyond those.
const SPARE_SOCKETS: usize = 64;

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// A name or an address.
    pub host: String,
    /// A port; 0 takes any that is free.
    pub port: u16,
}

/// Serves until SIGTERM or SIGINT, and says on standard error where.
///
/// # Errors
/// `config_invalid` when the configuration asks for what this server cannot do, or does not allow a server that others
/// can reach; `conflict` when it cannot listen there;
/// `storage` when something could not be written at the end.
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

/// Ends the work of the process. It takes up no job that it would only let go of.
async fn close(engine: &Engine, adopts_jobs: AdoptsJobs) -> Result<()> {
    drop(adopts_jobs);
    engine.close().await
}

/// A server that listens and does not answer yet.
pub struct Server {
    app: App,
    listener: TcpListener,
    address: SocketAddr,
    stop: StopHandle,
}

/// Ends a server from elsewhere.
#[derive(Debug, Clone, Default)]
pub struct StopHandle {
    gracefully: CancellationToken,
    now: CancellationToken,
}

impl StopHandle {
    /// Takes no new requests and ends when those under way have, or the grace is over.
    pub fn gracefully(&self) {
        self.gracefully.cancel();
    }

    /// The same without grace.
    pub fn now(&self) {
        self.now.cancel();
        self.gracefully.cancel();
    }
}

impl Server {
    /// Listens there.
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

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What ends it.
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    fn announce(&self) {
        use std::io::Write;
        let warning = bind::warning(self.address, &self.app.engine().config().server);
        let mut lines = warning.into_iter().chain([format!("listening on http://{}", self.address)]);
        // Standard error may be closed; that is no reason not to serve.
        let _ = lines.try_for_each(|line| writeln!(io::stderr(), "{line}"));
    }

    /// Answers until stopped.
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
                        let attending = attend(socket, service.clone(), closing.clone());
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

/// Returns when the server was stopped and its requests have ended.
async fn drained(app: &App, stop: &StopHandle, grace: Duration) {
    stop.gracefully.cancelled().await;
    tokio::select! {
        () = app.load().drain(grace) => {}
        () = stop.now.cancelled() => app.load().drain(Duration::ZERO).await,
    }
}

/// How many connections are open at once: several for each request that is served, for those that wait for a head, a
/// body or their next request.
fn most_sockets(max_connections: usize) -> usize {
    max_connections.saturating_mul(SOCKETS_A_PLACE).saturating_add(SPARE_SOCKETS).min(Semaphore::MAX_PERMITS)
}

/// The next connection, once there is room for it; until then it waits where the system keeps it.
async fn accept(listener: &TcpListener, sockets: &Arc<Semaphore>) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let room = Arc::clone(sockets).acquire_owned().await.map_err(io::Error::other)?;
    let (socket, _) = listener.accept().await?;
    Ok((socket, room))
}

type Service = TowerToHyperService<axum::Router>;

/// One connection, until its client or the server closes it.
async fn attend(socket: TcpStream, service: Service, closing: CancellationToken) {
    if let Err(error) = socket.set_nodelay(true) {
        tracing::debug!(%error, "a connection answers late");
    }
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_ARRIVAL);
    let connection = http.serve_connection(TokioIo::new(Impatient::new(socket)), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        // A client that went away, or one that speaks no HTTP: nothing to do, and nobody to tell.
        tracing::debug!(%error, "a connection broke");
    }
}
