//! Stopping a run: finished prompts are stored and printed, and the exit code shows it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use aludel_core::provider::transport::testing::{Script, ScriptedServer};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::terminal::{typed_at, without_codes};
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

/// Sends a signal with the shell's `kill`, as there is no safe function for it.
fn signal(child: &Child, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status();
    assert!(status.expect("a shell").success());
}

/// Reads event lines up to one of this type and returns all of them.
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
    // The live text shows when the first variant has finished its last phase.
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
    // The run has started once its session is stored.
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
fn what_a_stopped_run_may_have_cost_is_told() {
    let home = Home::new();
    let price = "price: {input: 1.0, output: 10.0}\nusage: {input_tokens: 500, output_tokens: 40}\n";
    let rule = "rules:\n  - {when: {phase: solutio}, fault: hang}\n";
    let script = home.write("sim.yaml", format!("{price}answer: {{text: done}}\n{rule}"));
    // With a daily cap, a call is logged before it is sent.
    let script = script.display();
    home.config(&format!("providers: {{sim: {{kind: sim, script: {script}}}}}\nspend: {{daily_budget_usd: 10}}\n"));
    let mut child = start(&home, &["--count", "1", "--format", "jsonl"]);
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    lines_until(&mut stdout, "phase_finished");
    while home.run(&["spend", "--format", "json"]).done().json()["total"]["unseen"] != 1 {}
    signal(&child, "INT");
    let rest = lines_until(&mut stdout, "cancelled");
    let spent = rest.iter().find(|line| line["type"] == "spent").expect("it is told before the end");
    let [cost, most] = ["cost_usd", "most_usd"].map(|name| spent["model_metadata"][name].as_f64().expect("a sum"));
    assert!(cost > 0.0 && most > cost, "{spent}");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.contains("no variant had finished; at most $0."), "{said}");
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

/// An embedding server that never answers this request, counted from 0, and all others at once.
async fn hanging_at(number: usize) -> ScriptedServer {
    let asked = AtomicUsize::new(0);
    ScriptedServer::answering(move |request| {
        if asked.fetch_add(1, Ordering::Relaxed) == number {
            return Script::nothing().hang();
        }
        let texts = request.json()["input"].as_array().map_or(1, Vec::len);
        let data: Vec<Value> =
            (0..texts).map(|index| json!({ "index": index, "embedding": [1.0, 2.0, 3.0, index] })).collect();
        Script::json(200, &json!({ "data": data, "usage": { "prompt_tokens": 9, "total_tokens": 9 } }))
    })
    .await
}

/// A home with a file of forty prompts, which this server embeds 32 at a time.
fn home_at(server: &ScriptedServer) -> Home {
    let home = Home::new();
    home.config(&format!(
        "providers:\n  lab: {{kind: openai, base_url: \"{}/v1\", api_key: canary-of-the-lab}}\n\
         generation: {{default_embedding_model: lab/vec, default_embedding_dimensions: 4}}\n",
        server.url()
    ));
    let lines: Vec<String> = (0..40).map(|number| format!("{{\"content\": \"Idea {number}\"}}\n")).collect();
    home.write("ideas.jsonl", lines.concat());
    home
}

/// Starts a command, stops it while its second request hangs, and returns its output.
fn stopped_at_the_second_request(runtime: &Runtime, server: &ScriptedServer, home: &Home, command: &[&str]) -> Output {
    let mut started = home.command();
    started.args(command).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = started.spawn().expect("it starts");
    assert!(runtime.block_on(server.until_asked(2)), "it asks for the second batch");
    signal(&child, "INT");
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_signal_ends_reindexing_and_keeps_the_vectors_that_are_made() {
    let runtime = Runtime::new().expect("a runtime");
    let server = runtime.block_on(hanging_at(1));
    let home = home_at(&server);
    home.run(&["import", "ideas.jsonl", "--no-vectors", "--quiet"]).quietly_done();
    let output = stopped_at_the_second_request(&runtime, &server, &home, &["reindex", "--vectors"]);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(130), &b""[..]), "{said}");
    assert!(said.contains("finished vectors are stored"), "{said}");
    let rest = home.run(&["reindex", "--vectors", "--format", "json"]).done().json();
    assert_eq!(rest["vectors"], 8);
}

