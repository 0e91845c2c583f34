//! The built program as hosts start it: over pipes, a socket or a file, ended by EOF or a signal.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::NEWER;
use crate::support::Home;

pub(super) fn request(id: u64, tool: &str, arguments: &Value) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": NEWER, "io.modelcontextprotocol/clientCapabilities": {}
    });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
}

fn serve(home: &Home) -> Command {
    let mut command = home.command();
    command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The structured content of the replies, by id; every line must be one.
fn contents(stdout: &[u8]) -> Vec<(u64, Value)> {
    let mut answers: Vec<(u64, Value)> = stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(&line.expect("UTF-8")).expect("nothing but JSON"))
        .map(|message| (message["id"].as_u64().expect("an id"), message["result"]["structuredContent"].clone()))
        .collect();
    answers.sort_by_key(|(id, _)| *id);
    answers
}

pub(super) fn terminate(child: &Child) {
    let killed = Command::new("sh").arg("-c").arg(format!("kill -TERM {}", child.id())).status();
    assert!(killed.expect("a shell").success());
}

#[test]
fn a_host_with_pipes_is_answered_and_the_end_of_input_is_the_end() {
    let home = Home::new();
    let mut child = serve(&home).arg("--log-level").arg("trace").spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let requests = [
        request(1, "generate_prompts", &json!({ "input": "Write a haiku about rivers", "count": 1 })),
        request(2, "get_system_info", &json!({})),
    ];
    stdin.write_all(requests.concat().as_bytes()).expect("sent");
    drop(stdin);
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers = contents(&output.stdout);
    assert_eq!(answers[0].1["prompts"].as_array().expect("prompts").len(), 1);
    assert_eq!(answers[1].1["name"], "aludel");
}

#[test]
fn a_host_that_says_nothing_is_no_failure() {
    let home = Home::new();
    let output = serve(&home).stdin(Stdio::null()).output().expect("an end");
    assert!(output.status.success());
    assert_eq!((output.stdout, String::from_utf8_lossy(&output.stderr).into_owned()), (Vec::new(), String::new()));
}

#[test]
fn a_file_of_requests_is_answered() {
    let home = Home::new();
    let requests = home.write("requests.jsonl", request(1, "list_prompts", &json!({})));
    let file = std::fs::File::open(requests).expect("a file");
    let output = serve(&home).stdin(file).output().expect("an end");
    assert!(output.status.success());
    assert_eq!(contents(&output.stdout), [(1, json!({ "prompts": [], "next_cursor": null }))]);
}

#[test]
fn every_line_that_is_no_message_is_answered_although_the_input_ends_at_once() {
    let home = Home::new();
    let arguments = json!({ "name": "list_prompts", "arguments": [] });
    let wrong = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments });
    let lines = home.write("requests.jsonl", format!("this is no JSON\n{wrong}\n").repeat(20));
    let answers = home.write("answers.jsonl", "");
    let open = |path| std::fs::File::options().read(true).write(true).open(path).expect("a file");
    let status = serve(&home).stdin(open(&lines)).stdout(open(&answers)).status().expect("an end");
    assert!(status.success());
    let told = std::fs::read_to_string(answers).expect("UTF-8");
    let told = told.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let codes: Vec<i64> = told.map(|answer| answer["error"]["code"].as_i64().expect("a code")).collect();
    assert_eq!(codes, [-32700, -32602].repeat(20));
}

#[cfg(feature = "tui")]
#[test]
fn what_is_wrong_with_the_workbench_is_told_as_on_the_command_line() {
    let home = Home::new();
    home.config("tui:\n  theme: neon\n  keys:\n    run: [F2]\n");
    let requests = home.write("requests.jsonl", request(1, "validate_configuration", &json!({})));
    let file = std::fs::File::open(requests).expect("a file");
    let output = serve(&home).stdin(file).output().expect("an end");
    let told = contents(&output.stdout).remove(0).1;
    assert_eq!(told, home.run(&["validate", "--format", "json"]).json());
    let failed = told["checks"].as_array().expect("checks").iter().filter(|check| check["status"] == "failed");
    let failed: Vec<&str> = failed.map(|check| check["detail"].as_str().expect("words")).collect();
    assert_eq!(failed.len(), 2, "{failed:?}");
    assert!(failed[0].contains("tui.keys.run") && failed[1].contains("tui.theme"), "{failed:?}");
}

#[cfg(unix)]
#[test]
fn a_host_with_sockets_is_answered() {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    let home = Home::new();
    let (ours, theirs) = UnixStream::pair().expect("a pair");
    let their_output = theirs.try_clone().expect("a clone");
    let mut command = serve(&home);
    command.stdin(OwnedFd::from(theirs)).stdout(OwnedFd::from(their_output));
    let mut child = command.spawn().expect("the program starts");
    // The command holds the program's ends, too, which would hide that the program closed its own.
    drop(command);
    (&ours).write_all(request(7, "get_system_info", &json!({})).as_bytes()).expect("sent");
    let mut line = String::new();
    BufReader::new(&ours).read_line(&mut line).expect("an answer");
    assert_eq!(contents(line.as_bytes())[0].0, 7);
    ours.shutdown(std::net::Shutdown::Write).expect("closed");
    assert!(child.wait().expect("an end").success());
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_server_in_order_even_before_its_first_request() {
    let home = Home::new();
    let mut child = serve(&home).spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    // A bad request gets a reply and opens no session. By then, signals are caught.
    stdin.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n").expect("sent");
    stdout.read_line(&mut line).expect("an answer");
    assert!(line.contains("-32602"), "{line}");
    terminate(&child);
    assert_eq!(child.wait().expect("an end").code(), Some(0));
}
