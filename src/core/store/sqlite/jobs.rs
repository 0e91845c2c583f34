//! Jobs as rows. That a job is `interrupted` because its worker died is derived from its lease.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;

use super::failure::{Failure, SqliteResult};
use super::rows::{Columns, integer, json};
use super::writer::Flush;
use super::{SqliteStore, fragment, prompts, terms};
use crate::domain::{Job, JobState, Operation, SessionId};
use crate::error::Error;
use crate::event::EventKind;
use crate::store::{
    ClaimedJob, Held, INTERRUPTED_JOB_RETENTION, JobClaim, JobEnd, JobEvents, JobProgress, JobStore, JobUnit,
    LeaseRenewal, MAX_ATTEMPTS, NewJob, Pending, STOPPED_JOB_RETENTION, Worker,
};

impl JobStore for SqliteStore {
    fn begin_job(&self, job: NewJob, worker: Worker) -> Pending<()> {
        // A job whose client waits is of no use after a power loss, unless a later commit says what it
        // has done, and that flushes this one as well.
        let flush = if job.kept { Flush::Now } else { Flush::Later };
        self.write_within(self.place.patience.usual, "storing a job", flush, move |connection| {
            begin(connection, &job, &worker)
        })
    }

    fn take_job(&self, id: SessionId, worker: Worker) -> Pending<Option<JobClaim>> {
        self.write("taking up a job", move |connection| take(connection, id, &worker))
    }

    fn take_abandoned_job(&self, worker: Worker) -> Pending<Option<ClaimedJob>> {
        self.write("taking up a job", move |connection| take_abandoned(connection, &worker))
    }

    fn renew_job(&self, held: Held, lease: Duration) -> Pending<LeaseRenewal> {
        self.write_unflushed("keeping a job", move |connection| renew(connection, held, lease))
    }

    fn record_progress(&self, held: Held, progress: JobProgress) -> Pending<()> {
        // On the caller's thread, in parallel with the writer.
        let entries = terms::entries(&progress.prompts);
        let is_repeatable = progress.is_repeatable || (progress.units.is_empty() && progress.prompts.is_empty());
        let work = move |connection: &Connection| {
            record(connection, held, &progress)?;
            prompts::append(connection, &progress.prompts, &entries)
        };
        let doing = "storing what a job has done";
        // Events are for followers. Units and prompts were paid for.
        if is_repeatable { self.write_unflushed(doing, work) } else { self.write_finished(doing, work) }
    }

    fn end_job(&self, held: Held, of: JobEnd) -> Pending<()> {
        let doing = "storing the end of a job";
        // If a power loss undoes this, the job counts as interrupted. Resuming a finished one repeats no
        // paid work; one that was stopped would go on.
        let is_finished = of.state == JobState::Finished;
        let work = move |connection: &Connection| end(connection, held, &of);
        if is_finished { self.write_unflushed(doing, work) } else { self.write_finished(doing, work) }
    }

    fn release_job(&self, held: Held) -> Pending<()> {
        self.write_finished("letting go of a job", move |connection| release(connection, held))
    }

    fn stop_job(&self, id: SessionId) -> Pending<Option<Job>> {
        self.write("stopping a job", move |connection| stop(connection, id))
    }

    fn job(&self, id: SessionId) -> Pending<Option<(Job, Value)>> {
        self.read("reading a job", None, |connection| get(connection, id))
    }

    fn jobs(&self, states: Vec<JobState>, limit: u32) -> Pending<Vec<Job>> {
        self.read("listing jobs", Vec::new(), |connection| list(connection, &states, limit))
    }

    fn resolve_job(&self, fragment: String, limit: usize) -> Pending<Vec<SessionId>> {
        self.read("looking up an id", Vec::new(), |connection| resolve(connection, &fragment, limit))
    }

    fn job_units(&self, id: SessionId, after: Option<String>, limit: u32) -> Pending<Vec<JobUnit>> {
        self.read("reading what a job has done", Vec::new(), |connection| {
            units(connection, id, after.as_deref(), limit)
        })
    }

