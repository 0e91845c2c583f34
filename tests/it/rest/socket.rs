//! Connection behaviour: clients that leave, are slow or are many, and a server that stops.

use std::net::SocketAddr;
use std::time::Duration;

use aludel::server::rest::{self, Options, StopHandle};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::seeded::Seeded;

/// An input whose call never ends. The provider takes one at a time, so a run that is not cancelled
/// would block the next one forever.
pub(super) const HANGS: &str = "rules: [{when: {input: hang}, fault: {kind: hang, after_chunks: 1}}]";

pub(super) struct Running {
    pub(super) address: SocketAddr,
    pub(super) stop: StopHandle,
    pub(super) task: JoinHandle<()>,
    _seeded: Seeded,
}

impl Running {
    /// A server with `settings` as its section of the configuration.
    pub(super) async fn start(script: &str, settings: &str) -> Self {
        let providers = "providers:\n  sim: {script: script.yaml, max_retries: 0, max_concurrency: 1}\n";
        let config_text = format!("{providers}server: {{{settings}}}\n");
        Self::over(Seeded::with_files(&config_text, &[("script.yaml", script)])).await
    }

    /// A server over this engine.
    pub(super) async fn over(seeded: Seeded) -> Self {
        let options = Options { host: "localhost".into(), port: 0 };
        let server = rest::bind(seeded.engine.clone(), &options).await.expect("a free port");
        let (address, stop) = (server.address(), server.stop_handle());
        Self { address, stop, task: tokio::spawn(server.run()), _seeded: seeded }
    }

    pub(super) async fn connect(&self) -> Client {
        Client(BufReader::new(TcpStream::connect(self.address).await.expect("a connection")))
    }

    /// Status and body of a request on a connection of its own.
    pub(super) async fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut client = self.connect().await;
        client.send(method, path, "connection: close\r\n", body).await;
        client.rest().await
    }

    /// Returns once every slot is taken.
    async fn wait_until_full(&self) {
        while self.ask("GET", "/api/v1/providers", "").await.0 != 503 {}
    }

    pub(super) async fn generate(&self, input: &str) -> (u16, Value) {
        let (status, body) = self.ask("POST", GENERATE, &body(input)).await;
        (status, serde_json::from_str(&body).expect("JSON"))
    }
}

pub(super) const GENERATE: &str = "/api/v1/prompts/generate";

pub(super) fn body(input: &str) -> String {
    serde_json::json!({ "input": input, "count": 1, "save": false }).to_string()
}

pub(super) struct Client(pub(super) BufReader<TcpStream>);

impl Client {
    pub(super) async fn send(&mut self, method: &str, path: &str, headers: &str, body: &str) {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{headers}\r\n",
            body.len()
        );
        self.0.write_all((head + body).as_bytes()).await.expect("sent");
    }

    /// Reads up to a line that contains this text.
    pub(super) async fn until(&mut self, text: &str) -> String {
        let mut read = String::new();
        loop {
            let count = self.0.read_line(&mut read).await.expect("a line");
            assert!(count > 0, "the connection ended before {text:?}: {read}");
            if read.contains(text) {
                return read;
            }
        }
    }

    /// The next response, by its `Content-Length`.
    pub(super) async fn answer(&mut self) -> (String, String) {
        let head = self.until_blank_line().await;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
        let mut body = vec![0; length.parse().expect("a number")];
        self.0.read_exact(&mut body).await.expect("a body");
        (head, String::from_utf8(body).expect("UTF-8"))
    }

    pub(super) async fn until_blank_line(&mut self) -> String {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.0.read_line(&mut head).await.expect("a line") > 0, "the connection ended: {head}");
        }
        head
    }

    /// Everything until the server closes: status and body, chunks not joined.
    pub(super) async fn rest(&mut self) -> (u16, String) {
        let mut whole = String::new();
        self.0.read_to_string(&mut whole).await.expect("an answer");
        let (head, body) = whole.split_once("\r\n\r\n").expect("a head and a body");
        (head.split(' ').nth(1).expect("a status").parse().expect("a number"), body.to_owned())
    }
}

async fn hang(server: &Running, accept: &str) -> Client {
    let mut client = server.connect().await;
    client.send("POST", GENERATE, &format!("accept: {accept}\r\n"), &body("please hang")).await;
    client
}

#[tokio::test]
async fn a_client_that_leaves_its_stream_cancels_the_run() {
    let server = Running::start(HANGS, "").await;
    let mut client = hang(&server, "text/event-stream").await;
    client.until("event: delta").await;
    drop(client);
    assert_eq!(server.generate("go on").await.0, 200);
}

