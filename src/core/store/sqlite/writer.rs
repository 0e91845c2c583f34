//! The writer: one thread, started by the first write, that commits all queued jobs together.
//!
//! Durability costs one wait for the disk per commit; putting all waiting jobs into one transaction
//! shares it. When one fails, all are repeated, each in its own savepoint, so that it takes no
//! other with it. When SQLite rolls back the whole transaction (a full disk), each job is retried
//! alone. A job is answered after its commit, never before. A commit of [`Flush::Later`] jobs alone
//! does not wait for the disk; the next flushed commit makes it durable as well.
//!
//! Processes take turns ([`super::queue`]); a turn is one commit. The queue of jobs is bounded:
//! [`Writer::send`] blocks callers that write faster than the disk.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::connection::{self, Connected, Identity};
use super::failure::{DatabaseFile, Failure, SqliteResult};
use super::migrate;
use super::queue::{Queue, TurnWait};
use crate::error::{Error, Result};
use crate::store::{Completer, Pending};

/// How long to wait for a lock even after waiting too long for a turn: it may be free now.
const SHORTEST_WAIT: Duration = Duration::from_millis(200);

/// Maximum number of queued jobs, and of jobs in one commit.
const QUEUE: usize = 256;

/// From when on a write survives a power loss. Every commit survives the end of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flush {
    /// From its answer on.
    Now,
    /// From the next flushed commit on. A power loss before that can undo it, together with all
    /// later commits.
    Later,
}

/// A write, together with the sender for its result.
pub(super) trait Job: Send {
    /// What it does, to complete "while …".
    fn doing(&self) -> &'static str;
    /// When it was requested.
    fn asked_at(&self) -> Instant;
    /// How long to wait for other processes.
    fn patience(&self) -> Duration;
    /// When it has to be durable.
    fn flush(&self) -> Flush;
    /// Does the work without a commit, storing its result. Repeatable after a rollback.
    fn run(&mut self, connection: &Connection) -> SqliteResult<()>;
    /// Sends the stored result, or the failure of the commit.
    fn answer(self: Box<Self>, committed: Result<()>);
}

/// A [`Job`] made of a function.
struct Task<T, F> {
    doing: &'static str,
    asked_at: Instant,
    patience: Duration,
    flush: Flush,
    work: F,
    made: Option<T>,
    completer: Completer<T>,
}

impl<T: Send, F: Fn(&Connection) -> SqliteResult<T> + Send> Job for Task<T, F> {
    fn doing(&self) -> &'static str {
        self.doing
    }

    fn asked_at(&self) -> Instant {
        self.asked_at
    }

    fn patience(&self) -> Duration {
        self.patience
    }

    fn flush(&self) -> Flush {
        self.flush
    }

    fn run(&mut self, connection: &Connection) -> SqliteResult<()> {
        self.made = Some((self.work)(connection)?);
        Ok(())
    }

    fn answer(self: Box<Self>, committed: Result<()>) {
        let Self { doing, made, completer, .. } = *self;
        let unrun = || Error::Internal(format!("a write was committed that never ran ({doing})"));
        completer.complete(committed.and_then(|()| made.ok_or_else(unrun)));
    }
}

/// A job and its pending result. `work` can run more than once. Waits for other processes until
/// they have stood still for `patience`, including the time in our own queue.
pub(super) fn job<T: Send + 'static>(
    doing: &'static str,
    patience: Duration,
    flush: Flush,
    work: impl Fn(&Connection) -> SqliteResult<T> + Send + 'static,
) -> (Box<dyn Job>, Pending<T>) {
    let (completer, pending) = Pending::coming();
    (Box::new(Task { doing, asked_at: Instant::now(), patience, flush, work, made: None, completer }), pending)
}

enum Message {
    Job(Box<dyn Job>),
    /// Answered at the very end.
    Close(Completer<()>),
}

/// A handle to the writer thread, which ends after the queued work once all handles are dropped.
#[derive(Clone)]
pub(super) struct Writer {
    queue: SyncSender<Message>,
    place: Arc<DatabaseFile>,
}

impl Writer {
    /// Starts the thread. It opens the file when the first job arrives.
    pub(super) fn start(place: Arc<DatabaseFile>) -> Result<(Self, JoinHandle<()>)> {
        let (queue, waiting) = sync_channel(QUEUE);
        let writer = Self { queue, place: Arc::clone(&place) };
        let thread = std::thread::Builder::new()
            .name("aludel-writer".into())
            .spawn(move || {
                let queue = Queue::of(&place.path);
                WriterThread { place, waiting, queue, opened: None }.run();
            })
            .map_err(|error| Error::Storage(format!("the system gives no thread to write with: {error}")))?;
        Ok((writer, thread))
    }

