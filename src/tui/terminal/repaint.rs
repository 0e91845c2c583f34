//! Draws the same picture in fewer bytes: between two close changes in a row it rewrites the
//! unchanged letters, because a cursor motion takes about eight bytes.
//!
//! Text is words, and the blanks between them rarely change, so every word would cost a motion. The
//! screen's contents are remembered from what was drawn. Only letters of one byte that need no
//! style change are rewritten, so nothing is visible, and nothing can be wider on one terminal than
//! another. Until the screen is cleared once, its contents are unknown.

use std::io;

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::{Cell, CellWidth};
use ratatui::layout::{Position, Size};

use super::output::FrameBytes;

/// A cell of a cleared screen.
const BLANK: Cell = Cell::EMPTY;

/// A changed cell: column, row and new content.
type Change<'a> = (u16, u16, &'a Cell);

/// A backend that remembers the screen's contents.
pub(crate) struct RepaintOptimiser {
    inner: CrosstermBackend<FrameBytes>,
    /// The size, if not the terminal's.
    fixed: Option<Size>,
    shown: ScreenContents,
}

impl RepaintOptimiser {
    /// Writes to `bytes`, in the terminal's size unless `fixed`.
    pub(crate) fn new(bytes: FrameBytes, fixed: Option<Size>) -> Self {
        Self { inner: CrosstermBackend::new(bytes), fixed, shown: ScreenContents::default() }
    }

    /// Sets the size, if it is fixed.
    pub(crate) fn resize(&mut self, size: Size) {
        self.fixed = self.fixed.map(|_| size);
    }
}

/// The contents of the screen.
#[derive(Debug, Default)]
struct ScreenContents {
    /// The rows; anything beyond the end of a row, or of them all, is blank.
    rows: Vec<Vec<Cell>>,
    is_known: bool,
}

impl ScreenContents {
    /// The cell at this position; `None` if it is unknown or not a letter of one byte.
    fn letter_at(&self, x: u16, y: u16) -> Option<&Cell> {
        let row = self.rows.get(usize::from(y));
        let cell = row.and_then(|row| row.get(usize::from(x))).unwrap_or(&BLANK);
        (self.is_known && matches!(cell.symbol().as_bytes(), [b' '..=b'~'])).then_some(cell)
    }

    /// `changes`, filled with the unchanged cells between close ones.
    fn filled<'a>(&'a self, changes: &[Change<'a>]) -> Vec<Change<'a>> {
        let mut filled: Vec<Change<'a>> = Vec::with_capacity(changes.len() + changes.len() / 4);
        for &(x, y, cell) in changes {
            if let Some(between) = filled.last().and_then(|last| self.between(*last, (x, y, cell))) {
                filled.extend(between);
            }
            filled.push((x, y, cell));
        }
        filled
    }

    /// The cells between two changes, if rewriting them is cheaper than a cursor motion.
    fn between<'a>(&'a self, last: Change<'a>, next: Change<'a>) -> Option<Vec<Change<'a>>> {
        let ((last_x, last_y, from), (x, y, to)) = (last, next);
        let first = last_x + 1;
        let is_close = last_y == y && first < x && usize::from(x - first) <= motion(x, y);
        if !is_close || from.symbol().cell_width() != 1 {
            return None;
        }
        let cells: Option<Vec<&Cell>> = (first..x).map(|at| self.letter_at(at, y)).collect();
        let cells = cells.filter(|cells| keeps_style(from, cells, to))?;
        Some((first..x).zip(cells).map(|(at, cell)| (at, y, cell)).collect())
    }

    fn remember(&mut self, (x, y, cell): Change<'_>) {
        let (x, y) = (usize::from(x), usize::from(y));
        if self.rows.len() <= y {
            self.rows.resize_with(y + 1, Vec::new);
        }
        let Some(row) = self.rows.get_mut(y) else { return };
        // A wide character covers the cells after it, which are not letters then.
        let width = usize::from(cell.symbol().cell_width().max(1));
        if row.len() < x + width {
            row.resize(x + width, BLANK);
        }
        let mut covering = cell.clone();
        for at in row.iter_mut().skip(x).take(width) {
            at.clone_from(&covering);
            covering.set_symbol("");
        }
    }
}

/// Bytes of a cursor motion to this position (ECMA-48, CUP).
fn motion(x: u16, y: u16) -> usize {
    let digits = |number: u16| usize::try_from(number.saturating_add(1).ilog10()).unwrap_or(0) + 1;
    4 + digits(x) + digits(y)
}

/// True if writing the cells between needs no style change but the one from the first to the last.
fn keeps_style(first: &Cell, between: &[&Cell], last: &Cell) -> bool {
    let as_last = between.iter().position(|cell| cell.style() != first.style()).unwrap_or(between.len());
    between.iter().skip(as_last).all(|cell| cell.style() == last.style())
}

