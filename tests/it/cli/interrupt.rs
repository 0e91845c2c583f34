//! Stopping a run: what has finished is kept and printed, and the exit code says that it was stopped.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::Home;

/// Variant 0 finishes at once; the others hang in their second phase.
const TWO_HANG: &str = "
answer: {text: 'made of {input}'}
rules:
  - when: {variant: [1, 2], phase: solutio}
    fault: hang
";

fn start(home: &Home, options: &[&str]) -> Child {
    let mut command = home.command();
    command.args(["generate", "A tale of three variants"]).args(options);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// Sends a signal. There is no safe function for it, so the shell's own is used.
fn signal(child: &Child, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status();
    assert!(status.expect("a shell").success());
}

/// Reads event lines until one of this type has come; answers all of them.
fn lines_until(reader: &mut impl BufRead, wanted: &str) -> Vec<Value> {
    let mut lines: Vec<Value> = Vec::new();
    while lines.last().is_none_or(|line| line["type"] != wanted) {
        let mut line = String::new();
        assert!(reader.read_line(&mut line).expect("a line") > 0, "it ended before {wanted}: {lines:?}");
        lines.push(serde_json::from_str(&line).expect("JSON"));
    }
    lines
}

fn stored(home: &Home) -> Vec<Value> {
    home.run(&["list", "--format", "json"]).done().json()["prompts"].as_array().expect("prompts").clone()
}

#[test]
fn a_signal_ends_the_run_and_keeps_what_has_finished() {
    for name in ["INT", "TERM"] {
        let home = Home::new();
        home.sim("sim", TWO_HANG);
        let mut child = start(&home, &["--format", "jsonl"]);
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        lines_until(&mut stdout, "variant_finished");
        signal(&child, name);
        let rest = lines_until(&mut stdout, "cancelled");
        assert!(!rest.is_empty());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130));
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(said.contains("1 of 3 variants finished and is stored"), "{said}");
        assert_eq!(stored(&home).len(), 1);
    }
}

#[test]
fn what_has_finished_is_printed_in_the_format_asked_for() {
    let home = Home::new();
    home.sim("sim", TWO_HANG);
    let mut child = start(&home, &["--format", "json", "--stream"]);
    // The live text tells when the first variant is through its last phase.
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut seen = String::new();
    while stored(&home).is_empty() {
        std::thread::yield_now();
    }
    signal(&child, "INT");
    let output = child.wait_with_output().expect("it ends");
    stderr.read_to_string(&mut seen).expect("UTF-8");
    assert_eq!(output.status.code(), Some(130), "{seen}");
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let prompts = result["prompts"].as_array().expect("prompts");
    assert_eq!(prompts.len(), 1);
    assert_eq!(prompts[0]["variant"], 0);
    assert!(result["selected"].is_null() && result["failures"].is_array());
}

#[test]
fn stopped_before_anything_has_finished() {
    let home = Home::new();
    home.sim("sim", "rules:\n  - fault: hang\n");
    let mut child = start(&home, &["--stream"]);
    let mut stderr = child.stderr.take().expect("a pipe");
    // The run is under way as soon as its session is stored.
    while !home.database().exists() {
        std::thread::yield_now();
    }
    std::thread::yield_now();
    signal(&child, "INT");
    let output = child.wait_with_output().expect("it ends");
    let mut said = String::new();
    stderr.read_to_string(&mut said).expect("UTF-8");
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert_eq!(output.stdout, b"");
    assert!(said.contains("no variant had finished"), "{said}");
}

#[test]
fn a_second_signal_ends_the_process_at_once() {
    let home = Home::new();
    home.sim("sim", TWO_HANG);
    let mut child = start(&home, &["--format", "jsonl"]);
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    lines_until(&mut stdout, "variant_finished");
    signal(&child, "INT");
    signal(&child, "INT");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(stored(&home).len(), 1);
}
