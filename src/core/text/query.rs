//! Parses search queries into terms, the same for every database.
//!
//! All words must occur, in any order; `"several words"` in this order; `begin*` matches a prefix;
//! `a OR b` either; `-word` and `-"several words"` exclude. Anything else is text, including an
//! `OR` without alternatives and an unclosed quote: no query is invalid. Words become the terms
//! that [`super::terms`] makes of texts, so `Prompts` finds `prompt`, and text that gives several
//! terms (`well-known`, a run of Chinese) is a phrase. A compound word is searched as a whole and
//! as its parts, and neighbouring words also as one: `GitHub` finds `github` and `git hub`, and
//! `"http url"` finds `parseHttpUrl`.
//!
//! [`TextQuery::matches`] defines what a query finds; every database must find the same. A query
//! with exclusions only finds nothing. Parsing is in [`reading`].

mod reading;

use super::terms::finding_terms;
use crate::domain::Prompt;

/// Maximum number of terms of a query; the rest is ignored.
pub const MOST_TERMS: usize = 256;

/// Maximum number of terms of a phrase; only the first ones are searched for.
pub const LONGEST_PHRASE: usize = 64;

/// A parsed query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextQuery {
    /// All of these must hold; no duplicates.
    pub clauses: Vec<Clause>,
}

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Clause {
    /// One of these must occur; if excluded, none.
    pub any: Vec<Phrase>,
    /// True for an exclusion.
    pub is_excluded: bool,
}

/// Consecutive terms; mostly one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Phrase {
    /// At least one.
    pub terms: Vec<String>,
    /// True if the last term is a prefix.
    pub is_prefix: bool,
}

impl TextQuery {
    /// Parses a query.
    pub fn parse(typed: &str) -> Self {
        Self { clauses: reading::clauses(typed) }
    }

    /// True if nothing is searched for: an empty query, or exclusions only.
    pub fn is_empty(&self) -> bool {
        self.clauses.iter().all(|clause| clause.is_excluded)
    }

    /// True if the query matches these fields, each the terms of its positions ([`finding_terms`]).
    ///
    /// A phrase must be in one field; clauses can hold in different ones; exclusions apply to all.
    pub fn matches<Term: AsRef<str>>(&self, fields: &[Vec<Vec<Term>>]) -> bool {
        let is_there = |phrase: &Phrase| fields.iter().any(|field| phrase.places(field).next().is_some());
        !self.is_empty() && self.clauses.iter().all(|clause| clause.any.iter().any(is_there) != clause.is_excluded)
    }

    /// True if the query matches this prompt, by its [`fields`].
    pub fn finds(&self, prompt: &Prompt) -> bool {
        self.matches(&fields(prompt))
    }
}

/// The searchable terms of a prompt: content, original input, each tag, notes.
pub fn fields(prompt: &Prompt) -> Vec<Vec<Vec<String>>> {
    let texts = [&prompt.content, &prompt.original_input];
    texts.into_iter().chain(&prompt.tags).chain(&prompt.notes).map(|text| finding_terms(text)).collect()
}

impl Phrase {
    /// True if this term matches at this position of the phrase.
    pub fn allows(&self, place: usize, term: &str) -> bool {
        let is_beginning = self.is_prefix && place + 1 == self.terms.len();
        self.terms.get(place).is_some_and(|own| if is_beginning { term.starts_with(own.as_str()) } else { own == term })
    }

    /// The positions where the phrase begins.
    pub fn places<Term: AsRef<str>>(&self, positions: &[Vec<Term>]) -> impl Iterator<Item = usize> {
        let windows = positions.windows(self.terms.len().max(1)).enumerate();
        windows.filter_map(|(start, window)| {
            let fits = |(place, terms): (usize, &Vec<Term>)| terms.iter().any(|term| self.allows(place, term.as_ref()));
            window.iter().enumerate().all(fits).then_some(start)
        })
    }

    /// True if it has a term for several words joined into one.
    pub fn has_words_as_one(&self) -> bool {
        self.terms.iter().any(|term| term.contains('_'))
    }
}

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;
