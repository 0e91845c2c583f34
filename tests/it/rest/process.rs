//! The built program as a server: its address, how it ends, and why it may not start.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use crate::support::Home;

/// A server on a free port, and its address.
fn start(home: &Home) -> (Child, String) {
    let mut command = home.command();
    command.args(["http-server", "--port", "0"]);
    started(command)
}

fn started(mut command: Command) -> (Child, String) {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().expect("a pipe")).read_line(&mut line).expect("a line");
    let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line}")).to_owned();
    (child, address)
}

fn get(address: &str, path: &str) -> String {
    ask(address, &format!("GET {path} HTTP/1.1\r\n"))
}

/// The answer to a request with this beginning of its head.
fn ask(address: &str, head: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let request = format!("{head}host: {address}\r\nconnection: close\r\n\r\n");
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
fn a_weak_secret_or_none_does_not_start() {
    let weak = "only-31-bytes-of-secret-no-more";
    assert_eq!(weak.len(), 31);
    for (auth, expected) in [
        ("enabled: true".to_owned(), "is needed"),
        ("enabled: true, secret: ''".to_owned(), "server.auth.secret"),
        (format!("enabled: true, secret: {weak}"), "expected 32 bytes or more, got 31"),
        (format!("enabled: true, type: opaque, secret: {weak}x"), "server.auth.type"),
    ] {
        let home = Home::new();
        home.config(&format!("server:\n  auth: {{{auth}}}\n"));
        let said = home.run(&["http-server", "--port", "0", "--format", "json"]).failed(3);
        assert_eq!(said.problem()["code"], "config_invalid");
        assert!(said.stderr.contains(expected) && !said.stderr.contains("listening"), "{auth}: {}", said.stderr);
        assert!(!said.stderr.contains(weak), "{}", said.stderr);
    }
}

/// Binding fails only at the address, which no machine has.
#[test]
fn a_server_that_needs_tokens_may_listen_anywhere() {
    let home = Home::new();
    home.config("server: {host: 192.0.2.1, auth: {enabled: true, secret: 0123456789abcdef0123456789abcdef}}\n");
    let said = home.run(&["http-server"]).failed(1);
    assert!(said.stderr.contains("192.0.2.1 is not an address of this machine"), "{}", said.stderr);
}

#[test]
fn a_token_of_the_command_line_opens_the_server() {
    let home = Home::new();
    home.config("server:\n  auth: {enabled: true, secret: 0123456789abcdef0123456789abcdef}\n");
    let token = home.run(&["token"]).quietly_done().stdout;
    let (mut child, address) = start(&home);
    assert!(get(&address, "/api/v1/prompts").starts_with("HTTP/1.1 401 "));
    let mut stream = TcpStream::connect(&address).expect("a connection");
    let head = format!("GET /api/v1/prompts HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    stream.write_all(format!("{head}authorization: Bearer {}\r\n\r\n", token.trim()).as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

/// The value of a field in a line of the JSON log.
fn field<'a>(line: &'a serde_json::Value, name: &str) -> &'a serde_json::Value {
    line.get("fields").and_then(|fields| fields.get(name)).unwrap_or(&line[name])
}

#[cfg(unix)]
#[test]
fn every_request_is_a_line_of_the_log_without_its_query() {
    let home = Home::new();
    home.config("log: {level: info, format: json}\n");
    let (child, address) = start(&home);
    let head = "GET /api/v1/prompts?limit=1&tags=canary-secret HTTP/1.1\r\nauthorization: Bearer canary-token\r\nx-request-id: job-7\r\ntraceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n";
    let answer = ask(&address, head);
    let body = answer.split_once("\r\n\r\n").expect("a body").1;
    get(&address, "/canary/path?token=canary-secret");
    assert!(Command::new("kill").arg(child.id().to_string()).status().expect("kill").success());
    child.wait_with_output().expect("an end");
    let logs =
        std::fs::read_dir(home.data().join("logs")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let text: String = logs.map(|path| std::fs::read_to_string(path).expect("a log")).collect();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .filter(|line| field(line, "message") == "request")
        .collect();
    assert_eq!(lines.len(), 2, "{text}");
    let [first, second] = [&lines[0], &lines[1]];
    let expected = serde_json::json!({
        "request_id": "job-7", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "method": "GET",
        "route": "/api/v1/prompts", "status": 200, "bytes": body.len(), "client": "127.0.0.1",
    });
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(field(first, name), value, "{name}: {first}");
    }
    assert!(field(first, "duration_ms").as_f64().is_some_and(|took| took > 0.0), "{first}");
    assert!(field(second, "trace_id").is_null() && field(second, "route") == "unmatched", "{second}");
    assert_eq!((field(second, "status"), field(second, "code")), (&404.into(), &"not_found".into()), "{second}");
    assert!(!text.contains("canary-secret") && !text.contains("canary-token"), "{text}");
}

/// The mode in the file or the environment starts the server, as the command would.
#[cfg(unix)]
#[test]
fn a_mode_starts_the_server() {
    for (config, environment) in [("mode: server\n", &[][..]), ("", &[("ALUDEL_MODE", "server")])] {
        let home = Home::new();
        home.config(&format!("{config}server: {{port: 0}}\n"));
        let mut command = home.command();
        command.envs(environment.iter().copied());
        let (child, address) = started(command);
        assert!(get(&address, "/ready").starts_with("HTTP/1.1 200"));
        assert!(Command::new("kill").arg(child.id().to_string()).status().expect("kill").success());
        assert_eq!(child.wait_with_output().expect("an end").status.code(), Some(0));
    }
}

/// Arguments, environment and configuration of a server.
type ListenSetup<'a> = (Vec<&'a str>, Vec<(&'a str, &'a str)>, String);

