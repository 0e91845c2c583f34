//! On a real terminal of 80 columns: colour, progress, questions, and line widths.

use std::io::{Read, Write};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::support::Home;

/// The terminal after a command, and its exit code.
pub(crate) struct TerminalOutput {
    /// Everything it wrote.
    pub(crate) bytes: String,
    /// The screen at the end.
    pub(crate) screen: String,
    pub(crate) code: u32,
}

/// Runs a command on a terminal and types `keys` once it has written something.
pub(crate) fn on_a_terminal(home: &Home, arguments: &[&str], variables: &[(&str, &str)], keys: &str) -> TerminalOutput {
    on_columns(home, arguments, variables, keys, 80)
}

/// As [`on_a_terminal`], with this many columns.
pub(crate) fn on_columns(
    home: &Home,
    arguments: &[&str],
    variables: &[(&str, &str)],
    keys: &str,
    columns: u16,
) -> TerminalOutput {
    typed_at("", home, arguments, variables, keys, columns)
}

/// As [`on_columns`], typing once the program has written `cue`.
pub(crate) fn typed_at(
    cue: &str,
    home: &Home,
    arguments: &[&str],
    variables: &[(&str, &str)],
    keys: &str,
    columns: u16,
) -> TerminalOutput {
    let size = PtySize { rows: 200, cols: columns, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_aludel"));
    command.env_clear();
    command.env("HOME", home.path());
    command.env("TERM", "xterm-256color");
    command.cwd(home.path());
    command.args(arguments);
    for (name, value) in variables {
        command.env(name, value);
    }
    let mut child = pair.slave.spawn_command(command).expect("it starts");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let mut writer = pair.master.take_writer().expect("a writer");
    let (mut bytes, mut buffer, mut is_typed) = (Vec::new(), [0; 4096], false);
    // On Linux reading fails once the last process has closed the terminal.
    while let Ok(read @ 1..) = reader.read(&mut buffer) {
        bytes.extend_from_slice(&buffer[..read]);
        if !is_typed && String::from_utf8_lossy(&bytes).contains(cue) {
            is_typed = true;
            writer.write_all(keys.as_bytes()).expect("typed");
        }
    }
    let code = child.wait().expect("it ends").exit_code();
    let mut parser = vt100::Parser::new(200.try_into().expect("rows"), columns.try_into().expect("columns"), 0);
    parser.process(&bytes);
    TerminalOutput { bytes: String::from_utf8_lossy(&bytes).into_owned(), screen: parser.screen().contents(), code }
}

/// The text without control sequences (ECMA-48: CSI, parameters, one final letter).
pub(crate) fn without_codes(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once(|c: char| c.is_ascii_alphabetic()).map_or("", |(_, rest)| rest)
    })
}

#[test]
fn the_result_fits_eighty_columns_and_leads_with_the_best() {
    let home = Home::new();
    let shown = on_a_terminal(&home, &["generate", "Write a python function that finds prime numbers"], &[], "");
    assert_eq!(shown.code, 0, "{}", shown.screen);
    assert!(shown.screen.starts_with("── best of 3 · "), "{}", shown.screen);
    assert!(!shown.screen.contains("2 of 3"), "the others are a line each: {}", shown.screen);
    for line in without_codes(&shown.bytes).lines() {
        assert!(line.trim_end().chars().count() <= 80, "too wide: {line}");
    }
    assert!(shown.bytes.contains("\u{1b}["), "no colour on a terminal");
}

#[test]
fn no_color_is_obeyed_by_flag_and_by_variable() {
    let home = Home::new();
    let arguments = ["generate", "x"];
    for shown in [
        on_a_terminal(&home, &[&arguments[..], &["--no-color"]].concat(), &[], ""),
        on_a_terminal(&home, &arguments, &[("NO_COLOR", "1")], ""),
        on_a_terminal(&home, &arguments, &[("TERM", "dumb")], ""),
        on_a_terminal(&home, &["--help", "--no-color"], &[], ""),
        on_a_terminal(&home, &["--nonsense"], &[("NO_COLOR", "1")], ""),
    ] {
        assert!(!is_painted(&shown.bytes), "{:?}", shown.bytes);
    }
    assert!(is_painted(&on_a_terminal(&home, &arguments, &[], "").bytes));
}

/// True when any code sets a colour or a weight; cursor movements do not count.
fn is_painted(bytes: &str) -> bool {
    let ends_in_m = |code: &str| code.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m');
    bytes.split("\u{1b}[").skip(1).any(ends_in_m)
}

