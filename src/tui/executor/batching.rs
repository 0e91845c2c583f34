//! Batches: checks a file of rows, starts and resumes a batch as a kept job, reads a page of its rows.
//!
//! A batch is work of this process, and ends with it; what is done stays recorded. Its end is
//! reported, whichever screen is shown.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aludel_core::api::{JobKey, ResumeJobRequest};
use aludel_core::domain::{Job, SessionId};
use aludel_core::engine::{BatchPage, Engine, Prepared, RowCursor};
use aludel_core::error::{Error, Result};
use aludel_core::time::{Clock, SystemClock};
use serde_json::Value;
use tokio::sync::{mpsc, watch};

use super::inquiry::named;
use super::told;
use crate::tui::batch::{self, words};
use crate::tui::effect::Ticket;
use crate::tui::message::{Message, QueryReply};
use crate::tui::model::batch::{RowLine, RowsPage};

/// Rows of a page.
const PAGE: usize = 50;
/// How often the end of a batch is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(300);

/// A checked batch that the user has yet to accept, with the ticket of its check.
type CheckedBatch = Arc<Mutex<Option<(Ticket, Prepared)>>>;

/// The batch being checked, and the one that can start.
#[derive(Default)]
pub(super) struct BatchTasks {
    checked: CheckedBatch,
    /// Stops the check under way.
    stop: Arc<AtomicBool>,
    /// Ends the tasks that wait for the end of a batch when it is dropped.
    open: watch::Sender<()>,
}

impl BatchTasks {
    /// Checks a file of rows, in place of any that was checked before.
    pub(super) fn check(
        &mut self,
        engine: Engine,
        ticket: Ticket,
        (raw, path): (Value, String),
        answers: mpsc::Sender<Message>,
    ) -> impl Future<Output = ()> + Send + use<> {
        self.forget();
        let (checked, stop) = (Arc::clone(&self.checked), Arc::clone(&self.stop));
        async move {
            let (progress, stopped) = (answers.clone(), Arc::clone(&stop));
            let goes_on = move |rows| {
                // If the screen is slow to take it, the next one does.
                _ = progress.try_send(reply(ticket, QueryReply::BatchChecking(rows)));
                !stopped.load(Ordering::Relaxed)
            };
            let outcome = batch::offer(&engine, raw, &path, goes_on).await.map(|(offer, prepared)| {
                if !stop.load(Ordering::Relaxed) {
                    *lock(&checked) = Some((ticket, prepared));
                }
                Box::new(offer)
            });
            _ = answers.send(reply(ticket, QueryReply::BatchChecked(told(outcome)))).await;
        }
    }

    /// Starts the batch that was checked with this ticket, and reports its end.
    pub(super) fn start(
        &self,
        engine: &Engine,
        ticket: Ticket,
        budget_usd: Option<f64>,
        answers: mpsc::Sender<Message>,
    ) -> impl Future<Output = ()> + Send + use<> {
        let prepared = lock(&self.checked).take_if(|(own, _)| *own == ticket).map(|(_, prepared)| prepared);
        let (engine, open) = (engine.clone(), self.open.subscribe());
        async move {
            let started = match prepared {
                Some(prepared) => started(&engine, prepared, budget_usd).await,
                None => Err(Error::Conflict("the batch is no longer there; name its file again".to_owned())),
            };
            let id = started.as_ref().map(|job| job.id).ok();
            let outcome = QueryReply::BatchStarted(told(started.map(Box::new)));
            if answers.send(reply(ticket, outcome)).await.is_ok() {
                report_end(engine, ticket, id, answers, open).await;
            }
        }
    }

    /// Stops the check under way and forgets what was checked.
    pub(super) fn forget(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.stop = Arc::default();
        lock(&self.checked).take();
    }

    /// Resumes a batch as work of this process, and reports its end.
    pub(super) fn resume(
        &self,
        engine: Engine,
        ticket: Ticket,
        job: SessionId,
        answers: mpsc::Sender<Message>,
    ) -> impl Future<Output = ()> + Send + use<> {
        let open = self.open.subscribe();
        async move {
            let request = ResumeJobRequest { job_id: JobKey::Id(job), budget_usd: None, max_calls: None };
            let resumed = engine.resume_kept_job(request).await;
            let id = resumed.is_ok().then_some(job);
            let outcome = QueryReply::BatchResumed(told(resumed.map(Box::new)));
            if answers.send(reply(ticket, outcome)).await.is_ok() {
                report_end(engine, ticket, id, answers, open).await;
            }
        }
    }

    /// Stops the check and all watching.
    pub(super) fn close(mut self) {
        self.forget();
    }
}

async fn started(engine: &Engine, prepared: Prepared, budget_usd: Option<f64>) -> Result<Job> {
    let budget_usd = budget_usd.or(prepared.budget_usd());
    let id = prepared.with_budget(budget_usd).keep().await?;
    Ok(engine.job(named(id)).await?.job)
}

/// Reports a batch once it has ended, unless the workbench is left before.
async fn report_end(
    engine: Engine,
    ticket: Ticket,
    id: Option<SessionId>,
    answers: mpsc::Sender<Message>,
    mut open: watch::Receiver<()>,
) {
    let Some(id) = id else { return };
    loop {
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            _ = open.changed() => return,
        }
        match engine.job(named(id)).await {
            Ok(details) if details.job.state.is_active() => {}
            Ok(details) => {
                _ = answers.send(reply(ticket, QueryReply::BatchEnded(Box::new(details.job)))).await;
                return;
            }
            Err(error) => {
                tracing::warn!(job = %id, %error, "the end of a batch cannot be seen");
                return;
            }
        }
    }
}

/// A batch, with a page of its rows as they are listed.
pub(super) async fn page(engine: &Engine, id: SessionId, from: RowCursor) -> Result<RowsPage> {
    let BatchPage { details, calls, most_usd, rows, next } = engine.batch_page(JobKey::Id(id), from, PAGE).await?;
    let lines = rows.iter().map(|row| RowLine {
        row: row.row,
        id: row.id.clone(),
        status: row.status,
        text: words::row(row),
    });
    Ok(RowsPage { lines: lines.collect(), details, calls, most_usd, next, at: SystemClock.now() })
}

fn lock(checked: &CheckedBatch) -> std::sync::MutexGuard<'_, Option<(Ticket, Prepared)>> {
    checked.lock().unwrap_or_else(PoisonError::into_inner)
}

const fn reply(ticket: Ticket, reply: QueryReply) -> Message {
    Message::Reply { ticket, reply }
}
