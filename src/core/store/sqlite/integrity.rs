//! Integrity checks of a database file: schema, pages and indices, and whether it can be written.
//!
//! The expected schema is read from an in-memory database built by all migrations, so the two
//! cannot drift apart. Nothing is repaired and nothing is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::connection::{self, Identity};
use super::failure::{DatabaseFile, Failure, SqliteResult};
use super::{migrate, tokenizer};
use crate::error::Result;

/// Maximum number of faults to ask SQLite for; one broken page can cause a thousand.
const MOST_FAULTS: u32 = 20;

/// How long to wait for a lock when checking only whether writing is possible.
const BRIEFLY: Duration = Duration::from_millis(100);

/// How thoroughly a database is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Every table, column, index and trigger exists.
    Schema,
    /// Also every page, and the indices against the rows. Reads the whole file.
    Whole,
}

/// What is wrong with a database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Damage {
    /// A description of each fault; empty if there is none.
    pub faults: Vec<String>,
    /// True if only the text index is damaged, which can be rebuilt from the prompts.
    pub is_index_alone: bool,
    /// The backups made by migrations, newest last.
    pub backups: Vec<PathBuf>,
}

/// Looks for damage. Reports none for a missing file or one that still has to be migrated.
///
/// # Errors
/// `storage` or `file` if it cannot be read, or is too damaged for SQLite to start.
pub fn check(path: &Path, depth: Depth) -> Result<Damage> {
    faults_of(path, depth).map_err(|failure| failure.explain(&DatabaseFile::of(path), "checking it")).map(|faults| {
        Damage {
            is_index_alone: !faults.is_empty()
                && faults.iter().all(|fault| fault.to_ascii_lowercase().contains("fts5")),
            backups: if faults.is_empty() { Vec::new() } else { backups_beside(path) },
            faults,
        }
    })
}

/// Checks whether the file can be written, by taking the lock. Held elsewhere, it can be.
///
/// # Errors
/// `storage` or `file`, with the reason.
pub fn check_writable(path: &Path) -> Result<()> {
    ask_to_write(path).map_err(|failure| failure.explain(&DatabaseFile::of(path), "trying to write"))
}

fn ask_to_write(path: &Path) -> SqliteResult<()> {
    let mut opened = connection::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    opened.wait_at_most(BRIEFLY);
    let begun = opened.connection.transaction_with_behavior(TransactionBehavior::Immediate);
    match begun.and_then(rusqlite::Transaction::rollback).map_err(Into::into) {
        Err(failure) if Failure::is_busy(&failure) => Ok(()),
        other => other,
    }
}

fn faults_of(path: &Path, depth: Depth) -> SqliteResult<Vec<String>> {
    let Some(mut opened) = connection::open_for_reading(path)? else { return Ok(Vec::new()) };
    let connection = &mut opened.connection;
    if connection::reading(connection, Identity::of)? != Identity::Ours(migrate::LATEST) {
        return Ok(Vec::new());
    }
    tokenizer::register(connection)?;
    let mut faults = missing(&Objects::of(connection)?, &Objects::of_a_whole_file()?);
    if depth == Depth::Whole {
        faults.extend(faults_of_pages(connection)?);
    }
    Ok(faults)
}

/// The result of SQLite's integrity check of pages, rows and indices, including those of FTS5
/// (<https://www.sqlite.org/pragma.html#pragma_integrity_check>).
fn faults_of_pages(connection: &Connection) -> SqliteResult<Vec<String>> {
    let mut statement = connection.prepare(&format!("PRAGMA integrity_check({MOST_FAULTS})"))?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    let mut faults = Vec::new();
    for row in rows {
        match row {
            Ok(said) if said == "ok" => {}
            Ok(said) => faults.push(said),
            // The check itself can fail on the damage.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {
                faults.push(error.to_string());
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(faults)
}

/// The objects of a schema: kind and, for a table, columns.
struct Objects(BTreeMap<String, (String, Vec<String>)>);

impl Objects {
    fn of_a_whole_file() -> SqliteResult<Self> {
        let mut connection = connection::open(Path::new(":memory:"), OpenFlags::SQLITE_OPEN_READ_WRITE)?.connection;
        migrate::apply_all(&mut connection)?;
        Self::of(&connection)
    }

    fn of(connection: &Connection) -> SqliteResult<Self> {
        let mut listed =
            connection.prepare("SELECT name, type FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")?;
        let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let mut objects = BTreeMap::new();
        for row in listed.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))? {
            let (name, kind) = row?;
            // A virtual table with broken shadow tables exists, with unknown columns.
            let names = match kind.as_str() {
                "table" => columns.query_map([&name], |row| row.get(0)).and_then(Iterator::collect).unwrap_or_default(),
                _ => Vec::new(),
            };
            objects.insert(name, (kind, names));
        }
        Ok(Self(objects))
    }
}

fn missing(found: &Objects, wanted: &Objects) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, (kind, columns)) in &wanted.0 {
        match found.0.get(name) {
            None => faults.push(format!("the {kind} `{name}` is missing")),
            Some((_, there)) if there.is_empty() => {}
            Some((_, there)) => {
                let gone = columns.iter().filter(|column| !there.contains(column));
                faults.extend(gone.map(|column| format!("the column `{name}.{column}` is missing")));
            }
        }
    }
    faults
}

fn backups_beside(path: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    let begins = format!("{name}.backup-");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_backup = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begins));
    let mut backups: Vec<PathBuf> = entries.filter(is_backup).collect();
    backups.sort_by_key(|path| std::fs::metadata(path).and_then(|found| found.modified()).ok());
    backups
}

#[cfg(test)]
#[path = "integrity_tests.rs"]
mod tests;
