//! Connections: the only place that opens a database file, and the settings of each connection.
//!
//! A reading connection never creates or changes the file. A writing one creates what is missing,
//! private to its owner, and makes every commit durable through a power loss (WAL, `synchronous =
//! FULL`), except those that [`leave_commits_unflushed`] asks for. Locks are waited for up to
//! [`LOCK_TIMEOUT`]. [`Identity`] tells whose file it is.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::failure::{Failure, SqliteResult};
use crate::files;

/// How long to wait for a lock held by another process.
pub(super) const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a writer waits for other processes.
#[derive(Debug, Clone, Copy)]
pub(super) struct WriteTimeouts {
    /// For work that can be requested again.
    pub(super) usual: Duration,
    /// For paid work: a prompt, a judgement, the cost of a call.
    pub(super) finished_work: Duration,
}

impl Default for WriteTimeouts {
    fn default() -> Self {
        Self { usual: LOCK_TIMEOUT, finished_work: LOCK_TIMEOUT * 4 }
    }
}

/// `application_id` of our files (<https://www.sqlite.org/pragma.html#pragma_application_id>): "alud".
pub(super) const APPLICATION_ID: i32 = 0x616C_7564;

/// Statements a connection keeps prepared.
const PREPARED_STATEMENTS: usize = 64;

/// Which program a file belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Identity {
    /// The file is empty.
    Fresh,
    /// aludel, with this format.
    Ours(u32),
    /// Another program.
    Foreign,
}

impl Identity {
    /// Reads it. Call it inside a transaction, because it takes several reads.
    pub(super) fn of(connection: &Connection) -> SqliteResult<Self> {
        let number = |sql| connection.prepare_cached(sql)?.query_row([], |row| row.get::<_, i32>(0));
        let application = number("PRAGMA application_id")?;
        let version = number("PRAGMA user_version")?;
        if application == APPLICATION_ID {
            return Ok(u32::try_from(version).map_or(Self::Foreign, Self::Ours));
        }
        let objects: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        Ok(if (application, version, objects) == (0, 0, 0) { Self::Fresh } else { Self::Foreign })
    }
}

/// An open connection, and the file it was opened on.
pub(super) struct Connected {
    pub(super) connection: Connection,
    file: Option<FileId>,
    /// How long to wait for locks, in milliseconds.
    patience: Arc<AtomicU64>,
    /// True if opened as immutable; used only once, because the file may change.
    is_settled: bool,
    /// The `data_version` at which the file was ours, of the newest format. It changes with every
    /// commit of another connection (<https://www.sqlite.org/pragma.html#pragma_data_version>).
    recognised_at: Cell<Option<i64>>,
}

/// Identifies a file whatever its path: device and inode.
#[cfg(unix)]
pub(super) type FileId = (u64, u64);
/// On other systems an open file can be neither moved nor deleted.
#[cfg(not(unix))]
pub(super) type FileId = ();

impl Connected {
    /// True while the path names the open file. Writes to a deleted or replaced file are lost.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        !self.is_settled && self.file.is_some() && self.file == file_at(path)
    }

    /// As [`Identity::of`] for this connection, and faster for a file of the `newest` format while nobody
    /// writes.
    pub(super) fn identity(&self, newest: u32) -> SqliteResult<Identity> {
        let connection = &self.connection;
        let version = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        if self.recognised_at.get() == Some(version) {
            return Ok(Identity::Ours(newest));
        }
        let identity = Identity::of(connection)?;
        self.recognised_at.set((identity == Identity::Ours(newest)).then_some(version));
        Ok(identity)
    }

    /// Limits how long locks are waited for, instead of [`LOCK_TIMEOUT`].
    pub(super) fn wait_at_most(&self, patience: Duration) {
        self.patience.store(u64::try_from(patience.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// Opens a read-only connection; `None` if there is no file.
///
/// SQLite reads a file in WAL mode only if it can create the shared memory file next to it. In a
/// read-only folder, a file without a log is therefore opened as immutable.
pub(super) fn open_for_reading(path: &Path) -> SqliteResult<Option<Connected>> {
    let attempt = || match immutable(path) {
        Some(uri) => Ok(Connected { is_settled: true, ..open(&uri, READ_ONLY | OpenFlags::SQLITE_OPEN_URI)? }),
        None => open(path, READ_ONLY),
    };
    match attempt() {
        Err(failure) if failure.code() == Some(ErrorCode::CannotOpen) => {
            // If the file exists now, another process has just created it.
            if is_missing(path) { Ok(None) } else { attempt().map(Some) }
        }
        other => other.map(Some),
    }
}

const READ_ONLY: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY;

/// The file as an immutable URI (<https://www.sqlite.org/uri.html>), if read-only without a log.
fn immutable(path: &Path) -> Option<PathBuf> {
    if can_write(path.parent()?) {
        return None;
    }
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        return None;
    }
    let escaped = path.to_str()?.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Some(format!("file:{escaped}?immutable=1").into())
}

/// False if this process cannot create files in the folder.
#[cfg(unix)]
fn can_write(folder: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    use rustix::io::Errno;
    !matches!(
        accessat(CWD, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS),
        Err(Errno::ACCESS | Errno::PERM | Errno::ROFS)
    )
}

#[cfg(not(unix))]
fn can_write(_: &Path) -> bool {
    true
}

/// Opens a connection for writing. Creates the folder and the file; does not migrate or write yet.
pub(super) fn open_for_writing(path: &Path) -> SqliteResult<Connected> {
    if is_missing(path) {
        create_folder(path)?;
        create_private_file(path);
    }
    open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
}

/// Makes a file that is ours or empty durable and concurrent. Call it outside any transaction.
pub(super) fn prepare_for_writing(connection: &Connection) -> SqliteResult<()> {
    // Changing the mode needs exclusive access and does not use the busy handler, so we wait.
    let mode = patiently(|| Ok(connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0))?))?;
    if mode != "wal" {
        tracing::warn!(mode, "the database's file system has no shared memory: other processes wait while one writes");
    }
    connection.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 67108864;",
    )?;
    Ok(())
}

