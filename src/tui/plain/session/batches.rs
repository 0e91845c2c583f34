//! The commands about batches and jobs: start, show with rows, stop, resume.
//!
//! A batch is a kept job of this process: the session goes on meanwhile, and `job` shows how far it
//! is. Leaving stops it; what is done is kept, and can be resumed.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aludel_core::api::{JobKey, JobRequest, Request as _, ResumeJobRequest, value_of_text};
use aludel_core::domain::{BatchRow, Job, JobState, Operation, SessionId};
use aludel_core::engine::{BatchPage, Prepared, RowCursor};
use aludel_core::error::Result;
use aludel_core::time::{Clock, SystemClock};
use serde_json::{Value, json};

use super::{Flow, Session};
use crate::tui::batch::{self, BatchOffer, words};
use crate::tui::plain::lines::LineEvent;
use crate::tui::plain::wording;
use crate::tui::widgets::figures::score;

/// The field of a budget.
const BUDGET: &str = "budget_usd";
/// Rows shown at once.
const ROWS: usize = 10;

impl<W: Write> Session<W> {
    /// Checks a file of rows, says what a batch of them can take, and starts it if the user agrees.
    pub(super) async fn batch(&mut self, path: &str) -> io::Result<Flow> {
        let (outcome, flow) = self.offer(path).await?;
        let Some((offer, prepared)) = self.or_report_faults(outcome)? else { return Ok(flow) };
        for line in words::offered(&offer) {
            self.out.say(line)?;
        }
        self.out.say("Nothing was sent yet. Type yes to start it as a job.")?;
        self.out.ask("> ")?;
        if !matches!(self.next().await, LineEvent::Line(line) if line.trim().eq_ignore_ascii_case("yes")) {
            return self.told("Nothing was sent.");
        }
        let budget_usd = offer.budget_usd.or(prepared.budget_usd());
        let id = prepared.with_budget(budget_usd).keep().await;
        let Some(id) = self.or_report(id)? else { return Ok(flow) };
        self.batch = Some((id, None));
        let short = id.short();
        self.out.say(format!("Job {short} has begun. job {short} shows how far it is, and stop {short} stops it."))?;
        self.out.say("Quitting stops it too; what is done is kept, and can be resumed.")?;
        Ok(flow)
    }

    /// Checks a file of rows. `^C` stops that; other input waits.
    async fn offer(&mut self, path: &str) -> io::Result<(Result<(BatchOffer, Prepared)>, Flow)> {
        let mut raw = self.settings.clone();
        // A batch can have several of them.
        if let Some(model) = raw.get_mut("target_model").filter(|model| model.is_string()) {
            *model = json!([model.take()]);
        }
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let engine = self.engine.clone();
        let checked = batch::offer(&engine, Value::Object(raw), path, move |_| !stopped.load(Ordering::Relaxed));
        let mut checked = std::pin::pin!(checked);
        let (mut flow, mut is_heard) = (Flow::GoOn, true);
        loop {
            tokio::select! {
                biased;
                heard = self.heard.recv(), if is_heard => match heard {
                    Some(LineEvent::Interrupt) => stop.store(true, Ordering::Relaxed),
                    Some(LineEvent::Stop) => {
                        stop.store(true, Ordering::Relaxed);
                        flow = Flow::Leave;
                    }
                    Some(typed) => self.ahead.push_back(typed),
                    None => is_heard = false,
                },
                outcome = &mut checked => return Ok((outcome, flow)),
            }
        }
    }

    /// Shows a job; of a batch also its first rows.
    pub(super) async fn job(&mut self, id: &str) -> io::Result<()> {
        let Some(request) = self.decoded::<JobRequest>(json!({ "job_id": id }))? else { return Ok(()) };
        let details = self.engine.job(request).await;
        let Some(details) = self.or_report(details)? else { return Ok(()) };
        if details.job.operation == Operation::Batch {
            return self.rows(details.job.id, RowCursor::FIRST).await;
        }
        self.out.say(wording::job(&details.job, SystemClock.now()))?;
        match words::error(&details) {
            Some(error) => self.out.say(format!("It failed: {error}")),
            None => Ok(()),
        }
    }

    /// Shows a page of the rows of a batch; above the first one, its progress.
    async fn rows(&mut self, id: SessionId, from: RowCursor) -> io::Result<()> {
        let page = self.engine.batch_page(JobKey::Id(id), from, ROWS).await;
        let Some(page) = self.or_report(page)? else { return Ok(()) };
        if from == RowCursor::FIRST {
            self.progress(&page)?;
        }
        let (shown, done) = (page.rows.len() as u64, page.details.job.done);
        if shown == 0 {
            self.out.say(if from.before == 0 { "No row is done yet." } else { "There are no more rows." })?;
        } else {
            let last = from.before + shown;
            let of = wording::count(done.max(last), "row");
            self.out.say(format!("{} to {last} of {of} done, those that failed first:", from.before + 1))?;
        }
        for row in &page.rows {
            self.out.say(format!(
                "{}: {}",
                words::heading(row.row, &row.id, row.status),
                wording::shortened(&words::row(row))
            ))?;
        }
        self.batch = Some((id, page.next));
        if page.next.is_some() {
            self.out.say("more shows the next ones, and row with its number a whole one.")?;
        }
        Ok(())
    }

