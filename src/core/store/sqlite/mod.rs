//! The SQLite implementation of the storage seam: one private file, safe to share among processes.
//!
//! Opening a store does nothing on disk. The first read opens a connection; a file that does not
//! exist reads as empty. The first write creates folder and file, migrates, and starts the writer
//! thread. Reads run on the caller's thread over a small pool of connections, each seeing one state
//! of the database. Writes queue for the writer thread, are committed together and then answered.
//!
//! Where to go next: `connection` for connection settings, [`migrate`] for formats, `filter` for
//! list queries, `writer` for commits, `queue` for taking turns among processes, `failure` for
//! error messages. The other halves of the seam are implemented where their rows are (`find`, `jobs`,
//! `spend`, `measure`, `judgements`, `idempotency`). [`answers`] is the cache, a separate file with its own rules.

pub mod alchemy;
pub mod answers;
mod changes;
mod connection;
mod cursor;
mod failure;
mod filter;
mod find;
mod fragment;
mod idempotency;
pub mod integrity;
mod jobs;
mod judgements;
mod lengths;
mod matches;
mod measure;
pub mod migrate;
mod outlines;
mod prompts;
mod queue;
mod ranking;
mod rows;
mod sessions;
mod spend;
mod summaries;
mod terms;
mod tokenizer;
mod totals;
mod trash;
mod vectors;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;

use self::connection::{Connected, Identity};
use self::failure::{DatabaseFile, Failure, SqliteResult};
use self::writer::{Flush, Writer};
use super::{Applied, Mutation, Page, PageSpec, Pending, Session, SessionWithPrompts, Store, TrashedPage};
use crate::domain::{Filter, Order, Prompt, PromptId, PromptOutline, PromptSummary, SessionId, Timestamp};
use crate::error::Result;

/// Makes a connection that was opened elsewhere able to use the text index, `prompt_terms`.
///
/// # Errors
/// `storage` if SQLite has no FTS5.
pub fn prepare_connection(connection: &Connection) -> Result<()> {
    let place = || connection.path().map_or_else(PathBuf::new, PathBuf::from);
    tokenizer::register(connection)
        .map_err(|failure| failure.explain(&DatabaseFile::of(&place()), "preparing a connection"))
}

/// Idle connections kept in the pool; more can be in use at once.
const IDLE_READERS: usize = 8;

/// A database of prompts in one SQLite file.
pub struct SqliteStore {
    place: Arc<DatabaseFile>,
    readers: Mutex<Vec<Connected>>,
    writing: Mutex<WriterState>,
    /// The sidecar vector index.
    codes: Arc<vectors::Codes>,
    expiry: Option<Expiry>,
}

/// The earliest deletion that can still be restored, as of now.
type Expiry = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The state of the writer: not started, running, closed.
#[derive(Default)]
struct WriterState {
    writer: Option<Writer>,
    thread: Option<JoinHandle<()>>,
    closed: bool,
}