/// Stops commits from waiting for the disk: a power loss can undo the last of them but damages
/// nothing. Returns false, and changes nothing, without a write-ahead log, where it could damage the
/// file (<https://www.sqlite.org/pragma.html#pragma_synchronous>). Call outside any transaction.
pub(super) fn leave_commits_unflushed(connection: &Connection) -> SqliteResult<bool> {
    let mode = connection.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0))?;
    if mode == "wal" {
        connection.execute_batch("PRAGMA synchronous = NORMAL")?;
    }
    Ok(mode == "wal")
}

/// Undoes [`leave_commits_unflushed`].
pub(super) fn flush_commits(connection: &Connection) -> SqliteResult<()> {
    Ok(connection.execute_batch("PRAGMA synchronous = FULL")?)
}

/// Retries `attempt` while another process holds a lock, up to [`LOCK_TIMEOUT`].
pub(super) fn patiently<T>(mut attempt: impl FnMut() -> SqliteResult<T>) -> SqliteResult<T> {
    let begun = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match attempt() {
            Err(failure) if failure.is_busy() && begun.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(50));
            }
            other => return other,
        }
    }
}

/// Makes a connection wait for locks, up to `patience` milliseconds.
///
/// SQLite's own busy handler polls less and less often, so that among many processes the one that
/// waited longest is served last. Here it polls more often, at uneven intervals. Our own writers
/// rarely meet here: [`super::queue`] makes them take turns.
fn wait_fairly(connection: &mut Connection, patience: Arc<AtomicU64>) -> SqliteResult<()> {
    let mut begun = Instant::now();
    connection.busy_handler(Some(move |asked: i32| {
        if asked == 0 {
            begun = Instant::now();
        }
        let waited = begun.elapsed();
        if waited >= Duration::from_millis(patience.load(Ordering::Relaxed)) {
            return false;
        }
        let pause = match waited.as_millis() {
            0..3 => Duration::from_millis(1),
            3..1000 => Duration::from_millis(10),
            1000..3000 => Duration::from_millis(6),
            _ => Duration::from_millis(3),
        };
        // The sub-millisecond remainder serves as jitter.
        let uneven = Duration::from_nanos(u64::from(waited.subsec_nanos() % 1_000_000)) * 2;
        std::thread::sleep(pause + uneven);
        true
    }))?;
    Ok(())
}

/// Runs `work` inside a read-only transaction that sees one state of the database.
pub(super) fn reading<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> SqliteResult<T>,
) -> SqliteResult<T> {
    // Statements that stay prepared, unlike those of the library's transactions.
    let run = |sql| connection.prepare_cached(sql)?.execute([]);
    run("BEGIN DEFERRED")?;
    match work(connection) {
        Ok(answer) => {
            run("COMMIT")?;
            Ok(answer)
        }
        Err(failure) => {
            // Some failures have ended it already.
            let _ = run("ROLLBACK");
            Err(failure)
        }
    }
}

/// Opens a connection with the common settings.
pub(super) fn open(path: &Path, access: OpenFlags) -> SqliteResult<Connected> {
    // A connection is used by one thread at a time, so SQLite's own mutex is not needed.
    #[expect(clippy::disallowed_methods, reason = "the one place that opens connections")]
    let mut connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    let patience = Arc::new(AtomicU64::new(u64::try_from(LOCK_TIMEOUT.as_millis()).unwrap_or(u64::MAX)));
    wait_fairly(&mut connection, Arc::clone(&patience))?;
    connection.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
    Ok(Connected { connection, file: file_at(path), patience, is_settled: false, recognised_at: Cell::new(None) })
}

#[cfg(unix)]
pub(super) fn file_at(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
pub(super) fn file_at(path: &Path) -> Option<FileId> {
    path.exists().then_some(())
}

pub(super) fn is_missing(path: &Path) -> bool {
    std::fs::metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

pub(super) fn create_folder(path: &Path) -> SqliteResult<()> {
    path.parent().map_or(Ok(()), files::make_folder).map_err(Failure::NoFolder)
}

/// Creates an empty file that only its owner can read, unless another process did first.
///
/// The file is created under another name and closed before it is renamed: closing a file drops all
/// locks this process holds on it, in all connections. If this fails, SQLite creates it.
fn create_private_file(path: &Path) {
    if let Some(folder) = path.parent()
        && let Ok(file) = tempfile::Builder::new().prefix(".aludel-").tempfile_in(folder)
    {
        let _another_was_faster = file.into_temp_path().persist_noclobber(path);
    }
}
