//! CSV cells (RFC 4180) that are safe in spreadsheets and terminals, and round-trip exactly.
//!
//! Spreadsheets evaluate cells that begin with `=`, `+`, `-`, `@` or a control character, so such
//! text gets a leading apostrophe, which spreadsheets hide; text that already has apostrophes
//! before such a character gets one more. Reading removes exactly one there and nowhere else.
//!
//! Text with hidden characters ([`shown`](super::shown)) is written after `'\`, with each of them
//! as `\u{1b}` and each backslash doubled. Reading decodes only cells that encoding can produce,
//! and a text that looks like one is encoded too.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};

use super::shown::{Piece, Pieces, has_hidden};
use crate::error::{Error, Result};

/// The prefix of text with hidden characters.
const MARK: &str = "'\\";

/// A CSV cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// Free text, which is guarded.
    Text(String),
    /// A number, a moment, an id or JSON, written as it is.
    Value(String),
}

impl Cell {
    /// Free text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A generated value.
    pub fn value(value: impl Display) -> Self {
        Self::Value(value.to_string())
    }

    /// A generated value, empty for `None`.
    pub fn optional(value: Option<impl Display>) -> Self {
        value.map_or_else(|| Self::Value(String::new()), Self::value)
    }
}

/// Appends a row.
///
/// # Errors
/// `internal` if it cannot be serialised.
pub fn write_row(cells: impl IntoIterator<Item = Cell>, out: &mut String) -> Result<()> {
    let failed = |error: &dyn Display| Error::Internal(format!("a row cannot be serialized: {error}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    let cells = cells.into_iter().map(|cell| match cell {
        Cell::Text(text) => guarded(&text).into_owned(),
        Cell::Value(value) => value,
    });
    writer.write_record(cells.map(String::into_bytes)).map_err(|error| failed(&error))?;
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    out.push_str(&String::from_utf8(bytes).map_err(|error| failed(&error))?);
    Ok(())
}

/// Encodes a text as a cell.
pub fn guarded(text: &str) -> Cow<'_, str> {
    if has_hidden(text) || uncoded(text).is_some() {
        Cow::Owned(coded(text))
    } else if may_run(text) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Decodes a cell: the inverse of [`guarded`].
pub fn unguarded(cell: &str) -> Cow<'_, str> {
    match uncoded(cell) {
        Some(text) => Cow::Owned(text),
        None => Cow::Borrowed(cell.strip_prefix('\'').filter(|_| may_run(cell)).unwrap_or(cell)),
    }
}

/// True for text that a spreadsheet would evaluate but for its leading apostrophes.
fn may_run(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r', '\n'])
}

fn coded(text: &str) -> String {
    let mut cell = String::with_capacity(text.len() + 16);
    cell.push_str(MARK);
    for piece in Pieces::of(text) {
        match piece {
            Piece::Text(text) => cell.push_str(&text.replace('\\', "\\\\")),
            // Writing into memory cannot fail.
            Piece::Hidden(c) => drop(write!(cell, "\\u{{{:x}}}", u32::from(c))),
        }
    }
    cell
}

/// Decodes text that [`guarded`] wrote with [`coded`]; `None` for any other cell.
fn uncoded(cell: &str) -> Option<String> {
    let mut rest = cell.strip_prefix(MARK)?;
    let mut text = String::with_capacity(rest.len());
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('\\') {
            text.push('\\');
            rest = behind;
        } else {
            let (code, behind) = rest.strip_prefix("u{")?.split_once('}')?;
            text.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
            rest = behind;
        }
    }
    text.push_str(rest);
    let is_ours = (has_hidden(&text) || uncoded(&text).is_some()) && coded(&text) == cell;
    is_ours.then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_spreadsheet_would_run_is_guarded_and_comes_back() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("'=1", "''=1"),
            ("-", "'-"),
            ("\tx", "'\tx"),
            ("'twas", "'twas"),
            ("", ""),
            ("'", "'"),
            ("plain", "plain"),
        ] {
            assert_eq!(guarded(text), cell);
            assert_eq!(unguarded(cell), text);
        }
    }

    #[test]
    fn what_is_hidden_is_written_visibly_and_comes_back() {
        for (text, cell) in [
            ("\u{1b}[2J", "'\\\\u{1b}[2J"),
            ("=\u{202e}1", "'\\=\\u{202e}1"),
            ("a\\b\rc", "'\\a\\\\b\\u{d}c"),
            ("lines\r\nof Windows", "lines\r\nof Windows"),
            ("'\\\\u{1b}", "'\\'\\\\\\\\u{1b}"),
        ] {
            assert_eq!(guarded(text), cell);
            assert_eq!(unguarded(cell), text);
        }
    }

    #[test]
    fn cells_that_only_look_coded_stay() {
        for cell in ["'\\n'", "'\\u{1b}", "'\\a\\u{41}", "'\\a\\u{1B}", "use \\u{1b}[2J", "'\\x\\", "'\\plain \\\\"] {
            assert_eq!(unguarded(cell), cell);
            assert_eq!(unguarded(&guarded(cell)), cell);
        }
    }

    #[test]
    fn values_of_ours_are_not_guarded() {
        let mut row = String::new();
        write_row(
            [Cell::value(-1.5), Cell::text("-1.5"), Cell::optional(None::<u64>), Cell::text("a,\"b\"")],
            &mut row,
        )
        .unwrap();
        assert_eq!(row, "-1.5,'-1.5,,\"a,\"\"b\"\"\"\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_text_comes_back_from_a_cell_that_drives_nothing(
            text in prop_oneof![
                any::<String>(),
                "('|\\\\|=|-|\\r|\\n|\\t|u\\{1b\\}|\u{1b}|\u{202e}|\u{e0041}|x|,|\"){0,12}",
            ],
        ) {
            let cell = guarded(&text);
            prop_assert_eq!(unguarded(&cell), text.as_str());
            prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']));
            prop_assert!(!has_hidden(&cell));
            let mut row = String::new();
            write_row([Cell::text(&*text), Cell::text("x")], &mut row).unwrap();
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(row.as_bytes());
            let read = reader.records().next().unwrap().unwrap();
            prop_assert_eq!(unguarded(&read[0]), text.as_str());
        }
    }
}
