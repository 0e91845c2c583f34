//! The text area for the request. Deletes and moves by grapheme; modal under the key map `vi`.
//!
//! Wraps `ratatui-textarea`, which works by code point: here Backspace deletes a family emoji
//! whole. Pasted line breaks become `\n`; escapes and other control characters are dropped.

mod place;
mod pointing;
pub(crate) mod vi;

use ratatui::style::{Modifier, Style};
use tui_textarea::{CursorMove, Scrolling, TextArea, WrapMode};
use unicode_segmentation::UnicodeSegmentation;

use crate::tui::action::Action;
use crate::tui::widgets::safe::typed;

/// How many edits can be undone.
const UNDO_DEPTH: usize = 1_000;

/// The style of a selection, with or without colours.
const SELECTED: Style = Style::new().add_modifier(Modifier::REVERSED);

/// The text area.
#[derive(Debug, Clone)]
pub(crate) struct Composer {
    area: TextArea<'static>,
    /// True if line breaks become blanks.
    is_one_line: bool,
    /// Counts changes, and actions that may have changed it.
    edits: u64,
    selecting: Selecting,
    /// The modal state, if there are modes.
    vi: Option<Box<vi::Vi>>,
}

/// How motions affect the selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Selecting {
    /// There is none.
    Nothing,
    /// It was made with Shift held, and ends with the first motion without Shift.
    WithShift,
    /// It began with a mark: every motion extends it.
    FromMark,
}

impl PartialEq for Composer {
    /// True if both hold the same text.
    fn eq(&self, other: &Self) -> bool {
        self.area.lines() == other.area.lines()
    }
}

impl Default for Composer {
    fn default() -> Self {
        let mut area = TextArea::default();
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        area.set_max_histories(UNDO_DEPTH);
        // The terminal's own cursor is used, so the text area draws none.
        area.set_cursor_style(Style::default());
        area.set_cursor_line_style(Style::default());
        area.set_selection_style(SELECTED);
        Self { area, is_one_line: false, edits: 0, selecting: Selecting::Nothing, vi: None }
    }
}

impl Composer {
    /// A one-line text area, which scrolls sideways.
    pub(crate) fn line() -> Self {
        let mut line = Self { is_one_line: true, ..Self::default() };
        line.area.set_wrap_mode(WrapMode::None);
        line
    }

    /// Adds `text`, with the cursor after it.
    pub(crate) fn holding(mut self, text: &str) -> Self {
        self.paste(text);
        self
    }

    /// Replaces the whole text by `text`. Can be undone.
    pub(crate) fn replace(&mut self, text: &str) {
        self.leave_visual();
        let yanked = self.area.yank_text();
        self.area.select_all();
        self.area.cut();
        self.area.set_yank_text(yanked);
        self.paste(text);
    }

    /// The selected text, if any.
    pub(crate) fn selected(&self) -> Option<String> {
        if let Some(text) = self.visual_text() {
            return Some(text).filter(|text| !text.is_empty());
        }
        let ((first, from), (last, to)) = self.area.selection_range()?;
        let lines = self.area.lines().iter().enumerate().take(last + 1).skip(first);
        let parts = lines.map(|(row, line)| {
            let begin = if row == first { from } else { 0 };
            let end = if row == last { to } else { usize::MAX };
            line.chars().take(end).skip(begin).collect::<String>()
        });
        Some(parts.collect::<Vec<_>>().join("\n")).filter(|text| !text.is_empty())
    }

    /// True while something is selected or being selected.
    pub(crate) fn is_selecting(&self) -> bool {
        self.area.is_selecting()
    }

    /// Clears the selection.
    pub(crate) fn unselect(&mut self) {
        self.area.cancel_selection();
        self.selecting = Selecting::Nothing;
        self.show_cursor();
    }

    /// Styles the cursor's cell as selected if the cursor is on the selection.
    fn show_cursor(&mut self) {
        let (row, column) = (self.area.cursor().0, self.area.cursor().1);
        let is_selected = self.area.selection_range().is_some_and(|(from, to)| from != to && from == (row, column));
        self.area.set_cursor_style(if is_selected { SELECTED } else { Style::new() });
    }

    /// The text, lines joined by `\n`.
    pub(crate) fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Identifies the text: unchanged while the text is.
    pub(crate) const fn edits(&self) -> u64 {
        self.edits
    }