/// Every way to make a server listen on this host.
fn ways(host: &str) -> Vec<ListenSetup<'_>> {
    let in_file = format!("server: {{host: '{host}', port: 0}}\n");
    let flags = vec!["http-server", "--port", "0", "--host", host];
    vec![
        (flags, Vec::new(), String::new()),
        (vec!["http-server"], Vec::new(), in_file.clone()),
        (Vec::new(), Vec::new(), format!("mode: server\n{in_file}")),
        (Vec::new(), vec![("ALUDEL_MODE", "server")], in_file),
        (
            Vec::new(),
            vec![("ALUDEL_MODE", "server"), ("ALUDEL_SERVER__HOST", host), ("ALUDEL_SERVER__PORT", "0")],
            String::new(),
        ),
    ]
}

#[test]
fn a_server_that_others_could_reach_does_not_start_unasked() {
    for host in ["0.0.0.0", "::", "[::]", "192.0.2.1"] {
        for (arguments, environment, config) in ways(host) {
            let home = Home::new();
            home.config(&config);
            let mut command = home.command();
            let output = command.args(&arguments).envs(environment).stdin(Stdio::null()).output().expect("an end");
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{host} {arguments:?}: {stderr}");
            assert!(stderr.contains("server.host") && stderr.contains("--insecure-no-auth"), "{stderr}");
            assert!(
                stderr.contains("server.insecure_no_auth: true") && !stderr.contains("listening on http"),
                "{stderr}"
            );
        }
    }
}

/// No machine has 192.0.2.1 (RFC 5737), so binding it fails even where allowed.
#[test]
fn what_the_user_allows_is_tried() {
    let allowances: [ListenSetup<'_>; 3] = [
        (vec!["http-server", "--host", "192.0.2.1", "--insecure-no-auth"], Vec::new(), String::new()),
        (
            Vec::new(),
            vec![("ALUDEL_MODE", "server"), ("ALUDEL_SERVER__INSECURE_NO_AUTH", "true")],
            "server: {host: 192.0.2.1}\n".into(),
        ),
        (Vec::new(), Vec::new(), "mode: server\nserver: {host: 192.0.2.1, insecure_no_auth: true}\n".into()),
    ];
    for (arguments, environment, config) in allowances {
        let home = Home::new();
        home.config(&config);
        let mut command = home.command();
        let output = command.args(&arguments).envs(environment).stdin(Stdio::null()).output().expect("an end");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
        assert!(stderr.contains("192.0.2.1 is not an address of this machine"), "{stderr}");
    }
}

#[test]
fn an_allowed_host_that_is_none_is_told_at_the_start() {
    let home = Home::new();
    home.config("server:\n  allowed_hosts: [prompts.example, 'https://prompts.example', '*']\n");
    let said = home.run(&["http-server", "--port", "0"]).failed(3);
    assert!(said.stderr.contains("`https://prompts.example` is not a host"), "{}", said.stderr);
    assert!(said.stderr.contains(":2:") && said.stderr.contains("`*` is not a host"), "{}", said.stderr);
}
