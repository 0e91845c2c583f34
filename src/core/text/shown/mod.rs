//! Makes untrusted text safe to show: it cannot move a cursor, retitle a window or hide text.
//!
//! This is the one place that defines hidden characters and their visible form:
//!
//! | character | in text ([`escape`]) | in JSON ([`escape_json`]) |
//! |---|---|---|
//! | C0 controls and DEL | their picture: `␛`, `␇`, `␡` | `\u001b` |
//! | C1 controls, bidi controls, invisible and tag characters | their code point: `\u{202e}` | `\u202e` |
//!
//! Line feeds, tabs and a carriage return before a line feed stay; so do joiners and variation
//! selectors where scripts and emoji need them, and the tags of the three flags Unicode recommends
//! (England, Scotland, Wales): see [`Pieces`]. Escaping is idempotent. Every function here is
//! linear, and copies nothing if there is nothing to escape.

mod escaper;
mod hidden;

use std::borrow::Cow;
use std::fmt::Write as _;

pub use escaper::Escaper;
pub use hidden::{Piece, Pieces, is_always_hidden};

/// `text` with hidden characters made visible.
///
/// ```
/// use aludel_core::text::shown::escape;
/// assert_eq!(escape("a\u{1b}[2J \u{202e}b"), "a␛[2J \\u{202e}b");
/// assert_eq!(escape("می\u{200c}خواهم 👩\u{200d}🔬"), "می\u{200c}خواهم 👩\u{200d}🔬");
/// ```
pub fn escape(text: &str) -> Cow<'_, str> {
    replaced(text, push_visible)
}

/// As [`escape`], on one line: line ends and tabs become pictures too.
pub fn escape_line(text: &str) -> Cow<'_, str> {
    if !text.contains(['\n', '\t', '\r']) {
        return escape(text);
    }
    let mut line = String::with_capacity(text.len() + 16);
    for c in escape(text).chars() {
        if matches!(c, '\n' | '\t' | '\r') { push_visible(c, &mut line) } else { line.push(c) }
    }
    Cow::Owned(line)
}

/// JSON with hidden characters as `\uXXXX`: the same value to parsers (RFC 8259, section 7).
pub fn escape_json(json: &str) -> Cow<'_, str> {
    replaced(json, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing into memory cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// As [`escape_json`], for JSON read as YAML, which has no surrogates (YAML 1.2.2, section 5.7).
pub fn escape_json_as_yaml(json: &str) -> Cow<'_, str> {
    replaced(json, |c, out| {
        let code = u32::from(c);
        let _ = if code > 0xffff { write!(out, "\\U{code:08x}") } else { write!(out, "\\u{code:04x}") };
    })
}

/// As [`escape`], preserving our own style sequences (ECMA-48, SGR).
pub fn escape_around_styles(text: &str) -> Cow<'_, str> {
    if !has_hidden(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        let length = 2 + rest[at + 2..].bytes().take_while(|b| matches!(b, b'0'..=b'9' | b';' | b':')).count();
        let end = if rest[at + length..].starts_with('m') { at + length + 1 } else { at + length };
        out.push_str(&escape(&rest[..at]));
        let sequence = &rest[at..end];
        out.push_str(&if sequence.ends_with('m') { Cow::Borrowed(sequence) } else { escape(sequence) });
        rest = &rest[end..];
    }
    out.push_str(&escape(rest));
    Cow::Owned(out)
}

/// True when [`escape`] would change the text.
pub fn has_hidden(text: &str) -> bool {
    Pieces::of(text).any(|piece| matches!(piece, Piece::Hidden(_)))
}

/// The first character not allowed in a name: a hidden one, a line end or a tab.
pub fn unfit_for_a_name(name: &str) -> Option<char> {
    let unfit = |piece: Piece<'_>| match piece {
        Piece::Hidden(c) => Some(c),
        Piece::Text(text) => text.chars().find(|c| matches!(c, '\n' | '\t' | '\r')),
    };
    Pieces::of(name).find_map(unfit)
}

/// Writes a visible form of a hidden character.
fn push_visible(c: char, out: &mut String) {
    let code = u32::from(c);
    let picture = match code {
        0..0x20 => char::from_u32(0x2400 + code),
        0x7f => Some('\u{2421}'),
        _ => None,
    };
    match picture {
        Some(picture) => out.push(picture),
        // Writing into memory cannot fail.
        None => drop(write!(out, "\\u{{{code:x}}}")),
    }
}

/// The text with each hidden character replaced by what `write` appends.
fn replaced(text: &str, write: impl Fn(char, &mut String)) -> Cow<'_, str> {
    // Most texts, and quickly told.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut pieces = Pieces::of(text);
    let (first, hidden) = match (pieces.next(), pieces.next()) {
        (None, _) | (Some(Piece::Text(_)), None) => return Cow::Borrowed(text),
        (first, second) => (first, second),
    };
    let mut out = String::with_capacity(text.len() + 16);
    for piece in first.into_iter().chain(hidden).chain(pieces) {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Hidden(c) => write(c, &mut out),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests;
