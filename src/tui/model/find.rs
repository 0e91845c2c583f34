//! A search in a pane: what is searched for, the matches, and the current one.
//!
//! [`Matches`] follows a growing text and scans each byte once, except where a match may be open
//! ([`Matches::grow`]). Case matters only if a capital was typed. Always holds (tested): a text in
//! pieces has the matches of the whole; they do not overlap, and the first is found first.

use std::ops::Range;

use super::Composer;
use super::texts::TextName;
use crate::tui::widgets::passages::{Passages, Spot};
use crate::tui::widgets::scroll::Scroll;

/// What is searched for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Needle {
    characters: Vec<char>,
    is_exact: bool,
}

/// The result of matching a needle at the start of a text.
enum MatchOutcome {
    /// This many bytes match.
    Match(usize),
    /// The text ends too early to decide.
    Open,
    /// No match.
    No,
}

impl Needle {
    fn of(text: &str) -> Self {
        let is_exact = text.chars().any(char::is_uppercase);
        let characters =
            if is_exact { text.chars().collect() } else { text.chars().flat_map(char::to_lowercase).collect() };
        Self { characters, is_exact }
    }

    fn meet(&self, text: &str) -> MatchOutcome {
        let mut wanted = self.characters.as_slice();
        for (at, character) in text.char_indices() {
            if wanted.is_empty() {
                return MatchOutcome::Match(at);
            }
            let rest = if self.is_exact {
                wanted.split_first().filter(|(first, _)| **first == character).map(|(_, rest)| rest)
            } else {
                // A character can be several in lower case, and all of them belong to the match.
                character.to_lowercase().try_fold(wanted, |wanted, small| {
                    wanted.split_first().filter(|(first, _)| **first == small).map(|(_, rest)| rest)
                })
            };
            let Some(rest) = rest else { return MatchOutcome::No };
            wanted = rest;
        }
        if wanted.is_empty() { MatchOutcome::Match(text.len()) } else { MatchOutcome::Open }
    }
}

/// A match: a range of bytes in one passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match {
    /// Where it starts.
    pub(crate) spot: Spot,
    /// Where it ends, in bytes of the same passage.
    pub(crate) end: usize,
}

/// The matches in a text that can grow at its end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Matches {
    needle: Needle,
    found: Vec<Match>,
    /// Everything before it is decided.
    decided: Spot,
}

impl Matches {
    /// Searches for `text`, in nothing yet.
    pub(crate) fn of(text: &str) -> Self {
        Self { needle: Needle::of(text), ..Self::default() }
    }

    /// Scans what was added since the last call. The text is unchanged, or longer at its end.
    pub(crate) fn grow(&mut self, text: &dyn Passages) {
        if self.needle.characters.is_empty() {
            return;
        }
        while let Some(passage) = text.passage(self.decided.passage) {
            self.decided.at = self.look_through(passage.text());
            if self.decided.passage + 1 >= text.count() {
                break;
            }
            self.decided = Spot { passage: self.decided.passage + 1, at: 0 };
        }
    }

    /// Finds the matches in a passage from the decided byte on, and returns the new decided byte.
    fn look_through(&mut self, text: &str) -> usize {
        let Spot { passage, mut at } = self.decided;
        while let Some(rest) = text.get(at..) {
            let Some(first) = rest.chars().next() else { break };
            match self.needle.meet(rest) {
                MatchOutcome::Match(length) => {
                    self.found.push(Match { spot: Spot { passage, at }, end: at + length });
                    at += length;
                }
                // A later match would end even later.
                MatchOutcome::Open => break,
                MatchOutcome::No => at += first.len_utf8(),
            }
        }
        at
    }

    /// The number of matches.
    pub(crate) const fn len(&self) -> usize {
        self.found.len()
    }

    /// The match with this number.
    pub(crate) fn get(&self, number: usize) -> Option<Match> {
        self.found.get(number).copied()
    }

    /// The number of the first match at or after `spot`; the number of matches if there is none.
    pub(crate) fn first_from(&self, spot: Spot) -> usize {
        self.found.partition_point(|found| found.spot < spot)
    }

    /// The matches that overlap these bytes of a passage, with their numbers.
    pub(crate) fn within(&self, passage: usize, bytes: Range<usize>) -> impl Iterator<Item = (usize, Match)> {
        let first = self.found.partition_point(|found| (found.spot.passage, found.end) <= (passage, bytes.start));
        let those = self.found.iter().copied().enumerate().skip(first);
        those.take_while(move |(_, found)| found.spot.passage == passage && found.spot.at < bytes.end)
    }
}

