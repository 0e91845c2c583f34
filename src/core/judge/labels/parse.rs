//! Parses a file of labelled pairs: JSON lines, or CSV with a header.
//!
//! Both have the same fields: `a` or `a_text`, `b` or `b_text`, `choice`, and optionally `task`,
//! `persona` and `at`. `a` and `b` are ids of stored prompts; a text takes precedence over an id.
//! Every fault is an error with its line and field, so no label is silently dropped or misread.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::api::PromptKey;
use crate::error::{Error, Result};
use crate::files;
use crate::text::cell::unguarded;

/// The largest file, in bytes.
pub const MOST_BYTES: u64 = 10_000_000;
/// The most labels of a file.
pub const MOST_LABELS: usize = 10_000;

/// The most characters of a value in a message.
const SHOWN: usize = 40;

/// One line of a labels file, as it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LabelRecord {
    /// The id of the first prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// The id of the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    /// `a`, `b`, or `=` for no difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
    /// What both are for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The persona both were written for; it decides the criteria.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// When the choice was made; not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The first text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a_text: Option<String>,
    /// The second text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b_text: Option<String>,
}

/// The columns of a CSV file, which are the keys of a JSON line.
const COLUMNS: [&str; 8] = ["a", "b", "choice", "task", "persona", "at", "a_text", "b_text"];

/// One of the two prompts of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Side {
    /// A stored prompt.
    Stored(PromptKey),
    /// A text.
    Text(String),
}

/// A person's choice between two prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The line it begins on, from 1.
    pub line: u64,
    /// The first prompt.
    pub a: Side,
    /// The second prompt.
    pub b: Side,
    /// 1 if the first is better, -1 the second, 0 neither.
    pub choice: i8,
    /// What both are for, if given.
    pub task: Option<String>,
    /// The persona, if given.
    pub persona: Option<String>,
}

/// Reads a labels file.
///
/// # Errors
/// `file` when it cannot be read, is too large or empty, or has an unusable line, with its field.
pub fn read(path: &Path) -> Result<Vec<Label>> {
    parse(&bytes_of(path)?).map_err(|reason| unusable(path, reason))
}

/// Like [`read`], with the labels as they are written.
///
/// # Errors
/// As [`read`].
pub fn read_records(path: &Path) -> Result<Vec<LabelRecord>> {
    let bytes = bytes_of(path)?;
    let read = parse(&bytes).and_then(|_| records(&bytes)).map_err(|reason| unusable(path, reason))?;
    Ok(read.into_iter().map(|(_, record)| record).collect())
}

fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    files::read_up_to(path, MOST_BYTES).map_err(|error| {
        if error.kind() == std::io::ErrorKind::FileTooLarge {
            let reason = "it is larger than 10 MB, the maximum; split it".to_owned();
            return Error::File { action: "read", path: path.to_owned(), reason };
        }
        files::failure("read", path, &error)
    })
}

/// The error for an unusable labels file.
pub fn unusable(path: &Path, reason: String) -> Error {
    Error::File { action: "use", path: path.to_owned(), reason }
}

/// Parses labels; a fault is a sentence with its line.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Label>, String> {
    let read = |(line, record)| label(line, record).map_err(|fault| format!("line {line}: {fault}"));
    records(bytes)?.into_iter().map(read).collect()
}

/// The record of each line, from 1.
type Records = Vec<(u64, LabelRecord)>;

fn records(bytes: &[u8]) -> Result<Records, String> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
        format!("line {line}: is not UTF-8 text; convert the file first, for example with iconv")
    })?;
    let is_json = text.trim_start().starts_with(['{', '[']);
    let records = if is_json {
        json_lines(text)?
    } else if text.trim().is_empty() {
        Vec::new()
    } else {
        csv_rows(text)?
    };
    if records.is_empty() {
        return Err(format!("it holds no labels; {FORM}"));
    }
    Ok(records)
}

/// The format of a labels file, for messages.
const FORM: &str =
    "write a line like {\"a\": ID, \"b\": ID, \"choice\": \"a\"} for each pair, or CSV with the header a,b,choice";

fn json_lines(text: &str) -> Result<Records, String> {
    let mut records = Vec::new();
    for (line, written) in (1_u64..).zip(text.lines()) {
        if written.trim().is_empty() {
            continue;
        }
        let record = json_record(written).map_err(|fault| format!("line {line}: {fault}"))?;
        push(&mut records, line, record)?;
    }
    Ok(records)
}

fn json_record(line: &str) -> Result<LabelRecord, String> {
    let mut reader = serde_json::Deserializer::from_str(line);
    let record = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let fault = without_place(&error.inner().to_string());
        match error.inner().classify() {
            serde_json::error::Category::Data if COLUMNS.contains(&path.as_str()) => format!("{path}: {fault}"),
            serde_json::error::Category::Data => fault,
            _ => format!("is not JSON ({fault}); each line is one whole object"),
        }
    })?;
    reader.end().map_err(|_| "has something after its object; each line is one whole object".to_owned())?;
    Ok(record)
}

