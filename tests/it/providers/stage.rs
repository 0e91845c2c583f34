//! One server on loopback that plays any number of providers, each under a path of its own, and the configuration that
//! leads to them.
//!
//! Owns what stands around the vendors: who is asked for what ([`Asked`], read from the marks that [`write_templates`] puts
//! into every request), where nobody listens, a certificate nobody trusts, and an [elsewhere](Stage::elsewhere_asked) that
//! no request may ever reach. Each request is looked over as it comes: its path, and the key in its vendor's header and
//! nowhere else; [`Stage::objections`] has what was wrong.

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

use super::fault::{PIECES, Place, whole};
use super::lab::KEY;
use super::vendors::{MODEL, Vendor};

/// One provider on the stage.
pub(super) struct Actor {
    /// Its name in the configuration and in its address.
    pub(super) name: String,
    pub(super) vendor: Vendor,
    pub(super) place: Place,
    pub(super) timeout_s: u64,
    pub(super) max_retries: u32,
    /// The key that it must be sent.
    pub(super) key: String,
    /// Further lines of its configuration, such as `model: x`; one that says where the key comes from replaces `api_key`.
    pub(super) more: Vec<String>,
    /// What it does with a request; `None`: it answers well.
    pub(super) play: Play,
}

/// What an actor does with a request.
pub(super) type Play = Box<dyn Fn(&Asked) -> Option<Script> + Send + Sync>;

/// One request, as far as it matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    /// How many requests this actor had before.
    pub(super) nth: usize,
    /// The phase's name; empty for anything but a chat.
    pub(super) phase: String,
    /// The variant, from 0.
    pub(super) variant: u32,
    pub(super) has_temperature: bool,
    /// The key that came in the vendor's header.
    pub(super) key: String,
    /// The connection it came on.
    pub(super) connection: usize,
    /// When it came.
    pub(super) arrived: Timestamp,
}

impl Asked {
    /// True for a request for this phase of this variant.
    pub(super) fn is(&self, phase: Phase, variant: u32) -> bool {
        self.phase == phase.as_str() && self.variant == variant
    }
}

impl Actor {
    /// A provider that always answers well, three requests at most for a call.
    pub(super) fn new(name: impl Into<String>, vendor: Vendor) -> Self {
        Self {
            name: name.into(),
            vendor,
            place: Place::Stage,
            timeout_s: 60,
            max_retries: 2,
            key: KEY.to_owned(),
            more: Vec::new(),
            play: Box::new(|_| None),
        }
    }

    /// The same with another behaviour.
    #[must_use]
    pub(super) fn playing(mut self, play: impl Fn(&Asked) -> Option<Script> + Send + Sync + 'static) -> Self {
        self.play = Box::new(play);
        self
    }
}

/// What everybody on the stage has seen.
#[derive(Default)]
struct Witness {
    asked: BTreeMap<String, Vec<Asked>>,
    objections: Vec<String>,
}

/// The server and its surroundings, which end when this is dropped.
pub(super) struct Stage {
    server: ScriptedServer,
    elsewhere: ScriptedServer,
    untrusted: ScriptedServer,
    nowhere: (TcpSocket, SocketAddr),
    answering_in_plain: JoinHandle<()>,
    witness: Arc<Mutex<Witness>>,
    configuration: String,
}

impl Stage {
    /// Opens with these actors. Redirects should lead to the address that `actors` is given.
    pub(super) async fn open(actors: impl FnOnce(&str) -> Vec<Actor>) -> Self {
        let elsewhere = ScriptedServer::answering(|_| Script::whole(200, &[], "")).await;
        let actors = actors(elsewhere.url());
        let witness = Arc::new(Mutex::new(Witness::default()));
        let untrusted = ScriptedServer::start_tls([Script::whole(200, &[], "")]).await;
        let nowhere = TcpSocket::new_v4().expect("a socket");
        // Bound and not listening: connections are refused, and nobody else gets the port meanwhile.
        nowhere.bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
        let address = nowhere.local_addr().expect("a bound port");
        let plain = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let (plain, answering_in_plain) =
            (plain.local_addr().expect("a bound port"), tokio::spawn(answer_in_plain(plain)));
        let lines: Vec<(String, Place, String)> =
            actors.iter().map(|actor| (actor.name.clone(), actor.place, lines_of(actor))).collect();
        let server = {
            let witness = Arc::clone(&witness);
            let actors: BTreeMap<String, Actor> = actors.into_iter().map(|actor| (actor.name.clone(), actor)).collect();
            ScriptedServer::answering(move |request| answer(&actors, &witness, request)).await
        };
        let mut configuration = "providers:\n".to_owned();
        for (name, place, lines) in lines {
            let host = match place {
                Place::Stage => server.url().to_owned(),
                Place::Plain => format!("https://{plain}"),
                Place::Nowhere => format!("http://{address}"),
                Place::Untrusted => untrusted.url().to_owned(),
            };
            let _ = write!(configuration, "  {name}:\n{}", lines.replace("{host}", &host));
        }
        Self { server, elsewhere, untrusted, nowhere: (nowhere, address), answering_in_plain, witness, configuration }
    }

    /// The `providers` of a configuration file, in the order of the actors.
    pub(super) fn configuration(&self) -> &str {
        &self.configuration
    }

    /// Every request that one actor had.
    pub(super) fn asked(&self, name: &str) -> Vec<Asked> {
        lock(&self.witness).asked.get(name).cloned().unwrap_or_default()
    }

    /// What was wrong with requests; nothing should be.
    pub(super) fn objections(&self) -> Vec<String> {
        lock(&self.witness).objections.clone()
    }

    /// How many requests came where none may come.
    pub(super) fn elsewhere_asked(&self) -> usize {
        debug_assert_ne!(self.nowhere.1.port(), 0, "held until the end, so that the port stays taken");
        self.elsewhere.requests().len() + self.untrusted.requests().len()
    }

    /// The server itself, for tests that look at connections.
    pub(super) fn server(&self) -> &ScriptedServer {
        &self.server
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.answering_in_plain.abort();
    }
}

/// What a web server says to one who speaks TLS where it knows none.
async fn answer_in_plain(listener: TcpListener) {
    while let Ok((mut socket, _)) = listener.accept().await {
        let said = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let _ = socket.read(&mut [0; 4096]).await;
        let _ = socket.write_all(said).await;
        let _ = socket.shutdown().await;
    }
}

fn lock(witness: &Mutex<Witness>) -> std::sync::MutexGuard<'_, Witness> {
    witness.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The configuration of one actor, with `{host}` where its address begins.
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

/// Looks a request over, remembers it, and answers as its actor does.
fn answer(actors: &BTreeMap<String, Actor>, witness: &Mutex<Witness>, request: &ReceivedRequest) -> Script {
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
        let asked = Asked {
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

/// What stands in a vendor's key header, without the scheme.
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

/// Writes templates of the phases into a data folder that say nothing but whose request it is, so that the stage can tell
/// requests apart, and so that they are short.
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
