//! Escaped text for people: the only type that the printer takes.
//!
//! Every conversion from a string escapes what is hidden in it (`aludel_core::text::shown`), so a
//! name from a provider, a file or the database cannot control a terminal, even if a view forgets
//! to escape it. Only this module adds styles and cursor movements.

use std::ops::Deref;

use aludel_core::text::shown::{Escaper, escape, escape_around_styles};
use anstyle::Style;

/// Clears one line (ECMA-48: EL). Clearing all below puts frames into some terminals' history.
const WIPE_LINE: &str = "\x1b[2K";

/// Text without anything hidden, with our own styles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct EscapedText(String);

impl EscapedText {
    /// Escapes the text and adds a style.
    pub(crate) fn styled(style: Style, text: &str) -> Self {
        Self(format!("{style}{}{style:#}", escape(text)))
    }

    /// Concatenates the parts.
    pub(crate) fn of_parts(parts: impl IntoIterator<Item = Self>) -> Self {
        Self(parts.into_iter().map(|part| part.0).collect())
    }

    /// Escapes text that a library has styled, except for the styles.
    pub(crate) fn with_its_styles(text: &str) -> Self {
        Self(escape_around_styles(text).into_owned())
    }

    /// Keeps data unescaped, for a pipe or a file. Never for a terminal.
    pub(crate) fn exactly(data: &str) -> Self {
        Self(data.to_owned())
    }

    /// A line that overwrites the one on the terminal.
    pub(crate) fn drawn_over(line: &Self) -> Self {
        Self(format!("{WIPE_LINE}{}\n", line.0))
    }

    /// The code that moves up by `lines`, to the beginning of the line (ECMA-48: CPL).
    pub(crate) fn lines_back(lines: usize) -> Self {
        Self(if lines == 0 { String::new() } else { format!("\x1b[{lines}F") })
    }

    /// Appends.
    pub(crate) fn add(&mut self, more: impl Into<Self>) {
        self.0.push_str(&more.into().0);
    }

    /// Wraps to `width` columns between words. Styles take no columns; a longer word stays whole.
    pub(crate) fn broken(self, width: usize) -> Self {
        let options = textwrap::Options::new(width)
            .word_separator(textwrap::WordSeparator::AsciiSpace)
            .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
            .break_words(false);
        let lines = self.0.split('\n').flat_map(|line| textwrap::wrap(line, &options));
        Self(lines.collect::<Vec<_>>().join("\n"))
    }

    /// Removes blanks at the end.
    pub(crate) fn trimmed_at_the_end(mut self) -> Self {
        self.0.truncate(self.0.trim_end().len());
        self
    }
}

impl Deref for EscapedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for EscapedText {
    fn from(text: &str) -> Self {
        Self(escape(text).into_owned())
    }
}

impl From<&String> for EscapedText {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<String> for EscapedText {
    fn from(text: String) -> Self {
        match escape(&text) {
            std::borrow::Cow::Owned(escaped) => Self(escaped),
            std::borrow::Cow::Borrowed(_) => Self(text),
        }
    }
}

impl From<&Self> for EscapedText {
    fn from(shown: &Self) -> Self {
        shown.clone()
    }
}

impl From<EscapedText> for String {
    fn from(shown: EscapedText) -> Self {
        shown.0
    }
}

impl PartialEq<&str> for EscapedText {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

/// Escapes a text that arrives in pieces.
#[derive(Debug, Default)]
pub(crate) struct EscapedStream(Escaper);

impl EscapedStream {
    /// Takes a piece and returns the text that is certain by now.
    pub(crate) fn push(&mut self, piece: &str) -> EscapedText {
        let mut shown = String::with_capacity(piece.len());
        self.0.push(piece, &mut shown);
        EscapedText(shown)
    }
}

#[cfg(test)]
mod tests {
    use anstyle::AnsiColor;

    use super::*;

    #[test]
    fn every_string_is_escaped_on_its_way_in() {
        let hostile = "\u{1b}]0;PWN\u{7}\u{202e}x";
        let shown = "␛]0;PWN␇\\u{202e}x";
        assert_eq!(EscapedText::from(hostile), shown);
        assert_eq!(EscapedText::from(hostile.to_owned()), shown);
        assert_eq!(EscapedText::from(&hostile.to_owned()), shown);
        let red = Style::new().fg_color(Some(AnsiColor::Red.into()));
        assert_eq!(EscapedText::styled(red, hostile), format!("\u{1b}[31m{shown}\u{1b}[0m").as_str());
    }

    #[test]
    fn parts_keep_the_styles_they_have() {
        let bold = EscapedText::styled(Style::new().bold(), "b");
        let mut line = EscapedText::of_parts(["a ".into(), bold, " \u{9b}".into()]);
        line.add("  ");
        assert_eq!(line.trimmed_at_the_end(), "a \u{1b}[1mb\u{1b}[0m \\u{9b}");
    }

    #[test]
    fn a_stream_is_escaped_across_its_pieces() {
        let mut stream = EscapedStream::default();
        let shown: Vec<EscapedText> = ["é", "\u{200d}ë\r", "\n\u{1b}", "[2J"].map(|piece| stream.push(piece)).into();
        assert_eq!(shown, ["é", "\u{200d}ë", "\r\n␛", "[2J"]);
    }
}
