//! The workbench at work: an idea is written, run, watched, copied; errors are explained.

use super::Pty;
use crate::support::Home;

/// Three variants slow enough to watch: about two seconds.
const PACED: &str = "answer: {words: 50}\npacing: {first_token_ms: 100, tokens_per_s: 150}\n";

fn home_with(script: &str) -> Home {
    let home = Home::new();
    home.sim("model", script);
    home
}

#[test]
fn an_idea_is_run_watched_and_stored() {
    let home = home_with(PACED);
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.type_text("Review pull requests");
    pty.send("\n");
    pty.wait_for("prima-materia ~");
    pty.wait_for("coagulatio ~");
    pty.wait_for("★");
    pty.send("\u{11}");
    assert_eq!(pty.end(), 0);
    let listed = home.run(&["list", "--format", "json"]).done().json();
    assert_eq!(listed["prompts"].as_array().map(Vec::len), Some(3));
    assert_eq!(listed["prompts"][0]["original_input"], "Review pull requests");
}

#[test]
fn without_configuration_the_builtin_writer_works_and_says_what_it_is() {
    let home = Home::new();
    let mut pty = Pty::workbench(&home);
    pty.wait_for("a rule-based writer");
    pty.type_text("Write a haiku about rain");
    pty.send("\n");
    pty.wait_for("★");
    pty.wait_for("not a model");
}

#[test]
fn how_to_add_a_provider_is_explained_once() {
    let home = Home::new();
    let explained = "config init";
    let mut pty = Pty::workbench(&home);
    pty.wait_for(explained);
    pty.type_text("Write a haiku about rain");
    pty.send("\n");
    pty.wait_for("★");
    pty.send("\u{11}");
    assert_eq!(pty.end(), 0);
    let mut pty = Pty::workbench(&home);
    pty.wait_for("a rule-based writer, not a model");
    assert!(!pty.screen().contains(explained), "{}", pty.screen());
}

#[test]
fn a_bracketed_paste_with_line_breaks_is_text_and_runs_nothing() {
    let home = home_with(PACED);
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.send("\u{1b}[200~first line\nsecond line\n\u{1b}[201~");
    pty.wait_for("second line");
    pty.wait_for("pasted 23 characters");
    assert!(pty.screen().contains("Nothing here yet"));
}

#[test]
fn line_breaks_that_come_as_keys_in_a_burst_are_text_and_run_nothing() {
    let home = home_with(PACED);
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    // What `tmux paste-buffer -r` sends to a program: bare line feeds, which are the run key.
    pty.send("first line\nsecond line\nthird line\n");
    pty.wait_for("third line");
    pty.wait_for("pasted 34 characters");
    assert!(pty.screen().contains("Nothing here yet"));
}

#[test]
fn a_refused_request_names_every_fault_and_keeps_the_input() {
    let home = home_with(PACED);
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.send("\n");
    pty.wait_for("validation_failed");
    pty.wait_for("input:");
    pty.type_text("now there is one");
    pty.send("\n");
    pty.wait_for("★");
}

#[test]
fn what_a_model_answers_cannot_reach_the_terminal() {
    let answer = r#"answer: {text: "safe \u001b]52;c;ZXZpbA==\u0007\u001b[2J\u001b[31mwords\u009b5n"}"#;
    let home = home_with(answer);
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.type_text("Review changes");
    pty.send("\n");
    pty.wait_for("safe words");
    pty.wait_for("★");
    let written = String::from_utf8_lossy(&pty.written).into_owned();
    for sequence in ["\u{1b}]52", "ZXZpbA", "\u{1b}[2J\u{1b}[31m", "\u{9b}"] {
        assert!(!written.contains(sequence), "{sequence:?} got through");
    }
    // The user asks to copy, which hands over the written text.
    pty.send("y");
    pty.wait_for("OSC 52");
    assert!(String::from_utf8_lossy(&pty.written).contains("\u{1b}]52;c;"));
}

#[test]
fn a_variant_that_fails_says_why_and_the_others_finish() {
    let home = home_with("answer: {words: 20}\nrules:\n  - when: {variant: 1}\n    fault: {kind: auth}\n");
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.type_text("Review changes");
    pty.send("\n");
    pty.wait_for("1 failed");
    pty.wait_for("refused the key");
    pty.wait_for("★");
}

#[test]
fn ctrl_c_stops_the_run_and_then_two_leave() {
    let home = home_with("answer: {words: 20}\nrules:\n  - when: {variant: [1, 2]}\n    fault: hang\n");
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.type_text("Review changes");
    pty.send("\n");
    pty.wait_for("✓ coagulatio");
    pty.send("\u{3}");
    pty.wait_for("1 kept");
    pty.send("\u{3}");
    pty.wait_for("^C again quits");
    pty.send("\u{3}");
    assert_eq!(pty.end(), 0);
    assert_eq!(home.run(&["list", "--format", "json"]).done().json()["prompts"].as_array().map(Vec::len), Some(1));
}

#[test]
fn the_help_is_searched_and_does_what_it_finds() {
    let home = home_with(PACED);
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.send("\u{1b}OP");
    pty.wait_for("Keys ━");
    pty.send("settings");
    pty.wait_for("search settings");
    pty.send("\r");
    pty.wait_for("Run settings");
    pty.send("\u{1b}");
    pty.wait_until("closed", |screen| !screen.contents().contains("Run settings"));
}
