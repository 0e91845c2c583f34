//! Which part of the text is visible, and how much is hidden.
//!
//! The text area follows the cursor when drawn, and otherwise keeps its scroll position. After a
//! resize that can hide text needlessly; [`Composer::reflow`] scrolls back.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use tui_textarea::{DataCursor, Scrolling};

use super::Composer;

impl Composer {
    /// The cursor's column and row in the drawn area. Valid only after drawing.
    pub(crate) fn cursor_on_screen(&self) -> (usize, usize) {
        let (cursor, (top, left)) = (self.area.screen_cursor(), self.area.scroll_offset());
        (cursor.col.saturating_sub(left.into()), cursor.row.saturating_sub(top.into()))
    }

    /// Scrolls back as far as the text allows: in `area`, where it is drawn next, there are no
    /// blank rows below the text while rows above are hidden, and the same for columns.
    pub(crate) fn reflow(&mut self, area: Rect) {
        if area.is_empty() || self.area.scroll_offset() == (0, 0) {
            return;
        }
        // Drawing wraps to the new width and follows the cursor, which stays in place if visible.
        (&self.area).render(area, &mut Buffer::empty(area));
        let (top, left) = self.area.scroll_offset();
        let back = |offset: u16, length: usize, room: u16| {
            let furthest = u16::try_from(length).unwrap_or(u16::MAX).saturating_sub(room);
            i16::try_from(offset.saturating_sub(furthest)).map_or(i16::MIN, |back| -back)
        };
        let rows = back(top, self.rows(), area.height);
        let cols = if self.is_one_line { back(left, self.columns(), area.width) } else { 0 };
        if (rows, cols) != (0, 0) {
            let cursor = self.place();
            self.area.scroll(Scrolling::Delta { rows, cols });
            // Scrolling recomputes the cursor from its column, and misses zero-width marks.
            if self.place() != cursor {
                self.go(cursor);
            }
        }
    }

    /// The rows hidden above and below an area of this height. Valid only after drawing.
    pub(crate) fn hidden(&self, height: u16) -> (usize, usize) {
        let above = usize::from(self.area.scroll_offset().0);
        (above, self.rows().saturating_sub(above + usize::from(height)))
    }

    /// The number of rows, wrapped as drawn.
    pub(crate) fn rows(&self) -> usize {
        // Each row holds at least one character, or ends a line.
        let last = self.area.screen_to_data(usize::MAX, 0);
        first(self.characters(), |row| self.area.screen_to_data(row, 0) == last) + 1
    }

    /// The columns of a one-line text, including the cursor after it.
    fn columns(&self) -> usize {
        let end = self.area.lines().first().map_or(0, |line| line.chars().count());
        // A character takes at most two columns, and a single line has no tabs.
        first(2 * end, |column| self.area.screen_to_data(0, column) == DataCursor(0, end)) + 1
    }
}

/// The first of `0..=last` with `is_reached`, which must be monotonic; `last` if there is none.
fn first(last: usize, is_reached: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (0, last);
    while from < to {
        let middle = from + (to - from) / 2;
        if is_reached(middle) { to = middle } else { from = middle + 1 }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::action::Action;
    use proptest::prelude::*;

    /// Draws it as the screen does, and returns its rows.
    fn drawn(composer: &mut Composer, width: u16, height: u16) -> Vec<String> {
        let area = Rect::new(0, 0, width, height);
        composer.reflow(area);
        let mut buffer = Buffer::empty(area);
        composer.area().render(area, &mut buffer);
        crate::tui::testing::rows_of(&buffer)
    }

    #[test]
    fn a_text_that_was_scrolled_in_a_low_area_is_whole_in_a_high_one() {
        let mut composer = Composer::default().holding("1\n2\n3\n4\n5\n6\n7\n8\n9");
        assert_eq!(drawn(&mut composer, 20, 2), ["8", "9"]);
        assert_eq!(composer.hidden(2), (7, 0));
        assert_eq!(drawn(&mut composer, 20, 5), ["5", "6", "7", "8", "9"]);
        assert_eq!(drawn(&mut composer, 20, 10)[..3], ["1", "2", "3"]);
        assert_eq!((composer.hidden(10), composer.cursor_on_screen()), ((0, 0), (1, 8)));
    }

    #[test]
    fn a_text_that_grows_shorter_leaves_no_rows_blank() {
        let mut composer = Composer::default().holding("1\n2\n3\n4\n5\n6");
        drawn(&mut composer, 20, 3);
        composer.act(Action::DeleteCharBefore);
        composer.act(Action::DeleteCharBefore);
        assert_eq!(drawn(&mut composer, 20, 3), ["3", "4", "5"]);
        composer.act(Action::TextStart);
        assert_eq!(drawn(&mut composer, 20, 3), ["1", "2", "3"]);
        assert_eq!(composer.hidden(3), (0, 2));
    }

    #[test]
    fn one_line_that_grows_shorter_leaves_no_columns_blank() {
        let mut line = Composer::line().holding("abcdefghijklmnopqrstuvwxyz");
        assert_eq!(drawn(&mut line, 10, 1), ["rstuvwxyz"]);
        for _ in 0..10 {
            line.act(Action::DeleteCharBefore);
        }
        assert_eq!(drawn(&mut line, 10, 1), ["hijklmnop"]);
        assert_eq!(drawn(&mut line, 40, 1), ["abcdefghijklmnop"]);
    }

    proptest! {
        /// After any steps at any sizes, blank rows and hidden text are never seen together, and
        /// the cursor keeps its place in the text and stays visible.
        #[test]
        fn no_row_is_blank_while_text_above_is_hidden(
            is_one_line in any::<bool>(),
            steps in proptest::collection::vec((0_usize..10, "[a-z世 \\n\u{301}]{0,30}", 1_u16..30, 1_u16..9), 1..30),
        ) {
            let mut composer = if is_one_line { Composer::line() } else { Composer::default() };
            for (what, text, width, height) in steps {
                let actions = [
                    Action::DeleteWord, Action::DeleteToStart, Action::TextStart, Action::TextEnd, Action::LineUp,
                    Action::SelectAll, Action::TextDown, Action::DeleteToEnd,
                ];
                match actions.get(what) {
                    Some(action) => _ = composer.act(*action),
                    None => _ = composer.paste(&text),
                }
                let area = Rect::new(0, 0, width, height);
                let cursor = composer.place();
                composer.reflow(area);
                prop_assert_eq!(composer.place(), cursor, "the cursor was moved");
                composer.area().render(area, &mut Buffer::empty(area));
                let (top, left) = composer.area.scroll_offset();
                let (above, below) = composer.hidden(height);
                prop_assert_eq!(above + below + usize::from(height).min(composer.rows() - above), composer.rows());
                prop_assert!(top == 0 || usize::from(top + height) <= composer.rows(), "{top} of {}", composer.rows());
                prop_assert!(left == 0 || usize::from(left + width) <= composer.columns() + 1, "{left}");
                let (_, row) = composer.cursor_on_screen();
                prop_assert!(row < usize::from(height));
            }
        }
    }
}
