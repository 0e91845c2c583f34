//! `aludel jobs`: jobs of other processes, and jobs that can be resumed.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{CommandOutput, Home, cancelled_job};

/// Variant 0 finishes at once; the others finish their first phase and hang in the second.
const TWO_HANG: &str = "
answer: {text: 'made of {input}'}
price: {input: 1.0, output: 10.0}
usage: {input_tokens: 500, output_tokens: 40}
rules:
  - when: {variant: [1, 2], phase: solutio}
    fault: hang
";
const HEALTHY: &str = "
answer: {text: 'made of {input}'}
price: {input: 1.0, output: 10.0}
usage: {input_tokens: 500, output_tokens: 40}
";

fn start(home: &Home, arguments: &[&str]) -> Child {
    let mut command = home.command();
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status();
    assert!(status.expect("a shell").success());
}

fn jobs(home: &Home, more: &[&str]) -> Vec<Value> {
    let said = home.run(&[&["jobs", "--format", "json"], more].concat()).quietly_done();
    said.json()["jobs"].as_array().expect("jobs").clone()
}

/// Waits until the newest job satisfies the condition.
fn wait_for(home: &Home, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        if let Some(job) = jobs(home, &["--all"]).into_iter().next().filter(&is_so) {
            return job;
        }
        assert!(begun.elapsed() < Duration::from_secs(100), "waited for long: {what}");
        sleep(Duration::from_millis(20));
    }
}

fn calls(home: &Home) -> u64 {
    home.run(&["spend", "--format", "json"]).quietly_done().json()["total"]["calls"].as_u64().expect("a number")
}

/// A generation of three that hangs with one variant and two first steps done.
fn hanging(home: &Home) -> (Child, Value) {
    home.sim("sim", TWO_HANG);
    let child = start(home, &["generate", "A tale of three variants", "--tags", "tale"]);
    let job = wait_for(home, "the first variant", |job| job["done"] == 1);
    // The two steps are paid for, and recorded after the variant.
    let begun = Instant::now();
    while calls(home) < 5 {
        assert!(begun.elapsed() < Duration::from_mins(1), "the first steps");
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_millis(200));
    (child, job)
}

/// The stored prompts of the run, by variant.
fn stored(home: &Home) -> Vec<Value> {
    let list = home.run(&["list", "--format", "json"]).quietly_done().json();
    let mut prompts = list["prompts"].as_array().expect("prompts").clone();
    prompts.sort_by_key(|prompt| prompt["variant"].as_u64());
    prompts
}

/// Checks a job that was resumed and has finished: nothing paid for twice, nothing missing.
fn assert_made_whole(home: &Home, id: &str, resumed: &CommandOutput) {
    let result = resumed.json();
    assert_eq!(result["session_id"], id);
    assert_eq!(result["prompts"].as_array().map(Vec::len), Some(3));
    assert_eq!(result["rankings"].as_array().map(Vec::len), Some(3));
    let prompts = stored(home);
    let variants: Vec<&Value> = prompts.iter().map(|prompt| &prompt["variant"]).collect();
    assert_eq!(variants, [&json!(0), &json!(1), &json!(2)]);
    assert!(prompts.iter().all(|prompt| prompt["session_id"] == id && prompt["tags"] == json!(["tale"])));
    assert!(prompts.iter().all(|prompt| prompt["score"].is_number()));
    // Three phases each; a call in flight when the process ended is not recorded.
    let report = home.run(&["spend", "--by", "phase", "--format", "json"]).quietly_done().json();
    let answered: u64 = report["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .map(|line| line["calls"].as_u64().unwrap_or_default() - line["unseen"].as_u64().unwrap_or_default())
        .sum();
    assert_eq!(answered, 9, "{report}");
}

#[test]
fn what_a_killed_process_left_is_interrupted_and_made_whole_by_another() {
    let home = Home::new();
    let (mut child, job) = hanging(&home);
    assert_eq!((&job["state"], &job["operation"], &job["total"]), (&json!("running"), &json!("generate"), &json!(3)));
    assert_eq!((&job["about"], &job["kept"]), (&json!("A tale of three variants"), &json!(false)));
    let id = job["id"].as_str().expect("an id").to_owned();
    let refused = home.run(&["jobs", "resume", &id]).failed(1);
    assert!(
        refused.stderr.contains("works on it") && refused.stderr.contains("aludel jobs stop"),
        "{}",
        refused.stderr
    );
    child.kill().expect("it is there");
    child.wait().expect("it ends");

    // Its lease expires.
    wait_for(&home, "the lease", |job| job["state"] == "interrupted");
    let said = home.run(&["jobs", "follow", &id, "--quiet"]).failed(1);
    assert!(said.stderr.contains("is interrupted"), "{}", said.stderr);
    home.sim("sim", HEALTHY);
    let resumed = home.run(&["jobs", "resume", &id[id.len() - 8..], "--format", "json"]).done();
    assert_made_whole(&home, &id, &resumed);
    assert_eq!(jobs(&home, &[]), Vec::<Value>::new());
    let finished = jobs(&home, &["--state", "finished"]);
    assert_eq!((&finished[0]["id"], &finished[0]["attempt"], &finished[0]["done"]), (&json!(id), &json!(2), &json!(3)));
    home.run(&["jobs", "resume", &id]).failed(1);
}

#[test]
fn a_job_is_watched_and_stopped_from_elsewhere_and_taken_up_again() {
    let home = Home::new();
    let (child, job) = hanging(&home);
    let id = job["id"].as_str().expect("an id").to_owned();
    let mut watchers = [["0", "--quiet"], ["1", "--no-color"]]
        .map(|[from, more]| start(&home, &["jobs", "follow", &id, "--from", from, "--format", "jsonl", more]));
    let mut first = BufReader::new(watchers[0].stdout.take().expect("a pipe"));
    let mut line = String::new();
    first.read_line(&mut line).expect("a line");
    assert_eq!(serde_json::from_str::<Value>(&line).expect("JSON")["type"], "started");
    // A follower that leaves does not affect the job.
    let deserter = start(&home, &["jobs", "follow", &id]);
    sleep(Duration::from_millis(500));
    signal(&deserter, "INT");
    let deserted = deserter.wait_with_output().expect("it ends");
    assert_eq!(deserted.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&deserted.stderr).contains("the job goes on"));
    assert_eq!(jobs(&home, &[])[0]["state"], "running");

    let stopped = home.run(&["jobs", "stop", &id, "--format", "json"]).quietly_done().json();
    assert_eq!(stopped["state"], "stopping");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(&format!("aludel jobs resume {}", &id[id.len() - 8..])), "{said}");
    let rest: Vec<Value> =
        first.lines().map(|line| serde_json::from_str(&line.expect("a line")).expect("JSON")).collect();
    let types: Vec<&str> = rest.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!((types.first(), types.last()), (Some(&"variant_finished"), Some(&"cancelled")), "{types:?}");
    let numbers: Vec<u64> = rest.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert!(numbers.iter().copied().eq(1..=numbers.len() as u64), "{numbers:?}");
    let [second, third] = watchers;
    drop(second);
    let other = String::from_utf8(third.wait_with_output().expect("it ends").stdout).expect("UTF-8");
    let other: Vec<Value> = other.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(other, rest, "two watchers are told the same");

    home.sim("sim", HEALTHY);
    let resumed = home.run(&["jobs", "resume", &id, "--format", "json"]).done();
    assert_made_whole(&home, &id, &resumed);
    let events = home.run(&["jobs", "follow", &id, "--format", "jsonl"]).quietly_done();
    let last: Value = serde_json::from_str(events.stdout.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["type"], &last["result"]["session_id"]), (&json!("finished"), &json!(id)));
}

