//! `compare` and `judge audit`, end to end: the output in every format, and exit codes.

use serde_json::{Value, json};

use crate::support::{Home, worse_marks};

const FAIR: &str = "seed: 3\nanswer: echo\njudge: {quality_spread: 2}\n";

/// A home with three prompts of one input, and their ids.
fn filled() -> (Home, Vec<String>) {
    let home = Home::new();
    home.sim("lab", FAIR);
    let made = home.run(&["generate", "Name a boat", "--format", "json"]).done().json();
    let ids = made["prompts"].as_array().expect("prompts").iter();
    (home, ids.map(|prompt| prompt["id"].as_str().expect("an id").to_owned()).collect())
}

fn short(id: &str) -> &str {
    &id[id.len() - 8..]
}

#[test]
fn two_prompts_are_compared_in_every_format_and_no_model_is_asked() {
    let (home, ids) = filled();
    let spent = home.run(&["spend", "--format", "json"]).done().json();
    let compare = |options: &[&str]| home.run(&[&["compare", short(&ids[0]), &ids[1]], options].concat());
    let result = compare(&["--format", "json"]).done().json();
    assert_eq!((&result["prompts"][0]["id"], &result["prompts"][1]["id"]), (&json!(ids[0]), &json!(ids[1])));
    let text_of = |other: &str| -> String {
        let parts = result["diff"].as_array().expect("a difference").iter();
        parts.filter(|part| part["op"] != other).map(|part| part["text"].as_str().expect("a text")).collect()
    };
    assert_eq!(text_of("insert"), result["prompts"][0]["content"]);
    assert_eq!(text_of("delete"), result["prompts"][1]["content"]);
    assert_eq!(result["scores"]["score"].as_array().expect("scores").len(), 2);
    assert_eq!(result["selection"], Value::Null);

    let text = compare(&[]).done().stdout;
    assert!(text.contains("word by word") && text.contains(short(&ids[1])) && text.contains(" │ "), "{text}");
    let html = compare(&["--format", "html"]).done().stdout;
    assert!(html.starts_with("<!doctype html>") && html.contains("<ins>"), "{html}");
    assert!(compare(&["--format", "markdown"]).done().stdout.contains("```diff\n@@"));
    assert!(compare(&["--format", "yaml"]).done().stdout.contains("similarity:"));
    assert_eq!(compare(&["--format", "jsonl"]).done().json_lines().len(), 1);
    assert_eq!(home.run(&["spend", "--format", "json"]).done().json()["total"], spent["total"]);
}

#[test]
fn with_a_task_the_judge_says_which_is_best_and_why_tells_it_later() {
    let (home, ids) = filled();
    let all: Vec<&str> = ids.iter().map(String::as_str).collect();
    let compare =
        |options: &[&str]| home.run(&[&["compare"], &all[..], &["--task", "Name a red boat"], options].concat());
    let result = compare(&["--format", "json"]).done().json();
    assert_eq!(result["diff"], Value::Null);
    let winner = result["selection"]["prompt"]["id"].as_str().expect("a winner").to_owned();
    assert_eq!(result["selection"]["comparisons"].as_array().expect("comparisons").len(), 3);
    let text = compare(&[]).done().stdout;
    assert!(text.contains("how sure") && text.contains("by this judge"), "{text}");
    assert!(compare(&["--format", "markdown"]).done().stdout.contains("## The judge"));
    let why = home.run(&["why", &winner, "--format", "json"]).done().json();
    assert_eq!(why["judgements"][0]["operation"], "compare");
}

#[test]
fn what_cannot_be_compared_is_said_with_the_field() {
    let (home, ids) = filled();
    let nobody = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21";
    let failed = |arguments: &[&str], code: i32| {
        home.run(&[&["compare", "--format", "json"], arguments].concat()).failed(code).problem()
    };
    let field = |arguments: &[&str]| failed(arguments, 2)["errors"][0]["field"].clone();
    assert_eq!(field(&[&ids[0]]), "prompt_ids");
    assert_eq!(field(&[&ids[0], &ids[0]]), "prompt_ids[1]");
    assert_eq!(field(&[&ids[0], short(&ids[0])]), "prompt_ids[1]");
    assert_eq!(field(&[&ids[0], &ids[1], "--task", " "]), "task_description");
    assert_eq!(field(&[&ids[0], &ids[1], "--thorough"]), "thorough");
    assert_eq!(field(&[&ids[0], &ids[1], "--criteria", "./tone.yaml"]), "criteria");
    assert_eq!(field(&[&ids[0], &ids[1], "--task", "x", "--judge-provider", "nobody"]), "judge_provider[0]");
    assert!(failed(&[&ids[0], nobody], 5)["detail"].as_str().is_some_and(|detail| detail.contains(nobody)));
}

