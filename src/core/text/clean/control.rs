//! Removes control characters and terminal escape sequences from a stream.
//!
//! Model output reaches terminals, where a sequence could repaint the screen or set the window
//! title. Sequences are those of ECMA-48: CSI, the strings (OSC, DCS, SOS, PM, APC) and the
//! two-character escapes. An unterminated string ends with its line.

/// Takes characters one by one and returns those that are text.
#[derive(Debug, Default)]
pub(super) struct ControlFilter {
    state: State,
    after_carriage_return: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    Escape,
    /// After an escape and an intermediate character; the next one ends the sequence.
    Intermediate,
    Csi,
    ControlString,
    /// After an escape in a control string.
    StringEscape,
}

impl ControlFilter {
    /// Returns `c` if it is text, a line feed for any line end, and nothing for the rest.
    pub(super) fn take(&mut self, c: char) -> Option<char> {
        match (self.state, c) {
            (State::Text, '\u{1b}') => self.enter(State::Escape),
            (State::Text, '\u{9b}') | (State::Escape, '[') => self.enter(State::Csi),
            (State::Text, '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}')
            | (State::Escape, ']' | 'P' | 'X' | '^' | '_') => self.enter(State::ControlString),
            (State::Escape | State::Intermediate, ' '..='/') => self.enter(State::Intermediate),
            (State::Csi, ' '..='?') => None,
            (State::Escape | State::Intermediate, '0'..='~')
            | (State::Csi, '@'..='~')
            | (State::ControlString | State::StringEscape, '\u{7}' | '\u{9c}')
            | (State::StringEscape, '\\') => self.enter(State::Text),
            (State::ControlString | State::StringEscape, '\u{1b}') => self.enter(State::StringEscape),
            (State::ControlString | State::StringEscape, c) if c != '\n' && c != '\r' => {
                self.enter(State::ControlString)
            }
            // Not a sequence after all, or its line has ended: read as text.
            (State::Text, c) => self.text(c),
            (_, c) => {
                self.state = State::Text;
                self.take(c)
            }
        }
    }

    /// True outside any sequence.
    pub(super) fn is_in_text(&self) -> bool {
        self.state == State::Text
    }

    /// Notes a skipped character that is neither control character nor line end.
    pub(super) fn pass(&mut self) {
        self.after_carriage_return = false;
    }

    fn enter(&mut self, state: State) -> Option<char> {
        self.state = state;
        None
    }

    fn text(&mut self, c: char) -> Option<char> {
        let after_carriage_return = std::mem::replace(&mut self.after_carriage_return, c == '\r');
        match c {
            '\n' if after_carriage_return => None,
            '\n' | '\r' => Some('\n'),
            '\t' => Some('\t'),
            '\u{feff}' => None,
            c if c.is_control() => None,
            c => Some(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filtered(text: &str) -> String {
        let mut filter = ControlFilter::default();
        text.chars().filter_map(|c| filter.take(c)).collect()
    }

    #[test]
    fn escape_sequences_are_taken_out_whole() {
        assert_eq!(filtered("a\u{1b}[1;31mred\u{1b}[0m b"), "ared b");
        assert_eq!(filtered("a\u{1b}]0;title\u{7}b\u{1b}]8;;http://x\u{1b}\\c"), "abc");
        assert_eq!(filtered("a\u{9b}2Jb\u{1b}(Bc\u{1b}cd"), "abcd");
    }

    #[test]
    fn an_unended_control_string_ends_with_its_line() {
        assert_eq!(filtered("a\u{1b}]0;title\nb"), "a\nb");
    }

    #[test]
    fn line_ends_become_line_feeds_and_other_controls_go() {
        assert_eq!(filtered("a\r\nb\rc\td\0\u{8}\u{85}e\u{feff}"), "a\nb\nc\tde");
    }

    #[test]
    fn a_broken_sequence_costs_no_text() {
        assert_eq!(filtered("a\u{1b}[12é b"), "aé b");
        assert_eq!(filtered("a\u{1b}é"), "aé");
    }
}