    fn job_events(&self, id: SessionId, from: u64, limit: u32) -> Pending<Option<JobEvents>> {
        self.read("following a job", None, |connection| events(connection, id, from, limit))
    }
}

/// The current time by the database's clock, in milliseconds since 1970.
pub(super) const NOW: &str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/// A job's columns in the order of [`job`], with its derived state.
const COLUMNS: &str = "id, operation,
    CASE WHEN state <> 'running' THEN state
         WHEN leased_until < CAST(unixepoch('subsec') * 1000 AS INTEGER) THEN 'interrupted'
         WHEN stop_asked THEN 'stopping'
         ELSE 'running' END AS stands,
    about, done, failed, total, kept, attempt, owner, created_at, updated_at, ended_at";

/// True for a job that no worker holds.
const IS_IDLE: &str = "(state <> 'running' OR leased_until < CAST(unixepoch('subsec') * 1000 AS INTEGER))";

/// Stores a new job, and deletes expired ones.
pub(super) fn begin(connection: &Connection, new: &NewJob, worker: &Worker) -> SqliteResult<()> {
    forget_old(connection)?;
    let written = connection
        .prepare_cached(&format!(
            "INSERT INTO jobs (id, operation, about, request, kept, state, attempt, owner, leased_until, total, events,
                 created_at, updated_at, caller)
             VALUES (?, ?, ?, ?, ?, 'running', 1, ?, {NOW} + ?, ?, 0, {NOW}, {NOW}, ?) ON CONFLICT DO NOTHING"
        ))?
        .execute(params![
            new.id.0.as_bytes(),
            new.operation.as_str(),
            new.about,
            json(&new.request)?,
            new.kept,
            worker.name,
            millis(worker.lease),
            new.total.map(integer),
            new.caller.as_deref().map(json).transpose()?,
        ])?;
    if written == 0 {
        return Err(Error::Conflict(format!("job {} is stored already", new.id)).into());
    }
    append_events(connection, connection.last_insert_rowid(), std::slice::from_ref(&new.started))
}

/// Deletes expired jobs.
fn forget_old(connection: &Connection) -> SqliteResult<()> {
    connection.prepare_cached(&format!("DELETE FROM jobs WHERE expires_at < {NOW}"))?.execute([])?;
    connection
        .prepare_cached(&format!("DELETE FROM jobs WHERE leased_until < {NOW} - ?"))?
        .execute([millis(INTERRUPTED_JOB_RETENTION)])?;
    Ok(())
}

/// Takes up a job that no worker holds.
pub(super) fn take(connection: &Connection, id: SessionId, worker: &Worker) -> SqliteResult<Option<JobClaim>> {
    let taken =
        take_one(connection, &format!("id = ?3 AND state <> 'finished' AND {IS_IDLE}"), worker, Some(id.0.as_bytes()))?;
    match taken {
        Some(taken) => Ok(Some(JobClaim::ClaimedJob(Box::new(taken)))),
        None => Ok(get(connection, id)?.map(|(job, _)| JobClaim::Refused(Box::new(job)))),
    }
}

/// Takes up the kept job that has waited longest.
pub(super) fn take_abandoned(connection: &Connection, worker: &Worker) -> SqliteResult<Option<ClaimedJob>> {
    let is_it = format!(
        "key = (SELECT key FROM jobs WHERE kept AND stop_asked = 0 AND attempt < {MAX_ATTEMPTS}
                    AND state IN ('running', 'interrupted') AND {IS_IDLE}
                ORDER BY leased_until LIMIT 1)"
    );
    take_one(connection, &is_it, worker, None)
}

