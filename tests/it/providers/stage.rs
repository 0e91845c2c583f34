//! A loopback server that plays many providers, each under its own path, and their configuration.
//!
//! Also identifies requests ([`ReceivedCall`], from the marks that [`write_templates`] adds to each), and
//! has an unused port, an untrusted certificate, and an [elsewhere](Stage::elsewhere_asked) that no
//! request may reach. Each request is checked on arrival: its path, and the key in its vendor's
//! header only; [`Stage::objections`] has the violations.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use aludel_core::domain::{Phase, Timestamp};
use aludel_core::provider::transport::testing::{ReceivedRequest, Script, ScriptedServer};
use aludel_core::time::{Clock, SystemClock};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinHandle;

use super::fault::{PIECES, ProviderAddress, whole};
use super::lab::KEY;
use super::vendors::{MODEL, Vendor};

/// One provider on the stage.
pub(super) struct Actor {
    /// Its name in the configuration and in its address.
    pub(super) name: String,
    pub(super) vendor: Vendor,
    pub(super) place: ProviderAddress,
    pub(super) timeout_s: u64,
    pub(super) max_retries: u32,
    /// The key it must receive.
    pub(super) key: String,
    /// More lines of its configuration, such as `model: x`; a key source replaces `api_key`.
    pub(super) more: Vec<String>,
    /// Its reaction to a request; `None`: a good answer.
    pub(super) play: Behaviour,
}

/// An actor's reaction to a request.
pub(super) type Behaviour = Box<dyn Fn(&ReceivedCall) -> Option<Script> + Send + Sync>;

/// The relevant parts of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReceivedCall {
    /// How many requests this actor had before.
    pub(super) nth: usize,
    /// The phase's name; empty for anything but a chat.
    pub(super) phase: String,
    /// The variant, from 0.
    pub(super) variant: u32,
    pub(super) has_temperature: bool,
    /// The key in the vendor's header.
    pub(super) key: String,
    /// The connection it arrived on.
    pub(super) connection: usize,
    /// When it arrived.
    pub(super) arrived: Timestamp,
}

impl ReceivedCall {
    /// True for a request for this phase of this variant.
    pub(super) fn is(&self, phase: Phase, variant: u32) -> bool {
        self.phase == phase.as_str() && self.variant == variant
    }
}

impl Actor {
    /// A provider that always answers well, with at most three requests per call.
    pub(super) fn new(name: impl Into<String>, vendor: Vendor) -> Self {
        Self {
            name: name.into(),
            vendor,
            place: ProviderAddress::Stage,
            timeout_s: 60,
            max_retries: 2,
            key: KEY.to_owned(),
            more: Vec::new(),
            play: Box::new(|_| None),
        }
    }

    /// Replaces the behaviour.
    #[must_use]
    pub(super) fn playing(mut self, play: impl Fn(&ReceivedCall) -> Option<Script> + Send + Sync + 'static) -> Self {
        self.play = Box::new(play);
        self
    }
}

/// The record of all requests.
#[derive(Default)]
struct RequestLog {
    asked: BTreeMap<String, Vec<ReceivedCall>>,
    objections: Vec<String>,
}

/// The server and its surroundings, which end on drop.
pub(super) struct Stage {
    server: ScriptedServer,
    elsewhere: ScriptedServer,
    untrusted: ScriptedServer,
    nowhere: (TcpSocket, SocketAddr),
    answering_in_plain: JoinHandle<()>,
    witness: Arc<Mutex<RequestLog>>,
    configuration: String,
}

