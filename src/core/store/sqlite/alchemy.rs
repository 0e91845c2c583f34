//! The database of the Go program prompt-alchemy, read-only.
//!
//! Returns raw rows, column by name, some hundreds at a time; [`crate::transfer::alchemy`]
//! interprets them. Columns that a version does not have are absent. A file in WAL mode that no
//! process has open is read as immutable, so that not even a lock file is left behind.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::connection::{self, APPLICATION_ID};
use crate::error::{Error, Result};
use crate::files;

/// The columns that are read, if present.
const COLUMNS: [&str; 24] = [
    "id",
    "content",
    "phase",
    "provider",
    "model",
    "temperature",
    "max_tokens",
    "actual_tokens",
    "tags",
    "parent_id",
    "source_type",
    "enhancement_method",
    "relevance_score",
    "usage_count",
    "generation_count",
    "last_used_at",
    "original_input",
    "persona_used",
    "target_model_family",
    "created_at",
    "updated_at",
    "embedding_model",
    "embedding_provider",
    "session_id",
];

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A text.
    Text(String),
    /// A blob.
    Bytes,
}

/// A row: its rowid, and its columns that are not null.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AlchemyRow {
    /// SQLite's rowid.
    pub number: i64,
    /// The values by column.
    pub cells: BTreeMap<&'static str, Cell>,
}

/// An open database of prompt-alchemy.
pub struct AlchemyFile {
    path: PathBuf,
    connection: Connection,
    columns: Vec<&'static str>,
    rows: u64,
}

impl AlchemyFile {
    /// Opens it for reading.
    ///
    /// # Errors
    /// `file` if it cannot be read, is not a SQLite file, is an aludel database, or has no prompts.
    pub fn open(path: &Path) -> Result<Self> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let header = header_of(&path)?;
        let connection = open(&path, &header).map_err(|reason| refused(&path, reason))?;
        let columns = columns_of(&connection).map_err(|error| failed(&path, &error))?;
        let known: Vec<&'static str> =
            COLUMNS.into_iter().filter(|name| columns.iter().any(|column| column.eq_ignore_ascii_case(name))).collect();
        if columns.is_empty() {
            return Err(refused(&path, "it has no table `prompts`, so prompt-alchemy did not write it".into()));
        }
        if !known.contains(&"content") {
            return Err(refused(&path, "its table `prompts` has no column `content`".into()));
        }
        let rows: i64 = connection
            .query_row("SELECT count(*) FROM prompts", [], |row| row.get(0))
            .map_err(|error| failed(&path, &error))?;
        Ok(Self { path, connection, columns: known, rows: rows.unsigned_abs() })
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The next rows with a rowid above `number`, at most `limit`, in order; empty at the end.
    ///
    /// # Errors
    /// `file` if the database is damaged.
    pub fn rows_after(&self, number: i64, limit: u32) -> Result<Vec<AlchemyRow>> {
        self.read(number, limit).map_err(|error| failed(&self.path, &error))
    }

    fn read(&self, number: i64, limit: u32) -> rusqlite::Result<Vec<AlchemyRow>> {
        let sql =
            format!("SELECT rowid, {} FROM prompts WHERE rowid > ? ORDER BY rowid LIMIT ?", self.columns.join(", "));
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut found = statement.query((number, limit))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let mut cells = BTreeMap::new();
            for (position, name) in self.columns.iter().enumerate() {
                let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_or(Cell::Bytes, Cell::Text);
                let cell = match row.get_ref(position + 1)? {
                    ValueRef::Null => continue,
                    ValueRef::Integer(number) => Cell::Integer(number),
                    ValueRef::Real(number) => Cell::Real(number),
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => text(bytes),
                };
                cells.insert(*name, cell);
            }
            rows.push(AlchemyRow { number: row.get(0)?, cells });
        }
        Ok(rows)
    }
}

impl std::fmt::Debug for AlchemyFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AlchemyFile").field("path", &self.path).field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// The fields used of a file's header (<https://www.sqlite.org/fileformat.html>, section 1.3).
struct Header {
    is_wal: bool,
    application_id: i32,
}

fn header_of(path: &Path) -> Result<Header> {
    let mut bytes = Vec::with_capacity(100);
    let opened = std::fs::File::open(path).and_then(|file| file.take(100).read_to_end(&mut bytes));
    opened.map_err(|error| files::failure("read", path, &error))?;
    if bytes.len() < 100 || !bytes.starts_with(b"SQLite format 3\0") {
        return Err(refused(path, "it is not a SQLite database; name the one that prompt-alchemy keeps".into()));
    }
    let application_id = i32::from_be_bytes([bytes[68], bytes[69], bytes[70], bytes[71]]);
    Ok(Header { is_wal: bytes[18] == 2, application_id })
}

fn open(path: &Path, header: &Header) -> std::result::Result<Connection, String> {
    if header.application_id == APPLICATION_ID {
        return Err("it is a database of aludel itself; `aludel export` and `aludel import` move its prompts".into());
    }
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let is_at_rest = header.is_wal && !Path::new(&log).exists();
    let (name, flags) = match path.to_str().filter(|_| is_at_rest) {
        Some(path) => (PathBuf::from(immutable(path)), OpenFlags::SQLITE_OPEN_URI),
        None => (path.to_owned(), OpenFlags::empty()),
    };
    let opened = connection::open(&name, OpenFlags::SQLITE_OPEN_READ_ONLY | flags);
    opened.map(|opened| opened.connection).map_err(|failure| format!("SQLite cannot open it ({failure:?})"))
}

/// The file as an immutable URI (<https://www.sqlite.org/uri.html>).
fn immutable(path: &str) -> String {
    let escaped = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?immutable=1")
}

fn columns_of(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection.prepare("SELECT name FROM pragma_table_info('prompts')")?.query_map([], |row| row.get(0))?.collect()
}

fn failed(path: &Path, error: &rusqlite::Error) -> Error {
    refused(path, format!("SQLite says: {error}"))
}

fn refused(path: &Path, reason: String) -> Error {
    Error::File { action: "read", path: path.to_owned(), reason }
}

#[cfg(test)]
#[path = "alchemy_tests.rs"]
mod tests;
