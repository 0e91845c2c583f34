//! Cuts a stream of bytes into frames: server-sent events, or lines of JSON.
//!
//! Gives the same frames whatever the splits: in the middle of a line ending, of an event, of a UTF-8 character.
//! Knows nothing of what is in a frame; [`wire`](super::wire) does.

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
