//! The side of the storage seam that knows of jobs: who works on what, what is done of it, and what
//! its followers are told.
//!
//! A job is held by one worker at a time. A worker holds it for a lease, which it renews; one that
//! died leaves a job whose lease runs out, and such a job is `interrupted` to everybody who reads
//! it, though nobody wrote that. Taking it up again raises its attempt, and every write names the
//! attempt it belongs to ([`Held`]): what an earlier one still has to say is refused with
//! `conflict`, so a process that slept past its lease does no harm when it wakes.
//!
//! Leases and moments are by the backend's own clock. No method waits for anybody, so the same
//! promises hold among threads, processes and machines.

use std::time::Duration;

use serde_json::Value;

use super::Pending;
use crate::domain::{Job, JobState, Operation, Prompt, SessionId};
use crate::event::EventKind;

/// How long jobs are stored that were stopped while nobody worked on them. What has served its time
/// goes when the next job begins.
pub const ENDED_FOR: Duration = Duration::from_hours(7 * 24);

/// How long interrupted jobs are stored.
pub const INTERRUPTED_FOR: Duration = Duration::from_hours(30 * 24);

/// Attempts after which a kept job is taken up by command alone: it may be what ends its processes.
pub const MOST_ATTEMPTS: u32 = 8;

/// The jobs' half of a database of prompts.
pub trait JobStore: Send + Sync {
    /// Stores a new job, which this worker holds as its first attempt, and forgets jobs of long
    /// ago. Fails with `conflict` when its id is already there.
    fn begin_job(&self, job: NewJob, worker: Worker) -> Pending<()>;

    /// Takes up a job that nobody works on and that has no result yet, atomically among all
    /// workers. `None` when there is no such job.
    fn take_job(&self, id: SessionId, worker: Worker) -> Pending<Option<Taking>>;

    /// Takes up the kept job whose lease ran out first, or that its worker let go of, unless it was
    /// begun [`MOST_ATTEMPTS`] times.
    fn take_abandoned_job(&self, worker: Worker) -> Pending<Option<Taken>>;

    /// Renews the lease.
    fn renew_job(&self, held: Held, lease: Duration) -> Pending<Renewal>;

    /// Writes down what is done of it, with the prompts that were made by it, all or none. A unit
    /// that is there already stays as it is. Fails with `conflict` when another attempt holds the
    /// job; for the prompts as [`super::Store::append`].
    fn record_progress(&self, held: Held, progress: JobProgress) -> Pending<()>;

    /// Says how it ended, with the last event. Fails with `conflict` when another attempt holds it.
    fn end_job(&self, held: Held, end: JobEnd) -> Pending<()>;

    /// Lets go of it, so that it is interrupted at once.
    fn release_job(&self, held: Held) -> Pending<()>;

    /// Asks its worker to stop; one that is interrupted is cancelled at once, one that has ended
    /// stays as it is. Answers how it stands then; `None` when there is no such job.
    fn stop_job(&self, id: SessionId) -> Pending<Option<Job>>;

    /// One job with its request.
    fn job(&self, id: SessionId) -> Pending<Option<(Job, Value)>>;

    /// The jobs in one of these states, in any where none is named, newest first, at most `limit`.
    fn jobs(&self, states: Vec<JobState>, limit: u32) -> Pending<Vec<Job>>;

    /// The ids that begin or end with `fragment`, newest first, at most `limit`. As
    /// [`super::Store::resolve`].
    fn resolve_job(&self, fragment: String, limit: usize) -> Pending<Vec<SessionId>>;

    /// What is done of it, by name from `after` on, at most `limit`.
    fn job_units(&self, id: SessionId, after: Option<String>, limit: u32) -> Pending<Vec<JobUnit>>;

    /// What its followers are told from this number on, at most `limit`, and how the job stands;
    /// `None` when there is no such job. One state of the database: where fewer than `limit` come,
    /// there were no more when the job stood so.
    fn job_events(&self, id: SessionId, from: u64, limit: u32) -> Pending<Option<JobEvents>>;
}

/// A job that begins.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    /// Its name: the run's.
    pub id: SessionId,
    /// What was asked for.
    pub operation: Operation,
    /// What it is about, in a line.
    pub about: String,
    /// What was asked for, in full.
    pub request: Value,
    /// Whether it survives its watcher.
    pub kept: bool,
    /// Units in all, where that is known.
    pub total: Option<u64>,
    /// What its followers are told first.
    pub started: EventKind,
}

/// Who works on a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    /// For people.
    pub name: String,
    /// How long it holds what it takes.
    pub lease: Duration,
}

/// A job as one worker holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// The job.
    pub id: SessionId,
    /// From 1.
    pub attempt: u32,
}

/// A job that was taken up again.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// As it stands now.
    pub job: Job,
    /// What was asked for, in full.
    pub request: Value,
}

impl Taken {
    /// By which its worker writes.
    pub const fn held(&self) -> Held {
        Held { id: self.job.id, attempt: self.job.attempt }
    }
}

/// Whether a job could be taken up.
#[derive(Debug, Clone, PartialEq)]
pub enum Taking {
    /// It is this worker's.
    Taken(Box<Taken>),
    /// Somebody works on it, or it has finished.
    Refused(Box<Job>),
}

/// How a job stands to the worker that held it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewal {
    /// It holds it for another lease.
    Held,
    /// It holds it, and was asked to stop.
    StopAsked,
    /// Another attempt holds it, or it is gone.
    Lost,
}

/// A part of a job that need not be done again.
#[derive(Debug, Clone, PartialEq)]
pub struct JobUnit {
    /// Its name in this job.
    pub unit: String,
    /// False for a step of a unit, which does not count as done.
    pub is_whole: bool,
    /// What came of it.
    pub result: Value,
}

/// What is done of a job since the last time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobProgress {
    /// What need not be done again.
    pub units: Vec<JobUnit>,
    /// What its followers are told.
    pub events: Vec<EventKind>,
    /// What it made.
    pub prompts: Vec<Prompt>,
    /// Units done, the failed ones included.
    pub done: u64,
    /// Units failed.
    pub failed: u64,
    /// Units in all, where that is known only now.
    pub total: Option<u64>,
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

/// A part of what followers are told.
#[derive(Debug, Clone, PartialEq)]
pub struct JobEvents {
    /// Numbered without gaps from the one that was asked for.
    pub events: Vec<EventKind>,
    /// How the job stood then.
    pub job: Job,
}
