//! The page on running the server is true: its commands run as they stand, its configuration is
//! valid. Each block runs in a shell of its own against a server of the test on a free port.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::support::Home;

const PAGE: &str = include_str!("../../../docs/server.md");

/// What a block may need that is not there yet, as it says in a comment before it.
const NOT_YET: &[&str] = &["token", "export"];

/// The blocks in this language that can run.
fn blocks(language: &str) -> Vec<&'static str> {
    let mut parts = PAGE.split("\n```");
    let mut before = parts.next().unwrap_or_default();
    let mut found = Vec::new();
    while let (Some(block), after) = (parts.next(), parts.next().unwrap_or_default()) {
        let needs = before.trim_end().lines().last().and_then(|line| line.strip_prefix("<!-- needs: "));
        let is_possible = needs.is_none_or(|needs| !NOT_YET.iter().any(|missing| needs.contains(missing)));
        if let Some(code) =
            block.strip_prefix(language).and_then(|code| code.strip_prefix('\n')).filter(|_| is_possible)
        {
            found.push(code);
        }
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

#[test]
fn every_command_of_the_page_runs() {
    let found = blocks("sh");
    assert!(found.len() >= 6, "{}", found.len());
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_aludel")).parent().expect("a folder");
    let home = Home::new();
    home.run(&["generate", "Name a bakery", "--quiet"]).done();
    let server = RunningServer::start(&home);
    for block in found {
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
fn the_first_command_of_the_page_starts_a_server() {
    let first = blocks("sh")[0].lines().next().expect("a line");
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
    let configurations = blocks("yaml");
    assert!(!configurations.is_empty());
    for configuration in configurations {
        let home = Home::new();
        home.config(configuration);
        home.run(&["config", "validate"]).quietly_done();
    }
}
