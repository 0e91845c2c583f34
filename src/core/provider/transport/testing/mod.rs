//! A scripted server on loopback for tests of the transport.
//!
//! Listens on a free port, in clear text or over TLS. Each request, on whatever connection, is
//! recorded for the test ([`ReceivedRequest`]) and answered with the next [`Script`]; the last
//! script answers all further ones. It sends exactly the bytes of the script and reports when a
//! client closes ([`ScriptedServer::until_closed`]). Dropping it ends every connection.

mod script;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::server::TlsStream;

pub use script::Script;
use script::Step;

/// The longest a test waits for something that should happen at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedRequest {
    /// The index of its connection.
    pub connection: usize,
    /// `GET` or `POST`.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// Names in lower case, in the order received.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl ReceivedRequest {
    /// The first value of a header; `name` in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null if invalid.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// What happened so far.
#[derive(Debug, Clone, Default)]
struct Log {
    requests: Vec<ReceivedRequest>,
    /// One per connection; true once the client closed it.
    closed: Vec<bool>,
}

type Answers = Arc<dyn Fn(&ReceivedRequest) -> Script + Send + Sync>;

/// The server. Needs a tokio runtime with I/O.
pub struct ScriptedServer {
    url: String,
    certificate: Option<String>,
    log: Arc<watch::Sender<Log>>,
    accepting: JoinHandle<()>,
}

impl ScriptedServer {
    /// Answers each request with the next of `scripts`, and further ones with the last.
    ///
    /// # Panics
    /// Without a script or a free port.
    pub async fn start(scripts: impl IntoIterator<Item = Script>) -> Self {
        Self::open(in_order(scripts), None).await
    }

    /// As [`ScriptedServer::start`], over TLS; clients must trust [`ScriptedServer::certificate`].
    ///
    /// # Panics
    /// As [`ScriptedServer::start`].
    pub async fn start_tls(scripts: impl IntoIterator<Item = Script>) -> Self {
        Self::open(in_order(scripts), Some(Identity::speaking(&[]))).await
    }

    /// Answers each request with the script that `answer` returns for it.
    ///
    /// # Panics
    /// Without a free port.
    pub async fn answering(answer: impl Fn(&ReceivedRequest) -> Script + Send + Sync + 'static) -> Self {
        Self::open(Arc::new(answer), None).await
    }

    #[expect(clippy::expect_used, reason = "without a port there is no test")]
    async fn open(answers: Answers, identity: Option<Identity>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port on loopback");
        let port = listener.local_addr().expect("a bound port").port();
        let log = Arc::new(watch::Sender::new(Log::default()));
        let scheme = if identity.is_some() { "https" } else { "http" };
        let (acceptor, certificate) = identity.map(|identity| (identity.acceptor, identity.certificate)).unzip();
        let accepting = tokio::spawn(accept(listener, answers, Arc::clone(&log), acceptor));
        Self { url: format!("{scheme}://127.0.0.1:{port}"), certificate, log, accepting }
    }

    /// `http://127.0.0.1:<port>`, or `https`, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The certificate to trust, as PEM; empty without TLS.
    pub fn certificate(&self) -> &str {
        self.certificate.as_deref().unwrap_or_default()
    }

    /// Every request so far, in the order received.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.log.borrow().requests.clone()
    }

    /// The number of connections so far.
    pub fn connections(&self) -> usize {
        self.log.borrow().closed.len()
    }

    /// Waits for this many requests; false after ten seconds.
    pub async fn until_asked(&self, times: usize) -> bool {
        self.until(|log| log.requests.len() >= times).await
    }

    /// Waits until the client has closed this connection, numbered from 0; false after ten seconds.
    /// A connection ended by the server itself counts as closed.
    pub async fn until_closed(&self, connection: usize) -> bool {
        self.until(|log| log.closed.get(connection) == Some(&true)).await
    }

    async fn until(&self, reached: impl FnMut(&Log) -> bool) -> bool {
        let mut log = self.log.subscribe();
        let waited = tokio::time::timeout(PATIENCE, log.wait_for(reached)).await;
        waited.is_ok_and(|seen| seen.is_ok())
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// The URL of a loopback port without a listener.
///
/// # Panics
/// Without a free port.
#[expect(clippy::expect_used, reason = "without a port there is no test")]
pub async fn refusing_url() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port on loopback");
    format!("http://{}", listener.local_addr().expect("a bound port"))
}

#[expect(clippy::expect_used, reason = "a server without a script is a broken test")]
fn in_order(scripts: impl IntoIterator<Item = Script>) -> Answers {
    let mut scripts = scripts.into_iter();
    let first = scripts.next().expect("at least one script");
    let rest: Vec<Script> = scripts.collect();
    let state = Mutex::new((first, rest.into_iter()));
    Arc::new(move |_| {
        let (current, rest) = &mut *state.lock().unwrap_or_else(PoisonError::into_inner);
        match rest.next() {
            Some(next) => std::mem::replace(current, next),
            None => current.clone(),
        }
    })
}

