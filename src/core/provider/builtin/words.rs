//! Words and cues: splits text into words and matches cue words.

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
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    text: String,
    open_start: bool,
    open_end: bool,
}

impl Pattern {
    fn of(word: &str) -> Self {
        Self {
            text: word.trim_matches('*').to_owned(),
            open_start: word.starts_with('*'),
            open_end: word.ends_with('*'),
        }
    }

    fn fits(&self, word: &str) -> bool {
        match (self.open_start, self.open_end) {
            (false, false) => word == self.text,
            (false, true) => word.starts_with(&self.text),
            (true, false) => word.ends_with(&self.text),
            (true, true) => word.contains(&self.text),
        }
    }
}

/// A cue of one or more words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cue {
    /// The cue as written.
    pub(super) text: String,
    words: Vec<Pattern>,
}

impl Cue {
    /// Parses a cue; `None` if it has no word.
    pub(super) fn of(text: &str) -> Option<Self> {
        let lower = text.to_lowercase();
        let split = lower.split(|c: char| !is_of_word(c) && c != '*');
        let words: Vec<Pattern> = split.filter(|word| word.contains(char::is_alphanumeric)).map(Pattern::of).collect();
        (!words.is_empty()).then_some(Self { text: lower, words })
    }

    /// How many words it matches at the start of these; `None` if it does not match.
    pub(super) fn at(&self, words: &[&str]) -> Option<usize> {
        let fits = words.len() >= self.words.len() && self.words.iter().zip(words).all(|(cue, word)| cue.fits(word));
        fits.then_some(self.words.len())
    }
}

/// Cues indexed by first letter, so that many of them are cheap.
#[derive(Debug, Default)]
pub(super) struct Cues {
    /// Cues whose first word begins with `*`, which can match anywhere.
    open: Vec<Cue>,
    by_letter: std::collections::HashMap<char, Vec<Cue>>,
    all: Vec<String>,
}

impl Cues {
    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t String>) -> Self {
        let mut cues = Self::default();
        for text in texts {
            cues.all.push(text.to_lowercase());
            let Some(cue) = Cue::of(text) else { continue };
            let first = &cue.words[0];
            match first.text.chars().next().filter(|_| !first.open_start) {
                Some(letter) => cues.by_letter.entry(letter).or_default().push(cue),
                None => cues.open.push(cue),
            }
        }
        cues
    }

    /// The longest cue at the start of these words, and how many words it matches.
    pub(super) fn at(&self, words: &[&str]) -> Option<(&str, usize)> {
        let letter = words.first()?.chars().next()?;
        let near = self.by_letter.get(&letter).into_iter().flatten().chain(&self.open);
        near.filter_map(|cue| Some((cue.text.as_str(), cue.at(words)?))).max_by_key(|(_, taken)| *taken)
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
        self.all.iter().filter(|cue| text.contains(cue.as_str())).count()
    }

    /// The start and end of the last cue in a text without spaces; the longest of several.
    pub(super) fn last_in(&self, text: &str) -> Option<(usize, usize)> {
        let found = self.all.iter().filter_map(|cue| {
            visit(text.len());
            text.rfind(cue.as_str()).map(|at| (at, at + cue.len()))
        });
        found.max_by_key(|(start, end)| (*end, usize::MAX - start))
    }

    /// True if a cue occurs in a text without spaces.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.all.iter().any(|cue| text.contains(cue.as_str()))
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
