//! Makes the bytes of a frame out of the model: what differs from the frame before, in one piece.
//!
//! Who carries the bytes to a terminal, and to which, is not known here, so that the same painter draws on the real one and
//! where drawing is measured.

use std::io;

use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::layout::{Rect, Size};
use ratatui::{Terminal, TerminalOptions, Viewport};

use super::output::FrameBytes;
use super::repaint::RepaintOptimiser;
use crate::tui::model::Model;
use crate::tui::screens::view;
use crate::tui::theme::Theme;

/// Paints frames.
pub(crate) struct Painter {
    terminal: Terminal<RepaintOptimiser>,
    bytes: FrameBytes,
    theme: Theme,
    /// True when what is shown is not known.
    stale: bool,
}

impl Painter {
    /// Paints as large as the terminal is.
    pub(crate) fn of_the_terminal(theme: Theme) -> io::Result<Self> {
        Self::new(theme, None)
    }

    /// Paints in this size.
    pub(crate) fn of_size(theme: Theme, size: Size) -> io::Result<Self> {
        Self::new(theme, Some(size))
    }

    fn new(theme: Theme, fixed: Option<Size>) -> io::Result<Self> {
        // Whether there is colour is the theme's to say: left to itself the library would, for a user who wants
        // none, drop bold and reversed text too.
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

    /// Paints in another size from now on, where there is no terminal to have one.
    pub(crate) fn resize(&mut self, size: Size) {
        self.terminal.backend_mut().resize(size);
        self.stale = true;
    }

    /// Paints every cell anew the next time.
    pub(crate) const fn repaint(&mut self) {
        self.stale = true;
    }

    /// The bytes that turn the frame before into that of `model`.
    pub(crate) fn frame(&mut self, model: &Model) -> io::Result<Vec<u8>> {
        queue!(self.bytes, BeginSynchronizedUpdate)?;
        if std::mem::take(&mut self.stale) {
            // Clears within the frame, so that nothing flickers; `clear` would ask the terminal where its cursor is.
            let Size { width, height } = self.size()?;
            self.terminal.resize(Rect::new(0, 0, width, height))?;
        }
        self.terminal.draw(|frame| view(model, frame, &self.theme))?;
        queue!(self.bytes, EndSynchronizedUpdate)?;
        Ok(self.bytes.take())
    }
}