/// The one statement that assigns a job to a worker. A terminal event of an earlier attempt is
/// removed, and its number reused. What failed is done again, but for the rows of a batch.
fn take_one(
    connection: &Connection,
    is_it: &str,
    worker: &Worker,
    id: Option<&[u8; 16]>,
) -> SqliteResult<Option<ClaimedJob>> {
    let mut statement = connection.prepare_cached(&format!(
        "UPDATE jobs SET attempt = attempt + 1, state = 'running', owner = ?1, leased_until = {NOW} + ?2, stop_asked = 0,
             ended_at = NULL, expires_at = NULL, updated_at = {NOW},
             failed = CASE operation WHEN 'batch' THEN failed ELSE 0 END,
             done = (SELECT count(*) FROM job_units WHERE job = key AND is_whole)
         WHERE {is_it} RETURNING key, request, caller, {COLUMNS}"
    ))?;
    let row = |row: &Row<'_>| {
        let mut columns = Columns::of(row);
        let (key, request) = (columns.take::<i64>(), columns.json::<Value>());
        let caller = columns.take::<Option<String>>();
        Ok((key, request, caller, job(columns)))
    };
    let taken = match id {
        Some(id) => statement.query_row(params![worker.name, millis(worker.lease), id], row),
        None => statement.query_row(params![worker.name, millis(worker.lease)], row),
    };
    let Some((key, request, caller, job)) = taken.optional()? else { return Ok(None) };
    let (key, job) = (key?, job?);
    remove_terminal_event(connection, key)?;
    let message = format!("taken up again by {} (attempt {})", worker.name, job.attempt);
    append_events(connection, key, &[EventKind::Warning { variant: None, phase: None, message, code: None }])?;
    let caller = caller?.and_then(|text| serde_json::from_str(&text).ok()).map(Arc::new);
    Ok(Some(ClaimedJob { job, request: request?, caller }))
}

/// Removes the terminal event, if there is one.
fn remove_terminal_event(connection: &Connection, key: i64) -> SqliteResult<()> {
    let mut last =
        connection.prepare_cached("SELECT seq, event FROM job_events WHERE job = ? ORDER BY seq DESC LIMIT 1")?;
    let mut rows = last.query([key])?;
    let Some(row) = rows.next()? else { return Ok(()) };
    let mut columns = Columns::of(row);
    let (seq, event) = (columns.take::<i64>()?, columns.json::<EventKind>()?);
    if event.is_terminal() {
        connection.prepare_cached("DELETE FROM job_events WHERE job = ? AND seq = ?")?.execute([key, seq])?;
        connection.prepare_cached("UPDATE jobs SET events = ?2 WHERE key = ?1")?.execute([key, seq])?;
    }
    Ok(())
}

/// Renews the lease.
pub(super) fn renew(connection: &Connection, held: Held, lease: Duration) -> SqliteResult<LeaseRenewal> {
    let stop_asked = connection
        .prepare_cached(&format!(
            "UPDATE jobs SET leased_until = {NOW} + ? WHERE id = ? AND attempt = ? AND state = 'running'
             RETURNING stop_asked"
        ))?
        .query_row(params![millis(lease), held.id.0.as_bytes(), held.attempt], |row| row.get::<_, bool>(0))
        .optional()?;
    Ok(match stop_asked {
        None => LeaseRenewal::Lost,
        Some(true) => LeaseRenewal::StopAsked,
        Some(false) => LeaseRenewal::Held,
    })
}