/// A self-signed certificate for loopback.
pub(super) struct Identity {
    pub(super) acceptor: TlsAcceptor,
    /// As PEM.
    pub(super) certificate: String,
}

impl Identity {
    /// Offers these protocols over TLS (ALPN); none means the client's default.
    #[expect(clippy::expect_used, reason = "without a certificate there is no test")]
    pub(super) fn speaking(protocols: &[&str]) -> Self {
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("protocol versions")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .expect("a certificate that fits its key");
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        Self { acceptor: TlsAcceptor::from(Arc::new(config)), certificate: made.cert.pem() }
    }
}

async fn accept(listener: TcpListener, answers: Answers, log: Arc<watch::Sender<Log>>, tls: Option<TlsAcceptor>) {
    let mut connections = JoinSet::new();
    while let Ok((socket, _)) = listener.accept().await {
        let mut number = 0;
        log.send_modify(|log| {
            number = log.closed.len();
            log.closed.push(false);
        });
        let _ = socket.set_nodelay(true);
        let (answers, log, tls) = (Arc::clone(&answers), Arc::clone(&log), tls.clone());
        connections.spawn(async move {
            match tls {
                None => Connection { socket, number, unread: Vec::new(), log: &log }.serve(&answers).await,
                // An untrusting client ends the handshake; there is nothing to answer.
                Some(tls) => {
                    if let Ok(socket) = tls.accept(socket).await {
                        Connection { socket, number, unread: Vec::new(), log: &log }.serve(&answers).await;
                    }
                }
            }
            log.send_modify(|log| log.closed[number] = true);
        });
    }
}

/// The transport of a connection.
trait Socket: AsyncRead + AsyncWrite + Unpin + Send {
    fn tcp(&self) -> &TcpStream;
}

impl Socket for TcpStream {
    fn tcp(&self) -> &TcpStream {
        self
    }
}

impl Socket for TlsStream<TcpStream> {
    fn tcp(&self) -> &TcpStream {
        self.get_ref().0
    }
}

struct Connection<'a, S> {
    socket: S,
    number: usize,
    unread: Vec<u8>,
    log: &'a watch::Sender<Log>,
}

impl<S: Socket> Connection<'_, S> {
    /// Answers requests until one side closes.
    async fn serve(mut self, answers: &Answers) {
        while let Some(request) = self.request().await {
            let script = answers(&request);
            self.log.send_modify(|log| log.requests.push(request));
            for step in &script.steps {
                if !self.play(step).await {
                    return;
                }
            }
        }
    }

    /// Plays one step; false when the connection is over.
    async fn play(&mut self, step: &Step) -> bool {
        match step {
            Step::Bytes(bytes) => self.write(bytes).await,
            Step::Pause(pause) => {
                let pause = tokio::time::sleep(*pause);
                tokio::pin!(pause);
                loop {
                    tokio::select! {
                        () = &mut pause => return true,
                        is_open = read_more(&mut self.socket, &mut self.unread) => {
                            if !is_open {
                                return false;
                            }
                        }
                    }
                }
            }
            Step::Endless(bytes) => {
                while self.write(bytes).await {}
                false
            }
            Step::Hang => {
                while read_more(&mut self.socket, &mut self.unread).await {}
                false
            }
            Step::Close => {
                let _ = self.socket.shutdown().await;
                // Waits for the client to close, so that unread data does not cause a reset.
                let _ = tokio::time::timeout(PATIENCE, async {
                    while read_more(&mut self.socket, &mut self.unread).await {}
                })
                .await;
                false
            }
            Step::Reset => {
                let _ = self.socket.tcp().set_zero_linger();
                false
            }
        }
    }

    async fn write(&mut self, bytes: &[u8]) -> bool {
        self.socket.write_all(bytes).await.is_ok() && self.socket.flush().await.is_ok()
    }

    /// The next request; `None` when the client closed.
    async fn request(&mut self) -> Option<ReceivedRequest> {
        let head_end = loop {
            if let Some(end) = self.unread.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            if !read_more(&mut self.socket, &mut self.unread).await {
                return None;
            }
        };
        let head = String::from_utf8_lossy(&self.unread[..head_end]).into_owned();
        let mut lines = head.lines();
        let mut words = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length: usize = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
        let body_on = head_end + 4;
        while self.unread.len() < body_on + length {
            if !read_more(&mut self.socket, &mut self.unread).await {
                return None;
            }
        }
        let body = self.unread[body_on..body_on + length].to_vec();
        self.unread.drain(..body_on + length);
        Some(ReceivedRequest { connection: self.number, method, path, headers, body })
    }
}

/// Reads what there is; false when the other side closed.
async fn read_more(socket: &mut impl Socket, unread: &mut Vec<u8>) -> bool {
    matches!(socket.read_buf(unread).await, Ok(read) if read > 0)
}
