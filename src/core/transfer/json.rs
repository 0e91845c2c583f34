//! Records in JSON: an array, consecutive values, lines, or a response of `list` or `generate`.
//!
//! Records are split by counting brackets outside strings, without recursion, and parsed by
//! serde_json, so a list of any length passes through one buffer. Of a response such as
//! `{"prompts": […], …}` the records are read, and other members are named in `left_out`.

use std::collections::BTreeSet;
use std::io::Read;

use serde_json::{Map, Value};

use super::bytes::{Bytes, check_size};
use super::read::{RawRecord, ReadError, RecordPosition, note, says_nothing};

/// The reader's position in the structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// At the top level.
    Top,
    /// In a list of records.
    List { is_first: bool, is_wrapped: bool },
    /// After the list, in the enclosing object.
    Behind,
}

/// Reads records from JSON.
pub(super) struct JsonRecords<R> {
    bytes: Bytes<R>,
    level: Level,
    record: u64,
    /// The line and column where the current record or list begins.
    began: (u64, u64),
    gathered: Vec<u8>,
    pub(super) left_out: BTreeSet<String>,
}

impl<R: Read> JsonRecords<R> {
    pub(super) fn of(bytes: Bytes<R>) -> Self {
        let (gathered, left_out) = (Vec::new(), BTreeSet::new());
        Self { bytes, level: Level::Top, record: 0, began: (1, 1), gathered, left_out }
    }

    pub(super) fn next(&mut self) -> Result<Option<RawRecord>, ReadError> {
        loop {
            let Some(next) = self.bytes.next_solid()? else {
                return if self.level == Level::Top { Ok(None) } else { Err(self.cut_off()) };
            };
            match (self.level, next) {
                (Level::Top, b'[') => {
                    self.bytes.advance(1);
                    self.level = Level::List { is_first: true, is_wrapped: false };
                }
                (Level::Top, b'{') => {
                    self.begin();
                    if self.object()? {
                        return self.parsed().map(Some);
                    }
                    self.level = Level::List { is_first: true, is_wrapped: true };
                }
                (Level::Top, other) => return Err(self.unexpected(other, "a list of prompts or a prompt")),
                (Level::List { is_wrapped, .. }, b']') => {
                    self.bytes.advance(1);
                    self.level = if is_wrapped { Level::Behind } else { Level::Top };
                }
                (Level::List { is_first: false, is_wrapped }, b',') => {
                    self.bytes.advance(1);
                    self.bytes.next_solid()?;
                    self.level = Level::List { is_first: true, is_wrapped };
                }
                (Level::List { is_first: true, is_wrapped }, _) => {
                    self.level = Level::List { is_first: false, is_wrapped };
                    self.begin();
                    self.value()?;
                    return self.parsed().map(Some);
                }
                (Level::List { .. }, other) => return Err(self.unexpected(other, "a comma or the end of the list")),
                (Level::Behind, b'}') => {
                    self.bytes.advance(1);
                    self.level = Level::Top;
                }
                (Level::Behind, b',') => {
                    self.bytes.advance(1);
                    self.gathered.clear();
                    self.member()?;
                }
                (Level::Behind, other) => return Err(self.unexpected(other, "a comma or the end of the object")),
            }
        }
    }

    fn begin(&mut self) {
        self.gathered.clear();
        self.record += 1;
        self.began = (self.bytes.line, self.bytes.column);
    }

    fn place(&self) -> RecordPosition {
        RecordPosition { record: self.record, line: Some(self.began.0), column: Some(self.began.1) }
    }

    /// Buffers an object. Returns false if it holds records: the reader is then in their list.
    fn object(&mut self) -> Result<bool, ReadError> {
        self.bytes.advance(1);
        self.gathered.push(b'{');
        let mut left_out = BTreeSet::<String>::new();
        loop {
            match self.bytes.next_solid()? {
                None => return Err(self.cut_off()),
                Some(b'}') => {
                    self.bytes.advance(1);
                    self.gathered.push(b'}');
                    return Ok(true);
                }
                Some(b',') => {
                    self.bytes.advance(1);
                    self.gathered.push(b',');
                }
                Some(_) => {
                    let name = self.name()?;
                    if name == "prompts" && self.bytes.next_solid()? == Some(b'[') {
                        self.bytes.advance(1);
                        self.record -= 1;
                        for name in &left_out {
                            note(&mut self.left_out, name);
                        }
                        return Ok(false);
                    }
                    if self.rest_of_member(&name)? {
                        note(&mut left_out, &name);
                    }
                    check_size(&self.gathered, self.place())?;
                }
            }
        }
    }

    /// Skips a member after the list of records, recording its name if it has content.
    fn member(&mut self) -> Result<(), ReadError> {
        if self.bytes.next_solid()?.is_none() {
            return Err(self.cut_off());
        }
        let name = self.name()?;
        if self.rest_of_member(&name)? {
            note(&mut self.left_out, &name);
        }
        Ok(())
    }

