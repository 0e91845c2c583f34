//! The HTTP server under load, with a bare axum server beside it in the same run.
//!
//! `cargo bench --bench http [-- SECONDS]`. 64 clients ask for one thing, each on its own connection
//! and from an address of its own, as fast as they are answered, for SECONDS (2) in each of
//! [`ROUNDS`] rounds, ours and the yardsticks alternating. `hello` is an axum handler of a constant;
//! `read` an axum handler that reads the same bytes as our answer from SQLite by their key, on a
//! connection of its thread. Tokens, rate limit, CORS, metrics and the access log are on for ours. Anything
//! but a 200 ends the bench. Clients share the machine with the servers, so the processor time of a request is reported too.
#![expect(clippy::expect_used, clippy::print_stdout, reason = "a bench prints, and stops where it cannot go on")]

#[expect(dead_code, clippy::panic, reason = "shared by benches, each of which needs some of it")]
mod measure;

use std::cell::OnceCell;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::header;
use axum::routing::get;
use measure::median;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

const CLIENTS: u8 = 64;
/// The secret of the server's tokens.
const SECRET: &str = "0123456789abcdef0123456789abcdef";
const ROUNDS: usize = 5;
/// Prompts in the database.
const PROMPTS: usize = 2000;
/// Letters of the large prompt, which its answer has twice: as its content and its one step.
const LETTERS: usize = 3600;

/// What is asked for, and by which name it is printed.
const ASKED: [(&str, &str); 4] = [
    ("/alive", "alive"),
    ("", "one prompt of 8 KB"),
    ("/api/v1/prompts?limit=20", "list of 20"),
    ("/api/v1/prompts/search?q=weather%20spring&limit=10", "search"),
];

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let first = arguments.next();
    if first.as_deref() == Some("yardstick") {
        yardstick(arguments.next().expect("a path").leak());
        return;
    }
    let seconds = first.map_or(2.0, |text| text.parse().expect("seconds"));
    let home = tempfile::tempdir().expect("a scratch folder");
    let id = fill(home.path());
    let tokens: Vec<String> = (1..=CLIENTS).map(|client| token(home.path(), client)).collect();
    let ours = Server::start(aludel(home.path()).args(["http-server", "--port", "0"]));
    let targets = ASKED
        .map(|(path, name)| (if path.is_empty() { format!("/api/v1/prompts/{id}") } else { path.to_owned() }, name));
    let kept = home.path().join("yardstick.db");
    keep(&kept, &targets.each_ref().map(|(path, _)| body(ours.address, path, &tokens[0])));
    let program = std::env::current_exe().expect("this program");
    let theirs = Server::start(Command::new(program).args(["yardstick", kept.to_str().expect("a UTF-8 path")]));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");

    let before = ours.anonymous_kb();
    for (number, (path, name)) in targets.iter().enumerate() {
        let (mut mine, mut hello, mut read) = (Vec::new(), Vec::new(), Vec::new());
        let mut held = Vec::new();
        for _ in 0..ROUNDS {
            let ask = |server: &Server, path: &str| {
                let cpu = server.cpu_ms();
                let load = runtime.block_on(load(server.address, path, &tokens, Duration::from_secs_f64(seconds)));
                (load, (server.cpu_ms() - cpu) * 1e3)
            };
            mine.push(ask(&ours, path));
            held.push(ours.anonymous_kb());
            hello.push(ask(&theirs, "/hello"));
            read.push(ask(&theirs, &format!("/read/{number}")));
        }
        let rate = |(load, _): &(Load, f64)| load.answers as f64 / load.took.as_secs_f64();
        let ratio = |theirs: &[(Load, f64)]| {
            median(mine.iter().zip(theirs).map(|(mine, theirs)| rate(mine) / rate(theirs)).collect())
        };
        let micros =
            |rounds: &[(Load, f64)]| median(rounds.iter().map(|(load, cpu)| cpu / load.answers as f64).collect());
        println!(
            "{name}: {:.0} a second, {:.2} of hello, {:.2} of read; p50 {:.2} p99 {:.2} ms (read {:.2}, {:.2}); processor {:.1} us (hello {:.1}, read {:.1}); anonymous memory after each round: {} kB",
            median(mine.iter().map(rate).collect()),
            ratio(&hello),
            ratio(&read),
            median(mine.iter().map(|(load, _)| load.percentile(0.5)).collect()),
            median(mine.iter().map(|(load, _)| load.percentile(0.99)).collect()),
            median(read.iter().map(|(load, _)| load.percentile(0.5)).collect()),
            median(read.iter().map(|(load, _)| load.percentile(0.99)).collect()),
            micros(&mine),
            micros(&hello),
            micros(&read),
            held.join(", "),
        );
    }
    println!("anonymous memory: {before} kB before, {} kB after; no error", ours.anonymous_kb());
}

