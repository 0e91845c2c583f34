//! What terminals do to a program: resize it, stop it, paste books into it, and disappear.

use std::time::Duration;

use portable_pty::CommandBuilder;

use super::Pty;
use super::manners::signal;
use super::pty::Unread;
use crate::support::Home;

#[test]
fn the_first_frame_is_whole_at_the_size_it_starts_with() {
    let home = Home::new();
    for (columns, rows) in [(60, 16), (80, 24), (200, 60)] {
        let mut pty = Pty::workbench_at(&home, columns, rows);
        pty.wait_until("the first frame", |screen| {
            let lines: Vec<String> = screen.rows(0, columns).collect();
            let last = &lines[usize::from(rows) - 1];
            lines[0].contains("aludel") && lines[0].contains("1 Work") && last.contains("F1 help")
        });
        assert!(pty.screen().contains("Nothing here yet"), "{}", pty.screen());
    }
}

#[test]
fn after_a_storm_of_sizes_the_picture_is_that_of_a_calm_start() {
    let home = Home::new();
    let written = |mut pty: Pty| {
        pty.wait_for("Nothing here yet");
        pty.type_text("kept through it, 世界 too");
        pty
    };
    let calm = written(Pty::workbench_at(&home, 100, 30));
    let (picture, cursor) = (calm.screen(), calm.terminal().cursor_position());
    let mut pty = written(Pty::workbench(&home));
    let mut chance = 7_u32;
    for _ in 0..100 {
        chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [_, _, columns, rows] = chance.to_be_bytes();
        pty.resize(1 + u16::from(columns) % 200, 1 + u16::from(rows) % 60);
    }
    pty.resize(100, 30);
    pty.wait_until("the picture of a calm start", |screen| {
        screen.contents() == picture && screen.cursor_position() == cursor
    });
}

#[test]
fn stopped_from_outside_it_goes_on_where_it_was() {
    let home = Home::new();
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.type_text("before");
    signal("STOP", &pty.process());
    pty.send(", after");
    pty.resize(90, 25);
    signal("CONT", &pty.process());
    pty.wait_until("the keys at the new size", |screen| {
        screen.contents().contains("before, after")
            && screen.rows(0, 90).nth(24).is_some_and(|row| row.contains("F1 help"))
    });
    pty.type_text(", and on");
}

/// The reader takes a kilobyte at a time, and is notified only once. Each round has a workbench of
/// its own, because a key costs as much as the text that it is added to is long.
#[test]
fn more_keys_than_are_read_at_once_all_arrive() {
    for round in 0..4 {
        let home = Home::new();
        let mut pty = Pty::workbench(&home);
        pty.wait_for("Nothing here yet");
        signal("STOP", &pty.process());
        pty.send(&"many keys ".repeat(300));
        pty.send(&format!("the last {round}"));
        signal("CONT", &pty.process());
        pty.wait_for(&format!("the last {round}"));
        pty.wait_for("3,010 characters");
    }
}

#[test]
fn a_shell_that_had_the_terminal_meanwhile_leaves_nothing_behind() {
    let home = Home::new();
    let mut pty = Pty::workbench_in_a_shell(&home);
    pty.type_text("kept");
    let picture = pty.screen();
    signal("STOP", &pty.foreground());
    pty.wait_for("shell>");
    // Keys are now echoed and arrive line by line.
    pty.send("stty sane; echo wh''ile stopped\n");
    pty.wait_for("while stopped");
    pty.send("fg\n");
    pty.wait_until("the workbench as it was", |screen| screen.contents() == picture);
    pty.type_text(", and on");
    pty.send("\u{11}");
    pty.wait_until("the shell again", |screen| !screen.alternate_screen());
}

#[test]
fn a_paste_of_a_megabyte_arrives_whole_and_runs_nothing() {
    const LINE: &str = "a line of a long paste, with 世界 and an escape \u{1b}[31min it\n";
    let home = Home::new();
    home.sim("model", "answer: echo\n");
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    let text = LINE.repeat((1 << 20) / LINE.len() + 1) + "the very end";
    // Sequences are not text.
    let characters = text.replace("\u{1b}[31m", "").chars().count();
    pty.send(&format!("\u{1b}[200~{text}\u{1b}[201~"));
    let grouped = characters.to_string();
    let (thousands, rest) = grouped.split_at(grouped.len() - 3);
    pty.wait_for(&format!("pasted {thousands},{rest} characters"));
    pty.wait_for("the very end");
    assert!(pty.screen().contains("Nothing here yet"), "{}", pty.screen());
    pty.send("\u{11}");
    assert_eq!(pty.end(), 0);
    assert_eq!(home.run(&["list", "--format", "json"]).done().json()["prompts"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_terminal_that_disappears_ends_it_and_what_is_finished_is_stored() {
    let home = Home::new();
    home.sim("model", "answer: {words: 20}\nrules:\n  - when: {variant: [1, 2]}\n    fault: hang\n");
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.type_text("Review changes");
    pty.send("\n");
    pty.wait_for("✓ coagulatio");
    pty.take_away();
    assert_eq!(home.run(&["list", "--format", "json"]).done().json()["prompts"].as_array().map(Vec::len), Some(1));
}

/// It must not block in a read that never ends.
#[test]
fn a_terminal_that_disappears_under_flying_keys_ends_it_too() {
    const ROUNDS: u32 = 100;
    let home = Home::new();
    for round in 0..ROUNDS {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_aludel"));
        command.arg("tui");
        let mut terminal = Unread::run(&home, command);
        terminal.read_until("Nothing here yet");
        terminal.send(&"hj".repeat(1 + round as usize % 40));
        terminal.take_away_after(Duration::from_micros(200 * u64::from(round % 23)));
    }
}
