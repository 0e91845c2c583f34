//! Words and cues: splits text into words and matches cue words.

use std::ops::Range;

use crate::visited::visit;

/// The words of a lower-case text: letters, digits and `-`, `_`, `+`, `#` within them.
pub(super) fn words(lower: &str) -> Vec<&str> {
    visit(lower.len());
    lower
        .split(|c: char| !is_of_word(c))
        .map(|word| word.trim_matches(['-', '_']))
        .filter(|word| !word.is_empty())
        .collect()
}

fn is_of_word(c: char) -> bool {
    // Arabic vowel marks belong to their word.
    c.is_alphanumeric() || matches!(c, '-' | '_' | '+' | '#' | '\u{64b}'..='\u{652}')
}

/// One word of a cue; `*` at either end matches any letters.
#[derive(Debug, Clone, Copy)]
struct Pattern<'t> {
    text: &'t str,
    open_start: bool,
    open_end: bool,
}

impl<'t> Pattern<'t> {
    fn of(word: &'t str) -> Self {
        Self { text: word.trim_matches('*'), open_start: word.starts_with('*'), open_end: word.ends_with('*') }
    }

    fn fits(self, word: &str) -> bool {
        match (self.open_start, self.open_end) {
            (false, false) => word == self.text,
            (false, true) => word.starts_with(self.text),
            (true, false) => word.ends_with(self.text),
            (true, true) => word.contains(self.text),
        }
    }
}

/// A cue of one or more words. Thousands are made at every start, so each is one allocation.
#[derive(Debug)]
struct Cue {
    /// The cue as written, in lower case.
    text: Box<str>,
    /// Where its first word is in `text`.
    first: Range<usize>,
    /// The letter that its first word begins with; `None` if that can be any, or there is no word.
    letter: Option<char>,
}

impl Cue {
    fn of(text: &str) -> Self {
        let lower = if text.is_ascii() { text.to_ascii_lowercase() } else { text.to_lowercase() };
        let first = patterns(&lower).next().unwrap_or_default();
        let start = lower.find(first).unwrap_or_default();
        let first = start..start + first.len();
        let pattern = Pattern::of(&lower[first.clone()]);
        let letter = pattern.text.chars().next().filter(|_| !pattern.open_start);
        Self { text: lower.into_boxed_str(), first, letter }
    }

    /// How many words it matches at the start of these; `None` if it does not match.
    fn at(&self, words: &[&str]) -> Option<usize> {
        let (first, words) = words.split_first()?;
        if self.first.is_empty() || !Pattern::of(&self.text[self.first.clone()]).fits(first) {
            return None;
        }
        let mut rest = words.iter();
        for pattern in patterns(&self.text[self.first.end..]) {
            if !Pattern::of(pattern).fits(rest.next()?) {
                return None;
            }
        }
        Some(1 + words.len() - rest.len())
    }
}

/// The words of a cue.
fn patterns(cue: &str) -> impl Iterator<Item = &str> {
    cue.split(|c: char| !is_of_word(c) && c != '*').filter(|word| word.contains(char::is_alphanumeric))
}

/// Cues ordered by first letter, so that many of them are cheap.
#[derive(Debug, Default)]
pub(super) struct Cues(Vec<Cue>);

impl Cues {
    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t String>) -> Self {
        let mut cues: Vec<Cue> = texts.into_iter().map(|text| Cue::of(text)).collect();
        cues.sort_by_key(|cue| cue.letter);
        Self(cues)
    }

    /// The longest cue at the start of these words, and how many words it matches.
    pub(super) fn at(&self, words: &[&str]) -> Option<(&str, usize)> {
        let letter = words.first()?.chars().next()?;
        let near = self.beginning_with(Some(letter)).iter().chain(self.beginning_with(None));
        near.filter_map(|cue| Some((&*cue.text, cue.at(words)?))).max_by_key(|(_, taken)| *taken)
    }

    fn beginning_with(&self, letter: Option<char>) -> &[Cue] {
        let start = self.0.partition_point(|cue| cue.letter < letter);
        let rest = &self.0[start..];
        &rest[..rest.partition_point(|cue| cue.letter == letter)]
    }

    /// True if a cue matches anywhere among the words.
    pub(super) fn is_among(&self, words: &[&str]) -> bool {
        (0..words.len()).any(|at| self.at(&words[at..]).is_some())
    }

    /// How many different cues match among the words.
    pub(super) fn count_among(&self, words: &[&str]) -> usize {
        let found = (0..words.len()).filter_map(|at| self.at(&words[at..]).map(|(cue, _)| cue));
        found.collect::<std::collections::HashSet<_>>().len()
    }

    /// How many different cues occur in a text without spaces.
    pub(super) fn count_in(&self, text: &str) -> usize {
        self.0.iter().filter(|cue| text.contains(&*cue.text)).count()
    }

    /// The start and end of the last cue in a text without spaces; the longest of several.
    pub(super) fn last_in(&self, text: &str) -> Option<(usize, usize)> {
        let found = self.0.iter().filter_map(|cue| {
            visit(text.len());
            text.rfind(&*cue.text).map(|at| (at, at + cue.text.len()))
        });
        found.max_by_key(|(start, end)| (*end, usize::MAX - start))
    }

    /// True if a cue occurs in a text without spaces.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.0.iter().any(|cue| text.contains(&*cue.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cues(texts: &[&str]) -> Cues {
        Cues::of(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn words_are_cut_at_all_but_letters_digits_and_the_marks_inside_names() {
        assert_eq!(words("l'e-mail, c++ / node.js - ok?"), ["l", "e-mail", "c++", "node", "js", "ok"]);
    }

    #[test]
    fn stars_stand_for_any_letters_and_the_longest_cue_wins() {
        let cues = cues(&["write", "write me", "e-mail*", "*schreiben", "*mid*"]);
        assert_eq!(cues.at(&["write", "me", "a"]), Some(("write me", 2)));
        assert_eq!(cues.at(&["e-mails"]), Some(("e-mail*", 1)));
        assert_eq!(cues.at(&["anschreiben"]), Some(("*schreiben", 1)));
        assert_eq!(cues.at(&["amidst"]), Some(("*mid*", 1)));
        assert_eq!(cues.at(&["rewrite"]), None);
        assert!(cues.is_among(&["please", "write"]));
    }

    #[test]
    fn without_blanks_the_last_one_counts() {
        assert_eq!(cues(&["故事", "翻译"]).last_in("写一个关于翻译的故事").map(|(start, _)| start), Some(24));
    }
}