#[test]
fn progress_is_drawn_and_cleared() {
    let home = Home::new();
    home.sim("slow", "answer: {text: 'about {input}'}\npacing: {first_token_ms: 200}\n");
    let shown = on_a_terminal(&home, &["generate", "x", "--count", "2"], &[], "");
    assert!(shown.bytes.contains("prima-materia") && shown.bytes.contains("variants done"), "{:?}", shown.bytes);
    assert!(!shown.screen.contains("variants done"), "{}", shown.screen);
    let quiet = on_a_terminal(&home, &["generate", "x", "--quiet"], &[], "");
    assert!(!quiet.bytes.contains("prima-materia"), "{:?}", quiet.bytes);
}

#[test]
fn without_a_text_it_says_how_to_give_one_instead_of_waiting() {
    let shown = on_a_terminal(&Home::new(), &["generate"], &[], "");
    assert_eq!(shown.code, 2);
    assert!(shown.screen.contains("--input-file"), "{}", shown.screen);
}

#[test]
fn the_idea_can_be_typed() {
    let shown =
        on_a_terminal(&Home::new(), &["generate", "-", "--count", "1"], &[], "Write a haiku about 7 rivers\n\u{4}");
    assert_eq!(shown.code, 0, "{}", shown.screen);
    assert!(shown.screen.contains("Ctrl-D") && shown.screen.contains("7 rivers"), "{}", shown.screen);
}

#[test]
fn a_deletion_asks_and_takes_no_for_an_answer() {
    let home = Home::new();
    home.run(&["generate", "Write a haiku", "--count", "2"]).done();
    let refused = on_a_terminal(&home, &["delete", "@last"], &[], "n\n");
    assert!(refused.screen.contains("Write a haiku") && refused.screen.contains("[y/N]"), "{}", refused.screen);
    assert_eq!(refused.code, 1);
    let count = || home.run(&["list", "--format", "json"]).done().json()["prompts"].as_array().map_or(0, Vec::len);
    assert_eq!(count(), 2);
    assert_eq!(on_a_terminal(&home, &["delete", "@last"], &[], "y\n").code, 0);
    assert_eq!(count(), 1);
    home.run(&["generate", "Write a haiku", "--count", "2"]).done();
    let all = on_a_terminal(&home, &["delete", "--all"], &[], "yes\n");
    assert!(all.code == 0 && all.screen.contains("Delete all stored prompts (3 prompts)? [y/N]"), "{}", all.screen);
    assert_eq!(count(), 0);
}

#[test]
fn stored_control_characters_do_not_reach_the_terminal() {
    let home = Home::new();
    home.run(&["generate", "Clear \u{1b}[2J\u{7}the screen", "--count", "1"]).done();
    for arguments in [&["list"][..], &["show", "@last"], &["history"], &["show", "@last", "--quiet"]] {
        let shown = on_a_terminal(&home, arguments, &[], "");
        assert!(
            !shown.bytes.contains("\u{1b}[2J") && !shown.bytes.contains('\u{7}'),
            "{arguments:?}: {:?}",
            shown.bytes
        );
    }
}

#[test]
fn an_editor_opens_on_the_copy() {
    let home = Home::new();
    let shown =
        on_a_terminal(&home, &["personas", "edit", "code"], &[("EDITOR", "cat"), ("PATH", "/bin:/usr/bin")], "");
    assert_eq!(shown.code, 0, "{}", shown.screen);
    assert!(shown.screen.contains("is now used"), "{}", shown.screen);
}

#[test]
fn a_run_that_may_cost_much_is_asked_about_first() {
    let home = Home::new();
    home.sim("lab", "{answer: {words: 40}, price: {input: 1, output: 10}}");
    let config = std::fs::read_to_string(home.data().join("config.yaml")).expect("the configuration");
    home.config(&format!("{config}spend: {{preflight_usd: 0.1}}\n"));
    let refused = on_a_terminal(&home, &["generate", "x"], &[], "n\n");
    assert_eq!(refused.code, 7);
    assert!(refused.screen.contains("may cost up to $0.") && refused.screen.contains("[y/N]"), "{}", refused.screen);
    assert!(refused.screen.contains("nothing was sent") && !home.database().exists(), "{}", refused.screen);
    let confirmed = on_a_terminal(&home, &["generate", "x"], &[], "y\n");
    assert_eq!(confirmed.code, 0, "{}", confirmed.screen);
    assert!(confirmed.screen.contains("best of 3"), "{}", confirmed.screen);
}