/// A search in a pane, from the first letter typed until it is cleared.
#[derive(Debug, Clone)]
pub(crate) struct Find {
    /// The text that is searched.
    pub(crate) name: TextName,
    /// What is searched for.
    pub(crate) field: Composer,
    /// True while keys type into the field.
    pub(crate) is_typing: bool,
    /// The matches.
    pub(crate) matches: Matches,
    /// The number of the current match.
    pub(crate) current: Option<usize>,
    /// The pane's scroll position before the search.
    pub(crate) origin: Scroll,
}

impl Find {
    /// Searches this text for `sought`.
    pub(crate) fn new(name: TextName, origin: Scroll, sought: &str) -> Self {
        let field = Composer::line().holding(sought);
        Self { name, field, is_typing: false, matches: Matches::of(sought), current: None, origin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::widgets::wrapped::Wrapped;
    use crate::tui::widgets::wrapped::tests::pieces;
    use proptest::prelude::*;

    fn found(needle: &str, text: &str) -> Vec<(usize, usize)> {
        let mut matches = Matches::of(needle);
        matches.grow(&Wrapped::of(text, 80));
        matches.found.iter().map(|found| (found.spot.at, found.end)).collect()
    }

    #[test]
    fn case_counts_once_a_capital_letter_is_typed() {
        assert_eq!(found("rust", "Rust, rust, RUST"), [(0, 4), (6, 10), (12, 16)]);
        assert_eq!(found("Rust", "Rust, rust, RUST"), [(0, 4)]);
        assert_eq!(found("straße", "STRAßE"), [(0, 7)]);
        assert_eq!(found("élan", "ÉLAN"), [(0, 5)]);
        assert_eq!(found("i", "\u{130}"), [], "a part of a letter is none");
        assert_eq!(found("k", "\u{212a}"), [(0, 3)], "the sign of the kelvin is a K");
    }

    #[test]
    fn matches_do_not_overlap_and_nothing_is_found_nowhere() {
        assert_eq!(found("aa", "aaaaa"), [(0, 2), (2, 4)]);
        assert_eq!(found("", "text"), []);
        assert_eq!(found("two words", "two\nwords, two words"), [(11, 20)], "a line break is no blank");
    }

    #[test]
    fn a_match_is_found_by_its_bytes() {
        let mut matches = Matches::of("ab");
        matches.grow(&Wrapped::of("ab ab ab", 80));
        let numbers = |bytes| matches.within(0, bytes).map(|(number, _)| number).collect::<Vec<_>>();
        assert_eq!(
            (numbers(0..8), numbers(1..4), numbers(2..3), numbers(7..8)),
            (vec![0, 1, 2], vec![0, 1], vec![], vec![2])
        );
        assert_eq!(
            (matches.first_from(Spot { passage: 0, at: 3 }), matches.first_from(Spot { passage: 0, at: 7 })),
            (1, 3)
        );
    }

    fn needles() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-cA-C]{1,3}",
            "[a-c] [a-c]",
            Just("\u{301}".to_owned()),
            Just("世".to_owned()),
            Just("👩".to_owned()),
            Just("e".to_owned()),
            Just(" ".to_owned())
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        /// A text in any pieces has the matches of the whole; what is decided is not scanned again.
        #[test]
        fn a_text_in_pieces_has_the_matches_of_the_whole(
            needle in needles(),
            pieces in prop_oneof![pieces(), proptest::collection::vec("[abAB ]{0,3}", 0..40)],
        ) {
            let (mut text, mut grown) = (Wrapped::new(20), Matches::of(&needle));
            // A letter has at most four bytes, in either case.
            let longest = needle.chars().flat_map(char::to_lowercase).count() * 4;
            for piece in &pieces {
                let before = text.text().len();
                text.append_with(|text| text.push_str(piece));
                prop_assert!(before - grown.decided.at < longest, "{} of {before} is open", grown.decided.at);
                grown.grow(&text);
            }
            let mut whole = Matches::of(&needle);
            whole.grow(&Wrapped::of(pieces.concat(), 20));
            prop_assert_eq!(&grown.found, &whole.found);
            if whole.needle.is_exact {
                let all = pieces.concat();
                let std = all.match_indices(needle.as_str()).map(|(at, found)| (at, at + found.len()));
                prop_assert!(grown.found.iter().map(|found| (found.spot.at, found.end)).eq(std));
            }
        }
    }
}