impl Backend for RepaintOptimiser {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let changes: Vec<Change<'a>> = content.collect();
        self.inner.draw(self.shown.filled(&changes).into_iter())?;
        for change in changes {
            self.shown.remember(change);
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.inner.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        // Clearing after the cursor clears everything: the cursor is always in the corner here.
        let is_known = matches!(clear_type, ClearType::All | ClearType::AfterCursor);
        self.shown = ScreenContents { rows: Vec::new(), is_known };
        self.inner.clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        self.fixed.map_or_else(|| self.inner.size(), Ok)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use super::*;
    use proptest::prelude::*;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::{Color, Style};

    const COLUMNS: u16 = 24;
    const ROWS: u16 = 4;

    /// Draws the buffers one after the other on a cleared screen, and returns the bytes.
    fn drawn(mut backend: impl Backend<Error = io::Error>, bytes: &FrameBytes, buffers: &[Buffer]) -> Vec<u8> {
        backend.clear_region(ClearType::All).unwrap();
        let mut before = Buffer::empty(Rect::new(0, 0, COLUMNS, ROWS));
        for buffer in buffers {
            backend.draw(before.diff(buffer).into_iter()).unwrap();
            before = buffer.clone();
        }
        bytes.take()
    }

    fn both(buffers: &[Buffer]) -> (Vec<u8>, Vec<u8>) {
        let (spared, plain) = (FrameBytes::default(), FrameBytes::default());
        let of_spared = drawn(RepaintOptimiser::new(spared.clone(), None), &spared, buffers);
        (of_spared, drawn(CrosstermBackend::new(plain.clone()), &plain, buffers))
    }

    /// Each cell as a terminal shows it.
    fn seen(bytes: &[u8]) -> Vec<String> {
        let nonzero = |count| NonZeroU16::new(count).unwrap();
        let mut terminal = vt100::Parser::new(nonzero(ROWS), nonzero(COLUMNS), 0);
        terminal.process(bytes);
        let cell = |(row, column)| {
            let cell = terminal.screen().cell(row, column).unwrap();
            let letter = if cell.contents().is_empty() { " " } else { cell.contents() };
            format!("{letter} {:?} {:?} {} {}", cell.fgcolor(), cell.bgcolor(), cell.bold(), cell.inverse())
        };
        (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (row, column))).map(cell).collect()
    }

    fn buffer(texts: &[(u16, u16, String, Style)]) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, COLUMNS, ROWS));
        for (x, y, text, style) in texts {
            buffer.set_stringn(*x, *y, text, usize::from(COLUMNS - x), *style);
        }
        buffer
    }

    #[test]
    fn words_are_written_with_the_blanks_between_them() {
        crossterm::style::force_color_output(true);
        let row = |text: &str| buffer(&[(0, 0, text.to_owned(), Style::new())]);
        let (spared, plain) = both(&[row("a word and one")]);
        assert!(String::from_utf8(spared.clone()).unwrap().contains("a word and one"));
        assert!(spared.len() + 3 * 5 <= plain.len(), "{} and {} bytes", spared.len(), plain.len());
    }

    #[test]
    fn nothing_is_taken_for_known_before_the_screen_was_cleared() {
        let bytes = FrameBytes::default();
        let mut backend = RepaintOptimiser::new(bytes.clone(), None);
        let words = buffer(&[(0, 0, "a word".to_owned(), Style::new())]);
        backend.draw(Buffer::empty(words.area).diff(&words).into_iter()).unwrap();
        assert!(!String::from_utf8(bytes.take()).unwrap().contains("a word"), "the blank may hold anything");
    }

    fn texts() -> impl Strategy<Value = Vec<(u16, u16, String, Style)>> {
        let style = prop_oneof![
            3 => Just(Style::new()),
            1 => Just(Style::new().bold()),
            1 => Just(Style::new().reversed()),
            1 => Just(Style::new().fg(Color::Red).bg(Color::Blue)),
        ];
        let text = prop_oneof![4 => "[a-c ]{1,20}", 1 => "[a世界 é]{1,6}", 1 => Just("世 x 界 y".to_owned())];
        proptest::collection::vec((0..COLUMNS, 0..ROWS, text, style), 0..6)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// Limited to characters whose width terminals agree on: what follows others is unknown.
        #[test]
        fn the_picture_is_the_same_and_never_takes_more_bytes(frames in proptest::collection::vec(texts(), 1..5)) {
            crossterm::style::force_color_output(true);
            let frames: Vec<Buffer> = frames.iter().map(|texts| buffer(texts)).collect();
            let (spared, plain) = both(&frames);
            prop_assert_eq!(seen(&spared), seen(&plain));
            prop_assert!(spared.len() <= plain.len(), "{} and {} bytes", spared.len(), plain.len());
        }
    }
}
