//! The keys of modal editing: one table for their meaning and the help.
//!
//! A command is `[count] command` or `[count] operator [count] motion`, as in vi. Each key parses
//! the whole input again ([`read`]), so the letters typed are the only state.

use super::letters::Find;
use crate::tui::action::Action;

/// Keys that type no letter, as control characters.
pub(super) const ENTER: char = '\r';
pub(super) const BACKSPACE: char = '\u{8}';
pub(super) const CTRL_R: char = '\u{12}';

/// Maximum count.
const MOST: usize = 9_999;

/// A key, or a sequence of keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModalKey {
    /// The keys.
    keys: &'static str,
    meaning: Meaning,
    /// What it does, for the help.
    pub(crate) help: &'static str,
}

/// A motion of the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Motion {
    Left,
    Right,
    Up,
    Down,
    WordRight,
    WordLeft,
    WordEnd,
    LineStart,
    LineFirst,
    LineEnd,
    NextLine,
    TextStart,
    TextEnd,
}

/// What to do with the text of a motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Delete,
    Change,
    Yank,
}

/// Where insert mode starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InsertPosition {
    Here,
    Behind,
    LineFirst,
    LineEnd,
    LineBelow,
    LineAbove,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Motion(Motion),
    /// Moves to a letter of the line, which follows.
    Find {
        is_forward: bool,
        stops_before: bool,
    },
    FindAgain {
        is_same_way: bool,
    },
    /// The word around the cursor, after an operator.
    Word,
    Operator(Operator),
    /// Short for other keys.
    As(&'static str),
    Insert(InsertPosition),
    Put {
        is_behind: bool,
    },
    Undo,
    Redo,
    Join,
    Case,
    /// Replaces a letter with the one that follows.
    Replace,
    Visual,
    Act(Action),
}

/// What the cursor or an operator moves over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MotionTarget {
    Motion(Motion),
    Find(Find),
    FindAgain {
        is_same_way: bool,
    },
    Word,
    /// The current line, and as many below as counted.
    Lines,
}

/// A complete command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Move(MotionTarget),
    Operate(Operator, MotionTarget),
    /// An operator on the selection.
    OperateSelected(Operator),
    Insert(InsertPosition),
    Put {
        is_behind: bool,
    },
    Undo,
    Redo,
    Join,
    Case,
    Replace(char),
    Visual,
    Act(Action),
}

/// The parsed input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typed {
    /// Incomplete.
    Part,
    /// Not a command.
    Wrong,
    /// A command and its count, if one was typed.
    Whole(Command, Option<usize>),
}

const fn key(keys: &'static str, meaning: Meaning, help: &'static str) -> ModalKey {
    ModalKey { keys, meaning, help }
}

const fn motion(keys: &'static str, motion: Motion, help: &'static str) -> ModalKey {
    key(keys, Meaning::Motion(motion), help)
}

