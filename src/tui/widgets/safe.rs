//! Makes foreign text safe to show: it cannot move a cursor, change a colour or reach a clipboard.
//!
//! Models may answer with anything. [`Sanitizer`] takes text in arbitrary pieces and passes what is
//! printable: terminal escape sequences are removed whole, line breaks become `\n`, tabs become
//! [`TAB`], and what `aludel_core::text::shown` calls hidden is dropped: control characters, marks
//! that reorder text, tags. [`guard`] checks each frame. Stored and copied text is unchanged.
//!
//! Always holds: feeding a text in pieces gives the same as feeding it whole. An unclosed sequence
//! ends at the end of its line, so it cannot hide what follows.

use aludel_core::text::shown::{has_hidden, is_always_hidden};
use ratatui::buffer::Buffer;

/// What a tab is shown as.
pub(crate) const TAB: &str = "    ";

/// The position within an escape sequence (ECMA-48, section 5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After a carriage return: a line feed now belongs to it.
    Return,
    /// After ESC.
    Escape,
    /// After ESC and an intermediate byte: one more character ends it.
    Intermediate,
    /// In a control sequence, up to its final byte.
    Control,
    /// In a command string (OSC, DCS and the like), up to BEL or ST.
    Command,
    /// After ESC in a command string.
    CommandEscape,
}

/// Takes text in pieces and returns its safe form.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sanitizer {
    state: State,
}

impl Sanitizer {
    /// Appends the safe form of `piece` to `out`.
    pub(crate) fn push(&mut self, piece: &str, out: &mut String) {
        for character in piece.chars() {
            self.push_char(character, out);
        }
    }

    fn push_char(&mut self, character: char, out: &mut String) {
        self.state = match (self.state, character) {
            (State::Escape, ']' | 'P' | 'X' | '^' | '_') => State::Command,
            (State::Escape, ' '..='/') => State::Intermediate,
            (State::Escape, '[') | (State::Control, ' '..='?') => State::Control,
            (State::Return, '\n')
            | (State::Escape | State::Intermediate, '0'..='~')
            | (State::Control, '@'..='~')
            | (State::Command, '\u{7}' | '\u{9c}')
            | (State::CommandEscape, '\\') => State::Text,
            (State::Command, '\u{1b}') => State::CommandEscape,
            (State::Command, other) if !is_break(other) => State::Command,
            (State::CommandEscape, _) => {
                // Not the end of the string but the beginning of another sequence.
                self.state = State::Escape;
                return self.push_char(character, out);
            }
            // Anything else aborts the sequence and is taken as text.
            _ => text(character, out),
        };
    }
}

/// Handles a character outside any sequence.
fn text(character: char, out: &mut String) -> State {
    match character {
        '\r' => {
            out.push('\n');
            return State::Return;
        }
        '\t' => out.push_str(TAB),
        _ if is_break(character) => out.push('\n'),
        '\u{1b}' => return State::Escape,
        '\u{9b}' => return State::Control,
        '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => return State::Command,
        _ if is_always_hidden(character) => {}
        _ => out.push(character),
    }
    State::Text
}

/// True for everything Unicode calls a mandatory line break (UAX #14, class BK, CR, LF, NL).
fn is_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Replaces every cell with anything hidden in it by [`REPLACEMENT_CHARACTER`], whoever drew it.
pub(crate) fn guard(frame: &mut Buffer) {
    for cell in &mut frame.content {
        let is_plain = matches!(cell.symbol().as_bytes(), [b' '..=b'~']);
        if !is_plain && (cell.symbol().contains(char::is_control) || has_hidden(cell.symbol())) {
            cell.set_symbol(REPLACEMENT_CHARACTER);
        }
    }
}

/// Replaces a cell that must not be shown.
const REPLACEMENT_CHARACTER: &str = "\u{fffd}";

/// Makes `text` safe to show.
pub(crate) fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    Sanitizer::default().push(text, &mut out);
    out
}