    /// Queues a job; waits while the queue is full.
    pub(super) fn send(&self, job: Box<dyn Job>) {
        if let Err(refused) = self.queue.send(Message::Job(job))
            && let Message::Job(job) = refused.0
        {
            let doing = job.doing();
            job.answer(Err(Failure::Closed.explain(&self.place, doing)));
        }
    }

    /// Completes `completer` at the very end, when no [`Writer`] is left and the file is closed.
    pub(super) fn close(self, completer: Completer<()>) {
        if let Err(refused) = self.queue.send(Message::Close(completer))
            && let Message::Close(completer) = refused.0
        {
            completer.complete(Ok(()));
        }
    }
}

struct WriterThread {
    place: Arc<DatabaseFile>,
    waiting: Receiver<Message>,
    queue: Queue,
    opened: Option<Connected>,
}

impl WriterThread {
    fn run(mut self) {
        let mut closers = Vec::new();
        while let Ok(first) = self.waiting.recv() {
            let mut batch = Vec::new();
            match first {
                Message::Job(job) => batch.push(job),
                Message::Close(completer) => closers.push(completer),
            }
            self.gather(&mut batch, &mut closers);
            if batch.is_empty() {
                continue;
            }
            let TurnWait { turn, since } = self.wait_for_a_turn(&batch);
            // Add the jobs that arrived meanwhile, to make the most of the turn.
            self.gather(&mut batch, &mut closers);
            self.write(batch, since);
            drop(turn);
        }
        if let Some(Connected { connection, .. }) = self.opened.take() {
            // Only the last connection of all processes checkpoints the log.
            if let Err((_, error)) = connection.close() {
                tracing::debug!(%error, "the database's log stays beside it; the next process folds it in");
            }
        }
        for completer in closers {
            completer.complete(Ok(()));
        }
    }

    /// Takes queued jobs, up to the limit of one commit.
    fn gather(&self, batch: &mut Vec<Box<dyn Job>>, closers: &mut Vec<Completer<()>>) {
        for message in self.waiting.try_iter().take(QUEUE.saturating_sub(batch.len())) {
            match message {
                Message::Job(job) => batch.push(job),
                Message::Close(completer) => closers.push(completer),
            }
        }
    }

    /// Waits for a turn among all processes, held as long as the returned value.
    fn wait_for_a_turn(&mut self, batch: &[Box<dyn Job>]) -> TurnWait {
        let asked_at = batch.iter().map(|job| job.asked_at()).max().unwrap_or_else(Instant::now);
        let patience = batch.iter().map(|job| job.patience()).max().unwrap_or_default();
        // The queue's file needs the folder. Failing to create it is reported when opening.
        if connection::is_missing(&self.place.path) && connection::create_folder(&self.place.path).is_err() {
            return TurnWait { turn: None, since: asked_at };
        }
        self.queue.turn(asked_at, patience)
    }

    /// Writes all jobs, together if possible, and answers each. `since`: the queue's last move.
    fn write(&mut self, mut batch: Vec<Box<dyn Job>>, since: Instant) {
        match self.commit(&mut batch, since) {
            Ok(outcomes) => {
                for (job, outcome) in batch.into_iter().zip(outcomes) {
                    self.answer(job, outcome);
                }
            }
            Err(CommitFailure::All(failure)) => {
                let error = failure.explain(&self.place, "beginning to write");
                // The next batch reopens it: the cause may be gone.
                self.opened = None;
                for job in batch {
                    job.answer(Err(error.clone()));
                }
            }
            Err(CommitFailure::Together(failure)) => {
                tracing::debug!(
                    ?failure,
                    jobs = batch.len(),
                    "a shared commit was lost; its jobs are tried one by one"
                );
                for job in batch {
                    let mut alone = [job];
                    let committed = match self.commit(&mut alone, since) {
                        Ok(outcomes) => outcomes.into_iter().collect::<SqliteResult<()>>(),
                        Err(CommitFailure::All(failure) | CommitFailure::Together(failure)) => Err(failure),
                    };
                    let [job] = alone;
                    self.answer(job, committed);
                }
            }
        }
    }

    fn answer(&self, job: Box<dyn Job>, committed: SqliteResult<()>) {
        let doing = job.doing();
        job.answer(committed.map_err(|failure| failure.explain(&self.place, doing)));
    }