/// All modal keys, in the order of the help.
pub(crate) static MODAL_KEYS: &[ModalKey] = &[
    motion("h", Motion::Left, "Left; a number before a key repeats it"),
    motion("j", Motion::Down, "Down a line; ↓ goes down a row of a long one"),
    motion("k", Motion::Up, "Up a line; ↑ goes up a row of a long one"),
    motion("l", Motion::Right, "Right"),
    motion("\u{8}", Motion::Left, "Left"),
    motion(" ", Motion::Right, "Right"),
    motion("\r", Motion::NextLine, "To the next line"),
    motion("w", Motion::WordRight, "To the next word"),
    motion("b", Motion::WordLeft, "To the beginning of the word, or of the one before"),
    motion("e", Motion::WordEnd, "To the end of the word, or of the next"),
    motion("0", Motion::LineStart, "To the beginning of the line"),
    motion("^", Motion::LineFirst, "To the first letter of the line"),
    motion("$", Motion::LineEnd, "To the end of the line"),
    motion("gg", Motion::TextStart, "To the first line, or the one of a number before it"),
    motion("G", Motion::TextEnd, "To the last line, or the one of a number before it"),
    key("f", Meaning::Find { is_forward: true, stops_before: false }, "To a letter of the line, which follows"),
    key("t", Meaning::Find { is_forward: true, stops_before: true }, "To before a letter of the line, which follows"),
    key("F", Meaning::Find { is_forward: false, stops_before: false }, "Back to a letter of the line"),
    key("T", Meaning::Find { is_forward: false, stops_before: true }, "Back to behind a letter of the line"),
    key(";", Meaning::FindAgain { is_same_way: true }, "To the next such letter"),
    key(",", Meaning::FindAgain { is_same_way: false }, "To the one before"),
    key("i", Meaning::Insert(InsertPosition::Here), "Type here; Esc ends typing"),
    key("a", Meaning::Insert(InsertPosition::Behind), "Type after the cursor"),
    key("I", Meaning::Insert(InsertPosition::LineFirst), "Type before the first letter of the line"),
    key("A", Meaning::Insert(InsertPosition::LineEnd), "Type at the end of the line"),
    key("o", Meaning::Insert(InsertPosition::LineBelow), "Type on a new line below"),
    key("O", Meaning::Insert(InsertPosition::LineAbove), "Type on a new line above"),
    key("d", Meaning::Operator(Operator::Delete), "Delete what a motion goes over; dd: the line; diw: the word"),
    key("c", Meaning::Operator(Operator::Change), "Change what a motion goes over; cc: the line; ciw: the word"),
    key("y", Meaning::Operator(Operator::Yank), "Yank what a motion goes over; yy: the line; yiw: the word"),
    key("iw", Meaning::Word, "Behind d, c, y and v: the word around the cursor"),
    key("x", Meaning::As("dl"), "Delete the letter"),
    key("X", Meaning::As("dh"), "Delete the letter before"),
    key("D", Meaning::As("d$"), "Delete to the end of the line"),
    key("C", Meaning::As("c$"), "Change to the end of the line"),
    key("p", Meaning::Put { is_behind: true }, "Paste what was deleted or yanked last after the cursor"),
    key("P", Meaning::Put { is_behind: false }, "Paste it before the cursor"),
    key("J", Meaning::Join, "Join the line with the next"),
    key("~", Meaning::Case, "Toggle upper and lower case"),
    key("r", Meaning::Replace, "Replace this letter with the one typed next"),
    key("u", Meaning::Undo, "Undo"),
    key("\u{12}", Meaning::Redo, "Redo"),
    key("v", Meaning::Visual, "Select from here on; d, c, y and ~ take it"),
    key(":", Meaning::Act(Action::Palette), "Every action, by name"),
];

impl ModalKey {
    /// The keys, one by one.
    pub(crate) fn letters(&self) -> impl Iterator<Item = char> {
        self.keys.chars()
    }

    /// The keys as hints show them.
    pub(crate) fn shown(&self) -> String {
        self.keys.chars().map(shown).collect()
    }
}

/// A key as hints show it.
pub(super) fn shown(letter: char) -> String {
    match letter {
        ENTER => "Enter".to_owned(),
        BACKSPACE => "Bksp".to_owned(),
        CTRL_R => "^R".to_owned(),
        ' ' => "Space".to_owned(),
        letter => letter.to_string(),
    }
}