    /// Buffers the name of a member and its colon.
    fn name(&mut self) -> Result<String, ReadError> {
        let from = self.gathered.len();
        self.value()?;
        let Ok(name) = serde_json::from_slice::<String>(&self.gathered[from..]) else {
            return Err(ReadError::end(
                self.place(),
                "is not JSON: the name of a field is not a text in double quotes",
            ));
        };
        match self.bytes.next_solid()? {
            Some(b':') => {
                self.bytes.advance(1);
                self.gathered.push(b':');
                Ok(name)
            }
            Some(other) => Err(self.unexpected(other, "a colon")),
            None => Err(self.cut_off()),
        }
    }

    /// Buffers the value of a member; returns true if it has content not in the records.
    fn rest_of_member(&mut self, name: &str) -> Result<bool, ReadError> {
        let from = self.gathered.len();
        if self.bytes.next_solid()?.is_none() {
            return Err(self.cut_off());
        }
        self.value()?;
        let is_short = self.gathered.len() - from < 64;
        let value = is_short.then(|| serde_json::from_slice(&self.gathered[from..]).ok()).flatten();
        Ok(!says_nothing(name, &value.unwrap_or(Value::Bool(true))))
    }

    /// Buffers one value, from its first byte on.
    fn value(&mut self) -> Result<(), ReadError> {
        let place = self.place();
        let from = self.gathered.len();
        let (mut depth, mut in_string, mut is_escaped) = (0_u64, false, false);
        loop {
            let block = self.bytes.block()?;
            if block.is_empty() {
                let is_whole = depth == 0 && !in_string && self.gathered.len() > from;
                return if is_whole { Ok(()) } else { Err(self.cut_off()) };
            }
            let (mut taken, mut is_done) = (0, false);
            for byte in block {
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' if in_string => is_escaped = true,
                    b'"' => {
                        in_string = !in_string;
                        is_done = !in_string && depth == 0;
                    }
                    _ if in_string => {}
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' if depth > 0 => {
                        depth -= 1;
                        is_done = depth == 0;
                    }
                    b'}' | b']' | b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => {
                        is_done = true;
                        break;
                    }
                    _ => {}
                }
                taken += 1;
                if is_done {
                    break;
                }
            }
            self.gathered.extend_from_slice(&block[..taken]);
            let stopped_at = block.get(taken).copied();
            self.bytes.advance(taken);
            check_size(&self.gathered, place)?;
            if is_done {
                return match stopped_at {
                    Some(byte) if self.gathered.len() == from => Err(self.unexpected(byte, "a value")),
                    _ => Ok(()),
                };
            }
        }
    }

    fn parsed(&self) -> Result<RawRecord, ReadError> {
        let place = self.place();
        parse(&self.gathered, place).map(|members| RawRecord { members, place })
    }

    /// Where reading stopped.
    fn stop(&self) -> RecordPosition {
        let Bytes { line, column, .. } = self.bytes;
        RecordPosition { record: self.record.max(1), line: Some(line), column: Some(column) }
    }

    fn cut_off(&self) -> ReadError {
        ReadError::end(self.stop(), "the file ends in the middle: it seems to be cut off")
    }

    fn unexpected(&self, found: u8, wanted: &str) -> ReadError {
        ReadError::end(
            self.stop(),
            format!("is not JSON: expected {wanted}, found `{}`", char::from(found).escape_default()),
        )
    }
}

/// Reads records with one line each.
pub(super) struct JsonLines<R> {
    bytes: Bytes<R>,
    record: u64,
    gathered: Vec<u8>,
}

impl<R: Read> JsonLines<R> {
    pub(super) fn of(bytes: Bytes<R>) -> Self {
        Self { bytes, record: 0, gathered: Vec::new() }
    }

    pub(super) fn next(&mut self) -> Result<Option<RawRecord>, ReadError> {
        loop {
            self.gathered.clear();
            let place = RecordPosition { record: self.record + 1, line: Some(self.bytes.line), column: None };
            if !self.bytes.line(&mut self.gathered, place)? {
                return Ok(None);
            }
            let line = self.gathered.trim_ascii();
            if !line.is_empty() {
                self.record += 1;
                return parse(line, place).map(|members| Some(RawRecord { members, place }));
            }
        }
    }
}

/// The members of an object, as JSON.
fn parse(bytes: &[u8], place: RecordPosition) -> Result<Map<String, Value>, ReadError> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(ReadError::record(place, "is no object with the fields of a prompt")),
        Err(error) => {
            let below = (error.line() as u64).saturating_sub(1);
            let before = if below == 0 { place.column.unwrap_or(1) - 1 } else { 0 };
            let (line, column) = (place.line.map(|line| line + below), before + error.column() as u64);
            let said = error.to_string();
            let said = said.split(" at line ").next().unwrap_or_default();
            let place = RecordPosition { line, column: Some(column), ..place };
            Err(ReadError::record(place, format!("is not JSON: {said}")))
        }
    }
}
