//! The workbench in plain lines: for terminals without cursor movement, and for screen readers.

use portable_pty::CommandBuilder;

use super::Pty;
use crate::support::Home;

const DUMB: &[(&str, &str)] = &[("TERM", "dumb")];

/// Asserts that only text and line breaks were written.
#[track_caller]
fn assert_only_lines(pty: &Pty) {
    let written = String::from_utf8_lossy(&pty.written).replace("\r\n", "\n");
    // The terminal itself echoes `^C` as text; other control characters came from the program.
    let controls: Vec<char> = written.chars().filter(|c| c.is_control() && *c != '\n').collect();
    assert!(controls.is_empty(), "{controls:?} in {written:?}");
}

#[test]
fn on_a_dumb_terminal_an_idea_is_run_and_commands_do_the_rest() {
    let home = Home::new();
    home.sim("model", "answer: echo\n");
    let mut pty = Pty::workbench_with(&home, DUMB);
    pty.wait_for("A line with a single dot ends it.");
    pty.send("Review pull requests\nfor a library\n.\n");
    pty.wait_for("A solutio done, ");
    pty.wait_for("Best first:");
    pty.wait_for("3 of 3: ");
    pty.send("tag 1 harbour\n");
    pty.wait_for("1 of 3 has the tags harbour");
    pty.send("compare 1 2\n");
    pty.wait_for("percent unchanged");
    pty.send("judge\n");
    pty.wait_for("The judge prefers number ");
    pty.send("search harbour\n");
    pty.wait_for("1 prompt found");
    pty.send("print 1\n");
    pty.wait_for("# Task");
    pty.send("quit\n");
    assert_eq!(pty.end(), 0);
    assert_only_lines(&pty);
    let listed = home.run(&["list", "--tags", "harbour", "--format", "json"]).done().json();
    assert_eq!(listed["prompts"][0]["original_input"], "Review pull requests\nfor a library");
}

#[test]
fn a_screen_reader_and_whoever_asks_for_it_get_lines_too() {
    let home = Home::new();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_aludel"));
    command.args(["tui", "--plain"]);
    let asked_for = Pty::run(&home, command, &[]);
    home.config("tui:\n  screen_reader: true\n");
    for mut pty in [asked_for, Pty::workbench(&home)] {
        pty.wait_for("a rule-based writer");
        pty.wait_for("Your request");
        // The end of input leaves.
        pty.send("\u{4}");
        assert_eq!(pty.end(), 0);
        assert_only_lines(&pty);
    }
}

#[test]
fn ctrl_c_stops_the_run_and_keeps_what_is_finished() {
    let home = Home::new();
    home.sim("model", "answer: {words: 20}\nrules:\n  - when: {variant: [1, 2]}\n    fault: hang\n");
    let mut pty = Pty::workbench_with(&home, DUMB);
    pty.wait_for("Your request");
    pty.send("Name a boat\n.\n");
    pty.wait_for("A is finished: ");
    pty.send("\u{3}");
    pty.wait_for("Stopped. 1 of 3 finished and kept");
    pty.wait_for("1 of 1: ");
    pty.send("\u{3}");
    pty.wait_for("Ctrl-C again quits");
    pty.send("\u{3}");
    assert_eq!(pty.end(), 0);
    assert_only_lines(&pty);
    assert_eq!(home.run(&["list", "--format", "json"]).done().json()["prompts"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_is_stored_is_found_by_its_meaning_in_lines() {
    let home = Home::new();
    home.sim("model", "answer: {text: \"Summarise the quarterly ledger for auditors.\"}\n");
    home.run(&["generate", "ledger summary", "--count", "1"]).done();
    home.sim("model", "answer: {text: \"Translate the ferry timetable.\"}\n");
    home.run(&["generate", "timetable", "--count", "1"]).done();
    let mut pty = Pty::workbench_with(&home, DUMB);
    pty.wait_for("Your request");
    pty.send(".\nmeaning boat schedule\n");
    pty.wait_for("The nearest 2 of 2 prompts:");
    pty.send("print 1\n");
    pty.wait_for("Translate the ferry timetable.");
}