    /// The number of characters, as the limits count them.
    pub(crate) fn characters(&self) -> usize {
        let lines = self.area.lines();
        lines.iter().map(|line| line.chars().count()).sum::<usize>() + lines.len() - 1
    }

    /// True if there is no text.
    pub(crate) fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// The number of lines.
    pub(crate) fn lines(&self) -> usize {
        self.area.lines().len()
    }

    /// The widget to draw.
    pub(crate) const fn area(&self) -> &TextArea<'static> {
        &self.area
    }

    /// Types one character.
    pub(crate) fn insert(&mut self, character: char) {
        self.edits += 1;
        self.area.insert_char(character);
        self.unselect();
    }

    /// Inserts a whole text. Returns the number of characters inserted.
    pub(crate) fn paste(&mut self, text: &str) -> usize {
        let text = self.fitting(text);
        self.delete_visual();
        self.edits += 1;
        self.area.insert_str(&text);
        self.unselect();
        self.settle();
        text.chars().count()
    }

    /// `text` as accepted by this text area.
    fn fitting(&self, text: &str) -> String {
        let text = typed(text);
        if self.is_one_line { text.trim_end().replace(['\n', '\t'], " ") } else { text }
    }

    /// Performs an action of the composer. False if it is not one.
    pub(crate) fn act(&mut self, action: Action) -> bool {
        let Some(action) = self.before_modal(action) else { return true };
        let Some(motion) = self.before(action) else { return true };
        match motion {
            Action::NewLine => self.area.insert_newline(),
            Action::LineStart => self.area.move_cursor(CursorMove::Head),
            Action::LineEnd => self.area.move_cursor(CursorMove::End),
            Action::CharLeft => self.step(CursorMove::Back, self.length_before()),
            Action::CharRight => self.step(CursorMove::Forward, self.length_after()),
            Action::LineUp => self.area.move_cursor(CursorMove::Up),
            Action::LineDown => self.area.move_cursor(CursorMove::Down),
            Action::TextUp => self.area.scroll(Scrolling::PageUp),
            Action::TextDown => self.area.scroll(Scrolling::PageDown),
            Action::WordLeft => self.area.move_cursor(CursorMove::WordBack),
            Action::WordRight => self.area.move_cursor(CursorMove::WordForward),
            Action::TextStart => self.area.move_cursor(CursorMove::Jump(0, 0)),
            Action::TextEnd => {
                self.area.move_cursor(CursorMove::Bottom);
                self.area.move_cursor(CursorMove::End);
            }
            Action::DeleteCharBefore => self.delete_before(),
            Action::DeleteChar => self.delete_after(),
            Action::DeleteWord => _ = self.area.delete_word(),
            Action::DeleteWordAfter => _ = self.area.delete_next_word(),
            Action::DeleteToStart => _ = self.area.delete_line_by_head(),
            Action::DeleteToEnd => _ = self.area.delete_line_by_end(),
            Action::CopySelection => self.area.copy(),
            Action::CutSelection => _ = self.area.cut(),
            Action::Yank => _ = self.area.paste(),
            Action::Undo => _ = self.area.undo(),
            Action::Redo => _ = self.area.redo(),
            _ => return false,
        }
        self.edits += 1;
        // Edits end a selection; the text area has already done so.
        if !self.area.is_selecting() {
            self.selecting = Selecting::Nothing;
        }
        self.show_cursor();
        self.settle();
        true
    }

    /// Updates the selection for `action`, and returns the action that remains: for "select left",
    /// "left". `None` if nothing remains.
    fn before(&mut self, action: Action) -> Option<Action> {
        let motion = match action {
            Action::SelectLeft => Action::CharLeft,
            Action::SelectRight => Action::CharRight,
            Action::SelectUp => Action::LineUp,
            Action::SelectDown => Action::LineDown,
            Action::SelectLineStart => Action::LineStart,
            Action::SelectLineEnd => Action::LineEnd,
            Action::SetMark if self.selecting == Selecting::FromMark => {
                self.unselect();
                return None;
            }
            Action::SetMark => {
                self.area.start_selection();
                self.selecting = Selecting::FromMark;
                return None;
            }
            Action::SelectAll => {
                self.area.select_all();
                self.selecting = Selecting::WithShift;
                return None;
            }
            Action::DeleteCharBefore | Action::DeleteChar if self.selected().is_some() => {
                self.delete_selected();
                return None;
            }
            _ => {
                if self.selecting == Selecting::WithShift && is_motion(action) {
                    self.unselect();
                }
                return Some(action);
            }
        };
        if self.selecting == Selecting::Nothing {
            self.area.start_selection();
            self.selecting = Selecting::WithShift;
        }
        Some(motion)
    }

    /// Deletes the selection, and leaves the yank buffer unchanged.
    fn delete_selected(&mut self) {
        self.edits += 1;
        let yanked = self.area.yank_text();
        self.area.cut();
        self.area.set_yank_text(yanked);
        self.unselect();
    }

    /// The line of the cursor, split at the cursor.
    fn around_cursor(&self) -> (&str, &str) {
        let (row, column) = (self.area.cursor().0, self.area.cursor().1);
        let line = self.area.lines().get(row).map_or("", String::as_str);
        line.split_at(line.char_indices().nth(column).map_or(line.len(), |(byte, _)| byte))
    }

    /// Code points of the grapheme before the cursor; 1 at the start of a line, for the line break.
    fn length_before(&self) -> usize {
        self.around_cursor().0.graphemes(true).next_back().map_or(1, |character| character.chars().count())
    }

    /// Code points of the grapheme after the cursor; 1 at the end of a line, for the line break.
    fn length_after(&self) -> usize {
        self.around_cursor().1.graphemes(true).next().map_or(1, |character| character.chars().count())
    }

    fn step(&mut self, direction: CursorMove, times: usize) {
        for _ in 0..times {
            self.area.move_cursor(direction);
        }
    }

    fn delete_before(&mut self) {
        match self.length_before() {
            1 => _ = self.area.delete_char(),
            length => {
                self.step(CursorMove::Back, length);
                self.delete(length);
            }
        }
    }

    fn delete_after(&mut self) {
        match self.length_after() {
            1 => _ = self.area.delete_next_char(),
            length => self.delete(length),
        }
    }

    /// Deletes `length` code points after the cursor, and leaves the yank buffer unchanged.
    fn delete(&mut self, length: usize) {
        let yanked = self.area.yank_text();
        self.area.delete_str(length);
        self.area.set_yank_text(yanked);
    }
}

