//! The event loop: wait, take in everything that is ready, then draw.
//!
//! Draws at most 60 times a second for keys and 30 for other events, never once a token; a slow
//! line also has a [`budget`]. Behind two traits, the terminal can be a test's, in paused time.

pub(super) mod budget;
pub(super) mod pace;

use std::future::Future;
use std::io;

use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, sleep_until};

use super::effect::{Effect, TerminalEffect};
use super::executor::Executor;
use super::message::Message;
use super::model::Model;
use super::screens::history::settle;
use super::screens::workbench::drafts;
use super::terminal::input::Intake;
use super::terminal::{Input, Surface};
use super::update::{Cx, next_change, next_wake, update};
use budget::Budget;
use pace::{FrameTrigger, Pace};

/// Most events taken in before a frame is drawn.
const MOST: usize = 4_096;

/// Whether the loop continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    GoOn,
    Leave,
}

/// The running workbench.
pub(crate) struct Runtime<I, S> {
    input: I,
    surface: S,
    executor: Executor,
    messages: mpsc::Receiver<Message>,
    model: Model,
    intake: Intake,
    pace: Pace,
    budget: Budget,
    started: Instant,
}

impl<I: Input, S: Surface> Runtime<I, S> {
    /// A workbench that starts with `model`.
    pub(crate) fn new(
        input: I,
        surface: S,
        (executor, messages): (Executor, mpsc::Receiver<Message>),
        model: Model,
    ) -> Self {
        Self {
            input,
            surface,
            executor,
            messages,
            intake: Intake::default(),
            pace: Pace::default(),
            budget: Budget::of(model.link),
            model,
            started: Instant::now(),
        }
    }

    /// Runs until the user leaves, `stop` is ready or the terminal is gone. Returns what to finish.
    ///
    /// # Errors
    /// Those of the terminal.
    pub(crate) async fn run(
        mut self,
        stop: impl Future<Output = ()>,
    ) -> (io::Result<()>, Executor, mpsc::Receiver<Message>) {
        let mut stop = std::pin::pin!(stop);
        for effect in drafts::open() {
            self.executor.perform(effect);
        }
        let outcome = loop {
            match self.turn(stop.as_mut()).await {
                Ok(Flow::GoOn) => {}
                Ok(Flow::Leave) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        // However the loop ends, the draft is saved and pending deletions are carried out.
        for effect in drafts::effects_on_quit(&mut self.model) {
            self.executor.perform(effect);
        }
        for effect in settle(&mut self.model) {
            if let Effect::Core(effect) = effect {
                self.executor.perform(effect);
            }
        }
        // Dropping the surface here restores the terminal before anything is waited for.
        (outcome, self.executor, self.messages)
    }

    /// One turn: takes in everything that is ready, then draws a frame if one is due.
    async fn turn(&mut self, stop: impl Future<Output = ()>) -> io::Result<Flow> {
        if self.model.size == ratatui::layout::Size::default() {
            self.measure()?;
        }
        let mut events = Vec::new();
        let mut messages = Vec::new();
        let wake = [self.pace.due(), next_wake(&self.model)].into_iter().flatten().min();
        let wake = wake.map(|at| self.started + Duration::from_millis(at));
        tokio::select! {
            biased;
            () = stop => return Ok(Flow::Leave),
            event = self.input.next() => match event {
                Some(event) => events.push(event?),
                None => return Ok(Flow::Leave),
            },
            Some(message) = self.messages.recv() => messages.push(message),
            () = async { match wake { Some(at) => sleep_until(at).await, None => std::future::pending().await } } => {}
        }
        while events.len() < MOST {
            let Some(event) = self.input.ready().await else { break };
            events.push(event?);
        }
        while messages.len() < MOST {
            let Ok(message) = self.messages.try_recv() else { break };
            messages.push(message);
        }
        let now = self.now();
        for message in self.intake.messages(events, now) {
            if self.take(message, FrameTrigger::User, now).await? == Flow::Leave {
                return Ok(Flow::Leave);
            }
        }
        if next_change(&self.model).is_some_and(|at| at <= now) {
            messages.push(Message::Tick);
        } else if next_wake(&self.model).is_some_and(|at| at <= now) {
            // None of this is visible, so nothing is drawn for it.
            self.tell(Message::Tick, now);
        }
        for message in messages {
            if self.take(message, FrameTrigger::Background, now).await? == Flow::Leave {
                return Ok(Flow::Leave);
            }
        }
        if self.pace.take(now) {
            let bytes = self.surface.draw(&self.model)?;
            self.budget.spend(bytes, now);
        }
        Ok(Flow::GoOn)
    }

    /// Applies one message and carries out its effects.
    async fn take(&mut self, message: Message, asker: FrameTrigger, now: u64) -> io::Result<Flow> {
        if message.can_be_seen() {
            self.pace.ask(asker, self.budget.open_for(asker, now));
        }
        let effects = update(&mut self.model, message, Cx { now });
        for effect in effects {
            match effect {
                Effect::Core(effect) => self.executor.perform(effect),
                Effect::Terminal(TerminalEffect::Quit) => return Ok(Flow::Leave),
                Effect::Terminal(TerminalEffect::Copy(text)) => {
                    let copied = self.surface.copy(&text).await?;
                    self.tell(Message::Copied(copied), now);
                }
                Effect::Terminal(TerminalEffect::Repaint) => self.surface.repaint(),
                Effect::Terminal(TerminalEffect::Suspend) => self.suspend().await?,
                Effect::Terminal(TerminalEffect::Edit(text)) => self.edit(&text).await?,
            }
        }
        Ok(Flow::GoOn)
    }

    /// Applies a message that has no effects on the terminal.
    fn tell(&mut self, message: Message, now: u64) {
        for effect in update(&mut self.model, message, Cx { now }) {
            if let Effect::Core(effect) = effect {
                self.executor.perform(effect);
            }
        }
    }

    /// Suspends to the shell. Runs continue meanwhile; their events wait.
    async fn suspend(&mut self) -> io::Result<()> {
        self.input.pause();
        let suspended = self.surface.suspend().await?;
        self.input.resume();
        self.measure()?;
        self.tell(Message::Resumed(suspended), self.now());
        Ok(())
    }

    /// Opens the user's editor. Runs continue meanwhile; their events wait.
    async fn edit(&mut self, text: &str) -> io::Result<()> {
        self.input.pause();
        let edited = self.surface.edit(text).await?;
        self.input.resume();
        self.measure()?;
        self.tell(Message::Edited(edited), self.now());
        Ok(())
    }

    /// Asks the system for the size, without querying the terminal.
    fn measure(&mut self) -> io::Result<()> {
        let size = self.surface.size()?;
        let now = self.now();
        self.pace.ask(FrameTrigger::User, now);
        self.tell(Message::Resize { width: size.width, height: size.height }, now);
        Ok(())
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests;
