//! Executes a batch: a job whose units are generations, one a row.
//!
//! The rows are stored in the job before the first one starts ([`StoredRow`]), so any process can
//! resume it. The units of a row are named after its number: the row itself, what its generation
//! records until it is done, and then [`DONE`]; a resumed batch reads them in order and does the
//! rest.
//!
//! Rows start in order, as many at once as there are places for variants. Under a cap a row starts
//! when the worst cases of all its calls fit what is left, so a budget buys whole rows. No row
//! starts more than [`WINDOW`] rows ahead of the oldest one under way, so a reader that wants the
//! rows in order holds no more than that.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::allowance::{self, Allowance};
use super::announce::Announcer;
use super::plan::{Plan, Ports};
use super::run::{GenerationEnd, generate};
use super::shell::{self, WorkEnd};
use crate::api::GenerateRequest;
use crate::domain::{
    BatchRow, BatchSummary, GenerationResult, ModelMetadata, Operation, Prompt, PromptId, RowStatus, SessionId,
};
use crate::error::{Error, Problem, Result};
use crate::event::run::{Run, RunControl};
use crate::event::{EventKind, Outcome};
use crate::job::{Journal, UnitGroup, UnitGroups};
use crate::ledger::{Account, Allotment, Need};
use crate::store::{JobProgress, JobUnit, Store};

/// How far ahead of the oldest row under way another can start.
pub const WINDOW: u64 = 1_024;

/// The unit that holds the number of rows. It is recorded once all of them are.
const ROWS: &str = "!rows";

/// The unit of a row that is done, after all its others.
const DONE: &str = "~";

/// Rows under way for each place of a variant: while one is being recorded, the next uses its place.
/// With `fail_fast` it waits until then, so no row is stopped that has all its answers.
const ROWS_A_SLOT: usize = 2;

/// Rows stored at once.
const CHUNK: usize = 500;

/// A row as stored in its job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredRow {
    /// Its id.
    pub id: String,
    /// What to generate; `None` for a row that cannot be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Box<GenerateRequest>>,
    /// Why it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<Problem>>,
}

/// The end of a row as stored in its job: without its prompts if those are stored themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct RowRecord {
    status: RowStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<Box<GenerationResult>>,
    /// The prompts of the result, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    prompts: Vec<PromptId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Box<Problem>>,
    /// The calls of the row.
    model_metadata: ModelMetadata,
}

/// What a row is planned from.
pub struct RowWork {
    /// What to generate.
    pub request: GenerateRequest,
    /// The run of the row.
    pub session_id: SessionId,
    /// The account of its calls.
    pub account: Account,
    /// Its part of the batch's journal.
    pub journal: Journal,
    /// The prompts that it has already.
    pub earlier: Vec<Prompt>,
}

/// Plans a row.
pub type PlanRow = Box<dyn Fn(RowWork) -> Result<Plan> + Send + Sync>;

/// The rows of a new batch, in order.
pub type RowSource = Box<dyn Iterator<Item = Result<StoredRow>> + Send>;

/// A planned batch.
pub struct BatchPlan {
    /// The run's id.
    pub session_id: SessionId,
    /// How many rows it has, if known.
    pub total: Option<u64>,
    /// How many variants run at once, at least 1.
    pub concurrency: usize,
    /// True to stop at the first row that fails.
    pub fail_fast: bool,
    /// Warnings before it begins.
    pub warnings: Vec<String>,
    /// The record of its progress.
    pub journal: Journal,
    /// The account of all its calls.
    pub account: Account,
    /// Plans each row.
    pub plan_row: PlanRow,
}

impl BatchPlan {
    /// The first event of the run.
    pub fn started(&self) -> EventKind {
        EventKind::Started { operation: Operation::Batch, total: self.total, variants: 0, phases: Vec::new() }
    }
}

