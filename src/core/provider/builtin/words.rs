//! Small matters of English: capitals, words that put steps in order, sentences put together.

use crate::text::language::is_ideographic;

/// The text with a capital in front.
pub(super) fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// The sentence with a small letter in front, for the middle of another one.
pub(super) fn lowered(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next();
    // "NULL", "I": capitals of their own stay.
    if characters.clone().next().is_none_or(|second| second.is_uppercase() || second == ' ') && !text.starts_with("A ")
    {
        return text.to_owned();
    }
    first.map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

/// Puts a sentence after another, with a blank between them where the script has blanks.
pub(super) fn append(paragraph: &mut String, sentence: &str) {
    let ideographic =
        |c: Option<char>| c.is_some_and(|c| is_ideographic(c) || matches!(c, '。' | '！' | '？' | '「' | '」'));
    if !(ideographic(paragraph.chars().next_back()) && ideographic(sentence.chars().next())) {
        paragraph.push(' ');
    }
    paragraph.push_str(sentence);
}

/// The word that opens step `at` of steps up to `last`.
pub(super) fn ordinal(at: usize, last: usize) -> &'static str {
    match at {
        0 => "First,",
        _ if at == last => "Finally,",
        _ if at % 2 == 1 => "Then",
        _ => "Next,",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_capitals_are_kept() {
        assert_eq!(lowered("NULL values count."), "NULL values count.");
        assert_eq!(lowered("A table follows."), "a table follows.");
        assert_eq!(lowered("The code runs."), "the code runs.");
    }
}
