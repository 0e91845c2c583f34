//! No key ever leaks: a canary goes through every fault with full logging, and then every file,
//! output and response is searched for it.
//!
//! Keys come from the configuration, a variable, `<NAME>_API_KEY`, a command (with another secret
//! in its arguments) and a header. Servers repeat the key in errors, as some do.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use aludel_core::provider::transport::testing::Script;
use serde_json::json;
use tempfile::NamedTempFile;

use super::canary::Canary;
use super::fault::Fault;
use super::house::House;
use super::rest_server::RestServer;
use super::stage::Actor;
use super::vendors::Vendor;

/// A level that logs everything, including the HTTP and TLS libraries.
const EVERYTHING: &str = "trace,reqwest=trace,hyper=trace,hyper_util=trace,h2=trace,rustls=trace,tokio=trace";

/// Parallel requests to the server.
const SIDE_BY_SIDE: usize = 8;

/// All output, by its origin.
struct Outputs(Vec<(String, Vec<u8>)>);

impl Outputs {
    fn add(&mut self, place: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.0.push((place.into(), bytes.into()));
    }
}

/// The source of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The configuration itself.
    Written,
    /// A variable named in the configuration.
    Variable,
    /// `<NAME>_API_KEY`.
    UsualVariable,
    /// The output of a command.
    Command,
    /// A header that the user sets.
    Header,
}

impl Source {
    const ALL: [Self; 5] = [Self::Written, Self::Variable, Self::UsualVariable, Self::Command, Self::Header];

    /// The lines of a provider's configuration.
    fn lines(self, vendor: Vendor, key: &str, key_file: &Path, argument: &Canary) -> Vec<String> {
        let (header, scheme) = vendor.key_header();
        match self {
            Self::Written => vec![],
            Self::Variable => vec!["api_key: ${A_VARIABLE_OF_MINE}".to_owned()],
            Self::UsualVariable => vec!["# the key is in <NAME>_API_KEY".to_owned()],
            Self::Command => {
                vec![format!("api_key_cmd: \"cat {} && : --token {}\"", key_file.display(), argument.key)]
            }
            Self::Header => vec![format!("headers: {{{header}: \"{scheme}{key}\"}}")],
        }
    }
}

/// A canary for each source, since a key known from one is masked everywhere.
struct Canaries {
    each: [Canary; 5],
    /// The secret in the command's arguments.
    argument: Canary,
    /// The file that the command prints.
    file: NamedTempFile,
}

impl Canaries {
    fn new() -> Self {
        let each = Source::ALL.map(|_| Canary::new());
        let mut file = NamedTempFile::new().expect("a file");
        writeln!(file, "{}", each[Source::Command as usize].key).expect("written");
        Self { each, argument: Canary::new(), file }
    }

    fn key(&self, source: Source) -> &str {
        &self.each[source as usize].key
    }
}

/// A provider for every such fault of every vendor, with the sources in turn, and some that repeat
/// the key where messages are cut. Adds the environment that the program needs to `variables`.
fn actors(
    canaries: &Canaries,
    elsewhere: &str,
    is_wanted: fn(Fault) -> bool,
    variables: &mut Vec<(String, String)>,
) -> Vec<Actor> {
    let mut actors = Vec::new();
    let mut enter = |name: String, vendor: Vendor, source: Source, script: Script| -> Actor {
        if source == Source::UsualVariable {
            let variable = format!("{}_API_KEY", name.to_ascii_uppercase().replace('-', "_"));
            variables.push((variable, canaries.key(source).to_owned()));
        }
        let mut actor = Actor::new(name, vendor).playing(move |_| Some(script.clone()));
        canaries.key(source).clone_into(&mut actor.key);
        actor.more = source.lines(vendor, &actor.key, canaries.file.path(), &canaries.argument);
        actor.max_retries = 0;
        actor
    };
    for (row, (fault, fault_name)) in Fault::ALL.iter().filter(|(fault, _)| is_wanted(*fault)).enumerate() {
        for (column, vendor) in Vendor::ALL.into_iter().enumerate() {
            let source = Source::ALL[(row + column) % Source::ALL.len()];
            let Ok(script) = fault.script(vendor, canaries.key(source), elsewhere) else { continue };
            let mut actor = enter(format!("{}-{fault_name}", vendor.name()), vendor, source, script);
            actor.place = fault.place();
            actor.timeout_s = fault.timeout_s();
            actors.push(actor);
        }
    }
    for (before, source) in (180..320).step_by(10).zip(Source::ALL.into_iter().cycle()) {
        let message = format!("{}{} is no key of ours", "x".repeat(before), canaries.key(source));
        let body = json!({"error": {"message": message, "type": "invalid_request_error", "code": "invalid_api_key"}});
        actors.push(enter(format!("cut-at-{before}"), Vendor::OpenAi, source, Script::json(401, &body)));
    }
    variables.push(("A_VARIABLE_OF_MINE".to_owned(), canaries.key(Source::Variable).to_owned()));
    actors
}

/// A house whose providers get canaries, the variables it needs, and its output.
struct Search {
    canaries: Canaries,
    house: House,
    names: Vec<String>,
    variables: Vec<(String, String)>,
    outputs: Outputs,
}

impl Search {
    /// Opens with the actors of the selected faults.
    fn open(more: &str, is_wanted: fn(Fault) -> bool) -> Self {
        let canaries = Canaries::new();
        let (mut names, mut variables) = (Vec::new(), Vec::new());
        let house = House::open(more, |elsewhere| {
            let actors = actors(&canaries, elsewhere, is_wanted, &mut variables);
            names.extend(actors.iter().map(|actor| actor.name.clone()));
            actors
        });
        Self { canaries, house, names, variables, outputs: Outputs(Vec::new()) }
    }