impl SqliteStore {
    /// The database at `path`. Touches nothing until the first operation.
    pub fn open(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        // SQLite would read a relative `file:…` as a URI, and the working directory may change.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self {
            place: Arc::new(DatabaseFile::of(&path)),
            readers: Mutex::default(),
            writing: Mutex::default(),
            codes: Arc::new(vectors::Codes::beside(&path)),
            expiry: None,
        }
    }

    /// Names the file in errors: clients must not learn paths outside the user's own folder.
    #[must_use]
    pub fn shown_as(mut self, name: impl Into<PathBuf>) -> Self {
        self.place = Arc::new(DatabaseFile { shown: name.into(), ..DatabaseFile::clone(&self.place) });
        self
    }

    /// Reports the progress of a migration, should the file need one.
    #[must_use]
    pub fn watched_by(mut self, watch: migrate::Watch) -> Self {
        self.place = Arc::new(DatabaseFile { watch, ..DatabaseFile::clone(&self.place) });
        self
    }

    /// On the first write, deletes what was moved to the trash before the moment this returns.
    #[must_use]
    pub fn expiring(mut self, restorable_since: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        self.expiry = Some(Arc::new(restorable_since));
        self
    }

    /// How long writers wait for other processes: usually, and with finished work. For tests.
    #[cfg(any(test, feature = "test-support"))]
    #[must_use]
    pub fn waiting(mut self, usual: Duration, finished_work: Duration) -> Self {
        let patience = connection::WriteTimeouts { usual, finished_work };
        self.place = Arc::new(DatabaseFile { patience, ..DatabaseFile::clone(&self.place) });
        self
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.place.path
    }

    /// Reads on the caller's thread; returns `absent` if there is no database yet.
    fn read<T>(&self, doing: &str, absent: T, work: impl Fn(&Connection) -> SqliteResult<T>) -> Pending<T> {
        let answer = self.read_now(absent, work).map_err(|failure| failure.explain(&self.place, doing));
        Pending::ready(answer)
    }

    fn read_now<T>(&self, absent: T, work: impl Fn(&Connection) -> SqliteResult<T>) -> SqliteResult<T> {
        if lock(&self.writing).closed {
            return Err(Failure::Closed);
        }
        let mut migrated = false;
        loop {
            let Some(opened) = self.reader()? else { return Ok(absent) };
            let seen =
                connection::reading(&opened.connection, |connection| match opened.identity(migrate::LATEST)? {
                    Identity::Ours(migrate::LATEST) => work(connection).map(Seen::Answer),
                    other => Ok(Seen::Other(other)),
                })?;
            let found = match seen {
                Seen::Answer(answer) => {
                    self.keep(opened);
                    return Ok(answer);
                }
                Seen::Other(found) => found,
            };
            match found {
                Identity::Fresh => return Ok(absent),
                Identity::Foreign => return Err(Failure::Foreign),
                Identity::Ours(found) if found > migrate::LATEST || migrated => {
                    return Err(Failure::Newer { found, known: migrate::LATEST });
                }
                Identity::Ours(_) => {
                    drop(opened);
                    migrate::run_at(&self.place)?;
                    migrated = true;
                }
            }
        }
    }

    /// An idle connection or a new one; `None` if there is no file.
    fn reader(&self) -> SqliteResult<Option<Connected>> {
        let idle = lock(&self.readers).pop();
        match idle.filter(|opened| opened.is_current(&self.place.path)) {
            Some(opened) => Ok(Some(opened)),
            None => connection::open_for_reading(&self.place.path),
        }
    }

    fn keep(&self, opened: Connected) {
        // In this order, so that a connection pushed before closing is cleared by it.
        let mut readers = lock(&self.readers);
        if !lock(&self.writing).closed && readers.len() < IDLE_READERS {
            readers.push(opened);
        }
    }

    /// Queues a write for the writer thread, starting it if needed.
    fn write<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl Fn(&Connection) -> SqliteResult<T> + Send + 'static,
    ) -> Pending<T> {
        self.write_within(self.place.patience.usual, doing, Flush::Now, work)
    }

    /// As [`SqliteStore::write`], for paid work: it waits longer for other processes.
    fn write_finished<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl Fn(&Connection) -> SqliteResult<T> + Send + 'static,
    ) -> Pending<T> {
        self.write_within(self.place.patience.finished_work, doing, Flush::Now, work)
    }

    /// As [`SqliteStore::write_finished`], for what a power loss may undo.
    fn write_unflushed<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl Fn(&Connection) -> SqliteResult<T> + Send + 'static,
    ) -> Pending<T> {
        self.write_within(self.place.patience.finished_work, doing, Flush::Later, work)
    }

    fn write_within<T: Send + 'static>(
        &self,
        patience: Duration,
        doing: &'static str,
        flush: Flush,
        work: impl Fn(&Connection) -> SqliteResult<T> + Send + 'static,
    ) -> Pending<T> {
        match self.writer() {
            Ok((writer, start)) => {
                let (job, pending) = writer::job(doing, patience, flush, work);
                writer.send(job);
                if start == Start::First {
                    self.expire(&writer);
                }
                pending
            }
            Err(error) => Pending::ready(Err(error)),
        }
    }

    /// Empties expired trash after the first write, in the background. The next process or deletion
    /// makes up for a failure or a power loss.
    fn expire(&self, writer: &Writer) {
        if let Some(restorable_since) = &self.expiry {
            let before = restorable_since();
            let work = move |connection: &Connection| trash::empty(connection, None, Some(before)).map(drop);
            let (job, unawaited) = writer::job("emptying the trash", self.place.patience.usual, Flush::Later, work);
            writer.send(job);
            drop(unawaited);
        }
    }

    /// The writer, and whether this is its first use.
    fn writer(&self) -> Result<(Writer, Start)> {
        let mut writing = lock(&self.writing);
        if writing.closed {
            return Err(Failure::Closed.explain(&self.place, "writing"));
        }
        if let Some(writer) = &writing.writer {
            return Ok((writer.clone(), Start::Earlier));
        }
        let (writer, thread) = Writer::start(Arc::clone(&self.place))?;
        writing.thread = Some(thread);
        Ok((writing.writer.insert(writer).clone(), Start::First))
    }

    /// Refuses further calls and returns the writer, if it was started.
    fn shut(&self) -> Option<Writer> {
        let mut writing = lock(&self.writing);
        writing.closed = true;
        self.codes.close();
        let writer = writing.writer.take();
        drop(writing);
        // Before the writer stops: the last connection to close checkpoints the log.
        lock(&self.readers).clear();
        writer
    }
}

/// Whether a writer was started just now.
#[derive(PartialEq, Eq)]
enum Start {
    First,
    Earlier,
}

enum Seen<T> {
    Answer(T),
    Other(Identity),
}

impl Store for SqliteStore {
    fn begin_session(&self, session: Session) -> Pending<()> {
        self.write("storing a session", move |connection| sessions::begin(connection, &session))
    }