/// Removes the position from a parser message, because the parser counts from its own first line.
fn without_place(fault: &str) -> String {
    fault.split(" at line 1 column").next().unwrap_or(fault).to_owned()
}

fn csv_rows(text: &str) -> Result<Records, String> {
    let header = text.lines().next().unwrap_or_default();
    let delimiter = [b',', b';', b'\t'].into_iter().find(|byte| header.as_bytes().contains(byte)).unwrap_or(b',');
    let mut rows =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text.as_bytes());
    let mut row = csv::StringRecord::new();
    let mut next = |row: &mut csv::StringRecord, line: u64| {
        rows.read_record(row).map_err(|_| format!("line {line}: is not a CSV row; close its quotation marks"))
    };
    if !next(&mut row, 1)? {
        return Ok(Vec::new());
    }
    let names: Vec<String> = row.iter().map(|cell| cell.trim().to_owned()).collect();
    for (at, name) in names.iter().enumerate() {
        if !COLUMNS.contains(&name.as_str()) {
            let known = COLUMNS.join(", ");
            return Err(format!(
                "line 1: `{}` is no column; the first line is a header of these: {known}",
                shown(name)
            ));
        }
        if names[..at].contains(name) {
            return Err(format!("line 1: the column `{name}` is there twice; leave one out"));
        }
    }
    let mut records = Vec::new();
    let mut last = 1;
    while next(&mut row, last + 1)? {
        let line = row.position().map_or(last + 1, csv::Position::line);
        last = line;
        if row.len() != names.len() {
            return Err(format!("line {line}: has {} cells, and the header has {}", row.len(), names.len()));
        }
        let mut record = LabelRecord::default();
        for (name, cell) in names.iter().zip(&row).filter(|(_, cell)| !cell.is_empty()) {
            if let Some(field) = record.field_mut(name) {
                *field = Some(unguarded(cell).into_owned());
            }
        }
        push(&mut records, line, record)?;
    }
    Ok(records)
}

impl LabelRecord {
    fn field_mut(&mut self, name: &str) -> Option<&mut Option<String>> {
        Some(match name {
            "a" => &mut self.a,
            "b" => &mut self.b,
            "choice" => &mut self.choice,
            "task" => &mut self.task,
            "persona" => &mut self.persona,
            "at" => &mut self.at,
            "a_text" => &mut self.a_text,
            "b_text" => &mut self.b_text,
            _ => return None,
        })
    }
}

fn push(records: &mut Records, line: u64, record: LabelRecord) -> Result<(), String> {
    if records.len() == MOST_LABELS {
        return Err(format!("line {line}: there are more than {MOST_LABELS} labels, the maximum; split the file"));
    }
    records.push((line, record));
    Ok(())
}

fn label(line: u64, record: LabelRecord) -> Result<Label, String> {
    let LabelRecord { a, b, choice, task, persona, a_text, b_text, .. } = record;
    let choice = match choice.as_deref() {
        Some("a") => 1,
        Some("b") => -1,
        Some("=") => 0,
        Some(other) => {
            return Err(format!("choice: is `{}`; write `a`, `b`, or `=` for no difference", shown(other)));
        }
        None => return Err("choice: is missing; write `a`, `b`, or `=` for no difference".to_owned()),
    };
    Ok(Label {
        line,
        a: side("a", a, a_text)?,
        b: side("b", b, b_text)?,
        choice,
        task: filled("task", task)?,
        persona: filled("persona", persona)?,
    })
}

fn side(name: &str, id: Option<String>, text: Option<String>) -> Result<Side, String> {
    if let Some(text) = text {
        if text.trim().is_empty() {
            return Err(format!(
                "{name}_text: is blank; write the prompt, or leave it out and name its id as `{name}`"
            ));
        }
        return Ok(Side::Text(text));
    }
    let Some(id) = id else {
        return Err(format!("{name}: is missing; name the id of a stored prompt, or write its text as `{name}_text`"));
    };
    match PromptKey::parse(&id) {
        // The newest prompt changes over time.
        Ok(PromptKey::Last) => Err(format!("{name}: is `@last`; name the id itself")),
        Ok(key) => Ok(Side::Stored(key)),
        Err(fault) => Err(format!("{name}: {fault}; a text goes into `{name}_text`")),
    }
}

fn filled(name: &str, value: Option<String>) -> Result<Option<String>, String> {
    match value {
        Some(value) if value.trim().is_empty() => Err(format!("{name}: is blank; fill it in, or leave it out")),
        value => Ok(value),
    }
}

fn shown(value: &str) -> String {
    value.chars().take(SHOWN).collect()
}
