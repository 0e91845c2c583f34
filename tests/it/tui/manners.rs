//! The workbench restores the terminal, however it ends.

use std::process::Command;

use portable_pty::CommandBuilder;

use super::Pty;
use crate::support::Home;

/// The terminal is restored: main screen, cursor, no modes.
#[track_caller]
fn assert_given_back(pty: &Pty) {
    let terminal = pty.terminal();
    assert!(!terminal.alternate_screen(), "the alternate screen was left");
    assert!(!terminal.bracketed_paste() && !terminal.hide_cursor(), "modes are as they were");
    let written = String::from_utf8_lossy(&pty.written);
    for mode in ["?1004", "?2026"] {
        let last = |suffix: &str| written.rfind(&format!("\u{1b}[{mode}{suffix}"));
        assert!(last("l") >= last("h"), "{mode} is still on");
    }
}

pub(super) fn signal(name: &str, process: &str) {
    let sent = Command::new("kill").args([format!("-{name}").as_str(), process]).status().expect("kill runs");
    assert!(sent.success());
}

#[test]
fn quitting_gives_the_terminal_back() {
    let home = Home::new();
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    assert!(pty.terminal().alternate_screen() && pty.terminal().bracketed_paste());
    pty.send("\u{11}");
    assert_eq!(pty.end(), 0);
    assert_given_back(&pty);
}

#[test]
fn without_a_command_a_terminal_gets_the_workbench() {
    let home = Home::new();
    let mut pty = Pty::run(&home, CommandBuilder::new(env!("CARGO_BIN_EXE_aludel")), &[]);
    pty.wait_for("Workbench");
}

