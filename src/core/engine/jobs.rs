//! `jobs`: lists, follows, stops and resumes the jobs of this database, in any process.

use std::sync::Arc;

use serde_json::Value;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::Engine;
use super::context::RequestContext;
use super::prepared::{Lifetime, PlannedRun};
use crate::api::{FollowJobRequest, JobKey, JobRequest, JobResultRequest, JobsRequest, ResumeJobRequest};
use crate::domain::{BatchRow, Job, JobDetails, JobList, JobResult, JobState, Operation, Prompt, PromptId, SessionId};
use crate::error::{Error, Result};
use crate::event::EventKind;
use crate::event::run::Run;
use crate::job::{ADOPTED_EVERY, HINT, JobFollower, Journal, LEASE, no_job};
use crate::ledger::Need;
use crate::pipeline::RowResults;
use crate::store::{ClaimedJob, JobClaim, NewJob, Worker};

/// The default length of a job list.
const USUAL_LIMIT: u32 = 50;

/// The default number of rows of a result.
const USUAL_ROWS: u32 = 20;

/// The most matches of an ambiguous id that a message lists.
const MATCHES_SHOWN: usize = 5;

/// The most characters of a job's description.
const ABOUT_CHARS: usize = 80;

/// Whether work is new or resumed.
pub(super) enum WorkOrigin {
    /// New work.
    New(Lifetime),
    /// A resumed job, with the prompts it made before and what they took of its caps.
    Resumed { journal: Journal, earlier: Vec<Prompt>, taken: Need },
}

impl Engine {
    /// The jobs that are running or can be resumed; with `all` also the finished ones.
    ///
    /// # Errors
    /// `storage`.
    pub async fn jobs(&self, request: JobsRequest) -> Result<JobList> {
        let states = match (request.state, request.all) {
            (Some(state), _) => vec![state],
            (None, true) => Vec::new(),
            (None, false) => JobState::ALL.into_iter().filter(|state| *state != JobState::Finished).collect(),
        };
        Ok(JobList { jobs: self.store().jobs(states, request.limit.unwrap_or(USUAL_LIMIT)).await? })
    }

    /// One job, with its request and its result.
    ///
    /// # Errors
    /// `not_found`; `validation_failed` for a shortened id that could mean several; `storage`.
    pub async fn job(&self, request: JobRequest) -> Result<JobDetails> {
        let id = self.resolve_job(&request.job_id).await?;
        let (job, request) = self.store().job(id).await?.ok_or_else(|| no_job(id))?;
        let last = if job.state.has_ended() { self.last_event(id).await? } else { None };
        let (mut result, mut error) = (None, None);
        match last {
            Some(EventKind::Finished { outcome }) => result = Some(value(&outcome.result())?),
            Some(EventKind::Failed { error: problem }) => error = Some(value(&problem)?),
            _ => {}
        }
        Ok(JobDetails { job, request, result, error })
    }

    /// What came of a job so far, with a page of the rows of a batch.
    ///
    /// # Errors
    /// As [`Engine::job`]; `conflict` for rows that another version stored.
    pub async fn job_result(&self, request: JobResultRequest) -> Result<JobResult> {
        let JobResultRequest { job_id, status, limit, after, brief } = request;
        let JobDetails { job, result, error, .. } = self.job(JobRequest { job_id }).await?;
        let (mut rows, mut next_after) = (Vec::new(), None);
        if job.operation == Operation::Batch {
            let limit = limit.unwrap_or(USUAL_ROWS) as usize;
            let mut done = RowResults::after(Arc::clone(self.store()), job.id, after).with_status(status);
            while let Some(row) = done.next().await? {
                if rows.len() == limit {
                    next_after = rows.last().map(|last: &BatchRow| last.row);
                    break;
                }
                rows.push(if brief { in_brief(row) } else { row });
            }
        }
        Ok(JobResult { job, result, error, rows, next_after })
    }

    async fn last_event(&self, id: SessionId) -> Result<Option<EventKind>> {
        // Only the last event is terminal, and nothing follows it.
        let (mut from, mut last) = (0, None);
        loop {
            let Some(read) = self.store().job_events(id, from, 1_000).await? else { return Ok(None) };
            from += read.events.len() as u64;
            match read.events.into_iter().next_back() {
                Some(event) => last = Some(event),
                None => return Ok(last),
            }
        }
    }

    /// Follows a job from the given event number. Dropping the follower does not affect the job.
    /// Needs a tokio runtime.
    ///
    /// # Errors
    /// As [`Engine::job`].
    pub async fn follow_job(&self, request: FollowJobRequest) -> Result<JobFollower> {
        let id = self.resolve_job(&request.job_id).await?;
        JobFollower::of(Arc::clone(self.store()), id, request.from).await
    }