/// Makes `text` safe to show on one line.
pub(crate) fn safe_line(text: &str) -> String {
    safe(text.trim_end()).replace('\n', " ")
}

/// Makes `text` safe for the composer: as [`safe`], but tabs stay tabs.
pub(crate) fn typed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut sanitizer = Sanitizer::default();
    for (index, piece) in text.split('\t').enumerate() {
        if index > 0 && !matches!(sanitizer.state, State::Control | State::Command | State::CommandEscape) {
            out.push('\t');
            sanitizer.state = State::Text;
        }
        sanitizer.push(piece, &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escape_sequences_vanish_whole() {
        for (raw, shown) in [
            ("a\u{1b}[31mred\u{1b}[0m", "ared"),
            ("\u{1b}]52;c;aGk=\u{7}after", "after"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}P1$r0m\u{1b}\\x", "x"),
            ("\u{1b}]0;open\u{1b}[31mred", "red"),
            ("\u{9b}2Jy", "y"),
            ("\u{1b}(Bz", "z"),
            ("\u{1b}cfull reset", "full reset"),
            ("bell\u{7}, back\u{8}space", "bell, backspace"),
        ] {
            assert_eq!(safe(raw), shown, "{raw:?}");
        }
    }

    #[test]
    fn an_unclosed_sequence_hides_no_more_than_its_line() {
        assert_eq!(safe("\u{1b}]0;title\nthe rest"), "\nthe rest");
        assert_eq!(safe("\u{1b}[12\nthe rest"), "\nthe rest");
        assert_eq!(safe("\u{1b}\u{1b}[31mx"), "x");
    }

    #[test]
    fn line_breaks_become_one_kind_and_tabs_blanks() {
        assert_eq!(safe("a\r\nb\rc\u{2028}d\te"), "a\nb\nc\nd    e");
        assert_eq!(safe_line("a\nb\n"), "a b");
    }

    #[test]
    fn letters_of_every_script_stay_as_they_are() {
        let text = "世界 👩\u{200d}👩\u{200d}👧 👍🏽 🇯🇵 ♻\u{fe0f} e\u{301} ﷺ می\u{200c}خواهم";
        assert_eq!(safe(text), text);
    }

    #[test]
    fn marks_that_reorder_text_are_dropped() {
        assert_eq!(safe("a\u{202e}b\u{2066}c\u{feff}d"), "abcd");
    }

    #[test]
    fn no_cell_of_a_frame_can_hide_anything() {
        let mut frame = Buffer::with_lines(["abcdef"]);
        for (cell, symbol) in
            frame.content.iter_mut().zip(["a\u{202e}", "\u{1b}", "b\u{e0041}", "\n", "é", "👩\u{200d}🔬"])
        {
            cell.set_symbol(symbol);
        }
        guard(&mut frame);
        let symbols: Vec<&str> = frame.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(
            symbols,
            [
                REPLACEMENT_CHARACTER,
                REPLACEMENT_CHARACTER,
                REPLACEMENT_CHARACTER,
                REPLACEMENT_CHARACTER,
                "é",
                "👩\u{200d}🔬"
            ]
        );
    }

    #[test]
    fn typed_text_keeps_its_tabs() {
        assert_eq!(typed("a\tb\r\nc\u{1b}[31md"), "a\tb\ncd");
        assert_eq!(typed("\ta"), "\ta");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_split_gives_the_same(pieces in proptest::collection::vec("[\\x00-\\x7f\u{80}-\u{9f}é世]{0,6}", 0..12)) {
            let (mut out, mut sanitizer) = (String::new(), Sanitizer::default());
            for piece in &pieces {
                sanitizer.push(piece, &mut out);
            }
            prop_assert_eq!(&out, &safe(&pieces.concat()));
            prop_assert!(out.chars().all(|character| character == '\n' || !character.is_control()));
        }
    }
}
