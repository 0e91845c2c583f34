//! `batch`: checks the rows of a file or a request, stores them in a job and runs it.
//!
//! The rows are read twice: first every row is checked, then all are stored. Input with a bad row
//! is refused before anything is spent. Where the input cannot be looked at beforehand, as with
//! standard input, a bad row fails alone ([`BadRows::Fail`]).

use std::collections::HashSet;
use std::fs::File;
use std::io::Seek;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Number, Value};
use xxhash_rust::xxh3::xxh3_128;

use super::estimate::{Estimate, Preflight};
use super::jobs::{self, WorkOrigin};
use super::prepared::{Lifetime, PlannedRun, Prepared};
use super::{Engine, spend};
use crate::api::{self, BatchRequest, GenerateRequest, InlineBatchRequest, Known, OF_THE_BATCH, StatsRequest};
use crate::domain::{Operation, SessionId, StatsBy, StatsLine, limits};
use crate::error::{Error, Fault, Faults, Problem, Result};
use crate::event::EventKind;
use crate::files;
use crate::job::Journal;
use crate::ledger::{Labels, Need};
use crate::pipeline::{self, BatchPlan, PlanRow, RowResults, RowSource, RowWork, StoredRow};
use crate::store::NewJob;
use crate::transfer::{Input, RawRecord, ReadError, RecordPosition, RowFormat, RowReader, head_of};

/// For how long a call waits where its provider refuses it as too many.
const PATIENCE: Duration = Duration::from_mins(10);

/// The rows of a batch, as they are given.
#[derive(Debug)]
pub enum BatchInput {
    /// In a file.
    File(Input<File>),
    /// In the request.
    Rows(Vec<Value>),
}

/// What becomes of rows that are bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadRows {
    /// The file is refused.
    Refuse,
    /// Each fails alone.
    Fail,
}

/// What the check of the rows found.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedRows {
    /// Rows, the bad ones included.
    pub rows: u64,
    /// Rows that are bad, where those fail alone.
    pub bad: u64,
    /// The most that all rows can take; `None` if it was not asked for.
    pub estimate: Option<Estimate>,
}

impl Engine {
    /// Checks the rows of a request and prepares a batch of them. Sends nothing; stores nothing.
    ///
    /// # Errors
    /// As [`Engine::check_batch`], bad rows being refused.
    pub fn prepare_inline_batch(&self, request: InlineBatchRequest) -> Result<Prepared> {
        let InlineBatchRequest { rows, batch } = request;
        self.checked_batch(batch, BatchInput::Rows(rows))
    }

    /// Checks these rows and prepares a batch of them. Sends nothing; stores nothing. Blocks while
    /// it reads.
    ///
    /// # Errors
    /// As [`Engine::check_batch`], bad rows being refused.
    pub fn checked_batch(&self, request: BatchRequest, mut input: BatchInput) -> Result<Prepared> {
        let checked = self.check_batch(&request, &mut input, BadRows::Refuse, self.needs_estimate(&request))?;
        self.prepare_batch(request, input, &checked)
    }

    /// Checks all rows and, with `estimates`, adds up what they can cost. Sends nothing; stores
    /// nothing. Blocks while it reads.
    ///
    /// # Errors
    /// `validation_failed` with the faults, each with its row, line and field; `file` when
    /// the input cannot be read.
    pub fn check_batch(
        &self,
        request: &BatchRequest,
        input: &mut BatchInput,
        bad_rows: BadRows,
        estimates: bool,
    ) -> Result<CheckedRows> {
        self.check_batch_while(request, input, bad_rows, estimates, |_| true)
    }

