//! Cue words, as data: what in a request points to a task type, a constraint, a tone, an audience, a format.
//!
//! Everything is in small letters. In scripts with blanks a cue is a whole word or phrase; a cue of a script without
//! blanks is looked for anywhere. Longer cues stand before shorter ones where one begins the other.

pub(super) mod facets;
pub(super) mod sentences;
pub(super) mod tasks;

use crate::text::facts::find_word;
use crate::text::language::is_ideographic;

/// Where `cue` stands in `text` (in small letters), as a byte offset.
pub(super) fn find(text: &str, cue: &str) -> Option<usize> {
    if cue.chars().any(is_ideographic) { text.find(cue) } else { find_word(text, cue) }
}

/// True when any of the cues stands in `text`.
pub(super) fn any(text: &str, cues: &[&str]) -> bool {
    cues.iter().any(|cue| find(text, cue).is_some())
}

/// The cue that `text` begins with, if any, followed by the end of a word.
pub(super) fn beginning<'c>(text: &str, cues: &[&'c str]) -> Option<&'c str> {
    cues.iter().copied().find(|cue| {
        text.strip_prefix(cue).is_some_and(|rest| {
            cue.chars().any(is_ideographic) || !rest.chars().next().is_some_and(char::is_alphanumeric)
        })
    })
}
