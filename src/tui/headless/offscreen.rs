//! The whole workbench off screen: keys come from a channel, frames go to a function.
//!
//! For tests and benches. The loop, the executor, the engine and the clock are the real ones.

use std::io;

use aludel_core::engine::Engine;
use aludel_core::error::{Error, Result};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Size;
use tokio::sync::mpsc;

use crate::tui::executor::Executor;
use crate::tui::message::{Copied, Edited};
use crate::tui::model::Model;
use crate::tui::runtime::Runtime;
use crate::tui::terminal::painter::Painter;
use crate::tui::terminal::{Input, Surface};
use crate::tui::theme::Theme;
use crate::tui::widgets::scroll::Follow;

/// Runs the workbench off screen until `keys` is closed. A line feed starts a run, an escape is
/// `Esc`. `drawn` gets the bytes of each frame. Needs a tokio runtime.
///
/// # Errors
/// `internal` if painting fails, which it cannot in memory; `storage` if a write failed at the end.
pub async fn open(
    engine: Engine,
    (width, height): (u16, u16),
    keys: mpsc::Receiver<char>,
    drawn: impl FnMut(&[u8]),
) -> Result<()> {
    let failed = |error: io::Error| Error::Internal(format!("nothing can be painted: {error}"));
    let painter = Painter::of_size(Theme::ansi16(), Size { width, height }).map_err(failed)?;
    let model = Model::new(crate::tui::defaults(&engine), Follow::default());
    let workbench = Runtime::new(ChannelInput(keys), OffscreenSurface { painter, drawn }, Executor::new(engine), model);
    let (outcome, executor, messages) = workbench.run(std::future::pending()).await;
    let finished = executor.finish(messages).await;
    outcome.map_err(failed).and(finished)
}

/// Keys from a channel.
struct ChannelInput(mpsc::Receiver<char>);

fn typed(character: char) -> Event {
    let (code, modifiers) = match character {
        '\n' => (KeyCode::Char('j'), KeyModifiers::CONTROL),
        '\u{1b}' => (KeyCode::Esc, KeyModifiers::NONE),
        other => (KeyCode::Char(other), KeyModifiers::NONE),
    };
    Event::Key(KeyEvent::new(code, modifiers))
}

impl Input for ChannelInput {
    async fn next(&mut self) -> Option<io::Result<Event>> {
        self.0.recv().await.map(typed).map(Ok)
    }

    async fn ready(&mut self) -> Option<io::Result<Event>> {
        self.0.try_recv().ok().map(typed).map(Ok)
    }

    fn pause(&mut self) {}

    fn resume(&mut self) {}
}

/// A screen that passes its frames to a function.
struct OffscreenSurface<F> {
    painter: Painter,
    drawn: F,
}

impl<F: FnMut(&[u8])> Surface for OffscreenSurface<F> {
    fn size(&self) -> io::Result<Size> {
        self.painter.size()
    }

    fn draw(&mut self, model: &Model) -> io::Result<usize> {
        let frame = self.painter.frame(model)?;
        (self.drawn)(&frame);
        Ok(frame.len())
    }

    fn repaint(&mut self) {
        self.painter.repaint();
    }

    async fn copy(&mut self, _text: &str) -> io::Result<Copied> {
        Ok(Copied::default())
    }

    async fn suspend(&mut self) -> io::Result<bool> {
        Ok(false)
    }

    async fn edit(&mut self, _text: &str) -> io::Result<Edited> {
        Ok(Edited::Failed("nobody sees this screen".to_owned()))
    }
}
