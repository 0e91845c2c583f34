//! What a panic leaves on the terminal. The test program runs itself on a pseudo-terminal and
//! panics there; its output is then read as a terminal reads it.
//!
//! The product cannot panic on demand; the ignored tests here are the programs that do.

use std::io::Read;
use std::num::NonZeroU16;
use std::path::PathBuf;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use super::modes::Mouse;
use super::{Clipboard, ClipboardEnvironment, Editor, Screen, Surface, modes};
use crate::tui::testing::Bench;
use crate::tui::theme::Theme;

const COLUMNS: u16 = 100;
const ROWS: u16 = 30;

/// Runs the ignored test `name` on its own terminal, and returns its output.
fn on_a_terminal(name: &str) -> String {
    let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("tui::terminal::panicking::{name}"), "--ignored", "--nocapture"]);
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut written = Vec::new();
    // On some systems a terminal without writers ends with an error; what came before is kept.
    _ = pair.master.try_clone_reader().unwrap().read_to_end(&mut written);
    assert!(child.wait().unwrap().success(), "{}", String::from_utf8_lossy(&written));
    String::from_utf8(written).unwrap()
}

/// Asserts that the terminal was entered and fully restored once, with `said` printed after that.
#[track_caller]
fn assert_given_back(written: &str, said: &str) {
    let (_, after_entering) = written.split_once("\u{1b}[?1049h").expect("the terminal is taken");
    let (_, after) = after_entering.split_once("\u{1b}[?1049l").expect("the terminal is given back");
    assert!(!after.contains("\u{1b}[?1049"), "it is taken or given back twice: {after:?}");
    let (_, after_message) = after.split_once(said).unwrap_or_else(|| panic!("{said:?} is not said: {after:?}"));
    // A terminal still in raw mode adds no carriage return.
    assert!(after_message.contains("\r\n"), "the terminal is still raw: {after:?}");
    let nonzero = |count| NonZeroU16::new(count).unwrap();
    let mut terminal = vt100::Parser::new(nonzero(ROWS), nonzero(COLUMNS), 0);
    terminal.process(written.as_bytes());
    let screen = terminal.screen();
    assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste(), "modes are still on");
    assert!(screen.contents().contains(said), "{}", screen.contents());
}

#[test]
fn a_panic_gives_the_terminal_back_and_says_so() {
    assert_given_back(&on_a_terminal("panics_while_it_has_the_terminal"), "a defect in the loop");
}

#[test]
fn a_panic_beside_the_loop_gives_the_terminal_back_and_nothing_is_drawn_after_it() {
    let written = on_a_terminal("panics_beside_the_loop");
    assert_given_back(&written, "a defect beside the loop");
    assert_given_back(&written, "refused: a part of the program panicked; the terminal was restored");
    let (_, after) = written.split_once("a defect beside the loop").unwrap();
    assert!(!after.contains("Workbench"), "a frame came after the panic: {after:?}");
}

#[test]
#[ignore = "the program that its sibling runs on a terminal"]
#[should_panic(expected = "a defect in the loop")]
fn panics_while_it_has_the_terminal() {
    modes::enter().unwrap();
    panic!("a defect in the loop");
}

#[test]
#[ignore = "the program that its sibling runs on a terminal"]
fn panics_beside_the_loop() {
    let model = Bench::new(COLUMNS, ROWS).model;
    let clipboard = Clipboard::new(ClipboardEnvironment::default(), (PathBuf::new(), String::new()));
    let mut screen = Screen::enter(Theme::mono(), Mouse::Terminals, Editor::default(), clipboard).unwrap();
    screen.draw(&model).unwrap();
    std::thread::spawn(|| panic!("a defect beside the loop")).join().unwrap_err();
    println!("refused: {}", screen.draw(&model).unwrap_err());
}
