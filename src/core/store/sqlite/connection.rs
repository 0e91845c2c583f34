//! Connections: the only place that opens a database file, and what each connection is set to.
//!
//! A reading connection never creates or changes the file. A writing one creates what is missing, readable by its owner alone,
//! and keeps every commit durable through a power loss (WAL, `synchronous = FULL`).
//! Locks are waited for, [`PATIENCE`] at most. Which file is ours is told by [`Identity`]; bringing it up to
//! date is [`super::migrate`].

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::failure::{Failure, Outcome};
use crate::files;

/// How long a lock held by another process is waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// How long a writer waits for others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// With something that can be asked for again.
    pub(super) usual: Duration,
    /// With finished work, which was paid for: a prompt, a judgement, what a call cost.
    pub(super) finished_work: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { usual: PATIENCE, finished_work: PATIENCE * 4 }
    }
}

/// `application_id` of our files (<https://www.sqlite.org/pragma.html#pragma_application_id>): "alud".
pub(super) const APPLICATION_ID: i32 = 0x616C_7564;

/// Statements a connection keeps prepared.
const PREPARED_STATEMENTS: usize = 64;

/// Whose file this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Identity {
    /// Nothing is in it yet.
    Fresh,
    /// Ours, of this format.
    Ours(u32),
    /// Another program's.
    Foreign,
}

impl Identity {
    /// Reads it. Call it inside a transaction: the answer takes several reads.
    pub(super) fn of(connection: &Connection) -> Outcome<Self> {
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
    /// For how many milliseconds locks are waited for.
    patience: Arc<AtomicU64>,
    /// True when the file was opened as one that nobody changes; good for one use, because somebody may.
    is_settled: bool,
}

/// Names a file whatever its path: device and number.
#[cfg(unix)]
pub(super) type FileId = (u64, u64);
/// Elsewhere an open file can be neither moved nor deleted.
#[cfg(not(unix))]
pub(super) type FileId = ();

impl Connected {
    /// True while the path still names the file that is open. Once it was deleted, or another moved into its
    /// place, what is written here would be lost.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        !self.is_settled && self.file.is_some() && self.file == file_at(path)
    }

    /// From now on locks are waited for so long at most, not [`PATIENCE`].
    pub(super) fn wait_at_most(&self, patience: Duration) {
        self.patience.store(u64::try_from(patience.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// A connection that can only read, or none where there is no such file.
///
/// SQLite reads a file in WAL mode only where it can make the shared memory beside it. In a folder that cannot be
/// written, a file without a log is therefore read as one that nobody changes.
pub(super) fn open_for_reading(path: &Path) -> Outcome<Option<Connected>> {
    let attempt = || match immutable(path) {
        Some(uri) => Ok(Connected { is_settled: true, ..open(&uri, READ_ONLY | OpenFlags::SQLITE_OPEN_URI)? }),
        None => open(path, READ_ONLY),
    };
    match attempt() {
        Err(failure) if failure.code() == Some(ErrorCode::CannotOpen) => {
            // Where the file exists now, another process may have created it in this moment.
            if is_missing(path) { Ok(None) } else { attempt().map(Some) }
        }
        other => other.map(Some),
    }
}

const READ_ONLY: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY;

/// The file as a URI that says nobody changes it (<https://www.sqlite.org/uri.html>), where its folder cannot be written
/// and no log is beside it.
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

/// False when this process may make no file in the folder.
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

/// A connection that writes. Creates the folder and the file; does not migrate and does not yet write into it.
pub(super) fn open_for_writing(path: &Path) -> Outcome<Connected> {
    if is_missing(path) {
        create_folder(path)?;
        create_private_file(path);
    }
    open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
}

/// Makes a file that is known to be ours, or fresh, durable and concurrent. Outside any transaction.
pub(super) fn prepare_for_writing(connection: &Connection) -> Outcome<()> {
    // Changing the mode needs the file alone and does not wait for it, so we do.
    let mode = patiently(|| Ok(connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0))?))?;
    if mode != "wal" {
        tracing::warn!(mode, "the database's file system has no shared memory: other processes wait while one writes");
    }
    connection.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 67108864;",
    )?;
    Ok(())
}

/// Has the next commits wait for no disk: a power loss may undo the last of them, and damages
/// nothing. False where the file has no write-ahead log, which such commits could damage
/// (<https://www.sqlite.org/pragma.html#pragma_synchronous>). Outside any transaction.
pub(super) fn leave_commits_unflushed(connection: &Connection) -> Outcome<bool> {
    let mode = connection.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0))?;
    if mode == "wal" {
        connection.execute_batch("PRAGMA synchronous = NORMAL")?;
    }
    Ok(mode == "wal")
}

/// Undoes [`leave_commits_unflushed`].
pub(super) fn flush_commits(connection: &Connection) -> Outcome<()> {
    Ok(connection.execute_batch("PRAGMA synchronous = FULL")?)
}

/// Repeats `attempt` while another process holds a lock, [`PATIENCE`] at most.
pub(super) fn patiently<T>(mut attempt: impl FnMut() -> Outcome<T>) -> Outcome<T> {
    let begun = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match attempt() {
            Err(failure) if failure.is_busy() && begun.elapsed() < PATIENCE => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(50));
            }
            other => return other,
        }
    }
}

/// Makes a connection wait for locks, `patience` milliseconds at most.
///
/// SQLite's own waiting asks ever more seldom, so that among many processes whoever has waited longest is served
/// last. Here whoever has waited longer asks more often, at uneven intervals. Writers of ours rarely meet here:
/// [`super::queue`] has them take turns.
fn wait_fairly(connection: &mut Connection, patience: Arc<AtomicU64>) -> Outcome<()> {
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
        // What is left of a millisecond is as good as chance.
        let uneven = Duration::from_nanos(u64::from(waited.subsec_nanos() % 1_000_000)) * 2;
        std::thread::sleep(pause + uneven);
        true
    }))?;
    Ok(())
}

/// Runs `work` inside a transaction that sees one state of the database, and only reads.
pub(super) fn reading<T>(connection: &mut Connection, work: impl FnOnce(&Connection) -> Outcome<T>) -> Outcome<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
    let answer = work(&transaction)?;
    transaction.commit()?;
    Ok(answer)
}

/// A connection set to what all of them share.
pub(super) fn open(path: &Path, access: OpenFlags) -> Outcome<Connected> {
    // One thread uses a connection at a time; SQLite need not lock it again.
    #[expect(clippy::disallowed_methods, reason = "the one place that opens connections")]
    let mut connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    let patience = Arc::new(AtomicU64::new(u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX)));
    wait_fairly(&mut connection, Arc::clone(&patience))?;
    connection.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
    Ok(Connected { connection, file: file_at(path), patience, is_settled: false })
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

pub(super) fn create_folder(path: &Path) -> Outcome<()> {
    path.parent().map_or(Ok(()), files::make_folder).map_err(Failure::NoFolder)
}

/// Puts an empty file there that only its owner can read, unless another process was faster.
///
/// The file is made under another name and closed before it gets its own: closing a file drops all locks this
/// process holds on it, other connections' too. Where that cannot be done SQLite makes the file itself.
fn create_private_file(path: &Path) {
    if let Some(folder) = path.parent()
        && let Ok(file) = tempfile::Builder::new().prefix(".aludel-").tempfile_in(folder)
    {
        let _another_was_faster = file.into_temp_path().persist_noclobber(path);
    }
}
