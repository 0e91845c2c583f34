//! The user's own texts, to find sentences of the reply in: what the user wrote is content.
//!
//! They are folded once, on first use. Only as many sentences are searched for as small talk has,
//! because each is searched for in all texts.

use std::cell::OnceCell;

use crate::text::terms::flatten;
use crate::visited::visit;

/// Sentences shorter than this, in bytes, prove nothing.
const PROOF: usize = 8;

/// Maximum sentences to search for; longer texts are not small talk.
const MOST_SENTENCES: usize = 64;

/// The texts of a user.
#[derive(Debug, Default)]
pub(super) struct UsersTexts {
    written: String,
    /// Folded, on one line.
    flat: OnceCell<String>,
}

impl UsersTexts {
    pub(super) fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let written = texts.into_iter().flat_map(|text| [text, "\n"]).collect();
        Self { written, flat: OnceCell::new() }
    }

    /// True for a text with a sentence that the user wrote, or with too many sentences.
    pub(super) fn hold_any_of(&self, text: &str) -> bool {
        if self.written.is_empty() {
            return false;
        }
        let kept = self.flat.get_or_init(|| flatten(&self.written).replace('\n', " "));
        let text = flatten(text);
        let proofs = text
            .split_inclusive(['.', '!', '?', '。', '！', '？', '\n'])
            .map(|sentence| sentence.trim_matches(|c: char| !c.is_alphanumeric()))
            .filter(|sentence| sentence.len() >= PROOF);
        for (number, sentence) in proofs.enumerate() {
            visit(kept.len());
            if number == MOST_SENTENCES || kept.contains(sentence) {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_of_the_users_is_found_whatever_its_case_and_line_ends() {
        let kept = UsersTexts::new(["Say: Let me KNOW\nif you want changes.", "And a context"]);
        assert!(kept.hold_any_of("Ok.\nlet me know if you want changes!"));
        assert!(!kept.hold_any_of("I hope this helps. Let me."));
        assert!(!UsersTexts::default().hold_any_of("anything at all"));
    }

    #[test]
    fn a_text_of_too_many_sentences_is_kept() {
        let kept = UsersTexts::new(["x"]);
        assert!(!kept.hold_any_of(&"This is new. ".repeat(MOST_SENTENCES)));
        assert!(kept.hold_any_of(&"This is new. ".repeat(MOST_SENTENCES + 1)));
    }
}
