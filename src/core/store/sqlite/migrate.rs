//! Migrates a database file to the newest format.
//!
//! The format is SQLite's `user_version`; a migration is a file of `assets/migrations`, compiled
//! in, and is never changed once released. All missing ones run in one transaction that holds the
//! write lock from its beginning, so any number of processes can meet a missing or old file at
//! once: one migrates, the others wait and find it done. A file that is not empty is copied first.
//! Newer files and other programs' files are refused before anything is written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use schemars::JsonSchema;
use serde::Serialize;

use super::connection::{self, APPLICATION_ID, Identity};
use super::failure::{DatabaseFile, Failure, SqliteResult};
use super::{terms, tokenizer, totals};
use crate::error::Result;
use crate::time::{Clock, SystemClock};

/// One step from a format to the next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Migration {
    name: &'static str,
    sql: &'static str,
    /// Runs after the SQL, for what SQL cannot do. Must not rely on anything a later step creates.
    then: Option<DataStep>,
}

/// Work on the rows of a file, which reports its progress.
type DataStep = fn(&Connection, &mut dyn FnMut(RowProgress)) -> SqliteResult<()>;

/// Progress of some work, in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowProgress {
    /// Rows done.
    pub(super) done: u64,
    /// Rows in total.
    pub(super) total: u64,
}

impl Migration {
    const fn of(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql, then: None }
    }

    const fn then(self, then: DataStep) -> Self {
        Self { then: Some(then), ..self }
    }
}

/// All migrations; the first makes format 1 from nothing.
const MIGRATIONS: &[Migration] = &[
    Migration::of("0001_prompts", include_str!("../../../../assets/migrations/0001_prompts.sql")),
    Migration::of("0002_spend", include_str!("../../../../assets/migrations/0002_spend.sql")),
    Migration::of("0003_terms", include_str!("../../../../assets/migrations/0003_terms.sql")),
    Migration::of("0004_vectors", include_str!("../../../../assets/migrations/0004_vectors.sql")),
    Migration::of("0005_lineage", include_str!("../../../../assets/migrations/0005_lineage.sql")),
    Migration::of("0006_judgements", include_str!("../../../../assets/migrations/0006_judgements.sql")),
    Migration::of("0007_lengths", include_str!("../../../../assets/migrations/0007_lengths.sql")),
    Migration::of("0008_forms", include_str!("../../../../assets/migrations/0008_forms.sql")).then(terms::index_all),
    Migration::of("0009_totals", include_str!("../../../../assets/migrations/0009_totals.sql")).then(totals::count_all),
    Migration::of("0010_trash", include_str!("../../../../assets/migrations/0010_trash.sql")),
    Migration::of("0011_score_formula", include_str!("../../../../assets/migrations/0011_score_formula.sql")),
    Migration::of("0012_jobs", include_str!("../../../../assets/migrations/0012_jobs.sql")),
    Migration::of("0013_idempotency", include_str!("../../../../assets/migrations/0013_idempotency.sql")),
    Migration::of("0014_callers", include_str!("../../../../assets/migrations/0014_callers.sql")),
    Migration::of("0015_changes", include_str!("../../../../assets/migrations/0015_changes.sql")),
];

/// The format this program reads and writes.
#[expect(clippy::cast_possible_truncation, reason = "a handful of migrations")]
pub(super) const LATEST: u32 = MIGRATIONS.len() as u32;

/// The schema version of a database file, and the migrations it needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MigrationStatus {
    /// False if there is no such file yet; the first write creates it.
    pub exists: bool,
    /// Its schema version; 0 if it is empty.
    pub current: u32,
    /// The schema version this program reads and writes.
    pub latest: u32,
    /// The migrations it still needs, in order.
    pub pending: Vec<String>,
}

/// What a migration did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MigrationReport {
    /// The schema version before; 0 if there was nothing.
    pub from: u32,
    /// The schema version now.
    pub to: u32,
    /// The migrations that ran, in order; none if the file was up to date.
    pub applied: Vec<String>,
    /// The backup made before, if there was anything to back up.
    pub backup: Option<PathBuf>,
}

/// Progress of a migration that works on every row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigrationProgress {
    /// The migration's name.
    pub migration: &'static str,
    /// Rows done.
    pub done: u64,
    /// Rows in all.
    pub total: u64,
}

/// A progress callback, called on the migrating thread. None by default.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<dyn Fn(MigrationProgress) + Send + Sync>>);

impl Watch {
    /// Calls `told` after every few hundred rows.
    pub fn by(told: impl Fn(MigrationProgress) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(told)))
    }

    fn tell(&self, progress: MigrationProgress) {
        if let Some(told) = &self.0 {
            told(progress);
        }
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Watch").field(&self.0.is_some()).finish()
    }
}

/// The migration status of the file. Changes nothing.
///
/// # Errors
/// `storage` or `file` for a file that is newer, foreign, damaged or cannot be read.
pub fn status(path: &Path) -> Result<MigrationStatus> {
    read_status(path, MIGRATIONS).map_err(|failure| failure.explain(&DatabaseFile::of(path), "reading its format"))
}

/// Migrates the file to the newest format, creating it if needed.
///
/// # Errors
/// `storage` or `file` for a newer, foreign, damaged, locked or unwritable file, left unchanged.
pub fn run(path: &Path) -> Result<MigrationReport> {
    run_watched(path, Watch::default())
}

/// As [`run`], reporting progress.
///
/// # Errors
/// As [`run`].
pub fn run_watched(path: &Path, watch: Watch) -> Result<MigrationReport> {
    run_at(&DatabaseFile { watch, ..DatabaseFile::of(path) })
}