/// Starts the batch in the current runtime and returns at once. It has these rows, or those that an
/// earlier attempt stored.
pub fn start_batch(mut plan: BatchPlan, rows: Option<RowSource>, ports: Ports) -> Run {
    shell::start(plan.session_id, 0, Some(plan.journal.clone()), |events, control| async move {
        events.send(plan.started()).await;
        for message in std::mem::take(&mut plan.warnings) {
            events.warn(None, None, message).await;
        }
        let result = run_batch(plan, rows, ports, &events, &control).await;
        WorkEnd { result: result.map(Outcome::Batch), afterwards: None }
    })
}

async fn run_batch(
    plan: BatchPlan,
    rows: Option<RowSource>,
    ports: Ports,
    events: &Announcer,
    control: &RunControl,
) -> Result<BatchSummary> {
    plan.journal.begin().await?;
    let total = match rows {
        Some(rows) => store_rows(&plan.journal, rows, control).await?,
        None => stored_rows(&*ports.store, plan.session_id).await?,
    };
    let summary = BatchSummary { total, model_metadata: ModelMetadata::sum([]), ..BatchSummary::default() };
    let slots = Arc::new(Semaphore::new(plan.concurrency));
    let batch = Arc::new(Batch { plan, ports, slots, control: control.clone() });
    batch.run(summary, events).await
}

/// Stores the rows, and then their number.
async fn store_rows(journal: &Journal, rows: RowSource, control: &RunControl) -> Result<u64> {
    let mut rows = rows.peekable();
    let mut number = 0;
    while rows.peek().is_some() {
        if control.token().is_cancelled() {
            return Err(Error::Cancelled);
        }
        let mut units = Vec::with_capacity(CHUNK);
        for row in rows.by_ref().take(CHUNK) {
            number += 1;
            units.push(JobUnit { unit: name_of(number), is_whole: false, result: value(&row?)? });
        }
        journal.record(JobProgress { units, ..JobProgress::default() }).await?;
    }
    let rows = JobUnit { unit: ROWS.to_owned(), is_whole: false, result: json!(number) };
    journal.record(JobProgress { units: vec![rows], total: Some(number), ..JobProgress::default() }).await?;
    Ok(number)
}

/// How many rows a job has; `None` until all of them are stored.
///
/// # Errors
/// `storage`.
pub async fn row_count(store: &dyn Store, job: SessionId) -> Result<Option<u64>> {
    let first = store.job_units(job, None, 1).await?;
    Ok(first.first().filter(|unit| unit.unit == ROWS).and_then(|unit| unit.result.as_u64()))
}

/// The rows of a job that is resumed.
async fn stored_rows(store: &dyn Store, job: SessionId) -> Result<u64> {
    row_count(store, job).await?.ok_or_else(|| {
        Error::Conflict(format!("job {job} was interrupted before all its rows were stored; start it again"))
    })
}

/// The rows of a job that are done, in order, with their results.
pub struct RowResults {
    groups: UnitGroups,
    store: Arc<dyn Store>,
    status: Option<RowStatus>,
}

impl RowResults {
    /// The results of this job so far, of the rows after this one; 0 for all.
    pub fn after(store: Arc<dyn Store>, job: SessionId, row: u64) -> Self {
        let last = if row == 0 { ROWS.to_owned() } else { format!("{}/{DONE}", name_of(row)) };
        Self { groups: UnitGroups::after(Arc::clone(&store), job, &last), store, status: None }
    }

    /// Only rows with this status.
    #[must_use]
    pub fn with_status(self, status: Option<RowStatus>) -> Self {
        Self { status, ..self }
    }

    /// The next row that is done.
    ///
    /// # Errors
    /// `storage`; `conflict` for what another version stored.
    pub async fn next(&mut self) -> Result<Option<BatchRow>> {
        while let Some(group) = self.groups.next().await? {
            let (row, stored, record) = read(&group)?;
            let wanted = |record: &RowRecord| self.status.is_none_or(|status| record.status == status);
            let Some(mut record) = record.filter(wanted) else { continue };
            if let Some(result) = record.result.as_mut().filter(|_| !record.prompts.is_empty()) {
                let mut prompts = self.store.fetch(record.prompts.clone()).await?;
                prompts.sort_by_key(|prompt| record.prompts.iter().position(|id| *id == prompt.id));
                result.prompts = prompts;
            }
            let RowRecord { status, result, error, .. } = record;
            return Ok(Some(BatchRow { row, id: stored.id, status, result, error }));
        }
        Ok(None)
    }
}

