//! `jobs`: work that is under way, in any process on this database, or can be taken up again.

use std::sync::Arc;

use serde_json::Value;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::Engine;
use super::prepared::{Lifetime, Ready};
use crate::api::{FollowJobRequest, JobKey, JobRequest, JobsRequest, ResumeJobRequest};
use crate::domain::{Job, JobDetails, JobList, JobState, Operation, Prompt, PromptId, SessionId};
use crate::error::{Error, Result};
use crate::event::{EventKind, Run};
use crate::job::{ADOPTED_EVERY, Following, HINT, Journal, LEASE, no_job};
use crate::ledger::Need;
use crate::store::{NewJob, Taken, Taking, Worker};

/// Jobs of a list, unless asked otherwise.
const USUAL_LIMIT: u32 = 50;

/// How many meanings of an ambiguous id are told.
const MEANINGS_SHOWN: usize = 5;

/// Characters of what a job is about.
const ABOUT_CHARS: usize = 80;

/// How work comes to be: anew, or taken up again.
pub(super) enum Life {
    /// Anew.
    New(Lifetime),
    /// Taken up again, with what it has done and taken before.
    Resumed { journal: Journal, earlier: Vec<Prompt>, taken: Need },
}

impl Engine {
    /// The jobs that are under way or can be taken up again; with `all` those that have finished,
    /// too.
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

    /// One job, with what was asked for and what came of it.
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

    async fn last_event(&self, id: SessionId) -> Result<Option<EventKind>> {
        // The last one is the only terminal one, and nothing comes after it.
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

    /// Watches a job from the event of a number on. Dropping the watcher changes nothing for the
    /// job. Needs a tokio runtime.
    ///
    /// # Errors
    /// As [`Engine::job`].
    pub async fn follow_job(&self, request: FollowJobRequest) -> Result<Following> {
        let id = self.resolve_job(&request.job_id).await?;
        Following::of(Arc::clone(self.store()), id, request.from).await
    }

    /// Stops a job: its process stops it within a second, what is finished stays. One that nobody
    /// works on is cancelled at once; one that has ended stays as it is. Answers how it stands.
    ///
    /// # Errors
    /// As [`Engine::job`].
    pub async fn stop_job(&self, request: JobRequest) -> Result<Job> {
        let id = self.resolve_job(&request.job_id).await?;
        let job = self.store().stop_job(id).await?.ok_or_else(|| no_job(id))?;
        self.inner.keeper.stop(id);
        Ok(job)
    }

    /// Takes up a job that was interrupted, stopped or has failed: makes what is not done yet,
    /// under its caps, or those of the request, less what it has taken before. Needs a tokio
    /// runtime. Dropping the run stops it again.
    ///
    /// # Errors
    /// As [`Engine::job`]; `conflict` for one that is under way or has finished, or that this
    /// version cannot take up.
    pub async fn resume_job(&self, request: ResumeJobRequest) -> Result<Run> {
        let id = self.resolve_job(&request.job_id).await?;
        let worker = worker();
        match self.store().take_job(id, worker.clone()).await? {
            None => Err(no_job(id)),
            Some(Taking::Refused(job)) => Err(not_resumable(&job)),
            Some(Taking::Taken(mut taken)) => {
                let caps = [
                    ("budget_usd", request.budget_usd.map(Value::from)),
                    ("max_calls", request.max_calls.map(Value::from)),
                ];
                for (name, cap) in caps {
                    if let (Some(cap), Some(fields)) = (cap, taken.request.as_object_mut()) {
                        fields.insert(name.to_owned(), cap);
                    }
                }
                Ok((self.take_up(*taken, worker).await?.start)())
            }
        }
    }

    /// Takes up kept jobs that nobody works on, those of processes that died, until the guard is
    /// dropped. For a server.
    pub fn adopt_jobs(&self) -> AdoptsJobs {
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
        AdoptsJobs { stop }
    }

    async fn adopt_all(&self) -> Result<()> {
        // Looked for before anything is written: a server without jobs leaves the database alone.
        while self.store().jobs(vec![JobState::Interrupted], 1_000).await?.iter().any(|job| job.kept) {
            let worker = worker();
            let Some(taken) = self.store().take_abandoned_job(worker.clone()).await? else { break };
            let id = taken.job.id;
            tracing::info!(job = %id, operation = %taken.job.operation, "a kept job is taken up again");
            match self.take_up(taken, worker).await {
                Ok(Ready { journal: Some(journal), start }) => self.inner.keeper.keep(start(), journal),
                Ok(_) => {}
                Err(error) => tracing::warn!(job = %id, %error, "a kept job cannot be taken up again"),
            }
        }
        Ok(())
    }

    /// Makes the plan of what is left of a job. One that cannot be taken up has failed with that.
    async fn take_up(&self, taken: Taken, worker: Worker) -> Result<Ready> {
        let journal = Journal::resumed(Arc::clone(self.store()), worker, &taken).await?;
        let ready = self.make_rest(taken, journal.clone()).await;
        if let Err(error) = &ready {
            journal.end(&EventKind::Failed { error: Box::new(error.into()) }).await;
        }
        ready
    }

    async fn make_rest(&self, Taken { job, request }: Taken, journal: Journal) -> Result<Ready> {
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
                self.ready_to_generate(request, Life::Resumed { journal, earlier, taken }, None)
            }
            Operation::Select => {
                let request = serde_json::from_value(request).map_err(unreadable)?;
                self.ready_to_select(request, Life::Resumed { journal, earlier: Vec::new(), taken }).await
            }
            other => Err(Error::Conflict(format!("job {} is a `{other}`, which cannot be taken up again", job.id))),
        }
    }

    /// The name of work that may have been begun before.
    pub(super) fn session_of(&self, life: &Life) -> SessionId {
        match life {
            Life::New(_) => self.inner.ids.session(),
            Life::Resumed { journal, .. } => journal.id(),
        }
    }

    /// The journal of new work.
    pub(super) fn journal(&self, job: NewJob) -> Journal {
        Journal::new(Arc::clone(self.store()), worker(), job)
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
                let meanings = self.store().resolve_job(digits.clone(), MEANINGS_SHOWN + 1).await?;
                match meanings.as_slice() {
                    [] => Err(Error::NotFound { what: "job", key: digits.clone(), hint: HINT }),
                    [id] => Ok(*id),
                    several => {
                        let shown = several.iter().take(MEANINGS_SHOWN).map(ToString::to_string);
                        let more = if several.len() > MEANINGS_SHOWN { ", …" } else { "" };
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

/// Takes up kept jobs as long as it lives.
#[must_use = "kept jobs are taken up only while this lives"]
pub struct AdoptsJobs {
    stop: CancellationToken,
}

impl Drop for AdoptsJobs {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// This process.
fn worker() -> Worker {
    Worker { name: format!("process {}", std::process::id()), lease: LEASE }
}

/// The prompts that earlier attempts have stored.
fn prompts_of(journal: &Journal) -> Vec<PromptId> {
    let id = |result: &Value| result.get("prompt_id")?.as_str()?.parse().ok();
    journal.results().filter_map(|(_, result)| id(result)).collect()
}

/// What a job is about, in a line.
pub(super) fn about(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= ABOUT_CHARS {
        return line;
    }
    line.chars().take(ABOUT_CHARS - 1).chain(['…']).collect()
}

/// A request as a job keeps it.
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