    /// As [`Engine::check_batch`]; tells `goes_on` how many rows are checked, and stops when it says
    /// false.
    ///
    /// # Errors
    /// As [`Engine::check_batch`]; `cancelled` when it was stopped.
    pub fn check_batch_while(
        &self,
        request: &BatchRequest,
        input: &mut BatchInput,
        bad_rows: BadRows,
        estimates: bool,
        goes_on: impl Fn(u64) -> bool,
    ) -> Result<CheckedRows> {
        let mut checked = CheckedRows {
            rows: 0,
            bad: 0,
            estimate: estimates.then(|| Estimate { most_usd: Some(0.0), ..Estimate::default() }),
        };
        let (mut decoder, mut faults) = (RowDecoder::new(self, request), Faults::default());
        let (name, is_file) = (input.name().to_owned(), matches!(input, BatchInput::File(_)));
        for read in input.records(request)? {
            if !goes_on(checked.rows) {
                return Err(Error::Cancelled);
            }
            for row in decoder.rows(read).map_err(|error| unreadable(&name, &error))? {
                checked.rows += 1;
                match row.end {
                    Ok(request) => {
                        if let Some(sum) = &mut checked.estimate {
                            sum.add(self.estimate(&request)?);
                        }
                    }
                    Err(found) => {
                        checked.bad += 1;
                        faults.extend_with(found, |fault| placed(row.place, is_file, &fault));
                    }
                }
            }
        }
        checked.estimate = checked.estimate.map(Estimate::rounded);
        if checked.rows == 0 {
            return Err(Error::value(
                "input_file",
                format!("{} has no rows; give one request a line, or JSON, CSV or YAML", name.display()),
            ));
        }
        if checked.bad > 0 && bad_rows == BadRows::Refuse {
            let all = match checked.bad {
                1 => "one row is bad; nothing was sent".to_owned(),
                bad => format!("{bad} of {} rows are bad; nothing was sent", checked.rows),
            };
            let mut all = Faults::from(Fault::new("", all));
            all.extend_under("", faults);
            return Err(Error::Value(all));
        }
        Ok(checked)
    }

    /// Prepares a batch of these rows, which [`Engine::check_batch`] has checked. Sends nothing.
    ///
    /// # Errors
    /// `file` when the input cannot be read.
    pub fn prepare_batch(&self, request: BatchRequest, input: BatchInput, checked: &CheckedRows) -> Result<Prepared> {
        let preflight = match &checked.estimate {
            Some(estimate) => self.against_preflight(request.budget_usd, || Ok(estimate.clone()))?,
            None => Preflight::Clear,
        };
        let (engine, asked, total) = (self.clone(), preflight.clone(), checked.rows);
        let keeper = Arc::clone(&self.inner.keeper);
        Ok(Prepared::new(preflight, request.budget_usd, keeper, move |budget_usd, lifetime| {
            let warning = engine.consent(&asked, budget_usd, "give fewer rows, or ask for fewer variants")?;
            let request = BatchRequest { budget_usd, ..request };
            let about = match &input {
                BatchInput::File(input) => format!("{total} rows of {}", input.name.display()),
                BatchInput::Rows(_) => format!("{total} rows"),
            };
            let source = engine.row_source(&request, input)?;
            let life = WorkOrigin::New(lifetime);
            let session_id = engine.session_of(&life);
            let journal = engine.journal(NewJob {
                id: session_id,
                operation: Operation::Batch,
                about: jobs::about(&about),
                request: jobs::value(&request)?,
                kept: lifetime == Lifetime::Kept,
                total: Some(total),
                started: EventKind::Started {
                    operation: Operation::Batch,
                    total: Some(total),
                    variants: 0,
                    phases: Vec::new(),
                },
                caller: None,
            });
            Ok(engine.planned_batch(&request, &life, session_id, journal, (Some(source), Some(total)), warning))
        }))
    }

