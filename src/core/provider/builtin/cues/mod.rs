//! Cue words, as data: what in a request points to a task type, a constraint, a tone, an audience, a format.
//!
//! A list of cues is one string with ` | ` between the cues, all in small letters. In scripts with blanks a cue is a
//! whole word or phrase; a cue of a script without blanks is looked for anywhere. Where one cue begins another, the
//! longer stands first.

pub(super) mod facets;
pub(super) mod sentences;
pub(super) mod tasks;

use crate::text::facts::find_word;
use crate::text::language::is_ideographic;

/// The text in small letters, every one in the place of its capital: a letter whose small form takes another number of
/// bytes stays as it is, so that an offset into one text is one into the other.
pub(super) fn lower(text: &str) -> String {
    let small = |letter: char| {
        let mut forms = letter.to_lowercase();
        match (forms.next(), forms.next()) {
            (Some(form), None) if form.len_utf8() == letter.len_utf8() => form,
            _ => letter,
        }
    };
    text.chars().map(small).collect()
}

/// The cues of a list.
pub(super) fn each(cues: &str) -> impl Iterator<Item = &str> {
    cues.split(" | ").filter(|cue| !cue.is_empty())
}

/// Where `cue` stands in `text` (in small letters), as a byte offset.
pub(super) fn find(text: &str, cue: &str) -> Option<usize> {
    if !cue.is_ascii() && cue.chars().any(is_ideographic) { text.find(cue) } else { find_word(text, cue) }
}

/// True when any of the cues stands in `text`.
pub(super) fn any(text: &str, cues: &str) -> bool {
    each(cues).any(|cue| find(text, cue).is_some())
}

/// Where the first of the cues to be found stands in `text`, and which it is.
pub(super) fn first<'c>(text: &str, cues: &'c str) -> Option<(usize, &'c str)> {
    each(cues).filter_map(|cue| find(text, cue).map(|at| (at, cue))).min()
}

/// True when `word` is one of the cues.
pub(super) fn holds(cues: &str, word: &str) -> bool {
    each(cues).any(|cue| cue == word)
}

/// The cue that `text` begins with, if any, followed by the end of a word.
pub(super) fn beginning<'c>(text: &str, cues: &'c str) -> Option<&'c str> {
    each(cues).find(|cue| {
        text.strip_prefix(cue).is_some_and(|rest| {
            (!cue.is_ascii() && cue.chars().any(is_ideographic))
                || !rest.chars().next().is_some_and(char::is_alphanumeric)
        })
    })
}

/// Where a clause of `text` ends: at the first of `stops` that is no part of a word, as the point of 3.5 and the colon of
/// 10:30 are.
pub(super) fn clause_end(text: &str, stops: &[char]) -> usize {
    let is_inside_a_word =
        |at: usize, mark: &str| matches!(mark, "." | "," | ":") && text[at + 1..].starts_with(char::is_alphanumeric);
    text.match_indices(stops).find(|(at, mark)| !is_inside_a_word(*at, mark)).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_letters_stay_in_their_places() {
        // The Kelvin sign, a dotted capital I and a sharp S change their length in small letters.
        let text = "\u{212a}İẞ Ⱥ ÄB";
        assert_eq!(lower(text).len(), text.len());
        assert!(lower(text).ends_with("äb"));
    }
}
