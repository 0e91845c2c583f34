//! Line input and output: the plain workbench's only use of the terminal.
//!
//! The terminal stays in the shell's mode, so its line editing works, and so do screen readers. All
//! output passes [`safe`] here: no cursor movement or colour gets through, even from a model.

use std::io::{self, BufRead, Read as _, Write};

use aludel_core::domain::limits;
use tokio::sync::mpsc;

use crate::tui::widgets::safe::{safe, safe_line, typed};

/// Input from the user or the system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LineEvent {
    /// A line was typed.
    Line(String),
    /// `^C`.
    Interrupt,
    /// `^D`: the end of the input, perhaps only for now.
    End,
    /// The system asks the program to end.
    Stop,
}

/// Sends lines until the input ends for good or the receiver is gone. Blocks.
pub(super) fn read_lines(mut input: impl BufRead, heard: &mpsc::Sender<LineEvent>) {
    let mut ends = 0;
    // A terminal continues after `^D`; a real end repeats.
    while ends < 2 {
        let mut bytes = Vec::new();
        // Input without line breaks is read in pieces, which bounds the memory used.
        let told = match input.by_ref().take(limits::BODY_BYTES as u64).read_until(b'\n', &mut bytes) {
            Ok(1..) => {
                ends = 0;
                finish_character(&mut input, &mut bytes);
                let text = String::from_utf8_lossy(&bytes);
                LineEvent::Line(typed(text.trim_end_matches(['\n', '\r'])))
            }
            Ok(0) => {
                ends += 1;
                LineEvent::End
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => {
                ends = 2;
                LineEvent::Stop
            }
        };
        if heard.blocking_send(told).is_err() {
            return;
        }
    }
}

/// Reads the rest of a character that a piece ends inside. A failure is met again by the next read.
fn finish_character(input: &mut impl BufRead, bytes: &mut Vec<u8>) {
    let is_cut = |bytes: &[u8]| {
        let last = bytes.utf8_chunks().last();
        last.is_some_and(|last| {
            !last.invalid().is_empty() && std::str::from_utf8(last.invalid()).is_err_and(|it| it.error_len().is_none())
        })
    };
    while is_cut(bytes) && matches!(input.by_ref().take(1).read_to_end(bytes), Ok(1)) {}
}

/// Line output.
#[derive(Debug)]
pub(super) struct LineOutput<W> {
    to: W,
}

impl<W: Write> LineOutput<W> {
    /// Writes to `to`.
    pub(super) const fn new(to: W) -> Self {
        Self { to }
    }

    /// Writes one line.
    pub(super) fn say(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.to, "{}", safe_line(text.as_ref()))?;
        self.to.flush()
    }

    /// Writes all lines of a text.
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.to, "{}", safe(text).trim_end_matches('\n'))?;
        self.to.flush()
    }

    /// Writes a prompt for input.
    pub(super) fn ask(&mut self, text: &str) -> io::Result<()> {
        write!(self.to, "{}", safe(text))?;
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(input: &[u8]) -> Vec<LineEvent> {
        let (sender, mut receiver) = mpsc::channel(64);
        read_lines(input, &sender);
        drop(sender);
        std::iter::from_fn(|| receiver.blocking_recv()).collect()
    }

    #[test]
    fn lines_come_without_their_ends_and_the_end_comes_twice() {
        let line = |text: &str| LineEvent::Line(text.into());
        assert_eq!(
            heard(b"one\r\ntwo\n\nlast"),
            [line("one"), line("two"), line(""), line("last"), LineEvent::End, LineEvent::End]
        );
    }

    #[test]
    fn what_is_no_text_or_no_key_for_a_text_is_made_safe() {
        assert_eq!(heard(b"a\x1b[Ab\xffc\n")[0], LineEvent::Line("ab\u{fffd}c".into()));
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let text = "\u{20ac}".repeat(limits::BODY_BYTES / 3 + 2);
        assert_ne!(limits::BODY_BYTES % 3, 0);
        let lines = heard(text.as_bytes());
        let whole: String =
            lines.iter().map(|line| if let LineEvent::Line(text) = line { text.as_str() } else { "" }).collect();
        assert!(lines.len() == 4 && whole == text, "{} lines", lines.len());
    }

    #[test]
    fn nobody_listening_ends_the_reading() {
        let (sender, receiver) = mpsc::channel(1);
        drop(receiver);
        read_lines(&b"one\ntwo\n"[..], &sender);
    }

    #[test]
    fn whatever_is_written_is_safe() {
        let mut written = Vec::new();
        let mut out = LineOutput::new(&mut written);
        out.say("one \u{1b}[31mred\nand \u{1b}]52;c;ZXZpbA==\u{7}two").unwrap();
        out.text("three\u{1b}[2J\nfour\r\n\n").unwrap();
        out.ask("> \u{9b}5n").unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), "one red and two\nthree\nfour\n> ");
    }
}
