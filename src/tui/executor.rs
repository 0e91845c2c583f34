//! Does what the model asks of the core. The only part of the workbench that holds the engine.
//!
//! Every effect is a task, or done before [`Executor::perform`] returns; every reply carries the
//! ticket of its request. Events travel in batches over a bounded channel: if the screen is slow to
//! take them, the run's own queue merges its deltas and loses nothing.

mod batching;
mod drafts;
mod history;
mod inquiry;
mod judging;
mod resuming;
mod transfer;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use aludel_core::api::GenerateRequest;
use aludel_core::engine::{DetectedProviders, Engine};
use aludel_core::error::Problem;
use aludel_core::event::run::{Run, RunControl};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::{AbortHandle, JoinSet};

use super::effect::{CoreEffect, CoreResult, Draft, HistoryCommand, Ticket};
use super::message::{DraftReply, Message};
use super::model::{CostlyAction, Names};
use batching::BatchTasks;
use drafts::DraftStart;
use resuming::ResumedJob;

/// How many replies can wait for the screen.
const REPLY_CAPACITY: usize = 256;
/// Most events in one message.
const BATCH: usize = 256;
/// How long leaving waits for runs to store what is finished.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Carries out the effects that concern the core.
pub(crate) struct Executor {
    engine: Engine,
    answers: mpsc::Sender<Message>,
    runs: HashMap<Ticket, RunControl>,
    /// The judging under way, and the signal that stops it.
    judging: Option<(Ticket, Arc<Notify>)>,
    /// Jobs resumed here, by the ticket of the resumed run.
    resumed: HashMap<Ticket, ResumedJob>,
    /// The batch that is being checked, or can start.
    batches: BatchTasks,
    /// The search under way; the next one replaces it.
    finding: Option<AbortHandle>,
    /// The export or import under way.
    transferring: Option<AbortHandle>,
    /// Sends drafts to the task that saves them, once it runs.
    draft_writer: Option<watch::Sender<Draft>>,
    /// The task that watches the progress of embedding.
    watching: Option<AbortHandle>,
    /// The task that watches the log.
    watching_log: Option<AbortHandle>,
    tasks: JoinSet<()>,
}

impl Executor {
    /// An executor over `engine`, and the receiver of its replies. Using it needs a tokio runtime.
    pub(crate) fn new(engine: Engine) -> (Self, mpsc::Receiver<Message>) {
        let (answers, messages) = mpsc::channel(REPLY_CAPACITY);
        (
            Self {
                engine,
                answers,
                runs: HashMap::new(),
                judging: None,
                resumed: HashMap::new(),
                batches: BatchTasks::default(),
                finding: None,
                transferring: None,
                draft_writer: None,
                watching: None,
                watching_log: None,
                tasks: JoinSet::new(),
            },
            messages,
        )
    }

