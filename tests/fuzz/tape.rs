//! Turns random bytes into texts of a target's own words, JSON of them, and places to split.
//!
//! Uniform bytes rarely pass a reader's first check, so most inputs are composed of such words.

use serde_json::{Map, Value};

/// Oddities to mix into every text.
const ODD: [&str; 12] =
    ["\u{feff}", "\u{1b}[2J", "\u{202e}", "\u{0}", "é", "漢字", "👩‍🔬", "\r", "\u{85}", "\u{2028}", "aB", "\u{e0041}"];

/// Bytes that make one decision after the other, then zeros.
#[derive(Debug)]
pub(crate) struct Tape<'b>(pub(crate) &'b [u8]);

impl Tape<'_> {
    pub(crate) fn byte(&mut self) -> u8 {
        self.0.split_off_first().copied().unwrap_or_default()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % count.max(1)
    }

    pub(crate) fn word<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.below(words.len())]
    }
}

/// The input of a target: raw after a `0`, else composed of `words`.
pub(crate) fn bytes(input: &[u8], words: &[&str]) -> Vec<u8> {
    match input.split_first() {
        Some((b'0', rest)) => rest.to_vec(),
        Some((_, rest)) => composed(&mut Tape(rest), words),
        None => Vec::new(),
    }
}

/// As [`bytes`], with U+FFFD for invalid UTF-8.
pub(crate) fn text(input: &[u8], words: &[&str]) -> String {
    String::from_utf8_lossy(&bytes(input, words)).into_owned()
}

fn composed(tape: &mut Tape<'_>, words: &[&str]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut last: &[u8] = b"";
    while !tape.is_over() && out.len() < 100_000 {
        let token: &[u8] = match tape.byte() {
            0..=175 => tape.word(words).as_bytes(),
            176..=183 => {
                let times = tape.below(60);
                out.extend(last.repeat(times));
                continue;
            }
            184..=207 => b" ",
            208..=223 => b"\n",
            224..=239 => tape.word(&ODD).as_bytes(),
            240..=249 => {
                out.push(tape.byte());
                continue;
            }
            _ => b"\n  ",
        };
        out.extend_from_slice(token);
        last = token;
    }
    out
}

/// Any JSON whose names and texts are mostly `words`, at most `depth` levels deep.
pub(crate) fn json(tape: &mut Tape<'_>, words: &[&str], depth: usize) -> Value {
    let kind = tape.byte() % if depth == 0 { 8 } else { 14 };
    match kind {
        0 => Value::Null,
        1 => Value::Bool(tape.byte() & 1 == 1),
        2 => Value::from(tape.byte()),
        3 => Value::from(i64::from(tape.byte()) - 128),
        4 => Value::from(f64::from(tape.byte()) * 1e305 * f64::from(tape.byte())),
        5 => Value::from(u64::MAX - u64::from(tape.byte())),
        6 | 7 => Value::from(phrase(tape, words)),
        8..=10 => {
            let count = tape.below(5);
            (0..count).map(|_| json(tape, words, depth - 1)).collect()
        }
        _ => object(tape, words, depth - 1),
    }
}

/// An object of `words`.
pub(crate) fn object(tape: &mut Tape<'_>, words: &[&str], depth: usize) -> Value {
    let count = tape.below(9);
    let member = |tape: &mut Tape<'_>| (tape.word(words).to_owned(), json(tape, words, depth));
    Value::Object((0..count).map(|_| member(tape)).collect::<Map<_, _>>())
}

/// A text of a few words, sometimes very long.
fn phrase(tape: &mut Tape<'_>, words: &[&str]) -> String {
    match tape.byte() {
        0..=199 => tape.word(words).to_owned(),
        200..=229 => format!("{}{}", tape.word(words), tape.word(&ODD)),
        230..=239 => tape.word(words).repeat(tape.below(300)),
        _ => String::new(),
    }
}

/// Splits `whole` as the tape decides. The pieces always add up to all of it.
pub(crate) fn pieces<'w>(tape: &mut Tape<'_>, mut whole: &'w [u8]) -> Vec<&'w [u8]> {
    let mut pieces = Vec::new();
    while !whole.is_empty() {
        let size = if tape.is_over() { whole.len() } else { usize::from(tape.byte() % 19).min(whole.len()) };
        let (piece, rest) = whole.split_at(size);
        pieces.push(piece);
        whole = rest;
    }
    pieces
}