/// A row with its number and, if it is done, its end.
fn read(group: &UnitGroup) -> Result<(u64, StoredRow, Option<RowRecord>)> {
    let unreadable = |_| Error::Conflict(format!("row {} was stored by another version of aludel", group.name));
    let number = group.name.parse().map_err(|_| Error::Internal(format!("`{}` is no row", group.name)))?;
    let stored = serde_json::from_value(group.head.clone()).map_err(unreadable)?;
    let done = group.parts.get(DONE).map(|record| serde_json::from_value(record.clone())).transpose();
    Ok((number, stored, done.map_err(unreadable)?))
}

/// A running batch.
struct Batch {
    plan: BatchPlan,
    ports: Ports,
    slots: Arc<Semaphore>,
    control: RunControl,
}

/// How a row under way ended.
enum RowEnd {
    /// It is done and recorded.
    Done { row: Box<BatchRow>, model_metadata: Box<ModelMetadata>, error: Option<Error> },
    /// It is still to be done: it was stopped, a cap leaves too little, or it cannot be recorded.
    Left(Error),
}

impl Batch {
    async fn run(self: Arc<Self>, mut summary: BatchSummary, events: &Announcer) -> Result<BatchSummary> {
        let mut rows = UnitGroups::after(Arc::clone(&self.ports.store), self.plan.session_id, ROWS);
        let (mut tasks, mut under_way) = (JoinSet::new(), BTreeSet::new());
        let mut next = self.next_row(&mut rows, &mut summary).await?;
        let mut stopped: Option<Error> = None;
        let at_once = if self.plan.fail_fast { 1 } else { ROWS_A_SLOT } * self.plan.concurrency;
        loop {
            while stopped.is_none() && tasks.len() < at_once {
                let Some((number, stored, parts)) =
                    next.take_if(|(number, ..)| under_way.first().is_none_or(|oldest| *number < oldest + WINDOW))
                else {
                    break;
                };
                under_way.insert(number);
                let batch = Arc::clone(&self);
                tasks.spawn(async move { (number, batch.row(number, stored, parts).await) });
                next = self.next_row(&mut rows, &mut summary).await?;
            }
            let Some(joined) = tasks.join_next().await else { break };
            let (number, end) =
                joined.map_err(|defect| Error::Internal(format!("a row ended abnormally: {defect}")))?;
            under_way.remove(&number);
            match end {
                RowEnd::Done { row, model_metadata, error } => {
                    count(&mut summary, row.status, &model_metadata);
                    events.send(EventKind::RowFinished { row }).await;
                    if let Some(error) = error.filter(|_| self.plan.fail_fast && stopped.is_none()) {
                        stopped = Some(error);
                        self.control.cancel_all();
                    }
                }
                RowEnd::Left(error) => {
                    // What another row is stopped for says more than that it was.
                    let is_news = stopped.as_ref().is_none_or(|known| matches!(known, Error::Cancelled));
                    if is_news {
                        stopped = Some(error);
                    }
                }
            }
        }
        summary.skipped = summary.total - summary.ok - summary.failed;
        match stopped {
            None => Ok(summary),
            Some(Error::Budget(reason)) => Err(Error::Budget(format!(
                "{} of {} rows are done, and the next one was not started: {reason}",
                summary.total - summary.skipped,
                summary.total
            ))),
            Some(error) => Err(error),
        }
    }

