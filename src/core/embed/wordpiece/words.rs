//! Cleans text and splits it into words as in the model's training (BERT, uncased).
//!
//! Pure functions over characters. Control characters are dropped; white space becomes blanks;
//! Chinese characters and punctuation are separate words; accents are removed and letters
//! lower-cased. The model's special tokens, such as `[MASK]`, are recognised in texts. What always
//! holds: text is read only as far as needed.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use unicode_normalization::UnicodeNormalization;

/// Special tokens, recognised before any cleaning.
const SPECIAL: [(&str, u16); 5] = [("[PAD]", 0), ("[UNK]", 100), ("[CLS]", 101), ("[SEP]", 102), ("[MASK]", 103)];

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// A cleaned word without white space, never empty.
    Word(&'a str),
    /// The id of a special token.
    Special(u16),
}

/// Passes the parts of `text` to `take` in order until it returns false.
pub(super) fn each(text: &str, mut take: impl FnMut(Part<'_>) -> bool) {
    let mut rest = text;
    loop {
        let special = next_special(rest);
        let plain = special.as_ref().map_or(rest, |found| &rest[..found.at]);
        if !each_word(plain, &mut take) {
            return;
        }
        let Some(found) = special else { return };
        if !take(Part::Special(found.token)) {
            return;
        }
        rest = &rest[found.at + found.length..];
    }
}

struct Special {
    at: usize,
    length: usize,
    token: u16,
}

fn next_special(text: &str) -> Option<Special> {
    text.match_indices('[').find_map(|(at, _)| {
        let (mark, token) = SPECIAL.iter().find(|(mark, _)| text[at..].starts_with(mark))?;
        Some(Special { at, length: mark.len(), token: *token })
    })
}

/// Returns false if `take` did.
fn each_word(text: &str, take: &mut impl FnMut(Part<'_>) -> bool) -> bool {
    let mut word = String::new();
    for c in cleaned(text) {
        let stands_alone = is_punctuation(c);
        if !(stands_alone || c.is_whitespace()) {
            word.push(c);
            continue;
        }
        if !word.is_empty() && !take(Part::Word(&word)) {
            return false;
        }
        word.clear();
        if stands_alone && !take(Part::Word(c.encode_utf8(&mut [0; 4]))) {
            return false;
        }
    }
    word.is_empty() || take(Part::Word(&word))
}

/// Lower-cases, removes control characters and accents, and puts blanks around Chinese characters.
fn cleaned(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| !is_removed(*c))
        .flat_map(|c| {
            let blank = is_chinese(c).then_some(' ');
            let c = if c.is_whitespace() { ' ' } else { c };
            [blank, Some(c), blank].into_iter().flatten()
        })
        .nfd()
        .filter(|c| !is_accent(*c))
        .flat_map(char::to_lowercase)
}

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

fn is_removed(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r');
    }
    c == char::REPLACEMENT_CHARACTER
        || matches!(category(c), GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse)
}

fn is_accent(c: char) -> bool {
    !c.is_ascii() && category(c) == GeneralCategory::NonspacingMark
}

/// ASCII that is neither letter, digit, blank nor control, and Unicode punctuation.
fn is_punctuation(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_punctuation() } else { GeneralCategoryGroup::Punctuation.contains(category(c)) }
}

/// The blocks of Han characters.
fn is_chinese(c: char) -> bool {
    matches!(c, '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' | '\u{20000}'..='\u{2A6DF}' | '\u{2A700}'..='\u{2CEAF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{2F800}'..='\u{2FA1F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        each(text, |part| {
            found.push(match part {
                Part::Word(word) => word.to_owned(),
                Part::Special(token) => format!("<{token}>"),
            });
            true
        });
        found
    }

    #[test]
    fn words_are_small_and_bare_and_punctuation_stands_alone() {
        assert_eq!(parts("  Café-Ångström,\tC++ !"), ["cafe", "-", "angstrom", ",", "c", "+", "+", "!"]);
        assert_eq!(parts("“Naïve” — İstanbul…"), ["“", "naive", "”", "—", "istanbul", "…"]);
    }

    #[test]
    fn control_characters_go_and_chinese_characters_stand_alone() {
        assert_eq!(parts("a\u{0}b\u{200B}c\u{FFFD}d\u{C}e\u{85}f"), ["abcdef"]);
        assert_eq!(parts("a\tb\rc\u{2028}d\u{A0}e"), ["a", "b", "c", "d", "e"]);
        assert_eq!(parts("ab诗词c"), ["ab", "诗", "词", "c"]);
    }

    #[test]
    fn marks_of_the_model_are_tokens_only_as_they_stand() {
        assert_eq!(parts("a [MASK]b"), ["a", "<103>", "b"]);
        assert_eq!(parts("[mask] ["), ["[", "mask", "]", "["]);
    }

    #[test]
    fn reading_ends_when_no_more_is_wanted() {
        let mut taken = 0;
        each("one two. three [CLS] four", |_| {
            taken += 1;
            taken < 3
        });
        assert_eq!(taken, 3);
    }
}