/// The program with this home.
fn aludel(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aludel"));
    command.env_clear().env("ALUDEL_HOME", home);
    command
}

/// A token for one client.
fn token(home: &Path, client: u8) -> String {
    let subject = format!("client-{client}");
    let output = aludel(home).args(["token", "--scope", "read", "--quiet", "--subject", &subject]).output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

/// Makes the prompts and returns the id of the large one.
fn fill(home: &Path) -> String {
    let letters: String = "so many words about the weather of this spring ".chars().cycle().take(LETTERS).collect();
    let script = home.join("large.yaml");
    std::fs::write(&script, format!("answer: {{text: '{letters}'}}\n")).expect("a script");
    let configuration = format!(
        "generation: {{default_embedding_model: openai}}\nproviders: {{large: {{kind: sim, script: '{}'}}}}\nserver:\n  auth: {{enabled: true, secret: {SECRET}}}\n  rate_limiting: {{enabled: true, requests_per_minute: 1000000, burst: 1000000}}\n  cors: {{enabled: true, allowed_origins: ['https://app.example']}}\n",
        script.display()
    );
    std::fs::write(home.join("config.yaml"), configuration).expect("a configuration");
    let generate = |more: &[&str]| {
        let output = aludel(home).args(["generate", "--format", "json", "--provider"]).args(more).output();
        let output = output.expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON")
    };
    for place in 0..PROMPTS / 100 {
        generate(&["builtin", "--count", "100", &format!("write a note about the weather of place {place} in spring")]);
    }
    let large = generate(&["large", "--count", "1", "--phases", "coagulatio", "say much"]);
    large["prompts"][0]["id"].as_str().expect("an id").to_owned()
}

/// The body that is answered at a path.
fn body(address: SocketAddr, path: &str, token: &str) -> String {
    let mut stream = std::net::TcpStream::connect(address).expect("a connection");
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    println!("{path}: {} bytes", body.len());
    body.to_owned()
}

/// Stores the bodies for the yardstick, by number.
fn keep(path: &Path, bodies: &[String]) {
    #[expect(clippy::disallowed_methods, reason = "the yardstick is a program of its own")]
    let connection = rusqlite::Connection::open(path).expect("a database");
    connection
        .execute_batch("PRAGMA journal_mode = wal; CREATE TABLE kept (id INTEGER PRIMARY KEY, body TEXT)")
        .expect("a table");
    for (id, body) in (0_u32..).zip(bodies) {
        connection.execute("INSERT INTO kept VALUES (?, ?)", (id, body)).expect("a row");
    }
}

/// The yardstick's server, until it is killed.
fn yardstick(path: &'static str) {
    let read = async move |axum::extract::Path(id): axum::extract::Path<u32>| {
        ([(header::CONTENT_TYPE, "application/json")], stored(path, id))
    };
    let routes = Router::new()
        .route("/hello", get(async || ([(header::CONTENT_TYPE, "application/json")], r#"{"status":"ok"}"#)))
        .route("/read/{id}", get(read));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        writeln!(std::io::stderr(), "listening on http://{address}").expect("told");
        axum::serve(listener, routes).await.expect("it serves");
    });
}

thread_local! {
    static READER: OnceCell<rusqlite::Connection> = const { OnceCell::new() };
}

fn stored(path: &str, id: u32) -> String {
    READER.with(|reader| {
        let reader = reader.get_or_init(|| {
            let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
            #[expect(clippy::disallowed_methods, reason = "the yardstick is a program of its own")]
            rusqlite::Connection::open_with_flags(path, flags).expect("the database opens")
        });
        let mut statement = reader.prepare_cached("SELECT body FROM kept WHERE id = ?").expect("a statement");
        statement.query_row([id], |row| row.get(0)).expect("a row")
    })
}

/// A server of its own process, killed on drop.
struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    fn start(command: &mut Command) -> Self {
        let mut process =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        // Both say it on standard error.
        let mut line = String::new();
        BufReader::new(process.stderr.as_mut().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on http://").expect("an address");
        Self { process, address: address.parse().expect("an address") }
    }

    fn cpu_ms(&self) -> f64 {
        measure::cpu_ms_of(self.process.id())
    }

    /// Memory that is no file's (proc(5), RssAnon).
    fn anonymous_kb(&self) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap_or("RssAnon: 0");
        line.split_whitespace().nth(1).unwrap_or("0").to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// What the clients of one round got.
struct Load {
    answers: usize,
    took: Duration,
    /// Sorted, in milliseconds.
    waits: Vec<f64>,
}

impl Load {
    fn percentile(&self, share: f64) -> f64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
        let at = (self.waits.len() as f64 * share) as usize;
        self.waits[at.min(self.waits.len() - 1)]
    }
}

/// Asks with all clients at once until the time is over.
async fn load(server: SocketAddr, path: &str, tokens: &[String], time: Duration) -> Load {
    let requests = tokens.iter().map(|token| {
        format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\r\n").into_bytes()
    });
    let requests: Vec<Vec<u8>> = requests.collect();
    let mut sockets = Vec::new();
    for client in 1..=CLIENTS {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((Ipv4Addr::new(127, 0, 1, client), 0).into()).expect("an address");
        sockets.push(socket.connect(server).await.expect("a connection"));
    }
    let began = Instant::now();
    let clients: Vec<_> = sockets
        .into_iter()
        .zip(requests)
        .map(|(socket, request)| tokio::spawn(client(socket, request, began + time)))
        .collect();
    let mut waits = Vec::new();
    for client in clients {
        waits.extend(client.await.expect("a client"));
    }
    let took = began.elapsed();
    waits.sort_by(f64::total_cmp);
    Load { answers: waits.len(), took, waits }
}

/// One client; returns how long it waited for each answer, in milliseconds.
async fn client(mut socket: TcpStream, request: Vec<u8>, until: Instant) -> Vec<f64> {
    socket.set_nodelay(true).expect("no delay");
    let mut waits = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut now = Instant::now();
    while now < until {
        socket.write_all(&request).await.expect("sent");
        let (mut filled, mut whole) = (0, None);
        while whole.is_none_or(|whole| filled < whole) {
            let count = socket.read(&mut buffer[filled..]).await.expect("an answer");
            assert!(count > 0, "the server closed");
            filled += count;
            if whole.is_none() {
                whole = length(&buffer[..filled]);
            }
            if whole.is_some_and(|whole| whole > buffer.len()) {
                buffer.resize(whole.unwrap_or_default(), 0);
            }
        }
        let answered = Instant::now();
        waits.push((answered - now).as_secs_f64() * 1e3);
        now = answered;
    }
    waits
}

/// The length of an answer, once its head is there.
fn length(read: &[u8]) -> Option<usize> {
    let head = read.windows(4).position(|window| window == b"\r\n\r\n")?;
    assert!(read.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(read));
    let head_text = std::str::from_utf8(&read[..head]).expect("text");
    let value = head_text.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
    Some(head + 4 + value.parse::<usize>().expect("a number"))
}