    /// Carries out `effect`, or starts to.
    pub(crate) fn perform(&mut self, effect: CoreEffect) {
        while self.tasks.try_join_next().is_some() {}
        match effect {
            CoreEffect::Generate { ticket, raw } => match self.start(ticket, raw) {
                Ok((run, detected_providers)) => {
                    self.tasks.spawn(point_out(detected_providers, self.answers.clone()));
                    // One run is on the screen; the controls of earlier ones are not needed.
                    self.runs.clear();
                    self.runs.insert(ticket, run.control());
                    self.tasks.spawn(relay(run, ticket, self.answers.clone()));
                }
                Err(messages) => self.answer(messages),
            },
            CoreEffect::Select { ticket, raw } => self.judge(ticket, raw),
            CoreEffect::Compare { ticket, raw } => {
                let (engine, answers) = (self.engine.clone(), self.answers.clone());
                self.tasks.spawn(async move {
                    let outcome = judging::compare(&engine, raw).await;
                    let outcome = outcome.map(Box::new).map_err(|error| Box::new(Problem::from(error)));
                    _ = answers.send(Message::Compared { ticket, outcome }).await;
                });
            }
            CoreEffect::Resume { ticket, job } => {
                self.resumed.retain(|_, resumed| resumed.is_live());
                let (resumed, work) = resuming::resume(self.engine.clone(), ticket, job, self.answers.clone());
                self.resumed.insert(ticket, resumed);
                self.tasks.spawn(work);
            }
            CoreEffect::CheckBatch { ticket, raw, path } => {
                let work = self.batches.check(self.engine.clone(), ticket, (raw, path), self.answers.clone());
                self.tasks.spawn(work);
            }
            CoreEffect::StartBatch { ticket, budget_usd } => {
                let work = self.batches.start(&self.engine, ticket, budget_usd, self.answers.clone());
                self.tasks.spawn(work);
            }
            CoreEffect::ForgetBatch => self.batches.forget(),
            CoreEffect::ResumeBatch { ticket, raw } => {
                self.tasks.spawn(self.batches.resume(self.engine.clone(), ticket, raw, self.answers.clone()));
            }
            CoreEffect::CancelRun(ticket) => {
                if let Some(resumed) = self.resumed.get(&ticket) {
                    resumed.cancel_all();
                }
                if let Some((_, stop)) = self.judging.take_if(|(judged, _)| *judged == ticket) {
                    stop.notify_one();
                }
                if let Some(control) = self.runs.get(&ticket) {
                    control.cancel_all();
                }
            }
            CoreEffect::CancelVariant(ticket, variant) => {
                if let Some(control) = self.runs.get(&ticket) {
                    control.cancel_variant(variant);
                }
                if let Some(resumed) = self.resumed.get(&ticket) {
                    resumed.cancel_variant(variant);
                }
            }
            CoreEffect::TakeUpDraft => self.begin_drafts(DraftStart::TakeUp),
            CoreEffect::KeepDraft(sheet) => {
                if self.draft_writer.is_none() {
                    self.begin_drafts(DraftStart::Afresh);
                }
                if let Some(draft_writer) = &self.draft_writer {
                    draft_writer.send_replace(sheet);
                }
            }
            CoreEffect::LoadInputs => {
                let (engine, answers) = (self.engine.clone(), self.answers.clone());
                self.tasks.spawn(async move {
                    let inputs = DraftReply::Inputs(told(drafts::inputs(&engine).await));
                    _ = answers.send(Message::DraftState(inputs)).await;
                });
            }
            CoreEffect::Explained(notice) => {
                // Holds a sender so that leaving waits for this write.
                let (engine, answers) = (self.engine.clone(), self.answers.clone());
                self.tasks.spawn_blocking(move || {
                    engine.explained(notice);
                    drop(answers);
                });
            }
            CoreEffect::LoadNames => {
                let (engine, answers) = (self.engine.clone(), self.answers.clone());
                self.tasks.spawn(async move { _ = answers.send(Message::Names(names(&engine).await)).await });
            }
            CoreEffect::History { ticket, command } => self.run_command(ticket, command),
            CoreEffect::RunQuery { ticket, inquiry } => {
                let (engine, answers) = (self.engine.clone(), self.answers.clone());
                self.tasks.spawn(async move {
                    let told = inquiry::answer(&engine, inquiry).await;
                    _ = answers.send(Message::Reply { ticket, reply: told }).await;
                });
            }
            CoreEffect::WatchLog => {
                self.watching_log = Some(self.tasks.spawn(inquiry::watch_log(self.answers.clone())));
            }
            CoreEffect::StopTransfer => {
                if let Some(transferring) = self.transferring.take() {
                    transferring.abort();
                }
            }
            CoreEffect::WatchIndexing => {
                let (engine, answers) = (self.engine.clone(), self.answers.clone());
                self.watching = Some(self.tasks.spawn(history::watch_indexing(engine, answers)));
            }
        }
    }