/// As [`run`], for a file shown by another name.
pub(super) fn run_at(place: &DatabaseFile) -> Result<MigrationReport> {
    run_these(place, MIGRATIONS).map_err(|failure| failure.explain(place, "migrating it"))
}

/// As [`run`], over an open writing connection, which is prepared for writing.
pub(super) fn bring_up(connection: &mut Connection, place: &DatabaseFile) -> SqliteResult<MigrationReport> {
    apply(connection, place, MIGRATIONS)
}

/// Builds the whole schema in an empty in-memory database.
pub(super) fn apply_all(connection: &mut Connection) -> SqliteResult<()> {
    tokenizer::register(connection)?;
    for migration in MIGRATIONS {
        connection.execute_batch(migration.sql)?;
        if let Some(then) = migration.then {
            then(connection, &mut |_| {})?;
        }
    }
    Ok(())
}

fn run_these(place: &DatabaseFile, migrations: &[Migration]) -> SqliteResult<MigrationReport> {
    apply(&mut connection::open_for_writing(&place.path)?.connection, place, migrations)
}

fn read_status(path: &Path, migrations: &[Migration]) -> SqliteResult<MigrationStatus> {
    let opened = connection::open_for_reading(path)?;
    let exists = opened.is_some();
    let current = match opened {
        None => 0,
        Some(opened) => format_of(connection::reading(&opened.connection, Identity::of)?, migrations)?,
    };
    let pending = pending(migrations, current).iter().map(|migration| migration.name.to_owned()).collect();
    Ok(MigrationStatus { exists, current, latest: latest(migrations), pending })
}

fn apply(connection: &mut Connection, place: &DatabaseFile, migrations: &[Migration]) -> SqliteResult<MigrationReport> {
    // Check the owner first: never write to another program's file.
    let found = connection::patiently(|| connection::reading(connection, Identity::of))?;
    let current = format_of(found, migrations)?;
    connection::prepare_for_writing(connection)?;
    tokenizer::register(connection)?;
    let to = latest(migrations);
    if current == to {
        return Ok(MigrationReport { from: to, to, applied: Vec::new(), backup: None });
    }

    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated it meanwhile.
    let found = Identity::of(&transaction)?;
    let from = format_of(found, migrations)?;
    let missing = pending(migrations, from);
    let backup = match found {
        Identity::Ours(_) if !missing.is_empty() => Some(copy_aside(&place.path, from)?),
        _ => None,
    };
    for migration in missing {
        transaction.execute_batch(migration.sql)?;
        if let Some(then) = migration.then {
            then(&transaction, &mut |RowProgress { done, total }| {
                place.watch.tell(MigrationProgress { migration: migration.name, done, total });
            })?;
        }
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", to)?;
    transaction.commit()?;
    let applied: Vec<String> = missing.iter().map(|migration| migration.name.to_owned()).collect();
    if let Some(backup) = &backup {
        tracing::info!(from, to, backup = %backup.display(), "the database was migrated after a backup");
    }
    Ok(MigrationReport { from, to, applied, backup })
}

fn format_of(found: Identity, migrations: &[Migration]) -> SqliteResult<u32> {
    match found {
        Identity::Fresh => Ok(0),
        Identity::Ours(found) if found > latest(migrations) => Err(Failure::Newer { found, known: latest(migrations) }),
        Identity::Ours(version) => Ok(version),
        Identity::Foreign => Err(Failure::Foreign),
    }
}

fn latest(migrations: &[Migration]) -> u32 {
    u32::try_from(migrations.len()).unwrap_or(u32::MAX)
}

fn pending(migrations: &[Migration], current: u32) -> &[Migration] {
    migrations.get(current as usize..).unwrap_or_default()
}

/// Backs up the database next to itself: `aludel.db.backup-v1-20261121T101530Z`.
///
/// The caller holds the write lock, so the copy is what is migrated. It is named once complete.
fn copy_aside(path: &Path, version: u32) -> SqliteResult<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let unfinished = tempfile::Builder::new()
        .prefix(".aludel-backup-")
        .tempfile_in(folder)
        .map_err(|error| Failure::NoBackup(format!("{error}; make its folder writable, then try again")))?
        .into_temp_path();

    let Some(source) = connection::open_for_reading(path)? else {
        return Err(Failure::NoBackup("it disappeared while it was being migrated".into()));
    };
    let mut target = connection::open(&unfinished, OpenFlags::SQLITE_OPEN_READ_WRITE)?.connection;
    connection::patiently(|| {
        let all_pages = -1;
        match Backup::new(&source.connection, &mut target)?.step(all_pages)? {
            StepResult::Done => Ok(()),
            _ => {
                Err(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY), None).into())
            }
        }
    })?;
    target.close().map_err(|(_, error)| error)?;

    let stamp = SystemClock.now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let name = path.file_name().unwrap_or_default();
    for attempt in 1_u32.. {
        let mut copy = name.to_owned();
        copy.push(format!(".backup-v{version}-{stamp}"));
        if attempt > 1 {
            copy.push(format!("-{attempt}"));
        }
        let copy = path.with_file_name(copy);
        if !copy.exists() {
            unfinished.persist(&copy).map_err(|error| Failure::NoBackup(error.error.to_string()))?;
            return Ok(copy);
        }
    }
    Err(Failure::NoBackup("no name is left for its copy".into()))
}

#[cfg(test)]
#[path = "migrate_tests.rs"]
mod tests;