impl Stage {
    /// Opens with these actors. Redirects should lead to the address passed to `actors`.
    pub(super) async fn open(actors: impl FnOnce(&str) -> Vec<Actor>) -> Self {
        let elsewhere = ScriptedServer::answering(|_| Script::whole(200, &[], "")).await;
        let actors = actors(elsewhere.url());
        let witness = Arc::new(Mutex::new(RequestLog::default()));
        let untrusted = ScriptedServer::start_tls([Script::whole(200, &[], "")]).await;
        let nowhere = TcpSocket::new_v4().expect("a socket");
        // Bound but not listening: connections are refused, and no one else gets the port.
        nowhere.bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
        let address = nowhere.local_addr().expect("a bound port");
        let plain = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let (plain, answering_in_plain) =
            (plain.local_addr().expect("a bound port"), tokio::spawn(answer_in_plain(plain)));
        let lines: Vec<(String, ProviderAddress, String)> =
            actors.iter().map(|actor| (actor.name.clone(), actor.place, lines_of(actor))).collect();
        let server = {
            let witness = Arc::clone(&witness);
            let actors: BTreeMap<String, Actor> = actors.into_iter().map(|actor| (actor.name.clone(), actor)).collect();
            ScriptedServer::answering(move |request| answer(&actors, &witness, request)).await
        };
        let mut configuration = "providers:\n".to_owned();
        for (name, place, lines) in lines {
            let host = match place {
                ProviderAddress::Stage => server.url().to_owned(),
                ProviderAddress::Plain => format!("https://{plain}"),
                ProviderAddress::Nowhere => format!("http://{address}"),
                ProviderAddress::Untrusted => untrusted.url().to_owned(),
            };
            let _ = write!(configuration, "  {name}:\n{}", lines.replace("{host}", &host));
        }
        Self { server, elsewhere, untrusted, nowhere: (nowhere, address), answering_in_plain, witness, configuration }
    }

    /// The `providers` of a configuration file, in the order of the actors.
    pub(super) fn configuration(&self) -> &str {
        &self.configuration
    }

    /// Every request of one actor.
    pub(super) fn asked(&self, name: &str) -> Vec<ReceivedCall> {
        lock(&self.witness).asked.get(name).cloned().unwrap_or_default()
    }

    /// Violations in requests; there should be none.
    pub(super) fn objections(&self) -> Vec<String> {
        lock(&self.witness).objections.clone()
    }

    /// How many requests reached the forbidden address.
    pub(super) fn elsewhere_asked(&self) -> usize {
        debug_assert_ne!(self.nowhere.1.port(), 0, "held until the end, so that the port stays taken");
        self.elsewhere.requests().len() + self.untrusted.requests().len()
    }

    /// The server itself, for tests of connections.
    pub(super) fn server(&self) -> &ScriptedServer {
        &self.server
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.answering_in_plain.abort();
    }
}

/// Answers TLS clients like a web server without TLS.
async fn answer_in_plain(listener: TcpListener) {
    while let Ok((mut socket, _)) = listener.accept().await {
        let said = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let _ = socket.read(&mut [0; 4096]).await;
        let _ = socket.write_all(said).await;
        let _ = socket.shutdown().await;
    }
}

fn lock(witness: &Mutex<RequestLog>) -> std::sync::MutexGuard<'_, RequestLog> {
    witness.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The configuration of one actor, with `{host}` at the start of its address.
fn lines_of(actor: &Actor) -> String {
    let Actor { name, vendor, key, timeout_s, max_retries, more, .. } = actor;
    let mut lines = vec![
        format!("kind: {}", vendor.name()),
        format!("base_url: {{host}}/{name}{}", vendor.root()),
        format!("timeout_s: {timeout_s}"),
        format!("max_retries: {max_retries}"),
    ];
    let says = |names: &[&str]| more.iter().any(|line| names.iter().any(|name| line.starts_with(name)));
    if !says(&["model:"]) {
        lines.push(format!("model: {MODEL}"));
    }
    if !says(&["api_key", "headers:", "# "]) {
        lines.push(format!("api_key: {key}"));
    }
    lines.extend(more.iter().cloned());
    lines.into_iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "    {line}");
        text
    })
}

