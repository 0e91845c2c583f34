//! Escaping text for a terminal: nothing hidden is left, nothing visible changes, it is idempotent,
//! and pieces do not matter.

use aludel_core::text::shown::{Escaper, escape, escape_json, escape_line, is_always_hidden};
use serde_json::Value;

use crate::tape::{self, Tape};

const WORDS: &[&str] = &[
    "\u{1b}]0;title\u{7}",
    "\u{1b}[31m",
    "\u{9b}2J",
    "\u{202e}",
    "\u{2066}",
    "\u{e0001}",
    "\u{200d}",
    "\u{fe0f}",
    "\u{200b}",
    "\u{feff}",
    "🏴",
    "\u{e0067}",
    "\u{e0062}",
    "\u{e0065}",
    "\u{e006e}",
    "\u{e007f}",
    "👩",
    "می",
    "\u{200c}",
    "a",
    " ",
    "\r\n",
    "\r",
    "\t",
    "\u{7f}",
    "\u{80}",
    "\u{2028}",
    "\\u{202e}",
    "␛",
    "\u{ad}",
    "\u{115f}",
];

#[test]
fn shown() {
    bolero::check!(name = "shown").with_max_len(1024).for_each(|input: &[u8]| {
        let (head, rest) = input.split_at(input.len().min(16));
        let text = tape::text(rest, WORDS);
        let escaped = escape(&text);
        let is_raw = |c: char| (c.is_control() && !matches!(c, '\n' | '\t' | '\r')) || is_always_hidden(c);
        // A tag character can stay where it belongs to a flag.
        assert!(!escaped.chars().any(|c| is_raw(c) && !('\u{e0020}'..='\u{e007f}').contains(&c)), "{escaped:?}");
        assert_eq!(escape(&escaped), escaped, "once is enough");
        assert!(escaped.len() <= 12 * text.len());
        let visible = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
        assert!(visible(&escaped) >= visible(&text));
        assert!(!escape_line(&text).contains(['\n', '\r', '\t']));

        let value = Value::String(text.clone());
        let json = value.to_string();
        assert_eq!(serde_json::from_str::<Value>(&escape_json(&json)).ok(), Some(value), "the same value to a parser");

        let (mut escaper, mut out) = (Escaper::default(), String::new());
        let mut rest = text.as_str();
        let mut tape = Tape(head);
        while !rest.is_empty() {
            let size = if tape.is_over() { rest.len() } else { rest.floor_char_boundary(usize::from(tape.byte() % 9)) };
            let (piece, more) = rest.split_at(size);
            escaper.push(piece, &mut out);
            rest = more;
        }
        escaper.finish(&mut out);
        assert_eq!(out, escaped, "it reads otherwise in pieces");
    });
}
