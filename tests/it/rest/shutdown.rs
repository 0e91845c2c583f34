//! The built program as a server that is stopped or killed at work: what its clients see last, and
//! what the database holds afterwards.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Home;

/// The built program, serving. Killed on drop.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(home: &Home) -> Self {
        let mut command = home.command();
        command.args(["http-server", "--port", "0"]).stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        stderr.read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line}")).to_owned();
        // Its log is read to the end, so that it never blocks.
        std::thread::spawn(move || drop(stderr.read_to_end(&mut Vec::new())));
        Self { child, address }
    }

    fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> BufReader<TcpStream> {
        send(&self.address, method, path, headers, body)
    }

    /// The body of a JSON answer.
    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Value {
        let mut answer = String::new();
        self.send(method, path, headers, body).read_to_string(&mut answer).expect("an answer");
        let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
        serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"))
    }

    fn signal(&self, name: &str) {
        let status = Command::new("sh").args(["-c", &format!("kill -{name} {}", self.child.id())]).status();
        assert!(status.expect("a shell").success());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn send(address: &str, method: &str, path: &str, headers: &str, body: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{headers}\r\n"
    );
    stream.write_all((head + body).as_bytes()).expect("sent");
    BufReader::new(stream)
}

const GENERATE: &str = "/api/v1/prompts/generate";

/// Variant 0 is finished at once. The others take their time or, if the input says so, never end.
const HALF_HANG: &str = "
answer: {text: 'made of {input}'}
rules:
  - when: {variant: 1, input: hang}
    fault: {kind: hang, after_chunks: 1}
  - when: {variant: 1}
    pacing: {first_token_ms: 1000}
";

/// What a client saw of its run: the prompts reported finished, and the last event.
struct Watched {
    finished: Vec<String>,
    last: String,
    is_whole: bool,
}

/// Watches a run to the end of its connection and tells when its first variant is finished.
fn watch(address: &str, input: &str, reported: &SyncSender<()>) -> Watched {
    let body = json!({ "input": input, "count": 2, "phases": ["coagulatio"] }).to_string();
    let mut stream = send(address, "POST", GENERATE, "accept: text/event-stream\r\n", &body);
    let (mut finished, mut last, mut end) = (Vec::new(), String::new(), String::new());
    let mut line = String::new();
    while stream.read_line(&mut line).expect("no reset") > 0 {
        if let Some(data) = line.strip_prefix("data: ") {
            let event: Value = serde_json::from_str(data).expect("JSON");
            event["type"].as_str().expect("a type").clone_into(&mut last);
            if last == "variant_finished" {
                finished.push(event["prompt"]["id"].as_str().expect("an id").to_owned());
                reported.send(()).expect("somebody waits");
            }
        }
        end = std::mem::take(&mut line);
        if end == "0\r\n" {
            break;
        }
    }
    Watched { finished, last, is_whole: end == "0\r\n" }
}

fn stored(home: &Home) -> Vec<Value> {
    let list = home.run(&["list", "--limit", "1000", "--format", "json"]).done().json();
    list["prompts"].as_array().expect("prompts").clone()
}

#[test]
fn a_server_that_is_stopped_amid_fifty_runs_keeps_what_it_reported() {
    let home = Home::new();
    let script = home.write("sim.yaml", HALF_HANG);
    home.config(&format!(
        "run: {{max_concurrency: 100}}\nproviders:\n  sim: {{kind: sim, script: '{}', max_concurrency: 100}}\nserver: {{shutdown_grace_s: 3}}\n",
        script.display()
    ));
    let mut server = Served::start(&home);
    let (reported, reports) = sync_channel(100);
    let clients: Vec<_> = (0..50)
        .map(|number| {
            let (address, reported) = (server.address.clone(), reported.clone());
            let input = if number % 2 == 0 { format!("hang {number}") } else { format!("go on {number}") };
            std::thread::spawn(move || watch(&address, &input, &reported))
        })
        .collect();
    for _ in 0..50 {
        reports.recv_timeout(Duration::from_mins(1)).expect("a variant of every run is finished");
    }
    server.signal("TERM");
    let begun = Instant::now();
    let watched: Vec<Watched> = clients.into_iter().map(|client| client.join().expect("a client")).collect();
    assert_eq!(server.child.wait().expect("it ends").code(), Some(0));
    // The grace, two seconds for the last events and two for the connections.
    assert!(begun.elapsed() < Duration::from_secs(3 + 2 + 2 + 5), "{:?}", begun.elapsed());
    for (number, client) in watched.iter().enumerate() {
        let expected = if number % 2 == 0 { "cancelled" } else { "finished" };
        assert!(client.is_whole && client.last == expected, "{number}: {}", client.last);
    }
    let stored = stored(&home);
    let reported: Vec<&String> = watched.iter().flat_map(|client| &client.finished).collect();
    assert_eq!((reported.len(), stored.len()), (25 + 50, 25 + 50));
    for id in reported {
        assert!(stored.iter().any(|prompt| prompt["id"] == **id), "{id} is lost");
    }
}

#[test]
fn a_server_that_is_killed_leaves_its_database_whole_and_its_jobs_to_the_next() {
    const HANGS: &str =
        "{answer: {text: 'made of {input}'}, rules: [{when: {input: boat, variant: [1, 2]}, fault: hang}]}";
    let home = Home::new();
    home.sim("sim", HANGS);
    let server = Served::start(&home);
    let other = server.ask("POST", GENERATE, "", &json!({ "input": "Plan a launch", "count": 2 }).to_string());
    assert_eq!(other["prompts"].as_array().map(Vec::len), Some(2), "{other}");
    let body = json!({ "input": "Name a boat", "count": 3 }).to_string();
    let job = server.ask("POST", GENERATE, "prefer: respond-async\r\n", &body);
    let job = format!("/api/v1/jobs/{}", job["id"].as_str().expect("an id"));
    let begun = Instant::now();
    while server.ask("GET", &job, "", "")["done"] != 1 {
        assert!(begun.elapsed() < Duration::from_mins(1), "the first variant");
        sleep(Duration::from_millis(20));
    }
    server.signal("KILL");
    drop(server);

    let before = stored(&home);
    assert_eq!(before.len(), 3, "{before:?}");
    home.sim("sim", "{answer: {text: 'made of {input}'}}");
    let server = Served::start(&home);
    let begun = Instant::now();
    // The next server takes the job once the lease of the killed one has run out.
    let finished = loop {
        let job = server.ask("GET", &job, "", "");
        if job["state"] == "finished" {
            break job;
        }
        assert!(begun.elapsed() < Duration::from_secs(100), "{job}");
        sleep(Duration::from_millis(100));
    };
    assert_eq!((&finished["done"], &finished["attempt"]), (&json!(3), &json!(2)));
    let after = stored(&home);
    assert_eq!(after.len(), 5);
    for prompt in &before {
        let kept = after.iter().find(|kept| kept["id"] == prompt["id"]).expect("it is still there");
        assert_eq!((&kept["content"], &kept["variant"]), (&prompt["content"], &prompt["variant"]));
    }
}
