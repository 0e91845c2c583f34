//! The job part of the storage seam: who works on a job, its progress and its events.
//!
//! A job is held by one worker at a time, for a lease that the worker renews. When a worker dies,
//! its lease runs out, and from then on every reader sees the job as `interrupted`, without a
//! write. Resuming the job raises its attempt. Every write names its attempt ([`Held`]); a write of
//! an earlier attempt is refused with `conflict`, so a worker that overslept does no harm.
//!
//! Leases and moments use the backend's own clock. No method blocks on another worker, so the
//! guarantees hold across threads, processes and machines.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::Pending;
use crate::domain::{Job, JobState, Operation, Prompt, SessionId};
use crate::event::EventKind;
use crate::ledger::Caller;

/// How long a job that was stopped while interrupted is stored. Deleted when another begins.
pub const STOPPED_JOB_RETENTION: Duration = Duration::from_hours(7 * 24);

/// How long interrupted jobs are stored.
pub const INTERRUPTED_JOB_RETENTION: Duration = Duration::from_hours(30 * 24);

/// Attempts after which a kept job is resumed only by command: it may crash its processes.
pub const MAX_ATTEMPTS: u32 = 8;

/// Storage of jobs.
pub trait JobStore: Send + Sync {
    /// Stores a new job as this worker's first attempt, and deletes expired jobs. Fails with
    /// `conflict` for an existing id.
    fn begin_job(&self, job: NewJob, worker: Worker) -> Pending<()>;

    /// Takes up an unfinished job that no worker holds, atomically. `None` when there is none.
    fn take_job(&self, id: SessionId, worker: Worker) -> Pending<Option<JobClaim>>;

    /// Takes up the kept job that was abandoned first, of those below [`MAX_ATTEMPTS`] attempts.
    fn take_abandoned_job(&self, worker: Worker) -> Pending<Option<ClaimedJob>>;

    /// Renews the lease.
    fn renew_job(&self, held: Held, lease: Duration) -> Pending<LeaseRenewal>;

    /// Records progress and the prompts it produced, all or none. A unit that is already recorded
    /// stays as it is. Fails with `conflict` when another attempt holds it, or as
    /// [`append`](super::Store::append).
    fn record_progress(&self, held: Held, progress: JobProgress) -> Pending<()>;

    /// Records how the job ended. Fails with `conflict` when another attempt holds it.
    fn end_job(&self, held: Held, end: JobEnd) -> Pending<()>;

    /// Releases the job, which is then interrupted at once.
    fn release_job(&self, held: Held) -> Pending<()>;

    /// Asks its worker to stop. An interrupted job is cancelled at once; an ended one stays as it
    /// is. Returns the job as it is then; `None` when there is no such job.
    fn stop_job(&self, id: SessionId) -> Pending<Option<Job>>;

    /// One job with its request.
    fn job(&self, id: SessionId) -> Pending<Option<(Job, Value)>>;

    /// The jobs in these states (in any state when empty), newest first, at most `limit`.
    fn jobs(&self, states: Vec<JobState>, limit: u32) -> Pending<Vec<Job>>;

    /// The ids that begin or end with `fragment`, newest first, at most `limit`. As
    /// [`super::Store::resolve`].
    fn resolve_job(&self, fragment: String, limit: usize) -> Pending<Vec<SessionId>>;

    /// The recorded units, by name after `after`, at most `limit`.
    fn job_units(&self, id: SessionId, after: Option<String>, limit: u32) -> Pending<Vec<JobUnit>>;

    /// The events from number `from` on, at most `limit`, and the job; `None` when there is no such
    /// job. Both come from one state of the database: fewer events than `limit` are all there were.
    fn job_events(&self, id: SessionId, from: u64, limit: u32) -> Pending<Option<JobEvents>>;
}

/// A new job.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    /// Its id, which is the id of its run.
    pub id: SessionId,
    /// The operation requested.
    pub operation: Operation,
    /// A one-line description.
    pub about: String,
    /// The full request.
    pub request: Value,
    /// Whether it outlives the client that started it.
    pub kept: bool,
    /// Total units, if known.
    pub total: Option<u64>,
    /// The first event for followers.
    pub started: EventKind,
    /// The client of a server that it is charged to.
    pub caller: Option<Arc<Caller>>,
}

/// A process that works on jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    /// A name for people to read.
    pub name: String,
    /// How long it holds a job without renewing.
    pub lease: Duration,
}

/// A job as held by one worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// The job.
    pub id: SessionId,
    /// The attempt, from 1.
    pub attempt: u32,
}

/// A job that was taken up again.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedJob {
    /// The job as it is now.
    pub job: Job,
    /// The full request.
    pub request: Value,
    /// The client of a server that began it.
    pub caller: Option<Arc<Caller>>,
}

impl ClaimedJob {
    /// The handle its worker writes with.
    pub const fn held(&self) -> Held {
        Held { id: self.job.id, attempt: self.job.attempt }
    }
}

/// Whether a job could be taken up.
#[derive(Debug, Clone, PartialEq)]
pub enum JobClaim {
    /// This worker holds it now.
    ClaimedJob(Box<ClaimedJob>),
    /// Another worker holds it, or it has finished.
    Refused(Box<Job>),
}

/// The result of renewing a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseRenewal {
    /// The worker holds it for another lease.
    Held,
    /// The worker holds it, and was asked to stop.
    StopAsked,
    /// Another attempt holds it, or it no longer exists.
    Lost,
}

/// A finished part of a job, which need not be done again.
#[derive(Debug, Clone, PartialEq)]
pub struct JobUnit {
    /// Its name within the job.
    pub unit: String,
    /// False for a step of a unit, which does not count as done.
    pub is_whole: bool,
    /// Its result.
    pub result: Value,
}

/// Progress of a job since the last record.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobProgress {
    /// The units finished.
    pub units: Vec<JobUnit>,
    /// The events for followers.
    pub events: Vec<EventKind>,
    /// The prompts produced.
    pub prompts: Vec<Prompt>,
    /// Units done, the failed ones included.
    pub done: u64,
    /// Units failed.
    pub failed: u64,
    /// Total units, if they became known only now.
    pub total: Option<u64>,
    /// Units that are no longer needed: those whose names are greater than the first and less than
    /// the second of these.
    pub obsolete: Option<(String, String)>,
    /// True where a power failure may undo this, as little work would be done again. A process that
    /// ends loses nothing.
    pub is_repeatable: bool,
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq)]
pub struct JobEnd {
    /// `finished`, `failed` or `cancelled`.
    pub state: JobState,
    /// The last event.
    pub event: EventKind,
    /// How long it is stored from now on.
    pub stored_for: Duration,
}

/// A part of a job's events.
#[derive(Debug, Clone, PartialEq)]
pub struct JobEvents {
    /// Numbered without gaps from the requested number on.
    pub events: Vec<EventKind>,
    /// The job at that moment.
    pub job: Job,
}
