//! What is written down of a job by the process that works on it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::{LOOKED_EVERY, SERVED_FOR};
use crate::domain::{JobState, Operation, SessionId};
use crate::error::Result;
use crate::event::run::Tap;
use crate::event::{EventKind, RunControl};
use crate::store::{ENDED_FOR, Held, JobEnd, JobProgress, JobUnit, NewJob, Pending, Renewal, Store, Taken, Worker};

/// Units that are read at once.
const STEP: u32 = 1_000;

/// The name of a variant as a unit of a job.
pub fn variant_unit(variant: u32) -> String {
    variant.to_string()
}

/// What is written down of one attempt of a job. Clones write of the same one.
#[derive(Clone)]
pub struct Journal(Arc<Inner>);

struct Inner {
    store: Arc<dyn Store>,
    worker: Worker,
    held: Held,
    operation: Operation,
    kept: bool,
    /// The job, until it is stored.
    new: Mutex<Option<NewJob>>,
    /// What earlier attempts have done.
    known: BTreeMap<String, Value>,
    /// Whether there is anything to take up again.
    has_units: AtomicBool,
    standing: Standing,
}

/// How this process stands to its job.
#[derive(Default)]
struct Standing {
    /// It is stored, or is being stored.
    has_begun: AtomicBool,
    /// And this process works on it.
    is_held: AtomicBool,
    /// This process ends, and the job is for another to take up.
    is_let_go: AtomicBool,
}

impl Standing {
    fn begin(&self) {
        self.has_begun.store(true, Ordering::Release);
        self.is_held.store(true, Ordering::Release);
    }
}

/// Whether a job had begun before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    /// It begins now.
    Now,
    /// It is taken up again.
    Before,
}

impl Journal {
    /// For a new job, which is not stored before [`Journal::begin`].
    pub fn new(store: Arc<dyn Store>, worker: Worker, job: NewJob) -> Self {
        let held = Held { id: job.id, attempt: 1 };
        Self(Arc::new(Inner {
            store,
            worker,
            held,
            operation: job.operation,
            kept: job.kept,
            new: Mutex::new(Some(job)),
            known: BTreeMap::new(),
            has_units: AtomicBool::new(false),
            standing: Standing::default(),
        }))
    }

    /// For a job that was taken up again.
    ///
    /// # Errors
    /// `storage`.
    pub async fn resumed(store: Arc<dyn Store>, worker: Worker, taken: &Taken) -> Result<Self> {
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
        let standing =
            Standing { has_begun: AtomicBool::new(true), is_held: AtomicBool::new(true), ..Standing::default() };
        Ok(Self(Arc::new(Inner {
            store,
            worker,
            held: taken.held(),
            operation: taken.job.operation,
            kept: taken.job.kept,
            new: Mutex::new(None),
            has_units: AtomicBool::new(!known.is_empty()),
            known,
            standing,
        })))
    }

    /// The job.
    pub fn id(&self) -> SessionId {
        self.0.held.id
    }

    /// True where this is not the first attempt.
    pub fn is_resumed(&self) -> bool {
        self.0.held.attempt > 1
    }

    /// What came of this unit in an earlier attempt.
    pub fn result_of(&self, unit: &str) -> Option<&Value> {
        self.0.known.get(unit)
    }

    /// All that came of units in earlier attempts, by name.
    pub fn results(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.known.iter().map(|(unit, result)| (unit.as_str(), result))
    }

    /// Stores the job, unless it is stored already.
    ///
    /// # Errors
    /// `storage`.
    pub async fn begin(&self) -> Result<Begun> {
        let Some(pending) = self.beginning() else { return Ok(Begun::Before) };
        pending.await?;
        self.0.standing.begin();
        Ok(Begun::Now)
    }

    /// As [`Journal::begin`], for work that can do without: where the job cannot be stored, nothing
    /// is written down of it.
    pub async fn begin_if_possible(&self) {
        if let Err(error) = self.begin().await {
            tracing::info!(job = %self.id(), %error, "the job cannot be stored, so it cannot be resumed");
        }
    }

