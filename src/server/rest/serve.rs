//! The socket: binding, one task a connection, slow clients reaped, and shutting down in order.
//!
//! Shutting down on SIGTERM or SIGINT: the socket stays open, new requests are answered 503 while those under way may
//! finish within `server.shutdown_grace_s`; then runs are cancelled and streams get their last event; then connections
//! are closed. A second signal ends the grace at once.
//!
//! What the configuration asks for and this server cannot do yet is refused at the start, rather than served without.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use aludel_core::config::{ConfigError, ConfigFault, ConfigSource, Origin};
use aludel_core::engine::Engine;
use aludel_core::error::{Error, Result};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{App, Exposure};
use crate::server::signals::Signals;

/// How long a client may take over the head of a request.
const HEAD_ARRIVAL: Duration = Duration::from_secs(10);
/// How long connections may take to send what is written when the server closes.
const FLUSH: Duration = Duration::from_secs(2);
/// Pause after the system refused a connection (out of descriptors, usually), before the next is taken.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

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
/// `config_invalid` when the configuration asks for what this server cannot do; `conflict` when it cannot listen there;
/// `storage` when something could not be written at the end.
pub async fn serve(engine: Engine, options: Options) -> Result<()> {
    let mut signals =
        Signals::listen().map_err(|error| Error::Internal(format!("signals cannot be caught: {error}")))?;
    let server = Server::bind(engine.clone(), &options).await?;
    server.announce();
    engine.keep_indexed();
    let stop = server.stop_handle();
    let serving = server.run();
    let mut serving = pin!(serving);
    tokio::select! {
        () = &mut serving => return engine.close().await,
        () = signals.next() => stop.gracefully(),
    }
    tokio::select! {
        () = &mut serving => {}
        () = signals.next() => {
            stop.now();
            serving.await;
        }
    }
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
        refuse_unbuilt(&engine)?;
        let host = bindable(&options.host);
        let unreachable = |error: &std::io::Error| Error::Conflict(explain(options, error));
        let listener = TcpListener::bind((host, options.port)).await.map_err(|error| unreachable(&error))?;
        let address = listener.local_addr().map_err(|error| unreachable(&error))?;
        let app = App::new(engine, Exposure::of(address.ip()));
        Ok(Self { app, listener, address, stop: StopHandle::default() })
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
        // Standard error may be closed; that is no reason not to serve.
        let _ = writeln!(std::io::stderr(), "listening on http://{}", self.address);
    }

    /// Answers until stopped.
    pub async fn run(self) {
        let grace = Duration::from_secs(self.app.engine().config().server.shutdown_grace_s);
        let service = TowerToHyperService::new(self.app.clone().router());
        let (connections, closing) = (TaskTracker::new(), CancellationToken::new());
        let mut ended = pin!(drained(&self.app, &self.stop, grace));
        loop {
            tokio::select! {
                () = &mut ended => break,
                accepted = self.listener.accept() => match accepted {
                    Ok((socket, _)) => {
                        connections.spawn(attend(socket, service.clone(), closing.clone()));
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

type Service = TowerToHyperService<axum::Router>;

/// One connection, until its client or the server closes it.
async fn attend(socket: TcpStream, service: Service, closing: CancellationToken) {
    if let Err(error) = socket.set_nodelay(true) {
        tracing::debug!(%error, "a connection answers late");
    }
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_ARRIVAL);
    let connection = http.serve_connection(TokioIo::new(socket), service);
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

/// What to bind for a host as people write it. `localhost` is 127.0.0.1, whatever the machine's tables say first.
fn bindable(host: &str) -> &str {
    if host.eq_ignore_ascii_case("localhost") {
        return "127.0.0.1";
    }
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

/// Refuses a configuration that asks for protection this server does not have yet: better no server than an open one.
fn refuse_unbuilt(engine: &Engine) -> Result<()> {
    let server = &engine.config().server;
    let asked = [
        (server.auth.enabled, "server.auth.enabled", "requests would be served without a token"),
        (server.rate_limiting.enabled, "server.rate_limiting.enabled", "requests would be served without a limit"),
        (server.cors.enabled, "server.cors.enabled", "browsers of other origins would be refused"),
    ];
    let faults: Vec<ConfigFault> = asked
        .into_iter()
        .filter(|(enabled, ..)| *enabled)
        .map(|(_, key, consequence)| fault(engine, key, consequence))
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(ConfigError { faults }.into()) }
}

fn fault(engine: &Engine, key: &str, consequence: &str) -> ConfigFault {
    let (source, line) = match engine.origins().of(key) {
        Origin::File { path, line } => (ConfigSource::File(engine.paths().shown(&path)), Some(line)),
        Origin::Environment { name } => (ConfigSource::Environment(name), None),
        Origin::Flag { name } => (ConfigSource::Flag(name), None),
        Origin::Default => (ConfigSource::Argument, None),
    };
    let message = format!("this version of the HTTP server cannot do this yet, and {consequence}: set it to false");
    ConfigFault { source, key: key.to_owned(), line, column: None, message }
}

fn explain(options: &Options, error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    let Options { host, port } = options;
    match error.kind() {
        ErrorKind::AddrInUse => {
            format!(
                "port {port} of {host} is in use: stop what listens there, or choose another with `--port` (0 takes any that is free)"
            )
        }
        ErrorKind::PermissionDenied => {
            format!(
                "port {port} of {host} needs rights this program does not have: choose one from 1024 up with `--port`"
            )
        }
        ErrorKind::AddrNotAvailable => {
            format!("{host} is no address of this machine: choose another with `--host`, such as localhost")
        }
        _ => format!("cannot listen on port {port} of {host}: {error}; choose another with `--host` or `--port`"),
    }
}