    /// Stops a job and returns it. The process that runs it stops within a second, keeping finished
    /// units. A job without a process is cancelled at once; an ended job is unchanged.
    ///
    /// # Errors
    /// As [`Engine::job`].
    pub async fn stop_job(&self, request: JobRequest) -> Result<Job> {
        let id = self.resolve_job(&request.job_id).await?;
        let job = self.store().stop_job(id).await?.ok_or_else(|| no_job(id))?;
        self.inner.keeper.stop(id);
        Ok(job)
    }

    /// Resumes a job that was interrupted, stopped or has failed: does the remaining work under
    /// the job's caps, or those of the request, less what it used before. Dropping the run stops
    /// it again. Needs a tokio runtime.
    ///
    /// # Errors
    /// As [`Engine::job`]; `conflict` for a job that is running or has finished, or that this
    /// version cannot resume.
    pub async fn resume_job(&self, request: ResumeJobRequest) -> Result<Run> {
        Ok((self.claimed(request).await?.start)())
    }

    /// Resumes a job as [`Engine::resume_job`], as work of this process that no one has to watch.
    /// Returns the job as it is now.
    ///
    /// # Errors
    /// As [`Engine::resume_job`].
    pub async fn resume_kept_job(&self, request: ResumeJobRequest) -> Result<Job> {
        let PlannedRun { journal, start } = self.claimed(request).await?;
        let journal = journal.ok_or_else(|| Error::Internal("a resumed job has no journal".into()))?;
        let id = journal.id();
        self.inner.keeper.keep(start(), journal);
        Ok(self.job(JobRequest { job_id: JobKey::Id(id) }).await?.job)
    }

    /// Claims a job for this process and plans what remains of it.
    async fn claimed(&self, request: ResumeJobRequest) -> Result<PlannedRun> {
        let id = self.resolve_job(&request.job_id).await?;
        let worker = worker();
        match self.store().take_job(id, worker.clone()).await? {
            None => Err(no_job(id)),
            Some(JobClaim::Refused(job)) => Err(not_resumable(&job)),
            Some(JobClaim::ClaimedJob(mut taken)) => {
                let caps = [
                    ("budget_usd", request.budget_usd.map(Value::from)),
                    ("max_calls", request.max_calls.map(Value::from)),
                ];
                for (name, cap) in caps {
                    if let (Some(cap), Some(fields)) = (cap, taken.request.as_object_mut()) {
                        fields.insert(name.to_owned(), cap);
                    }
                }
                self.take_up(*taken, worker).await
            }
        }
    }

    /// Resumes kept jobs whose process died, until the guard is dropped. For servers. What they cost
    /// is charged to the caller that began them.
    pub fn adopt_jobs(&self) -> JobAdoptionGuard {
        let (engine, stop) = (self.clone(), CancellationToken::new());
        let stopped = stop.clone();
        if Handle::try_current().is_ok() {
            tokio::spawn(stopped.run_until_cancelled_owned(async move {
                loop {
                    if let Err(error) = engine.adopt_all().await {
                        tracing::warn!(%error, "kept jobs that nobody works on could not be taken up");
                    }
                    tokio::time::sleep(ADOPTED_EVERY).await;
                }
            }));
        }
        JobAdoptionGuard { stop }
    }

    async fn adopt_all(&self) -> Result<()> {
        // Reads before it writes, so a server without jobs leaves the database alone.
        while self.store().jobs(vec![JobState::Interrupted], 1_000).await?.iter().any(|job| job.kept) {
            let worker = worker();
            let Some(taken) = self.store().take_abandoned_job(worker.clone()).await? else { break };
            let id = taken.job.id;
            tracing::info!(job = %id, operation = %taken.job.operation, "a kept job is taken up again");
            let caller = taken.caller.clone();
            let engine = self.with_context(RequestContext { caller, ..RequestContext::default() });
            match engine.take_up(taken, worker).await {
                Ok(PlannedRun { journal: Some(journal), start }) => self.inner.keeper.keep(start(), journal),
                Ok(_) => {}
                Err(error) => tracing::warn!(job = %id, %error, "a kept job cannot be taken up again"),
            }
        }
        Ok(())
    }

    /// Plans the remaining work of a job. A job that cannot be resumed is recorded as failed.
    async fn take_up(&self, taken: ClaimedJob, worker: Worker) -> Result<PlannedRun> {
        let store = Arc::clone(self.store());
        let journal = match taken.job.operation {
            Operation::Batch => Journal::resumed_unread(store, worker, &taken),
            _ => Journal::resumed(store, worker, &taken).await?,
        };
        let ready = self.make_rest(taken, journal.clone()).await;
        if let Err(error) = &ready {
            journal.end(&EventKind::Failed { error: Box::new(error.into()) }).await;
        }
        ready
    }

