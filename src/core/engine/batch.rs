//! `batch`: checks the rows of a file, stores them in a job and runs it.
//!
//! A file is read twice: first every row is checked, then all are stored. A file with a bad row is
//! refused before anything is spent. Where the input cannot be looked at beforehand, as with
//! standard input, a bad row fails alone ([`BadRows::Fail`]).

use std::collections::HashSet;
use std::io::{Read, Seek};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_128;

use super::estimate::{Estimate, Preflight};
use super::jobs::{self, WorkOrigin};
use super::prepared::{Lifetime, PlannedRun, Prepared};
use super::{Engine, spend};
use crate::api::{self, BatchRequest, GenerateRequest, Known, OF_THE_BATCH};
use crate::domain::{Operation, SessionId, limits};
use crate::error::{Error, Fault, Faults, Problem, Result};
use crate::event::EventKind;
use crate::files;
use crate::job::Journal;
use crate::ledger::{Labels, Need};
use crate::pipeline::{self, BatchPlan, PlanRow, RowResults, RowSource, RowWork, StoredRow};
use crate::store::NewJob;
use crate::transfer::{Input, RawRecord, ReadError, RecordPosition, RowFormat, RowReader, head_of};

/// Maximum faults reported of a file.
const FAULTS_SHOWN: usize = 10;

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
    /// Checks all rows and, with `estimates`, adds up what they can cost. Sends nothing; stores
    /// nothing. Blocks while it reads.
    ///
    /// # Errors
    /// `validation_failed` with up to ten faults, each with its row, line and field; `file` when
    /// the input cannot be read.
    pub fn check_batch<R: Read + Seek>(
        &self,
        request: &BatchRequest,
        input: &mut Input<R>,
        bad_rows: BadRows,
        estimates: bool,
    ) -> Result<CheckedRows> {
        let format = format_of(request, input)?;
        let mut checked = CheckedRows {
            rows: 0,
            bad: 0,
            estimate: estimates.then(|| Estimate { most_usd: Some(0.0), ..Estimate::default() }),
        };
        let (mut decoder, mut faults) = (RowDecoder::new(self, request), Faults::default());
        let name = input.name.clone();
        for read in rows(format, input)? {
            let row = decoder.row(read).map_err(|error| unreadable(&name, &error))?;
            checked.rows += 1;
            match row.end {
                Ok(request) => {
                    if let Some(sum) = &mut checked.estimate {
                        sum.add(self.estimate(&request)?);
                    }
                }
                Err(found) => {
                    checked.bad += 1;
                    let room = FAULTS_SHOWN.saturating_sub(faults.iter().count());
                    found.iter().take(room).for_each(|fault| faults.push(placed(row.place, fault)));
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
            let all = std::iter::once(Fault::new("", all)).chain(faults.iter().cloned());
            return Err(Error::Value(all.collect::<Vec<_>>().into()));
        }
        Ok(checked)
    }

    /// Prepares a batch of these rows, which [`Engine::check_batch`] has checked. Sends nothing.
    ///
    /// # Errors
    /// `file` when the input cannot be read.
    pub fn prepare_batch<R: Read + Seek + Send + 'static>(
        &self,
        request: BatchRequest,
        mut input: Input<R>,
        checked: &CheckedRows,
    ) -> Result<Prepared> {
        let format = format_of(&request, &mut input)?;
        let preflight = match &checked.estimate {
            Some(estimate) => self.against_preflight(request.budget_usd, || Ok(estimate.clone()))?,
            None => Preflight::Clear,
        };
        let (engine, asked, total) = (self.clone(), preflight.clone(), checked.rows);
        let keeper = Arc::clone(&self.inner.keeper);
        Ok(Prepared::new(preflight, request.budget_usd, keeper, move |budget_usd, lifetime| {
            let warning = engine.consent(&asked, budget_usd, "give fewer rows, or ask for fewer variants")?;
            let request = BatchRequest { budget_usd, ..request };
            let about = format!("{total} rows of {}", input.name.display());
            let source = engine.row_source(&request, format, input)?;
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
            });
            Ok(engine.planned_batch(&request, &life, session_id, journal, (Some(source), Some(total)), warning))
        }))
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
        let labels = Labels { session: Some(session_id), command: Operation::Batch.as_str(), tags: Vec::new() };
        let concurrency = request.concurrency.map_or(self.config().run.max_concurrency, |most| most as usize).max(1);
        let plan = BatchPlan {
            session_id,
            total,
            concurrency,
            fail_fast: request.fail_fast,
            warnings: warning.into_iter().collect(),
            journal: journal.clone(),
            account: self.account_of(life, caps, labels),
            plan_row: self.row_planner(),
        };
        let ports = self.ports();
        PlannedRun { journal: Some(journal), start: Box::new(move || pipeline::start_batch(plan, rows, ports)) }
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
    fn row_source<R: Read + Seek + Send + 'static>(
        &self,
        request: &BatchRequest,
        format: RowFormat,
        mut input: Input<R>,
    ) -> Result<RowSource> {
        let name = input.name.clone();
        input.source.rewind().map_err(|error| files::failure("read", &name, &error))?;
        let rows = RowReader::new(format, input.source).map_err(|error| files::failure("read", &name, &error))?;
        let mut decoder = RowDecoder::new(self, request);
        Ok(Box::new(rows.map(move |read| {
            let row = decoder.row(read).map_err(|error| unreadable(&name, &error))?;
            let (request, error) = match row.end {
                Ok(request) => (Some(request), None),
                Err(faults) => {
                    let faults: Vec<Fault> = faults.iter().map(|fault| placed(row.place, fault)).collect();
                    (None, Some(Box::new(Problem::from(Error::Value(faults.into())))))
                }
            };
            Ok(StoredRow { id: row.id, request, error })
        })))
    }

    /// The rows of a batch that are done, in order, with their results.
    pub fn batch_results(&self, job: SessionId) -> RowResults {
        RowResults::of(Arc::clone(self.store()), job)
    }
}

