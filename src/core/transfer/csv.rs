//! Records in CSV (RFC 4180): a header, and a row per prompt with lists and objects as JSON.
//!
//! [`crate::text::cell`] encodes and decodes free text. An empty cell is null if the field is
//! nullable; notes that are present but empty are written as one apostrophe.

use std::borrow::Cow;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use super::bytes::{PeekedFile, too_large};
use super::quotes::{QuoteFault, Quotes};
use super::read::{RECORD_BYTES, RawRecord, ReadError, RecordPosition};
use super::record::{FIELDS, SCALARS};
use super::session::{self, PromptRecord};
use crate::api::{Kind, value_of_text};
use crate::domain::write_moment;
use crate::error::{Fault, Result};
use crate::text::cell::{Cell, guarded, unguarded, write_row};
use crate::text::shown::escape_json;

/// More than the library reads ahead.
const BLOCK: u64 = 64 << 10;

/// The columns that a file can have.
#[derive(Clone, Copy)]
pub(super) struct CsvColumns {
    /// The one that it must have.
    pub(super) needed: &'static str,
    /// All of them.
    pub(super) names: fn() -> Vec<&'static str>,
    /// The value of a cell of this column.
    pub(super) value: fn(&str, &str) -> std::result::Result<Value, String>,
}

/// The columns of prompts.
pub(super) const PROMPTS: CsvColumns = CsvColumns { needed: "content", names: || FIELDS.to_vec(), value };

/// Reads records from CSV.
pub(super) struct CsvRecords<R> {
    rows: csv::Reader<Metered<PeekedFile<R>>>,
    left: Arc<AtomicU64>,
    quotes: Arc<Mutex<Quotes>>,
    columns: CsvColumns,
    /// How many lines the library counts too few: of `\r\n`, it leaves the second to the next row.
    uncounted: u64,
    /// The column names; `None` before the first row.
    names: Option<Vec<String>>,
    record: u64,
}

/// Limits the bytes read for one row to those of a record, and follows the quotes.
struct Metered<R> {
    source: R,
    left: Arc<AtomicU64>,
    quotes: Arc<Mutex<Quotes>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left.load(Ordering::Relaxed);
        if left == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let count = self.source.read(&mut buffer[..most])?;
        self.left.store(left - count as u64, Ordering::Relaxed);
        let mut quotes = self.quotes.lock().unwrap_or_else(PoisonError::into_inner);
        if count == 0 && most > 0 {
            quotes.end();
        } else {
            quotes.read(&buffer[..count]);
        }
        Ok(count)
    }
}

impl<R: Read> CsvRecords<R> {
    /// Reads rows; the delimiter is detected from `head`.
    pub(super) fn of(source: PeekedFile<R>, head: &[u8], columns: CsvColumns) -> Self {
        let left = Arc::new(AtomicU64::new(0));
        let header = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let uncounted = u64::from(header.ends_with(b"\r"));
        let between = [b',', b';', b'\t'].into_iter().find(|byte| header.contains(byte)).unwrap_or(b',');
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(between);
        let quotes = Arc::new(Mutex::new(Quotes::of(between)));
        let rows = builder.from_reader(Metered { source, left: Arc::clone(&left), quotes: Arc::clone(&quotes) });
        Self { rows, left, quotes, columns, uncounted, names: None, record: 0 }
    }

    pub(super) fn next(&mut self) -> std::result::Result<Option<RawRecord>, ReadError> {
        let names = match self.names.take() {
            Some(names) => names,
            None => match self.header()? {
                Some(names) => names,
                None => return Ok(None),
            },
        };
        let next = self.row(&names);
        self.names = Some(names);
        next
    }