    /// The state of a batch, its rate and its cost.
    fn progress(&mut self, page: &BatchPage) -> io::Result<()> {
        let (job, now) = (&page.details.job, SystemClock.now());
        self.out.say(wording::job(job, now))?;
        if let Some(error) = words::error(&page.details) {
            self.out.say(format!("It failed: {error}"))?;
            let of_budget = page.details.error.as_ref().is_some_and(|error| error["code"] == "budget_exceeded");
            if of_budget {
                self.out.say(format!(
                    "resume {} and a budget in dollars goes on, what was spent included.",
                    job.id.short()
                ))?;
            }
        }
        let pace = words::since_begun(job, now).and_then(|(rows, elapsed_ms)| words::pace(job, rows, elapsed_ms));
        if let Some(pace) = pace {
            self.out.say(format!("Rate: {pace}."))?;
        }
        self.out.say(format!("Cost: {}.", words::spent(&page.details, page.calls, page.most_usd)))
    }

    /// Shows the next rows of the batch that was shown last.
    pub(super) async fn more(&mut self) -> io::Result<()> {
        match self.batch {
            Some((id, Some(next))) => self.rows(id, next).await,
            Some((_, None)) => self.out.say("There are no more rows."),
            None => self.out.say("No batch was shown yet: job and its id shows one, and jobs lists them."),
        }
    }

    /// Shows a row of the batch that was shown last.
    pub(super) async fn row(&mut self, number: u64) -> io::Result<()> {
        let Some((id, _)) = self.batch else {
            return self.out.say("No batch was shown yet: job and its id shows one, and jobs lists them.");
        };
        let row = self.engine.batch_row(JobKey::Id(id), number).await;
        let Some(row) = self.or_report(row)? else { return Ok(()) };
        self.tell_row(&row)
    }

    fn tell_row(&mut self, row: &BatchRow) -> io::Result<()> {
        self.out.say(words::heading(row.row, &row.id, row.status))?;
        if let Some(problem) = &row.error {
            self.out.text(&format!("{}: {}", problem.code, problem.detail))?;
            for fault in &problem.errors {
                self.out.say(fault.to_string())?;
            }
        }
        if let Some(prompt) = words::winner(row) {
            let points = prompt.score.map_or_else(String::new, |points| format!(", score {}", score(points)));
            self.out.say(format!("{}{points}, {}", prompt.id.short(), prompt.strategy))?;
            self.out.text(&prompt.content)?;
        }
        Ok(())
    }

    /// Stops a job, whichever process works on it.
    pub(super) async fn stop(&mut self, id: &str) -> io::Result<()> {
        let Some(request) = self.decoded::<JobRequest>(json!({ "job_id": id }))? else { return Ok(()) };
        let stopped = self.engine.stop_job(request).await;
        let Some(Job { id, state, .. }) = self.or_report(stopped)? else { return Ok(()) };
        let short = id.short();
        self.out.say(match state {
            JobState::Stopping => format!("{short} is stopping; what is finished is kept."),
            JobState::Cancelled => format!("{short} is stopped; resume {short} resumes it."),
            state => format!("{short} is {state}."),
        })
    }

    /// Resumes a job as work of this process, with a new budget if there is one.
    pub(super) async fn resume(&mut self, id: &str, budget: Option<&str>) -> io::Result<()> {
        let mut raw = json!({ "job_id": id });
        if let Some(budget) = budget {
            raw[BUDGET] = value_of_text(ResumeJobRequest::FIELDS, BUDGET, budget);
        }
        let Some(request) = self.decoded::<ResumeJobRequest>(raw)? else { return Ok(()) };
        let resumed = self.engine.resume_kept_job(request).await;
        let Some(job) = self.or_report(resumed)? else { return Ok(()) };
        let short = job.id.short();
        self.out.say(format!("{short} is resumed; finished work is not repeated. job {short} shows how far it is."))
    }

    /// As [`Session::or_report`], with each fault of a file on its own line.
    fn or_report_faults<T>(&mut self, outcome: Result<T>) -> io::Result<Option<T>> {
        let outcome = match outcome {
            Err(error) if error.faults().len() > 1 => {
                self.out.say(format!("Not done, {}:", error.code().row().name))?;
                for fault in error.faults() {
                    self.out.say(fault.to_string())?;
                }
                return Ok(None);
            }
            outcome => outcome,
        };
        self.or_report(outcome)
    }
}

#[cfg(test)]
mod tests;
