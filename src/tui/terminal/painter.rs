//! Draws frames: turns the model into the bytes that differ from the frame before.
//!
//! It does not write them to a terminal, so the same painter also serves where drawing is measured.

use std::io;

use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::layout::{Rect, Size};
use ratatui::{Terminal, TerminalOptions, Viewport};

use super::output::FrameBytes;
use super::repaint::RepaintOptimiser;
use crate::tui::model::Model;
use crate::tui::picture::view;
use crate::tui::theme::Theme;

/// Draws frames.
pub(crate) struct Painter {
    terminal: Terminal<RepaintOptimiser>,
    bytes: FrameBytes,
    theme: Theme,
    /// True if the terminal's contents are unknown.
    stale: bool,
}

impl Painter {
    /// A painter in the size of the terminal.
    pub(crate) fn of_the_terminal(theme: Theme) -> io::Result<Self> {
        Self::new(theme, None)
    }

    /// A painter of a fixed size.
    pub(crate) fn of_size(theme: Theme, size: Size) -> io::Result<Self> {
        Self::new(theme, Some(size))
    }

    fn new(theme: Theme, fixed: Option<Size>) -> io::Result<Self> {
        // The theme decides about colour. By itself, for a user who wants none, the library would
        // also drop bold and reversed text.
        crossterm::style::force_color_output(true);
        let bytes = FrameBytes::default();
        let viewport =
            fixed.map_or(Viewport::Fullscreen, |size| Viewport::Fixed(Rect::new(0, 0, size.width, size.height)));
        let terminal =
            Terminal::with_options(RepaintOptimiser::new(bytes.clone(), fixed), TerminalOptions { viewport })?;
        Ok(Self { terminal, bytes, theme, stale: true })
    }

    /// Columns and rows.
    pub(crate) fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Draws in another size from now on, if the size is fixed.
    pub(crate) fn resize(&mut self, size: Size) {
        self.terminal.backend_mut().resize(size);
        self.stale = true;
    }

    /// Redraws every cell next time.
    pub(crate) const fn repaint(&mut self) {
        self.stale = true;
    }

    /// The bytes that turn the previous frame into that of `model`.
    pub(crate) fn frame(&mut self, model: &Model) -> io::Result<Vec<u8>> {
        queue!(self.bytes, BeginSynchronizedUpdate)?;
        if std::mem::take(&mut self.stale) {
            // Clears within the frame, without flicker; `clear` would query the cursor position.
            let Size { width, height } = self.size()?;
            self.terminal.resize(Rect::new(0, 0, width, height))?;
        }
        self.terminal.draw(|frame| view(model, frame, &self.theme))?;
        queue!(self.bytes, EndSynchronizedUpdate)?;
        Ok(self.bytes.take())
    }
}