/// Parses the input, in visual mode or not.
pub(super) fn read(typed: &str, is_visual: bool) -> Typed {
    let (count, rest) = counted(typed);
    if rest.is_empty() {
        return if typed.is_empty() { Typed::Wrong } else { Typed::Part };
    }
    let here = |known: &&ModalKey| match known.meaning {
        Meaning::Word => is_visual,
        Meaning::Motion(_)
        | Meaning::Find { .. }
        | Meaning::FindAgain { .. }
        | Meaning::Operator(_)
        | Meaning::Case
        | Meaning::Visual
        | Meaning::Act(_) => true,
        // On a selection, `x` means `d`.
        Meaning::As(_) => !is_visual || known.keys == "x",
        _ => !is_visual,
    };
    let (known, after) = match named(rest, here) {
        Ok(found) => found,
        Err(typed) => return typed,
    };
    let command = match known.meaning {
        Meaning::Operator(operator) if is_visual => Command::OperateSelected(operator),
        Meaning::As(_) if is_visual => Command::OperateSelected(Operator::Delete),
        Meaning::Operator(operator) => return operated(operator, known.keys, count, after),
        Meaning::As(keys) if after.is_empty() => {
            return match read(keys, false) {
                Typed::Whole(command, _) => Typed::Whole(command, count),
                other => other,
            };
        }
        Meaning::Insert(place) => Command::Insert(place),
        Meaning::Put { is_behind } => Command::Put { is_behind },
        Meaning::Undo => Command::Undo,
        Meaning::Redo => Command::Redo,
        Meaning::Join => Command::Join,
        Meaning::Case => Command::Case,
        Meaning::Visual => Command::Visual,
        Meaning::Act(action) => Command::Act(action),
        Meaning::Replace => {
            return match letter(after) {
                Ok(letter) => Typed::Whole(Command::Replace(letter), count),
                Err(typed) => typed,
            };
        }
        meaning => {
            return match over(meaning, after) {
                Ok(over) => Typed::Whole(Command::Move(over), count),
                Err(typed) => typed,
            };
        }
    };
    if after.is_empty() { Typed::Whole(command, count) } else { Typed::Wrong }
}

/// Parses what follows an operator.
fn operated(operator: Operator, keys: &str, count: Option<usize>, after: &str) -> Typed {
    let (second, rest) = counted(after);
    let count = match (count, second) {
        (Some(first), Some(second)) => Some(first.saturating_mul(second).min(MOST)),
        (first, second) => first.or(second),
    };
    if rest.is_empty() {
        return Typed::Part;
    }
    if rest == keys {
        return Typed::Whole(Command::Operate(operator, MotionTarget::Lines), count);
    }
    let moves = |known: &&ModalKey| {
        matches!(known.meaning, Meaning::Motion(_) | Meaning::Find { .. } | Meaning::FindAgain { .. } | Meaning::Word)
    };
    let found = named(rest, moves).and_then(|(known, after)| over(known.meaning, after));
    found.map_or_else(|typed| typed, |over| Typed::Whole(Command::Operate(operator, over), count))
}

/// What a motion moves over; `after` is the input after it.
fn over(meaning: Meaning, after: &str) -> Result<MotionTarget, Typed> {
    match meaning {
        Meaning::Find { is_forward, stops_before } => {
            Ok(MotionTarget::Find(Find { is_forward, stops_before, letter: letter(after)? }))
        }
        _ if !after.is_empty() => Err(Typed::Wrong),
        Meaning::Motion(motion) => Ok(MotionTarget::Motion(motion)),
        Meaning::FindAgain { is_same_way } => Ok(MotionTarget::FindAgain { is_same_way }),
        Meaning::Word => Ok(MotionTarget::Word),
        _ => Err(Typed::Wrong),
    }
}

/// The letter that a command takes.
fn letter(after: &str) -> Result<char, Typed> {
    match after.chars().next() {
        None => Err(Typed::Part),
        Some(letter) if letter.is_control() => Err(Typed::Wrong),
        Some(letter) => Ok(letter),
    }
}

/// The key of the table that starts `typed`, and the rest.
fn named(typed: &str, here: impl Fn(&&ModalKey) -> bool + Clone) -> Result<(&'static ModalKey, &str), Typed> {
    let mut known = MODAL_KEYS.iter().filter(here);
    if let Some((known, after)) = known.clone().find_map(|known| Some((known, typed.strip_prefix(known.keys)?))) {
        return Ok((known, after));
    }
    Err(if known.any(|known| known.keys.starts_with(typed)) { Typed::Part } else { Typed::Wrong })
}

