//! What a user types to find a text, as terms: the same for every database.
//!
//! Words must all be there, in any order; `"several words"` in this order; `begin*` begins a word; `a OR b` is either;
//! `-word` and `-"several words"` must not be there. Whatever else is typed is text, an `OR` with nothing to choose from
//! and a quote without its end too: no query can fail to be read. What is typed becomes the terms that
//! [`super::terms`] makes of texts, so `Prompts` finds `prompt`, and what gives several terms (`well-known`, a run of
//! Chinese) is looked for as a phrase. A word made of parts is looked for as a whole and as its parts, and neighbouring
//! words as the parts of one: `GitHub` finds `github` and `git hub`, and `"http url"` finds `parseHttpUrl`.
//!
//! What a query finds is defined by [`TextQuery::matches`]; a database must find the same, however it does it. A query that
//! says only what must not be there finds nothing. How typed text is read is [`reading`].

mod reading;

use super::terms::finding_terms;
use crate::domain::Prompt;

/// Terms of a query; what is typed beyond them is passed over.
pub const MOST_TERMS: usize = 256;

/// Terms of a phrase; it is looked for by so many of its first ones.
pub const LONGEST_PHRASE: usize = 64;

/// What must be there and what must not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextQuery {
    /// All of these must hold. None stands twice.
    pub clauses: Vec<Clause>,
}

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Clause {
    /// One of these must be there; or, where it is excluded, none.
    pub any: Vec<Phrase>,
    /// True for what must not be there.
    pub is_excluded: bool,
}

/// Terms that follow one another; mostly one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Phrase {
    /// At least one.
    pub terms: Vec<String>,
    /// True where the last term is only a beginning.
    pub is_prefix: bool,
}

impl TextQuery {
    /// Reads what was typed.
    pub fn parse(typed: &str) -> Self {
        Self { clauses: reading::clauses(typed) }
    }

    /// True where nothing is searched for: nothing typed, or nothing but what must not be there.
    pub fn is_empty(&self) -> bool {
        self.clauses.iter().all(|clause| clause.is_excluded)
    }

    /// True where it finds a text of these fields, each the terms of its positions in order ([`finding_terms`]).
    ///
    /// A phrase lies within one field; clauses may hold in different ones; what is excluded may be in none.
    pub fn matches<Term: AsRef<str>>(&self, fields: &[Vec<Vec<Term>>]) -> bool {
        let is_there = |phrase: &Phrase| fields.iter().any(|field| phrase.places(field).next().is_some());
        !self.is_empty() && self.clauses.iter().all(|clause| clause.any.iter().any(is_there) != clause.is_excluded)
    }

    /// True where it finds this prompt, by its [`fields`].
    pub fn finds(&self, prompt: &Prompt) -> bool {
        self.matches(&fields(prompt))
    }
}

/// What a prompt is found by, as terms: its content, what the user asked for, each tag by itself, its notes.
pub fn fields(prompt: &Prompt) -> Vec<Vec<Vec<String>>> {
    let texts = [&prompt.content, &prompt.original_input];
    texts.into_iter().chain(&prompt.tags).chain(&prompt.notes).map(|text| finding_terms(text)).collect()
}

impl Phrase {
    /// True where this term may stand in this place of it.
    pub fn allows(&self, place: usize, term: &str) -> bool {
        let is_beginning = self.is_prefix && place + 1 == self.terms.len();
        self.terms.get(place).is_some_and(|own| if is_beginning { term.starts_with(own.as_str()) } else { own == term })
    }

    /// Where it begins in these positions, each of which has all its terms.
    pub fn places<Term: AsRef<str>>(&self, positions: &[Vec<Term>]) -> impl Iterator<Item = usize> {
        let windows = positions.windows(self.terms.len().max(1)).enumerate();
        windows.filter_map(|(start, window)| {
            let fits = |(place, terms): (usize, &Vec<Term>)| terms.iter().any(|term| self.allows(place, term.as_ref()));
            window.iter().enumerate().all(fits).then_some(start)
        })
    }

    /// True where it holds a term for several words that somebody wrote as one.
    pub fn has_words_as_one(&self) -> bool {
        self.terms.iter().any(|term| term.contains('_'))
    }
}

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;