    /// Seconds that a batch of this estimate takes if its calls take as long as those of its models
    /// usually did; `None` if one of them has made no prompt yet.
    ///
    /// # Errors
    /// `storage`.
    pub async fn expected_seconds(&self, request: &BatchRequest, estimate: &Estimate) -> Result<Option<f64>> {
        let by_model = StatsRequest {
            by: Some(vec![StatsBy::Model]),
            limit: u32::try_from(limits::MAX_LIMIT).ok(),
            ..StatsRequest::default()
        };
        let groups = self.stats(by_model).await?.groups;
        let lines: Vec<StatsLine> = groups.into_iter().flat_map(|group| group.lines).collect();
        let seconds = |model: &str| {
            let line = lines.iter().find(|line| line.key == model)?;
            line.totals.latency_ms.as_ref().map(|spread| spread.mean / 1e3)
        };
        let all = estimate.by_model.iter().map(|(model, calls)| Some(seconds(model)? * *calls as f64));
        let all: Option<f64> = all.sum();
        Ok(all.map(|all| all / self.concurrency_of(request) as f64))
    }

    /// How many variants of a batch are made at once.
    fn concurrency_of(&self, request: &BatchRequest) -> usize {
        request.concurrency.map_or(self.config().run.max_concurrency, |most| most as usize).max(1)
    }

    /// True if a batch of this request needs an estimate before it starts.
    pub fn needs_estimate(&self, request: &BatchRequest) -> bool {
        self.config().spend.preflight_usd.is_some() && request.budget_usd.is_none()
    }

    /// The rest of a resumed batch.
    pub(super) fn ready_to_resume_batch(
        &self,
        request: &BatchRequest,
        journal: Journal,
        taken: Need,
        total: Option<u64>,
    ) -> PlannedRun {
        let session_id = journal.id();
        let life = WorkOrigin::Resumed { journal: journal.clone(), earlier: Vec::new(), taken };
        self.planned_batch(request, &life, session_id, journal, (None, total), None)
    }

    fn planned_batch(
        &self,
        request: &BatchRequest,
        life: &WorkOrigin,
        session_id: SessionId,
        journal: Journal,
        (rows, total): (Option<RowSource>, Option<u64>),
        warning: Option<String>,
    ) -> PlannedRun {
        let caps = spend::caps(request.budget_usd, request.max_calls, request.assume_price);
        let labels = Labels { session: Some(session_id), command: Operation::Batch.as_str(), ..Labels::default() };
        let concurrency = self.concurrency_of(request);
        let plan = BatchPlan {
            session_id,
            total,
            concurrency,
            fail_fast: request.fail_fast,
            warnings: warning.into_iter().collect(),
            journal: journal.clone(),
            account: self.account_of(life, caps, labels).patient(PATIENCE),
            plan_row: self.row_planner(),
        };
        let ports = self.ports();
        let start = self.counted(Operation::Batch, move || pipeline::start_batch(plan, rows, ports));
        PlannedRun { journal: Some(journal), start }
    }

    fn row_planner(&self) -> PlanRow {
        let engine = self.clone();
        Box::new(move |RowWork { request, session_id, account, journal, earlier }| {
            let is_cache_left_out = request.no_cache;
            let mut plan = engine.plan_for(request, session_id, account)?;
            if let Some(judge) = plan.judge.as_mut().filter(|_| is_cache_left_out) {
                engine.journalled(&mut judge.judges, &journal);
            }
            plan.resume_from(journal, earlier, Need::default());
            Ok(plan)
        })
    }

    /// The rows of the input as they are stored.
    fn row_source(&self, request: &BatchRequest, input: BatchInput) -> Result<RowSource> {
        let (name, is_file) = (input.name().to_owned(), matches!(input, BatchInput::File(_)));
        let mut decoder = RowDecoder::new(self, request);
        let stored = move |row: Row| {
            let (request, error) = match row.end {
                Ok(request) => (Some(request), None),
                Err(faults) => {
                    let faults: Vec<Fault> = faults.iter().map(|fault| placed(row.place, is_file, fault)).collect();
                    (None, Some(Box::new(Problem::from(Error::Value(faults.into())))))
                }
            };
            StoredRow { id: row.id, request, error }
        };
        let records = input.into_records(request)?;
        Ok(Box::new(records.flat_map(move |read| match decoder.rows(read) {
            Ok(rows) => rows.into_iter().map(|row| Ok(stored(row))).collect::<Vec<_>>(),
            Err(error) => vec![Err(unreadable(&name, &error))],
        })))
    }

