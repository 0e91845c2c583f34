//! The built program in a home of its own, with its providers on a [`Stage`] that plays while the program runs: as a
//! command, or as the REST server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use super::stage::{Actor, Stage, write_templates};
use crate::support::{Home, Said};

/// A home whose configuration leads to a stage.
pub(super) struct House {
    pub(super) home: Home,
    pub(super) stage: Stage,
    /// Keeps the stage going; outlives it.
    runtime: Runtime,
}

impl House {
    /// Opens with these actors; `more` is added to the configuration. The first actor is every phase's provider.
    pub(super) fn open(more: &str, actors: impl FnOnce(&str) -> Vec<Actor>) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let stage = runtime.block_on(Stage::open(actors));
        let home = Home::new();
        home.config(&format!("{}{more}", stage.configuration()));
        write_templates(&home.data());
        Self { home, stage, runtime }
    }

    /// Runs the program to its end.
    pub(super) fn run(&self, arguments: &[&str]) -> Said {
        self.home.run(arguments)
    }

    /// Waits for something on the stage.
    pub(super) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

/// The REST server of a home.
pub(super) struct RestServer {
    child: Child,
    /// Reads all it says on standard error, lest it wait for a reader.
    stderr: JoinHandle<Vec<u8>>,
    address: String,
}

impl RestServer {
    /// Starts it with these options and variables.
    pub(super) fn start(home: &Home, options: &[&str], variables: &[(String, String)]) -> Self {
        let mut command = home.command();
        command.args(["http-server", "--port", "0"]).args(options).envs(variables.iter().cloned());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut said = String::new();
        let address = loop {
            let begin = said.len();
            assert!(stderr.read_line(&mut said).expect("a line") > 0, "it ended: {said}");
            if let Some((_, address)) = said[begin..].split_once("listening on http://") {
                break address.trim().to_owned();
            }
        };
        let stderr = std::thread::spawn(move || {
            let mut said = said.into_bytes();
            stderr.read_to_end(&mut said).expect("its log");
            said
        });
        Self { child, stderr, address }
    }

    /// Asks for one variant of this provider; answers all that came back, head and body.
    pub(super) fn generate(&self, provider: &str, accept: &str) -> Vec<u8> {
        let body = json!({"input": "Distil", "provider": provider, "count": 1, "phases": ["coagulatio"]}).to_string();
        self.ask(&format!("POST /api/v1/prompts/generate HTTP/1.1\r\naccept: {accept}\r\n"), &body)
    }

    /// Sends a request of this head and body on a connection of its own.
    pub(super) fn ask(&self, head: &str, body: &str) -> Vec<u8> {
        let (address, length) = (&self.address, body.len());
        let mut stream = TcpStream::connect(address).expect("a connection");
        let rest = format!(
            "host: {address}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(format!("{head}{rest}").as_bytes()).expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        answer
    }

    /// Stops it; answers its output and its log.
    pub(super) fn stop(mut self) -> (Vec<u8>, Vec<u8>) {
        signal(self.child.id(), "TERM");
        let mut stdout = Vec::new();
        self.child.stdout.take().expect("a pipe").read_to_end(&mut stdout).expect("its output");
        self.child.wait().expect("it ends");
        (stdout, self.stderr.join().expect("its log"))
    }
}

/// Sends a signal. There is no safe function for it, so the shell's own is used.
pub(super) fn signal(process: u32, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {process}")]).status();
    assert!(status.expect("a shell").success());
}
