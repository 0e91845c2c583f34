//! Reading a file of prompts record by record, whatever its format.
//!
//! A record that cannot be read leaves the next one readable ([`ReadError::Record`]) wherever the format tells where it begins;
//! after [`ReadError::End`] and [`ReadError::File`] nothing more comes. What a record means is in [`super::record`].

use std::collections::BTreeSet;
use std::io::{self, Read};

use serde_json::{Map, Value};

use super::bytes::{Bytes, without_mark};
use super::csv::CsvRecords;
use super::format::TransferFormat;
use super::json::{JsonLines, JsonRecords};
use super::yaml::YamlRecords;
use crate::error::Fault;

/// The most bytes one record may have in a file: all that can be stored of one prompt fits, in every format.
pub const RECORD_BYTES: usize = 64 << 20;

/// Where in a file a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Which record, from 1.
    pub record: u64,
    /// The line it begins in, from 1, where lines mean anything.
    pub line: Option<u64>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "record {}", self.record)?;
        self.line.map_or(Ok(()), |line| write!(f, " (line {line})"))
    }
}

/// Why a record does not come.
#[derive(Debug)]
pub enum ReadError {
    /// This record is bad; the next one can be read.
    Record(Place, Vec<Fault>),
    /// Nothing after this can be read.
    End(Place, Fault),
    /// The system cannot read the file.
    File(io::Error),
}

impl ReadError {
    /// A fault of this record as a whole.
    pub(super) fn record(place: Place, message: impl Into<String>) -> Self {
        Self::Record(place, vec![Fault::new("", message)])
    }

    /// A fault after which nothing can be read.
    pub(super) fn end(place: Place, message: impl Into<String>) -> Self {
        Self::End(place, Fault::new("", message))
    }
}

/// A record as read: names and values, not checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Raw {
    /// Its members.
    pub members: Map<String, Value>,
    /// Where it is.
    pub place: Place,
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
    Yaml(YamlRecords<R>),
}

impl<R: Read> Reader<R> {
    /// Reads a file of this format; of [`TransferFormat::Markdown`], which nobody can read back, as JSON.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(format: TransferFormat, source: R) -> io::Result<Self> {
        let (source, head) = without_mark(source)?;
        let records = match format {
            TransferFormat::Json | TransferFormat::Markdown => Records::Json(JsonRecords::of(Bytes::of(source))),
            TransferFormat::Jsonl => Records::Jsonl(JsonLines::of(Bytes::of(source))),
            TransferFormat::Csv => Records::Csv(Box::new(CsvRecords::of(source, &head))),
            TransferFormat::Yaml => Records::Yaml(YamlRecords::of(Bytes::of(source))),
        };
        Ok(Self { records, is_done: false })
    }

    /// Names beside the records that stood in the file and say something: of `list`'s answer, say.
    pub fn left_out(&self) -> Vec<String> {
        match &self.records {
            Records::Json(records) => records.left_out.iter().cloned().collect(),
            Records::Yaml(records) => records.left_out.iter().cloned().collect(),
            Records::Jsonl(_) | Records::Csv(_) => Vec::new(),
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Raw, ReadError>;

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

/// Names that are told to have been left out.
const NAMES_SHOWN: usize = 20;

/// Characters of such a name that are told.
const NAME_SHOWN: usize = 40;

/// Takes note of a name that is left out, as far as it will be told.
pub(super) fn note(left_out: &mut BTreeSet<String>, name: &str) {
    if left_out.len() < NAMES_SHOWN {
        left_out.insert(name.chars().take(NAME_SHOWN).collect());
    }
}

/// True for a member beside the records that says nothing which the records do not.
pub(super) fn says_nothing(name: &str, value: &Value) -> bool {
    let is_empty = match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    is_empty || matches!(name, "session_id" | "model_metadata" | "total")
}
