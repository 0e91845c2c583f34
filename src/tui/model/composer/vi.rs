//! The modal input of the key map `vi`: what its keys do with the text.
//!
//! Typing is a mode among three. Which keys there are and what they mean is in `keys`, places and motions are in `letters`;
//! here is what follows from a command. Places are whole letters, so the cursor never stands within one, and outside of
//! typing it stands on a letter wherever the line has any. What a command or a stretch of typing changed is undone at once.

mod keys;
mod letters;
#[cfg(test)]
mod tests;

use std::hash::{DefaultHasher, Hash, Hasher};

use crossterm::event::KeyCode;
use tui_textarea::CursorMove;

use super::{Composer, SELECTED, Selecting, UNDO_DEPTH, is_motion};
use crate::tui::action::Action;
use crate::tui::keymap::Chord;
use keys::{Command, Motion, Operator, Over, Place, Typed};
pub(crate) use keys::{MODAL_KEYS, ModalKey};
use letters::{Find, Letters};

/// Keys of a command that is not whole are forgotten beyond these.
const LONGEST: usize = 24;
/// The most characters that are put at once: what a number before `p` or `r` could otherwise make of a text has no end.
const MOST: usize = 100_000;

/// What the mode is called in which keys type.
pub(crate) const INSERT: &str = "insert";
/// What the mode is called in which motions select.
pub(crate) const VISUAL: &str = "visual";

/// What keys mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// They type.
    Insert,
    /// They are commands.
    Normal,
    /// They are commands, and motions select from this row and column on.
    Visual(usize, usize),
}

/// What became of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It is for others.
    No,
    /// It was for the input.
    Yes,
    /// It means this.
    Means(Action),
}

/// What was deleted or yanked last.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Register {
    text: String,
    is_lines: bool,
}

/// A change, as marks of the text before and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    before: u64,
    after: u64,
}

/// The state of the modal input.
#[derive(Debug, Clone)]
pub(super) struct Vi {
    mode: Mode,
    /// What was typed of a command that is not whole yet.
    typed: String,
    /// Letters before the cursor that going up and down keeps to.
    goal: Option<usize>,
    find: Option<Find>,
    register: Option<Register>,
    /// The text's mark before typing began.
    typing_since: Option<u64>,
    done: Vec<Change>,
    undone: Vec<Change>,
}

impl Composer {
    /// Makes it modal, or not. A modal one begins with typing.
    pub(crate) fn set_modal(&mut self, is_modal: bool) {
        let now = self.mark();
        self.vi = is_modal.then(|| {
            Box::new(Vi {
                mode: Mode::Insert,
                typed: String::new(),
                goal: None,
                find: None,
                register: None,
                typing_since: Some(now),
                done: Vec::new(),
                undone: Vec::new(),
            })
        });
    }

