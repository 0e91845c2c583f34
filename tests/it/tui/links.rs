//! The workbench over a slow connection: text arrives all the time, and keys do not wait for it.
//!
//! Nothing here asserts durations. The bytes sent between a key and its glyph are counted, and on a
//! connection of known speed bytes are time.

use std::time::Duration;

use super::Pty;
use crate::support::Home;

/// Bytes a second.
const LINE: u64 = 10_000;
/// Bytes sent in a quarter second.
const QUARTER: usize = 2_500;

#[test]
fn over_a_slow_line_half_of_the_keys_wait_for_less_than_a_quarter_second_of_bytes() {
    let home = Home::new();
    home.sim("model", "answer: {words: 5000}\npacing: {first_token_ms: 20, tokens_per_s: 60}\n");
    let mut pty = Pty::workbench_over(&home, LINE);
    pty.wait_for("Nothing here yet");
    pty.type_text("Review changes");
    pty.send("\n");
    pty.wait_for("slow link: page follow");
    // A full pane has scrolled; from then on each does.
    pty.wait_for("▴");
    pty.send("i");
    let mut waited = Vec::new();
    for letter in 'ก'..='ด' {
        // Text continues meanwhile, and keys are out of step with it.
        pty.watch(Duration::from_millis(350 + u64::from(u32::from(letter)) * 37 % 211));
        pty.send(&letter.to_string());
        let before = pty.written.len();
        pty.wait_for(&letter.to_string());
        waited.push(pty.written.len() - before);
    }
    waited.sort_unstable();
    assert!(waited[waited.len() / 2] < QUARTER, "{waited:?}");
}

#[test]
fn what_a_slow_line_changes_is_said_once() {
    let home = Home::new();
    let run = |home: &Home| {
        let mut pty = Pty::workbench_with(home, &[("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22")]);
        pty.wait_for("Nothing here yet");
        pty.type_text("Review changes");
        pty.send("\n");
        pty.wait_for("★");
        let screen = pty.screen();
        pty.send("\u{11}");
        assert_eq!(pty.end(), 0);
        screen
    };
    let (first, second) = (run(&home), run(&home));
    assert!(first.contains("slow link: page follow, 8 frames a second"), "{first}");
    assert!(!second.contains("slow link"), "{second}");
}
