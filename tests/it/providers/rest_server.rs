//! The built program as the REST server of a home, called over sockets.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::thread::JoinHandle;

use serde_json::json;

use super::house::signal;
use crate::support::Home;

/// The REST server of a home.
pub(super) struct RestServer {
    child: Child,
    /// Collects its standard error, so that it never blocks.
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

    /// Requests one variant from this provider; returns the whole response, head and body.
    pub(super) fn generate(&self, provider: &str, accept: &str) -> Vec<u8> {
        let body = json!({"input": "Distil", "provider": provider, "count": 1, "phases": ["coagulatio"]}).to_string();
        self.ask(&format!("POST /api/v1/prompts/generate HTTP/1.1\r\naccept: {accept}\r\n"), &body)
    }

    /// Sends a request with this head and body on its own connection.
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

    /// Stops it and returns its output and its log.
    pub(super) fn stop(mut self) -> (Vec<u8>, Vec<u8>) {
        signal(self.child.id(), "TERM");
        let mut stdout = Vec::new();
        self.child.stdout.take().expect("a pipe").read_to_end(&mut stdout).expect("its output");
        self.child.wait().expect("it ends");
        (stdout, self.stderr.join().expect("its log"))
    }
}
