//! What was reported as finished is stored, whatever happens to the process.
//!
//! The program is killed with SIGKILL, fifty times over on one database, each time at a later event
//! of a paced run of 32 variants. Also, many processes write to one database at once.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::support::Home;

const VARIANTS: usize = 32;
const KILLS: usize = 50;

const PACED: &str = "
seed: 1
answer: {words: 24}
pacing: {chunk_chars: 40, chunk_ms: 1}
";

fn start(home: &Home) -> Child {
    home.command()
        // Vectors are not tested here, and two hundred models at once exceed a machine's memory.
        .env("ALUDEL_GENERATION__DEFAULT_EMBEDDING_MODEL", "openai")
        .args(["generate", "Write a haiku about rivers", "--format", "jsonl", "--count", &VARIANTS.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// The ids that complete lines report as finished.
fn finished_ids(lines: &[String]) -> BTreeSet<String> {
    lines
        .iter()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|event| event["type"] == "variant_finished")
        .map(|event| event["prompt"]["id"].as_str().expect("an id").to_owned())
        .collect()
}

/// Every stored id, page after page.
fn stored_ids(home: &Home) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut command = home.command();
        command.args(["list", "--format", "json", "--limit", "1000"]);
        if let Some(cursor) = &cursor {
            command.args(["--cursor", cursor]);
        }
        let output = command.output().expect("list runs");
        assert!(output.status.success(), "the database does not open: {}", String::from_utf8_lossy(&output.stderr));
        let page: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let prompts = page["prompts"].as_array().expect("prompts");
        ids.extend(prompts.iter().map(|prompt| prompt["id"].as_str().expect("an id").to_owned()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return ids,
        }
    }
}

#[test]
fn a_kill_at_any_moment_loses_no_reported_variant_and_spares_the_database() {
    let home = Home::new();
    home.sim("paced", PACED);

    let whole = start(&home).wait_with_output().expect("a whole run");
    assert!(whole.status.success());
    let events = String::from_utf8(whole.stdout).expect("UTF-8").lines().count();
    assert!(events > VARIANTS * 3, "the run is too short to be interrupted: {events} events");

    let mut reported = BTreeSet::new();
    for kill in 0..KILLS {
        let mut child = start(&home);
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut lines = Vec::new();
        for _ in 0..events * kill / KILLS {
            let mut line = String::new();
            if stdout.read_line(&mut line).expect("a line") == 0 {
                break;
            }
            lines.push(line);
        }
        child.kill().expect("SIGKILL");
        child.wait().expect("reaped");
        // What was written before the kill counts as reported, too.
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).expect("UTF-8");
        lines.extend(rest.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(str::to_owned));
        reported.append(&mut finished_ids(&lines));

        let stored = stored_ids(&home);
        let lost: Vec<_> = reported.difference(&stored).collect();
        assert!(lost.is_empty(), "kill {kill} lost {lost:?}");
    }
    assert!(reported.len() > VARIANTS, "hardly anything was reported before the kills: {}", reported.len());
}

/// Starts this many processes on one database. All must succeed, and their prompts must be stored.
fn share_one_database(processes: usize) {
    let home = Home::new();
    let children: Vec<Child> = (0..processes)
        .map(|number| {
            home.command()
                .env("ALUDEL_GENERATION__DEFAULT_EMBEDDING_MODEL", "openai")
                .args(["generate", &format!("Describe town {number}"), "--count", "2", "--format", "json"])
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the program starts")
        })
        .collect();
    let mut made = BTreeSet::new();
    let mut failed = Vec::new();
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        if !output.status.success() {
            failed.push(String::from_utf8_lossy(&output.stderr).into_owned());
            continue;
        }
        let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let prompts = result["prompts"].as_array().expect("prompts");
        made.extend(prompts.iter().map(|prompt| prompt["id"].as_str().expect("an id").to_owned()));
    }
    let stored = stored_ids(&home);
    let lost: Vec<_> = made.difference(&stored).collect();
    assert!(lost.is_empty(), "exit 0, and not stored: {lost:?}");
    assert!(failed.is_empty(), "{} of {processes} failed: {}", failed.len(), failed[0]);
    assert_eq!((made.len(), stored.len()), (processes * 2, processes * 2));
}

#[test]
fn thirty_two_processes_share_one_database() {
    share_one_database(32);
}

/// Processes that only burn time, killed on drop.
struct Load(Vec<Child>);

impl Load {
    fn of(processes: usize) -> Self {
        let burn = || {
            let mut command = std::process::Command::new("sh");
            command.args(["-c", "while :; do :; done"]).stdin(Stdio::null()).stdout(Stdio::null());
            command.spawn().expect("a shell")
        };
        Self((0..processes).map(|_| burn()).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that has already ended is fine.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
#[ignore = "takes minutes: two hundred processes under a load of sixteen"]
fn two_hundred_processes_share_one_database_under_load() {
    let _load = Load::of(16);
    share_one_database(200);
}
