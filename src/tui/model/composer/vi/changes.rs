//! The edits of modal commands: delete, put, join, replace, undo.

use super::keys::{InsertPosition, Operator};
use super::letters::Letters;
use super::{MOST, Register};
use crate::tui::model::composer::{Composer, UNDO_DEPTH};

impl Composer {
    /// Applies `operator` to the letters from one position up to another, or to their lines.
    pub(super) fn operate(&mut self, operator: Operator, from: usize, to: usize, is_lines: bool) {
        let letters = Letters::of(self.area.lines());
        let (first, last) = (letters.row(from), letters.row(to));
        let (from, to) = if is_lines { (letters.row_start(first), letters.row_end(last)) } else { (from, to) };
        let text = letters.text(from, to);
        let count = text.chars().count();
        let start = letters.place(from);
        // With whole lines one break goes too: the one after, or for the last the one before.
        let (cut_from, cut) = match operator {
            Operator::Delete if is_lines && last < letters.last_row() => (start, count + 1),
            Operator::Delete if is_lines && first > 0 => (letters.place(letters.row_end(first - 1)), count + 1),
            _ => (start, count),
        };
        let column = letters.letters_before(letters.at_place(self.place()));
        let yanked_at = letters.place(letters.in_row(first, column));
        match operator {
            Operator::Yank => self.go(if is_lines { yanked_at } else { start }),
            Operator::Delete | Operator::Change => self.take(cut_from, cut),
        }
        let text = if is_lines { text + "\n" } else { text };
        self.area.set_yank_text(text.as_str());
        if let Some(vi) = &mut self.vi {
            vi.register = Some(Register { text, is_lines });
        }
        match operator {
            Operator::Delete if is_lines => self.go_to_first_of(first),
            Operator::Change => self.insert_mode(),
            Operator::Delete | Operator::Yank => {}
        }
    }

    /// Applies `operator` to the selection, and clears it.
    pub(super) fn operate_selected(&mut self, operator: Operator) {
        let Some((from, to)) = self.visual_span() else { return };
        self.leave_visual();
        self.operate(operator, from, to, false);
    }

    pub(super) fn insert_at(&mut self, place: InsertPosition) {
        let letters = Letters::of(self.area.lines());
        let at = letters.at_place(self.place());
        let row = letters.row(at);
        let to = match place {
            InsertPosition::Here => at,
            InsertPosition::Behind => letters.right(at, 1),
            InsertPosition::LineFirst => letters.first_of_row(row),
            InsertPosition::LineEnd | InsertPosition::LineBelow => letters.row_end(row),
            InsertPosition::LineAbove => letters.row_start(row),
        };
        let to = letters.place(to);
        self.go(to);
        match place {
            InsertPosition::LineBelow => self.area.insert_newline(),
            InsertPosition::LineAbove => {
                self.area.insert_newline();
                self.go((row, 0));
            }
            InsertPosition::Here | InsertPosition::Behind | InsertPosition::LineFirst | InsertPosition::LineEnd => {}
        }
        self.insert_mode();
    }

    /// Puts the last deleted or yanked text.
    pub(super) fn put(&mut self, is_behind: bool, times: usize) {
        let yanked = self.area.yank_text();
        let register = self.vi.as_ref().and_then(|vi| vi.register.clone());
        // Text deleted with other keys is in the text area's yank buffer.
        let Register { text, is_lines } =
            register.filter(|register| register.text == yanked).unwrap_or(Register { text: yanked, is_lines: false });
        let length = text.chars().count();
        if length == 0 {
            return;
        }
        let text = text.repeat(times.min(MOST / length).max(1));
        let letters = Letters::of(self.area.lines());
        let at = letters.at_place(self.place());
        let row = letters.row(at);
        if is_lines {
            let place = letters.place(if is_behind { letters.row_end(row) } else { letters.row_start(row) });
            self.go(place);
            let lines = text.trim_end_matches('\n');
            // Lines that are empty themselves stay.
            let lines = &text[..text.len() - 1.min(text.len() - lines.len())];
            let text = if is_behind { format!("\n{lines}") } else { format!("{lines}\n") };
            self.area.insert_str(text);
            self.go_to_first_of(if is_behind { row + 1 } else { row });
        } else {
            let place = letters.place(if is_behind { letters.right(at, 1) } else { at });
            self.go(place);
            self.area.insert_str(&text);
            if text.contains('\n') {
                self.go(place);
            } else {
                self.go_left();
            }
        }
    }