    /// The mode in a word; `None` where there are no modes.
    pub(crate) fn mode(&self) -> Option<&'static str> {
        Some(match self.vi.as_ref()?.mode {
            Mode::Insert => INSERT,
            Mode::Normal => "normal",
            Mode::Visual(..) => VISUAL,
        })
    }

    /// True while keys are commands, and do not type.
    pub(crate) fn is_commanded(&self) -> bool {
        self.mode().is_some_and(|mode| mode != INSERT)
    }

    /// What was typed of a command that is not whole yet.
    pub(crate) fn typed_so_far(&self) -> String {
        self.vi.iter().flat_map(|vi| vi.typed.chars()).map(keys::shown).collect()
    }

    /// Begins typing, where there are modes.
    pub(crate) fn begin_typing(&mut self) {
        if self.vi.as_ref().is_some_and(|vi| vi.mode != Mode::Insert) {
            self.leave_visual();
            self.insert_mode();
        }
    }

    /// Does what the modal keys `keys` do, as they are shown in the help.
    pub(crate) fn press_modal(&mut self, key: &ModalKey) -> Taken {
        if self.vi.as_ref().is_some_and(|vi| vi.mode == Mode::Insert) {
            self.end_typing();
        }
        let mut taken = Taken::No;
        for letter in key.letters() {
            taken = self.modal_letter(letter);
        }
        taken
    }

    /// Takes a key, if it is one of the present mode. `action` is what it would do without modes.
    pub(crate) fn modal_key(&mut self, chord: Chord, action: Option<Action>) -> Taken {
        let Some(vi) = &mut self.vi else { return Taken::No };
        let is_escape = chord == Chord::plain(KeyCode::Esc);
        match vi.mode {
            Mode::Insert if is_escape => self.end_typing(),
            Mode::Insert => return Taken::No,
            _ if is_escape && !vi.typed.is_empty() => vi.typed.clear(),
            Mode::Visual(..) if is_escape => self.leave_visual(),
            Mode::Normal | Mode::Visual(..) => {
                let Some(letter) = letter_of(chord, action) else {
                    vi.typed.clear();
                    return Taken::No;
                };
                return self.modal_letter(letter);
            }
        }
        Taken::Yes
    }

    fn modal_letter(&mut self, letter: char) -> Taken {
        let Some(vi) = &mut self.vi else { return Taken::No };
        vi.typed.push(letter);
        match keys::read(&vi.typed, matches!(vi.mode, Mode::Visual(..))) {
            Typed::Part if vi.typed.len() < LONGEST => Taken::Yes,
            Typed::Part | Typed::Wrong => {
                vi.typed.clear();
                Taken::Yes
            }
            Typed::Whole(command, count) => {
                vi.typed.clear();
                self.perform(command, count)
            }
        }
    }

    /// Does a command, and remembers what it changed.
    fn perform(&mut self, command: Command, count: Option<usize>) -> Taken {
        if let Command::Act(action) = command {
            return Taken::Means(action);
        }
        let before = self.mark();
        if !self.is_visual() {
            self.unselect();
        }
        let goal = self.vi.as_mut().and_then(|vi| vi.goal.take());
        self.obey(command, count, goal);
        self.edits += 1;
        let after = self.mark();
        let is_history = matches!(command, Command::Undo | Command::Redo);
        if let Some(vi) = &mut self.vi {
            match vi.mode {
                Mode::Insert => vi.typing_since = Some(before),
                _ if !is_history => vi.remember(Change { before, after }),
                _ => {}
            }
        }
        self.settle();
        Taken::Yes
    }

    fn obey(&mut self, command: Command, count: Option<usize>, goal: Option<usize>) {
        let times = count.unwrap_or(1);
        match command {
            Command::Move(over) => self.go_over(over, count, goal),
            Command::Operate(operator, over) => {
                if let Some((from, to, is_lines)) = self.span(operator, over, count) {
                    self.operate(operator, from, to, is_lines);
                }
            }
            Command::OperateSelected(operator) => self.operate_selected(operator),
            Command::Insert(place) => self.insert_at(place),
            Command::Put { is_behind } => self.put(is_behind, times),
            Command::Undo => (0..times).for_each(|_| self.undo_change()),
            Command::Redo => (0..times).for_each(|_| self.redo_change()),
            Command::Join => self.join_lines(times),
            Command::Case => self.change_case(times),
            Command::Replace(letter) => self.replace_letters(letter, times),
            Command::Visual if self.is_visual() => self.leave_visual(),
            Command::Visual => self.begin_visual(),
            Command::Act(_) => {}
        }
    }

    fn go_over(&mut self, over: Over, count: Option<usize>, goal: Option<usize>) {
        let letters = Letters::of(self.area.lines());
        let at = letters.at_place(self.place());
        if over == Over::Word {
            let (from, to) = letters.word_around(at);
            let (start, last) = (letters.place(from), letters.place(to.max(from + 1) - 1));
            self.set_mode(Mode::Visual(start.0, start.1));
            self.go(last);
            return;
        }
        let goal = goal.unwrap_or_else(|| letters.letters_before(at));
        let Some(to) = self.target(&letters, at, over, count, goal) else { return };
        let place = letters.place(to);
        if let (Some(vi), Over::Motion(Motion::Up | Motion::Down)) = (&mut self.vi, over) {
            vi.goal = Some(goal);
        }
        self.remember_find(over);
        self.go(place);
    }

    /// Where a motion leads; `None` where there is nothing to go to.
    fn target(&self, letters: &Letters<'_>, at: usize, over: Over, count: Option<usize>, goal: usize) -> Option<usize> {
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
            Over::Motion(motion) => match motion {
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
            Over::Find(find) => letters.find(at, find, times)?,
            Over::FindAgain { is_same_way } => letters.find_again(at, self.last_find(is_same_way)?, times)?,
            Over::Word | Over::Lines => return None,
        })
    }

    /// What an operator takes: from one place to before another, and whether it is whole lines.
    fn span(&mut self, operator: Operator, over: Over, count: Option<usize>) -> Option<(usize, usize, bool)> {
        let letters = Letters::of(self.area.lines());
        let at = letters.at_place(self.place());
        if let Over::Word = over {
            let (from, to) = letters.word_around(at);
            return Some((from, to, false));
        }
        if over == Over::Lines {
            let last = (letters.row(at) + count.unwrap_or(1) - 1).min(letters.last_row());
            return Some((at, letters.row_end(last), true));
        }
        // To change a word leaves the blanks behind it.
        let over = match (operator, over) {
            (Operator::Change, Over::Motion(Motion::WordRight)) if letters.is_in_word(at) => {
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
            Over::Motion(Motion::Up | Motion::Down | Motion::NextLine | Motion::TextStart | Motion::TextEnd)
        );
        // These stand on the last letter that they go over.
        let is_forward = |find: Find| find.is_forward;
        let stands_on_last = match over {
            Over::Motion(Motion::WordEnd) => true,
            Over::Find(find) => is_forward(find),
            Over::FindAgain { is_same_way } => self.last_find(is_same_way).is_some_and(is_forward),
            _ => false,
        };
        if stands_on_last {
            to = (to + 1).min(letters.end());
        }
        // The last word of a line does not bring the next line up to it.
        if over == Over::Motion(Motion::WordRight) {
            while letters.row(to) > letters.row(from) && to <= letters.first_of_row(letters.row(to)) {
                to = letters.row_end(letters.row(to) - 1);
            }
        }
        self.remember_find(over);
        Some((from, to, is_lines))
    }

    /// Does what `operator` says with the letters from one place to before another, or with the lines of these.
    fn operate(&mut self, operator: Operator, from: usize, to: usize, is_lines: bool) {
        let letters = Letters::of(self.area.lines());
        let (first, last) = (letters.row(from), letters.row(to));
        let (from, to) = if is_lines { (letters.row_start(first), letters.row_end(last)) } else { (from, to) };
        let text = letters.text(from, to);
        let count = text.chars().count();
        let start = letters.place(from);
        // Of whole lines one break goes too: the one behind, or the one before the last.
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

    /// Does what `operator` says with what is selected, which is then selected no more.
    fn operate_selected(&mut self, operator: Operator) {
        let Some((from, to)) = self.visual_span() else { return };
        self.leave_visual();
        self.operate(operator, from, to, false);
    }

    /// What is selected, as places; `None` outside of that mode.
    fn visual_span(&self) -> Option<(usize, usize)> {
        let Mode::Visual(row, column) = self.vi.as_ref()?.mode else { return None };
        let letters = Letters::of(self.area.lines());
        let (anchor, at) = (letters.at_place((row, column)), letters.at_place(self.place()));
        Some((anchor.min(at), (anchor.max(at) + 1).min(letters.end())))
    }

    /// The text that is selected; `None` outside of that mode.
    pub(super) fn visual_text(&self) -> Option<String> {
        let (from, to) = self.visual_span()?;
        Some(Letters::of(self.area.lines()).text(from, to))
    }

    fn insert_at(&mut self, place: Place) {
        let letters = Letters::of(self.area.lines());
        let at = letters.at_place(self.place());
        let row = letters.row(at);
        let to = match place {
            Place::Here => at,
            Place::Behind => letters.right(at, 1),
            Place::LineFirst => letters.first_of_row(row),
            Place::LineEnd | Place::LineBelow => letters.row_end(row),
            Place::LineAbove => letters.row_start(row),
        };
        let to = letters.place(to);
        self.go(to);
        match place {
            Place::LineBelow => self.area.insert_newline(),
            Place::LineAbove => {
                self.area.insert_newline();
                self.go((row, 0));
            }
            Place::Here | Place::Behind | Place::LineFirst | Place::LineEnd => {}
        }
        self.insert_mode();
    }

    /// Puts what was deleted or yanked last.
    fn put(&mut self, is_behind: bool, times: usize) {
        let yanked = self.area.yank_text();
        let register = self.vi.as_ref().and_then(|vi| vi.register.clone());
        // What was deleted by other keys lies where they put it.
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

    fn join_lines(&mut self, times: usize) {
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

    fn change_case(&mut self, times: usize) {
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

    fn replace_letters(&mut self, letter: char, times: usize) {
        let letters = Letters::of(self.area.lines());
        let at = letters.at_place(self.place());
        let to = letters.right(at, times);
        // Where there are fewer letters than asked for, none is replaced.
        if to - at < times {
            return;
        }
        let (place, count) = (letters.place(at), letters.text(at, to).chars().count());
        self.take(place, count);
        self.area.insert_str(letter.to_string().repeat(times));
        self.go_left();
    }

    fn undo_change(&mut self) {
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

    fn redo_change(&mut self) {
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

    /// Ends typing: the cursor stands on the letter that was typed last.
    fn end_typing(&mut self) {
        self.unselect();
        let after = self.mark();
        if let Some(vi) = &mut self.vi {
            vi.mode = Mode::Normal;
            if let Some(before) = vi.typing_since.take() {
                vi.remember(Change { before, after });
            }
        }
        self.go_left();
        self.settle();
    }

    fn insert_mode(&mut self) {
        let now = self.mark();
        self.set_mode(Mode::Insert);
        self.vi.iter_mut().for_each(|vi| vi.typing_since = Some(now));
    }

    fn set_mode(&mut self, mode: Mode) {
        if let Some(vi) = &mut self.vi {
            vi.mode = mode;
            vi.typed.clear();
        }
    }

    /// Selects from where the cursor stands, if that is not being done.
    pub(super) fn begin_visual(&mut self) {
        if !self.is_visual() {
            let (row, column) = self.place();
            self.set_mode(Mode::Visual(row, column));
        }
    }

    /// Deletes what is selected in that mode, for what is to stand there instead.
    pub(super) fn delete_visual(&mut self) {
        if self.is_visual() {
            self.operate_selected(Operator::Delete);
        }
    }

    pub(super) fn leave_visual(&mut self) {
        if self.is_visual() {
            self.set_mode(Mode::Normal);
            self.unselect();
            self.settle();
        }
    }

    pub(super) fn is_visual(&self) -> bool {
        self.vi.as_ref().is_some_and(|vi| matches!(vi.mode, Mode::Visual(..)))
    }

    /// What an action of the keys without modes means while something is selected; `None` when it has been done.
    pub(super) fn before_modal(&mut self, action: Action) -> Option<Action> {
        if !self.is_visual() {
            return Some(action);
        }
        match action {
            Action::CopySelection => self.operate_selected(Operator::Yank),
            Action::CutSelection | Action::DeleteChar | Action::DeleteCharBefore => {
                self.operate_selected(Operator::Delete);
            }
            _ if is_motion(action) => return Some(action),
            _ => {
                self.leave_visual();
                return Some(action);
            }
        }
        self.edits += 1;
        self.settle();
        None
    }

    /// Brings the cursor to where the mode has it, and shows what is selected. After everything that may have moved it.
    pub(super) fn settle(&mut self) {
        let Some(vi) = &self.vi else { return };
        let mode = vi.mode;
        if mode == Mode::Insert {
            return;
        }
        let letters = Letters::of(self.area.lines());
        let at = letters.on_a_letter(letters.at_place(self.place()));
        let place = letters.place(at);
        let anchor = match mode {
            Mode::Visual(row, column) => Some(letters.at_place((row, column))),
            Mode::Insert | Mode::Normal => None,
        };
        // The text area's own selection ends before its later end: backwards it begins behind the letter it began on.
        let begin = anchor.map(|anchor| letters.place(if at < anchor { anchor + 1 } else { anchor }));
        match begin {
            Some(begin) => {
                self.area.cancel_selection();
                self.go(begin);
                self.area.start_selection();
                self.go(place);
                self.selecting = Selecting::FromMark;
                self.area.set_cursor_style(SELECTED);
            }
            None if place != self.place() => self.go(place),
            None => {}
        }
    }

    fn place(&self) -> (usize, usize) {
        (self.area.cursor().0, self.area.cursor().1)
    }

    /// Brings the cursor to a row and column that are there. The text area takes small numbers alone: in a line of more
    /// letters than these count, only what is near to its end is reached beyond.
    fn go(&mut self, (row, column): (usize, usize)) {
        /// Steps of one letter, each of which costs a look at the whole text.
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

    /// One letter to the left, within the line.
    pub(super) fn go_left(&mut self) {
        let letters = Letters::of(self.area.lines());
        let place = letters.place(letters.left(letters.at_place(self.place()), 1));
        self.go(place);
    }

    fn go_to_first_of(&mut self, row: usize) {
        let letters = Letters::of(self.area.lines());
        let place = letters.place(letters.first_of_row(row));
        self.go(place);
    }

    /// Takes away so many code points from a place on.
    fn take(&mut self, from: (usize, usize), count: usize) {
        self.area.cancel_selection();
        self.go(from);
        // What could not be gone to is not taken away elsewhere.
        if self.place() == from {
            self.area.delete_str(count);
        }
    }

    /// A mark of the text: as long as it is the same, so is the text.
    fn mark(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.area.lines().hash(&mut hasher);
        hasher.finish()
    }

    fn last_find(&self, is_same_way: bool) -> Option<Find> {
        let find = self.vi.as_ref()?.find?;
        Some(if is_same_way { find } else { Find { is_forward: !find.is_forward, ..find } })
    }

    fn remember_find(&mut self, over: Over) {
        if let (Some(vi), Over::Find(find)) = (&mut self.vi, over) {
            vi.find = Some(find);
        }
    }
}

impl Vi {
    fn remember(&mut self, change: Change) {
        if change.before == change.after {
            return;
        }
        self.undone.clear();
        self.done.push(change);
        if self.done.len() > UNDO_DEPTH {
            self.done.remove(0);
        }
    }
}

/// The letter that a key is among the modal ones, if it is one. Keys of one's own go before those that write nothing.
fn letter_of(chord: Chord, action: Option<Action>) -> Option<char> {
    if let Some(letter) = chord.typed() {
        return Some(letter);
    }
    match action {
        Some(Action::NewLine) => Some(keys::ENTER),
        Some(Action::DeleteCharBefore) => Some(keys::BACKSPACE),
        Some(Action::DeleteChar) => Some('x'),
        Some(Action::InputHistory) if chord == Chord::control('r') => Some(keys::CTRL_R),
        _ => None,
    }
}

/// A letter in the other case, where that is one letter too.
fn other_case(letter: char) -> char {
    fn only(mut letters: impl Iterator<Item = char>) -> Option<char> {
        let first = letters.next();
        first.filter(|_| letters.next().is_none())
    }
    let other = if letter.is_uppercase() { only(letter.to_lowercase()) } else { only(letter.to_uppercase()) };
    other.unwrap_or(letter)
}