    async fn make_rest(&self, ClaimedJob { job, request, .. }: ClaimedJob, journal: Journal) -> Result<PlannedRun> {
        let unreadable = |error: serde_json::Error| {
            Error::Conflict(format!(
                "job {} was stored by another version and cannot be taken up by this one: {error}",
                job.id
            ))
        };
        let taken = self.store().counted_for(job.id).await?;
        match job.operation {
            Operation::Generate => {
                let request = serde_json::from_value(request).map_err(unreadable)?;
                let earlier = self.store().fetch(prompts_of(&journal)).await?;
                self.ready_to_generate(request, WorkOrigin::Resumed { journal, earlier, taken }, None)
            }
            Operation::Batch => {
                let request = serde_json::from_value(request).map_err(unreadable)?;
                Ok(self.ready_to_resume_batch(&request, journal, taken, job.total))
            }
            Operation::Select => {
                let request = serde_json::from_value(request).map_err(unreadable)?;
                self.ready_to_select(request, WorkOrigin::Resumed { journal, earlier: Vec::new(), taken }).await
            }
            other => Err(Error::Conflict(format!("job {} is a `{other}`, which cannot be taken up again", job.id))),
        }
    }

    /// The session id of the work: a new one, or that of the resumed job.
    pub(super) fn session_of(&self, life: &WorkOrigin) -> SessionId {
        match life {
            WorkOrigin::New(_) => self.inner.ids.session(),
            WorkOrigin::Resumed { journal, .. } => journal.id(),
        }
    }

    /// A journal for new work.
    pub(super) fn journal(&self, job: NewJob) -> Journal {
        let caller = self.context().caller.clone();
        Journal::new(Arc::clone(self.store()), worker(), NewJob { caller, ..job })
    }

    async fn resolve_job(&self, key: &JobKey) -> Result<SessionId> {
        match key {
            JobKey::Id(id) => Ok(*id),
            JobKey::Last => {
                let newest = self.store().jobs(Vec::new(), 1).await?;
                let none = || Error::NotFound { what: "job", key: "@last".to_owned(), hint: "there is none" };
                newest.first().map(|job| job.id).ok_or_else(none)
            }
            JobKey::Fragment(digits) => {
                let meanings = self.store().resolve_job(digits.clone(), MATCHES_SHOWN + 1).await?;
                match meanings.as_slice() {
                    [] => Err(Error::NotFound { what: "job", key: digits.clone(), hint: HINT }),
                    [id] => Ok(*id),
                    several => {
                        let shown = several.iter().take(MATCHES_SHOWN).map(ToString::to_string);
                        let more = if several.len() > MATCHES_SHOWN { ", …" } else { "" };
                        Err(Error::value(
                            "job_id",
                            format!(
                                "`{digits}` could be {}{more}; give more of it",
                                shown.collect::<Vec<_>>().join(", ")
                            ),
                        ))
                    }
                }
            }
        }
    }
}

/// The row with its best prompt alone, without steps.
pub(super) fn in_brief(mut row: BatchRow) -> BatchRow {
    if let Some(result) = &mut row.result {
        result.prompts.truncate(1);
        result.rankings.truncate(1);
        result.prompts.iter_mut().for_each(|prompt| prompt.steps.clear());
    }
    row
}

/// A guard that resumes abandoned kept jobs as long as it lives.
#[must_use = "kept jobs are taken up only while this lives"]
pub struct JobAdoptionGuard {
    stop: CancellationToken,
}

impl Drop for JobAdoptionGuard {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// This process as a worker.
fn worker() -> Worker {
    Worker { name: format!("process {}", std::process::id()), lease: LEASE }
}

/// The prompts that earlier attempts stored.
fn prompts_of(journal: &Journal) -> Vec<PromptId> {
    let id = |result: &Value| result.get("prompt_id")?.as_str()?.parse().ok();
    journal.results().filter_map(|(_, result)| id(result)).collect()
}

/// Describes a job in one line, cut to [`ABOUT_CHARS`].
pub(super) fn about(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= ABOUT_CHARS {
        return line;
    }
    line.chars().take(ABOUT_CHARS - 1).chain(['…']).collect()
}

/// A request as JSON, as a job stores it.
pub(super) fn value(request: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(request).map_err(|error| Error::Internal(format!("a job cannot be written as JSON: {error}")))
}

fn not_resumable(job: &Job) -> Error {
    let Job { id, state, .. } = job;
    Error::Conflict(match (&job.owner, state.is_active()) {
        (Some(owner), true) => format!(
            "job {id} is {state}: {owner} works on it; follow it with `aludel jobs follow {0}`, or stop it with `aludel jobs stop {0}`",
            id.short()
        ),
        (None, true) => format!("job {id} is {state}"),
        (_, false) => format!("job {id} is {state}; see what came of it with `aludel jobs show {}`", id.short()),
    })
}
