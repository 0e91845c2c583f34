//! The program's overhead over an HTTP provider: a server that takes 50 ms per answer, N variants
//! in parallel through three phases, everything real from codec to ranking.
//!
//! The yardstick is a bare client that sends the same three requests over one fresh connection,
//! alternating with ours, so that both set up connections; the median of pairwise ratios is
//! reported. The server is a separate process (this program again), whose CPU time does not count.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::panic,
    reason = "a bench prints, and stops where it cannot go on"
)]

mod measure;

use std::fmt::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use aludel_core::config::{self, Environment, Flags};
use aludel_core::engine::Engine;
use measure::{cpu_ms, generate, median, peak_kb};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

const ANSWER_MS: u64 = 50;
const PHASES: u32 = 3;
const ROUNDS: usize = 9;

/// Set in the environment of the server's process.
const SERVER: &str = "ALUDEL_BENCH_SERVER";

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    if is_server() {
        runtime.block_on(serve());
        return;
    }
    let server = Server::start();
    let home = tempfile::tempdir().expect("a scratch folder");
    // No vectors are made in the background: the embedding model has no key.
    let configuration = format!(
        "run: {{max_concurrency: 64}}\ngeneration: {{default_embedding_model: openai}}\nproviders:\n  mock: {{kind: openai, base_url: 'http://{}/v1', api_key: k, model: mock-1}}\n",
        server.address
    );
    std::fs::write(home.path().join("config.yaml"), configuration).expect("the configuration is written");
    let environment = Environment::from_pairs([("ALUDEL_HOME", home.path().to_str().expect("a UTF-8 path"))]);
    // Connections belong to the runtime that opened them, so each has its own engine.
    let open = || Engine::open(config::load(&Flags::default(), &environment).expect("a configuration"));

    let engine = open();
    let cold = runtime.block_on(generate(&engine, "mock", 64));
    let bare = runtime.block_on(bare(&server.address));
    println!("first run, 64 variants over 64 fresh connections: {:.3}x the bare client", ratio(cold, bare));
    measure("one thread", &runtime, &engine, &server);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    measure("two threads, as commands and servers run", &runtime, &open(), &server);
    println!("peak memory: {} kB", peak_kb());
}

fn measure(name: &str, runtime: &tokio::runtime::Runtime, engine: &Engine, server: &Server) {
    println!("{name}:");
    runtime.block_on(generate(engine, "mock", 64));
    for variants in [1_u32, 8, 64] {
        let (mut ratios, mut walls, cpu) = (Vec::new(), Vec::new(), cpu_ms());
        for _ in 0..ROUNDS {
            let bare = runtime.block_on(self::bare(&server.address));
            let ours = runtime.block_on(generate(engine, "mock", variants));
            ratios.push(ratio(ours, bare));
            walls.push(ours.as_secs_f64() * 1e3);
        }
        let calls = f64::from(variants * PHASES) * ROUNDS as f64;
        println!(
            "{variants:>2} variants: {:.3}x the bare client ({:.1} ms, median of {ROUNDS}), {:.3}x of 3 x {ANSWER_MS} ms, {:.3} ms CPU a call",
            median(ratios),
            median(walls.clone()),
            median(walls) / (f64::from(PHASES) * ANSWER_MS as f64),
            (cpu_ms() - cpu) / calls
        );
    }
}

#[expect(clippy::disallowed_methods, reason = "how this program tells that it is started as the server")]
fn is_server() -> bool {
    std::env::var_os(SERVER).is_some()
}

fn ratio(ours: Duration, yardstick: Duration) -> f64 {
    ours.as_secs_f64() / yardstick.as_secs_f64()
}

/// The server's process, killed on drop.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start() -> Self {
        let program = std::env::current_exe().expect("this program");
        let mut process =
            Command::new(program).env(SERVER, "1").stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut address = String::new();
        let mut said = std::io::BufReader::new(process.stdout.take().expect("a pipe"));
        std::io::BufRead::read_line(&mut said, &mut address).expect("the server says where it is");
        Self { process, address: address.trim().to_owned() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Answers each request after [`ANSWER_MS`] with a stream of 120 words, like OpenAI.
async fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("an address"));
    let answer: &'static [u8] = answer().leak();
    while let Ok((socket, _)) = listener.accept().await {
        drop(socket.set_nodelay(true));
        tokio::spawn(async move {
            let mut socket = BufReader::new(socket);
            while read_request(&mut socket).await.is_some() {
                tokio::time::sleep(Duration::from_millis(ANSWER_MS)).await;
                if socket.get_mut().write_all(answer).await.is_err() {
                    return;
                }
            }
        });
    }
}

fn answer() -> Vec<u8> {
    let mut body = String::new();
    for piece in 0..24 {
        let text = format!("piece {piece} of an answer ");
        let chunk =
            json!({"model": "mock-1", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]});
        write!(body, "data: {chunk}\n\n").expect("a string takes all");
    }
    let last = json!({"model": "mock-1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let usage = json!({"model": "mock-1", "choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 120}});
    write!(body, "data: {last}\n\ndata: {usage}\n\ndata: [DONE]\n\n").expect("a string takes all");
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes()
}

/// Reads a message, its head and the body it announces; `None` at the end.
async fn read_request(socket: &mut BufReader<TcpStream>) -> Option<()> {
    let mut length = 0_usize;
    loop {
        let mut line = String::new();
        if socket.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    socket.read_exact(&mut body).await.ok().map(|_| ())
}

/// Three sequential requests over one fresh connection.
async fn bare(address: &str) -> Duration {
    let began = Instant::now();
    let socket = TcpStream::connect(address).await.expect("the server listens");
    socket.set_nodelay(true).expect("no delay");
    let mut socket = BufReader::new(socket);
    let body = "x".repeat(4000);
    let request =
        format!("POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\ncontent-length: 4000\r\n\r\n{body}");
    for _ in 0..PHASES {
        socket.get_mut().write_all(request.as_bytes()).await.expect("it takes the request");
        read_request(&mut socket).await.expect("an answer");
    }
    began.elapsed()
}
