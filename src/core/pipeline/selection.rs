//! Runs the judge: a selection among stored prompts, or the selection within a generate run.
//!
//! Both ask and store in the same way, so every choice can be explained later. Judgements of
//! prompts that are not stored are not stored either.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::announce::Announcer;
use super::plan::{JudgePlan, Ports};
use super::run::{out_of_time, past};
use super::shell::{self, WorkEnd};
use crate::domain::{ModelMetadata, Operation, Prompt, SelectResult, SessionId};
use crate::error::{Error, Result};
use crate::event::run::{Run, RunControl};
use crate::event::{EventKind, Outcome};
use crate::job::Journal;
use crate::judge::{self, Judge, Judging};
use crate::ledger::Account;

/// A planned selection among stored prompts.
pub struct SelectPlan {
    /// The run's id.
    pub session_id: SessionId,
    /// The candidates, in rank order.
    pub candidates: Vec<Prompt>,
    /// How to judge them.
    pub job: JudgeJob,
    /// Warnings to send before it begins.
    pub warnings: Vec<String>,
    /// The journal of its progress, if it is a job of its own.
    pub journal: Option<Journal>,
}

impl SelectPlan {
    /// The first event.
    pub fn started(&self) -> EventKind {
        let operation = self.job.operation;
        EventKind::Started { operation, total: self.total(), variants: 0, phases: Vec::new() }
    }

    /// The most comparisons that are made.
    pub fn total(&self) -> Option<u64> {
        Some(judge::most_pairs(self.candidates.len(), self.job.judge.thorough) as u64)
    }
}

/// How the judge is asked.
#[derive(Clone)]
pub struct JudgeJob {
    /// The operation it is part of.
    pub operation: Operation,
    /// The judges and the rubric.
    pub judge: JudgePlan,
    /// What the candidates are for.
    pub task: String,
    /// The persona they were written for.
    pub persona: String,
    /// True if the judgement is stored.
    pub keep: bool,
    /// The timeout of the whole run.
    pub timeout: Option<Duration>,
    /// How many calls run concurrently, at least 1.
    pub concurrency: usize,
    /// The account of its calls.
    pub account: Account,
}

/// Starts the selection in the current runtime and returns at once.
pub fn start_selection(plan: SelectPlan, ports: Ports) -> Run {
    shell::start(plan.session_id, 0, plan.journal.clone(), |events, control| async move {
        let chosen = select(&plan, &ports, &events, &control).await;
        let outcome = |result| match plan.job.operation {
            Operation::Compare => Outcome::Compare(result),
            _ => Outcome::Select(result),
        };
        WorkEnd { result: chosen.map(outcome), afterwards: None }
    })
}

/// Executes a selection and sends all events but the last.
///
/// # Errors
/// `cancelled` if `control` was; the judge's errors; `provider_timeout`.
pub async fn select(
    plan: &SelectPlan,
    ports: &Ports,
    events: &Announcer,
    control: &RunControl,
) -> Result<SelectResult> {
    events.send(plan.started()).await;
    if let Some(journal) = &plan.journal {
        journal.begin_in_background();
    }
    for message in &plan.warnings {
        events.warn(None, None, message.clone()).await;
    }
    let deadline = plan.job.timeout.map(|limit| Instant::now() + limit);
    let chosen = choose(&plan.job, &plan.candidates, ports, events, control, deadline).await;
    let (answered, unseen) = (plan.job.account.answered(), plan.job.account.unseen());
    let chosen = chosen.map(|mut result| {
        result.model_metadata = unseen.added_to(result.model_metadata);
        result
    });
    let model_metadata = match &chosen {
        Ok(result) => result.model_metadata.clone(),
        Err(_) => unseen.added_to(answered.account().unwrap_or_else(|| ModelMetadata::sum([]))),
    };
    if unseen.may_have_cost() || (chosen.is_err() && model_metadata.may_have_cost()) {
        events.send(EventKind::Spent { model_metadata }).await;
    }
    chosen
}

/// Lets the judge choose, and stores the judgement.
///
/// # Errors
/// The judge's errors; `cancelled`; `provider_timeout` after the deadline.
pub(super) async fn choose(
    job: &JudgeJob,
    candidates: &[Prompt],
    ports: &Ports,
    events: &Announcer,
    control: &RunControl,
    deadline: Option<Instant>,
) -> Result<SelectResult> {
    let judging = Judging {
        judges: tested(&job.judge.judges, ports, events).await,
        assets: Arc::clone(&ports.assets),
        rubric: Arc::clone(&job.judge.rubric),
        task: job.task.clone(),
        persona: job.persona.clone(),
        thorough: job.judge.thorough,
        confidence: job.judge.confidence,
        order_swaps: job.judge.order_swaps,
        max_concurrency: job.concurrency,
        account: job.account.clone(),
        id: ports.ids.judgement(),
        now: ports.clock.now(),
        operation: job.operation.to_string(),
    };
    let judged = tokio::select! {
        biased;
        () = control.token().cancelled() => return Err(Error::Cancelled),
        () = past(deadline) => return Err(out_of_time(job.timeout, fewer(job.operation))),
        judged = judge::select(&judging, candidates, events.events()) => judged?,
    };
    if job.keep
        && let Err(error) = ports.store.record(judged.judgement).await
    {
        let error = Error::Storage(format!("the judge's answers could not be stored: {error}"));
        events.warn_unsaved(None, &error).await;
    }
    Ok(judged.result)
}

/// The advice for judging less.
fn fewer(operation: Operation) -> &'static str {
    if operation == Operation::Generate { "ask for fewer variants" } else { "name fewer prompts" }
}

/// The judges with their profiles. If a profile cannot be read, warns and continues without it.
async fn tested(judges: &[Judge], ports: &Ports, events: &Announcer) -> Vec<Judge> {
    let mut tested = Vec::with_capacity(judges.len());
    for judge in judges {
        let profile = match ports.store.profile(judge.name()).await {
            Ok(profile) => profile,
            Err(error) => {
                events.warn(None, None, format!("the judge's test results could not be read: {error}")).await;
                None
            }
        };
        tested.push(Judge { profile, ..judge.clone() });
    }
    tested
}
