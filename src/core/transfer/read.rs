//! Reads a file of prompts record by record, in any format.
//!
//! After a bad record ([`ReadError::Record`]) the next one is read wherever the format shows where
//! it begins; after [`ReadError::End`] and [`ReadError::File`] nothing follows.

use std::collections::BTreeSet;
use std::io::{self, Read};

use serde_json::{Map, Value};

use super::bytes::{Bytes, without_mark};
use super::csv::{self, CsvColumns, CsvRecords};
use super::format::TransferFormat;
use super::json::{JsonLines, JsonRecords};
use super::yaml::YamlRecords;
use crate::error::Fault;

/// Maximum bytes of a record in a file: enough for any stored prompt, in every format.
pub const RECORD_BYTES: usize = 64 << 20;

/// Maximum bytes of a YAML file, which is read at once.
pub const YAML_BYTES: usize = 10 << 20;

/// The position of a record in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordPosition {
    /// The record's number, from 1.
    pub record: u64,
    /// The line it begins in, from 1, if the format has lines.
    pub line: Option<u64>,
    /// The column it begins in, in bytes from 1, if a line can hold several records.
    pub column: Option<u64>,
}

impl RecordPosition {
    /// ` (line 3, column 5)`; empty if the format has no lines.
    pub fn in_file(&self) -> String {
        let column = self.column.map(|column| format!(", column {column}")).unwrap_or_default();
        self.line.map(|line| format!(" (line {line}{column})")).unwrap_or_default()
    }
}

impl std::fmt::Display for RecordPosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "record {}{}", self.record, self.in_file())
    }
}

/// Why a record cannot be read.
#[derive(Debug)]
pub enum ReadError {
    /// This record is bad; reading can continue.
    Record(RecordPosition, Vec<Fault>),
    /// Nothing after this can be read.
    End(RecordPosition, Fault),
    /// An I/O error.
    File(io::Error),
}

impl ReadError {
    /// A fault of the record as a whole.
    pub(super) fn record(place: RecordPosition, message: impl Into<String>) -> Self {
        Self::Record(place, vec![Fault::new("", message)])
    }

    /// A fault that ends reading.
    pub(super) fn end(place: RecordPosition, message: impl Into<String>) -> Self {
        Self::End(place, Fault::new("", message))
    }
}

/// A record as read: names and values, unchecked.
#[derive(Debug, Clone, PartialEq)]
pub struct RawRecord {
    /// Its members.
    pub members: Map<String, Value>,
    /// Its position.
    pub place: RecordPosition,
}

/// Reads records from a file.
pub struct Reader<R> {
    records: Records<R>,
    is_done: bool,
}

enum Records<R> {
    Json(JsonRecords<R>),
    Jsonl(JsonLines<R>),
    Csv(Box<CsvRecords<R>>),
    Yaml(YamlRecords),
}

impl<R: Read> Reader<R> {
    /// Reads a file in this format; [`TransferFormat::Markdown`], which cannot be read, as JSON.
    ///
    /// # Errors
    /// The I/O error; [`io::ErrorKind::FileTooLarge`] for YAML over [`YAML_BYTES`].
    pub fn new(format: TransferFormat, source: R) -> io::Result<Self> {
        Self::of_columns(format, source, csv::PROMPTS)
    }

    /// As [`Reader::new`], with these columns in CSV.
    pub(super) fn of_columns(format: TransferFormat, source: R, columns: CsvColumns) -> io::Result<Self> {
        let (source, head) = without_mark(source)?;
        let records = match format {
            TransferFormat::Json | TransferFormat::Markdown => Records::Json(JsonRecords::of(Bytes::of(source))),
            TransferFormat::Jsonl => Records::Jsonl(JsonLines::of(Bytes::of(source))),
            TransferFormat::Csv => Records::Csv(Box::new(CsvRecords::of(source, &head, columns))),
            TransferFormat::Yaml => Records::Yaml(YamlRecords::of(source)?),
        };
        Ok(Self { records, is_done: false })
    }

    /// Names of members next to the records that have content, such as those of a `list` response.
    pub fn left_out(&self) -> Vec<String> {
        match &self.records {
            Records::Json(records) => records.left_out.iter().cloned().collect(),
            Records::Yaml(records) => records.left_out.iter().cloned().collect(),
            Records::Jsonl(_) | Records::Csv(_) => Vec::new(),
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<RawRecord, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let next = match &mut self.records {
            Records::Json(records) => records.next(),
            Records::Jsonl(records) => records.next(),
            Records::Csv(records) => records.next(),
            Records::Yaml(records) => records.next(),
        };
        self.is_done = !matches!(next, Ok(Some(_)) | Err(ReadError::Record(..)));
        next.transpose()
    }
}

/// Maximum skipped or unknown names reported.
pub(super) const NAMES_SHOWN: usize = 20;

/// Characters of such a name reported.
pub(super) const NAME_SHOWN: usize = 40;

/// Records a skipped name, up to the reported number.
pub(super) fn note(left_out: &mut BTreeSet<String>, name: &str) {
    if left_out.len() < NAMES_SHOWN {
        left_out.insert(name.chars().take(NAME_SHOWN).collect());
    }
}

/// True for a member next to the records that adds nothing to them.
pub(super) fn says_nothing(name: &str, value: &Value) -> bool {
    let is_empty = match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    is_empty || matches!(name, "session_id" | "model_metadata" | "total")
}
