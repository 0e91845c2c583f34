//! Hosts that die during a run: nothing more is spent, and the program ends.
//!
//! The provider is the test's own server. It holds every call until its client drops it, as it
//! must; a call that is still open a while after the host has gone is answered, and the calls of
//! the next phase are then counted.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::json;

use super::process::request;
use crate::support::Home;

/// Variants of the run, and so its parallel calls; each of three phases makes as many.
const COUNT: usize = 4;
/// How often a held call is checked after the host has gone, before it is answered.
const LOOKS: u32 = 12;

/// A provider on loopback that counts its calls.
struct Provider {
    port: u16,
    calls: Arc<AtomicUsize>,
    host_is_gone: Arc<AtomicBool>,
    arrived: mpsc::Receiver<()>,
}

impl Provider {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (calls, host_is_gone) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (arrives, arrived) = mpsc::sync_channel(3 * COUNT);
        let (counted, gone) = (Arc::clone(&calls), Arc::clone(&host_is_gone));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (counted, gone, arrives) = (Arc::clone(&counted), Arc::clone(&gone), arrives.clone());
                std::thread::spawn(move || attend(stream.expect("a connection"), &counted, &gone, &arrives));
            }
        });
        Self { port, calls, host_is_gone, arrived }
    }

    /// A home whose phases all use it.
    fn home(&self) -> Home {
        let home = Home::new();
        home.config(&format!(
            "providers:\n  counting: {{kind: ollama, base_url: 'http://127.0.0.1:{}', model: m, max_retries: 0}}\n",
            self.port
        ));
        home
    }

    /// Returns once the first phase of every variant has arrived.
    fn wait_for_the_first_phase(&self) {
        for _ in 0..COUNT {
            self.arrived.recv_timeout(Duration::from_mins(1)).expect("a call");
        }
    }

    /// Waits for the program to end after its host has gone. It must not have made more calls.
    fn check_nothing_more_is_spent(&self, child: &mut Child) {
        self.host_is_gone.store(true, Ordering::SeqCst);
        let status = child.wait().expect("an end");
        assert_eq!(self.calls.load(Ordering::SeqCst), COUNT, "calls, with {status}");
        assert_eq!(status.code(), Some(0));
    }
}

/// Reads calls and delays the answers.
fn attend(stream: TcpStream, counted: &AtomicUsize, gone: &AtomicBool, arrives: &mpsc::SyncSender<()>) {
    stream.set_read_timeout(Some(Duration::from_millis(100))).expect("a time");
    let mut stream = BufReader::new(stream);
    while let Some(is_call) = read_request(&mut stream) {
        if is_call {
            counted.fetch_add(1, Ordering::SeqCst);
            let _ = arrives.send(());
            if was_given_up(&mut stream, gone) {
                return;
            }
        }
        let text = r#"{"model":"m","message":{"role":"assistant","content":"a prompt"},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}"#;
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nContent-Length: {}\r\n\r\n{text}\n",
            text.len() + 1
        );
        if stream.get_mut().write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// True for a call to a model; `None` at the end.
fn read_request(stream: &mut BufReader<TcpStream>) -> Option<bool> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        read_byte(stream, &mut bytes)?;
    }
    let head = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok()).unwrap_or(0);
    let mut body = Vec::new();
    while body.len() < length {
        read_byte(stream, &mut body)?;
    }
    Some(head.starts_with("post /api/chat"))
}

fn read_byte(stream: &mut BufReader<TcpStream>, bytes: &mut Vec<u8>) -> Option<()> {
    let mut byte = [0];
    loop {
        match stream.read(&mut byte) {
            Ok(1..) => {
                bytes.push(byte[0]);
                return Some(());
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Ok(0) | Err(_) => return None,
        }
    }
}

/// True when the client dropped its call; false if it still waits a while after the host has gone.
fn was_given_up(stream: &mut BufReader<TcpStream>, gone: &AtomicBool) -> bool {
    let mut looks = 0;
    loop {
        match stream.fill_buf() {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Ok([_, ..]) => return false,
            _ => return true,
        }
        looks += u32::from(gone.load(Ordering::SeqCst));
        if looks > LOOKS {
            return false;
        }
    }
}

/// A call that starts a run of several variants.
fn call() -> String {
    request(1, "generate_prompts", &json!({ "input": "Write a haiku about rivers", "count": COUNT, "save": false }))
}

fn serve(home: &Home) -> Command {
    let mut command = home.command();
    command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

#[test]
fn when_both_ends_are_closed_nothing_more_is_spent() {
    let provider = Provider::start();
    let home = provider.home();
    let mut child = serve(&home).spawn().expect("the program starts");
    child.stdin.as_mut().expect("a pipe").write_all(call().as_bytes()).expect("sent");
    provider.wait_for_the_first_phase();
    drop((child.stdin.take(), child.stdout.take()));
    provider.check_nothing_more_is_spent(&mut child);
}

#[test]
fn when_the_output_alone_is_closed_nothing_more_is_spent() {
    let provider = Provider::start();
    let home = provider.home();
    let mut child = serve(&home).spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(call().as_bytes()).expect("sent");
    provider.wait_for_the_first_phase();
    drop(child.stdout.take());
    provider.check_nothing_more_is_spent(&mut child);
    drop(stdin);
}

#[cfg(unix)]
#[test]
fn when_a_host_with_sockets_is_gone_nothing_more_is_spent() {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    let provider = Provider::start();
    let home = provider.home();
    let (input, their_input) = UnixStream::pair().expect("a pair");
    let (output, their_output) = UnixStream::pair().expect("a pair");
    let mut command = serve(&home);
    command.stdin(OwnedFd::from(their_input)).stdout(OwnedFd::from(their_output));
    let mut child = command.spawn().expect("the program starts");
    drop(command);
    (&input).write_all(call().as_bytes()).expect("sent");
    provider.wait_for_the_first_phase();
    drop((input, output));
    provider.check_nothing_more_is_spent(&mut child);
}

/// The host is a shell that holds the other ends of two named pipes, and is killed.
#[cfg(unix)]
#[test]
fn when_the_host_is_killed_nothing_more_is_spent() {
    let provider = Provider::start();
    let home = provider.home();
    let calls = home.write("calls", call());
    let (input, output) = (home.path().join("in"), home.path().join("out"));
    assert!(Command::new("mkfifo").args([&input, &output]).status().expect("mkfifo").success());
    let mut host = Command::new("sh");
    host.arg("-c").arg(r#"exec 3>"$1" 4<"$2"; cat "$0" >&3; read -r line <&4"#).args([&calls, &input, &output]);
    let mut host = host.stdin(Stdio::null()).spawn().expect("a shell");
    let mut command = Command::new("sh");
    command.arg("-c").arg(r#"exec "$0" serve <"$1" >"$2""#).arg(env!("CARGO_BIN_EXE_aludel")).args([&input, &output]);
    command.env_clear().env("HOME", home.path());
    let mut child = command.stderr(Stdio::null()).spawn().expect("the program starts");
    provider.wait_for_the_first_phase();
    host.kill().expect("killed");
    host.wait().expect("an end");
    provider.check_nothing_more_is_spent(&mut child);
}
