//! A batch run by the workbench without a terminal, with the keys that a user would press.

use aludel_core::domain::BatchRow;
use aludel_core::engine::Engine;
use aludel_core::error::{Error, Problem};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::tui::effect::Effect;
use crate::tui::executor::Executor;
use crate::tui::message::Message;
use crate::tui::model::{Model, Overlay, Stage};
use crate::tui::update::{Cx, update};
use crate::tui::widgets::scroll::Follow;

/// Makes a batch of the rows of a file, accepts what it may cost, and opens every row once it has
/// ended: those that failed, then the others. `raw` is the same for all rows. Needs a tokio runtime.
///
/// # Errors
/// The problem it would show, for a file or a request that was refused.
pub async fn batch(engine: Engine, raw: Value, path: &str) -> Result<Vec<BatchRow>, Box<Problem>> {
    let mut user = Box::new(User::new(engine));
    user.press("8b");
    user.send(Message::Batch { raw, path: path.to_owned() });
    user.until(|model| model.jobs.checking.is_none()).await;
    if let Some(Overlay::Ask(asking)) = &user.model.overlay
        && let Stage::Refused(problem) = &asking.stage
    {
        return Err(problem.clone());
    }
    user.press("\n");
    user.until(|model| model.jobs.starting.is_none()).await;
    let ended = |model: &Model| model.jobs.batch.as_ref().is_some_and(|batch| !batch.job.state.is_active());
    if user.model.jobs.batch.is_none() {
        let said = user.model.toast.as_ref().map_or_else(String::new, |toast| toast.text.clone());
        return Err(Box::new(Error::Conflict(said).into()));
    }
    user.until(|model| ended(model) && model.jobs.own.is_empty()).await;
    user.press("r");
    let mut rows: Vec<BatchRow> = Vec::new();
    loop {
        user.until(|model| model.jobs.batch.as_ref().is_none_or(|batch| batch.asked.is_none())).await;
        if rows.is_empty() {
            user.press("\n");
        }
        user.until(|model| user_has_read(model) != Some(false)).await;
        let open = user.model.jobs.batch.as_ref().and_then(|batch| batch.open.as_ref());
        match open.and_then(|open| open.outcome.clone()) {
            Some(Ok(row)) if rows.last() != Some(&*row) => rows.push(*row),
            Some(Err(problem)) => return Err(problem),
            _ => break,
        }
        user.press("j");
    }
    user.leave().await.map(|()| rows).map_err(|error| Box::new(error.into()))
}

/// Whether the open row is read; `None` if none is open.
fn user_has_read(model: &Model) -> Option<bool> {
    let open = model.jobs.batch.as_ref()?.open.as_ref()?;
    Some(open.outcome.is_some())
}

/// A user in front of no terminal.
struct User {
    model: Model,
    executor: Executor,
    messages: mpsc::Receiver<Message>,
    started: Instant,
}

impl User {
    fn new(engine: Engine) -> Self {
        let model = Model::new(crate::tui::defaults(&engine), Follow::default());
        let (executor, messages) = Executor::new(engine);
        let mut user = Self { model, executor, messages, started: Instant::now() };
        user.send(Message::Resize { width: 120, height: 40 });
        user.send(key(KeyCode::Esc));
        user
    }

    fn send(&mut self, message: Message) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        for effect in update(&mut self.model, message, Cx { now }) {
            if let Effect::Core(effect) = effect {
                self.executor.perform(effect);
            }
        }
    }

    /// Presses these keys; a line feed is Enter.
    fn press(&mut self, keys: &str) {
        for letter in keys.chars() {
            self.send(key(if letter == '\n' { KeyCode::Enter } else { KeyCode::Char(letter) }));
        }
    }

    /// Takes messages until this holds. Time passes meanwhile.
    async fn until(&mut self, holds: impl Fn(&Model) -> bool) {
        const TICK: std::time::Duration = std::time::Duration::from_millis(20);
        while !holds(&self.model) {
            match tokio::time::timeout(TICK, self.messages.recv()).await {
                Ok(Some(message)) => self.send(message),
                Ok(None) => return,
                Err(_) => self.send(Message::Tick),
            }
        }
    }

    async fn leave(self) -> aludel_core::error::Result<()> {
        self.executor.finish(self.messages).await
    }
}

fn key(code: KeyCode) -> Message {
    Message::Key(KeyEvent::new(code, KeyModifiers::NONE))
}
