//! An off-screen terminal fed with events by hand, to measure what a frame costs and writes.
//!
//! For tests and benches. Update, pacing and painter are real; the caller plays core and clock.

use std::io;

use aludel_core::event::Event;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Size;
use serde_json::json;

use crate::tui::keymap::Chord;
use crate::tui::message::{DraftReply, Message};
use crate::tui::model::{ConnectionSpeed, Defaults, Model};
use crate::tui::runtime::budget::Budget;
use crate::tui::runtime::pace::{FrameTrigger, Pace};
use crate::tui::terminal::painter::Painter;
use crate::tui::theme::Theme;
use crate::tui::update::{Cx, next_change, update};
use crate::tui::widgets::scroll::Follow;

/// How panes follow streamed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowMode {
    /// Each new row scrolls the others.
    ByRow,
    /// A full pane jumps by half its height.
    ByPage,
}

/// The off-screen terminal.
pub struct OffscreenTerminal {
    model: Model,
    pace: Pace,
    budget: Budget,
    painter: Painter,
    now: u64,
}

impl OffscreenTerminal {
    /// An empty screen of this many columns and rows.
    ///
    /// # Errors
    /// If painting fails, which it cannot in memory.
    pub fn new(width: u16, height: u16, following: FollowMode) -> io::Result<Self> {
        let builtin = vec!["builtin".to_owned()];
        let defaults = Defaults {
            persona: "generic".to_owned(),
            count: 3,
            temperature: 0.7,
            providers: builtin.clone(),
            writers: builtin,
            is_embedding_free: true,
            knows_builtin: true,
        };
        let follow = match following {
            FollowMode::ByRow => Follow::Tail,
            FollowMode::ByPage => Follow::Page,
        };
        let mut sheet = Self {
            model: Model::new(defaults, follow),
            pace: Pace::default(),
            budget: Budget::of(ConnectionSpeed::Quick),
            painter: Painter::of_size(Theme::ansi16(), Size { width, height })?,
            now: 0,
        };
        sheet.send(Message::Resize { width, height }, FrameTrigger::User);
        Ok(sheet)
    }

    /// Puts the screen behind a slow connection, which limits output.
    #[must_use]
    pub fn over_a_slow_line(mut self) -> Self {
        self.model.link = ConnectionSpeed::Slow;
        self.budget = Budget::of(ConnectionSpeed::Slow);
        self
    }

    /// Starts a run of this idea in place of the one before; [`OffscreenTerminal::tell`] then feeds its events.
    pub fn run(&mut self, idea: &str) {
        self.send(Message::Run(json!({ "input": idea })), FrameTrigger::User);
    }

    /// Feeds events of the run.
    pub fn tell(&mut self, events: Vec<Event>) {
        self.send(Message::RunEvents { ticket: self.model.last_ticket, events }, FrameTrigger::Background);
    }

    /// Presses the key of a character.
    pub fn press(&mut self, character: char) {
        let key = KeyEvent::new(KeyCode::Char(character), KeyModifiers::NONE);
        self.send(Message::Key(key), FrameTrigger::User);
    }

    /// Presses a key by name, such as `Ctrl+P`; ignores unknown names.
    pub fn press_key(&mut self, name: &str) {
        if let Ok(chord) = name.parse::<Chord>() {
            self.send(Message::Key(chord.pressed()), FrameTrigger::User);
        }
    }

    /// Pastes a text.
    pub fn paste(&mut self, text: &str) {
        self.send(Message::Paste(text.to_owned()), FrameTrigger::User);
    }

    /// Resizes the screen.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.painter.resize(Size { width, height });
        self.send(Message::Resize { width, height }, FrameTrigger::User);
    }

    /// Supplies the inputs of earlier runs, the newest first, once they were asked for.
    pub fn take_earlier_inputs(&mut self, texts: Vec<String>) {
        self.send(Message::DraftState(DraftReply::Inputs(Ok(texts))), FrameTrigger::Background);
    }

    /// Advances time to `now` (milliseconds), and draws and returns a frame if one is due.
    ///
    /// # Errors
    /// As [`OffscreenTerminal::new`].
    pub fn pass(&mut self, now: u64) -> io::Result<Option<Vec<u8>>> {
        self.now = self.now.max(now);
        if next_change(&self.model).is_some_and(|at| at <= self.now) {
            self.send(Message::Tick, FrameTrigger::Background);
        }
        if !self.pace.take(self.now) {
            return Ok(None);
        }
        let frame = self.draw()?;
        self.budget.spend(frame.len(), self.now);
        Ok(Some(frame))
    }

    /// Draws at once and returns the bytes.
    ///
    /// # Errors
    /// As [`OffscreenTerminal::new`].
    pub fn draw(&mut self) -> io::Result<Vec<u8>> {
        self.painter.frame(&self.model)
    }

    /// Redraws every cell and returns the bytes.
    ///
    /// # Errors
    /// As [`OffscreenTerminal::new`].
    pub fn draw_anew(&mut self) -> io::Result<Vec<u8>> {
        self.painter.repaint();
        self.draw()
    }

    fn send(&mut self, message: Message, asker: FrameTrigger) {
        if message.can_be_seen() {
            self.pace.ask(asker, self.budget.open_for(asker, self.now));
        }
        // Effects are dropped: the events of the core are fed by hand.
        _ = update(&mut self.model, message, Cx { now: self.now });
    }
}
