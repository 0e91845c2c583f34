//! Modal editing under the key map `vi`: the modes, and what happens to a key.
//!
//! The keys and their meaning are in `keys`, positions in `letters`, targets of motions in `spans`,
//! edits in `changes`. A position is a whole grapheme; outside insert mode the cursor is on one if
//! the line has any. A command, or a stretch of typing, is undone in one step.

mod changes;
mod keys;
mod letters;
mod spans;
#[cfg(test)]
mod tests;

use std::hash::{DefaultHasher, Hash, Hasher};

use crossterm::event::KeyCode;

use super::{Composer, SELECTED, Selecting, UNDO_DEPTH, is_motion};
use crate::tui::action::Action;
use crate::tui::keymap::Chord;
use keys::{Command, Motion, MotionTarget, Operator, Typed};
pub(crate) use keys::{MODAL_KEYS, ModalKey};
use letters::{Find, Letters};

/// Longer incomplete commands are discarded.
const LONGEST: usize = 24;
/// Most characters inserted at once, whatever the count before `p` or `r`.
const MOST: usize = 100_000;

/// The name of insert mode.
pub(crate) const INSERT: &str = "insert";
/// The name of visual mode.
pub(crate) const VISUAL: &str = "visual";

/// The mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Keys type.
    Insert,
    /// Keys are commands.
    Normal,
    /// Keys are commands, and motions select from this row and column.
    Visual(usize, usize),
}

/// The result of handling a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyResult {
    /// Not handled.
    No,
    /// Handled.
    Yes,
    /// Stands for this action.
    Means(Action),
}

/// The last deleted or yanked text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Register {
    text: String,
    is_lines: bool,
}

/// A change, as hashes of the text before and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    before: u64,
    after: u64,
}

/// The modal state.
#[derive(Debug, Clone)]
pub(super) struct Vi {
    mode: Mode,
    /// The incomplete command.
    typed: String,
    /// The column, in graphemes, that moving up and down aims for.
    goal: Option<usize>,
    find: Option<Find>,
    register: Option<Register>,
    /// The hash of the text before typing began.
    typing_since: Option<u64>,
    done: Vec<Change>,
    undone: Vec<Change>,
}

impl Composer {
    /// Turns modes on or off. Starts in insert mode.
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

    /// The mode's name; `None` if there are no modes.
    pub(crate) fn mode(&self) -> Option<&'static str> {
        Some(match self.vi.as_ref()?.mode {
            Mode::Insert => INSERT,
            Mode::Normal => "normal",
            Mode::Visual(..) => VISUAL,
        })
    }

    /// True while keys are commands rather than text.
    pub(crate) fn is_commanded(&self) -> bool {
        self.mode().is_some_and(|mode| mode != INSERT)
    }

    /// The incomplete command.
    pub(crate) fn typed_so_far(&self) -> String {
        self.vi.iter().flat_map(|vi| vi.typed.chars()).map(keys::shown).collect()
    }

    /// Enters insert mode, if there are modes.
    pub(crate) fn begin_typing(&mut self) {
        if self.vi.as_ref().is_some_and(|vi| vi.mode != Mode::Insert) {
            self.leave_visual();
            self.insert_mode();
        }
    }

    /// Presses the keys of `key`, as the help lists them.
    pub(crate) fn press_modal(&mut self, key: &ModalKey) -> KeyResult {
        if self.vi.as_ref().is_some_and(|vi| vi.mode == Mode::Insert) {
            self.end_typing();
        }
        let mut taken = KeyResult::No;
        for letter in key.letters() {
            taken = self.modal_letter(letter);
        }
        taken
    }

    /// Handles a key of the current mode. `action` is what it would do without modes.
    pub(crate) fn modal_key(&mut self, chord: Chord, action: Option<Action>) -> KeyResult {
        let Some(vi) = &mut self.vi else { return KeyResult::No };
        let is_escape = chord == Chord::plain(KeyCode::Esc);
        match vi.mode {
            Mode::Insert if is_escape => self.end_typing(),
            Mode::Insert => return KeyResult::No,
            _ if is_escape && !vi.typed.is_empty() => vi.typed.clear(),
            Mode::Visual(..) if is_escape => self.leave_visual(),
            Mode::Normal | Mode::Visual(..) => {
                let Some(letter) = letter_of(chord, action) else {
                    vi.typed.clear();
                    return KeyResult::No;
                };
                return self.modal_letter(letter);
            }
        }
        KeyResult::Yes
    }

    fn modal_letter(&mut self, letter: char) -> KeyResult {
        let Some(vi) = &mut self.vi else { return KeyResult::No };
        vi.typed.push(letter);
        match keys::read(&vi.typed, matches!(vi.mode, Mode::Visual(..))) {
            Typed::Part if vi.typed.len() < LONGEST => KeyResult::Yes,
            Typed::Part | Typed::Wrong => {
                vi.typed.clear();
                KeyResult::Yes
            }
            Typed::Whole(command, count) => {
                vi.typed.clear();
                self.perform(command, count)
            }
        }
    }

    /// Executes a command, and records its change.
    fn perform(&mut self, command: Command, count: Option<usize>) -> KeyResult {
        if let Command::Act(action) = command {
            return KeyResult::Means(action);
        }
        let before = self.mark();
        if !self.is_visual() {
            self.unselect();
        }
        let goal = self.vi.as_mut().and_then(|vi| vi.goal.take());
        self.execute(command, count, goal);
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
        KeyResult::Yes
    }

    fn execute(&mut self, command: Command, count: Option<usize>, goal: Option<usize>) {
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

    fn go_over(&mut self, over: MotionTarget, count: Option<usize>, goal: Option<usize>) {
        let letters = Letters::of(self.area.lines());
        let at = letters.at_place(self.place());
        if over == MotionTarget::Word {
            let (from, to) = letters.word_around(at);
            let (start, last) = (letters.place(from), letters.place(to.max(from + 1) - 1));
            self.set_mode(Mode::Visual(start.0, start.1));
            self.go(last);
            return;
        }
        let goal = goal.unwrap_or_else(|| letters.letters_before(at));
        let Some(to) = self.target(&letters, at, over, count, goal) else { return };
        let place = letters.place(to);
        if let (Some(vi), MotionTarget::Motion(Motion::Up | Motion::Down)) = (&mut self.vi, over) {
            vi.goal = Some(goal);
        }
        self.remember_find(over);
        self.go(place);
    }

    /// Ends typing, with the cursor on the last typed letter.
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

    /// Starts selecting at the cursor, unless already in visual mode.
    pub(super) fn begin_visual(&mut self) {
        if !self.is_visual() {
            let (row, column) = self.place();
            self.set_mode(Mode::Visual(row, column));
        }
    }

    /// Deletes a visual selection, to be replaced.
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

    /// Applies a non-modal action to the visual selection; returns `None` if that is all.
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

    /// Restores the mode's cursor and selection. Called after anything that can move it.
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
        // The text area excludes the later end: backwards it starts after the first letter.
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

    /// Moves one letter to the left, within the line.
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

    /// A hash of the text.
    fn mark(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.area.lines().hash(&mut hasher);
        hasher.finish()
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

/// The modal key for `chord`, if any. The user's own keys precede keys that type nothing.
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
