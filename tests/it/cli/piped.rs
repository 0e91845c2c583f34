//! Standard input together with a TEXT: piped input becomes a context, and nothing else is awaited.

use std::fs::File;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::support::{CommandOutput, Home};

const TAKEN: &str = "standard input is used as a context";

/// More than a pipe holds, so that writing ends only when it is read.
const MORE_THAN_A_PIPE: usize = 100_000;

fn generating(home: &Home, options: &[&str]) -> Command {
    let mut command = home.command();
    command.args(["generate", "Review this diff", "--count", "1", "--format", "json"]).args(options);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The output of `generate` with this as standard input.
fn with_stdin(home: &Home, options: &[&str], stdin: impl Into<Stdio>) -> CommandOutput {
    CommandOutput::from(generating(home, options).stdin(stdin).output().expect("it runs to its end"))
}

/// The output of `generate` with these bytes in a pipe.
fn with_piped(home: &Home, options: &[&str], bytes: &[u8]) -> CommandOutput {
    let arguments = [&["generate", "Review this diff", "--count", "1", "--format", "json"], options].concat();
    home.run_with_stdin(&arguments, bytes)
}

fn ended(child: Child) -> CommandOutput {
    CommandOutput::from(child.wait_with_output().expect("it ends"))
}

fn context(said: &CommandOutput) -> Value {
    said.json()["prompts"][0]["context"].clone()
}

fn assert_left_alone(said: CommandOutput) {
    let said = said.quietly_done();
    assert_eq!(context(&said), json!([]));
}

#[test]
fn what_is_piped_in_beside_a_text_becomes_the_last_context_and_is_said_in_one_line() {
    let home = Home::new();
    let said = with_piped(&home, &["--context", "The first"], b"+ the limit is 4711\n").done();
    assert_eq!(context(&said), json!(["The first", "+ the limit is 4711"]));
    assert!(said.stderr.contains(TAKEN) && said.stderr.contains("19 characters"), "{}", said.stderr);
    assert_eq!(said.stderr.lines().count(), 1);
    assert!(said.json()["prompts"][0]["content"].as_str().is_some_and(|text| text.contains("4711")));

    home.write("idea.txt", "An idea from a file");
    let from_a_file = home.run_with_stdin(
        &["generate", "--input-file", "idea.txt", "--count", "1", "--format", "json"],
        b"beside a file",
    );
    let said = from_a_file.done();
    assert_eq!(context(&said), json!(["beside a file"]));
    assert_eq!(said.json()["prompts"][0]["original_input"], "An idea from a file");
    let quiet = with_piped(&home, &["--quiet"], b"still taken").quietly_done();
    assert_eq!(context(&quiet), json!(["still taken"]));
}

#[test]
fn a_file_as_standard_input_becomes_a_context() {
    let home = Home::new();
    let path = home.write("change.diff", "- old\n+ new\n");
    let said = with_stdin(&home, &[], File::open(path).expect("a file")).done();
    assert_eq!(context(&said), json!(["- old\n+ new"]));
    assert!(said.stderr.contains(TAKEN), "{}", said.stderr);
}

#[test]
fn blank_and_empty_standard_input_is_no_context() {
    let home = Home::new();
    assert_left_alone(with_piped(&home, &[], b" \n\t\n"));
    assert_left_alone(with_piped(&home, &[], b""));
    let empty = home.write("empty", "");
    assert_left_alone(with_stdin(&home, &[], File::open(empty).expect("a file")));
}

#[test]
fn devices_sockets_and_closed_descriptors_are_not_read() {
    let home = Home::new();
    assert_left_alone(with_stdin(&home, &[], Stdio::null()));
    assert_left_alone(with_stdin(&home, &[], File::open("/dev/zero").expect("a device")));
    let (mut ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    ours.write_all(b"from a socket\n").expect("written");
    assert_left_alone(with_stdin(&home, &[], std::os::fd::OwnedFd::from(theirs)));
    let program = generating(&home, &[]);
    let mut shell = home.command();
    let shell = shell.arg("-c").arg("exec \"$@\" <&-").arg("sh").arg(program.get_program()).args(program.get_args());
    let mut closed = Command::new("/bin/sh");
    closed.env_clear().env("HOME", home.path()).env("OLLAMA_HOST", "127.0.0.1:1").current_dir(home.path());
    assert_left_alone(CommandOutput::from(closed.args(shell.get_args()).output().expect("it runs to its end")));
}

#[test]
fn a_terminal_is_not_read() {
    let seen = super::on_a_terminal(&Home::new(), &["generate", "Review this diff", "--count", "1"]);
    assert!(!seen.contains("standard input"), "{seen}");
}

#[test]
fn a_silent_pipe_is_left_out_after_a_while_and_context_from_standard_input_waits_on() {
    let home = Home::new();
    let mut asked = generating(&home, &["--context", "-"]).spawn().expect("it starts");
    let mut silent = generating(&home, &[]).spawn().expect("it starts");
    let kept = silent.stdin.take();
    let said = ended(silent).done();
    drop(kept);
    assert!(said.stderr.contains("no data on standard input within 3 s"), "{}", said.stderr);
    assert_eq!((context(&said), said.stderr.lines().count()), (json!([]), 1));
    // The other has waited for as long by now.
    assert!(asked.try_wait().expect("a state").is_none(), "--context - did not wait");
    asked.stdin.take().expect("a pipe").write_all(b"late, but there").expect("written");
    assert_eq!(context(&ended(asked).quietly_done()), json!(["late, but there"]));
}

#[test]
fn the_time_limit_holds_while_standard_input_is_waited_for() {
    let home = Home::new();
    for (options, first) in [(&["--timeout", "0.2"][..], &b""[..]), (&["--timeout", "2", "--context", "-"], b"begun")] {
        let mut child = generating(&home, options).spawn().expect("it starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        pipe.write_all(first).expect("written");
        let problem = ended(child).failed(6).problem();
        drop(pipe);
        assert_eq!(problem["code"], "provider_timeout");
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert!(detail.starts_with("context[0]: the timeout of ") && detail.contains("--timeout"), "{detail}");
    }
}

#[test]
fn a_signal_ends_the_wait_for_standard_input() {
    let home = Home::new();
    let mut child = generating(&home, &[]).spawn().expect("it starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(&vec![b'x'; MORE_THAN_A_PIPE]).expect("it is being read");
    let (name, number) = if is_interrupt_ignored() { ("TERM", 15) } else { ("INT", 2) };
    let killed = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status();
    assert!(killed.expect("a shell").success());
    let status = child.wait().expect("it ends");
    drop(pipe);
    assert_eq!(status.signal(), Some(number), "{status}");
}

/// True if a shell started this process in the background, with SIGINT ignored.
fn is_interrupt_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 0b10 != 0)
}

#[test]
fn a_loop_keeps_its_lines_with_no_stdin() {
    let home = Home::new();
    home.write("ideas.txt", "Name a bakery\nName a dog\nName a boat\n");
    let run = |option: &str| {
        let script = format!(
            "while read -r line; do '{}' generate \"$line\" --count 1 {option}; done < ideas.txt",
            env!("CARGO_BIN_EXE_aludel")
        );
        let mut shell = Command::new("/bin/sh");
        shell.env_clear().env("HOME", home.path()).env("OLLAMA_HOST", "127.0.0.1:1").current_dir(home.path());
        CommandOutput::from(shell.args(["-c", &script]).output().expect("a shell")).done()
    };
    let said = run("--no-stdin");
    assert!(!said.stderr.contains("standard input"), "{}", said.stderr);
    let stored = || home.run(&["list", "--format", "jsonl"]).quietly_done().json_lines();
    let ideas: Vec<Value> = stored().iter().map(|prompt| prompt["original_input"].clone()).collect();
    assert_eq!(ideas, ["Name a boat", "Name a dog", "Name a bakery"]);
    // Without it, the first consumes the other lines and warns.
    assert!(run("").stderr.contains(TAKEN));
    assert_eq!(stored().len(), 4);
}

#[test]
fn limits_of_a_context_hold_for_standard_input_and_name_the_field() {
    let home = Home::new();
    let refused = |options: &[&str], bytes: &[u8]| {
        let problem = with_piped(&home, options, bytes).failed(2).problem();
        (problem["errors"][0]["field"].clone(), problem["detail"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(refused(&[], "é".repeat(100_001).as_bytes()).0, "context[0]");
    let (field, detail) = refused(&["--context", "one"], b"caf\xe9");
    assert_eq!(field, "context[1]");
    assert!(detail.contains("not UTF-8"), "{detail}");
    assert!(
        refused(&[], &vec![b'x'; 4 * 1024 * 1024 + 1]).1.contains("context[0]: standard input holds more than 4 MiB")
    );
    let full = ["--context", "x"].repeat(32);
    assert_eq!(refused(&full, b"one more").0, "context");
}

#[test]
fn standard_input_is_asked_for_once_and_not_against_no_stdin() {
    let home = Home::new();
    let refused = |arguments: &[&str]| {
        let problem = home.run_with_stdin(&[arguments, &["--format", "json"]].concat(), b"text").failed(2).problem();
        (problem["errors"][0]["field"].clone(), problem["detail"].as_str().unwrap_or_default().to_owned())
    };
    for arguments in [&["generate", "-", "--context", "-"][..], &["generate", "--context", "-"]] {
        let (field, detail) = refused(arguments);
        assert_eq!(field, "context[0]");
        assert!(detail.contains("already used"), "{detail}");
    }
    assert_eq!(refused(&["generate", "x", "--context", "-", "--context", "-"]).0, "context[1]");
    assert_eq!(refused(&["generate", "-", "--no-stdin"]).0, "input");
    assert_eq!(refused(&["generate", "x", "--context", "-", "--no-stdin"]).0, "context[0]");
    assert!(refused(&["generate", "--no-stdin"]).1.contains("is missing"));
}

#[test]
fn a_bad_option_is_refused_before_anything_is_waited_for() {
    let mut child = generating(&Home::new(), &["--context", "-", "--temperature", "9", "--timeout", "60"])
        .spawn()
        .expect("it starts");
    let kept = child.stdin.take();
    let problem = ended(child).failed(2).problem();
    drop(kept);
    assert_eq!(problem["errors"][0]["field"], "temperature");
}
