//! Lines in and lines out, with nothing else: what the plain workbench has of a terminal.
//!
//! The terminal stays as the shell left it, so its own line editing works, and so does whatever reads it aloud. Everything
//! that is written passes [`safe`] here, in one place: no cursor movement and no colour can come from anywhere, a model's
//! answer included.

use std::io::{self, BufRead, Read as _, Write};

use aludel_core::api::limits;
use tokio::sync::mpsc;

use crate::tui::widgets::safe::{safe, safe_line, typed};

/// What the person does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Heard {
    /// A line was typed.
    Line(String),
    /// `^C`.
    Interrupt,
    /// `^D`: the input is at its end, for now or for good.
    End,
    /// The system asks the program to end.
    Stop,
}

/// Reads lines and hands them over until the input is at its end for good, or nobody listens. Blocks.
pub(super) fn read_lines(mut input: impl BufRead, heard: &mpsc::Sender<Heard>) {
    let mut ends = 0;
    // A terminal goes on after `^D`; what is truly at its end says so again.
    while ends < 2 {
        let mut bytes = Vec::new();
        // What has no line ends comes in pieces, so that it cannot fill the memory.
        let told = match input.by_ref().take(limits::BODY_BYTES as u64).read_until(b'\n', &mut bytes) {
            Ok(1..) => {
                ends = 0;
                let text = String::from_utf8_lossy(&bytes);
                Heard::Line(typed(text.trim_end_matches(['\n', '\r'])))
            }
            Ok(0) => {
                ends += 1;
                Heard::End
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => {
                ends = 2;
                Heard::Stop
            }
        };
        if heard.blocking_send(told).is_err() {
            return;
        }
    }
}

/// Where lines go.
#[derive(Debug)]
pub(super) struct Out<W> {
    to: W,
}

impl<W: Write> Out<W> {
    /// Lines go to `to`.
    pub(super) const fn new(to: W) -> Self {
        Self { to }
    }

    /// One line.
    pub(super) fn say(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.to, "{}", safe_line(text.as_ref()))?;
        self.to.flush()
    }

    /// As many lines as the text has.
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.to, "{}", safe(text).trim_end_matches('\n'))?;
        self.to.flush()
    }

    /// The beginning of a line that is then typed.
    pub(super) fn ask(&mut self, text: &str) -> io::Result<()> {
        write!(self.to, "{}", safe(text))?;
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(input: &[u8]) -> Vec<Heard> {
        let (sender, mut receiver) = mpsc::channel(64);
        read_lines(input, &sender);
        drop(sender);
        std::iter::from_fn(|| receiver.blocking_recv()).collect()
    }

    #[test]
    fn lines_come_without_their_ends_and_the_end_comes_twice() {
        let line = |text: &str| Heard::Line(text.into());
        assert_eq!(
            heard(b"one\r\ntwo\n\nlast"),
            [line("one"), line("two"), line(""), line("last"), Heard::End, Heard::End]
        );
    }

    #[test]
    fn what_is_no_text_or_no_key_for_a_text_is_made_safe() {
        assert_eq!(heard(b"a\x1b[Ab\xffc\n")[0], Heard::Line("ab\u{fffd}c".into()));
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
        let mut out = Out::new(&mut written);
        out.say("one \u{1b}[31mred\nand \u{1b}]52;c;ZXZpbA==\u{7}two").unwrap();
        out.text("three\u{1b}[2J\nfour\r\n\n").unwrap();
        out.ask("> \u{9b}5n").unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), "one red and two\nthree\nfour\n> ");
    }
}
