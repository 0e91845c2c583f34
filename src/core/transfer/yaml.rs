//! Records in YAML: a stream of documents, a list, or the response of `list`; written as documents.
//!
//! The library reads whole texts, so a file is split first: before lines that begin with `---` or
//! `...`, which cannot occur inside a document (1.2.2, rule `c-forbidden`), and inside a list
//! before each item. Writing verifies itself: what the library would not read back exactly, or
//! would write with hidden characters, is written as JSON, which is YAML, escaping every hidden
//! character and every one that YAML refuses or takes for a line end.

use std::collections::{BTreeSet, VecDeque};
use std::io::Read;

use serde_json::{Map, Number, Value};
use serde_yaml::Value as Yaml;

use super::bytes::{Bytes, check_size};
use super::read::{Place, Raw, ReadError, note, says_nothing};
use super::session::{Read as ReadBack, Written};
use crate::error::{Error, Result};
use crate::text::shown;
use crate::text::yaml as tree;

/// Reads records from YAML.
pub(super) struct YamlRecords<R> {
    bytes: Bytes<R>,
    /// The last line read, which begins the next piece.
    ahead: Vec<u8>,
    /// The indentation of this document's list items; `None` if not a list, or not yet known.
    items_at: Option<usize>,
    has_begun: bool,
    /// The line where the piece begins.
    began: u64,
    record: u64,
    waiting: VecDeque<(Yaml, Place)>,
    pub(super) left_out: BTreeSet<String>,
}

/// The kind of a line in the stream.
enum Line {
    /// `---`, and the rest of the line.
    Start(Vec<u8>),
    /// `...`
    Stop,
    Other,
}

impl<R: Read> YamlRecords<R> {
    pub(super) fn of(bytes: Bytes<R>) -> Self {
        let (ahead, waiting, left_out) = (Vec::new(), VecDeque::new(), BTreeSet::new());
        Self { bytes, ahead, items_at: None, has_begun: false, began: 1, record: 0, waiting, left_out }
    }

    pub(super) fn next(&mut self) -> std::result::Result<Option<Raw>, ReadError> {
        loop {
            if let Some((value, place)) = self.waiting.pop_front() {
                return raw(value, place).map(Some);
            }
            let Some(piece) = self.piece()? else { return Ok(None) };
            self.take_apart(&piece)?;
        }
    }

    /// The text of the next document or list item; `None` at the end.
    fn piece(&mut self) -> std::result::Result<Option<Vec<u8>>, ReadError> {
        let mut piece = std::mem::take(&mut self.ahead);
        self.began = self.bytes.line - u64::from(!piece.is_empty());
        loop {
            let place = Place { record: self.record + 1, line: Some(self.bytes.line) };
            let mut line = Vec::new();
            if !self.bytes.line(&mut line, place)? {
                let is_something = self.has_begun;
                self.has_begun = false;
                return Ok(is_something.then_some(piece));
            }
            match kind_of(&line) {
                Line::Start(rest) => {
                    let is_something = std::mem::take(&mut self.has_begun);
                    self.items_at = None;
                    self.note_beginning(&rest);
                    if is_something {
                        self.ahead = rest;
                        return Ok(Some(piece));
                    }
                    self.began = self.bytes.line - u64::from(!rest.is_empty());
                    piece = rest;
                }
                Line::Stop => {
                    self.items_at = None;
                    if std::mem::take(&mut self.has_begun) {
                        return Ok(Some(piece));
                    }
                    self.began = self.bytes.line;
                    piece.clear();
                }
                Line::Other => {
                    if !self.has_begun {
                        self.note_beginning(&line);
                    } else if self.items_at.is_some_and(|at| is_item(&line, at)) {
                        self.ahead = line;
                        return Ok(Some(piece));
                    }
                    piece.extend_from_slice(&line);
                    check_size(&piece, place)?;
                }
            }
        }
    }

    /// Examines a document's first line with content.
    fn note_beginning(&mut self, line: &[u8]) {
        let text = line.trim_ascii();
        if text.is_empty() || matches!(text[0], b'#' | b'%') {
            return;
        }
        self.has_begun = true;
        let depth = line.iter().take_while(|byte| **byte == b' ').count();
        self.items_at = is_item(line, depth).then_some(depth);
    }