    fn append_with_sessions(&self, prompts: Vec<Prompt>, sessions: Vec<Session>) -> Pending<()> {
        // On the caller's thread, in parallel with the writer.
        let entries = terms::entries(&prompts);
        self.write_finished("storing prompts", move |connection| {
            sessions::begin_given(connection, &sessions, &prompts)?;
            prompts::append(connection, &prompts, &entries)
        })
    }

    fn apply(&self, mutation: Mutation) -> Pending<Applied> {
        let doing = match &mutation {
            Mutation::Edit { .. } => "changing a prompt",
            Mutation::Rank { .. } => "storing ranks",
            Mutation::Delete { .. } | Mutation::DeleteWhere { .. } => "deleting prompts",
            Mutation::Trash { .. } | Mutation::TrashWhere { .. } => "moving prompts to the trash",
            Mutation::Restore { .. } => "restoring prompts",
            Mutation::EmptyTrash { .. } => "emptying the trash",
        };
        let ranks = matches!(mutation, Mutation::Rank { .. });
        let work = move |connection: &Connection| changes::apply(connection, &mutation);
        if ranks { self.write_finished(doing, work) } else { self.write(doing, work) }
    }

    fn get(&self, id: PromptId) -> Pending<Option<Prompt>> {
        self.read("reading a prompt", None, |connection| prompts::get(connection, id))
    }

    fn resolve(&self, fragment: String, limit: usize) -> Pending<Vec<PromptId>> {
        self.read("looking up an id", Vec::new(), |connection| fragment::resolve(connection, &fragment, limit))
    }

    fn page(&self, filter: Filter, order: Order, page: PageSpec) -> Pending<Page<Prompt>> {
        let absent = Page { items: Vec::new(), next_cursor: None };
        self.read("listing prompts", absent, |connection| prompts::page(connection, &filter, order, &page))
    }

    fn summaries(&self, filter: Filter, order: Order, page: PageSpec) -> Pending<Page<PromptSummary>> {
        let absent = Page { items: Vec::new(), next_cursor: None };
        self.read("listing prompts", absent, |connection| summaries::page(connection, &filter, order, &page))
    }

    fn outlines(&self, filter: Filter, page: PageSpec) -> Pending<Page<PromptOutline>> {
        let absent = Page { items: Vec::new(), next_cursor: None };
        self.read("listing prompts", absent, |connection| outlines::page(connection, &filter, &page))
    }

    fn sessions(&self, page: PageSpec) -> Pending<Page<SessionWithPrompts>> {
        let absent = Page { items: Vec::new(), next_cursor: None };
        self.read("listing sessions", absent, |connection| {
            sessions::page(connection, &page, sessions::variants, |prompt| prompt.session_id)
        })
    }

    fn sessions_with_summaries(&self, page: PageSpec) -> Pending<Page<SessionWithPrompts<PromptSummary>>> {
        let absent = Page { items: Vec::new(), next_cursor: None };
        self.read("listing sessions", absent, |connection| {
            sessions::page(connection, &page, summaries::of_sessions, |prompt| prompt.session_id)
        })
    }

    fn fetch_sessions(&self, ids: Vec<SessionId>) -> Pending<Vec<Session>> {
        self.read("reading sessions", Vec::new(), |connection| sessions::fetch(connection, &ids))
    }

    fn count(&self, filter: Filter) -> Pending<u64> {
        self.read("counting prompts", 0, |connection| filter::count(connection, &filter))
    }

    fn change_count(&self) -> Pending<u64> {
        self.read("reading the number of changes", 0, changes::count)
    }

    fn trashed(&self, since: Timestamp, limit: u32, offset: u64) -> Pending<TrashedPage> {
        let read = move |connection: &Connection| trash::page(connection, since, limit, offset);
        self.read("reading the trash", TrashedPage::default(), read)
    }

    fn resolve_trashed(&self, fragment: String, limit: usize) -> Pending<Vec<PromptId>> {
        self.read("looking up an id", Vec::new(), move |connection| trash::resolve(connection, &fragment, limit))
    }

    fn close(&self) -> Pending<()> {
        match self.shut() {
            None => Pending::ready(Ok(())),
            Some(writer) => {
                let (completer, pending) = Pending::coming();
                writer.close(completer);
                pending
            }
        }
    }
}

impl Drop for SqliteStore {
    /// Waits until queued writes are done, like `close`.
    fn drop(&mut self) {
        drop(self.shut());
        let thread = lock(&self.writing).thread.take();
        // The store can be dropped on the writer thread itself, which cannot join itself.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id())
            && thread.join().is_err()
        {
            tracing::error!("the thread that writes the database died");
        }
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.place.path).finish_non_exhaustive()
    }
}

/// The guarded data stays valid after a panic: locks are never held across fallible code.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod process_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod spend_process_tests;
#[cfg(test)]
mod tests;
