//! Starting the servers from the command line, and stopping them with a signal.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::support::Home;

/// Starts a server and returns its address, as printed on standard error.
fn started(mut command: Command) -> (Child, BufReader<std::process::ChildStderr>, String) {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("a line");
    let (_, address) = line.split_once("http://").unwrap_or_else(|| panic!("no address in: {line}"));
    let address = address.split(|c: char| c.is_whitespace() || c == '/').next().expect("an address").to_owned();
    (child, stderr, address)
}

fn health(address: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

fn stopped(child: Child) -> std::process::Output {
    let status = Command::new("sh").args(["-c", &format!("kill -TERM {}", child.id())]).status();
    assert!(status.expect("a shell").success());
    child.wait_with_output().expect("it ends")
}

#[test]
fn the_http_server_listens_where_it_is_told_and_ends_well_on_a_signal() {
    let home = Home::new();
    let mut by_flag = home.command();
    by_flag.args(["http-server", "--host", "127.0.0.1", "--port", "0"]);
    let mut by_mode = home.command();
    by_mode.env("ALUDEL_MODE", "server").env("ALUDEL_SERVER__PORT", "0").env("ALUDEL_SERVER__HOST", "127.0.0.1");
    for command in [by_flag, by_mode] {
        let (child, _stderr, address) = started(command);
        let answer = health(&address);
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(env!("CARGO_PKG_VERSION")), "{answer}");
        let output = stopped(child);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b""[..]));
    }
}

#[test]
fn the_mcp_server_speaks_on_standard_output_alone_and_ends_with_its_input() {
    let home = Home::new();
    assert_eq!(home.run(&["serve"]).done().stdout, "");
    let initialize = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
        r#""capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#,
        "\n"
    );
    let said = home.run_with_stdin(&["serve"], initialize.as_bytes()).done();
    let answers = said.json_lines();
    assert_eq!(answers.len(), 1);
    assert_eq!((&answers[0]["jsonrpc"], &answers[0]["id"]), (&"2.0".into(), &1.into()));
    assert!(answers[0]["result"]["serverInfo"]["name"].is_string());
}

#[test]
fn a_port_that_is_taken_is_said_and_nothing_hangs() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let said = Home::new().run(&["http-server", "--host", "127.0.0.1", "--port", &port]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stderr.contains(&port), "{}", said.stderr);
}