/// A row as read.
struct Row {
    id: String,
    place: RecordPosition,
    /// Its request, or what is wrong with it.
    end: std::result::Result<Box<GenerateRequest>, Faults>,
}

/// Decodes rows and finds ids that occur twice.
struct RowDecoder {
    known: Known,
    defaults: Map<String, Value>,
    assume_price: Option<f64>,
    /// A hash of every id.
    ids: HashSet<u128>,
    rows: u64,
}

impl RowDecoder {
    fn new(engine: &Engine, request: &BatchRequest) -> Self {
        let (defaults, assume_price) = (request.defaults.clone(), request.assume_price);
        Self { known: engine.known(), defaults, assume_price, ids: HashSet::new(), rows: 0 }
    }

    /// Decodes the next row. Fails if the input cannot be read.
    fn row(&mut self, read: std::result::Result<RawRecord, ReadError>) -> std::io::Result<Row> {
        self.rows += 1;
        let (place, members) = match read {
            Ok(RawRecord { members, place }) => (place, Ok(members)),
            Err(ReadError::Record(place, faults)) => (place, Err(Faults::from(faults))),
            Err(ReadError::End(place, fault)) => (place, Err(Faults::from(fault))),
            Err(ReadError::File(error)) => return Err(error),
        };
        let mut id = self.rows.to_string();
        let end = members.and_then(|mut members| {
            if let Some(given) = members.shift_remove("id").filter(|given| !given.is_null()) {
                id = id_of(&given)?;
            }
            if !self.ids.insert(xxh3_128(id.as_bytes())) {
                return Err(
                    Fault::new("id", format!("`{id}` is the id of an earlier row; every row needs its own")).into()
                );
            }
            self.request(members)
        });
        Ok(Row { id, place, end })
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
        Value::Number(number) => number.to_string(),
        _ => return Err(Fault::new("id", "expected a text or a number").into()),
    };
    let is_line = !id.is_empty() && !id.chars().any(char::is_control);
    if is_line && id.chars().count() <= limits::NAME_CHARS {
        return Ok(id);
    }
    Err(Fault::new("id", format!("expected one line of 1 to {} characters", limits::NAME_CHARS)).into())
}

fn rows<R: Read + Seek>(format: RowFormat, input: &mut Input<R>) -> Result<RowReader<&mut R>> {
    let failed = |error: &std::io::Error| files::failure("read", &input.name, error);
    input.source.rewind().map_err(|error| failed(&error))?;
    RowReader::new(format, &mut input.source).map_err(|error| failed(&error))
}

/// The format of the request, or of the input.
fn format_of<R: Read + Seek>(request: &BatchRequest, input: &mut Input<R>) -> Result<RowFormat> {
    if let Some(format) = request.format.as_deref().and_then(RowFormat::parse) {
        return Ok(format);
    }
    let head = input.source.rewind().and_then(|()| head_of(&mut input.source));
    Ok(RowFormat::tell(&input.name, &head.map_err(|error| unreadable(&input.name, &error))?))
}

/// A fault with the position of its row.
fn placed(place: RecordPosition, fault: &Fault) -> Fault {
    let row = match (place.record, place.line) {
        (0, _) => "header".to_owned(),
        (row, Some(line)) => format!("row {row} (line {line})"),
        (row, None) => format!("row {row}"),
    };
    let field = if fault.field.is_empty() { row } else { format!("{row}: {}", fault.field) };
    Fault::new(field, fault.message.clone())
}

fn unreadable(name: &Path, error: &std::io::Error) -> Error {
    files::failure("read", name, error)
}
