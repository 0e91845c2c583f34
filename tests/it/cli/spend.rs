//! What a run may cost: the caps of the command line, and the daily budget across processes.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Home, Said};

const PRICED: &str =
    "answer: {words: 40}\nprice: {input: 1.0, output: 10.0}\nusage: {input_tokens: 500, output_tokens: 40}\n";

/// A home with one priced provider, asked one call after the other.
fn home(script: &str, more: &str) -> Home {
    let home = Home::new();
    let path = home.write("lab.yaml", script);
    home.config(&format!(
        "providers:\n  lab: {{kind: sim, script: {}, max_retries: 0}}\ngeneration: {{use_parallel: false}}\n{more}",
        path.display()
    ));
    home
}

/// What was made so far is on standard output, why there is no more on standard error, and the code is that of the cap.
#[track_caller]
fn capped(said: &Said) -> Value {
    assert_eq!(said.code, 7, "{}", said.stderr);
    let problem = said.problem();
    assert_eq!((&problem["code"], &problem["status"]), (&json!("budget_exceeded"), &json!(422)));
    said.json()
}

#[test]
fn a_run_that_a_cap_stops_prints_and_keeps_what_it_made_and_ends_with_7() {
    let home = home(PRICED, "");
    let result = capped(&home.run(&["generate", "x", "--count", "3", "--max-calls", "4", "--format", "json"]));
    assert_eq!(result["prompts"].as_array().map(Vec::len), Some(1));
    assert_eq!(result["failures"].as_array().map(Vec::len), Some(2));
    let listed = home.run(&["list", "--format", "json"]).done().json();
    assert_eq!(listed["prompts"][0]["id"], result["prompts"][0]["id"]);

    let said = home.run(&["generate", "x", "--count", "3", "--max-calls", "4"]);
    assert_eq!(said.code, 7);
    assert!(said.stdout.contains("variant 2 failed"), "{}", said.stdout);
    assert!(said.stderr.contains("cap of 4 calls") && said.stderr.contains("max_calls"), "{}", said.stderr);
}

#[test]
fn a_run_that_cannot_begin_under_its_cap_says_so_and_ends_with_7() {
    let said = home(PRICED, "").run(&["generate", "x", "--budget-usd", "0.000001"]).failed(7);
    assert!(said.stderr.contains("budget of $0.000001") && said.stderr.contains("budget_usd"), "{}", said.stderr);
}

#[test]
fn a_judge_that_a_cap_stops_ends_with_7_too() {
    let home = home(PRICED, "");
    let arguments = ["generate", "x", "--count", "2", "--auto-select", "--max-calls", "6", "--format", "json"];
    let result = capped(&home.run(&arguments));
    assert_eq!((result["prompts"].as_array().map(Vec::len), &result["selected"]), (Some(2), &Value::Null));
    assert!(result["warnings"][0].as_str().expect("text").contains("the judge chose none"));
}

#[test]
fn an_unknown_price_is_refused_under_a_budget_unless_one_is_assumed() {
    let home = home("answer: {words: 40}\n", "");
    let said = home.run(&["generate", "x", "--count", "1", "--budget-usd", "1"]).failed(7);
    assert!(said.stderr.contains("assume_price"), "{}", said.stderr);
    home.run(&["generate", "x", "--count", "1", "--budget-usd", "1", "--assume-price", "5", "--quiet"]).quietly_done();
}

#[test]
fn two_processes_at_once_never_pass_the_daily_budget() {
    let home = home(PRICED, "spend: {daily_budget_usd: 0.03}\n");
    let start = || {
        let mut command = home.command();
        command.args(["generate", "x", "--count", "8", "--max-tokens", "40", "--format", "json"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let both = [start(), start()].map(|child| Said::from(child.wait_with_output().expect("it ends")));
    assert!(both.iter().any(|said| said.code == 7), "48 calls of 0.0009 pass 0.03: one of them must be stopped");
    #[expect(clippy::disallowed_methods, reason = "the test looks at what the processes left behind")]
    let connection = rusqlite::Connection::open(home.database()).expect("the database");
    let (calls, nanos): (i64, i64) = connection
        .query_row("SELECT count(*), sum(cost) FROM calls", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("the calls");
    assert_eq!(nanos, 900_000 * calls);
    assert!((20_000_000..=30_000_000).contains(&nanos), "{calls} calls, {nanos}");
}