#[test]
fn a_judge_is_tested_listed_and_its_age_shown_with_a_choice() {
    let (home, ids) = filled();
    home.sim("lab", &format!("seed: 3\nanswer: echo\njudge: {{quality_spread: 0, markers: {{{}}}}}\n", worse_marks()));
    assert_eq!(home.run(&["judge", "audit", "--list", "--format", "json"]).done().json(), json!([]));
    let profile = home.run(&["judge", "audit", "--format", "json"]).done().json();
    assert_eq!(profile["judge"], json!({ "provider": "lab", "model": "sim-1" }));
    assert_eq!((&profile["asked"], &profile["missing"]), (&json!(90), &json!(0)));
    assert_eq!(profile["model_metadata"]["calls"], 96, "six texts of its own, and ninety questions");
    let help = home.run(&["judge", "audit", "--help"]).done().stdout;
    assert!(help.contains("\n96 short calls"), "{help}");
    assert!(profile["usable"] == true && profile["calibration"]["signal"].is_number(), "{profile:#}");
    let listed = home.run(&["judge", "audit", "--list"]).done().stdout;
    assert!(listed.contains("lab/sim-1") && listed.contains("now"), "{listed}");
    let selected = home.run(&["select", &ids[0], &ids[1], "--format", "json"]).done().json();
    assert!(selected["audit_age_days"].as_f64().expect("an age") < 1.0, "{selected}");
}

#[test]
fn builtin_is_tested_too_and_a_cap_keeps_nothing() {
    let home = Home::new();
    let text = home.run(&["judge", "audit", "builtin"]).done().stdout;
    for part in ["judge builtin", "position", "sensitivity", "robustness"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let (home, _) = filled();
    home.run(&["judge", "audit", "--max-calls", "10"]).failed(7);
    assert_eq!(home.run(&["judge", "audit", "--list", "--format", "json"]).done().json(), json!([]));
}

#[test]
fn a_judge_that_is_not_usable_is_put_out_kept_and_a_failure() {
    let (home, _) = filled();
    home.sim("lab", "answer: echo\njudge: {always: first}\n");
    let said = home.run(&["judge", "audit", "--format", "json"]);
    assert_eq!(said.code, 1, "{}", said.stderr);
    let profile = said.json();
    assert!(profile["usable"] == false && profile["position_bias"] == 1.0, "{profile:#}");
    let said = home.run(&["judge", "audit"]);
    assert_eq!(said.code, 1, "{}", said.stderr);
    assert!(said.stdout.contains("do not use it") && said.stdout.contains("0 of 12 comparisons"), "{}", said.stdout);
    let listed = home.run(&["judge", "audit", "--list", "--format", "json"]).done().json();
    assert_eq!(listed[0]["usable"], false);
}

#[test]
fn a_test_that_brings_nothing_ends_early_and_keeps_nothing() {
    let (home, _) = filled();
    home.sim("lab", "answer: echo\nrules: [{when: {role: judge}, answer: {text: I will not answer that}}]\n");
    let before = home.run(&["spend", "--format", "json"]).done().json()["total"]["calls"].as_u64();
    let said = home.run(&["judge", "audit"]).failed(6);
    for part in ["lab/sim-1", "valid verdict", "it began `I will not answer that`"] {
        assert!(said.stderr.contains(part), "no {part} in {}", said.stderr);
    }
    let after = home.run(&["spend", "--format", "json"]).done().json()["total"]["calls"].as_u64();
    // Six texts of its own; eight questions with a repair each, and those that were in flight.
    assert!(after.zip(before).is_some_and(|(after, before)| after - before < 40), "{before:?} {after:?}");
    home.sim("lab", "rules: [{fault: auth}]\n");
    home.run(&["judge", "audit"]).failed(6);
    assert_eq!(home.run(&["judge", "audit", "--list", "--format", "json"]).done().json(), json!([]));
}
