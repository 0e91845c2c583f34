//! Spending limits: the caps of the command line, and the daily budget across processes.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{CommandOutput, Home};

const PRICED: &str =
    "answer: {words: 40}\nprice: {input: 1.0, output: 10.0}\nusage: {input_tokens: 500, output_tokens: 40}\n";

/// A home with one priced provider, called sequentially.
fn home(script: &str, more: &str) -> Home {
    let home = Home::new();
    let path = home.write("lab.yaml", script);
    home.config(&format!(
        "providers:\n  lab: {{kind: sim, script: {}, max_retries: 0}}\ngeneration: {{use_parallel: false}}\n{more}",
        path.display()
    ));
    home
}

/// Asserts prompts on standard output, the reason on standard error and the cap's exit code.
#[track_caller]
fn capped(said: &CommandOutput) -> Value {
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
    assert!(said.stderr.contains("variant 2 failed"), "{}", said.stderr);
    assert!(said.stderr.contains("cap of 4 calls") && said.stderr.contains("max_calls"), "{}", said.stderr);
}

#[test]
fn a_run_that_cannot_begin_under_its_cap_says_so_and_ends_with_7() {
    let said = home(PRICED, "").run(&["generate", "x", "--budget-usd", "0.000001"]).failed(7);
    assert!(said.stderr.contains("budget of $0.000001") && said.stderr.contains("budget_usd"), "{}", said.stderr);
}

#[test]
fn a_cap_that_is_too_low_for_the_judge_of_all_leaves_fewer_to_choose_among() {
    let home = home(PRICED, "");
    let arguments = ["generate", "x", "--count", "2", "--auto-select", "--max-calls", "7", "--format", "json"];
    let result = capped(&home.run(&arguments));
    assert_eq!(result["prompts"].as_array().map(Vec::len), Some(1));
    assert!(!result["selected"].is_null(), "{result}");
    let warnings = result["warnings"].as_array().expect("warnings");
    assert!(warnings.iter().any(|said| said.as_str().expect("text").contains("buys 1 of 2")), "{warnings:?}");
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
    let both = [start(), start()].map(|child| CommandOutput::from(child.wait_with_output().expect("it ends")));
    assert!(both.iter().any(|said| said.code == 7), "48 calls of 0.0009 pass 0.03: one of them must be stopped");
    let report = home.run(&["spend", "--format", "json"]).quietly_done().json();
    let spent = report["total"]["cost_usd"].as_f64().expect("a sum");
    let calls = report["total"]["calls"].as_u64().expect("calls");
    assert!((spent - calls as f64 * 0.0009).abs() < 1e-9, "{report}");
    assert!((0.02..=0.03).contains(&spent), "{report}");
    let left = report["caps"]["left_today_usd"].as_f64().expect("a rest");
    assert!(left >= 0.0 && (left + spent - 0.03).abs() < 1e-9, "{report}");
}

#[test]
fn spending_is_added_up_in_every_format_and_outlives_its_prompts() {
    let home = home(PRICED, "");
    home.run(&["generate", "x", "--count", "2", "--tags", "a,b"]).done();
    home.run(&["generate", "x", "--count", "1", "--phases", "solutio"]).done();
    home.run(&["delete", "--all", "--yes"]).done();
    let keys = |by: &str| {
        let report = home.run(&["spend", "--by", by, "--format", "json"]).quietly_done().json();
        assert_eq!((&report["by"], &report["total"]["calls"]), (&json!(by), &json!(7)));
        let lines = report["lines"].as_array().expect("lines").clone();
        lines
            .into_iter()
            .map(|line| (line["key"].as_str().expect("text").to_owned(), line["calls"].clone()))
            .collect::<Vec<_>>()
    };
    let rows =
        |rows: &[(&str, u64)]| rows.iter().map(|(key, calls)| ((*key).to_owned(), json!(calls))).collect::<Vec<_>>();
    assert_eq!(keys("phase"), rows(&[("solutio", 3), ("coagulatio", 2), ("prima-materia", 2)]));
    assert_eq!(keys("tag"), rows(&[("a", 6), ("b", 6), ("", 1)]));
    assert_eq!(keys("command"), rows(&[("generate", 7)]));
    assert_eq!(keys("model"), rows(&[("sim-1", 7)]));
    assert_eq!(keys("provider"), rows(&[("lab", 7)]));
    assert_eq!(keys("day").len(), 1);

    let text = home.run(&["spend"]).quietly_done().stdout;
    assert!(text.contains("$0.0063") && text.contains("no daily budget is set"), "{text}");
    assert_eq!(home.run(&["spend", "--format", "jsonl", "--by", "tag"]).quietly_done().json_lines().len(), 3);
    assert!(home.run(&["spend", "--format", "csv"]).quietly_done().stdout.starts_with("day,calls,"));
    assert!(home.run(&["spend", "--format", "markdown"]).quietly_done().stdout.starts_with("# Spending by day"));
    assert!(home.run(&["spend", "--format", "yaml"]).quietly_done().stdout.contains("known_cost_usd:"));
    assert!(!home.run(&["spend", "--quiet"]).quietly_done().stdout.contains("budget"));
    let none = home.run(&["spend", "--until", "2020-01-01", "--format", "json"]).quietly_done().json();
    assert_eq!((&none["lines"], &none["total"]["cost_usd"]), (&json!([]), &json!(0.0)));
}

#[test]
fn what_is_free_and_local_is_not_spending_and_looking_makes_no_file() {
    let home = Home::new();
    let said = home.run(&["spend"]).quietly_done();
    assert!(said.stdout.starts_with("no paid calls yet"), "{}", said.stdout);
    assert!(!home.database().exists());
    home.run(&["generate", "x", "--count", "1"]).done();
    assert_eq!(home.run(&["spend", "--format", "json"]).quietly_done().json()["total"]["calls"], 0);
    for (option, value, code) in [("--by", "colour", "validation_failed"), ("--since", "soon", "validation_failed")] {
        let problem = home.run(&["spend", option, value, "--format", "json"]).failed(2).problem();
        assert_eq!(problem["code"], code);
    }
}

#[test]
fn an_unknown_cost_is_said_and_never_guessed() {
    let home = home("answer: {words: 40}\n", "");
    home.run(&["generate", "x", "--count", "1"]).done();
    let total = home.run(&["spend", "--format", "json"]).quietly_done().json()["total"].clone();
    assert_eq!(
        (&total["cost_usd"], &total["unpriced"], &total["known_cost_usd"]),
        (&Value::Null, &json!(3), &json!(0.0))
    );
    let text = home.run(&["spend"]).quietly_done().stdout;
    assert!(text.contains("3 calls went to models whose price is unknown"), "{text}");
}

#[test]
fn a_run_that_may_cost_more_than_passes_without_asking_needs_a_yes_or_a_budget() {
    let home = home(PRICED, "spend: {preflight_usd: 0.1}\n");
    let said = home.run(&["generate", "x"]).failed(7);
    assert!(said.stderr.contains("9 calls") && said.stderr.contains("--yes"), "{}", said.stderr);
    assert!(!home.database().exists(), "something was stored");
    home.run(&["generate", "x", "--yes", "--quiet"]).quietly_done();
    home.run(&["generate", "x", "--budget-usd", "1", "--quiet"]).quietly_done();
    home.run(&["generate", "x", "--count", "1", "--phases", "solutio", "--quiet"]).quietly_done();
    let calls = home.run(&["spend", "--format", "json"]).done().json()["total"]["calls"].clone();
    assert_eq!(calls, 19);
}