/// Checks and records a request, and answers as its actor.
fn answer(actors: &BTreeMap<String, Actor>, witness: &Mutex<RequestLog>, request: &ReceivedRequest) -> Script {
    let (name, path) = request.path.trim_start_matches('/').split_once('/').unwrap_or_default();
    let Some(actor) = actors.get(name) else {
        lock(witness).objections.push(format!("{} {} is nobody's", request.method, request.path));
        return Script::whole(404, &[], "");
    };
    let is_chat = format!("/{path}") == actor.vendor.chat_path(MODEL);
    let body = String::from_utf8_lossy(&request.body);
    let (phase, variant) = if is_chat { mark_of(&body) } else { Default::default() };
    let mut objections = objections_to(actor.vendor, request, &actor.key);
    if request.method == "POST" && !is_chat {
        objections.push("a path that the vendor does not have".to_owned());
    }
    let asked = {
        let mut witness = lock(witness);
        let place = objections.into_iter().map(|objection| format!("{} {}: {objection}", request.method, request.path));
        witness.objections.extend(place);
        let before = witness.asked.entry(name.to_owned()).or_default();
        let asked = ReceivedCall {
            nth: before.len(),
            phase,
            variant,
            has_temperature: body.contains("\"temperature\""),
            key: key_of(actor.vendor, request).unwrap_or_default(),
            connection: request.connection,
            arrived: SystemClock.now(),
        };
        before.push(asked.clone());
        asked
    };
    let well = || {
        let said = closing_words(&asked.phase, asked.variant);
        let pieces: Vec<&str> = PIECES.into_iter().chain([said.as_str()]).collect();
        whole(actor.vendor, &actor.vendor.answer(MODEL, &pieces))
    };
    (actor.play)(&asked).unwrap_or_else(well)
}

/// The whole text of a good answer.
pub(super) fn good_text(phase: Phase, variant: u32) -> String {
    format!("{}{}", PIECES.concat(), closing_words(phase.as_str(), variant))
}

fn closing_words(phase: &str, variant: u32) -> String {
    format!(" This was {phase} of batch {variant}.")
}

/// The value of a vendor's key header, without the scheme.
fn key_of(vendor: Vendor, request: &ReceivedRequest) -> Option<String> {
    let (header, scheme) = vendor.key_header();
    request.header(header).and_then(|value| value.strip_prefix(scheme)).map(str::to_owned)
}

/// The key must be in its header, once, and nowhere else.
fn objections_to(vendor: Vendor, request: &ReceivedRequest, key: &str) -> Vec<String> {
    let (header, _) = vendor.key_header();
    let mut objections = Vec::new();
    if key_of(vendor, request).as_deref() != Some(key) {
        objections.push(format!("the key is not in `{header}`"));
    }
    let elsewhere = request.headers.iter().filter(|(name, value)| name != header && value.contains(key));
    objections.extend(elsewhere.map(|(name, _)| format!("the key is in `{name}` too")));
    if request.path.contains(key) || String::from_utf8_lossy(&request.body).contains(key) {
        objections.push("the key is in the path or the body".to_owned());
    }
    objections
}

/// The mark in a request: the phase and the variant, from 0.
fn mark_of(body: &str) -> (String, u32) {
    let after = |name: &str, is_part: fn(char) -> bool| {
        let rest = body.split_once(name).map_or("", |(_, rest)| rest);
        rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())].to_owned()
    };
    let phase = after("mark-phase=", |c| c.is_ascii_lowercase() || c == '-');
    let variant: u32 = after("mark-variant=", |c| c.is_ascii_digit()).parse().unwrap_or(1);
    (phase, variant.saturating_sub(1))
}

/// Writes phase templates that only contain the mark of a request, so that the stage can identify
/// it and requests are short.
pub(super) fn write_templates(data_folder: &Path) {
    let folder = data_folder.join("phases");
    std::fs::create_dir_all(&folder).expect("a folder");
    for phase in Phase::ALL {
        let text = format!(
            "---\nname: {phase}\ndescription: \"Tells whose request it is.\"\ntask: Go on.\n---\n\
             mark-phase={{{{ phase }}}} mark-variant={{{{ variant }}}}\n"
        );
        std::fs::write(folder.join(format!("{phase}.md")), text).expect("a template");
    }
}
