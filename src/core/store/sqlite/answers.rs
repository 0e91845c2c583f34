//! The cache of answers in a file of its own, `cache.db`: found by every process, and free to be deleted at any time.
//!
//! Nothing here may make a run fail or wait for long. Looking up reads on the caller's thread; keeping queues for one
//! thread, started by the first answer, that writes what has queued up in one transaction. Where the file cannot be used
//! (no permission, a full disk, a lock) that is said once in the log, and after each failure it is left alone for
//! [`REST`]. A damaged file is moved aside and begun anew; one that another program or a newer aludel made is not touched.
//!
//! No migrations and no backups: another format is another file. It is readable by its owner alone, like the
//! database, and commits do not wait for the disk: what a power cut takes is asked for again.

mod file;
mod rows;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::connection::Connected;
use super::failure::{Failure, Outcome};
use crate::error::Error;
use crate::provider::cache::{Answer, AnswerKey, AnswerStore, CacheNamespace, NamespaceLimits};
use writer::{Put, WriterThread};

/// How long the file is left alone after a failure.
const REST: Duration = Duration::from_mins(1);
/// How long nothing is looked up after a lock was waited for in vain, so that waiting does not add up.
const PAUSE: Duration = Duration::from_secs(1);
/// How long a look-up waits for a lock.
const READING_PATIENCE: Duration = Duration::from_millis(100);
/// How long the writing thread waits for a lock.
const WRITING_PATIENCE: Duration = Duration::from_secs(5);
/// Answers that may wait to be written; more are not kept beyond the process.
const QUEUE: usize = 256;

/// Answers in one SQLite file. Touches nothing until the first look-up.
pub struct SqliteAnswers {
    place: Arc<Place>,
    reader: Mutex<Option<Connected>>,
    writing: Mutex<Writing>,
}

/// What is kept in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Answers.
    pub entries: u64,
    /// Bytes of their texts.
    pub bytes: u64,
}

/// The writer's life: not needed yet, running, closed.
#[derive(Default)]
struct Writing {
    queue: Option<SyncSender<Put>>,
    thread: Option<JoinHandle<()>>,
    closed: bool,
}

/// The file, and how it fares: what the reading side and the writing thread share.
struct Place {
    path: PathBuf,
    /// How long the writing thread waits for a lock.
    patience: Duration,
    warned: AtomicBool,
    /// A look-up met damage; the writing thread will deal with it.
    damaged: AtomicBool,
    rests_until: Mutex<Option<Instant>>,
    /// Until then nothing is looked up; writing goes on.
    pauses_until: Mutex<Option<Instant>>,
}

impl Place {
    fn is_resting(&self) -> bool {
        lock(&self.rests_until).is_some_and(|end| Instant::now() < end)
    }

    /// Takes note that a look-up waited for a lock in vain. That is no failure: whoever closes last holds one for a moment.
    fn was_locked(&self) {
        tracing::debug!(file = %self.path.display(), "the cache of answers is locked");
        *lock(&self.pauses_until) = Some(Instant::now() + PAUSE);
    }

    fn is_pausing(&self) -> bool {
        lock(&self.pauses_until).is_some_and(|end| Instant::now() < end)
    }

    /// Takes note of a failure: the file is left alone for a while, and somebody may want to know.
    fn cannot_be_used(&self, failure: &Failure) {
        *lock(&self.rests_until) = Some(Instant::now() + REST);
        let (file, reason) = (self.path.display(), file::reason(failure));
        if self.warned.swap(true, Ordering::Relaxed) {
            tracing::debug!(%file, reason, "the cache of answers still cannot be used");
        } else {
            tracing::warn!(%file, reason, "the cache of answers cannot be used; continuing without it");
        }
    }
}

impl SqliteAnswers {
    /// The answers in this file, which need not exist.
    pub fn open(path: impl AsRef<Path>) -> Self {
        Self::with_patience(path.as_ref(), WRITING_PATIENCE)
    }

    fn with_patience(path: &Path, patience: Duration) -> Self {
        // SQLite takes a relative `file:…` for a URL; and the working directory may change.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let place = Place {
            path,
            patience,
            warned: false.into(),
            damaged: false.into(),
            rests_until: Mutex::default(),
            pauses_until: Mutex::default(),
        };
        Self { place: Arc::new(place), reader: Mutex::default(), writing: Mutex::default() }
    }

    /// How much is kept; nothing where there is no file.
    ///
    /// # Errors
    /// Why the file cannot be used, in words.
    pub fn inventory(&self) -> Result<Inventory, String> {
        let counted = self.read(rows::count).map(Option::unwrap_or_default);
        counted.map_err(|failure| file::reason(&failure))
    }

    /// Reads; `None` where there is no file to read from.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Outcome<T>) -> Outcome<Option<T>> {
        let mut reader = lock(&self.reader);
        if !reader.as_ref().is_some_and(|opened| opened.is_current(&self.place.path)) {
            *reader = file::open_for_reading(&self.place.path, READING_PATIENCE)?;
        }
        let Some(opened) = &*reader else { return Ok(None) };
        let answer = work(&opened.connection);
        if answer.is_err() {
            *reader = None;
        }
        answer.map(Some)
    }

    /// The way to the writing thread, which is started if need be; `None` once closed.
    fn queue(&self) -> Outcome<Option<SyncSender<Put>>> {
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
    fn get(&self, key: &AnswerKey) -> Option<Answer> {
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

    fn put(&self, shelf: CacheNamespace, limits: NamespaceLimits, key: AnswerKey, answer: Arc<Answer>) {
        if self.place.is_resting() {
            return;
        }
        match self.queue() {
            Ok(Some(queue)) => {
                if queue.try_send(Put { shelf, limits, key, answer }).is_err() {
                    tracing::debug!(%key, "an answer is not kept beyond this process: too many wait to be written");
                }
            }
            Ok(None) => {}
            Err(failure) => self.place.cannot_be_used(&failure),
        }
    }

    fn close(&self) {
        lock(&self.writing).closed = true;
        // Before the writer may go: the last connection to close folds the log in, and a reading one cannot.
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

/// What these locks guard stays whole even if a holder died.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
