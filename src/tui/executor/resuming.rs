//! Resumes a job. Its events go to the screen, and it can be stopped like any run.

use std::sync::{Arc, OnceLock};

use aludel_core::api::{JobKey, ResumeJobRequest};
use aludel_core::domain::{JobDetails, SessionId};
use aludel_core::engine::Engine;
use aludel_core::error::Result;
use aludel_core::event::run::{Run, RunControl};
use tokio::sync::{Notify, mpsc};

use super::inquiry::named;
use super::{relay_until_stopped, told};
use crate::tui::effect::Ticket;
use crate::tui::message::{Message, QueryReply};

/// Stops a job resumed here, even before it has begun.
#[derive(Debug)]
pub(super) struct ResumedJob {
    stop: Arc<Notify>,
    control: Arc<OnceLock<RunControl>>,
}

impl ResumedJob {
    /// True until its last event was sent.
    pub(super) fn is_live(&self) -> bool {
        // The task holds the other reference.
        Arc::strong_count(&self.stop) > 1
    }

    /// Stops everything; finished variants are kept.
    pub(super) fn cancel_all(&self) {
        self.stop.notify_one();
    }

    /// Stops one variant.
    pub(super) fn cancel_variant(&self, variant: u32) {
        if let Some(control) = self.control.get() {
            control.cancel_variant(variant);
        }
    }
}

/// Resumes a job and sends its details, then its events. Returns its handle and the task.
pub(super) fn resume(
    engine: Engine,
    ticket: Ticket,
    job: SessionId,
    answers: mpsc::Sender<Message>,
) -> (ResumedJob, impl Future<Output = ()> + Send) {
    let resumed = ResumedJob { stop: Arc::new(Notify::new()), control: Arc::new(OnceLock::new()) };
    let (stop, control) = (Arc::clone(&resumed.stop), Arc::clone(&resumed.control));
    let work = async move {
        let (details, run) = match load_and_resume(&engine, job).await {
            Ok((details, run)) => (Ok(Box::new(details)), Some(run)),
            Err(error) => (told(Err(error)), None),
        };
        if let Some(run) = &run {
            _ = control.set(run.control());
        }
        let is_heard = answers.send(Message::Reply { ticket, reply: QueryReply::JobResumed(details) }).await.is_ok();
        // With no receiver the run is dropped, which stops it.
        if let Some(run) = run.filter(|_| is_heard) {
            relay_until_stopped(run, ticket, answers, &stop).await;
        }
    };
    (resumed, work)
}

/// The job's details, and the run of what remains to be done.
async fn load_and_resume(engine: &Engine, job: SessionId) -> Result<(JobDetails, Run)> {
    let details = engine.job(named(job)).await?;
    let request = ResumeJobRequest { job_id: JobKey::Id(job), budget_usd: None, max_calls: None };
    let run = engine.resume_job(request).await?;
    Ok((details, run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::effect::CoreEffect;
    use crate::tui::executor::Executor;
    use crate::tui::testing::scripted;
    use aludel_core::api::GenerateRequest;
    use aludel_core::domain::JobState;
    use aludel_core::error::Code;
    use aludel_core::event::{EventKind, RunState, RunView};

    const PACED: &str = "answer: {words: 30}\npacing: {first_token_ms: 20, tokens_per_s: 600}\n";

    /// A generation of two variants that was stopped while streaming.
    async fn stopped(engine: &Engine) -> SessionId {
        let raw = serde_json::json!({ "input": "Name a boat", "count": 2 });
        let mut run = engine.generate(engine.decode::<GenerateRequest>(raw).unwrap()).unwrap();
        let id = run.session_id();
        while let Some(event) = run.next().await {
            if matches!(event.kind, EventKind::Delta { .. }) {
                run.control().cancel_all();
            }
        }
        id
    }

    /// Resumes it and returns the messages sent until the run is over or refused.
    async fn told_of(
        (executor, messages): &mut (Executor, mpsc::Receiver<Message>),
        ticket: Ticket,
        job: SessionId,
        mut on_events: impl FnMut(&mut Executor),
    ) -> (Option<crate::tui::effect::CoreResult<Box<JobDetails>>>, RunView) {
        executor.perform(CoreEffect::Resume { ticket, job });
        let (mut outcome, mut view) = (None, RunView::default());
        while !view.is_over() && !matches!(outcome, Some(Err(_))) {
            match messages.recv().await.unwrap() {
                Message::Reply { ticket: own, reply: QueryReply::JobResumed(told) } if own == ticket => {
                    outcome = Some(told);
                }
                Message::RunEvents { ticket: own, events } if own == ticket => {
                    assert!(outcome.is_some(), "what it is comes before its events");
                    for event in &events {
                        view.apply(event);
                    }
                    on_events(executor);
                }
                _ => {}
            }
        }
        (outcome, view)
    }

    #[tokio::test]
    async fn a_job_is_taken_up_and_its_events_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let engine = scripted(folder.path(), PACED);
        let id = stopped(&engine).await;
        assert_eq!(engine.job(named(id)).await.unwrap().job.state, JobState::Cancelled);
        let mut executor = Executor::new(engine.clone());
        let (outcome, view) = told_of(&mut executor, Ticket(1), id, |_| {}).await;
        assert_eq!(outcome.unwrap().unwrap().request["input"], "Name a boat");
        assert_eq!((view.session_id, view.generation().map(|result| result.prompts.len())), (Some(id), Some(2)));
        let (refused, _) = told_of(&mut executor, Ticket(2), id, |_| {}).await;
        assert_eq!(refused.unwrap().unwrap_err().code, Code::Conflict);
        let (executor, messages) = executor;
        executor.finish(messages).await.unwrap();
    }

    #[tokio::test]
    async fn one_that_was_taken_up_is_stopped_like_any_run() {
        let folder = tempfile::tempdir().unwrap();
        let engine = scripted(folder.path(), PACED);
        let id = stopped(&engine).await;
        let mut executor = Executor::new(engine.clone());
        let (_, view) = told_of(&mut executor, Ticket(1), id, |it| it.perform(CoreEffect::CancelRun(Ticket(1)))).await;
        assert_eq!(view.state, RunState::Cancelled);
        assert_eq!(engine.job(named(id)).await.unwrap().job.state, JobState::Cancelled);
        let (executor, messages) = executor;
        executor.finish(messages).await.unwrap();
    }
}
