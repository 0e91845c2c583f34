//! `judge audit --labels`, end to end: a person's choices, the output, and errors.

use serde_json::{Value, json};

use crate::support::{Home, worse_marks};

/// A home whose judge prefers texts marked as good, and the ids of a good and a bad prompt.
fn home() -> (Home, [String; 2]) {
    let home = Home::new();
    let marks = worse_marks();
    let script =
        format!("seed: 3\nanswer: echo\njudge: {{quality_spread: 0, markers: {{\"[bad]\": -1.6, {marks}}}}}\n");
    home.sim("lab", &script);
    let made = |idea: &str| {
        let made = home.run(&["generate", idea, "--count", "1", "--format", "json"]).done().json();
        made["prompts"][0]["id"].as_str().expect("an id").to_owned()
    };
    let ids = [made("Name a boat"), made("Name a boat [bad]")];
    (home, ids)
}

fn line(a: &str, b: &str, choice: &str) -> String {
    json!({ "a": a, "b": b, "choice": choice, "task": "Name a boat" }).to_string() + "\n"
}

fn texts(number: usize, choice: &str) -> String {
    let b = format!("Name ship {number} [bad]");
    json!({ "a_text": format!("Name ship {number}"), "b_text": b, "choice": choice, "task": "Name a ship" }).to_string()
        + "\n"
}

#[test]
fn a_judge_is_held_against_labels_and_both_are_kept() {
    let (home, [good, bad]) = home();
    let lines: String = (0..10).map(|number| texts(number, "a")).collect();
    home.write("mine.jsonl", line(&good[good.len() - 8..], &bad, "a") + &line(&bad, &good, "a") + &lines);
    let said = home.run(&["judge", "audit", "--labels", "mine.jsonl", "--format", "json"]).done();
    let profile = said.json();
    assert_eq!((&profile["asked"], &profile["labels"]["pairs"]), (&json!(90), &json!(12)), "the test came first");
    assert_eq!(profile["labels"]["model_metadata"]["calls"], 24, "each pair in both orders");
    let share = profile["labels"]["agreement"].as_f64().expect("a share");
    assert!((share - 11.0 / 12.0).abs() < 1e-9, "{profile:#}");
    assert_eq!(profile["labels"]["observations"].as_array().map(Vec::len), Some(12));
    assert!(!said.stderr.contains("wide"), "{}", said.stderr);

    // The test is not repeated, and the text only shows the labels.
    let calls = || home.run(&["spend", "--format", "json"]).done().json()["total"]["calls"].clone();
    let before = calls();
    let text = home.run(&["judge", "audit", "lab", "--labels", "mine.jsonl"]).done().stdout;
    assert_eq!(calls().as_u64().zip(before.as_u64()).map(|(after, before)| after - before), Some(24));
    for part in ["It agrees with you in 92 % of 12 pairs", "90 % confidence", "Cohen's kappa", "margin", "Calibration"]
    {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert!(!text.contains("sensitivity"), "{text}");
    let listed = home.run(&["judge", "audit", "--list"]).done().stdout;
    assert!(listed.contains("agrees") && listed.contains("92 %"), "{listed}");
    // A new test still shows them.
    let text = home.run(&["judge", "audit"]).done().stdout;
    assert!(text.contains("sensitivity") && text.contains("It agrees with you in 92 %"), "{text}");
}

#[test]
fn few_labels_are_said_to_be_few_and_csv_does_as_well() {
    let (home, [good, bad]) = home();
    home.write("mine.csv", format!("a,b,choice,task\n{good},{bad},a,Name a boat\n"));
    let said = home.run(&["judge", "audit", "--labels", "mine.csv", "--format", "jsonl"]).done();
    assert!(said.stderr.contains("fewer than 10 labelled pairs were answered (1)"), "{}", said.stderr);
    let profile: Value = serde_json::from_str(said.stdout.trim()).expect("a line of JSON");
    assert_eq!(profile["labels"]["pairs"], 1);
}

#[test]
fn what_cannot_be_used_is_refused_before_anything_is_asked() {
    let (home, [good, bad]) = home();
    let failed = |text: &str, part: &str| {
        home.write("mine.jsonl", text);
        let said = home.run(&["judge", "audit", "--labels", "mine.jsonl"]).failed(1);
        assert!(said.stderr.contains("mine.jsonl") && said.stderr.contains(part), "no {part} in {}", said.stderr);
    };
    failed("", "it holds no labels");
    failed(&(texts(1, "a") + &line(&good, &bad, "c")), "line 2: choice: is `c`");
    failed(&line(&good, "7a3f9c217a3f", "a"), "line 1: b: no stored prompt matches");
    failed(&line(&good, &good, "a"), "line 1: a and b are the same text");
    let said = home.run(&["judge", "audit", "--labels", "nowhere.jsonl"]).failed(1);
    assert!(said.stderr.contains("nowhere.jsonl") && said.stderr.contains("no such file"), "{}", said.stderr);
    home.run(&["judge", "audit", "--list", "--labels", "mine.jsonl"]).failed(2);
    assert_eq!(home.run(&["judge", "audit", "--list", "--format", "json"]).done().json(), json!([]));
}

#[test]
fn a_cap_ends_it_and_keeps_the_test_without_labels() {
    let (home, _) = home();
    home.write("mine.jsonl", (0..10).map(|number| texts(number, "a")).collect::<String>());
    home.run(&["judge", "audit", "--labels", "mine.jsonl", "--max-calls", "100"]).failed(7);
    let listed = home.run(&["judge", "audit", "--list", "--format", "json"]).done().json();
    assert_eq!((&listed[0]["asked"], &listed[0]["labels"]), (&json!(90), &Value::Null));
}