/// Records progress, except the prompts, which the caller stores.
pub(super) fn record(connection: &Connection, held: Held, progress: &JobProgress) -> SqliteResult<()> {
    let key = connection
        .prepare_cached(&format!(
            "UPDATE jobs SET done = done + ?, failed = failed + ?, total = coalesce(?, total), updated_at = {NOW}
             WHERE id = ? AND attempt = ? AND state = 'running' RETURNING key"
        ))?
        .query_row(
            params![
                integer(progress.done),
                integer(progress.failed),
                progress.total.map(integer),
                held.id.0.as_bytes(),
                held.attempt
            ],
            |row| row.get::<_, i64>(0),
        )
        .optional()?
        .ok_or_else(|| lost(held))?;
    if let Some((after, before)) = &progress.obsolete {
        connection
            .prepare_cached("DELETE FROM job_units WHERE job = ? AND unit > ? AND unit < ?")?
            .execute(params![key, after, before])?;
    }
    let mut unit = connection.prepare_cached(
        "INSERT INTO job_units (job, unit, is_whole, result) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    )?;
    for JobUnit { unit: name, is_whole, result } in &progress.units {
        unit.execute(params![key, name, is_whole, json(result)?])?;
    }
    append_events(connection, key, &progress.events)
}

/// Appends events.
fn append_events(connection: &Connection, key: i64, events: &[EventKind]) -> SqliteResult<()> {
    let mut number =
        connection.prepare_cached("UPDATE jobs SET events = events + 1 WHERE key = ? RETURNING events - 1")?;
    let mut insert = connection.prepare_cached("INSERT INTO job_events (job, seq, event) VALUES (?, ?, ?)")?;
    for event in events {
        let seq: i64 = number.query_row([key], |row| row.get(0))?;
        insert.execute(params![key, seq, json(event)?])?;
    }
    Ok(())
}

/// Records how the job ended.
pub(super) fn end(connection: &Connection, held: Held, end: &JobEnd) -> SqliteResult<()> {
    let key = connection
        .prepare_cached(&format!(
            "UPDATE jobs SET state = ?, owner = NULL, leased_until = NULL, updated_at = {NOW}, ended_at = {NOW},
                 expires_at = {NOW} + ?
             WHERE id = ? AND attempt = ? AND state = 'running' RETURNING key"
        ))?
        .query_row(params![end.state.as_str(), millis(end.stored_for), held.id.0.as_bytes(), held.attempt], |row| {
            row.get::<_, i64>(0)
        })
        .optional()?
        .ok_or_else(|| lost(held))?;
    append_events(connection, key, std::slice::from_ref(&end.event))
}

/// Releases the job.
pub(super) fn release(connection: &Connection, held: Held) -> SqliteResult<()> {
    connection
        .prepare_cached(&format!(
            "UPDATE jobs SET state = 'interrupted', owner = NULL, updated_at = {NOW}, leased_until = {NOW}
             WHERE id = ? AND attempt = ? AND state = 'running'"
        ))?
        .execute(params![held.id.0.as_bytes(), held.attempt])?;
    Ok(())
}

/// Asks the worker to stop; without one, the job is cancelled at once.
pub(super) fn stop(connection: &Connection, id: SessionId) -> SqliteResult<Option<Job>> {
    let idle = connection
        .prepare_cached(&format!(
            "UPDATE jobs SET state = 'cancelled', owner = NULL, leased_until = NULL, updated_at = {NOW}, ended_at = {NOW},
                 expires_at = {NOW} + ?, attempt = attempt + 1
             WHERE id = ? AND state IN ('running', 'interrupted') AND {IS_IDLE} RETURNING key"
        ))?
        .query_row(params![millis(STOPPED_JOB_RETENTION), id.0.as_bytes()], |row| row.get::<_, i64>(0))
        .optional()?;
    match idle {
        Some(key) => append_events(connection, key, &[EventKind::Cancelled {}])?,
        None => {
            connection
                .prepare_cached("UPDATE jobs SET stop_asked = 1 WHERE id = ? AND state = 'running'")?
                .execute([id.0.as_bytes()])?;
        }
    }
    Ok(get(connection, id)?.map(|(job, _)| job))
}

/// One job with its request.
pub(super) fn get(connection: &Connection, id: SessionId) -> SqliteResult<Option<(Job, Value)>> {
    let mut statement = connection.prepare_cached(&format!("SELECT request, {COLUMNS} FROM jobs WHERE id = ?"))?;
    let mut rows = statement.query([id.0.as_bytes()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let mut columns = Columns::of(row);
    let request = columns.json()?;
    Ok(Some((job(columns)?, request)))
}

/// The jobs in one of these states, newest first.
pub(super) fn list(connection: &Connection, states: &[JobState], limit: u32) -> SqliteResult<Vec<Job>> {
    let names: Vec<&str> = states.iter().map(|state| state.as_str()).collect();
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM jobs
         WHERE ?1 = '[]' OR stands IN (SELECT value FROM json_each(?1))
         ORDER BY created_at DESC, id DESC LIMIT ?2"
    ))?;
    statement.query_and_then(params![json(&names)?, limit], |row| job(Columns::of(row)))?.collect()
}

/// The ids that begin or end with these digits, newest first. Scans all jobs, which are few.
pub(super) fn resolve(connection: &Connection, digits: &str, limit: usize) -> SqliteResult<Vec<SessionId>> {
    let Some(digits) = fragment::digits(digits) else { return Ok(Vec::new()) };
    let mut statement = connection.prepare_cached(
        "SELECT id FROM jobs WHERE hex(id) LIKE ?1 || '%' OR hex(id) LIKE '%' || ?1 ORDER BY created_at DESC, id DESC LIMIT ?2",
    )?;
    let rows = statement.query(params![digits, integer(limit)])?;
    rows.and_then(|row| Ok(SessionId(Columns::of(row).id()?))).collect()
}

/// The recorded units, by name.
pub(super) fn units(
    connection: &Connection,
    id: SessionId,
    after: Option<&str>,
    limit: u32,
) -> SqliteResult<Vec<JobUnit>> {
    let mut statement = connection.prepare_cached(
        "SELECT unit, is_whole, result FROM job_units
         WHERE job = (SELECT key FROM jobs WHERE id = ?1) AND unit > ?2 ORDER BY unit LIMIT ?3",
    )?;
    // Every name is greater than the empty one.
    let mut rows = statement.query(params![id.0.as_bytes(), after.unwrap_or(""), limit])?;
    let mut units = Vec::new();
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of(row);
        units.push(JobUnit { unit: columns.take()?, is_whole: columns.take()?, result: columns.json()? });
    }
    Ok(units)
}