    /// Parses the records of a piece.
    fn take_apart(&mut self, piece: &[u8]) -> std::result::Result<(), ReadError> {
        let began = self.began;
        let place = Place { record: self.record + 1, line: Some(began) };
        let Ok(text) = std::str::from_utf8(piece) else {
            self.record += 1;
            return Err(ReadError::record(place, "is not UTF-8 text; convert the file first, for example with iconv"));
        };
        let read =
            || tree::check(text).and_then(|()| serde_yaml::from_str(text).map_err(|error| tree::refused(text, &error)));
        let value = match read() {
            Ok(value) => value,
            Err(error) => {
                self.record += 1;
                let line = began + error.line.map_or(0, |line| line as u64 - 1);
                let message = format!("is not YAML: {}", error.message);
                return Err(ReadError::record(Place { line: Some(line), ..place }, message));
            }
        };
        match value {
            Yaml::Null => {}
            Yaml::Sequence(items) => self.push_all(items, began),
            Yaml::Mapping(mut members) if matches!(members.get("prompts"), Some(Yaml::Sequence(_))) => {
                if let Some(Yaml::Sequence(items)) = members.remove("prompts") {
                    self.push_all(items, began);
                }
                for (name, value) in members {
                    let (Yaml::String(name), value) = (name, plain(value).unwrap_or(Value::Bool(true))) else {
                        continue;
                    };
                    if !says_nothing(&name, &value) {
                        note(&mut self.left_out, &name);
                    }
                }
            }
            other => self.push_all(vec![other], began),
        }
        Ok(())
    }

    fn push_all(&mut self, values: Vec<Yaml>, began: u64) {
        for value in values {
            self.record += 1;
            self.waiting.push_back((value, Place { record: self.record, line: Some(began) }));
        }
    }
}

fn kind_of(line: &[u8]) -> Line {
    let is_marker =
        |marker: &[u8]| line.strip_prefix(marker).filter(|rest| rest.first().is_none_or(u8::is_ascii_whitespace));
    if let Some(rest) = is_marker(b"---") {
        return Line::Start(rest.trim_ascii_start().to_vec());
    }
    if is_marker(b"...").is_some() { Line::Stop } else { Line::Other }
}

/// True if a list item at this indentation begins here.
fn is_item(line: &[u8], depth: usize) -> bool {
    let (Some(before), Some(rest)) = (line.get(..depth), line.get(depth..)) else { return false };
    before.iter().all(|byte| *byte == b' ')
        && rest.first() == Some(&b'-')
        && rest.get(1).is_none_or(u8::is_ascii_whitespace)
}

fn raw(value: Yaml, place: Place) -> std::result::Result<Raw, ReadError> {
    match plain(value) {
        Ok(Value::Object(members)) => Ok(Raw { members, place }),
        Ok(_) => Err(ReadError::record(place, "is not a mapping with the fields of a prompt")),
        Err(message) => Err(ReadError::record(place, message)),
    }
}

/// Converts YAML to JSON; values that JSON lacks are refused.
fn plain(value: Yaml) -> std::result::Result<Value, String> {
    Ok(match value {
        Yaml::Null => Value::Null,
        Yaml::Bool(truth) => Value::Bool(truth),
        Yaml::String(text) => Value::String(text),
        Yaml::Number(number) => {
            let whole = number.as_u64().map(Number::from).or_else(|| number.as_i64().map(Number::from));
            let number = whole.or_else(|| number.as_f64().and_then(Number::from_f64));
            // As JSON requests do: spelt out, so that checks can say it is not finite.
            number.map_or_else(|| Value::from("NaN"), Value::Number)
        }
        Yaml::Sequence(items) => Value::Array(items.into_iter().map(plain).collect::<std::result::Result<_, _>>()?),
        Yaml::Mapping(members) => {
            let mut object = Map::new();
            for (name, value) in members {
                let Yaml::String(name) = name else { return Err("has a field whose name is not a string".into()) };
                object.insert(name, plain(value)?);
            }
            Value::Object(object)
        }
        Yaml::Tagged(tagged) => {
            return Err(format!("holds a value tagged `{}`, which is not supported here", tagged.tag));
        }
    })
}

/// Writes a prompt as a document.
///
/// # Errors
/// `internal` if it cannot be serialised.
pub(super) fn document(written: &Written<'_>, out: &mut String) -> Result<()> {
    out.push_str("---\n");
    if let Ok(text) = serde_yaml::to_string(written)
        && !shown::has_hidden(&text)
        && serde_yaml::from_str::<ReadBack>(&text).is_ok_and(|read| read.is(written))
        && text.split('\n').all(|line| matches!(kind_of(line.as_bytes()), Line::Other))
    {
        out.push_str(&text);
        return Ok(());
    }
    let text = serde_json::to_string(written)
        .map_err(|error| Error::Internal(format!("a prompt cannot be serialized: {error}")))?;
    out.push_str(&shown::escape_json_as_yaml(&text));
    out.push('\n');
    Ok(())
}
