//! Reads terminal events, and tells a paste from typing.
//!
//! Terminals without bracketed paste send pasted text as keys, and line breaks as `^J`, which would
//! start a run and cost money. [`Intake`] turns keys that arrive faster than anyone types back into
//! a paste. In doubt a line break is text: a run that did not start can be started again.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use crossterm::event::{
    Event, EventStream, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use futures_util::Stream;
use ratatui::layout::Position;

use super::hangup::has_hung_up;
use super::signals::Signals;
use super::unread::wake_reader;
use crate::tui::message::{Message, Pointer};

/// A source of terminal events.
pub(crate) trait Input {
    /// The next event; `None` at the end of the input. Cancel-safe.
    async fn next(&mut self) -> Option<io::Result<Event>>;
    /// An event that is available without waiting.
    async fn ready(&mut self) -> Option<io::Result<Event>>;
    /// Stops reading the terminal, for another program to read it.
    fn pause(&mut self);
    /// Reads the terminal again.
    fn resume(&mut self);
}

/// The terminal's own input.
#[derive(Default)]
pub(crate) struct Keyboard {
    stream: Option<EventStream>,
    /// Reports sizes; without it, the stream does.
    signals: Option<Signals>,
}

impl Keyboard {
    /// The next event, if available. Leaves no byte in the terminal without waking its reader.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Event>>> {
        if has_hung_up() {
            return Poll::Ready(None);
        }
        if self.signals.is_none() {
            self.signals = Signals::listen().ok();
        }
        let stream = self.stream.get_or_insert_default();
        loop {
            match Pin::new(&mut *stream).poll_next(context) {
                // Sizes come by signal too, and there reliably.
                Poll::Ready(Some(Ok(Event::Resize(..)))) if self.signals.is_some() => {}
                Poll::Ready(event) => return Poll::Ready(event),
                Poll::Pending => break,
            }
        }
        if let Some(Poll::Ready(size)) = self.signals.as_mut().map(|signals| signals.poll(context)) {
            return Poll::Ready(Some(size));
        }
        wake_reader();
        Poll::Pending
    }
}

impl Input for Keyboard {
    async fn next(&mut self) -> Option<io::Result<Event>> {
        poll_fn(|context| self.poll(context)).await
    }

    async fn ready(&mut self) -> Option<io::Result<Event>> {
        // Polled with this task's own waker, because the stream remembers the first it sees.
        poll_fn(|context| match self.poll(context) {
            Poll::Ready(event) => Poll::Ready(event),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }

    fn pause(&mut self) {
        (self.stream, self.signals) = (None, None);
    }

    fn resume(&mut self) {
        if !has_hung_up() {
            self.stream.get_or_insert_default();
        }
    }
}

/// Turns terminal events into messages.
#[derive(Debug, Default)]
pub(crate) struct Intake {
    /// When the last typing key came, and how many came close together up to it.
    last: Option<(u64, usize)>,
    /// When and where the button last went down, if that can be the first half of a double click.
    clicked: Option<(u64, Position)>,
}

impl Intake {
    /// Reads closer together than this can be one paste cut in two.
    const CLOSE_MS: u64 = 30;
    /// This many keys in earlier reads are a paste: too fast to type, and shorter ones are not cut.
    const LONG: usize = 64;
    /// Maximum interval between the clicks of a double click.
    const DOUBLE_MS: u64 = 400;

    /// Converts events that arrived together at `now`, in milliseconds.
    pub(crate) fn messages(&mut self, events: Vec<Event>, now: u64) -> Vec<Message> {
        let mut messages = Vec::new();
        let mut run: Vec<KeyEvent> = Vec::new();
        for event in events {
            match event {
                Event::Key(key) if key.kind == KeyEventKind::Release => {}
                Event::Key(key) if typed(key).is_some() => run.push(key),
                other => {
                    self.close(&mut run, now, &mut messages);
                    messages.extend(self.message(other, now));
                }
            }
        }
        self.close(&mut run, now, &mut messages);
        messages
    }

    fn message(&mut self, event: Event, now: u64) -> Option<Message> {
        match event {
            Event::Key(key) => Some(Message::Key(key)),
            Event::Paste(text) => Some(Message::Paste(text)),
            Event::Resize(width, height) => Some(Message::Resize { width, height }),
            Event::FocusGained => Some(Message::Attention(true)),
            Event::FocusLost => Some(Message::Attention(false)),
            Event::Mouse(mouse) => self.pointer(mouse, now),
        }
    }

    /// Converts a mouse event. Ignores the other buttons, and moves without a button.
    fn pointer(&mut self, mouse: MouseEvent, now: u64) -> Option<Message> {
        let at = Position::new(mouse.column, mouse.row);
        let pointer = match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let before = self.clicked.take();
                if before.is_some_and(|(then, there)| there == at && now.saturating_sub(then) <= Self::DOUBLE_MS) {
                    Pointer::Double
                } else {
                    self.clicked = Some((now, at));
                    Pointer::Click
                }
            }
            MouseEventKind::Drag(MouseButton::Left) => Pointer::Drag,
            MouseEventKind::Up(MouseButton::Left) => Pointer::Release,
            MouseEventKind::ScrollUp => Pointer::Up,
            MouseEventKind::ScrollDown => Pointer::Down,
            _ => return None,
        };
        Some(Message::Pointer { pointer, at })
    }