    pub(super) fn join_lines(&mut self, times: usize) {
        for _ in 1..times.max(2) {
            let letters = Letters::of(self.area.lines());
            let row = letters.row(letters.at_place(self.place()));
            if row == letters.last_row() {
                return;
            }
            let end = letters.row_end(row);
            let next_end = letters.row_end(row + 1);
            let first = letters.first_of_row(row + 1);
            let first = if letters.text(first, first + 1).trim().is_empty() { next_end } else { first };
            let gap = letters.text(end, first).chars().count();
            let is_apart = end == letters.row_start(row)
                || letters.text(end - 1, end).trim().is_empty()
                || first == next_end
                || letters.text(first, first + 1) == ")";
            let place = letters.place(end);
            self.take(place, gap);
            if !is_apart {
                self.area.insert_char(' ');
            }
            self.go(place);
        }
    }

    pub(super) fn change_case(&mut self, times: usize) {
        let letters = Letters::of(self.area.lines());
        let at = letters.at_place(self.place());
        let (from, to) = self.visual_span().unwrap_or((at, letters.right(at, times)));
        let text = letters.text(from, to);
        let place = letters.place(from);
        let is_visual = self.is_visual();
        self.leave_visual();
        let changed: String = text.chars().map(other_case).collect();
        if changed != text {
            self.take(place, text.chars().count());
            self.area.insert_str(&changed);
        }
        if is_visual {
            self.go(place);
        } else {
            let letters = Letters::of(self.area.lines());
            let behind = letters.place(to);
            self.go(behind);
        }
    }

    pub(super) fn replace_letters(&mut self, letter: char, times: usize) {
        let letters = Letters::of(self.area.lines());
        let at = letters.at_place(self.place());
        let to = letters.right(at, times);
        // With fewer letters than requested, none is replaced.
        if to - at < times {
            return;
        }
        let (place, count) = (letters.place(at), letters.text(at, to).chars().count());
        self.take(place, count);
        self.area.insert_str(letter.to_string().repeat(times));
        self.go_left();
    }

    pub(super) fn undo_change(&mut self) {
        let now = self.mark();
        let last = self.vi.as_mut().and_then(|vi| vi.done.pop_if(|change| change.after == now));
        let Some(change) = last else {
            self.area.undo();
            return;
        };
        for _ in 0..UNDO_DEPTH {
            if !self.area.undo() || self.mark() == change.before {
                break;
            }
        }
        self.vi.iter_mut().for_each(|vi| vi.undone.push(change));
    }

    pub(super) fn redo_change(&mut self) {
        let now = self.mark();
        let next = self.vi.as_mut().and_then(|vi| vi.undone.pop_if(|change| change.before == now));
        let Some(change) = next else {
            self.area.redo();
            return;
        };
        for _ in 0..UNDO_DEPTH {
            if !self.area.redo() || self.mark() == change.after {
                break;
            }
        }
        self.vi.iter_mut().for_each(|vi| vi.done.push(change));
    }

    /// Deletes this many code points from a position.
    pub(super) fn take(&mut self, from: (usize, usize), count: usize) {
        self.area.cancel_selection();
        self.go(from);
        // If the cursor did not get there, nothing is deleted elsewhere.
        if self.place() == from {
            self.area.delete_str(count);
        }
    }
}

/// A letter in the other case, if that is a single letter too.
fn other_case(letter: char) -> char {
    fn only(mut letters: impl Iterator<Item = char>) -> Option<char> {
        let first = letters.next();
        first.filter(|_| letters.next().is_none())
    }
    let other = if letter.is_uppercase() { only(letter.to_lowercase()) } else { only(letter.to_uppercase()) };
    other.unwrap_or(letter)
}
