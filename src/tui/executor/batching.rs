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
        raw: Value,
        answers: mpsc::Sender<Message>,
    ) -> impl Future<Output = ()> + Send + use<> {
        let open = self.open.subscribe();
        async move {
            let resumed = match engine.decode::<ResumeJobRequest>(raw) {
                Ok(request) => engine.resume_kept_job(request).await,
                Err(error) => Err(error),
            };
            let id = resumed.as_ref().map(|job| job.id).ok();
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
    let lines =
        rows.iter().map(|row| RowLine { row: row.row, id: row.id.clone(), status: row.status, text: words::row(row) });
    Ok(RowsPage { lines: lines.collect(), details, calls, most_usd, next, at: SystemClock.now() })
}

fn lock(checked: &CheckedBatch) -> std::sync::MutexGuard<'_, Option<(Ticket, Prepared)>> {
    checked.lock().unwrap_or_else(PoisonError::into_inner)
}

const fn reply(ticket: Ticket, reply: QueryReply) -> Message {
    Message::Reply { ticket, reply }
}

#[cfg(test)]
mod tests {
    use aludel_core::domain::JobState;
    use aludel_core::error::Code;
    use serde_json::json;

    use super::*;
    use crate::tui::effect::CoreEffect;
    use crate::tui::executor::Executor;
    use crate::tui::testing::scripted;

    /// The next reply of the executor that is no progress.
    async fn next(messages: &mut mpsc::Receiver<Message>) -> QueryReply {
        loop {
            match messages.recv().await.unwrap() {
                Message::Reply { reply: QueryReply::BatchChecking(_), .. } => {}
                Message::Reply { reply, .. } => return reply,
                _ => {}
            }
        }
    }

    fn check(ticket: u64, raw: Value, path: &std::path::Path) -> CoreEffect {
        CoreEffect::CheckBatch { ticket: Ticket(ticket), raw, path: path.display().to_string() }
    }

    #[tokio::test]
    async fn a_checked_batch_starts_once_and_its_end_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let engine = scripted(folder.path(), "answer: {text: fine}\n");
        let path = folder.path().join("rows.txt");
        std::fs::write(&path, "one\ntwo\n").unwrap();
        let (mut executor, mut messages) = Executor::new(engine.clone());
        executor.perform(check(1, json!({ "count": 1 }), &path));
        let QueryReply::BatchChecked(Ok(offer)) = next(&mut messages).await else { panic!("it is refused") };
        assert_eq!((offer.rows, offer.estimate.calls, offer.settings.len()), (2, 6, 1));
        let start = || CoreEffect::StartBatch { ticket: Ticket(1), budget_usd: None };
        executor.perform(start());
        let QueryReply::BatchStarted(Ok(job)) = next(&mut messages).await else { panic!("it does not start") };
        assert!(job.kept);
        let QueryReply::BatchEnded(ended) = next(&mut messages).await else { panic!("its end is not told") };
        assert_eq!((ended.id, ended.state, ended.done), (job.id, JobState::Finished, 2));
        executor.perform(start());
        let QueryReply::BatchStarted(Err(problem)) = next(&mut messages).await else { panic!("it starts again") };
        assert_eq!(problem.code, Code::Conflict);
        executor.finish(messages).await.unwrap();
    }

    #[tokio::test]
    async fn a_batch_that_was_forgotten_does_not_start_and_a_file_that_is_gone_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let engine = scripted(folder.path(), "answer: {text: fine}\n");
        let path = folder.path().join("rows.txt");
        std::fs::write(&path, "one\n".repeat(5_000)).unwrap();
        let (mut executor, mut messages) = Executor::new(engine.clone());
        executor.perform(check(1, json!({}), &path));
        // The first report comes from within the check.
        let first = messages.recv().await.unwrap();
        assert!(matches!(first, Message::Reply { reply: QueryReply::BatchChecking(_), .. }), "{first:?}");
        executor.perform(CoreEffect::ForgetBatch);
        assert!(matches!(next(&mut messages).await, QueryReply::BatchChecked(Err(_))), "it goes on");
        executor.perform(CoreEffect::StartBatch { ticket: Ticket(1), budget_usd: None });
        assert!(matches!(next(&mut messages).await, QueryReply::BatchStarted(Err(_))));
        executor.perform(check(2, json!({}), &folder.path().join("gone")));
        let QueryReply::BatchChecked(Err(problem)) = next(&mut messages).await else { panic!("it is there") };
        assert_eq!(problem.code, Code::File);
        executor.finish(messages).await.unwrap();
    }

    #[tokio::test]
    async fn leaving_stops_a_batch_which_can_be_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let hangs = "answer: {text: fine}\nrules: [{when: {input: slow}, fault: hang}]\n";
        let engine = scripted(folder.path(), hangs);
        let path = folder.path().join("rows.txt");
        std::fs::write(&path, "one\nslow\n").unwrap();
        let (mut executor, mut messages) = Executor::new(engine);
        executor.perform(check(1, json!({ "count": 1 }), &path));
        assert!(matches!(next(&mut messages).await, QueryReply::BatchChecked(Ok(_))));
        executor.perform(CoreEffect::StartBatch { ticket: Ticket(1), budget_usd: None });
        let QueryReply::BatchStarted(Ok(job)) = next(&mut messages).await else { panic!("it does not start") };
        executor.finish(messages).await.unwrap();
        let engine = scripted(folder.path(), "answer: {text: fine}\n");
        assert_eq!(engine.job(named(job.id)).await.unwrap().job.state, JobState::Interrupted);
        let (mut executor, mut messages) = Executor::new(engine);
        executor.perform(CoreEffect::ResumeBatch { ticket: Ticket(2), raw: json!({ "job_id": job.id }) });
        assert!(matches!(next(&mut messages).await, QueryReply::BatchResumed(Ok(_))));
        let QueryReply::BatchEnded(ended) = next(&mut messages).await else { panic!("its end is not told") };
        assert_eq!((ended.state, ended.done), (JobState::Finished, 2));
        executor.finish(messages).await.unwrap();
    }
}