    /// Decides whether keys that came together were typed or pasted.
    fn close(&mut self, run: &mut Vec<KeyEvent>, now: u64, messages: &mut Vec<Message>) {
        if run.is_empty() {
            return;
        }
        let before =
            self.last.filter(|(at, _)| now.saturating_sub(*at) <= Self::CLOSE_MS).map_or(0, |(_, count)| count);
        let breaks = run.iter().any(|key| !matches!(typed(*key), Some(character) if !character.is_control()));
        self.last = Some((now, before + run.len()));
        if breaks && (run.len() > 1 || before >= Self::LONG) {
            messages.push(Message::Paste(run.drain(..).filter_map(typed).collect()));
        } else {
            messages.extend(run.drain(..).map(Message::Key));
        }
    }
}

/// The character this key would be as part of a pasted text.
fn typed(key: KeyEvent) -> Option<char> {
    match (key.code, key.modifiers) {
        (KeyCode::Char(character), KeyModifiers::NONE | KeyModifiers::SHIFT) => Some(character),
        (KeyCode::Enter, KeyModifiers::NONE) | (KeyCode::Char('j'), KeyModifiers::CONTROL) => Some('\n'),
        (KeyCode::Tab, KeyModifiers::NONE) => Some('\t'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(character: char) -> Event {
        let (code, modifiers) = match character {
            '\n' => (KeyCode::Char('j'), KeyModifiers::CONTROL),
            '\r' => (KeyCode::Enter, KeyModifiers::NONE),
            '\t' => (KeyCode::Tab, KeyModifiers::NONE),
            other => (KeyCode::Char(other), KeyModifiers::NONE),
        };
        Event::Key(KeyEvent::new(code, modifiers))
    }

    /// What arrives: the text for a paste, `<key>` for a key.
    fn told(intake: &mut Intake, text: &str, now: u64) -> String {
        let messages = intake.messages(text.chars().map(key).collect(), now);
        let told = messages.iter().map(|message| match message {
            Message::Paste(text) => text.clone(),
            Message::Key(_) => "<key>".to_owned(),
            other => format!("{other:?}"),
        });
        told.collect()
    }

    #[test]
    fn keys_typed_one_by_one_are_keys() {
        let mut intake = Intake::default();
        for (at, character) in ["a", "b", "c", "\n"].into_iter().enumerate() {
            assert_eq!(told(&mut intake, character, at as u64 * 30), "<key>");
        }
    }

    #[test]
    fn text_with_line_breaks_that_comes_at_once_is_a_paste() {
        assert_eq!(told(&mut Intake::default(), "one\ntwo\n", 0), "one\ntwo\n");
        assert_eq!(told(&mut Intake::default(), "one\ttwo", 0), "one\ttwo");
        assert_eq!(told(&mut Intake::default(), "x\r", 0), "x\n");
    }

    #[test]
    fn a_line_break_right_after_a_long_burst_belongs_to_it() {
        let mut intake = Intake::default();
        let long = "first part ".repeat(9);
        assert_eq!(told(&mut intake, &long, 0), "<key>".repeat(long.len()));
        assert_eq!(told(&mut intake, "\n", 4), "\n");
        assert_eq!(told(&mut intake, "\n", 500), "<key>");
    }

    #[test]
    fn a_word_and_then_the_run_key_run() {
        let mut intake = Intake::default();
        assert_eq!(told(&mut intake, "idea", 0), "<key>".repeat(4));
        assert_eq!(told(&mut intake, "\n", 4), "<key>");
    }

    #[test]
    fn keys_without_line_breaks_stay_keys_so_that_a_held_key_scrolls() {
        assert_eq!(told(&mut Intake::default(), "jjjj", 0), "<key>".repeat(4));
    }

    #[test]
    fn two_clicks_at_one_cell_are_a_double_click_when_they_are_close_together() {
        let mut intake = Intake::default();
        let mut told = |kind: MouseEventKind, column: u16, now: u64| {
            let mouse = MouseEvent { kind, column, row: 3, modifiers: KeyModifiers::NONE };
            match intake.messages(vec![Event::Mouse(mouse)], now).as_slice() {
                [Message::Pointer { pointer, at }] if *at == Position::new(column, 3) => Some(*pointer),
                _ => None,
            }
        };
        let (down, up) = (MouseEventKind::Down(MouseButton::Left), MouseEventKind::Up(MouseButton::Left));
        assert_eq!([told(down, 5, 0), told(up, 5, 90)], [Some(Pointer::Click), Some(Pointer::Release)]);
        assert_eq!(told(down, 5, 300), Some(Pointer::Double));
        assert_eq!(told(down, 5, 500), Some(Pointer::Click), "a third is a first again");
        assert_eq!(told(down, 6, 600), Some(Pointer::Click), "elsewhere");
        assert_eq!(told(down, 6, 1_100), Some(Pointer::Click), "too late");
        assert_eq!(told(MouseEventKind::Drag(MouseButton::Left), 7, 1_200), Some(Pointer::Drag));
        assert_eq!(told(MouseEventKind::Moved, 8, 1_300), None);
    }

    #[test]
    fn a_lone_run_key_is_the_run_key() {
        assert_eq!(told(&mut Intake::default(), "\n", 0), "<key>");
    }
}