/// True for actions that move the cursor and change nothing.
const fn is_motion(action: Action) -> bool {
    matches!(
        action,
        Action::LineStart
            | Action::LineEnd
            | Action::CharLeft
            | Action::CharRight
            | Action::LineUp
            | Action::LineDown
            | Action::TextUp
            | Action::TextDown
            | Action::WordLeft
            | Action::WordRight
            | Action::TextStart
            | Action::TextEnd
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Composer {
        let mut composer = Composer::default();
        composer.paste(text);
        composer
    }

    #[test]
    fn backspace_takes_a_whole_character() {
        let mut composer = written("a👩\u{200d}👩\u{200d}👧👍🏽🇯🇵e\u{301}");
        for left in ["a👩\u{200d}👩\u{200d}👧👍🏽🇯🇵", "a👩\u{200d}👩\u{200d}👧👍🏽", "a👩\u{200d}👩\u{200d}👧", "a", ""]
        {
            composer.act(Action::DeleteCharBefore);
            assert_eq!(composer.text(), left);
        }
        composer.act(Action::DeleteCharBefore);
        assert!(composer.is_empty());
    }

    #[test]
    fn arrows_step_over_a_whole_character() {
        let mut composer = written("a👩\u{200d}👧b");
        composer.act(Action::CharLeft);
        composer.act(Action::CharLeft);
        composer.insert('x');
        assert_eq!(composer.text(), "ax👩\u{200d}👧b");
        composer.act(Action::CharRight);
        composer.act(Action::DeleteChar);
        assert_eq!(composer.text(), "ax👩\u{200d}👧");
        composer.act(Action::CharLeft);
        composer.act(Action::DeleteChar);
        assert_eq!(composer.text(), "ax");
    }

    #[test]
    fn pasted_line_breaks_are_one_kind_and_escape_sequences_stay_out() {
        assert_eq!(written("a\r\nb\rc\u{1b}[31md\te").text(), "a\nb\ncd\te");
    }

    #[test]
    fn characters_count_line_breaks() {
        assert_eq!(written("ab\nc\n").characters(), 5);
        assert_eq!(Composer::default().characters(), 0);
    }

    #[test]
    fn deleting_joins_lines_and_can_be_undone() {
        let mut composer = written("one\ntwo");
        composer.act(Action::LineStart);
        composer.act(Action::DeleteCharBefore);
        assert_eq!(composer.text(), "onetwo");
        composer.act(Action::Undo);
        assert_eq!(composer.text(), "one\ntwo");
    }

    #[test]
    fn a_text_that_was_replaced_comes_back() {
        let mut composer = written("two\nlines");
        composer.replace("another");
        assert_eq!(composer.text(), "another");
        composer.act(Action::Undo);
        composer.act(Action::Undo);
        assert_eq!(composer.text(), "two\nlines");
    }

    #[test]
    fn one_line_stays_one() {
        let line = Composer::line().holding("a\nb\tc\r\n");
        assert_eq!((line.text(), line.lines()), ("a b c".to_owned(), 1));
    }

    #[test]
    fn what_was_killed_comes_back() {
        let mut composer = written("keep this");
        composer.act(Action::DeleteWord);
        composer.act(Action::DeleteCharBefore);
        composer.act(Action::Yank);
        assert_eq!(composer.text(), "keepthis");
    }

    #[test]
    fn what_is_selected_with_shift_ends_with_the_first_motion_without() {
        let mut composer = written("one two");
        composer.act(Action::SelectLeft);
        composer.act(Action::SelectLeft);
        assert_eq!(composer.selected().as_deref(), Some("wo"));
        composer.act(Action::CharLeft);
        assert_eq!(composer.selected(), None);
        composer.act(Action::SelectLineStart);
        assert_eq!(composer.selected().as_deref(), Some("one "));
    }

    #[test]
    fn from_a_mark_every_motion_selects_until_it_is_set_again() {
        let mut composer = written("first line\nsecond line");
        composer.act(Action::TextStart);
        composer.act(Action::WordRight);
        composer.act(Action::SetMark);
        composer.act(Action::TextEnd);
        composer.act(Action::WordLeft);
        assert_eq!(composer.selected().as_deref(), Some("line\nsecond "));
        composer.act(Action::SetMark);
        assert_eq!((composer.selected(), composer.is_selecting()), (None, false));
    }

    #[test]
    fn typing_replaces_what_is_selected() {
        let mut composer = written("a 👩\u{200d}👧 b");
        composer.act(Action::CharLeft);
        composer.act(Action::CharLeft);
        composer.act(Action::SelectLeft);
        assert_eq!(composer.selected().as_deref(), Some("👩\u{200d}👧"), "a whole character");
        composer.insert('x');
        assert_eq!((composer.text().as_str(), composer.is_selecting()), ("a x b", false));
        composer.act(Action::SelectAll);
        composer.paste("all\nnew");
        assert_eq!(composer.text(), "all\nnew");
    }

    #[test]
    fn deleting_takes_what_is_selected_and_nothing_more() {
        for action in [Action::DeleteCharBefore, Action::DeleteChar, Action::DeleteWord, Action::DeleteToEnd] {
            let mut composer = written("keep 👩\u{200d}👧 this");
            composer.act(Action::LineStart);
            composer.act(Action::WordRight);
            composer.act(Action::SelectLineEnd);
            composer.act(action);
            assert_eq!((composer.text().as_str(), composer.is_selecting()), ("keep ", false), "{action:?}");
            composer.act(Action::Undo);
            assert_eq!(composer.text(), "keep 👩\u{200d}👧 this");
        }
    }

    #[test]
    fn what_is_cut_is_put_back_elsewhere() {
        let mut composer = written("two one");
        composer.act(Action::SetMark);
        composer.act(Action::WordLeft);
        composer.act(Action::CutSelection);
        composer.act(Action::LineStart);
        composer.act(Action::Yank);
        assert_eq!(composer.text(), "onetwo ");
        composer.act(Action::SelectAll);
        composer.act(Action::CopySelection);
        composer.act(Action::TextEnd);
        composer.act(Action::Yank);
        assert_eq!(composer.text(), "onetwo onetwo ");
    }
}
