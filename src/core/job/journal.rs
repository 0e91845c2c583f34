//! Records the progress of a job, from the process that runs it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::{LOOKED_EVERY, SERVED_FOR};
use crate::domain::{JobState, Operation, SessionId};
use crate::error::Result;
use crate::event::EventKind;
use crate::event::run::{RunControl, Tap};
use crate::store::{
    ClaimedJob, Held, JobEnd, JobProgress, JobUnit, LeaseRenewal, NewJob, Pending, STOPPED_JOB_RETENTION, Store, Worker,
};

/// The number of units read at once.
const STEP: u32 = 1_000;

/// The name of a variant as a unit of a job.
pub fn variant_unit(variant: u32) -> String {
    variant.to_string()
}

/// The record of one attempt of a job, or of a part of it. Clones share the attempt.
#[derive(Clone)]
pub struct Journal(Arc<Inner>, Option<Arc<Part>>);

/// A part of a job: work with units of its own, none of which counts as a unit of the job.
struct Part {
    /// What its units' names begin with.
    prefix: String,
    /// The results of earlier attempts, by unit.
    known: BTreeMap<String, Value>,
}

struct Inner {
    store: Arc<dyn Store>,
    worker: Worker,
    held: Held,
    operation: Operation,
    kept: bool,
    /// The job, until it is stored.
    new: Mutex<Option<NewJob>>,
    /// The results of earlier attempts, by unit.
    known: BTreeMap<String, Value>,
    /// True if there is anything to resume.
    has_units: AtomicBool,
    standing: HoldState,
}

/// The state of this process's hold on the job.
#[derive(Default)]
struct HoldState {
    /// The job is stored, or is being stored.
    has_begun: AtomicBool,
    /// This process holds it.
    is_held: AtomicBool,
    /// This process is shutting down, and another is to resume the job.
    is_released: AtomicBool,
}

impl HoldState {
    fn begin(&self) {
        self.has_begun.store(true, Ordering::Release);
        self.is_held.store(true, Ordering::Release);
    }
}

/// Whether a job was already stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeginOutcome {
    /// It was stored now.
    Now,
    /// It was stored before.
    Before,
}

impl Journal {
    /// The journal of a new job, which is not stored before [`Journal::begin`].
    pub fn new(store: Arc<dyn Store>, worker: Worker, job: NewJob) -> Self {
        let held = Held { id: job.id, attempt: 1 };
        let inner = Inner {
            store,
            worker,
            held,
            operation: job.operation,
            kept: job.kept,
            new: Mutex::new(Some(job)),
            known: BTreeMap::new(),
            has_units: AtomicBool::new(false),
            standing: HoldState::default(),
        };
        Self(Arc::new(inner), None)
    }

    /// The journal of a resumed job.
    ///
    /// # Errors
    /// `storage`.
    pub async fn resumed(store: Arc<dyn Store>, worker: Worker, taken: &ClaimedJob) -> Result<Self> {
        let mut known = BTreeMap::new();
        let mut after = None;
        loop {
            let units = store.job_units(taken.job.id, after, STEP).await?;
            after = units.last().map(|unit| unit.unit.clone());
            known.extend(units.into_iter().map(|JobUnit { unit, result, .. }| (unit, result)));
            if after.is_none() {
                break;
            }
        }
        Ok(Self::resumed_knowing(known, store, worker, taken))
    }

    /// The journal of a resumed job whose units are read elsewhere ([`super::UnitGroups`]), because
    /// there can be many.
    pub fn resumed_unread(store: Arc<dyn Store>, worker: Worker, taken: &ClaimedJob) -> Self {
        let journal = Self::resumed_knowing(BTreeMap::new(), store, worker, taken);
        journal.0.has_units.store(true, Ordering::Release);
        journal
    }

    fn resumed_knowing(
        known: BTreeMap<String, Value>,
        store: Arc<dyn Store>,
        worker: Worker,
        taken: &ClaimedJob,
    ) -> Self {
        let standing =
            HoldState { has_begun: AtomicBool::new(true), is_held: AtomicBool::new(true), ..HoldState::default() };
        let inner = Inner {
            store,
            worker,
            held: taken.held(),
            operation: taken.job.operation,
            kept: taken.job.kept,
            new: Mutex::new(None),
            has_units: AtomicBool::new(!known.is_empty()),
            known,
            standing,
        };
        Self(Arc::new(inner), None)
    }

