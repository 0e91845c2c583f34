//! Records in YAML: a stream of documents, a list, or the response of `list`; written as documents.
//!
//! A file is read at once, at most [`YAML_BYTES`] of it, and parsed document by document, in a list
//! item by item: so each record has its line, and a bad one hides no other. A document begins at a
//! line with `---` or `...`, which cannot occur inside one (1.2.2, rule `c-forbidden`). Writing
//! verifies itself: what the library would not read back exactly, or would write with hidden
//! characters, is written as JSON, which is YAML, escaping every hidden character and every one that
//! YAML refuses or takes for a line end.

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, Read};
use std::ops::Range;

use serde_json::{Map, Number, Value};
use serde_yaml::Value as Yaml;

use super::bytes::PeekedFile;
use super::read::{RawRecord, ReadError, RecordPosition, YAML_BYTES, note, says_nothing};
use super::session::{PromptRecord, Read as ReadBack, json};
use crate::error::Result;
use crate::text::shown;
use crate::text::yaml as tree;

/// Reads records from YAML.
pub(super) struct YamlRecords {
    text: Vec<u8>,
    /// How much of the text has been read.
    at: usize,
    /// The line that is read next, from 1.
    line: u64,
    record: u64,
    waiting: VecDeque<(Yaml, RecordPosition)>,
    pub(super) left_out: BTreeSet<String>,
}

impl YamlRecords {
    /// Reads the whole file.
    pub(super) fn of(source: PeekedFile<impl Read>) -> io::Result<Self> {
        let mut text = Vec::new();
        source.take(YAML_BYTES as u64 + 1).read_to_end(&mut text)?;
        if text.len() > YAML_BYTES {
            let limit = YAML_BYTES >> 20;
            let reason =
                format!("YAML over {limit} MiB cannot be imported; export with `--format jsonl`, which has no limit");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
        }
        Ok(Self { text, at: 0, line: 1, record: 0, waiting: VecDeque::new(), left_out: BTreeSet::new() })
    }

    pub(super) fn next(&mut self) -> std::result::Result<Option<RawRecord>, ReadError> {
        loop {
            if let Some((value, place)) = self.waiting.pop_front() {
                return raw(value, place).map(Some);
            }
            let Some((piece, began)) = self.piece() else { return Ok(None) };
            let before = self.text[..piece.start].iter().rev().take_while(|byte| **byte != b'\n').count();
            match parsed(&self.text[piece], before) {
                Ok(value) => self.take_apart(value, began),
                Err((below, column, message)) => {
                    self.record += 1;
                    let place = RecordPosition { record: self.record, line: Some(began + below), column };
                    return Err(ReadError::record(place, message));
                }
            }
        }
    }

    /// The next document, or the next item of a list, and the line it begins in.
    fn piece(&mut self) -> Option<(Range<usize>, u64)> {
        let (mut start, mut began) = (self.at, self.line);
        let (mut says_anything, mut items_at) = (false, None);
        while let Some(line) = self.text[self.at..].split_inclusive(|byte| *byte == b'\n').next() {
            let mut content = line;
            if let Some(behind) = behind_marker(line) {
                if says_anything {
                    break;
                }
                content = behind;
                start = self.at + line.len() - behind.len();
                began = self.line + u64::from(behind.is_empty());
            }
            if items_at.is_some_and(|depth| is_item(line, depth)) {
                break;
            }
            if !says_anything && !matches!(content.trim_ascii().first(), None | Some(b'#' | b'%')) {
                says_anything = true;
                let depth = content.iter().take_while(|byte| **byte == b' ').count();
                items_at = is_item(content, depth).then_some(depth);
            }
            self.at += line.len();
            self.line += 1;
        }
        says_anything.then_some((start..self.at, began))
    }

    /// Takes the records out of a value that begins in this line.
    fn take_apart(&mut self, value: Yaml, began: u64) {
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
    }

    fn push_all(&mut self, values: Vec<Yaml>, began: u64) {
        for value in values {
            self.record += 1;
            self.waiting.push_back((value, RecordPosition { record: self.record, line: Some(began), column: None }));
        }
    }
}

/// What a piece says that begins after so many bytes of its line; or how many lines below its first
/// it is wrong, the column, and why.
fn parsed(piece: &[u8], before: usize) -> std::result::Result<Yaml, (u64, Option<u64>, String)> {
    let Ok(text) = std::str::from_utf8(piece) else {
        return Err((0, None, "is not UTF-8 text; convert the file first, for example with iconv".into()));
    };
    tree::check(text).and_then(|()| serde_yaml::from_str(text).map_err(|error| tree::refused(text, &error))).map_err(
        |error| {
            let below = error.line.map_or(0, |line| line - 1);
            let column = error.column.map(|column| (column + if below == 0 { before } else { 0 }) as u64);
            (below as u64, column, format!("is not YAML: {}", error.message))
        },
    )
}

/// What stands behind `---` in a line that begins a document, and nothing behind `...`; `None` for any other line.
fn behind_marker(line: &[u8]) -> Option<&[u8]> {
    let is_marker =
        |marker: &[u8]| line.strip_prefix(marker).filter(|rest| rest.first().is_none_or(u8::is_ascii_whitespace));
    is_marker(b"---").map(<[u8]>::trim_ascii_start).or_else(|| is_marker(b"...").map(|_| &[][..]))
}

/// True if a list item at this indentation begins here.
fn is_item(line: &[u8], depth: usize) -> bool {
    let (Some(before), Some(rest)) = (line.get(..depth), line.get(depth..)) else { return false };
    before.iter().all(|byte| *byte == b' ')
        && rest.first() == Some(&b'-')
        && rest.get(1).is_none_or(u8::is_ascii_whitespace)
}

fn raw(value: Yaml, place: RecordPosition) -> std::result::Result<RawRecord, ReadError> {
    match plain(value) {
        Ok(Value::Object(members)) => Ok(RawRecord { members, place }),
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
pub(super) fn document(written: &PromptRecord<'_>, out: &mut String) -> Result<()> {
    out.push_str("---\n");
    if let Ok(text) = serde_yaml::to_string(written)
        && !shown::has_hidden(&text)
        && serde_yaml::from_str::<ReadBack>(&text).is_ok_and(|read| read.is(written))
        && text.split('\n').all(|line| behind_marker(line.as_bytes()).is_none())
    {
        out.push_str(&text);
        return Ok(());
    }
    out.push_str(&shown::escape_json_as_yaml(&json(written)?));
    out.push('\n');
    Ok(())
}
