//! The targets of motions in modal editing, and the text that operators apply to.

use super::Mode;
use super::keys::{Motion, MotionTarget, Operator};
use super::letters::{Find, Letters};
use crate::tui::model::composer::Composer;

impl Composer {
    /// The target of a motion; `None` if there is none.
    pub(super) fn target(
        &self,
        letters: &Letters<'_>,
        at: usize,
        over: MotionTarget,
        count: Option<usize>,
        goal: usize,
    ) -> Option<usize> {
        let times = count.unwrap_or(1);
        let row = letters.row(at);
        let repeated = |step: &dyn Fn(usize) -> usize| {
            let mut place = at;
            for _ in 0..times {
                let next = step(place);
                if next == place {
                    break;
                }
                place = next;
            }
            place
        };
        Some(match over {
            MotionTarget::Motion(motion) => match motion {
                Motion::Left => letters.left(at, times),
                Motion::Right => letters.right(at, times),
                Motion::Up => letters.in_row(row.checked_sub(times)?, goal),
                Motion::Down if row + times > letters.last_row() => return None,
                Motion::Down => letters.in_row(row + times, goal),
                Motion::WordRight => repeated(&|place| letters.word_right(place)),
                Motion::WordLeft => repeated(&|place| letters.word_left(place)),
                Motion::WordEnd => repeated(&|place| letters.word_end(place)),
                Motion::LineStart => letters.row_start(row),
                Motion::LineFirst => letters.first_of_row(row),
                Motion::LineEnd => letters.row_end(row + times - 1),
                Motion::NextLine => letters.first_of_row(row + times),
                Motion::TextStart => letters.first_of_row(count.map_or(0, |line| line - 1)),
                Motion::TextEnd => letters.first_of_row(count.map_or(letters.last_row(), |line| line - 1)),
            },
            MotionTarget::Find(find) => letters.find(at, find, times)?,
            MotionTarget::FindAgain { is_same_way } => letters.find_again(at, self.last_find(is_same_way)?, times)?,
            MotionTarget::Word | MotionTarget::Lines => return None,
        })
    }

    /// The text an operator takes: from one position up to another, and whether as whole lines.
    pub(super) fn span(
        &mut self,
        operator: Operator,
        over: MotionTarget,
        count: Option<usize>,
    ) -> Option<(usize, usize, bool)> {
        let letters = Letters::of(self.area.lines());
        let at = letters.at_place(self.place());
        if let MotionTarget::Word = over {
            let (from, to) = letters.word_around(at);
            return Some((from, to, false));
        }
        if over == MotionTarget::Lines {
            let last = (letters.row(at) + count.unwrap_or(1) - 1).min(letters.last_row());
            return Some((at, letters.row_end(last), true));
        }
        // Changing a word keeps the blanks after it.
        let over = match (operator, over) {
            (Operator::Change, MotionTarget::Motion(Motion::WordRight)) if letters.is_in_word(at) => {
                let times = count.unwrap_or(1);
                let first = letters.word_around(at).1 - 1;
                let last = (1..times).fold(first, |place, _| letters.word_end(place));
                return Some((at, (last + 1).min(letters.end()), false));
            }
            (_, over) => over,
        };
        let to = self.target(&letters, at, over, count, letters.letters_before(at))?;
        let (from, mut to) = (at.min(to), at.max(to));
        let is_lines = matches!(
            over,
            MotionTarget::Motion(Motion::Up | Motion::Down | Motion::NextLine | Motion::TextStart | Motion::TextEnd)
        );
        // These motions include the last letter.
        let is_forward = |find: Find| find.is_forward;
        let stands_on_last = match over {
            MotionTarget::Motion(Motion::WordEnd) => true,
            MotionTarget::Find(find) => is_forward(find),
            MotionTarget::FindAgain { is_same_way } => self.last_find(is_same_way).is_some_and(is_forward),
            _ => false,
        };
        if stands_on_last {
            to = (to + 1).min(letters.end());
        }
        // Deleting the last word of a line does not join the next line.
        if over == MotionTarget::Motion(Motion::WordRight) {
            while letters.row(to) > letters.row(from) && to <= letters.first_of_row(letters.row(to)) {
                to = letters.row_end(letters.row(to) - 1);
            }
        }
        self.remember_find(over);
        Some((from, to, is_lines))
    }

    /// The visual selection, as positions; `None` in other modes.
    pub(super) fn visual_span(&self) -> Option<(usize, usize)> {
        let Mode::Visual(row, column) = self.vi.as_ref()?.mode else { return None };
        let letters = Letters::of(self.area.lines());
        let (anchor, at) = (letters.at_place((row, column)), letters.at_place(self.place()));
        Some((anchor.min(at), (anchor.max(at) + 1).min(letters.end())))
    }

    /// The visually selected text; `None` in other modes.
    pub(in crate::tui::model::composer) fn visual_text(&self) -> Option<String> {
        let (from, to) = self.visual_span()?;
        Some(Letters::of(self.area.lines()).text(from, to))
    }

    pub(super) fn last_find(&self, is_same_way: bool) -> Option<Find> {
        let find = self.vi.as_ref()?.find?;
        Some(if is_same_way { find } else { Find { is_forward: !find.is_forward, ..find } })
    }

    pub(super) fn remember_find(&mut self, over: MotionTarget) {
        if let (Some(vi), MotionTarget::Find(find)) = (&mut self.vi, over) {
            vi.find = Some(find);
        }
    }
}
