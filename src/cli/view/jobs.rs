//! Jobs: the list, one in full, and the events of one.

use aludel_core::domain::{
    BatchRow, Job, JobDetails, JobResult, JobState, Operation, RowStatus, Timestamp, write_moment,
};
use aludel_core::event::EventKind;
use serde_json::Value;

use super::page::{Page, Role};
use super::table::{Column, Table};
use super::words::{ago, count_of, one_line};

/// Writes a line for each; ages are relative to `now`.
pub(crate) fn jobs(page: &mut Page, jobs: &[Job], now: Timestamp) {
    let mut table = Table::new(vec![
        Column::words("job").painted(Role::Handle),
        Column::words("state"),
        Column::words("operation"),
        Column::numbers("done"),
        Column::words("begun").painted(Role::Faint),
        Column::words("about"),
    ]);
    for job in jobs {
        table.row(vec![
            job.id.short(),
            job.state.to_string(),
            job.operation.to_string(),
            done(job),
            moment(page, job.created_at, now),
            job.about.clone(),
        ]);
    }
    table.write(page);
}

/// Writes everything known about a job.
pub(crate) fn job(page: &mut Page, details: &JobDetails, now: Timestamp) {
    facts(page, &details.job, details.error.as_ref(), now);
    let id = details.job.id.short();
    next_step(page, &details.job, &format!("`aludel jobs result {id}` shows what came of it"));
}

/// Writes what came of a job: the rows of a batch, a line each.
pub(crate) fn job_result(page: &mut Page, result: &JobResult, now: Timestamp) {
    let JobResult { job, error, rows, next_after, .. } = result;
    facts(page, job, error.as_ref(), now);
    let id = job.id.short();
    if job.operation != Operation::Batch {
        return next_step(page, job, &format!("`aludel jobs result {id} --format json` prints the result"));
    }
    page.gap();
    if rows.is_empty() {
        page.line("no such row is done");
        return;
    }
    let mut table = Table::new(vec![
        Column::numbers("row"),
        Column::words("id").painted(Role::Handle),
        Column::words("status"),
        Column::words("result"),
    ]);
    for row in rows {
        table.row(vec![row.row.to_string(), row.id.clone(), row.status.as_str().to_owned(), end_of(row)]);
    }
    table.write(page);
    if let Some(after) = next_after {
        page.gap();
        page.paragraph(Role::Faint, &format!("`aludel jobs result {id} --after {after}` shows the next rows"), 0);
    }
}

/// The best prompt of a row, or why there is none.
fn end_of(row: &BatchRow) -> String {
    let best = row.result.as_ref().and_then(|result| result.prompts.first());
    match (row.status, best, &row.error) {
        (RowStatus::Ok, Some(best), _) => format!("{} {}", best.id.short(), best.content),
        (_, _, Some(error)) => error.detail.clone(),
        _ => "its prompts were deleted since".to_owned(),
    }
}

fn facts(page: &mut Page, job: &Job, error: Option<&Value>, now: Timestamp) {
    page.painted(Role::Heading, &format!("{} {}", job.operation, job.id));
    page.line(one_line(&job.about));
    page.gap();
    let mut facts = vec![("state", job.state.to_string())];
    facts.push(("done", if job.failed > 0 { format!("{}, {} failed", done(job), job.failed) } else { done(job) }));
    facts.push(("begun", moment(page, job.created_at, now)));
    facts.extend(job.ended_at.map(|ended| ("ended", moment(page, ended, now))));
    facts.extend(job.owner.clone().map(|owner| ("by", owner)));
    if job.attempt > 1 {
        facts.push(("attempt", job.attempt.to_string()));
    }
    for (name, fact) in facts {
        page.line(format!("{name:<8} {}", one_line(&fact)));
    }
    if let Some(detail) = error.and_then(|error| error.get("detail")?.as_str()) {
        page.gap();
        page.paragraph(Role::Body, &one_line(detail), 0);
    }
}

fn next_step(page: &mut Page, job: &Job, of_finished: &str) {
    let id = job.id.short();
    let next = match job.state {
        JobState::Running => Some(format!("`aludel jobs follow {id}` watches it, `aludel jobs stop {id}` stops it")),
        JobState::Interrupted | JobState::Failed | JobState::Cancelled => {
            Some(format!("`aludel jobs resume {id}` resumes it"))
        }
        JobState::Finished => Some(of_finished.to_owned()),
        JobState::Stopping => None,
    };
    if let Some(next) = next {
        page.gap();
        page.paragraph(Role::Faint, &next, 0);
    }
}

/// Writes an event in a line; nothing for events that only programs need.
pub(crate) fn job_event(page: &mut Page, kind: &EventKind) {
    let line = match kind {
        EventKind::Started { operation, total, .. } => match total {
            Some(total) => format!("{operation} started: {}", count_of(*total, unit_of(*operation))),
            None => format!("{operation} started"),
        },
        EventKind::VariantFinished { variant, prompt, .. } => {
            format!("variant {} finished: prompt {}", variant + 1, prompt.id.short())
        }
        EventKind::VariantFailed { variant, error, .. } => format!("variant {} failed: {}", variant + 1, error.detail),
        EventKind::Warning { message, .. } => format!("warning: {message}"),
        EventKind::Judged { .. } => "the judge compared two candidates".to_owned(),
        EventKind::Progress { part, done, total } => {
            let part = part.as_ref().map(|part| format!("{part}: ")).unwrap_or_default();
            match total {
                Some(total) => format!("{part}{done} of {} done", count_of(*total, "unit")),
                None => format!("{part}{} done", count_of(*done, "unit")),
            }
        }
        EventKind::UnitStarted { unit } => format!("{unit} started"),
        EventKind::UnitFinished { unit, .. } => format!("{unit} is done"),
        EventKind::RowFinished { row } => match &row.error {
            None => format!("row {} ({}) is done", row.row, row.id),
            Some(error) => format!("row {} ({}) failed: {}", row.row, row.id, error.detail),
        },
        EventKind::Finished { .. } => "finished".to_owned(),
        EventKind::Cancelled {} => "cancelled".to_owned(),
        // The error of the command reports it.
        EventKind::Failed { .. }
        | EventKind::PhaseStarted { .. }
        | EventKind::Delta { .. }
        | EventKind::PhaseFinished { .. }
        | EventKind::Retrying { .. }
        | EventKind::Ranked { .. }
        | EventKind::Spent { .. } => return,
    };
    page.line(one_line(&line));
}

/// The word for a unit of its work.
pub(crate) const fn unit_of(operation: Operation) -> &'static str {
    match operation {
        Operation::Reindex | Operation::Import | Operation::Migrate => "prompt",
        Operation::JudgeAudit => "question",
        Operation::TestProviders => "provider",
        Operation::Generate => "variant",
        Operation::Batch => "row",
        Operation::Select | Operation::Compare => "comparison",
        _ => "unit",
    }
}

/// `2 of 3`; only the number done if the total is unknown.
fn done(job: &Job) -> String {
    job.total.map_or_else(|| job.done.to_string(), |total| format!("{} of {total}", job.done))
}

fn moment(page: &Page, moment: Timestamp, now: Timestamp) -> String {
    if page.is_terminal() { ago(now, moment) } else { write_moment(moment) }
}
