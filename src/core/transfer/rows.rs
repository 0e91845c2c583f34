//! Reads the rows of a batch: text with one request a line, JSON, JSON lines, CSV or YAML.
//!
//! A row is an object with the fields of a generation request and, optionally, an `id`. In CSV the
//! first row names the fields; an empty cell leaves its field out.

use std::io::{self, Read};
use std::path::Path;

use serde_json::{Map, Value};

use super::bytes::{Bytes, without_mark};
use super::csv::CsvColumns;
use super::format::TransferFormat;
use super::read::{RawRecord, ReadError, Reader, RecordPosition};
use crate::api::{GenerateRequest, Request, value_of_text};

/// The field of a row that every row has.
const INPUT: &str = "input";

/// The columns of rows in CSV.
const COLUMNS: CsvColumns = CsvColumns { needed: INPUT, names: column_names, value: cell };

/// A format of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFormat {
    /// A request a line; blank lines are skipped.
    Text,
    /// One list, or one object after the other.
    Json,
    /// An object a line.
    Jsonl,
    /// A row each, below one with the names of the fields.
    Csv,
    /// A document each, or one list.
    Yaml,
}

impl RowFormat {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Text, Self::Json, Self::Jsonl, Self::Csv, Self::Yaml];

    /// The name for users.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Yaml => "yaml",
        }
    }

    /// The inverse of [`RowFormat::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == text)
    }

    /// Detects the format from the file's name, else from its first bytes. What is nothing else is
    /// text.
    pub fn tell(name: &Path, head: &[u8]) -> Self {
        let extension = name.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        match extension.as_deref() {
            Some("txt" | "text" | "md" | "markdown") => Self::Text,
            Some("json") => Self::Json,
            Some("jsonl" | "ndjson") => Self::Jsonl,
            Some("csv" | "tsv") => Self::Csv,
            Some("yaml" | "yml") => Self::Yaml,
            _ => Self::of_head(head),
        }
    }

    fn of_head(head: &[u8]) -> Self {
        let head = String::from_utf8_lossy(head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head));
        let first = head.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let mut columns = first.split([',', ';', '\t']).map(|name| name.trim().trim_matches('"'));
        match first.trim_start().chars().next() {
            Some('{' | '[') => Self::Json,
            _ if first.trim_end() == "---" || first.starts_with("- input:") || first.starts_with("- id:") => Self::Yaml,
            _ if columns.clone().count() > 1 && columns.any(|name| name == INPUT) => Self::Csv,
            _ => Self::Text,
        }
    }

    fn of_records(self) -> Option<TransferFormat> {
        match self {
            Self::Text => None,
            Self::Json => Some(TransferFormat::Json),
            Self::Jsonl => Some(TransferFormat::Jsonl),
            Self::Csv => Some(TransferFormat::Csv),
            Self::Yaml => Some(TransferFormat::Yaml),
        }
    }
}

/// Reads rows.
pub struct RowReader<R>(Rows<R>);

enum Rows<R> {
    Records(Box<Reader<R>>),
    Lines { bytes: Bytes<R>, record: u64, is_done: bool },
}

impl<R: Read> RowReader<R> {
    /// Reads rows in this format.
    ///
    /// # Errors
    /// The I/O error; [`io::ErrorKind::FileTooLarge`] for YAML over
    /// [`YAML_BYTES`](super::YAML_BYTES).
    pub fn new(format: RowFormat, source: R) -> io::Result<Self> {
        Ok(Self(match format.of_records() {
            Some(format) => Rows::Records(Box::new(Reader::of_columns(format, source, COLUMNS)?)),
            None => Rows::Lines { bytes: Bytes::of(without_mark(source)?.0), record: 0, is_done: false },
        }))
    }
}

impl<R: Read> Iterator for RowReader<R> {
    type Item = Result<RawRecord, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Rows::Records(records) => records.next(),
            Rows::Lines { is_done: true, .. } => None,
            Rows::Lines { bytes, record, is_done } => {
                let next = line(bytes, record).transpose();
                *is_done = !matches!(next, Some(Ok(_) | Err(ReadError::Record(..))));
                next
            }
        }
    }
}

/// The next line that is not blank, as a row.
fn line<R: Read>(bytes: &mut Bytes<R>, record: &mut u64) -> Result<Option<RawRecord>, ReadError> {
    loop {
        let place = RecordPosition { record: *record + 1, line: Some(bytes.line), column: None };
        let mut line = Vec::new();
        if !bytes.line(&mut line, place)? {
            return Ok(None);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        *record += 1;
        let Ok(text) = std::str::from_utf8(&line) else {
            return Err(ReadError::record(place, "is not UTF-8 text; convert the file first, for example with iconv"));
        };
        let text = text.trim_end_matches(['\n', '\r']);
        let members = Map::from_iter([(INPUT.to_owned(), Value::from(text))]);
        return Ok(Some(RawRecord { members, place }));
    }
}

fn column_names() -> Vec<&'static str> {
    std::iter::once("id").chain(GenerateRequest::FIELDS.iter().map(|field| field.name)).collect()
}

