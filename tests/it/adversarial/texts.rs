//! Adversarial texts through every entry, within 256 MB: input, context, a provider's answer,
//! import and its prompts, search, MCP, REST.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

use aludel_core::text::adversarial::{SHAPES, texts};
use aludel_core::text::shown::escape_json_as_yaml;
use serde_json::{Value, json};

use crate::support::Home;

/// Bytes of each text where every shape goes through one process.
const EACH: usize = 10_000;

/// The text of the shape with this name.
fn shape(name: &str, length: usize) -> String {
    SHAPES.iter().find(|shape| shape.name == name).expect("a shape").text(length)
}

#[test]
fn one_long_word_in_camel_case_is_an_input_like_any_other() {
    let home = Home::new();
    home.write("c", "aB".repeat(49_999));
    home.run_bounded(&["generate", "--no-save", "-n1", "-q", "--input-file", "c"], b"").done();
    home.run_bounded(&["generate", "Summarise it", "--no-save", "-n1", "-q", "--context", "@c"], b"").done();
}

#[test]
fn a_picture_in_a_sentence_is_an_input_like_any_other() {
    let home = Home::new();
    let picture = shape("a picture in a sentence", 90_000);
    home.run_bounded(&["generate", "-n1", "-q"], picture.as_bytes()).done();
}

#[test]
fn a_stream_of_one_word_is_an_answer_like_any_other() {
    let home = Home::new();
    home.sim("lab", &format!("answer: {{text: {}}}\n", "a".repeat(400_000)));
    let said = home.run_bounded(&["generate", "x", "-n1", "--format", "json", "--max-tokens", "500000"], b"").done();
    assert_eq!(said.json()["prompts"][0]["content"].as_str().map(str::len), Some(400_000));
}

#[test]
fn every_shape_is_an_answer_that_is_kept() {
    let mut rules = String::from("rules:\n");
    for (number, (_, text)) in texts(EACH).take(100).enumerate() {
        let text = Value::from(text).to_string();
        let text = escape_json_as_yaml(&text);
        writeln!(rules, "  - {{when: {{variant: {number}}}, answer: {{text: {text}}}}}").expect("memory");
    }
    let home = Home::new();
    home.sim("lab", &rules);
    let said = home.run_bounded(&["generate", "x", "-n100", "--format", "json", "--max-tokens", "20000"], b"");
    assert!(said.stderr.len() < 20_000 && said.stdout.starts_with('{'), "{} {}", said.code, said.stderr);
    let result = said.json();
    let done = result["prompts"].as_array().expect("prompts").len();
    let failed = result["failures"].as_array().expect("failures").len();
    // Answers of only blanks and punctuation are not prompts; all others are.
    assert!(done + failed == 100 && done > 50, "{done} {failed} {}", said.stderr);
}

#[test]
fn every_shape_is_imported_found_measured_and_exported() {
    let home = Home::new();
    let mut records = String::new();
    for (name, text) in texts(EACH) {
        let record = json!({ "content": format!("{name}\n{text}"), "original_input": text, "tags": ["all"] });
        writeln!(records, "{record}").expect("memory");
    }
    let said = home.run_bounded(&["import", "-", "--format", "jsonl", "--no-vectors"], records.as_bytes()).done();
    assert_eq!(said.json()["imported"], json!(SHAPES.len()), "{}", said.stdout);
    home.run_bounded(&["reindex", "--text"], b"").done();
    home.run_bounded(&["search", "camel case", "--format", "json"], b"").done();
    home.run_bounded(&["metrics", "--limit", "1000", "--format", "json"], b"").done();
    for format in ["yaml", "csv", "jsonl", "markdown"] {
        home.run_bounded(&["export", "--format", format], b"").done();
    }
}

#[test]
fn lines_of_four_megabytes_are_imported_found_and_measured() {
    let home = Home::new();
    for name in ["camel case", "ideographs"] {
        let record = json!({ "content": format!("import {}", shape(name, 4_000_000)), "original_input": name });
        let file = home.write("line.jsonl", record.to_string());
        home.run_bounded(&["import", "--no-vectors", &file.to_string_lossy()], b"").done();
    }
    let found = home.run_bounded(&["search", "import", "--format", "json"], b"").done().json();
    assert_eq!(found.as_array().map(Vec::len), Some(2));
    home.run_bounded(&["metrics"], b"").done();
}

#[test]
fn a_line_of_four_megabytes_is_an_answer_like_any_other() {
    let home = Home::new();
    home.sim("lab", &format!("answer: {{text: {}}}\n", shape("camel case", 4_000_000)));
    let arguments = ["generate", "x", "-n1", "--phases", "solutio", "--max-tokens", "1000000", "-q"];
    let said = home.run_bounded(&arguments, b"").done();
    assert_eq!(said.stdout.trim().len(), 4_000_000);
}

#[test]
fn every_shape_is_a_query() {
    let home = Home::new();
    home.run(&["generate", "find me", "-n1", "-q"]).done();
    let mut host = Host::of(&home);
    for (name, text) in texts(9_000).filter(|(_, text)| !text.trim().is_empty()) {
        let answer = host.call("search_prompts", &json!({ "query": text }));
        assert_ne!(answer["result"]["isError"], json!(true), "{name}: {answer}");
    }
    host.end();
}