#[test]
fn a_job_that_is_resumed_counts_what_it_took_before() {
    let home = Home::new();
    home.sim("sim", TWO_HANG);
    let child = start(&home, &["generate", "A tale", "--max-calls", "10", "--max-tokens", "40"]);
    wait_for(&home, "the first variant", |job| job["done"] == 1);
    let begun = Instant::now();
    while calls(&home) < 5 {
        assert!(begun.elapsed() < Duration::from_mins(1), "the first steps");
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_millis(200));
    signal(&child, "INT");
    child.wait_with_output().expect("it ends");
    // Two calls were cut off, so seven of ten are used, and four are needed.
    let taken = calls(&home);
    assert_eq!(taken, 7);
    home.sim("sim", HEALTHY);
    let said = home.run(&["jobs", "resume", "@last"]);
    assert_eq!(said.code, 7, "{}", said.stderr);
    assert!(said.stderr.contains("cap of 10 calls"), "{}", said.stderr);
    assert_eq!((calls(&home), stored(&home).len()), (9, 2), "the cap is that of the whole job");
}

#[test]
fn what_needs_no_provider_leaves_no_job() {
    let home = Home::new();
    home.run(&["generate", "Name a boat"]).done();
    assert_eq!(jobs(&home, &["--all"]), Vec::<Value>::new());
    let said = home.run(&["jobs"]).done();
    assert!(said.stdout.is_empty() && said.stderr.contains("no job is running"), "{said:?}");
}

#[test]
fn a_job_that_is_not_there_is_not_found_and_a_bad_id_is_refused() {
    let home = Home::new();
    for command in ["show", "follow", "stop", "resume"] {
        home.run(&["jobs", command, "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21"]).failed(5);
        home.run(&["jobs", command, "@last"]).failed(5);
        let said = home.run(&["jobs", command, "xyz"]).failed(2);
        assert!(said.stderr.contains("is not a job id"), "{}", said.stderr);
        home.run(&["jobs", command]).failed(2);
    }
    home.run(&["jobs", "--state", "lost"]).failed(2);
    home.run(&["jobs", "--limit", "0"]).failed(2);
}

#[test]
fn a_job_is_shown_with_what_to_do_next() {
    let home = Home::new();
    let id = cancelled_job(&home.database(), "a process", "Name a boat").to_string();
    let short = &id[id.len() - 8..];
    let said = home.run(&["jobs"]).quietly_done().stdout;
    assert!(said.contains(short) && said.contains("cancelled") && said.contains("0 of 2"), "{said}");
    assert_eq!(home.run(&["jobs", "--quiet"]).quietly_done().stdout.trim(), id);
    let said = home.run(&["jobs", "show", short]).quietly_done().stdout;
    assert!(said.contains("Name a boat") && said.contains(&format!("aludel jobs resume {short}")), "{said}");
    let details = home.run(&["jobs", "show", short, "--format", "json"]).quietly_done().json();
    assert_eq!((&details["request"]["input"], &details["result"]), (&json!("Name a boat"), &Value::Null));
    home.run(&["jobs", "resume", short]).done();
    let details = home.run(&["jobs", "show", short, "--format", "json"]).quietly_done().json();
    assert_eq!(
        (&details["state"], details["result"]["prompts"].as_array().map(Vec::len)),
        (&json!("finished"), Some(2))
    );
}
