//! Splits a stream of bytes into frames: server-sent events, or lines of JSON.
//!
//! The frames are the same wherever the input is split, even within a line ending or a UTF-8
//! character; [`wire`](super::wire) reads their content. Each byte is examined and copied once, so
//! the work is linear however small the pieces. No frame takes more than [`MAX_FRAME_BYTES`].
//!
//! Source: WHATWG HTML, section 9.2.6, with three deliberate differences. Invalid UTF-8 is a fault,
//! not a replacement character. The last event needs no blank line, because some servers omit it.
//! Bare JSON where an event could begin is an event, because some servers break a stream off that
//! way (google-genai 3.4.0, `_RawJsonLineBuffer`).

use std::mem;

use thiserror::Error;

/// The maximum frame size in bytes, so that an endless line cannot exhaust memory.
pub const MAX_FRAME_BYTES: usize = 16 * 1024 * 1024;

/// A byte order mark (U+FEFF in UTF-8), which some servers begin a stream with.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How a protocol frames its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events (WHATWG HTML, section 9.2).
    Sse,
    /// One JSON value per line (NDJSON).
    Lines,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// An event, or a line.
    Data {
        /// The event's name; empty when it has none, and always for lines.
        event: String,
        /// Its data, several `data:` lines joined by a line feed.
        data: String,
    },
    /// A comment, sent as a keep-alive.
    Comment,
}

/// Why a stream cannot be split any further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FrameFault {
    /// Invalid UTF-8.
    #[error("a part of the stream is not UTF-8")]
    NotUtf8,
    /// The stream ended within a character.
    #[error("the stream ended in the middle of a character")]
    CutCharacter,
    /// More than [`MAX_FRAME_BYTES`] without an end.
    #[error("one part of the stream exceeded {} MiB, the maximum", MAX_FRAME_BYTES / (1024 * 1024))]
    TooLong,
}

/// Splits one stream.
#[derive(Debug, Clone)]
pub struct Framer {
    framing: Framing,
    /// The current, incomplete line; bytes, because a character can be split.
    line: Vec<u8>,
    /// No line has ended yet, so this one can begin with a byte order mark.
    is_first_line: bool,
    /// The last byte was a carriage return that ended a line; a line feed right after it belongs to it.
    after_return: bool,
    /// The name of the current event.
    event: String,
    /// The data of the current event; `None` until its first `data` line.
    data: Option<String>,
    /// The current event is bare JSON: every line up to a blank one is data.
    is_bare: bool,
    /// The fault that ended the stream.
    fault: Option<FrameFault>,
}

impl Framer {
    /// Creates a framer at the beginning of a stream.
    pub fn new(framing: Framing) -> Self {
        Self {
            framing,
            line: Vec::new(),
            is_first_line: true,
            after_return: false,
            event: String::new(),
            data: None,
            is_bare: false,
            fault: None,
        }
    }

    /// Takes the next bytes, any number of them, and returns the frames they complete.
    ///
    /// # Errors
    /// The stream cannot be split any further. Frames completed before the fault are returned first
    /// and the fault by the next call; after that every call returns it.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Frame>, FrameFault> {
        self.give(|framer, frames| framer.cut(bytes, frames))
    }

    /// Ends the stream and returns what that completes: a last line without a line feed, a last
    /// event without a blank line.
    ///
    /// # Errors
    /// Like [`Framer::push`]; also when the end cuts a character.
    pub fn finish(&mut self) -> Result<Vec<Frame>, FrameFault> {
        self.give(|framer, frames| {
            let line = mem::take(&mut framer.line);
            if !line.is_empty() {
                let is_cut = str::from_utf8(&line).is_err_and(|error| error.error_len().is_none());
                framer
                    .take_line(&line, frames)
                    .map_err(|fault| if is_cut { FrameFault::CutCharacter } else { fault })?;
            }
            framer.end_event(frames);
            Ok(())
        })
    }

    /// Runs `step`. If it fails after completing frames, stores the fault for the next call.
    fn give(
        &mut self,
        step: impl FnOnce(&mut Self, &mut Vec<Frame>) -> Result<(), FrameFault>,
    ) -> Result<Vec<Frame>, FrameFault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let mut frames = Vec::new();
        if let Err(fault) = step(self, &mut frames) {
            self.fault = Some(fault);
            (self.line, self.data) = (Vec::new(), None);
            if frames.is_empty() {
                return Err(fault);
            }
        }
        Ok(frames)
    }

    fn cut(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) -> Result<(), FrameFault> {
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            if mem::take(&mut self.after_return) && first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let framing = self.framing;
            let Some(end) = rest.iter().position(|&byte| ends_line(framing, byte)) else {
                return self.keep(rest);
            };
            self.after_return = rest[end] == b'\r';
            if self.line.is_empty() {
                self.check_length(end)?;
                self.take_line(&rest[..end], frames)?;
            } else {
                self.keep(&rest[..end])?;
                let mut line = mem::take(&mut self.line);
                self.take_line(&line, frames)?;
                line.clear();
                self.line = line;
            }
            rest = &rest[end + 1..];
        }
        Ok(())
    }

    /// Adds to the current line.
    fn keep(&mut self, part: &[u8]) -> Result<(), FrameFault> {
        self.check_length(part.len())?;
        self.line.extend_from_slice(part);
        Ok(())
    }

    /// Fails when `more` bytes would make the current frame too long. Counts the line and what its
    /// event holds, so the result does not depend on how the input is split.
    fn check_length(&self, more: usize) -> Result<(), FrameFault> {
        let held = self.line.len() + self.event.len() + self.data.as_ref().map_or(0, String::len);
        if held + more > MAX_FRAME_BYTES { Err(FrameFault::TooLong) } else { Ok(()) }
    }

    /// Processes a whole line, without its ending.
    fn take_line(&mut self, line: &[u8], frames: &mut Vec<Frame>) -> Result<(), FrameFault> {
        let may_be_marked = mem::take(&mut self.is_first_line);
        let line = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| may_be_marked).unwrap_or(line);
        let line = str::from_utf8(line).map_err(|_| FrameFault::NotUtf8)?;
        match self.framing {
            Framing::Lines if line.trim().is_empty() => {}
            Framing::Lines => {
                let data = line.strip_suffix('\r').unwrap_or(line).to_owned();
                frames.push(Frame::Data { event: String::new(), data });
            }
            Framing::Sse => self.take_event_line(line, frames),
        }
        Ok(())
    }

    fn take_event_line(&mut self, line: &str, frames: &mut Vec<Frame>) {
        if line.is_empty() {
            return self.end_event(frames);
        }
        let may_begin = self.data.is_none() && self.event.is_empty();
        if self.is_bare || may_begin && line.starts_with(['{', '[']) {
            self.is_bare = true;
            return self.add_data(line);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" => frames.push(Frame::Comment),
            "event" => value.clone_into(&mut self.event),
            "data" => self.add_data(value),
            _ => {} // `id` and `retry` are for reconnecting, which we do not do; unknown fields are ignored.
        }
    }

    fn add_data(&mut self, value: &str) {
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => self.data = Some(value.to_owned()),
        }
    }

    /// Ends the current event; one without data is dropped.
    fn end_event(&mut self, frames: &mut Vec<Frame>) {
        self.is_bare = false;
        let event = mem::take(&mut self.event);
        if let Some(data) = self.data.take() {
            frames.push(Frame::Data { event, data });
        }
    }
}

fn ends_line(framing: Framing, byte: u8) -> bool {
    byte == b'\n' || (byte == b'\r' && framing == Framing::Sse)
}

#[cfg(test)]
mod tests;