    /// True once all rows of a batch are stored, so that it can be resumed. Before that nothing is
    /// sent.
    ///
    /// # Errors
    /// `storage`.
    pub async fn are_rows_stored(&self, job: SessionId) -> Result<bool> {
        Ok(pipeline::row_count(&**self.store(), job).await?.is_some())
    }

    /// The rows of a batch that are done, in order, with their results.
    pub fn batch_results(&self, job: SessionId) -> RowResults {
        RowResults::after(Arc::clone(self.store()), job, 0)
    }
}

/// Rows as they are read.
type Records<'a> = Box<dyn Iterator<Item = std::result::Result<RawRecord, ReadError>> + Send + 'a>;

impl BatchInput {
    /// The name that errors give it.
    fn name(&self) -> &Path {
        match self {
            Self::File(input) => &input.name,
            Self::Rows(_) => Path::new("rows"),
        }
    }

    /// Its rows, from the first on.
    fn records(&mut self, request: &BatchRequest) -> Result<Records<'_>> {
        Ok(match self {
            Self::File(input) => {
                let (name, format) = (input.name.clone(), format_of(request, input)?);
                let failed = |error: &std::io::Error| unreadable(&name, error);
                input.source.rewind().map_err(|error| failed(&error))?;
                Box::new(RowReader::new(format, &mut input.source).map_err(|error| failed(&error))?)
            }
            Self::Rows(rows) => Box::new(in_request(rows.iter().cloned())),
        })
    }

    /// The same, owned.
    fn into_records(self, request: &BatchRequest) -> Result<Records<'static>> {
        Ok(match self {
            Self::File(mut input) => {
                let format = format_of(request, &mut input)?;
                let Input { name, mut source } = input;
                let failed = |error: &std::io::Error| unreadable(&name, error);
                source.rewind().map_err(|error| failed(&error))?;
                Box::new(RowReader::new(format, source).map_err(|error| failed(&error))?)
            }
            Self::Rows(rows) => Box::new(in_request(rows.into_iter())),
        })
    }
}

/// The rows of a request, which are objects.
fn in_request(rows: impl Iterator<Item = Value>) -> impl Iterator<Item = std::result::Result<RawRecord, ReadError>> {
    (1..).zip(rows).map(|(record, row)| {
        let place = RecordPosition { record, line: None, column: None };
        match row {
            Value::Object(members) => Ok(RawRecord { members, place }),
            _ => Err(ReadError::Record(place, vec![Fault::new("", "expected an object with `input`")])),
        }
    })
}

/// A row as read.
struct Row {
    id: String,
    place: RecordPosition,
    /// Its request, or what is wrong with it.
    end: RowRequest,
}

/// The request of a row, or what is wrong with it.
type RowRequest = std::result::Result<Box<GenerateRequest>, Faults>;

/// Decodes rows and finds ids that occur twice.
struct RowDecoder {
    known: Known,
    defaults: Map<String, Value>,
    target_models: Vec<String>,
    assume_price: Option<f64>,
    /// A hash of every id.
    ids: HashSet<u128>,
    records: u64,
}

impl RowDecoder {
    fn new(engine: &Engine, request: &BatchRequest) -> Self {
        let BatchRequest { defaults, target_models, assume_price, .. } = request.clone();
        Self { known: engine.known(), defaults, target_models, assume_price, ids: HashSet::new(), records: 0 }
    }