/// The events from this number on.
pub(super) fn events(connection: &Connection, id: SessionId, from: u64, limit: u32) -> SqliteResult<Option<JobEvents>> {
    let Some((job, _)) = get(connection, id)? else { return Ok(None) };
    let mut statement = connection.prepare_cached(
        "SELECT event FROM job_events WHERE job = (SELECT key FROM jobs WHERE id = ?) AND seq >= ? ORDER BY seq LIMIT ?",
    )?;
    let mut rows = statement.query(params![id.0.as_bytes(), integer(from), limit])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        events.push(Columns::of(row).json()?);
    }
    Ok(Some(JobEvents { events, job }))
}

/// Deletes the jobs of runs with nothing left, neither stored nor in the trash, unless a worker
/// holds them. Their events contain what they produced.
pub(super) fn sweep(connection: &Connection, runs: impl IntoIterator<Item = SessionId>) -> SqliteResult<()> {
    let mut statement = connection.prepare_cached(&format!(
        "DELETE FROM jobs WHERE id = ?1 AND {IS_IDLE}
             AND NOT EXISTS (SELECT 1 FROM prompts WHERE session_id = ?1)
             AND NOT EXISTS (SELECT 1 FROM trash WHERE prompt ->> 'session_id' = ?2)"
    ))?;
    for run in runs {
        statement.execute(params![run.0.as_bytes(), run.to_string()])?;
    }
    Ok(())
}

/// Deletes every job that no worker holds.
pub(super) fn clear(connection: &Connection) -> SqliteResult<()> {
    connection.execute(&format!("DELETE FROM jobs WHERE {IS_IDLE}"), [])?;
    Ok(())
}

fn job(mut columns: Columns<'_, '_>) -> SqliteResult<Job> {
    Ok(Job {
        id: SessionId(columns.id()?),
        operation: named(&columns.take::<String>()?, Operation::parse)?,
        state: named(&columns.take::<String>()?, JobState::parse)?,
        about: columns.take()?,
        done: columns.number()?,
        failed: columns.number()?,
        total: columns.take::<Option<i64>>()?.and_then(|total| u64::try_from(total).ok()),
        kept: columns.take()?,
        attempt: columns.take()?,
        owner: columns.take()?,
        created_at: columns.moment()?,
        updated_at: columns.moment()?,
        ended_at: columns.optional_moment()?,
    })
}

fn named<T>(name: &str, parse: fn(&str) -> Option<T>) -> SqliteResult<T> {
    parse(name).ok_or_else(|| Failure::damaged(format_args!("`{name}` is not known in `jobs`")))
}

fn lost(held: Held) -> Error {
    Error::Conflict(format!(
        "job {} is no longer held by this process (attempt {}): it was taken up elsewhere, or has ended",
        held.id, held.attempt
    ))
}

fn millis(duration: Duration) -> i64 {
    integer(duration.as_millis())
}