    /// Stops all runs, waits until they have stored what is finished, and closes the database.
    ///
    /// # Errors
    /// `storage` if something could not be written.
    pub(crate) async fn finish(mut self, mut messages: mpsc::Receiver<Message>) -> aludel_core::error::Result<()> {
        self.runs.values().for_each(RunControl::cancel_all);
        self.resumed.values().for_each(ResumedJob::cancel_all);
        if let Some((_, stop)) = &self.judging {
            stop.notify_one();
        }
        for task in [self.finding, self.transferring, self.watching, self.watching_log].into_iter().flatten() {
            task.abort();
        }
        // Batches are left to be resumed, which closing the engine sees to.
        self.batches.close();
        drop(self.answers);
        // The draft writer saves the last draft before it ends.
        drop(self.draft_writer);
        // Nothing reads the replies any more, but a run is only over once its last event was taken.
        let drained = async { while messages.recv().await.is_some() {} };
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, drained).await.is_err() {
            tracing::warn!("a run did not stop in time and was dropped");
        }
        self.tasks.abort_all();
        self.engine.close().await
    }

    /// Starts a run, or returns the messages that refuse it or ask for confirmation.
    fn start(&self, ticket: Ticket, raw: serde_json::Value) -> Result<(Run, DetectedProviders), Vec<Message>> {
        let refused = |error| vec![Message::RunRefused { ticket, problem: Box::new(Problem::from(error)) }];
        let request = self.engine.decode::<GenerateRequest>(raw.clone()).map_err(refused)?;
        let detected_providers = self.engine.look_for_providers(request.provider.as_deref());
        let prepared = self.engine.prepare(request).map_err(refused)?;
        let preflight = prepared.preflight().clone();
        let run = prepared.start().map_err(|error| {
            let question = judging::question(ticket, CostlyAction::Run(raw), &preflight);
            // Question first: a run that only awaits confirmation is never shown as refused.
            question.into_iter().chain(refused(error)).collect::<Vec<_>>()
        })?;
        Ok((run, detected_providers))
    }

    /// Starts the judge and relays the events of its run. If stopped before the run has begun, it
    /// is cancelled as soon as it does.
    fn judge(&mut self, ticket: Ticket, raw: serde_json::Value) {
        let (engine, answers) = (self.engine.clone(), self.answers.clone());
        let stop = Arc::new(Notify::new());
        self.judging = Some((ticket, Arc::clone(&stop)));
        self.tasks.spawn(async move {
            match judging::select(&engine, ticket, raw).await {
                Ok(run) => relay_until_stopped(run, ticket, answers, &stop).await,
                Err(messages) => send_all(messages, answers).await,
            }
        });
    }

    /// Queries or changes what is stored.
    fn run_command(&mut self, ticket: Ticket, command: HistoryCommand) {
        let place = match &command {
            HistoryCommand::Find { .. } => Some(&mut self.finding),
            HistoryCommand::Export { .. } | HistoryCommand::Import(_) => Some(&mut self.transferring),
            HistoryCommand::Read(_)
            | HistoryCommand::Update(_)
            | HistoryCommand::Delete(_)
            | HistoryCommand::Restore(_) => None,
        };
        let (engine, answers) = (self.engine.clone(), self.answers.clone());
        let task = self.tasks.spawn(async move {
            let news = history::run_command(&engine, command, ticket, &answers).await;
            _ = answers.send(Message::History { ticket, news }).await;
        });
        // One search and one transfer at a time: the new one replaces the old.
        if let Some(before) = place.and_then(|place| place.replace(task)) {
            before.abort();
        }
    }

    fn begin_drafts(&mut self, beginning: DraftStart) {
        let (draft_writer, sheets) = watch::channel(Draft::default());
        self.tasks.spawn(drafts::write_down(self.engine.clone(), beginning, sheets, self.answers.clone()));
        self.draft_writer = Some(draft_writer);
    }

    fn answer(&mut self, messages: Vec<Message>) {
        self.tasks.spawn(send_all(messages, self.answers.clone()));
    }
}

/// Sends messages in order until the receiver is gone.
async fn send_all(messages: Vec<Message>, answers: mpsc::Sender<Message>) {
    for message in messages {
        if answers.send(message).await.is_err() {
            break;
        }
    }
}

/// Relays all events of a run. Drops the run, which cancels it, if the receiver is gone.
async fn relay(mut run: Run, ticket: Ticket, answers: mpsc::Sender<Message>) {
    while let Some(first) = run.next().await {
        let mut events = vec![first];
        while events.len() < BATCH {
            let Some(event) = run.try_next() else { break };
            events.push(event);
        }
        if answers.send(Message::RunEvents { ticket, events }).await.is_err() {
            break;
        }
    }
}

/// Like [`relay`], but cancels the run on `stop`, which may already have been notified.
async fn relay_until_stopped(run: Run, ticket: Ticket, answers: mpsc::Sender<Message>, stop: &Notify) {
    let control = run.control();
    let relayed = relay(run, ticket, answers);
    let mut relayed = std::pin::pin!(relayed);
    tokio::select! {
        () = &mut relayed => {}
        () = stop.notified() => {
            control.cancel_all();
            relayed.await;
        }
    }
}

/// Reports providers that could be used and have not been reported before.
async fn point_out(detected_providers: DetectedProviders, answers: mpsc::Sender<Message>) {
    let found = detected_providers.point_out().await;
    if !found.is_empty() {
        // The receiver is gone once the screen is.
        _ = answers.send(Message::DetectedProviders(found)).await;
    }
}

/// The personas, and the providers that a run could call now.
async fn names(engine: &Engine) -> Names {
    let providers = engine.providers().await.into_iter().filter(|provider| provider.available);
    Names { personas: engine.known().personas, providers: providers.map(|provider| provider.name).collect() }
}

/// Converts a failure to the problem that is shown.
fn told<T>(outcome: aludel_core::error::Result<T>) -> CoreResult<T> {
    outcome.map_err(|error| Box::new(Problem::from(error)))
}