#[test]
fn a_signal_while_an_import_makes_vectors_leaves_them_to_later_and_is_no_failure() {
    let runtime = Runtime::new().expect("a runtime");
    let server = runtime.block_on(hanging_at(1));
    let home = home_at(&server);
    let output = stopped_at_the_second_request(&runtime, &server, &home, &["import", "ideas.jsonl"]);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b""[..]), "{said}");
    assert!(said.starts_with("40 prompts imported\nthe prompts are stored; 8 prompts have no vectors "), "{said}");
    assert!(said.contains("`aludel reindex --vectors` makes them"), "{said}");
    assert_eq!(home.run(&["list", "--limit", "100", "--format", "jsonl"]).done().json_lines().len(), 40);
    let rest = home.run(&["import", "ideas.jsonl"]).done();
    assert_eq!(rest.stderr, "0 prompts imported, 40 already there\n8 prompts can be found by meaning now\n");
}

#[test]
fn an_import_reports_before_its_vectors_are_made_and_may_be_killed_there() {
    let runtime = Runtime::new().expect("a runtime");
    let server = runtime.block_on(hanging_at(0));
    let home = home_at(&server);
    let mut command = home.command();
    command.args(["import", "ideas.jsonl", "--report", "json", "--quiet"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut report = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    while serde_json::from_str::<Value>(&report).is_err() {
        assert!(stdout.read_line(&mut report).expect("a line") > 0, "it ended without a report: {report}");
    }
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!((&report["imported"], report.get("vectors")), (&json!(40), None));
    // There are no vectors at all, but the prompts are there.
    let found = home.run(&["search", "idea", "--format", "json"]).quietly_done().json();
    assert_eq!(found.as_array().map(Vec::len), Some(10));
    let by_meaning = home.run(&["search", "idea", "--semantic"]).failed(1);
    assert!(by_meaning.stderr.contains("(40 prompts have none)"), "{}", by_meaning.stderr);
    assert!(runtime.block_on(server.until_asked(1)), "the vectors follow by themselves");
    signal(&child, "KILL");
    child.wait().expect("it ends");
    let checks = home.run(&["validate", "--format", "json"]).json();
    let database = checks["checks"].as_array().expect("checks").iter().find(|check| check["name"] == "database");
    assert_eq!(database.expect("it is checked")["status"], "ok", "{checks}");
    assert_eq!(home.run(&["reindex", "--vectors", "--format", "json"]).done().json()["vectors"], 40);
}

#[test]
fn an_import_on_a_terminal_shows_a_bar_that_ctrl_c_ends() {
    let runtime = Runtime::new().expect("a runtime");
    let server = runtime.block_on(hanging_at(1));
    let home = home_at(&server);
    let shown = typed_at("leaves the rest", &home, &["import", "ideas.jsonl"], &[], "\u{3}", 80);
    assert_eq!(shown.code, 0, "{}", shown.screen);
    assert!(without_codes(&shown.bytes).contains("32 of 40 prompts"), "{:?}", shown.bytes);
    assert!(shown.screen.contains("40 prompts imported") && !shown.screen.contains("█"), "{}", shown.screen);
    assert!(shown.screen.contains("8 prompts have no vectors"), "{}", shown.screen);
}

#[test]
fn an_import_whose_vectors_cannot_be_made_is_done_and_says_so() {
    let runtime = Runtime::new().expect("a runtime");
    let refusal = Script::json(401, &json!({ "error": { "message": "bad key" } }));
    let server = runtime.block_on(ScriptedServer::start([refusal]));
    let home = home_at(&server);
    let said = home.run(&["import", "ideas.jsonl", "--quiet"]).done();
    let warning = "warning: the prompts are stored; 40 prompts have no vectors for search by meaning yet: ";
    assert!(said.stderr.starts_with(warning) && said.stderr.contains("bad key"), "{}", said.stderr);
    assert_eq!(home.run(&["list", "--limit", "100", "--format", "jsonl"]).done().json_lines().len(), 40);
}

#[test]
fn a_signal_ends_an_export_between_two_pieces() {
    let home = Home::new();
    let line = |number| format!("{{\"content\": \"{number} {}\"}}\n", "long ".repeat(100));
    home.write("many.jsonl", (0..2000).map(line).collect::<Vec<_>>().concat());
    home.run(&["import", "many.jsonl", "--no-vectors", "--quiet"]).quietly_done();
    let mut command = home.command();
    command.args(["export", "--format", "jsonl"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    stdout.read_line(&mut first).expect("a line");
    // It waits in the middle of a piece by now, or soon: a pipe holds less than one.
    signal(&child, "INT");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("UTF-8");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let lines: Vec<&str> = rest.lines().collect();
    assert!(lines.len() < 1999 && rest.ends_with('\n'), "{} lines", lines.len());
    assert!(lines.iter().all(|line| serde_json::from_str::<Value>(line).is_ok()), "every record is whole");
}