#[test]
fn being_asked_to_end_gives_the_terminal_back_and_keeps_what_is_finished() {
    let home = Home::new();
    home.sim("model", "answer: {words: 20}\nrules:\n  - when: {variant: [1, 2]}\n    fault: hang\n");
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.type_text("Review changes");
    pty.send("\n");
    pty.wait_for("✓ coagulatio");
    signal("TERM", &pty.process());
    assert_eq!(pty.end(), 0);
    assert_given_back(&pty);
    assert_eq!(home.run(&["list", "--format", "json"]).done().json()["prompts"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_terminal_that_hangs_up_ends_it() {
    let home = Home::new();
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    signal("HUP", &pty.process());
    assert_eq!(pty.end(), 0);
    assert_given_back(&pty);
}

#[test]
fn the_shell_gets_the_terminal_on_suspension_and_gives_it_back() {
    let home = Home::new();
    let mut pty = Pty::workbench_in_a_shell(&home);
    pty.type_text("kept while away");
    pty.send("\u{1a}");
    pty.wait_until("the shell", |screen| !screen.alternate_screen() && screen.contents().contains("shell> "));
    pty.send("fg\n");
    pty.wait_until("the workbench", |screen| {
        screen.alternate_screen() && screen.contents().contains("kept while away")
    });
    pty.send("\u{11}");
    pty.wait_until("the shell again", |screen| !screen.alternate_screen());
}

#[test]
fn sizes_follow_the_terminal_down_to_none() {
    let home = Home::new();
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    for (columns, rows) in [(80, 24), (200, 60), (30, 5), (1, 1), (61, 17), (120, 40)] {
        pty.resize(columns, rows);
    }
    pty.wait_for("Nothing here yet");
    pty.resize(59, 16);
    pty.wait_for("aludel needs 60x16, this is 59x16");
    pty.resize(80, 24);
    pty.wait_for("Nothing here yet");
    pty.type_text("still here");
}

#[test]
fn no_colour_leaves_weight_and_no_colour() {
    /// The parameters of every sequence that sets how characters look.
    fn looks(written: &str) -> Vec<&str> {
        let sequences = written.split("\u{1b}[").skip(1);
        let looks = sequences.filter_map(|rest| rest.split_once('m'));
        looks
            .map(|(parameters, _)| parameters)
            .filter(|text| text.chars().all(|c| c.is_ascii_digit() || c == ';'))
            .collect()
    }
    let home = Home::new();
    for colourless in [Pty::workbench_with(&home, &[("NO_COLOR", "1")]), {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_aludel"));
        command.args(["tui", "--no-color"]);
        Pty::run(&home, command, &[])
    }] {
        let mut pty = colourless;
        pty.wait_for("F1");
        let written = String::from_utf8_lossy(&pty.written).into_owned();
        let looks = looks(&written);
        let is_colour = |parameter: &str| matches!(parameter.parse(), Ok(30..=38 | 40..=48 | 90..=107));
        let colours: Vec<_> = looks.iter().filter(|look| look.split(';').any(is_colour)).collect();
        assert!(colours.is_empty(), "{colours:?}");
        assert!(looks.contains(&"1") && looks.contains(&"2"), "bold and faint are there: {looks:?}");
    }
    let mut pty = Pty::workbench(&home);
    pty.wait_for("F1");
    assert!(looks(&String::from_utf8_lossy(&pty.written)).len() > 1);
}

#[test]
fn a_theme_of_ones_own_is_drawn_in_the_colours_that_the_terminal_has() {
    let home = Home::new();
    home.write(".aludel/themes/amber.yaml", "extends: dark\nbrand: \"#ff8700\"\n");
    home.config("tui: {theme: amber}\n");
    for (variables, brand) in [(&[("COLORTERM", "truecolor")][..], "38;2;255;135;0"), (&[], "38;5;208")] {
        let mut pty = Pty::workbench_with(&home, variables);
        pty.wait_for("F1");
        let written = String::from_utf8_lossy(&pty.written).into_owned();
        assert!(written.contains(brand) && written.contains("48;5;234"), "{brand}");
    }
}

#[test]
fn a_theme_that_was_chosen_and_is_broken_is_told_before_the_screen_is_taken() {
    let home = Home::new();
    home.write(".aludel/themes/torn.yaml", "extends: dark\nbrand: orange\n");
    let mut pty = Pty::workbench_with(&home, &[("ALUDEL_TUI__THEME", "torn")]);
    assert_eq!(pty.end(), 3);
    let written = String::from_utf8_lossy(&pty.written).into_owned();
    assert!(!written.contains("\u{1b}[?1049h"), "{written}");
    let said: String = written.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("environment variable ALUDEL_TUI__THEME: tui.theme: cannot use"), "{said}");
    assert!(said.contains("line 2: brand: expected a colour"), "{said}");
}

#[test]
fn a_broken_theme_that_nobody_chose_is_told_on_the_screen() {
    let home = Home::new();
    home.write(".aludel/themes/ansi16.yaml", "text: default\n");
    let mut pty = Pty::workbench(&home);
    pty.wait_for("your theme ansi16 is broken, ours is shown; `aludel validate` says why");
}

#[test]
fn without_a_terminal_it_says_what_to_use() {
    let home = Home::new();
    for arguments in [&["tui"][..], &["tui", "--plain"]] {
        let said = home.run(arguments).failed(2);
        assert!(said.stderr.contains("aludel generate"), "{}", said.stderr);
    }
}

#[test]
fn a_frame_is_one_piece_and_nothing_is_asked_of_the_terminal() {
    let home = Home::new();
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.send("\u{11}");
    pty.end();
    let written = String::from_utf8_lossy(&pty.written).into_owned();
    let count = |mode: &str| written.matches(mode).count();
    assert!(count("\u{1b}[?2026h") > 0);
    // Leaving ends a frame once more, to be safe.
    assert_eq!(count("\u{1b}[?2026h") + 1, count("\u{1b}[?2026l"));
    // Cursor position, device attributes, keyboard flags, colours: some terminals never answer.
    for question in ["\u{1b}[6n", "\u{1b}[c", "\u{1b}[?u", "\u{1b}]11;?"] {
        assert!(!written.contains(question), "{question:?} was asked");
    }
}
