//! The cache file: its owner, opening and creating it, and handling a damaged one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::rows;
use crate::store::sqlite::connection::{self, Connected};
use crate::store::sqlite::failure::{Failure, SqliteResult};

/// `application_id` of our files (<https://www.sqlite.org/pragma.html#pragma_application_id>): "aluc".
pub(super) const APPLICATION_ID: i32 = 0x616C_7563;
/// `user_version`: the table of [`rows::SCHEMA`]. There are no migrations: raise it, and what is older is discarded.
pub(super) const FORMAT: u32 = 2;

/// A read-only connection; `None` if there is no file, or nothing of this format in it yet.
pub(super) fn open_for_reading(path: &Path, patience: Duration) -> SqliteResult<Option<Connected>> {
    let Some(opened) = connection::open_for_reading(path)? else { return Ok(None) };
    opened.connection.busy_timeout(patience)?;
    // In one transaction: another process may be creating the tables.
    let is_ours = connection::reading(&opened.connection, is_ours)?;
    Ok(is_ours.then_some(opened))
}

/// A writing connection. Creates folder, file and tables if missing.
pub(super) fn open_for_writing(path: &Path, patience: Duration) -> SqliteResult<Connected> {
    if connection::is_missing(path) {
        make(path)?;
    }
    let mut opened = connection::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    opened.connection.busy_timeout(patience)?;
    if !connection::reading(&opened.connection, is_ours)? {
        fill(&mut opened.connection)?;
    }
    opened.connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304;")?;
    Ok(opened)
}

/// Creates the complete private file under another name and then renames it, unless another process
/// did first: no process sees or waits for an incomplete file.
fn make(path: &Path) -> SqliteResult<()> {
    connection::create_folder(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let file = tempfile::Builder::new().prefix(".aludel-").tempfile_in(folder).map_err(Failure::NoFolder)?;
    let file = file.into_temp_path();
    let mut opened = connection::open(&file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    fill(&mut opened.connection)?;
    drop(opened);
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != std::io::ErrorKind::AlreadyExists => Err(Failure::NoFolder(error.error)),
        _ => Ok(()),
    }
}

/// Puts the table into a file that is empty or of an older format.
fn fill(connection: &mut Connection) -> SqliteResult<()> {
    // If others have the empty file open it may stay in its slower mode.
    let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
    tracing::trace!(?mode, "the cache's journal");
    // A file left incomplete by a power cut is found damaged, and recreated.
    connection.execute_batch("PRAGMA synchronous = OFF")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if !is_ours(&transaction)? {
        transaction.execute_batch(rows::SCHEMA)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
    }
    transaction.commit()?;
    Ok(())
}

/// True for a file of this format, false for one to [`fill`]: empty, or of an older format. Reads
/// several times: use a transaction.
fn is_ours(connection: &Connection) -> SqliteResult<bool> {
    let number = |sql| connection.query_row(sql, [], |row| row.get::<_, i32>(0));
    let (application, version) = (number("PRAGMA application_id")?, number("PRAGMA user_version")?);
    let objects = number("SELECT count(*) FROM sqlite_schema")?;
    match (application, u32::try_from(version)) {
        (APPLICATION_ID, Ok(FORMAT)) => Ok(true),
        (APPLICATION_ID, Ok(found)) if found < FORMAT => Ok(false),
        (APPLICATION_ID, Ok(found)) => Err(Failure::Newer { found, known: FORMAT }),
        _ if (application, version, objects) == (0, 0, 0) => Ok(false),
        _ => Err(Failure::Foreign),
    }
}

/// True if the file itself is damaged, so that only replacing it helps.
pub(super) fn is_damage(failure: &Failure) -> bool {
    matches!(failure.code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Moves a damaged file aside and returns its new path. Replaces an older one.
pub(super) fn set_aside(path: &Path) -> std::io::Result<PathBuf> {
    let beside = |suffix: &str| {
        let mut name = OsString::from(path);
        name.push(suffix);
        PathBuf::from(name)
    };
    let aside = beside(".broken");
    std::fs::rename(path, &aside)?;
    // Its log and shared memory must not be taken for the new file's.
    for suffix in ["-wal", "-shm"] {
        match std::fs::remove_file(beside(suffix)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(aside)
}

/// The failure as text, without the path.
pub(super) fn reason(failure: &Failure) -> String {
    match failure {
        Failure::Sqlite(error) => error.to_string(),
        Failure::Foreign => "it is the database of another program; move it elsewhere".to_owned(),
        Failure::Newer { .. } => "another version of aludel made it; delete it to start over".to_owned(),
        Failure::NoFolder(error) => error.to_string(),
        Failure::Refused(error) => error.to_string(),
        Failure::NoBackup(reason) => reason.clone(),
        Failure::Closed => "it is closed".to_owned(),
    }
}
