//! The built program as a server: where it says it listens, how it ends, and why it does not begin.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use crate::support::Home;

/// A server on a free port, and where it listens.
fn start(home: &Home) -> (Child, String) {
    let mut command = home.command();
    command.args(["http-server", "--port", "0"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().expect("a pipe")).read_line(&mut line).expect("a line");
    let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line}")).to_owned();
    (child, address)
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[cfg(unix)]
#[test]
fn a_server_says_where_it_listens_and_ends_in_order_on_either_signal() {
    for signal in ["TERM", "INT"] {
        let home = Home::new();
        let (child, address) = start(&home);
        assert!(address.starts_with("127.0.0.1:"), "{address}");
        assert!(get(&address, "/health").contains(r#""status":"ok""#));
        let killed = Command::new("sh").arg("-c").arg(format!("kill -{signal} {}", child.id())).status();
        assert!(killed.expect("a shell").success());
        let output = child.wait_with_output().expect("an end");
        assert_eq!((output.status.code(), output.stdout), (Some(0), Vec::new()), "{signal}");
    }
}

#[test]
fn a_taken_port_is_told_with_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let said = Home::new().run(&["http-server", "--port", &port]).failed(1);
    assert!(
        said.stderr.contains(&port) && said.stderr.contains("in use") && said.stderr.contains("--port"),
        "{}",
        said.stderr
    );
}

#[test]
fn protection_that_is_not_there_yet_is_not_pretended() {
    let home = Home::new();
    home.config("server:\n  rate_limiting: {enabled: true}\n");
    let said = home.run(&["http-server", "--port", "0", "--format", "json"]).failed(3);
    assert_eq!(said.problem()["code"], "config_invalid");
    assert!(said.stderr.contains("server.rate_limiting.enabled") && !said.stderr.contains("listening"));
}
