//! The stream framer: splits do not matter, frames add nothing, and written frames round-trip.

use std::fmt::Write as _;

use aludel_core::provider::frame::{Frame, FrameFault, Framer, Framing};

use crate::tape::{self, Tape};

const WORDS: &[&str] = &[
    "data:",
    "data: ",
    "event:",
    "event: a",
    "id: 1",
    ":",
    ": ping",
    "{",
    "[1,",
    "}",
    "\n\n",
    "\r\n",
    "\r",
    "\r\n\r\n",
    "[DONE]",
    "{\"a\":1}",
    "retry: 5",
    "\u{feff}",
    "data",
    "é",
];

/// Every frame of the pieces, and the fault that ends them.
fn cut(framing: Framing, pieces: &[&[u8]]) -> (Vec<Frame>, Option<FrameFault>) {
    let (mut framer, mut frames) = (Framer::new(framing), Vec::new());
    for piece in pieces {
        match framer.push(piece) {
            Ok(more) => frames.extend(more),
            Err(fault) => return (frames, Some(fault)),
        }
    }
    // A fault after frames is returned by a later call: this one or the next.
    for _ in 0..2 {
        match framer.finish() {
            Ok(more) => frames.extend(more),
            Err(fault) => return (frames, Some(fault)),
        }
    }
    (frames, None)
}

#[test]
fn frame() {
    bolero::check!(name = "frame").with_max_len(1024).for_each(|input: &[u8]| {
        let (head, rest) = input.split_at(input.len().min(24));
        let stream = tape::bytes(rest, WORDS);
        for framing in [Framing::Sse, Framing::Lines] {
            let whole = cut(framing, &[&stream]);
            assert_eq!(cut(framing, &tape::pieces(&mut Tape(head), &stream)), whole);
            let single: Vec<&[u8]> = stream.chunks(1).collect();
            assert_eq!(cut(framing, &single), whole);
            let size = |frame: &Frame| match frame {
                Frame::Data { event, data } => event.len() + data.len(),
                Frame::Comment => 0,
            };
            assert!(whole.0.iter().map(size).sum::<usize>() <= stream.len());
            assert!(whole.0.len() <= stream.len());
        }
        comes_back(&stream);
    });
}

/// Writes each line of `stream` as its own event, as in WHATWG HTML, section 9.2.6.
fn comes_back(stream: &[u8]) {
    let text = String::from_utf8_lossy(stream);
    let lines: Vec<&str> = text.split(['\r', '\n']).filter(|line| !line.is_empty()).collect();
    let mut written = String::new();
    for line in &lines {
        write!(written, "event: e\ndata: {line}\ndata: {line}\n\n").expect("memory");
    }
    let wanted: Vec<Frame> =
        lines.iter().map(|line| Frame::Data { event: "e".to_owned(), data: format!("{line}\n{line}") }).collect();
    assert_eq!(cut(Framing::Sse, &[written.as_bytes()]), (wanted, None));
}