#[test]
fn every_shape_is_a_request_over_mcp() {
    let home = Home::new();
    let mut host = Host::of(&home);
    for (name, text) in texts(EACH).filter(|(_, text)| !text.trim().is_empty()) {
        let context = json!([text]);
        let arguments = json!({ "input": format!("Do it: {text}"), "context": context, "count": 1, "save": false });
        let answer = host.call("generate_prompts", &arguments);
        assert_ne!(answer["result"]["isError"], json!(true), "{name}: {answer}");
    }
    host.end();
}

/// A host that makes one call after the other.
struct Host {
    server: Child,
    answers: BufReader<ChildStdout>,
}

impl Host {
    fn of(home: &Home) -> Self {
        let mut command = home.bounded();
        command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().expect("the program starts");
        let answers = BufReader::new(server.stdout.take().expect("a pipe"));
        Self { server, answers }
    }

    /// Calls a tool and returns the whole reply.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": crate::mcp::NEWER,
            "io.modelcontextprotocol/clientCapabilities": {}
        });
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        writeln!(self.server.stdin.as_mut().expect("a pipe"), "{request}").expect("sent");
        let mut answer = String::new();
        assert!(self.answers.read_line(&mut answer).expect("UTF-8") > 0, "it ended at {tool}");
        serde_json::from_str(&answer).expect("JSON")
    }

    fn end(mut self) {
        drop(self.server.stdin.take());
        assert!(self.server.wait().expect("an end").success());
    }
}

/// A server within 256 MB, and its address.
fn serve(home: &Home) -> (Child, String) {
    let mut command = home.bounded();
    command.args(["http-server", "--port", "0"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut server = command.spawn().expect("the program starts");
    let mut line = String::new();
    BufReader::new(server.stderr.as_mut().expect("a pipe")).read_line(&mut line).expect("a line");
    let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line}")).to_owned();
    (server, address)
}

fn end(mut server: Child) {
    // `timeout` forwards the signal.
    signal(&server, "TERM");
    server.wait().expect("an end");
}

fn is_served(mut stream: TcpStream, name: &str) {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{name}: {}", &answer[..answer.len().min(500)]);
}

#[test]
fn every_shape_is_a_request_over_rest() {
    let home = Home::new();
    let (server, address) = serve(&home);
    for (name, text) in texts(EACH).filter(|(_, text)| !text.trim().is_empty()) {
        let input = format!("Do it: {text}");
        let body = json!({ "input": input, "context": [text], "count": 1, "save": false }).to_string();
        is_served(post(&address, &body), name);
    }
    end(server);
}

#[test]
fn four_pictures_at_once_are_served_over_rest() {
    let home = Home::new();
    let (server, address) = serve(&home);
    let picture = shape("a picture in a sentence", 90_000);
    let body = json!({ "input": picture, "count": 1, "save": false }).to_string();
    let posts: Vec<_> = (0..4).map(|_| post(&address, &body)).collect();
    for stream in posts {
        is_served(stream, "a picture in a sentence");
    }
    end(server);
}

fn post(address: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let head = format!(
        "POST /api/v1/prompts/generate HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).expect("sent");
    stream
}

/// Sends a signal with the shell's `kill`, as there is no safe function for it.
fn signal(child: &Child, name: &str) {
    let sent = Command::new("/bin/sh").args(["-c", &format!("kill -{name} {}", child.id())]).status();
    assert!(sent.expect("a shell").success());
}

/// A script whose first answer is complete and slow to read, and whose second never ends.
fn endless() -> String {
    let word = "aB".repeat(200_000);
    format!("answer: {{text: {word}}}\nrules:\n  - {{when: {{variant: 1}}, fault: {{kind: hang, after_chunks: 2}}}}\n")
}

#[test]
fn a_time_limit_ends_a_run_over_an_adversarial_answer() {
    let home = Home::new();
    home.sim("lab", &endless());
    let limits = ["--max-tokens", "500000", "--timeout", "20"];
    let arguments = [&["generate", "x", "-n2", "--phases", "solutio", "--format", "json"][..], &limits].concat();
    let result = home.run_bounded(&arguments, b"").json();
    let failed = result["failures"].as_array().expect("failures").last().expect("a failure").clone();
    assert_eq!((&failed["variant"], &failed["error"]["code"]), (&json!(1), &json!("provider_timeout")), "{failed}");
    assert!(failed["error"]["detail"].as_str().is_some_and(|said| said.contains("timeout of 20 s")), "{failed}");
}

#[test]
fn a_signal_ends_a_run_over_an_adversarial_answer() {
    let home = Home::new();
    home.sim("lab", &endless());
    let mut command = home.command();
    command.args(["generate", "x", "-n2", "--phases", "solutio", "--format", "jsonl", "--max-tokens", "500000"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut events = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    // Whatever is being read at the time, the signal takes effect.
    while !line.contains("\"delta\"") {
        line.clear();
        assert!(events.read_line(&mut line).expect("a line") > 0, "it ended by itself");
    }
    signal(&child, "INT");
    let mut rest = String::new();
    events.read_to_string(&mut rest).expect("UTF-8");
    assert_eq!(child.wait().expect("an end").code(), Some(130), "{}", &rest[rest.len().saturating_sub(500)..]);
}
