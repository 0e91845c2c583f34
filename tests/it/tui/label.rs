//! Labelling pairs in the workbench, and measuring a judge by them.

use std::fs;

use serde_json::Value;

use super::Pty;
use crate::support::Home;

fn labels(home: &Home) -> Vec<Value> {
    let text = fs::read_to_string(home.data().join("labels.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn labels_are_on_the_disk_at_once_and_a_judge_is_measured_by_them() {
    let home = Home::new();
    home.run(&["generate", "Plan a trip to the sea", "--count", "3", "--quiet"]).done();
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.send("\u{1b}");
    pty.wait_for("i input");
    pty.send("B");
    pty.wait_for("1 of 3");
    pty.wait_for("Plan a trip to the sea");
    pty.send("h");
    pty.wait_for("2 of 3");
    assert_eq!(labels(&home).len(), 1);
    pty.send("\u{1b}[B");
    pty.wait_for("3 of 3");
    pty.send("u");
    pty.wait_for("2 of 3");
    assert_eq!(labels(&home).len(), 1, "the last one is taken back");
    pty.send("l");
    pty.wait_for("3 of 3");
    pty.send("s");
    pty.wait_for("Done: 2 labelled, 1 skipped");
    pty.wait_for("aludel judge audit --labels");
    let kept = labels(&home);
    assert_eq!(kept.iter().map(|label| label["choice"].as_str()).collect::<Vec<_>>(), [Some("a"), Some("b")]);
    assert!(kept[0]["a_text"].as_str().is_some_and(|text| !text.is_empty()), "{kept:#?}");

    let path = home.data().join("labels.jsonl");
    let path = path.to_str().expect("UTF-8");
    let profile = home.run(&["judge", "audit", "builtin", "--labels", path, "--format", "json"]).done().json();
    assert_eq!(profile["labels"]["pairs"], 2);
}