/// The leading number, without leading zeros, and the rest.
fn counted(typed: &str) -> (Option<usize>, &str) {
    if typed.starts_with('0') {
        return (None, typed);
    }
    let end = typed.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(typed.len());
    let (digits, rest) = typed.split_at(end);
    let count = digits.bytes().fold(0_usize, |sum, digit| (sum * 10 + usize::from(digit - b'0')).min(MOST));
    ((!digits.is_empty()).then_some(count), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(typed: &str) -> (Command, Option<usize>) {
        match read(typed, false) {
            Typed::Whole(command, count) => (command, count),
            other => panic!("{typed}: {other:?}"),
        }
    }

    #[test]
    fn a_command_is_whole_with_its_last_key_and_not_before() {
        let word = |operator| Command::Operate(operator, MotionTarget::Motion(Motion::WordRight));
        let x = Find { is_forward: true, stops_before: true, letter: 'x' };
        for (typed, command, count) in [
            ("w", Command::Move(MotionTarget::Motion(Motion::WordRight)), None),
            ("0", Command::Move(MotionTarget::Motion(Motion::LineStart)), None),
            ("10j", Command::Move(MotionTarget::Motion(Motion::Down)), Some(10)),
            ("gg", Command::Move(MotionTarget::Motion(Motion::TextStart)), None),
            ("dw", word(Operator::Delete), None),
            ("2d3w", word(Operator::Delete), Some(6)),
            ("c2w", word(Operator::Change), Some(2)),
            ("3dd", Command::Operate(Operator::Delete, MotionTarget::Lines), Some(3)),
            ("yiw", Command::Operate(Operator::Yank, MotionTarget::Word), None),
            ("d2tx", Command::Operate(Operator::Delete, MotionTarget::Find(x)), Some(2)),
            ("4x", Command::Operate(Operator::Delete, MotionTarget::Motion(Motion::Right)), Some(4)),
            ("D", Command::Operate(Operator::Delete, MotionTarget::Motion(Motion::LineEnd)), None),
            ("ré", Command::Replace('é'), None),
            ("i", Command::Insert(InsertPosition::Here), None),
        ] {
            assert_eq!(whole(typed), (command, count), "{typed}");
            for (end, _) in typed.char_indices().skip(1) {
                assert_eq!(read(&typed[..end], false), Typed::Part, "{typed} up to {end}");
            }
        }
    }

    #[test]
    fn what_is_no_command_is_wrong() {
        for typed in ["z", "dz", "di", "gx", "2Z", "dc", "r\r", "f\u{8}", "diz"] {
            let expected = if typed == "di" { Typed::Part } else { Typed::Wrong };
            assert_eq!(read(typed, false), expected, "{typed:?}");
        }
        for typed in ["p", "u", "o", "D"] {
            assert_eq!(read(typed, true), Typed::Wrong, "{typed} of what is selected");
        }
        assert_eq!(read("x", true), Typed::Whole(Command::OperateSelected(Operator::Delete), None));
        assert_eq!(read("iw", true), Typed::Whole(Command::Move(MotionTarget::Word), None));
    }

    #[test]
    fn every_key_of_the_table_is_one_and_can_be_read() {
        for (at, known) in MODAL_KEYS.iter().enumerate() {
            assert!(!MODAL_KEYS[..at].iter().any(|other| other.keys == known.keys), "{}", known.shown());
            let typed = match known.meaning {
                Meaning::Operator(_) => format!("{0}{0}", known.keys),
                Meaning::Find { .. } | Meaning::Replace => format!("{}x", known.keys),
                Meaning::Word => format!("d{}", known.keys),
                _ => known.keys.to_owned(),
            };
            whole(&typed);
        }
        let shown: Vec<String> = MODAL_KEYS.iter().map(ModalKey::shown).collect();
        assert!(shown.iter().all(|keys| !keys.is_empty() && !keys.chars().any(char::is_control)), "{shown:?}");
    }

    #[test]
    fn a_number_is_never_too_large() {
        assert_eq!(whole(&format!("{}l", "9".repeat(40))).1, Some(MOST));
        assert_eq!(whole("9999d9999w").1, Some(MOST));
    }
}
