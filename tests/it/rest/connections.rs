//! Many connections: idle, slow, and gone in the middle. None of them keeps another client out.

use std::time::Duration;

use aludel_core::provider::transport::testing::{Script, ScriptedServer};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::socket::{Client, GENERATE, HANGS, Running};
use crate::seeded::Seeded;

/// Less than the ten seconds after which slow clients are given up.
const AT_ONCE: Duration = Duration::from_secs(5);

/// What a slow client sends, a byte at a time, and what it has sent before.
const SLOW: [(&str, &str); 3] = [
    ("", ""),
    ("", "GET /api/v1/prompts HTTP/1.1\r\nhost: localhost\r\n"),
    (
        "POST /api/v1/prompts/generate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n",
        "{\"input\": \"a\"",
    ),
];

#[tokio::test]
async fn two_thousand_idle_and_slow_connections_keep_no_client_out() {
    let server = Running::start(HANGS, "max_connections: 4").await;
    let mut slow: Vec<(Client, &str)> = Vec::new();
    for (before, rest) in SLOW.into_iter().cycle().take(2000) {
        let mut client = server.connect().await;
        client.0.write_all(before.as_bytes()).await.expect("sent");
        slow.push((client, rest));
    }
    let mut each_second = tokio::time::interval(Duration::from_secs(1));
    for second in 0..3 {
        each_second.tick().await;
        for (client, rest) in &mut slow {
            let byte = rest.as_bytes().get(second).map(std::slice::from_ref).unwrap_or_default();
            client.0.write_all(byte).await.expect("still open");
        }
        let begun = Instant::now();
        assert_eq!(server.ask("GET", "/api/v1/prompts", "").await.0, 200);
        assert_eq!(server.generate("go on").await.0, 200);
        assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
    }
}

/// A provider that begins to answer and then says no more.
async fn falling_silent() -> ScriptedServer {
    let chunk = json!({"model": "m", "choices": [{"index": 0, "delta": {"content": "so"}, "finish_reason": null}]});
    ScriptedServer::answering(move |_| Script::stream("text/event-stream").chunk(format!("data: {chunk}\n\n")).hang())
        .await
}

/// A client that watches its run up to its first call.
async fn watching(server: &Running) -> Client {
    let mut client = server.connect().await;
    let body = json!({ "input": "Plan a launch", "count": 1 }).to_string();
    client.send("POST", GENERATE, "accept: text/event-stream\r\n", &body).await;
    client.until("event: phase_started").await;
    client
}

/// What the metrics say is going on.
#[derive(Debug, Default, PartialEq)]
struct Figures {
    connections: f64,
    requests: f64,
    streams: f64,
    slots: f64,
    runs: f64,
    calls: f64,
    permits: f64,
}

async fn figures(server: &Running) -> Figures {
    let (status, text) = server.ask("GET", "/metrics", "").await;
    assert_eq!(status, 200);
    let figure = |series: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        value.unwrap_or_else(|| panic!("no {series}")).parse().expect("a number")
    };
    Figures {
        connections: figure("aludel_http_connections"),
        requests: figure("aludel_http_requests_in_progress"),
        streams: figure("aludel_http_event_streams"),
        slots: figure("aludel_http_request_slots_in_use"),
        runs: figure(r#"aludel_runs_in_progress{operation="generate"}"#),
        calls: figure(r#"aludel_provider_calls_in_progress{provider="mock"}"#),
        permits: figure("aludel_permits_in_use"),
    }
}

/// Returns once the metrics say so.
async fn until_figures(server: &Running, wanted: &Figures) {
    let begun = Instant::now();
    loop {
        let found = figures(server).await;
        if found == *wanted {
            return;
        }
        assert!(begun.elapsed() < AT_ONCE, "{found:?}, not {wanted:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_hundred_clients_that_vanish_leave_nothing_behind() {
    let provider = falling_silent().await;
    let config = format!(
        "run: {{max_concurrency: 100}}\nproviders:\n  mock: {{kind: openai, base_url: '{}/v1', api_key: k, model: m, max_retries: 0, max_concurrency: 100}}\nserver: {{max_connections: 100}}\n",
        provider.url()
    );
    let server = Running::over(Seeded::with_config(&config)).await;
    let tasks = || Handle::current().metrics().num_alive_tasks();
    let first = watching(&server).await;
    assert!(provider.until_asked(1).await);
    drop(first);
    assert!(provider.until_closed(0).await);
    // Each round takes all slots, so the second one only succeeds if the first left none taken.
    let mut idle = None;
    for round in 1..=2 {
        let watchers = futures_util::future::join_all((0..100).map(|_| watching(&server))).await;
        assert!(provider.until_asked(1 + 100 * round).await);
        let while_watched = tasks();
        let watched = Figures {
            connections: 101.0,
            requests: 101.0,
            streams: 100.0,
            slots: 100.0,
            runs: 100.0,
            calls: 100.0,
            permits: 100.0,
        };
        until_figures(&server, &watched).await;
        drop(watchers);
        let gone = async {
            for connection in 0..provider.connections() {
                assert!(provider.until_closed(connection).await);
            }
            while tasks() > idle.unwrap_or(while_watched - 300) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            // A client of the metrics is a connection and a request itself.
            let none = Figures { connections: 1.0, requests: 1.0, ..Figures::default() };
            until_figures(&server, &none).await;
        };
        tokio::time::timeout(Duration::from_secs(2), gone).await.expect("all is gone after two seconds");
        assert_eq!(provider.requests().len(), 1 + 100 * round);
        idle = Some(tasks());
    }
}

#[cfg(all(feature = "cli", target_os = "linux"))]
#[test]
fn with_few_descriptors_those_that_wait_make_room() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::process::{Command, Stdio};

    let home = crate::support::Home::new();
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -n 200; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_aludel")]);
    command.args(["http-server", "--port", "0"]).env_clear().env("HOME", home.path()).current_dir(home.path());
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let address = line.trim().strip_prefix("listening on http://").expect("an address");
    let mut idle: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(address).expect("a connection")).collect();
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(AT_ONCE)).expect("a timeout");
    stream.write_all(b"GET /api/v1/prompts HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // The first one was closed; the last one is open.
    assert_eq!(idle[0].read(&mut [0]).expect("closed in order"), 0);
    idle[299].set_nonblocking(true).expect("a flag");
    assert_eq!(idle[299].read(&mut [0]).expect_err("open").kind(), std::io::ErrorKind::WouldBlock);
    child.kill().and_then(|()| child.wait()).expect("it ends");
}
