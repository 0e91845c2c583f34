//! Stored prompts in the workbench: list, search, open, change.

use super::Pty;
use crate::support::Home;

/// A home with three stored prompts of known words.
fn home_with_prompts() -> Home {
    let home = Home::new();
    home.sim("model", "answer: {text: \"Summarise the quarterly ledger for auditors.\"}\n");
    home.run(&["generate", "ledger summary", "--count", "1", "--tags", "money"]).done();
    home.sim("model", "answer: {text: \"Review the lighthouse keeper's poem.\"}\n");
    home.run(&["generate", "poem review", "--count", "1", "--tags", "verse"]).done();
    home.sim("model", "answer: {text: \"Translate the ferry timetable.\"}\n");
    home.run(&["generate", "timetable", "--count", "1"]).done();
    home
}

fn history(home: &Home) -> Pty {
    let mut pty = Pty::workbench(home);
    pty.wait_for("Nothing here yet");
    pty.send("\u{1b}5");
    pty.wait_for("Search [text]");
    pty
}

fn gone(pty: &mut Pty, text: &str) {
    pty.wait_until(&format!("no {text}"), |screen| !screen.contents().contains(text));
}

#[test]
fn what_a_run_finishes_is_listed_and_the_run_goes_on_meanwhile() {
    let home = Home::new();
    home.sim("model", "answer: {words: 40}\npacing: {first_token_ms: 100, tokens_per_s: 100}\n");
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.type_text("Review pull requests");
    pty.send("\n");
    pty.wait_for("prima-materia ~");
    pty.send("5");
    pty.wait_for("Nothing is stored yet");
    pty.wait_for("live");
    pty.wait_for("3 prompts");
    pty.send("1");
    pty.wait_for("★");
    pty.wait_for("Review pull requests");
}

#[test]
fn what_is_stored_is_found_by_its_words_and_opened() {
    let home = home_with_prompts();
    let mut pty = history(&home);
    pty.wait_for("3 prompts");
    pty.send("/");
    pty.type_text("lighthouse");
    pty.wait_for("1 found");
    gone(&mut pty, "ferry timetable");
    pty.send("\r");
    pty.wait_for("open");
    pty.send("\r");
    pty.wait_for("its request is in the input");
    pty.wait_for("poem review");
}

#[test]
fn filters_are_typed_and_a_fault_is_said_beside_the_box() {
    let home = home_with_prompts();
    let mut pty = history(&home);
    pty.wait_for("3 prompts");
    pty.send("/");
    pty.type_text("tag:money");
    pty.wait_for("1 prompt ");
    pty.wait_for("quarterly ledger");
    pty.send("\u{15}");
    pty.type_text("since:someday");
    pty.wait_for("`someday` is not a date or time");
    assert!(pty.screen().contains("since:someday"));
}

#[test]
fn a_prompt_is_tagged_and_another_deleted() {
    let home = home_with_prompts();
    let mut pty = history(&home);
    pty.wait_for("3 prompts");
    pty.wait_for("ferry timetable");
    pty.send("t");
    pty.wait_for("labels, by commas");
    pty.type_text("sea,travel");
    pty.send("\r");
    pty.wait_for("changed");
    pty.send("\u{1b}[B");
    pty.wait_for("lighthouse keeper");
    pty.send("D");
    pty.wait_for("has tags; D again deletes it");
    pty.send("D");
    pty.wait_for("U restores it");
    pty.wait_for("2 of 2");
    pty.send("\u{11}");
    assert_eq!(pty.end(), 0);
    let listed = home.run(&["list", "--format", "json"]).done().json();
    assert_eq!(listed["prompts"].as_array().map(Vec::len), Some(2));
    assert_eq!(listed["prompts"][0]["tags"], serde_json::json!(["sea", "travel"]));
}

#[test]
fn what_is_listed_is_written_to_a_file_and_another_home_reads_it() {
    let home = home_with_prompts();
    let mut pty = history(&home);
    pty.wait_for("3 prompts");
    pty.send("E");
    pty.wait_for("Export everything");
    pty.send("\u{15}");
    pty.type_text("out.jsonl");
    pty.send("\r");
    pty.wait_for("3 prompts written");
    drop(pty);
    let other = Home::new();
    let text = std::fs::read(home.path().join("out.jsonl")).expect("the export");
    other.write("in.jsonl", text);
    let mut pty = history(&other);
    pty.wait_for("Nothing is stored yet");
    pty.send("I");
    pty.wait_for("Import ━");
    pty.type_text("in.jsonl");
    pty.send("\r");
    pty.wait_for("3 prompts stored");
    pty.send("\u{1b}");
    pty.wait_for("ferry timetable");
    pty.wait_for("1 of 3");
}

#[test]
fn what_is_stored_is_found_by_its_meaning() {
    let home = home_with_prompts();
    let mut pty = history(&home);
    pty.wait_for("3 prompts");
    pty.send("/");
    pty.send("\u{12}");
    pty.wait_for("[semantic]");
    pty.type_text("boat schedule");
    pty.wait_for("nearest of 3");
    pty.send("\r");
    pty.wait_for("matched by meaning");
    pty.wait_for("Translate the ferry timetable");
}

#[test]
fn what_is_stored_cannot_reach_the_terminal() {
    let home = Home::new();
    home.sim("model", r#"answer: {text: "safe \u001b]52;c;ZXZpbA==\u0007\u001b[2J\u001b[31mwords\u009b5n"}"#);
    home.run(&["generate", "hostile", "--count", "1"]).done();
    let mut pty = history(&home);
    pty.wait_for("1 prompt ");
    pty.wait_for("safe words");
    let written = String::from_utf8_lossy(&pty.written).into_owned();
    for sequence in ["\u{1b}]52", "ZXZpbA", "\u{1b}[2J\u{1b}[31m", "\u{9b}"] {
        assert!(!written.contains(sequence), "{sequence:?} got through");
    }
}
