//! Cuts a stream of bytes into frames: server-sent events, or lines of JSON.
//!
//! Gives the same frames whatever the splits: in the middle of a line ending, of an event, of a UTF-8 character.
//! Knows nothing of what is in a frame; [`wire`](super::wire) does. A byte is looked at once and kept once, so the work
//! is linear in the stream however small its pieces are, and no frame takes more than [`MAX_FRAME_BYTES`].
//!
//! Source of the events' form: WHATWG HTML, section 9.2.6. Three differences, all on purpose: bytes that are no UTF-8
//! are a fault, where a browser would show a replacement character; an event that the end of the stream cuts off
//! before its blank line is still given, because some servers leave that line out; and bare JSON where an event could
//! begin is an event, because that is how some break a stream off (google-genai 3.4.0, `_RawJsonLineBuffer`).

use std::mem;

use thiserror::Error;

/// The most one frame may hold, in bytes; more is a fault, so that an endless line cannot eat the memory.
pub const MAX_FRAME_BYTES: usize = 16 * 1024 * 1024;

/// Three bytes that some servers begin a stream with and that mean nothing (U+FEFF in UTF-8).
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How a protocol cuts its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events (WHATWG HTML, section 9.2).
    Sse,
    /// One JSON value a line (NDJSON).
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
    /// A comment: a sign of life.
    Comment,
}

/// Why a stream cannot be cut any further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FrameFault {
    /// Bytes that are no UTF-8.
    #[error("a part of the stream is not UTF-8")]
    NotUtf8,
    /// The stream ended within a character.
    #[error("the stream ended in the middle of a character")]
    CutCharacter,
    /// More than [`MAX_FRAME_BYTES`] without an end.
    #[error("one part of the stream exceeded {} MiB, the maximum", MAX_FRAME_BYTES / (1024 * 1024))]
    TooLong,
}

/// Cuts one stream.
#[derive(Debug, Clone)]
pub struct Framer {
    framing: Framing,
    /// What has come of the line at hand; bytes, since a character may be cut.
    line: Vec<u8>,
    /// No line has ended yet, so a byte order mark may stand before this one.
    is_first_line: bool,
    /// The last byte was a carriage return that ended a line; a line feed right after it belongs to it.
    after_return: bool,
    /// The name of the event at hand.
    event: String,
    /// The data of the event at hand; `None` until a `data` line came.
    data: Option<String>,
    /// The event at hand is bare JSON: every line is data up to a blank one.
    is_bare: bool,
    /// Why nothing more is taken.
    fault: Option<FrameFault>,
}

impl Framer {
    /// A framer at the beginning of a stream.
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

    /// Takes the next bytes, any number of them, and gives the frames that are complete with them.
    ///
    /// # Errors
    /// Nothing more can be cut. Frames that were complete before the fault are given first, and the fault by the next
    /// call; once there is a fault, every call ends with it.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Frame>, FrameFault> {
        self.give(|framer, frames| framer.cut(bytes, frames))
    }

    /// The stream has ended: gives what its end completes, a last line without a line feed, a last event without a
    /// blank line.
    ///
    /// # Errors
    /// As [`Framer::push`]; also when the end cuts a character.
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

    /// Runs `step`, and keeps its fault for the next call when there are frames to give before it.
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

    /// Keeps a part of the line at hand.
    fn keep(&mut self, part: &[u8]) -> Result<(), FrameFault> {
        self.check_length(part.len())?;
        self.line.extend_from_slice(part);
        Ok(())
    }

    /// A fault when `more` bytes make the frame at hand too long. What counts is the line and what its event holds, so
    /// the outcome is the same whatever the splits.
    fn check_length(&self, more: usize) -> Result<(), FrameFault> {
        let held = self.line.len() + self.event.len() + self.data.as_ref().map_or(0, String::len);
        if held + more > MAX_FRAME_BYTES { Err(FrameFault::TooLong) } else { Ok(()) }
    }

    /// Takes a whole line, without its ending.
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
            _ => {} // `id` and `retry` are for reconnecting, which nobody does here; all else is to be ignored.
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

    /// Gives the event at hand; one without data is dropped.
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