/// The value of a cell; null if it is empty.
fn cell(name: &str, text: &str) -> Result<Value, String> {
    match name {
        _ if text.is_empty() => Ok(Value::Null),
        "id" | INPUT => Ok(Value::from(text)),
        // Texts can hold commas, so several are JSON.
        "context" if text.trim_start().starts_with('[') => {
            serde_json::from_str(text).map_err(|error| format!("is not JSON: {error}"))
        }
        "context" => Ok(Value::from(vec![text])),
        _ => Ok(value_of_text(GenerateRequest::FIELDS, name, text)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The rows as JSON, or what is wrong with them and where.
    fn rows(format: RowFormat, text: &[u8]) -> Vec<Value> {
        let read = RowReader::new(format, text).unwrap();
        read.map(|row| match row {
            Ok(row) => json!([row.place.line, row.members]),
            Err(ReadError::Record(place, faults)) => json!([place.line, faults[0].to_string()]),
            Err(ReadError::End(place, fault)) => json!([place.line, fault.to_string(), "the end"]),
            Err(ReadError::File(error)) => panic!("{error}"),
        })
        .collect()
    }

    #[test]
    fn the_name_decides_the_format_and_then_the_beginning() {
        let told = |name: &str, head: &str| RowFormat::tell(name.as_ref(), head.as_bytes());
        assert_eq!(told("a.csv", "{"), RowFormat::Csv);
        assert_eq!(told("a.NDJSON", ""), RowFormat::Jsonl);
        assert_eq!(told("a", "\u{feff}\n [{"), RowFormat::Json);
        assert_eq!(told("a", "id,\"input\",count\r\n"), RowFormat::Csv);
        assert_eq!(told("a", "- input: x"), RowFormat::Yaml);
        assert_eq!(told("a", "input"), RowFormat::Text);
        assert_eq!(told("-", "Write a haiku, please"), RowFormat::Text);
    }

    #[test]
    fn a_line_is_a_request_and_a_blank_one_is_none() {
        let text = "\u{feff}one\r\n\n  \n two\nthree".as_bytes();
        let expected = [(1, "one"), (4, " two"), (5, "three")].map(|(line, text)| json!([line, { "input": text }]));
        assert_eq!(rows(RowFormat::Text, text), expected);
        let bad = rows(RowFormat::Text, b"a\n\xff\nb");
        assert_eq!((bad.len(), &bad[1][0]), (3, &json!(2)));
        assert!(bad[1][1].as_str().unwrap().contains("iconv"), "{bad:?}");
    }

    #[test]
    fn cells_become_what_their_fields_take() {
        let text = "id,input,count,tags,context,save\r\na,\"x, \"\"y\"\"\nz\",3,\"p,q\",some text,false\r\nb,two,,,\"[\"\"c\"\"]\",\r\n";
        assert_eq!(
            rows(RowFormat::Csv, text.as_bytes()),
            [
                json!([2, { "id": "a", "input": "x, \"y\"\nz", "count": 3, "tags": ["p", "q"], "context": ["some text"], "save": false }]),
                json!([4, { "id": "b", "input": "two", "count": null, "tags": null, "context": ["c"], "save": null }]),
            ]
        );
        let header = rows(RowFormat::Csv, b"id,text\n1,x\n");
        assert!(header[0][1].as_str().unwrap().contains("no column `input`"), "{header:?}");
        let short = rows(RowFormat::Csv, b"id,input\n1\n2,x\n");
        assert_eq!((short.len(), &short[0][0]), (2, &json!(2)));
    }

    #[test]
    fn every_bad_row_has_its_line() {
        let jsonl = rows(RowFormat::Jsonl, b"{\"input\":\"a\"}\n\n{\"input\"\n{\"input\":\"b\"}\n[]\n");
        let lines: Vec<&Value> = jsonl.iter().map(|row| &row[0]).collect();
        assert_eq!(lines, [&json!(1), &json!(3), &json!(4), &json!(5)]);
        let list = rows(RowFormat::Json, b"[{\"input\":\"a\"},\n 7,\n {\"input\":\"b\"}]");
        assert_eq!((list.len(), &list[1][0]), (3, &json!(2)));
        let yaml = rows(RowFormat::Yaml, b"- input: a\n- input: [\n- input: b\n");
        assert_eq!((yaml.len(), &yaml[1][0]), (3, &json!(3)));
    }
}
