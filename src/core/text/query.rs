//! What a user types to find a text, as terms: the same for every database.
//!
//! Words must all be there, in any order; `"several words"` in this order; `begin*` begins a word; `a OR b` is either;
//! `-word` must not be there. Whatever else is typed is text: no query can fail to be read. A word is looked for in the
//! form that [`super::terms`] gives it, so `Prompts` finds `prompt`, and an identifier is found by its parts.

use super::terms;

/// What must be there and what must not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextQuery {
    /// All of these must hold.
    pub clauses: Vec<Clause>,
}

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// One of these must be there; or, where it is excluded, none.
    pub any: Vec<Phrase>,
    /// True for what must not be there.
    pub is_excluded: bool,
}

/// Terms that follow one another; mostly one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// At least one.
    pub terms: Vec<String>,
    /// True where the last term is only a beginning.
    pub is_prefix: bool,
}

impl TextQuery {
    /// Reads what was typed.
    pub fn parse(typed: &str) -> Self {
        let of_word = |word: &str| {
            let terms = terms::terms(word);
            let phrase = Phrase { terms, is_prefix: false };
            (!phrase.terms.is_empty()).then_some(Clause { any: vec![phrase], is_excluded: false })
        };
        Self { clauses: typed.split_whitespace().filter_map(of_word).collect() }
    }

    /// True where nothing is looked for: nothing typed, or nothing but what must not be there.
    pub fn is_empty(&self) -> bool {
        self.clauses.iter().all(|clause| clause.is_excluded)
    }
}
