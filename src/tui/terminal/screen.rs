//! What is drawn on: the real terminal, or in tests anything that counts.

use std::io::{self, Write};

use crossterm::clipboard::CopyToClipboard;
use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Rect, Size};

use super::output::FrameBytes;
use super::{job, modes};
use crate::tui::model::Model;
use crate::tui::screens::view;
use crate::tui::theme::Theme;

/// What the runtime draws on.
pub(crate) trait Surface {
    /// Columns and rows.
    fn size(&self) -> io::Result<Size>;
    /// Draws the model.
    fn draw(&mut self, model: &Model) -> io::Result<()>;
    /// Draws every cell anew the next time.
    fn repaint(&mut self);
    /// Hands `text` to the terminal's clipboard.
    fn copy(&mut self, text: &str) -> io::Result<()>;
    /// Gives the terminal to the shell until it is asked for again; false where that cannot be done.
    async fn suspend(&mut self) -> io::Result<bool>;
}

/// The real terminal. Dropping it gives the terminal back.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<FrameBytes>>,
    bytes: FrameBytes,
    theme: Theme,
    /// True when what the terminal shows is not known.
    stale: bool,
}

impl Screen {
    /// Takes the terminal.
    pub(crate) fn enter(theme: Theme) -> io::Result<Self> {
        modes::enter()?;
        // Whether there is colour is the theme's to say: left to itself the library would, for a user who wants
        // none, drop bold and reversed text too.
        crossterm::style::force_color_output(true);
        let bytes = FrameBytes::default();
        let terminal = Terminal::new(CrosstermBackend::new(bytes.clone()));
        terminal.map(|terminal| Self { terminal, bytes, theme, stale: true }).inspect_err(|_| _ = modes::leave())
    }

    /// Writes what has gathered, in one piece.
    fn write_out(&self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(&self.bytes.take())?;
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        _ = modes::leave();
    }
}

impl Surface for Screen {
    fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    fn draw(&mut self, model: &Model) -> io::Result<()> {
        if !modes::entered() {
            return Err(io::Error::other("a part of the program panicked; the terminal was given back"));
        }
        queue!(self.bytes, BeginSynchronizedUpdate)?;
        if std::mem::take(&mut self.stale) {
            // Clears within the frame, so that nothing flickers; `clear` would ask the terminal where its cursor is.
            let Size { width, height } = self.terminal.size()?;
            self.terminal.resize(Rect::new(0, 0, width, height))?;
        }
        self.terminal.draw(|frame| view(model, frame, &self.theme))?;
        queue!(self.bytes, EndSynchronizedUpdate)?;
        self.write_out()
    }

    fn repaint(&mut self) {
        self.stale = true;
    }

    fn copy(&mut self, text: &str) -> io::Result<()> {
        queue!(self.bytes, CopyToClipboard::to_clipboard_from(text))?;
        self.write_out()
    }

    async fn suspend(&mut self) -> io::Result<bool> {
        modes::leave()?;
        let suspended = job::stop().await;
        modes::enter()?;
        self.repaint();
        Ok(suspended)
    }
}