    /// Asserts that nothing shows a key, and that everything was searched.
    fn conclude(&self, others: &[&Canary]) {
        let configuration = [self.house.home.data().join("config.yaml")];
        let mut shown = Vec::new();
        for secret in self.canaries.each.iter().chain([&self.canaries.argument]).chain(others.iter().copied()) {
            let outputs = self.outputs.0.iter();
            shown.extend(outputs.filter_map(|(place, bytes)| Some(format!("{place}: {}", secret.found_in(bytes)?))));
            shown.extend(secret.found_below(self.house.home.path(), &configuration));
        }
        assert!(shown.is_empty(), "the key shows in {} places:\n{}", shown.len(), shown.join("\n"));
        assert_eq!(self.house.stage.objections(), Vec::<String>::new());
        assert_eq!(self.house.stage.elsewhere_asked(), 0, "a request went where none may go");
        let is_unreachable = |name: &String| ["nobody", "untrusted", "no-tls"].iter().any(|part| name.contains(part));
        let mut unasked = self.names.iter().filter(|name| self.house.stage.asked(name).is_empty());
        assert_eq!(unasked.find(|name| !is_unreachable(name)), None, "never asked");
        let logged = logged_bytes(&self.house);
        assert!(logged > 50_000, "only {logged} bytes were logged");
    }
}

#[test]
fn no_answer_log_or_file_of_the_server_shows_a_key_whatever_goes_wrong() {
    // A long line, a long wait and an endless answer show nothing new.
    let is_wanted = |fault: Fault| !fault.is_bulky() && fault != Fault::RateLimitDate;
    let mut search = Search::open("log: {format: json}\n", is_wanted);
    let server = RestServer::start(&search.house.home, &["--log-level", EVERYTHING], &search.variables);
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                while let Some(name) = search.names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let accept = if name.len() % 2 == 0 { "application/json" } else { "text/event-stream" };
                    let answer = server.generate(name, accept);
                    answers.lock().expect("no panic").push((format!("REST {name}"), answer));
                }
            });
        }
    });
    search.outputs.0.extend(answers.into_inner().expect("no panic"));
    search.outputs.add("REST providers", server.ask("GET /api/v1/providers HTTP/1.1\r\n", ""));
    let (stdout, stderr) = server.stop();
    search.outputs.add("the server's output", stdout);
    search.outputs.add("the server's log", stderr);
    search.conclude(&[]);
}

#[test]
fn no_command_shows_a_key_whatever_is_asked_in_whatever_format() {
    let is_wanted = |fault: Fault| {
        matches!(fault, Fault::BadKey | Fault::GatewayPage | Fault::StreamInternal | Fault::RedirectTemporary)
    };
    let mut search = Search::open("log: {format: text}\n", is_wanted);
    // A second secret, only in a header.
    let token = Canary::new();
    let key = search.canaries.key(Source::Written).to_owned();
    for command in commands(&key, &token.key) {
        let mut program = search.house.home.command();
        program.args(&command).args(["--log-level", EVERYTHING]).envs(search.variables.iter().cloned());
        let output = program.env("RUST_BACKTRACE", "1").stdin(Stdio::null()).output().expect("it ends");
        assert_ne!(output.status.code(), Some(101), "{command:?} panicked");
        let place = format!("{command:?}").replace(&key, "…").replace(&token.key, "…");
        search.outputs.add(format!("the output of {place}"), output.stdout);
        search.outputs.add(format!("the errors of {place}"), output.stderr);
    }
    let header = search.house.home.data().join("config.yaml");
    assert!(std::fs::read_to_string(header).expect("the configuration").contains(&token.key), "it was set");
    search.conclude(&[&token]);
}

/// What a user would try, with full logging, including mistakes that name a secret.
fn commands<'a>(key: &'a str, token: &'a str) -> Vec<Vec<&'a str>> {
    let generate = |provider: &'a str, format: &'a str| {
        let options = ["--count=1", "--phases=coagulatio", "--stream", "--format", format, "--provider", provider];
        [&["generate", "Distil"][..], &options].concat()
    };
    let mut commands = vec![
        generate("openai-bad-key", "text"),
        generate("openai-bad-key", "json"),
        generate("google-redirect-307", "text"),
        generate("google-bad-key", "jsonl"),
        generate("anthropic-error-in-stream", "jsonl"),
        generate("ollama-502-page", "json"),
    ];
    commands.extend([
        vec!["config", "show"],
        vec!["config", "show", "--format", "json"],
        vec!["config", "export"],
        vec!["config", "get", "providers.openai-bad-key.api_key"],
        vec!["config", "validate"],
        vec!["config", "set", "providers.openai-bad-key.api_key", key],
        vec!["config", "set", "providers.openai-bad-key.timeout_s", key],
        vec!["config", "set", "providers.openai-bad-key.base_url", key],
        vec!["config", "set", "providers.openai-bad-key.headers.X-Token", token],
        vec!["config", "show"],
        vec!["providers"],
        vec!["providers", "--format", "json"],
        vec!["validate"],
        vec!["validate", "--format", "json"],
        vec!["test-providers"],
        vec!["test-providers", "--format", "json"],
        vec!["list", "--format", "json"],
        vec!["history", "--format", "json"],
        vec!["spend", "--format", "json"],
    ]);
    commands
}

/// The total size of the log files.
fn logged_bytes(house: &House) -> u64 {
    let logs: Vec<PathBuf> = std::fs::read_dir(house.home.data().join("logs"))
        .expect("a folder of logs")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    logs.iter().map(|path| std::fs::metadata(path).expect("a file").len()).sum()
}
