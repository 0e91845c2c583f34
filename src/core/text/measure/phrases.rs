//! Phrases and sets of terms, indexed by term ids.
//!
//! Ids are dense, so a table replaces hashing in the inner loop. The longest match wins.

use crate::text::terms::{Analyzer, TermId};

/// A set of terms: one bit each, as ids are dense.
#[derive(Debug, Default, Clone)]
pub(super) struct TermSet {
    bits: Vec<u64>,
}

impl TermSet {
    /// Adds a term; returns whether it was new.
    pub(super) fn insert(&mut self, term: TermId) -> bool {
        let (word, bit) = (term as usize / 64, term % 64);
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        let before = self.bits[word];
        self.bits[word] |= 1 << bit;
        self.bits[word] != before
    }

    pub(super) fn contains(&self, term: TermId) -> bool {
        self.bits.get(term as usize / 64).is_some_and(|word| word & (1 << (term % 64)) != 0)
    }
}

impl FromIterator<TermId> for TermSet {
    fn from_iter<I: IntoIterator<Item = TermId>>(terms: I) -> Self {
        let mut set = Self::default();
        for term in terms {
            set.insert(term);
        }
        set
    }
}

/// Phrases by their first term.
#[derive(Debug, Default, Clone)]
pub(super) struct Phrases {
    /// For each term id the phrases that begin with it, longest first.
    by_first: Vec<Vec<Vec<TermId>>>,
}

impl Phrases {
    pub(super) fn new(list: &[&str], analyzer: &mut Analyzer) -> Self {
        let mut by_first: Vec<Vec<Vec<TermId>>> = Vec::new();
        for phrase in list {
            let mut terms = Vec::new();
            analyzer.read(phrase, &mut terms);
            if let Some(first) = terms.first().map(|first| *first as usize) {
                if first >= by_first.len() {
                    by_first.resize_with(first + 1, Vec::new);
                }
                by_first[first].push(terms);
            }
        }
        for phrases in &mut by_first {
            phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        }
        Self { by_first }
    }

    /// The single-term phrases.
    pub(super) fn singles(self) -> TermSet {
        self.by_first.into_iter().flatten().filter(|phrase| phrase.len() == 1).flatten().collect()
    }

    /// The phrases that begin with this term.
    fn from(&self, first: TermId) -> &[Vec<TermId>] {
        self.by_first.get(first as usize).map_or(&[], Vec::as_slice)
    }

    /// The length of the longest phrase at the start of `terms`.
    fn longest_at(&self, terms: &[TermId]) -> Option<usize> {
        self.from(*terms.first()?).iter().find(|phrase| terms.starts_with(phrase)).map(Vec::len)
    }

    /// The number of phrases in `terms`, without overlaps.
    pub(super) fn count_in(&self, terms: &[TermId]) -> usize {
        self.found_in(terms).0
    }

    /// The number of terms that belong to phrases.
    pub(super) fn terms_in(&self, terms: &[TermId]) -> usize {
        self.found_in(terms).1
    }

    fn found_in(&self, terms: &[TermId]) -> (usize, usize) {
        let (mut count, mut length, mut at) = (0, 0, 0);
        while at < terms.len() {
            let step = self.longest_at(&terms[at..]);
            if let Some(step) = step {
                count += 1;
                length += step;
            }
            at += step.unwrap_or(1);
        }
        (count, length)
    }

    /// True if this term alone is a phrase.
    pub(super) fn has_single(&self, term: TermId) -> bool {
        self.from(term).iter().any(|phrase| phrase.len() == 1)
    }
}
