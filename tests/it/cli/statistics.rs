//! Measuring what is stored: totals in every format, prompts alone and together.

use serde_json::{Value, json};

use crate::support::Home;

const SCRIPT: &str =
    "answer: {words: 40}\nprice: {input: 1.0, output: 10.0}\nusage: {input_tokens: 500, output_tokens: 40}\n";

/// A home with three priced prompts, seven steps in all, and one of the embedded writer.
fn filled() -> Home {
    let home = Home::new();
    home.sim("lab", SCRIPT);
    home.run(&["generate", "x", "--count", "2", "--tags", "a,b"]).done();
    home.run(&["generate", "y", "--count", "1", "--phases", "solutio"]).done();
    home.run(&["generate", "z", "--count", "1", "--phases", "solutio", "--provider", "builtin"]).done();
    home
}

fn lines(report: &Value, group: usize) -> Vec<(String, u64, u64)> {
    let lines = report["groups"][group]["lines"].as_array().expect("lines");
    let number = |line: &Value, name: &str| line[name].as_u64().expect("a count");
    lines
        .iter()
        .map(|line| (line["key"].as_str().expect("text").to_owned(), number(line, "prompts"), number(line, "steps")))
        .collect()
}

#[test]
fn totals_are_told_by_every_key_and_in_every_format() {
    let home = filled();
    let by = "day,phase,provider,model,persona,tag";
    let report = home.run(&["stats", "--by", by, "--format", "json"]).quietly_done().json();
    let total = &report["total"];
    assert_eq!((&total["prompts"], &total["steps"], &total["unpriced"]), (&json!(4), &json!(8), &json!(0)));
    assert!((total["cost_usd"].as_f64().expect("a cost") - 7.0 * 0.0009).abs() < 1e-6, "{total}");
    assert_eq!(lines(&report, 0).len(), 1);
    let rows = |rows: &[(&str, u64, u64)]| rows.iter().map(|it| (it.0.to_owned(), it.1, it.2)).collect::<Vec<_>>();
    assert_eq!(lines(&report, 1), rows(&[("prima-materia", 2, 2), ("solutio", 4, 4), ("coagulatio", 2, 2)]));
    assert_eq!(lines(&report, 2), rows(&[("lab", 3, 7), ("builtin", 1, 1)]));
    assert_eq!(lines(&report, 5), rows(&[("a", 2, 6), ("b", 2, 6), ("", 2, 2)]));

    let text = home.run(&["stats"]).quietly_done().stdout;
    assert!(text.contains("4 prompts · 8 steps") && text.contains("by model") && text.contains("p95"), "{text}");
    assert!(!home.run(&["stats", "--quiet", "--by", "tag"]).quietly_done().stdout.contains("stored"));
    let json_lines = home.run(&["stats", "--by", by, "--format", "jsonl"]).quietly_done().json_lines();
    let csv = home.run(&["stats", "--by", by, "--format", "csv"]).quietly_done().stdout;
    assert_eq!((json_lines.len(), csv.lines().count()), (12, 13));
    assert_eq!((&json_lines[1]["by"], &json_lines[1]["key"]), (&json!("phase"), &json!("prima-materia")));
    assert!(csv.starts_with("by,key,prompts,") && csv.contains("\nprovider,lab,3,7,"), "{csv}");
    assert!(home.run(&["stats", "--format", "markdown"]).quietly_done().stdout.starts_with("# Stored prompts"));
    assert!(home.run(&["stats", "--format", "yaml"]).quietly_done().stdout.contains("first_token_ms:"));
}

#[test]
fn totals_are_of_what_is_stored_and_spending_is_not() {
    let home = filled();
    let total = |options: &[&str]| {
        home.run(&[&["stats", "--format", "json"], options].concat()).quietly_done().json()["total"]["steps"].clone()
    };
    assert_eq!((total(&["--tags", "a"]), total(&["--provider", "builtin"])), (json!(6), json!(1)));
    assert_eq!((total(&["--since", "1h"]), total(&["--until", "2020-01-01"])), (json!(8), json!(0)));
    let said = home.run(&["stats", "--tags", "nobody"]).done();
    assert!(said.stdout.is_empty() && said.stderr.contains("matches these filters"), "{}", said.stderr);
    home.run(&["delete", "--all", "--yes"]).done();
    assert_eq!(total(&[]), json!(0));
    assert_eq!(home.run(&["spend", "--format", "json"]).done().json()["total"]["calls"], 7);
    for (options, field) in [(["--by", "colour"], "by[0]"), (["--limit", "0"], "limit")] {
        let arguments = [&["stats", "--format", "json"][..], &options].concat();
        assert_eq!(home.run(&arguments).failed(2).problem()["errors"][0]["field"], field);
    }
}

#[test]
fn one_prompt_is_measured_in_depth_and_several_together() {
    let home = filled();
    let listed = home.run(&["list", "--format", "json", "--tags", "a"]).done().json();
    let prompt = &listed["prompts"][0];
    let id = prompt["id"].as_str().expect("an id");
    home.run(&["update", id, "--content", "Say it in other words", "--quiet"]).done();
    let report = home.run(&["metrics", id, "--format", "json"]).quietly_done().json();
    let one = &report["prompts"][0];
    assert_eq!((&one["prompt_id"], &one["score"], &one["ranked"]), (&prompt["id"], &prompt["score"], &json!(2)));
    assert_eq!(
        (&one["model_metadata"], one["children"].as_array().map(Vec::len)),
        (&prompt["model_metadata"], Some(1))
    );
    assert_eq!(report["summary"]["total"]["prompts"], 1);
    let text = home.run(&["metrics", &id[id.len() - 8..]]).quietly_done().stdout;
    assert!(text.contains("of 2 in its run") && text.contains("coverage") && text.contains("solutio"), "{text}");
    let child = home.run(&["metrics", "@last", "--format", "json"]).quietly_done().json();
    assert_eq!((&child["prompts"][0]["parent_id"], &child["prompts"][0]["rank"]), (&json!(id), &Value::Null));

    let several = home.run(&["metrics", "--limit", "3", "--format", "json"]).quietly_done().json();
    assert_eq!((&several["summary"]["matched"], &several["summary"]["measured"]), (&json!(5), &json!(3)));
    let text = home.run(&["metrics", "--limit", "3"]).quietly_done().stdout;
    assert!(text.contains("3 prompts measured, the newest of 5") && text.contains("median"), "{text}");
    let csv = home.run(&["metrics", "--format", "csv"]).quietly_done().stdout;
    assert_eq!(csv.lines().count(), 6);
    assert_eq!(home.run(&["metrics", "--format", "jsonl"]).quietly_done().json_lines().len(), 5);
    assert!(home.run(&["metrics", "@last", "--format", "markdown"]).quietly_done().stdout.starts_with("# Metrics of"));

    home.run(&["metrics", "nonsense"]).failed(2);
    home.run(&["metrics", "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21"]).failed(5);
    let both = home.run(&["metrics", id, "--tags", "a", "--format", "json"]).failed(2).problem();
    assert_eq!(both["errors"][0]["field"], "prompt_ids");
}
