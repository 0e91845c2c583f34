//! The surface to draw on: the real terminal, or a counting one in tests.

use std::io::{self, Write};
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::queue;
use ratatui::layout::Size;

use super::clipboard::Clipboard;
use super::editor::Editor;
use super::modes::Mouse;
use super::painter::Painter;
use super::{job, modes};
use crate::tui::message::{Copied, Edited};
use crate::tui::model::Model;
use crate::tui::theme::Theme;

/// A surface the runtime draws on.
pub(crate) trait Surface {
    /// Columns and rows.
    fn size(&self) -> io::Result<Size>;
    /// Draws the model; returns the number of bytes.
    fn draw(&mut self, model: &Model) -> io::Result<usize>;
    /// Redraws every cell next time.
    fn repaint(&mut self);
    /// Copies `text` to the clipboards available.
    async fn copy(&mut self, text: &str) -> io::Result<Copied>;
    /// Suspends to the shell until resumed; false if that is not possible.
    async fn suspend(&mut self) -> io::Result<bool>;
    /// Opens `text` in the user's editor, and waits for it to end.
    async fn edit(&mut self, text: &str) -> io::Result<Edited>;
}

/// The real terminal. Dropping it restores the terminal.
pub(crate) struct Screen {
    painter: Painter,
    editor: Editor,
    clipboard: Clipboard,
}

impl Screen {
    /// Enters the workbench's modes.
    pub(crate) fn enter(theme: Theme, mouse: Mouse, editor: Editor, clipboard: Clipboard) -> io::Result<Self> {
        modes::give_mouse(mouse);
        modes::enter()?;
        Painter::of_the_terminal(theme)
            .map(|painter| Self { painter, editor, clipboard })
            .inspect_err(|_| _ = modes::leave())
    }
}

/// Writes `bytes` at once.
fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

impl Drop for Screen {
    fn drop(&mut self) {
        _ = modes::leave();
    }
}

impl Surface for Screen {
    fn size(&self) -> io::Result<Size> {
        self.painter.size()
    }

    fn draw(&mut self, model: &Model) -> io::Result<usize> {
        if !modes::entered() {
            return Err(io::Error::other("a part of the program panicked; the terminal was restored"));
        }
        let frame = self.painter.frame(model)?;
        write_out(&frame)?;
        Ok(frame.len())
    }

    fn repaint(&mut self) {
        self.painter.repaint();
    }

    async fn copy(&mut self, text: &str) -> io::Result<Copied> {
        let hand_over = |text: &str| {
            let mut bytes = Vec::new();
            queue!(bytes, CopyToClipboard::to_clipboard_from(text))?;
            write_out(&bytes)
        };
        self.clipboard.copy(text, hand_over).await
    }

    async fn suspend(&mut self) -> io::Result<bool> {
        modes::leave()?;
        let suspended = job::stop().await;
        modes::enter()?;
        self.repaint();
        Ok(suspended)
    }

    async fn edit(&mut self, text: &str) -> io::Result<Edited> {
        modes::leave()?;
        modes::lend(true);
        let edited = self.editor.edit(text).await;
        // The `^C` that ended the editor can reach us a moment later.
        tokio::time::sleep(Duration::from_millis(50)).await;
        modes::lend(false);
        modes::enter()?;
        self.repaint();
        Ok(edited)
    }
}