    /// The journal of a part of this job, with its results from earlier attempts. What it records
    /// is neither counted nor shown to followers.
    #[must_use]
    pub fn part(&self, name: &str, known: BTreeMap<String, Value>) -> Self {
        Self(Arc::clone(&self.0), Some(Arc::new(Part { prefix: format!("{name}/"), known })))
    }

    /// The job's id.
    pub fn id(&self) -> SessionId {
        self.0.held.id
    }

    /// True if both are of one attempt of a job.
    pub fn is_same_attempt(&self, other: &Self) -> bool {
        self.0.held == other.0.held
    }

    /// True if this is not the first attempt.
    pub fn is_resumed(&self) -> bool {
        self.0.held.attempt > 1
    }

    /// True if the job goes on when its client has gone.
    pub fn is_kept(&self) -> bool {
        self.0.kept
    }

    /// The result of this unit from an earlier attempt.
    pub fn result_of(&self, unit: &str) -> Option<&Value> {
        self.known().get(unit)
    }

    /// All results of earlier attempts, by unit.
    pub fn results(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.known().iter().map(|(unit, result)| (unit.as_str(), result))
    }

    fn known(&self) -> &BTreeMap<String, Value> {
        self.1.as_ref().map_or(&self.0.known, |part| &part.known)
    }

    /// Stores the job, unless it is stored already.
    ///
    /// # Errors
    /// `storage`.
    pub async fn begin(&self) -> Result<BeginOutcome> {
        let Some(pending) = self.beginning() else { return Ok(BeginOutcome::Before) };
        pending.await?;
        self.0.standing.begin();
        Ok(BeginOutcome::Now)
    }

    /// Like [`Journal::begin`], for work that can do without: if the job cannot be stored, nothing
    /// is recorded.
    pub async fn begin_if_possible(&self) {
        if let Err(error) = self.begin().await {
            tracing::info!(job = %self.id(), %error, "the job cannot be stored, so it cannot be resumed");
        }
    }

    /// Like [`Journal::begin_if_possible`], without waiting; for work that is recorded only by
    /// [`Journal::note`].
    pub fn begin_in_background(&self) {
        if let Some(pending) = self.beginning() {
            self.0.standing.begin();
            let journal = self.clone();
            pending.unattended_aside_but(move || journal.0.standing.is_held.store(false, Ordering::Release));
        }
    }

    fn beginning(&self) -> Option<Pending<()>> {
        let new = self.0.new.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        Some(self.0.store.begin_job(new, self.0.worker.clone()))
    }

    /// True if results are to be stored with [`Journal::record`]; false if the job is not stored.
    pub fn has_begun(&self) -> bool {
        self.0.standing.has_begun.load(Ordering::Acquire)
    }

    /// Records progress durably. Fails with `conflict` if another process has taken the job.
    pub fn record(&self, progress: JobProgress) -> Pending<()> {
        self.note_units(&progress);
        self.0.store.record_progress(self.0.held, self.placed(progress))
    }

    /// The progress under the names of the job.
    fn placed(&self, progress: JobProgress) -> JobProgress {
        let Some(part) = &self.1 else { return progress };
        let named = |unit: JobUnit| JobUnit { unit: format!("{}{}", part.prefix, unit.unit), is_whole: false, ..unit };
        let units = progress.units.into_iter().map(named).collect();
        // The next prompt to be stored makes the steps before it durable as well.
        let is_repeatable = progress.prompts.is_empty();
        JobProgress { units, prompts: progress.prompts, is_repeatable, ..JobProgress::default() }
    }

    /// Records progress in the background, after all other pending writes.
    pub fn note(&self, progress: JobProgress) {
        if self.is_held() {
            self.note_units(&progress);
            self.0.store.record_progress(self.0.held, self.placed(progress)).unattended_aside();
        }
    }

    fn note_units(&self, progress: &JobProgress) {
        if !progress.units.is_empty() {
            self.0.has_units.store(true, Ordering::Release);
        }
    }

    fn is_held(&self) -> bool {
        self.0.standing.is_held.load(Ordering::Acquire)
    }

