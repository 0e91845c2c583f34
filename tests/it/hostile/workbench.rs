//! The workbench and its plain lines over the hostile database, on a pseudo-terminal.

use super::HOSTILE;
use super::database::hostile_home;
use crate::support::Home;
use crate::tui::Pty;

/// The output has none of the payload's sequences and no hidden characters.
///
/// The workbench writes many sequences of its own, so this looks for those of the payload, and for
/// hidden characters that are not sequences.
#[track_caller]
fn assert_not_driven(pty: &Pty) {
    let written = String::from_utf8_lossy(&pty.written);
    for sequence in ["\u{1b}]0;PWN", "\u{1b}[2J\u{9b}", "\u{9b}"] {
        assert!(!written.contains(sequence), "{sequence:?} was written");
    }
    let hidden = |c: char| matches!(u32::from(c), 0x80..=0x9f | 0x200b | 0x200e | 0x200f | 0x202a..=0x202e | 0x2066..=0x2069 | 0xe0000..=0xe0fff);
    let found: Vec<char> = written.chars().filter(|c| hidden(*c)).collect();
    assert!(found.is_empty(), "{found:?}");
    assert!(written.contains("PWN") || written.contains("txet"), "nothing hostile was on the screen at all");
}

fn screens(home: &Home, keys: &[&str]) {
    let mut pty = Pty::workbench_at(home, 140, 45);
    pty.wait_for("Nothing here yet");
    pty.send("\u{1b}5");
    pty.wait_for("4 prompts");
    for key in keys {
        pty.send(key);
        pty.watch(std::time::Duration::from_millis(150));
    }
    assert_not_driven(&pty);
}

#[test]
fn no_screen_shows_what_hides() {
    let (home, _) = hostile_home();
    // Preview, details, log, settings, palette, help; then each of the other screens.
    screens(&home, &["j", "k", "\r", "\u{1b}", "i", "\u{1b}", "L", "\u{1b}", "?", "\u{1b}"]);
    screens(&home, &[" ", "j", " ", "c", "2", "3", "4", "6", "7", "1"]);
    screens(&home, &["/", "harbour", "\r", "\r", "o", "\u{1b}", "e"]);
}

#[test]
fn plain_lines_show_what_hides_to_nobody() {
    let (home, _) = hostile_home();
    let mut pty = Pty::workbench_with(&home, &[("TERM", "dumb")]);
    pty.wait_for("Your request");
    pty.send(".\n");
    pty.wait_for("> ");
    for (command, answer) in [
        ("list", "4 of 4"),
        ("show 1", "harbour"),
        ("print 1", "harbour"),
        ("compare 1 2", "percent"),
        ("search harbour", "found"),
        (&format!("search {}", "zzz\u{202e}"), ">"),
    ] {
        pty.send(&format!("{command}\n"));
        pty.wait_for(answer);
    }
    pty.send("quit\n");
    assert_eq!(pty.end(), 0);
    let written = String::from_utf8_lossy(&pty.written).replace("\r\n", "\n");
    super::oracle::assert_harmless("plain lines", &written.replace("\u{202e}", ""));
    assert!(written.contains("txet"), "nothing hostile was told at all: {HOSTILE:?}");
}
