//! The built program: where it listens, what it refuses to do, and how it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::json;

use super::super::process::request;
use super::NEWER;
use crate::support::Home;

/// The built program, serving. Killed on drop.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(home: &Home, more: &[&str]) -> Self {
        let mut command = home.command();
        command.args(["serve", "--port", "0"]).args(more).stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        stderr.read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        // Its log is read to the end, so that it never blocks.
        std::thread::spawn(move || drop(stderr.read_to_end(&mut Vec::new())));
        Self { child, address }
    }

    /// Calls a tool; the answer, as it comes.
    fn call(&self, tool: &str, arguments: &serde_json::Value) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let body = request(1, tool, arguments).replace("\"_meta\":{", "\"_meta\":{\"progressToken\":\"p\",");
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n\
             mcp-protocol-version: {NEWER}\r\nmcp-method: tools/call\r\nmcp-name: {tool}\r\nconnection: close\r\n\
             content-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).expect("sent");
        BufReader::new(stream)
    }

    /// Its exit code and its output once it was told to end.
    fn terminated(mut self) -> (Option<i32>, String) {
        super::super::process::terminate(&self.child);
        let code = self.child.wait().expect("an end").code();
        let mut output = String::new();
        self.child.stdout.take().expect("a pipe").read_to_string(&mut output).expect("text");
        (code, output)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_says_where_it_listens_answers_and_ends_in_order() {
    let home = Home::new();
    let served = Served::start(&home, &[]);
    assert!(served.address.starts_with("127.0.0.1:"), "{}", served.address);
    let mut answer = String::new();
    served.call("get_system_info", &json!({})).read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("\"aludel\""), "{answer}");
    assert_eq!(served.terminated(), (Some(0), String::new()));
}

#[test]
fn it_ends_in_order_although_a_call_hangs() {
    let home = Home::new();
    let script = home.write("sim.yaml", "rules: [{when: {input: hang}, fault: {kind: hang, after_chunks: 1}}]");
    let config = format!(
        "providers:\n  sim: {{kind: sim, script: {}, max_retries: 0}}\nserver: {{shutdown_grace_s: 0}}\n",
        script.display()
    );
    home.config(&config);
    let served = Served::start(&home, &[]);
    let mut answer = served.call("generate_prompts", &json!({ "input": "please hang", "count": 1 }));
    let mut read = String::new();
    while !read.contains("notifications/progress") {
        assert!(answer.read_line(&mut read).expect("a line") > 0, "{read}");
    }
    assert_eq!(served.terminated(), (Some(0), String::new()));
    // The stream ended, too.
    let _ = answer.read_to_string(&mut read);
}

#[test]
fn a_call_under_way_may_finish_before_it_ends() {
    let home = Home::new();
    let script = home.write("sim.yaml", "pacing: {tokens_per_s: 200}\nanswer: {words: 60}");
    home.config(&format!("providers:\n  sim: {{kind: sim, script: {}}}\n", script.display()));
    let served = Served::start(&home, &[]);
    let mut answer = served.call("generate_prompts", &json!({ "input": "go on", "count": 1, "phases": ["solutio"] }));
    let mut read = String::new();
    while !read.contains("notifications/progress") {
        assert!(answer.read_line(&mut read).expect("a line") > 0, "{read}");
    }
    assert_eq!(served.terminated(), (Some(0), String::new()));
    answer.read_to_string(&mut read).expect("the rest");
    assert!(read.contains("\"isError\":false"), "{read}");
}

#[test]
fn it_is_not_opened_to_other_machines_unasked() {
    for host in ["0.0.0.0", "::"] {
        let said = Home::new().run(&["serve", "--port", "0", "--host", host]).failed(3);
        assert!(said.stderr.contains("server.host") && said.stderr.contains("--insecure-no-auth"), "{}", said.stderr);
    }
    // No machine has 192.0.2.1 (RFC 5737), so binding it fails even where allowed.
    let allowed = ["serve", "--port", "0", "--host", "192.0.2.1", "--insecure-no-auth"];
    let said = Home::new().run(&allowed).failed(1);
    assert!(said.stderr.contains("192.0.2.1 is not an address of this machine"), "{}", said.stderr);
}

#[test]
fn where_to_listen_is_nothing_without_a_port() {
    for arguments in [&["serve", "--host", "localhost"][..], &["serve", "--insecure-no-auth"]] {
        let said = Home::new().run(arguments).failed(2);
        assert!(said.stderr.contains("--port"), "{}", said.stderr);
    }
    let said = Home::new().run(&["serve", "--port", "65536"]).failed(2);
    assert!(said.stderr.contains("--port"), "{}", said.stderr);
}
