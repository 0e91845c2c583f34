//! The mouse: it is enabled only if the user wants it, and dragging copies the selection.

use super::Pty;
use crate::support::Home;

/// A terminal's report of the mouse (xterm's control sequences, mode 1006): the first cell is 1, 1.
fn report(button: u8, (column, row): (u16, u16), end: char) -> String {
    format!("\u{1b}[<{button};{};{}{end}", column + 1, row + 1)
}

/// The cell where `text` begins on the screen. Rows before it must have only narrow characters.
fn place_of(pty: &Pty, text: &str) -> (u16, u16) {
    let screen = pty.screen();
    let found = (0_u16..).zip(screen.lines()).find_map(|(row, line)| {
        let before = line.split_once(text)?.0;
        Some((u16::try_from(before.chars().count()).expect("a column"), row))
    });
    found.unwrap_or_else(|| panic!("no {text:?} in\n{screen}"))
}

#[test]
fn what_is_dragged_over_reaches_the_clipboard_and_a_click_gives_a_pane_the_keys() {
    let home = Home::new();
    let answer = "answer: {text: \"Review the whole diff and report what could break callers.\"}\n";
    let script = home.write("sim.yaml", answer);
    home.config(&format!(
        "providers:\n  model: {{kind: sim, script: {}}}\ngeneration: {{default_count: 1}}\ntui: {{mouse: true}}\n",
        script.display()
    ));
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.type_text("Review changes");
    pty.send("\n");
    pty.wait_for("★");
    let (x, y) = place_of(&pty, "whole diff");
    // Press, move twice with the button held, release.
    let (middle, end) = ((x + 4, y), (x + 9, y));
    pty.send(&(report(0, (x, y), 'M') + &report(32, middle, 'M') + &report(32, end, 'M') + &report(0, end, 'm')));
    pty.wait_until("it is marked", |screen| screen.cell(y, x + 9).is_some_and(vt100::Cell::inverse));
    pty.send("y");
    pty.wait_for("the selection, 10 characters");
    // `whole diff` in Base64 (RFC 4648).
    let written = String::from_utf8_lossy(&pty.written).into_owned();
    assert!(written.contains("\u{1b}]52;c;d2hvbGUgZGlmZg=="), "OSC 52 carries it");
    // Clicking the input moves typing there.
    let input = place_of(&pty, "Review changes");
    pty.send(&(report(0, input, 'M') + &report(0, input, 'm')));
    pty.wait_until("the mark is gone", |screen| screen.cell(y, x).is_some_and(|cell| !cell.inverse()));
    pty.type_text("Please ");
    pty.wait_for("Please Review changes");
    pty.send("\u{11}");
    assert_eq!(pty.end(), 0);
    let written = String::from_utf8_lossy(&pty.written);
    for mode in ["?1000", "?1002", "?1006"] {
        let last = |suffix: &str| written.rfind(&format!("\u{1b}[{mode}{suffix}"));
        assert!(last("l") > last("h") && last("h").is_some(), "{mode} is still on, or never was");
    }
}

#[test]
fn the_mouse_stays_the_terminals_where_it_is_not_asked_for() {
    let home = Home::new();
    let mut pty = Pty::workbench(&home);
    pty.wait_for("Nothing here yet");
    pty.send("\u{11}");
    assert_eq!(pty.end(), 0);
    assert!(!String::from_utf8_lossy(&pty.written).contains("?1002"));
}
