//! Failures of SQLite, and the error messages made of them.
//!
//! Inside this module a step fails with a [`Failure`], which knows no path. [`Failure::explain`]
//! turns it into a core error: what failed, in which file, what to do. The file is called by the
//! name in its [`DatabaseFile`], as clients must not learn paths outside the user's folder.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::connection::WriteTimeouts;
use super::migrate::Watch;
use crate::error::Error;

/// The path of a database, its name in messages, and its settings.
#[derive(Debug, Clone)]
pub(super) struct DatabaseFile {
    pub(super) path: PathBuf,
    pub(super) shown: PathBuf,
    /// Receives the progress of its migration.
    pub(super) watch: Watch,
    /// How long writers wait.
    pub(super) patience: WriteTimeouts,
}

impl DatabaseFile {
    /// A file shown by its path.
    pub(super) fn of(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            shown: path.to_owned(),
            watch: Watch::default(),
            patience: WriteTimeouts::default(),
        }
    }
}

/// The result of a step inside the SQLite store.
pub(super) type SqliteResult<T> = Result<T, Failure>;

/// Why a step failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// An error of SQLite.
    Sqlite(rusqlite::Error),
    /// An error with a complete message: a conflict, a bad value.
    Refused(Box<Error>),
    /// The SQLite file of another program.
    Foreign,
    /// The file of a later version of this program.
    Newer {
        /// Its format.
        found: u32,
        /// The latest this program knows.
        known: u32,
    },
    /// The folder cannot be created.
    NoFolder(std::io::Error),
    /// The backup before a migration cannot be created.
    NoBackup(String),
    /// The store was closed.
    Closed,
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(Box::new(error))
    }
}

impl Failure {
    /// A row that this program cannot have written.
    pub(super) fn damaged(what: impl std::fmt::Display) -> Self {
        Error::Storage(format!(
            "the database holds something this program cannot read: {what}; restore a backup if it was edited by hand"
        ))
        .into()
    }

    /// True if another connection held a lock for longer than the timeout.
    pub(super) fn is_busy(&self) -> bool {
        use ErrorCode::{DatabaseBusy, DatabaseLocked, FileLockingProtocolFailed};
        matches!(self.code(), Some(DatabaseBusy | DatabaseLocked | FileLockingProtocolFailed))
    }

    /// SQLite's error code, if it is a SQLite error.
    pub(super) fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sqlite(error) => error.sqlite_error_code(),
            _ => None,
        }
    }

    /// The error to show. `doing` completes "while …": "storing prompts".
    pub(super) fn explain(self, place: &DatabaseFile, doing: &str) -> Error {
        let file = place.shown.display();
        Error::Storage(match self {
            Self::Sqlite(error) => return explain_sqlite(&error, place, doing),
            Self::Refused(error) => return *error,
            Self::Foreign => format!(
                "`{file}` is the database of another program and was not changed; name another file with \
                 `storage.database`"
            ),
            Self::Newer { found, known } => format!(
                "the database `{file}` has format {found}, and this aludel knows formats up to {known}: use the newer \
                 aludel that wrote it, or name another file with `storage.database`"
            ),
            Self::NoFolder(error) => {
                return Error::File {
                    action: "create the folder of",
                    path: place.shown.clone(),
                    reason: format!("{error}; choose another place with `--data-dir` or `storage.database`"),
                };
            }
            Self::NoBackup(reason) => {
                return Error::File { action: "back up", path: place.shown.clone(), reason };
            }
            Self::Closed => format!("the database `{file}` was closed; this process is ending"),
        })
    }
}

fn explain_sqlite(error: &rusqlite::Error, place: &DatabaseFile, doing: &str) -> Error {
    if place.path.is_dir() {
        return cannot_open(place);
    }
    let file = place.shown.display();
    Error::Storage(match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            format!(
                "another process has locked the database `{file}` and did not release it in time (while {doing}); wait for it to finish or stop it, then try again"
            )
        }
        Some(ErrorCode::DiskFull) => format!(
            "no space is left for the database `{file}` (while {doing}); nothing was partly written: free some space on its disk, then try again"
        ),
        Some(ErrorCode::ReadOnly) => format!(
            "the database `{file}` cannot be written (while {doing}): the file or its folder is read-only; give \
                 yourself write permission on both, or name another file with `storage.database`"
        ),
        Some(ErrorCode::NotADatabase) => format!(
            "`{file}` is not an aludel database; name another file with `storage.database`, or move this one away"
        ),
        Some(ErrorCode::DatabaseCorrupt) => format!(
            "the database `{file}` is damaged (while {doing}: {error}); restore a backup (`{}.backup-…` beside \
                 it, if there is one), or move it elsewhere to start over",
            place.path.file_name().unwrap_or_default().display()
        ),
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => return cannot_open(place),
        Some(ErrorCode::SystemIoFailure) => format!(
            "the disk failed under the database `{file}` (while {doing}: {error}); check the disk and its mount, \
                 then try again"
        ),
        Some(ErrorCode::TooBig) => {
            format!("a text is too long for the database `{file}` (while {doing}): SQLite takes up to 1 GB")
        }
        _ => format!("the database `{file}` failed while {doing}: {error}"),
    })
}

/// Why a database file cannot be opened, from its metadata.
///
/// The file itself is never opened: closing it would drop the locks this process holds on it.
fn cannot_open(place: &DatabaseFile) -> Error {
    let reason = match std::fs::metadata(&place.path) {
        Ok(found) if found.is_dir() => "it is a folder; name a file with `storage.database`".to_owned(),
        Ok(_) => "permission denied, or its folder is read-only; give yourself read and write permission on the file \
                  and its folder, or name another file with `storage.database`"
            .to_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            "its folder cannot be written; give yourself write permission on it, or name another file with \
             `storage.database`"
                .to_owned()
        }
        Err(error) => format!("{error}; name another file with `storage.database`"),
    };
    Error::File { action: "open", path: place.shown.clone(), reason }
}
