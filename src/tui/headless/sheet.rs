//! The screen on bytes that nobody sees, fed with events by hand: what a frame costs can be measured, and what it writes.
//!
//! For tests and benches. It goes through the same update, the same pace and the same painter as the real one; only the
//! core is left out, and time is what the caller says.

use std::io;

use aludel_core::event::Event;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Size;
use serde_json::json;

use crate::tui::keymap::Chord;
use crate::tui::message::{DraftReply, Message};
use crate::tui::model::{ConnectionSpeed, Defaults, Model};
use crate::tui::runtime::budget::Budget;
use crate::tui::runtime::pace::{Asker, Pace};
use crate::tui::terminal::painter::Painter;
use crate::tui::theme::Theme;
use crate::tui::update::{Cx, next_change, update};
use crate::tui::widgets::scroll::Follow;

/// How panes follow arriving text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Following {
    /// Each new row moves all others.
    ByRow,
    /// A full pane jumps by half.
    ByPage,
}

/// The screen.
pub struct Sheet {
    model: Model,
    pace: Pace,
    budget: Budget,
    painter: Painter,
    now: u64,
}

impl Sheet {
    /// An empty screen of so many columns and rows.
    ///
    /// # Errors
    /// What painting fails with, which on bytes it does not.
    pub fn new(width: u16, height: u16, following: Following) -> io::Result<Self> {
        let builtin = vec!["builtin".to_owned()];
        let defaults = Defaults {
            persona: "generic".to_owned(),
            count: 3,
            temperature: 0.7,
            providers: builtin.clone(),
            writers: builtin,
            is_meaning_free: true,
            knows_builtin: true,
        };
        let follow = match following {
            Following::ByRow => Follow::Tail,
            Following::ByPage => Follow::Page,
        };
        let mut sheet = Self {
            model: Model::new(defaults, follow),
            pace: Pace::default(),
            budget: Budget::of(ConnectionSpeed::Quick),
            painter: Painter::of_size(Theme::ansi16(), Size { width, height })?,
            now: 0,
        };
        sheet.send(Message::Resize { width, height }, Asker::User);
        Ok(sheet)
    }

    /// The same at the other end of a slow line, which is spared.
    #[must_use]
    pub fn over_a_slow_line(mut self) -> Self {
        self.model.link = ConnectionSpeed::Slow;
        self.budget = Budget::of(ConnectionSpeed::Slow);
        self
    }

    /// Asks for a run of this idea, in the place of the one before; its events can be told from now on.
    pub fn run(&mut self, idea: &str) {
        self.send(Message::Run(json!({ "input": idea })), Asker::User);
    }

    /// Tells events of the run.
    pub fn tell(&mut self, events: Vec<Event>) {
        self.send(Message::RunEvents { ticket: self.model.last_ticket, events }, Asker::Background);
    }

    /// Presses the key of a character.
    pub fn press(&mut self, character: char) {
        let key = KeyEvent::new(KeyCode::Char(character), KeyModifiers::NONE);
        self.send(Message::Key(key), Asker::User);
    }

    /// Presses a key by its name, such as `Ctrl+P`; nothing when no key is called so.
    pub fn press_key(&mut self, name: &str) {
        if let Ok(chord) = name.parse::<Chord>() {
            self.send(Message::Key(chord.pressed()), Asker::User);
        }
    }

    /// Pastes a text.
    pub fn paste(&mut self, text: &str) {
        self.send(Message::Paste(text.to_owned()), Asker::User);
    }

    /// Gives it another size.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.painter.resize(Size { width, height });
        self.send(Message::Resize { width, height }, Asker::User);
    }

    /// Answers with the inputs of earlier runs, the newest first, once they were asked for.
    pub fn take_earlier_inputs(&mut self, texts: Vec<String>) {
        self.send(Message::DraftState(DraftReply::Inputs(Ok(texts))), Asker::Background);
    }

    /// Lets time pass until `now`, in milliseconds since the beginning, and draws if a frame is due; gives its bytes.
    ///
    /// # Errors
    /// As [`Sheet::new`].
    pub fn pass(&mut self, now: u64) -> io::Result<Option<Vec<u8>>> {
        self.now = self.now.max(now);
        if next_change(&self.model).is_some_and(|at| at <= self.now) {
            self.send(Message::Tick, Asker::Background);
        }
        if !self.pace.take(self.now) {
            return Ok(None);
        }
        let frame = self.draw()?;
        self.budget.spend(frame.len(), self.now);
        Ok(Some(frame))
    }

    /// Draws at once; gives the bytes.
    ///
    /// # Errors
    /// As [`Sheet::new`].
    pub fn draw(&mut self) -> io::Result<Vec<u8>> {
        self.painter.frame(&self.model)
    }

    /// Draws every cell anew; gives the bytes.
    ///
    /// # Errors
    /// As [`Sheet::new`].
    pub fn draw_anew(&mut self) -> io::Result<Vec<u8>> {
        self.painter.repaint();
        self.draw()
    }

    fn send(&mut self, message: Message, asker: Asker) {
        if message.can_be_seen() {
            self.pace.ask(asker, self.budget.open_for(asker, self.now));
        }
        // What is wanted of the core is not done: its events are told by hand.
        _ = update(&mut self.model, message, Cx { now: self.now });
    }
}