    /// The next row that is to be done. Counts those that are done.
    async fn next_row(
        &self,
        rows: &mut UnitGroups,
        summary: &mut BatchSummary,
    ) -> Result<Option<(u64, StoredRow, BTreeMap<String, Value>)>> {
        while let Some(group) = rows.next().await? {
            match read(&group)? {
                (number, stored, None) => return Ok(Some((number, stored, group.parts))),
                (.., Some(record)) => count(summary, record.status, &record.model_metadata),
            }
        }
        Ok(None)
    }

    /// Does a row and records its end.
    async fn row(&self, number: u64, stored: StoredRow, parts: BTreeMap<String, Value>) -> RowEnd {
        let account = self.plan.account.scoped();
        let done = match (stored.request, stored.error) {
            (Some(request), _) => match self.generated(number, *request, account.clone(), parts).await {
                Ok(done) => done,
                Err(error) => return RowEnd::Left(error),
            },
            (None, error) => {
                let lost = || Box::new(Problem::from(Error::Internal("the row was stored without a request".into())));
                RowWithEnd { error: Some(error.unwrap_or_else(lost)), ..RowWithEnd::default() }
            }
        };
        let RowWithEnd { result, is_stored, error, cause } = done;
        let status = if result.is_some() { RowStatus::Ok } else { RowStatus::Failed };
        let taken = || {
            let answered = account.answered().account().unwrap_or_else(|| ModelMetadata::sum([]));
            account.unseen().added_to(answered)
        };
        let model_metadata = result.as_ref().map_or_else(taken, |result| result.model_metadata.clone());
        let row = BatchRow { row: number, id: stored.id, status, result: result.map(Box::new), error };
        if let Err(error) = self.record(&row, is_stored, model_metadata.clone()).await {
            return RowEnd::Left(error);
        }
        RowEnd::Done { row: Box::new(row), model_metadata: Box::new(model_metadata), error: cause }
    }

    /// The result of a row, or its own error. Fails if it is still to be done.
    async fn generated(
        &self,
        number: u64,
        request: GenerateRequest,
        account: Account,
        parts: BTreeMap<String, Value>,
    ) -> Result<RowWithEnd> {
        let made = parts.values().filter_map(|result| result.get("prompt_id")?.as_str()?.parse().ok()).collect();
        let earlier = self.ports.store.fetch(made).await?;
        let journal = self.plan.journal.part(&name_of(number), parts);
        let session_id = session_of(self.plan.session_id, number);
        let is_stored = request.save;
        let planned = (self.plan.plan_row)(RowWork { request, session_id, account, journal, earlier });
        let mut plan = match planned {
            Ok(plan) => plan,
            Err(error) => return Ok(RowWithEnd::failed(error)),
        };
        let allowance = plan.allowance.take();
        plan.slots = Some(Arc::clone(&self.slots));
        let reserved = tokio::select! {
            biased;
            () = self.control.token().cancelled() => return Err(Error::Cancelled),
            reserved = reserve(&plan.account, allowance) => reserved?,
        };
        if let Some(reserved) = &reserved {
            plan.account = reserved.account(0);
        }
        let events = Announcer::silent(session_id);
        let GenerationEnd { result, .. } = generate(Arc::new(plan), &self.ports, &events, &self.control).await;
        match result {
            Ok(result) => {
                let unstored = result.failures.iter().any(|failure| failure.phase.is_none());
                Ok(RowWithEnd { result: Some(result), is_stored: is_stored && !unstored, ..RowWithEnd::default() })
            }
            Err(Error::Cancelled) => Err(Error::Cancelled),
            Err(error) => Ok(RowWithEnd::failed(error)),
        }
    }

