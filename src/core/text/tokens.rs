//! Token counts when a provider reports none: an estimate, always marked as one.
//!
//! The only such rule in the program, so that all estimates agree. It knows no model's vocabulary:
//! a run of Latin letters costs one token plus one for each seven letters past the first seven;
//! digits and other alphabets count in threes, ideographs and kana singly, a run of one punctuation
//! mark in fours; spaces belong to what follows. English prose comes out near the vendors' own rule
//! of thumb, four characters a token. `core::provider` bounds budgets by bytes.

use std::iter::Peekable;
use std::str::CharIndices;

/// Classes of characters that tokenizers treat differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    /// Spaces: part of the word that follows.
    Space,
    /// A line break.
    Break,
    /// Latin letters without marks.
    Latin,
    /// Digits.
    Digit,
    /// Ideographs and kana, one token each.
    Ideograph,
    /// Letters of every other alphabet.
    Letter,
    /// Anything else; a run consists of one mark.
    Mark(char),
}

impl Script {
    fn of(c: char) -> Self {
        match c {
            '\n' | '\r' => Self::Break,
            c if c.is_whitespace() => Self::Space,
            c if c.is_ascii_alphabetic() => Self::Latin,
            c if c.is_ascii_digit() => Self::Digit,
            '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => {
                Self::Ideograph
            }
            c if c.is_alphanumeric() => Self::Letter,
            c => Self::Mark(c),
        }
    }

    /// Characters of a run per token; `None` for spaces, which cost nothing.
    const fn per_token(self) -> Option<usize> {
        match self {
            Self::Space => None,
            Self::Latin => Some(7),
            Self::Digit | Self::Letter => Some(3),
            Self::Ideograph => Some(1),
            Self::Break | Self::Mark(_) => Some(4),
        }
    }
}

/// The estimated number of tokens of `text`. Zero for an empty text; never more than its bytes.
pub fn estimate(text: &str) -> u64 {
    Tokens::of(text).count() as u64
}

/// The longest prefix of `text` with at most `limit` estimated tokens.
pub fn prefix(text: &str, limit: u64) -> &str {
    let Ok(limit) = usize::try_from(limit) else { return text };
    match Tokens::of(text).nth(limit) {
        Some(start) => &text[..start],
        None => text,
    }
}

/// The byte offset of each estimated token, without leading spaces.
struct Tokens<'a> {
    rest: Peekable<CharIndices<'a>>,
}

impl<'a> Tokens<'a> {
    fn of(text: &'a str) -> Self {
        Self { rest: text.char_indices().peekable() }
    }
}

impl Iterator for Tokens<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            let (start, first) = self.rest.next()?;
            let script = Script::of(first);
            let Some(length) = script.per_token() else { continue };
            for _ in 1..length {
                if self.rest.next_if(|(_, next)| Script::of(*next) == script).is_none() {
                    break;
                }
            }
            return Some(start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_script_costs_what_its_rule_says() {
        for (text, tokens) in [
            ("", 0),
            (" \t ", 0),
            ("prime", 1),
            ("prime numbers", 2),
            ("incomprehensibilities", 3),
            ("1234567", 3),
            ("число", 2),
            ("素数を求める", 6),
            ("a\n\nb", 3),
            ("----------", 3),
            ("(x)", 3),
            ("x=='y'", 5),
        ] {
            assert_eq!(estimate(text), tokens, "{text:?}");
        }
    }

    #[test]
    fn english_prose_is_within_a_fifth_of_four_characters_a_token() {
        let text = "Write a Python function that finds all prime numbers up to a given limit. It should be fast for \
                    limits up to ten million, have type hints, and raise ValueError when the limit is negative.";
        let ratio = estimate(text) as f64 / (text.chars().count() as f64 / 4.0);
        assert!((0.8..=1.2).contains(&ratio), "{ratio}");
    }

    proptest! {
        #[test]
        fn a_prefix_is_a_beginning_of_at_most_that_many_tokens(text in "\\PC{0,60}", limit in 0_u64..20) {
            let cut = prefix(&text, limit);
            prop_assert!(text.starts_with(cut));
            prop_assert_eq!(estimate(cut), limit.min(estimate(&text)));
        }

        #[test]
        fn estimates_are_bounded_by_bytes(text in "\\PC{0,60}") {
            prop_assert!(estimate(&text) <= text.len() as u64);
        }
    }
}