    /// Decodes the next record: one row, or one for each target model. Fails if the input cannot be
    /// read.
    fn rows(&mut self, read: std::result::Result<RawRecord, ReadError>) -> std::io::Result<Vec<Row>> {
        self.records += 1;
        let (place, members) = match read {
            Ok(RawRecord { members, place }) => (place, Ok(members)),
            Err(ReadError::Record(place, faults)) => (place, Err(Faults::from(faults))),
            Err(ReadError::End(place, fault)) => (place, Err(Faults::from(fault))),
            Err(ReadError::File(error)) => return Err(error),
        };
        let mut id = self.records.to_string();
        let end = members.and_then(|mut members| {
            if let Some(given) = members.shift_remove("id").filter(|given| !given.is_null()) {
                id = id_of(&given)?;
            }
            self.request(members)
        });
        let request = match end {
            Ok(request) => request,
            Err(faults) => return Ok(vec![self.unique(id, place, Err(faults))]),
        };
        let models = if request.target_model.is_some() { Vec::new() } else { self.target_models.clone() };
        if models.is_empty() {
            return Ok(vec![self.unique(id, place, Ok(request))]);
        }
        let is_multiplied = models.len() > 1;
        let rows = models.into_iter().map(|model| {
            let id = if is_multiplied { format!("{id}:{model}") } else { id.clone() };
            let request = GenerateRequest { target_model: Some(model), ..(*request).clone() };
            self.unique(id, place, Ok(Box::new(request)))
        });
        Ok(rows.collect())
    }

    /// The row, or a fault if an earlier one has its id.
    fn unique(&mut self, id: String, place: RecordPosition, end: RowRequest) -> Row {
        let is_new = self.ids.insert(xxh3_128(id.as_bytes()));
        let taken = || Fault::new("id", format!("`{id}` is the id of an earlier row; every row needs its own"));
        let end = if is_new || end.is_err() { end } else { Err(taken().into()) };
        Row { id, place, end }
    }

    fn request(&self, members: Map<String, Value>) -> std::result::Result<Box<GenerateRequest>, Faults> {
        if let Some(name) = OF_THE_BATCH.iter().find(|name| members.get(**name).is_some_and(|value| !value.is_null())) {
            return Err(Fault::new(*name, "is of the whole batch; leave it out of its rows").into());
        }
        let mut raw = self.defaults.clone();
        raw.extend(members.into_iter().filter(|(_, value)| !value.is_null()));
        match api::decode::<GenerateRequest>(Value::Object(raw), &self.known) {
            Ok(request) => Ok(Box::new(GenerateRequest { assume_price: self.assume_price, ..request })),
            Err(Error::Shape(faults) | Error::Value(faults)) => Err(faults),
            Err(error) => Err(Fault::new("", error.to_string()).into()),
        }
    }
}

/// The id that a row is given: a line of text, or a number.
fn id_of(given: &Value) -> std::result::Result<String, Faults> {
    let id = match given {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) if whole(number) => number.to_string(),
        _ => return Err(Fault::new("id", "expected a text or a whole number").into()),
    };
    let is_line = !id.is_empty() && !id.chars().any(char::is_control);
    if is_line && id.chars().count() <= limits::NAME_CHARS {
        return Ok(id);
    }
    Err(Fault::new("id", format!("expected one line of 1 to {} characters", limits::NAME_CHARS)).into())
}

/// True for a whole number, however it is written (as in JSON Schema).
fn whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// The format of the request, or of the input.
fn format_of(request: &BatchRequest, input: &mut Input<File>) -> Result<RowFormat> {
    if let Some(format) = request.format.as_deref().and_then(RowFormat::parse) {
        return Ok(format);
    }
    let head = input.source.rewind().and_then(|()| head_of(&mut input.source));
    Ok(RowFormat::tell(&input.name, &head.map_err(|error| unreadable(&input.name, &error))?))
}

/// A fault with the position of its row in the file or in the request.
fn placed(place: RecordPosition, is_file: bool, fault: &Fault) -> Fault {
    if !is_file {
        let row = format!("rows[{}]", place.record.saturating_sub(1));
        let field = if fault.field.is_empty() { row } else { format!("{row}.{}", fault.field) };
        return Fault::new(field, fault.message.clone());
    }
    let row = match place.record {
        0 => "header".to_owned(),
        row => format!("row {row}{}", place.in_file()),
    };
    let field = if fault.field.is_empty() { row } else { format!("{row}: {}", fault.field) };
    Fault::new(field, fault.message.clone())
}

fn unreadable(name: &Path, error: &std::io::Error) -> Error {
    files::failure("read", name, error)
}