#[tokio::test]
async fn a_client_that_leaves_before_its_result_cancels_the_run() {
    let server = Running::start(HANGS, "max_connections: 1").await;
    let client = hang(&server, "application/json").await;
    server.wait_until_full().await;
    drop(client);
    while server.ask("GET", "/api/v1/providers", "").await.0 != 200 {}
    assert_eq!(server.generate("go on").await.0, 200);
}

#[tokio::test]
async fn more_requests_than_there_is_room_for_are_told_to_come_back() {
    let server = Running::start(HANGS, "max_connections: 1").await;
    let mut client = hang(&server, "text/event-stream").await;
    client.until("event: started").await;
    let mut second = server.connect().await;
    second.send("POST", GENERATE, "connection: close\r\n", &body("go on")).await;
    let (head, _) = second.answer().await;
    assert!(head.starts_with("HTTP/1.1 503 ") && head.contains("retry-after: 1"), "{head}");
    for probe in ["/alive", "/health", "/ready"] {
        assert_eq!(server.ask("GET", probe, "").await.0, 200, "{probe}");
    }
}

#[tokio::test]
async fn a_server_that_stops_lets_streams_finish_and_takes_no_more() {
    let script = "pacing: {tokens_per_s: 1000}\nanswer: {words: 100}";
    let server = Running::start(script, "shutdown_grace_s: 60").await;
    let mut client = server.connect().await;
    client.send("POST", GENERATE, "accept: text/event-stream\r\n", &body("go on")).await;
    client.until("event: delta").await;
    server.stop.gracefully();
    tokio::task::yield_now().await;
    assert_eq!(server.ask("POST", GENERATE, &body("more")).await.0, 503);
    assert_eq!(server.ask("GET", "/ready", "").await.0, 503);
    assert_eq!(server.ask("GET", "/alive", "").await.0, 200);
    let rest = client.until("event: finished").await;
    assert!(!rest.contains("event: cancelled"));
    server.task.await.expect("the server ends");
}

#[tokio::test]
async fn what_outlives_the_grace_gets_a_last_event() {
    let server = Running::start(HANGS, "shutdown_grace_s: 0, max_connections: 2").await;
    let mut stream = hang(&server, "text/event-stream").await;
    stream.until("event: delta").await;
    let mut result = hang(&server, "application/json").await;
    server.wait_until_full().await;
    server.stop.gracefully();
    stream.until("event: cancelled").await;
    let (head, _) = result.answer().await;
    assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
    server.task.await.expect("the server ends");
}

#[tokio::test]
async fn a_second_word_ends_the_grace() {
    let server = Running::start(HANGS, "shutdown_grace_s: 3600").await;
    let mut stream = hang(&server, "text/event-stream").await;
    stream.until("event: delta").await;
    server.stop.gracefully();
    server.stop.now();
    stream.until("event: cancelled").await;
    server.task.await.expect("the server ends");
}

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_arrive_is_not_waited_for() {
    let server = Running::start(HANGS, "").await;
    let mut client = server.connect().await;
    client.0.write_all(b"GET /alive HTTP/1.1\r\nhost: loc").await.expect("sent");
    let begun = tokio::time::Instant::now();
    let mut read = Vec::new();
    client.0.read_to_end(&mut read).await.expect("closed in order");
    assert!(begun.elapsed() >= Duration::from_secs(10) && begun.elapsed() < Duration::from_secs(12));
}

#[tokio::test]
async fn many_requests_pass_over_one_connection() {
    let server = Running::start(HANGS, "").await;
    let mut client = server.connect().await;
    for _ in 0..3 {
        client.send("GET", "/alive", "", "").await;
        let (head, body) = client.answer().await;
        assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
        assert_eq!(body, r#"{"status":"ok"}"#);
    }
}

#[tokio::test]
async fn a_taken_port_is_named_with_what_to_do() {
    let server = Running::start(HANGS, "").await;
    let options = Options { host: "127.0.0.1".into(), port: server.address.port() };
    let Err(error) = rest::bind(Seeded::new().engine, &options).await else { panic!("the port is taken") };
    let text = error.to_string();
    assert!(text.contains(&server.address.port().to_string()) && text.contains("in use") && text.contains("--port"));
}

#[tokio::test]
async fn what_cannot_be_protected_is_not_served() {
    let config = "server:\n  allowed_hosts: ['*']\n  cors: {enabled: true}\n";
    let options = Options { host: "localhost".into(), port: 0 };
    let Err(error) = rest::bind(Seeded::with_config(config).engine, &options).await else { panic!("it is open") };
    assert_eq!(error.code().as_str(), "config_invalid");
    let text = error.to_string();
    assert!(
        text.contains("server.allowed_hosts") && text.contains("server.cors.allowed_origins") && text.contains(":2: "),
        "{text}"
    );
}
