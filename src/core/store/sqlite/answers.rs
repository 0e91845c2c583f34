//! The response cache in its own file, `cache.db`: shared by all processes, safe to delete.
//!
//! Nothing here may fail a run or block it for long. Look-ups read on the caller's thread. Entries
//! are queued for one thread, started by the first entry, which writes all queued entries in one
//! transaction. If the file cannot be used (no permission, full disk, lock), that is logged once,
//! and after each failure the file is left alone for [`FAILURE_BACKOFF`]. A damaged file is moved aside and
//! recreated; a file of another program or a newer aludel is not touched.
//!
//! There are no migrations and no backups: the contents of an older format are discarded. The file
//! is private to its owner, like the database. Commits do not wait for the disk: a power cut can
//! lose some.

mod file;
mod rows;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::connection::Connected;
use super::failure::{Failure, SqliteResult};
use super::lock;
use crate::error::Error;
use crate::provider::cache::{AnswerKey, AnswerStore, CacheNamespace, CachedAnswer, NamespaceLimits};
use writer::{Put, WriterThread};

/// How long the file is left alone after a failure.
const FAILURE_BACKOFF: Duration = Duration::from_mins(1);
/// How long look-ups pause after waiting for a lock in vain, so that the waits do not add up.
const PAUSE: Duration = Duration::from_secs(1);
/// How long a look-up waits for a lock.
const READ_LOCK_TIMEOUT: Duration = Duration::from_millis(100);
/// How long the writing thread waits for a lock.
const WRITE_LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// Entries that can wait to be written; any more are cached in this process only.
const QUEUE: usize = 256;

/// Cached responses in one SQLite file. Touches nothing until the first look-up.
pub struct SqliteAnswers {
    place: Arc<CacheFile>,
    reader: Mutex<Option<Connected>>,
    writing: Mutex<CacheWriterState>,
}

/// The contents of a cache file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Number of entries.
    pub entries: u64,
    /// Bytes of their text.
    pub bytes: u64,
}

/// The state of the writer: not started, running, closed.
#[derive(Default)]
struct CacheWriterState {
    queue: Option<SyncSender<Put>>,
    thread: Option<JoinHandle<()>>,
    closed: bool,
}

/// The file and its state, shared by readers and the writing thread.
struct CacheFile {
    path: PathBuf,
    /// How long the writing thread waits for a lock.
    patience: Duration,
    warned: AtomicBool,
    /// A look-up found damage; the writing thread will repair it.
    damaged: AtomicBool,
    rests_until: Mutex<Option<Instant>>,
    /// No look-ups until then; writing goes on.
    pauses_until: Mutex<Option<Instant>>,
}

impl CacheFile {
    fn is_resting(&self) -> bool {
        lock(&self.rests_until).is_some_and(|end| Instant::now() < end)
    }

    /// Notes a look-up that met a lock. Not a failure: closing the file locks it briefly.
    fn was_locked(&self) {
        tracing::debug!(file = %self.path.display(), "the cache of answers is locked");
        *lock(&self.pauses_until) = Some(Instant::now() + PAUSE);
    }

    fn is_pausing(&self) -> bool {
        lock(&self.pauses_until).is_some_and(|end| Instant::now() < end)
    }

    /// Notes a failure: logs it and leaves the file alone for a while.
    fn cannot_be_used(&self, failure: &Failure) {
        *lock(&self.rests_until) = Some(Instant::now() + FAILURE_BACKOFF);
        let (file, reason) = (self.path.display(), file::reason(failure));
        if self.warned.swap(true, Ordering::Relaxed) {
            tracing::debug!(%file, reason, "the cache of answers still cannot be used");
        } else {
            tracing::warn!(%file, reason, "the cache of answers cannot be used; continuing without it");
        }
    }
}

impl SqliteAnswers {
    /// The cache in this file, which need not exist.
    pub fn open(path: impl AsRef<Path>) -> Self {
        Self::with_patience(path.as_ref(), WRITE_LOCK_TIMEOUT)
    }

    fn with_patience(path: &Path, patience: Duration) -> Self {
        // SQLite would read a relative `file:…` as a URI, and the working directory may change.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let place = CacheFile {
            path,
            patience,
            warned: false.into(),
            damaged: false.into(),
            rests_until: Mutex::default(),
            pauses_until: Mutex::default(),
        };
        Self { place: Arc::new(place), reader: Mutex::default(), writing: Mutex::default() }
    }

    /// The number and size of entries; zero if there is no file.
    ///
    /// # Errors
    /// The reason the file cannot be used.
    pub fn inventory(&self) -> Result<Inventory, String> {
        let counted = self.read(rows::count).map(Option::unwrap_or_default);
        counted.map_err(|failure| file::reason(&failure))
    }

    /// Reads; `None` if there is no file.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> SqliteResult<T>) -> SqliteResult<Option<T>> {
        let mut reader = lock(&self.reader);
        if !reader.as_ref().is_some_and(|opened| opened.is_current(&self.place.path)) {
            *reader = file::open_for_reading(&self.place.path, READ_LOCK_TIMEOUT)?;
        }
        let Some(opened) = &*reader else { return Ok(None) };
        let answer = work(&opened.connection);
        if answer.is_err() {
            *reader = None;
        }
        answer.map(Some)
    }

    /// The queue of the writing thread, started if needed; `None` once closed.
    fn queue(&self) -> SqliteResult<Option<SyncSender<Put>>> {
        let mut writing = lock(&self.writing);
        if writing.closed || writing.queue.is_some() {
            return Ok(writing.queue.clone());
        }
        let (queue, waiting) = sync_channel(QUEUE);
        let thread = WriterThread::new(Arc::clone(&self.place), waiting);
        let started = std::thread::Builder::new().name("aludel-cache".into()).spawn(move || thread.run());
        let no_thread = |error| Error::Storage(format!("the system gives no thread to write with: {error}"));
        writing.thread = Some(started.map_err(no_thread)?);
        Ok(writing.queue.insert(queue).clone().into())
    }
}

impl AnswerStore for SqliteAnswers {
    fn get(&self, key: &AnswerKey) -> Option<CachedAnswer> {
        if self.place.is_resting() || self.place.is_pausing() || lock(&self.writing).closed {
            return None;
        }
        match self.read(|connection| rows::get(connection, key)) {
            Ok(found) => found.flatten(),
            Err(failure) if file::is_damage(&failure) => {
                self.place.damaged.store(true, Ordering::Relaxed);
                None
            }
            Err(failure) if failure.is_busy() => {
                self.place.was_locked();
                None
            }
            Err(failure) => {
                self.place.cannot_be_used(&failure);
                None
            }
        }
    }

    fn put(&self, namespace: CacheNamespace, limits: NamespaceLimits, key: AnswerKey, answer: Arc<CachedAnswer>) {
        if self.place.is_resting() {
            return;
        }
        match self.queue() {
            Ok(Some(queue)) => {
                if queue.try_send(Put { namespace, limits, key, answer }).is_err() {
                    tracing::debug!(%key, "an answer is not kept beyond this process: too many wait to be written");
                }
            }
            Ok(None) => {}
            Err(failure) => self.place.cannot_be_used(&failure),
        }
    }

    fn close(&self) {
        lock(&self.writing).closed = true;
        // Before the writer stops: the last connection folds in the log, a reading one cannot.
        *lock(&self.reader) = None;
        let mut writing = lock(&self.writing);
        writing.queue = None;
        let thread = writing.thread.take();
        drop(writing);
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that writes the cache of answers died");
        }
    }
}

impl Drop for SqliteAnswers {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests;
