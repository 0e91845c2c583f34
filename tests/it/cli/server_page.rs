//! The page on running the server is true: its commands run as they stand, its configuration is
//! valid. Each block runs in a shell of its own against a server of the test on a free port.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::support::Home;

const PAGE: &str = include_str!("../../../docs/server.md");

/// How a block says, in the line before it, that it needs a server that asks for tokens.
const NEEDS_TOKEN: &str = "<!-- needs: token -->";

/// The secret of such a server.
const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// The blocks in this language for a server that asks for tokens, or for one that does not.
fn blocks(language: &str, asks_for_tokens: bool) -> Vec<&'static str> {
    let mut parts = PAGE.split("\n```");
    let mut before = parts.next().unwrap_or_default();
    let mut found = Vec::new();
    while let (Some(block), after) = (parts.next(), parts.next().unwrap_or_default()) {
        let needs_token = before.trim_end().ends_with(NEEDS_TOKEN);
        let code = block.strip_prefix(language).and_then(|code| code.strip_prefix('\n'));
        found.extend(code.filter(|_| needs_token == asks_for_tokens));
        before = after;
    }
    found
}

/// A server of this home, ended on drop.
struct RunningServer {
    child: Child,
    port: String,
}

impl RunningServer {
    fn start(home: &Home) -> Self {
        let mut command = home.command();
        command.args(["http-server", "--port", "0"]).stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stderr.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let port = line.trim().rsplit(':').next().expect("a port").to_owned();
        Self { child, port }
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// Runs these blocks against a server of this home.
fn run_against_a_server(home: &Home, blocks: &[&str]) {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_aludel")).parent().expect("a folder");
    let server = RunningServer::start(home);
    for block in blocks {
        assert!(block.contains("8080"), "no address of the server: {block}");
        // The server of the page's own start is that of the test.
        let block = block.replace("aludel http-server --port 8080 &", "").replace("8080", &server.port);
        let script = format!("set -o pipefail\n{block}");
        let mut command = Command::new("bash");
        command.args(["-ec", &script]).env_clear().env("HOME", home.path()).current_dir(home.path());
        command.env("PATH", format!("{}:/usr/bin:/bin", program.display())).stdin(Stdio::null());
        let output = command.output().expect("a shell");
        let (shown, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{block}\n{shown}\n{errors}");
    }
}

#[test]
fn every_command_of_the_page_runs() {
    let found = blocks("sh", false);
    assert!(found.len() >= 7, "{}", found.len());
    let home = Home::new();
    home.run(&["generate", "Name a bakery", "--quiet"]).done();
    run_against_a_server(&home, &found);
}

#[test]
fn every_command_with_a_token_runs() {
    let found = blocks("sh", true);
    assert_eq!(found.len(), 1);
    let home = Home::new();
    home.config(&format!("server: {{auth: {{enabled: true, secret: {SECRET}}}}}\n"));
    run_against_a_server(&home, &found);
}

#[test]
fn the_first_command_of_the_page_starts_a_server() {
    let first = blocks("sh", false)[0].lines().next().expect("a line");
    let arguments = first.strip_prefix("aludel ").and_then(|rest| rest.strip_suffix(" &")).expect("a command");
    let home = Home::new();
    let mut command = home.command();
    command.args(arguments.replace("8080", "0").split(' ')).stdin(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("a pipe")).read_line(&mut line).expect("a line");
    child.kill().and_then(|()| child.wait()).expect("it ends");
    assert!(line.starts_with("listening on http://127.0.0.1:"), "{line}");
}

#[test]
fn the_configuration_of_the_page_is_valid() {
    let configurations = blocks("yaml", false);
    assert!(!configurations.is_empty());
    for configuration in configurations {
        let home = Home::new();
        home.config(configuration);
        home.run_with_env(&["config", "validate"], &[("ALUDEL_SECRET", SECRET)]).quietly_done();
    }
}