    /// Opens the file if needed, migrates it, and commits.
    fn commit(&mut self, jobs: &mut [Box<dyn Job>], since: Instant) -> Result<Vec<SqliteResult<()>>, CommitFailure> {
        let left_to = |job: &dyn Job| job.patience().saturating_sub(since.max(job.asked_at()).elapsed());
        let left = || jobs.iter().map(|job| left_to(job.as_ref())).max().unwrap_or_default().max(SHORTEST_WAIT);
        let mut opened = match self.opened.take().filter(|opened| opened.is_current(&self.place.path)) {
            Some(opened) => opened,
            None => open(&self.place, left()).map_err(CommitFailure::All)?,
        };
        opened.wait_at_most(left());
        let is_unflushed = jobs.iter().all(|job| job.flush() == Flush::Later)
            && connection::leave_commits_unflushed(&opened.connection).map_err(CommitFailure::All)?;
        let committed = commit_together(&mut opened.connection, jobs);
        // Where this fails, the next batch opens the file anew.
        if !is_unflushed || connection::flush_commits(&opened.connection).is_ok() {
            self.opened = Some(opened);
        }
        committed
    }
}

/// A connection that is ready to write, over a file that is up to date.
fn open(place: &DatabaseFile, patience: Duration) -> SqliteResult<Connected> {
    let mut opened = connection::open_for_writing(&place.path)?;
    opened.wait_at_most(patience);
    migrate::bring_up(&mut opened.connection, place)?;
    Ok(opened)
}

/// Why nothing of a batch was committed.
enum CommitFailure {
    /// The transaction could not begin: retrying one by one would not help.
    All(Failure),
    /// The transaction broke; each job may still succeed alone.
    Together(Failure),
}

/// One transaction for all jobs. On success each has its own outcome.
fn commit_together(
    connection: &mut Connection,
    jobs: &mut [Box<dyn Job>],
) -> Result<Vec<SqliteResult<()>>, CommitFailure> {
    if let Some(outcomes) = commit_as_one(connection, jobs)? {
        return Ok(outcomes);
    }
    let transaction = begin(connection)?;
    let mut outcomes = Vec::with_capacity(jobs.len());
    for job in jobs {
        let outcome = run_in_savepoint(&transaction, job.as_mut());
        if transaction.is_autocommit() {
            return Err(CommitFailure::Together(ended_by_itself(outcome)));
        }
        outcomes.push(outcome);
    }
    transaction.commit().map_err(|error| CommitFailure::Together(error.into()))?;
    Ok(outcomes)
}

/// The same without savepoints, at each of which FTS5 would flush its pending terms as a segment of
/// their own. Returns `None` if one of several jobs failed: all are rolled back.
fn commit_as_one(
    connection: &mut Connection,
    jobs: &mut [Box<dyn Job>],
) -> Result<Option<Vec<SqliteResult<()>>>, CommitFailure> {
    let transaction = begin(connection)?;
    for job in &mut *jobs {
        let outcome = job.run(&transaction);
        if transaction.is_autocommit() {
            return Err(CommitFailure::Together(ended_by_itself(outcome)));
        }
        if let Err(failure) = outcome {
            transaction.rollback().map_err(|error| CommitFailure::Together(error.into()))?;
            return Ok((jobs.len() == 1).then(|| vec![Err(failure)]));
        }
    }
    transaction.commit().map_err(|error| CommitFailure::Together(error.into()))?;
    Ok(Some(jobs.iter().map(|_| Ok(())).collect()))
}

fn begin(connection: &mut Connection) -> Result<Transaction<'_>, CommitFailure> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(|error| CommitFailure::All(error.into()))?;
    check_format(&transaction).map_err(CommitFailure::All)?;
    Ok(transaction)
}

/// The cause, when SQLite itself has rolled back everything.
fn ended_by_itself(outcome: SqliteResult<()>) -> Failure {
    outcome.err().unwrap_or_else(|| Failure::damaged("a transaction ended by itself"))
}

fn run_in_savepoint(connection: &Connection, job: &mut dyn Job) -> SqliteResult<()> {
    connection.prepare_cached("SAVEPOINT job")?.execute([])?;
    let outcome = job.run(connection);
    if outcome.is_err() && !connection.is_autocommit() {
        connection.prepare_cached("ROLLBACK TO job")?.execute([])?;
    }
    if !connection.is_autocommit() {
        connection.prepare_cached("RELEASE job")?.execute([])?;
    }
    outcome
}

/// A newer aludel may have migrated the file while this one had it open.
fn check_format(connection: &Connection) -> SqliteResult<()> {
    match Identity::of(connection)? {
        Identity::Ours(migrate::LATEST) => Ok(()),
        Identity::Ours(found) => Err(Failure::Newer { found, known: migrate::LATEST }),
        Identity::Fresh | Identity::Foreign => Err(Failure::Foreign),
    }
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
