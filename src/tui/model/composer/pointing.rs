//! Places the cursor and selects with the mouse.
//!
//! Cells are those of the drawn area, so this is valid only after drawing. Any cell of a grapheme
//! of several code points stands for the whole grapheme.

use tui_textarea::{CursorMove, DataCursor};
use unicode_segmentation::UnicodeSegmentation;

use super::{Composer, Selecting};
use crate::tui::widgets::passages::word_around;

impl Composer {
    /// Moves the cursor to a cell and clears the selection.
    pub(crate) fn point(&mut self, column: usize, row: usize) {
        let place = self.place_of(column, row);
        self.leave_visual();
        self.unselect();
        self.go(place);
        self.settle();
    }

    /// Moves the cursor to a cell and selects everything on the way.
    pub(crate) fn select_to(&mut self, column: usize, row: usize) {
        let place = self.place_of(column, row);
        if self.is_commanded() {
            self.begin_visual();
            self.go(place);
            self.settle();
            return;
        }
        if self.selecting == Selecting::Nothing {
            self.area.start_selection();
            self.selecting = Selecting::WithShift;
        }
        self.go(place);
        self.show_cursor();
    }

    /// Selects the word at a cell, or the blanks.
    pub(crate) fn select_word(&mut self, column: usize, row: usize) {
        self.point(column, row);
        let (line, at) = (self.area.cursor().0, self.around_cursor().0.len());
        let text = self.area.lines().get(line).map_or("", String::as_str);
        let word = word_around(text, at);
        let characters = |bytes: usize| text.get(..bytes).map_or(0, |before| before.chars().count());
        let (from, to) = (characters(word.start), characters(word.end));
        if from < to {
            self.go((line, from));
            if self.is_commanded() {
                self.begin_visual();
                self.go((line, to));
                self.go_left();
                self.settle();
                return;
            }
            self.area.start_selection();
            self.selecting = Selecting::WithShift;
            self.go((line, to));
            self.show_cursor();
        }
    }

    /// The line and code point shown in a cell of the drawn area.
    fn place_of(&self, column: usize, row: usize) -> (usize, usize) {
        let (top, left) = self.area.scroll_offset();
        let DataCursor(line, point) = self.area.screen_to_data(row + usize::from(top), column + usize::from(left));
        let text = self.area.lines().get(line).map_or("", String::as_str);
        let mut begin = 0;
        for character in text.graphemes(true) {
            let next = begin + character.chars().count();
            if next > point {
                break;
            }
            begin = next;
        }
        (line, begin)
    }

    /// The cursor's row and column.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.area.cursor().0, self.area.cursor().1)
    }

    /// Moves the cursor to an existing row and column. The text area jumps to u16 columns only: in
    /// a longer line, beyond that only positions near its end are reached.
    pub(super) fn go(&mut self, (row, column): (usize, usize)) {
        /// Steps of one character, each of which scans the whole text.
        const NEAR: usize = 8;
        let small = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(small(row), small(column)));
        if self.place() == (row, column) {
            return;
        }
        self.area.move_cursor(CursorMove::End);
        for _ in 0..NEAR {
            if self.place() <= (row, column) {
                break;
            }
            self.area.move_cursor(CursorMove::Back);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::widgets::Widget;

    /// A text area drawn with this many columns and rows.
    fn drawn(text: &str, width: u16, height: u16) -> Composer {
        let mut composer = Composer::default();
        composer.paste(text);
        draw(&composer, width, height);
        composer
    }

    fn draw(composer: &Composer, width: u16, height: u16) {
        let area = Rect::new(0, 0, width, height);
        composer.area().render(area, &mut Buffer::empty(area));
    }

    #[test]
    fn a_cell_is_found_through_wrapped_rows_wide_characters_and_scrolling() {
        let mut composer = drawn("one two three\n世界 x", 8, 4);
        composer.point(2, 1);
        composer.insert('|');
        assert_eq!(composer.text(), "one two th|ree\n世界 x");
        draw(&composer, 8, 4);
        composer.point(3, 2);
        composer.insert('|');
        assert_eq!(composer.text(), "one two th|ree\n世|界 x", "the second half of a wide character");
        composer.point(70, 70);
        composer.insert('|');
        assert!(composer.text().ends_with("界 x|"), "behind and below the text is its end");
        let mut long = drawn(&"line\n".repeat(50), 8, 4);
        long.point(0, 0);
        assert_eq!(long.area.cursor().0, 47, "what is seen is the end");
    }

    #[test]
    fn what_is_pointed_over_is_selected_by_whole_characters() {
        let mut composer = drawn("a 👩\u{200d}👧 b", 20, 3);
        composer.point(0, 0);
        composer.select_to(3, 0);
        assert_eq!(composer.selected().as_deref(), Some("a "), "a family is not cut in two");
        composer.point(0, 0);
        assert_eq!((composer.selected(), composer.is_selecting()), (None, false));
    }

    #[test]
    fn a_word_is_selected_whole() {
        let mut composer = drawn("don't stop\nélan vital", 20, 3);
        composer.select_word(2, 0);
        assert_eq!(composer.selected().as_deref(), Some("don't"));
        composer.select_word(1, 1);
        assert_eq!(composer.selected().as_deref(), Some("élan"));
        composer.select_word(40, 1);
        assert_eq!(composer.selected(), None);
    }

    #[test]
    fn in_a_line_of_more_letters_than_a_jump_counts_its_end_is_reached() {
        let mut composer = Composer::default();
        composer.paste(&"x".repeat(70_000));
        composer.act(crate::tui::action::Action::TextStart);
        for (column, reached) in [(65_000, 65_000), (69_998, 69_998), (70_000, 70_000)] {
            composer.go((0, column));
            assert_eq!(composer.place(), (0, reached));
        }
    }

    #[test]
    fn with_modes_what_is_pointed_over_is_selected_with_the_last_letter() {
        let mut composer = drawn("one two three", 20, 3);
        composer.set_modal(true);
        composer.modal_key("Esc".parse().unwrap(), None);
        composer.point(4, 0);
        composer.select_to(6, 0);
        assert_eq!((composer.mode(), composer.selected().as_deref()), (Some("visual"), Some("two")));
        composer.point(70, 0);
        assert_eq!((composer.mode(), composer.selected()), (Some("normal"), None));
        assert_eq!(composer.area.cursor().1, 12, "on the last letter");
        composer.select_word(0, 0);
        assert_eq!(composer.selected().as_deref(), Some("one"));
    }
}