    fn header(&mut self) -> std::result::Result<Option<Vec<String>>, ReadError> {
        let place = RecordPosition { record: 0, line: Some(1), column: None };
        let Some(cells) = self.cells(place)? else { return Ok(None) };
        if let Some(fault) = self.quote_fault() {
            return Err(ReadError::end(place, fault.message()));
        }
        let names: Vec<String> = cells.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect();
        let CsvColumns { needed, names: known, .. } = self.columns;
        if !names.iter().any(|name| name == needed) {
            let known = known().join(", ");
            let message = format!("the first row names no column `{needed}`; the columns are {known}");
            return Err(ReadError::end(place, message));
        }
        if let Some(twice) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
            return Err(ReadError::end(place, format!("the first row names the column `{}` twice", twice.1)));
        }
        Ok(Some(names))
    }

    /// A quote that does not pair, in what has been read. Nothing after it can be trusted.
    fn quote_fault(&self) -> Option<QuoteFault> {
        let below = self.rows.position().line() + self.uncounted;
        // At the end of the file there may be no further line.
        let below = if self.rows.is_done() { u64::MAX } else { below.max(2) };
        self.quotes.lock().unwrap_or_else(PoisonError::into_inner).fault_above(below)
    }

    fn cells(&mut self, place: RecordPosition) -> std::result::Result<Option<csv::ByteRecord>, ReadError> {
        self.left.store(RECORD_BYTES as u64 + BLOCK, Ordering::Relaxed);
        let mut cells = csv::ByteRecord::new();
        match self.rows.read_byte_record(&mut cells) {
            Ok(true) => Ok(Some(cells)),
            Ok(false) => Ok(None),
            Err(error) => Err(match error.into_kind() {
                csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => too_large(place),
                csv::ErrorKind::Io(error) => ReadError::File(error),
                other => ReadError::end(place, format!("is not a CSV row: {other:?}")),
            }),
        }
    }

    fn row(&mut self, names: &[String]) -> std::result::Result<Option<RawRecord>, ReadError> {
        self.record += 1;
        let place = RecordPosition { record: self.record, line: Some(self.rows.position().line()), column: None };
        let Some(cells) = self.cells(place)? else { return Ok(None) };
        let line = cells.position().map(|at| at.line() + self.uncounted);
        let place = RecordPosition { line: line.or(place.line), ..place };
        if let Some(fault) = self.quote_fault() {
            return Err(ReadError::end(place, fault.message()));
        }
        if cells.len() != names.len() {
            let message = format!("has {} columns, and the first row names {}", cells.len(), names.len());
            return Err(ReadError::record(place, message));
        }
        let (mut members, mut faults) = (Map::new(), Vec::new());
        for (name, cell) in names.iter().zip(&cells) {
            match std::str::from_utf8(cell) {
                Ok(text) => match (self.columns.value)(name, text) {
                    Ok(value) => {
                        members.insert(name.clone(), value);
                    }
                    Err(message) => faults.push(Fault::new(name, message)),
                },
                Err(_) => {
                    faults.push(Fault::new(name, "is not UTF-8 text; convert the file first, for example with iconv"));
                }
            }
        }
        if faults.is_empty() { Ok(Some(RawRecord { members, place })) } else { Err(ReadError::Record(place, faults)) }
    }
}

/// The value of a cell.
fn value(name: &str, text: &str) -> std::result::Result<Value, String> {
    let kind = SCALARS.iter().find(|field| field.name == name).map(|field| field.kind);
    match (name, kind) {
        ("notes", _) => Ok(nullable_from_cell(text)),
        ("content" | "original_input" | "provider" | "model" | "strategy", _) => Ok(Value::from(unguarded(text))),
        _ if text.is_empty() => Ok(Value::Null),
        ("tags", _) if !text.trim_start().starts_with('[') => Ok(value_of_text(SCALARS, name, text)),
        ("tags" | "context" | "steps" | "model_metadata" | session::NAME, _) => {
            serde_json::from_str(text).map_err(|error| format!("is not JSON: {error}"))
        }
        (_, Some(Kind::Integer { .. } | Kind::Number { .. })) => Ok(value_of_text(SCALARS, name, text)),
        _ => Ok(Value::from(unguarded(text))),
    }
}

/// Writes the header.
///
/// # Errors
/// `internal`.
pub(super) fn header(out: &mut String) -> Result<()> {
    write_row(FIELDS.iter().map(Cell::value), out)
}

/// Writes a prompt as a row, in the order of [`FIELDS`].
///
/// # Errors
/// `internal` if it cannot be serialised.
pub(super) fn row(written: &PromptRecord<'_>, out: &mut String) -> Result<()> {
    let prompt = written.prompt;
    let cells = [
        Cell::value(prompt.id),
        Cell::value(prompt.session_id),
        Cell::value(prompt.variant),
        Cell::text(&prompt.content),
        Cell::text(&prompt.original_input),
        Cell::value(prompt.phase),
        Cell::text(&prompt.persona),
        Cell::text(&prompt.provider),
        Cell::text(&prompt.model),
        Cell::value(prompt.temperature),
        Cell::value(prompt.max_tokens),
        json(&prompt.tags)?,
        json(&prompt.context)?,
        Cell::optional(prompt.notes.as_deref().map(nullable_to_cell)),
        Cell::optional(prompt.parent_id),
        Cell::value(prompt.source.as_str()),
        Cell::text(&prompt.strategy),
        Cell::value(prompt.revision),
        Cell::optional(prompt.score),
        Cell::optional(prompt.score_formula),
        json(&prompt.steps)?,
        json(&prompt.model_metadata)?,
        Cell::value(write_moment(prompt.created_at)),
        Cell::value(write_moment(prompt.updated_at)),
        written.session.as_ref().map(json).transpose()?.unwrap_or(Cell::Value(String::new())),
    ];
    write_row(cells, out)
}

fn json(value: &impl serde::Serialize) -> Result<Cell> {
    Ok(Cell::value(escape_json(&session::json(value)?)))
}

fn nullable_to_cell(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| c == '\'') { Cow::Owned(format!("'{text}")) } else { guarded(text) }
}

fn nullable_from_cell(text: &str) -> Value {
    if text.is_empty() {
        Value::Null
    } else if text.chars().all(|c| c == '\'') {
        Value::from(&text[1..])
    } else {
        Value::from(unguarded(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_notes_and_empty_notes_stay_apart() {
        assert_eq!(nullable_from_cell(""), Value::Null);
        for text in ["", "'", "''", "'=", "x"] {
            assert_eq!(nullable_from_cell(&nullable_to_cell(text)), text);
        }
    }
}