    /// A tap that records events for followers as they are sent, except streamed text, the terminal
    /// event and events that are recorded with their unit.
    pub fn tap(&self, control: &RunControl) -> Tap {
        let (journal, stopped) = (self.clone(), control.token().clone());
        Arc::new(move |kind| {
            let progress = match kind {
                // A variant that was only stopped is still to be done.
                EventKind::VariantFailed { .. } if stopped.is_cancelled() => JobProgress::default(),
                // It was counted as done before.
                EventKind::VariantFailed { variant, .. } if journal.result_of(&variant_unit(*variant)).is_some() => {
                    JobProgress { failed: 1, ..JobProgress::default() }
                }
                EventKind::VariantFailed { .. } => JobProgress { done: 1, failed: 1, ..JobProgress::default() },
                // In a generation the judging is not a unit.
                EventKind::Judged { .. } => JobProgress {
                    done: u64::from(journal.0.operation != Operation::Generate),
                    ..JobProgress::default()
                },
                EventKind::Warning { .. } | EventKind::Ranked { .. } | EventKind::Spent { .. } => {
                    JobProgress::default()
                }
                _ => return,
            };
            journal.note(JobProgress { events: vec![kind.clone()], ..progress });
        })
    }

    /// Runs the work while renewing the job's lease. Cancels it through `control` when a stop is
    /// requested or another process has taken the job.
    pub async fn run_with_lease<T>(&self, control: &RunControl, work: impl Future<Output = T>) -> T {
        tokio::select! {
            biased;
            done = work => done,
            () = self.attend(control) => std::future::pending().await,
        }
    }

    async fn attend(&self, control: &RunControl) {
        // Two renewals can fail before the lease expires.
        let renewed_every = self.0.worker.lease / 3;
        let mut renewed = Instant::now();
        loop {
            sleep(LOOKED_EVERY.min(renewed_every)).await;
            if !self.is_held() {
                continue;
            }
            let is_due = renewed.elapsed() >= renewed_every;
            let stands = if is_due { self.renew().await } else { self.look().await };
            match stands {
                Ok(LeaseRenewal::Held) => {
                    if is_due {
                        renewed = Instant::now();
                    }
                }
                Ok(LeaseRenewal::StopAsked) => control.cancel_all(),
                Ok(LeaseRenewal::Lost) => {
                    tracing::warn!(job = %self.id(), "the job was taken up by another process; it is stopped here");
                    self.0.standing.is_held.store(false, Ordering::Release);
                    control.cancel_all();
                }
                // The lease leaves time for more tries.
                Err(error) => tracing::info!(job = %self.id(), %error, "the job's lease could not be renewed"),
            }
        }
    }

    async fn renew(&self) -> Result<LeaseRenewal> {
        self.0.store.renew_job(self.0.held, self.0.worker.lease).await
    }

    /// Reads the state of the job without a write.
    async fn look(&self) -> Result<LeaseRenewal> {
        let job = self.0.store.job(self.id()).await?;
        Ok(match job {
            Some((job, _)) if job.attempt != self.0.held.attempt || job.state.has_ended() => LeaseRenewal::Lost,
            Some((job, _)) if job.state == JobState::Stopping => LeaseRenewal::StopAsked,
            // The job may not be stored yet.
            _ => LeaseRenewal::Held,
        })
    }

    /// Leaves the job for another process: stopping it after this counts as an interruption.
    pub fn release(&self) {
        self.0.standing.is_released.store(true, Ordering::Release);
    }

    /// Records the end of the job. A failure to do so is only logged, because the work is done.
    pub async fn end(&self, last: &EventKind) {
        if !self.is_held() {
            return;
        }
        let state = match last {
            EventKind::Finished { .. } => JobState::Finished,
            EventKind::Cancelled {} => JobState::Cancelled,
            _ => JobState::Failed,
        };
        let Inner { store, held, kept, standing, has_units, .. } = &*self.0;
        let is_released = standing.is_released.load(Ordering::Acquire);
        if state == JobState::Cancelled && is_released {
            return self.note_end(store.release_job(*held).await);
        }
        let is_of_use = *kept || (state != JobState::Finished && has_units.load(Ordering::Acquire));
        let stored_for = if is_of_use { STOPPED_JOB_RETENTION } else { SERVED_FOR };
        self.note_end(store.end_job(*held, JobEnd { state, event: last.clone(), stored_for }).await);
    }

    fn note_end(&self, written: Result<()>) {
        if let Err(error) = written {
            tracing::info!(job = %self.id(), %error, "the end of a job is not written down");
        }
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").field("held", &self.0.held).finish_non_exhaustive()
    }
}