    /// As [`Journal::begin_if_possible`], with nobody waiting: for work whose progress is written
    /// down by [`Journal::note`] alone.
    pub fn begin_aside(&self) {
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

    /// Whether what is made is to be stored by [`Journal::record`]. It is not where the job could
    /// not be stored.
    pub fn has_begun(&self) -> bool {
        self.0.standing.has_begun.load(Ordering::Acquire)
    }

    /// Writes down what is done; answers once that is durable, with `conflict` when another process
    /// has taken the job up.
    pub fn record(&self, progress: JobProgress) -> Pending<()> {
        self.note_units(&progress);
        self.0.store.record_progress(self.0.held, progress)
    }

    /// Writes down what is done, behind everything else that is being written, with nobody waiting.
    pub fn note(&self, progress: JobProgress) {
        if self.is_held() {
            self.note_units(&progress);
            self.0.store.record_progress(self.0.held, progress).unattended_aside();
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

    /// Writes down what followers want to know, as it is sent; what belongs to the storing of a
    /// unit, the end and the stream of texts are not its part.
    pub fn tap(&self, control: &RunControl) -> Tap {
        let (journal, stopped) = (self.clone(), control.token().clone());
        Arc::new(move |kind| {
            let progress = match kind {
                // What was only stopped is still to be done.
                EventKind::VariantFailed { .. } if stopped.is_cancelled() => JobProgress::default(),
                // It was done before, and counts as that.
                EventKind::VariantFailed { variant, .. } if journal.result_of(&variant_unit(*variant)).is_some() => {
                    JobProgress { failed: 1, ..JobProgress::default() }
                }
                EventKind::VariantFailed { .. } => JobProgress { done: 1, failed: 1, ..JobProgress::default() },
                // In a generation the judge's work is no unit.
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

    /// Does the work, and meanwhile keeps hold of the job. The work is stopped by `control` when
    /// somebody asks for that, and when another process has taken the job up.
    pub async fn attended<T>(&self, control: &RunControl, work: impl Future<Output = T>) -> T {
        tokio::select! {
            biased;
            done = work => done,
            () = self.attend(control) => std::future::pending().await,
        }
    }

    async fn attend(&self, control: &RunControl) {
        // Two may fail before the lease runs out.
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
                Ok(Renewal::Held) => {
                    if is_due {
                        renewed = Instant::now();
                    }
                }
                Ok(Renewal::StopAsked) => control.cancel_all(),
                Ok(Renewal::Lost) => {
                    tracing::warn!(job = %self.id(), "the job was taken up by another process; it is stopped here");
                    self.0.standing.is_held.store(false, Ordering::Release);
                    control.cancel_all();
                }
                // The lease is long enough for a few more tries.
                Err(error) => tracing::info!(job = %self.id(), %error, "the job's lease could not be renewed"),
            }
        }
    }

    async fn renew(&self) -> Result<Renewal> {
        self.0.store.renew_job(self.0.held, self.0.worker.lease).await
    }

    /// How the job stands, without a write.
    async fn look(&self) -> Result<Renewal> {
        let job = self.0.store.job(self.id()).await?;
        Ok(match job {
            Some((job, _)) if job.attempt != self.0.held.attempt || job.state.has_ended() => Renewal::Lost,
            Some((job, _)) if job.state == JobState::Stopping => Renewal::StopAsked,
            // It may not be stored yet.
            _ => Renewal::Held,
        })
    }

    /// Leaves the job for another process: where the work is stopped after this, it counts as
    /// interrupted.
    pub fn let_go(&self) {
        self.0.standing.is_let_go.store(true, Ordering::Release);
    }

    /// Writes down how the job ended. What cannot be written is logged: the work is done all the
    /// same.
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
        let is_let_go = standing.is_let_go.load(Ordering::Acquire);
        if state == JobState::Cancelled && is_let_go {
            return self.note_end(store.release_job(*held).await);
        }
        let is_of_use = *kept || (state != JobState::Finished && has_units.load(Ordering::Acquire));
        let stored_for = if is_of_use { ENDED_FOR } else { SERVED_FOR };
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
