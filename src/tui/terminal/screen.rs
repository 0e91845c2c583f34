//! What is drawn on: the real terminal, or in tests anything that counts.

use std::io::{self, Write};
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::queue;
use ratatui::layout::Size;

use super::clipboard::{Clipboard, Copied};
use super::editor::{Edited, Editor};
use super::modes::Mouse;
use super::painter::Painter;
use super::{job, modes};
use crate::tui::model::Model;
use crate::tui::theme::Theme;

/// What the runtime draws on.
pub(crate) trait Surface {
    /// Columns and rows.
    fn size(&self) -> io::Result<Size>;
    /// Draws the model; gives how many bytes that took.
    fn draw(&mut self, model: &Model) -> io::Result<usize>;
    /// Draws every cell anew the next time.
    fn repaint(&mut self);
    /// Copies `text`, by whichever ways there are.
    async fn copy(&mut self, text: &str) -> io::Result<Copied>;
    /// Gives the terminal to the shell until it is asked for again; false where that cannot be done.
    async fn suspend(&mut self) -> io::Result<bool>;
    /// Gives the terminal to the user's editor, with `text` in it, until that ends.
    async fn edit(&mut self, text: &str) -> io::Result<Edited>;
}

/// The real terminal. Dropping it gives the terminal back.
pub(crate) struct Screen {
    painter: Painter,
    editor: Editor,
    clipboard: Clipboard,
}

impl Screen {
    /// Takes the terminal.
    pub(crate) fn enter(theme: Theme, mouse: Mouse, editor: Editor, clipboard: Clipboard) -> io::Result<Self> {
        modes::give_mouse(mouse);
        modes::enter()?;
        Painter::of_the_terminal(theme)
            .map(|painter| Self { painter, editor, clipboard })
            .inspect_err(|_| _ = modes::leave())
    }
}

/// Writes in one piece.
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
        // The `^C` that ended it may reach us a moment later.
        tokio::time::sleep(Duration::from_millis(50)).await;
        modes::lend(false);
        modes::enter()?;
        self.repaint();
        Ok(edited)
    }
}