    async fn record(&self, row: &BatchRow, is_stored: bool, model_metadata: ModelMetadata) -> Result<()> {
        let mut record = RowRecord {
            status: row.status,
            result: row.result.clone(),
            prompts: Vec::new(),
            error: row.error.clone(),
            model_metadata,
        };
        if let Some(result) = record.result.as_mut().filter(|_| is_stored) {
            record.prompts = std::mem::take(&mut result.prompts).iter().map(|prompt| prompt.id).collect();
        }
        let unit = JobUnit { unit: format!("{}/{DONE}", name_of(row.row)), is_whole: true, result: value(&record)? };
        let slim = BatchRow { result: None, ..row.clone() };
        let progress = JobProgress {
            units: vec![unit],
            events: vec![EventKind::RowFinished { row: Box::new(slim) }],
            done: 1,
            failed: u64::from(row.status == RowStatus::Failed),
            // The record of the row has all that its steps came to.
            is_repeatable: is_stored,
            obsolete: Some((name_of(row.row), format!("{}/{DONE}", name_of(row.row)))),
            ..JobProgress::default()
        };
        self.plan.journal.record(progress).await
    }
}

/// A row that is done, before it is recorded.
#[derive(Default)]
struct RowWithEnd {
    result: Option<GenerationResult>,
    /// True if all prompts of the result are stored.
    is_stored: bool,
    error: Option<Box<Problem>>,
    /// The error, where it is one of this attempt.
    cause: Option<Error>,
}

impl RowWithEnd {
    fn failed(error: Error) -> Self {
        Self { error: Some(Box::new(Problem::from(&error))), cause: Some(error), ..Self::default() }
    }
}

/// Reserves the worst cases of all calls of a row, if a cap is in force.
async fn reserve(account: &Account, allowance: Option<Allowance>) -> Result<Option<Allotment>> {
    let Some(allowance) = allowance else { return Ok(None) };
    if let Some(refusal) = &allowance.obstacle {
        return Err(allowance::error_of(refusal));
    }
    let variants = allowance.variants.iter().map(|steps| Need::of_steps(steps));
    let need = variants.chain(allowance.judge.last().copied()).fold(Need::default(), |sum, one| sum + one);
    account.set_aside_all(need).await.map(Some).map_err(|refusal| allowance::error_of(&refusal))
}

fn count(summary: &mut BatchSummary, status: RowStatus, model_metadata: &ModelMetadata) {
    match status {
        RowStatus::Ok => summary.ok += 1,
        RowStatus::Failed => summary.failed += 1,
    }
    summary.model_metadata = ModelMetadata::sum([&summary.model_metadata, model_metadata]);
}

/// The name of a row's unit: in the order of names the rows are in their own.
fn name_of(number: u64) -> String {
    format!("{number:010}")
}

fn value(stored: &impl Serialize) -> Result<Value> {
    serde_json::to_value(stored).map_err(|error| Error::Internal(format!("a row cannot be written as JSON: {error}")))
}

/// The run of a row: the same in every attempt, and sorted by row.
fn session_of(batch: SessionId, row: u64) -> SessionId {
    let (high, low) = batch.0.as_u64_pair();
    let random = xxh3_64_with_seed(&batch.0.as_bytes()[..], row) & 0x3fff_ffff;
    // 32 bits of the number below the variant, and 30 random ones.
    let low = (low & (0b11 << 62)) | ((row & 0xffff_ffff) << 30) | random;
    SessionId(Uuid::from_u64_pair(high, low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_of_a_row_is_its_own_and_the_same_every_time() {
        let batch: SessionId = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21".parse().unwrap();
        let sessions: Vec<SessionId> = (1..=2_000).map(|row| session_of(batch, row)).collect();
        assert!(sessions.is_sorted_by(|a, b| a < b));
        assert_eq!(sessions, (1..=2_000).map(|row| session_of(batch, row)).collect::<Vec<_>>());
        assert!(sessions.iter().all(|id| id.0.get_version_num() == 7 && id.0.get_variant() == batch.0.get_variant()));
    }

    #[test]
    fn rows_sort_by_number() {
        assert!((1..20_000_u64).map(name_of).is_sorted());
        assert!(*ROWS < *name_of(0) && *name_of(7) < *format!("{}/{DONE}", name_of(7)));
        assert!(format!("{}/99/solutio", name_of(7)) < format!("{}/{DONE}", name_of(7)));
    }
}
