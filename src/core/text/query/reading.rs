//! Parses a query: pieces between blanks and quotes, then the phrases each stands for.
//!
//! A piece can give several alternative phrases: its words as typed, their parts and, if there are
//! few ([`FEW_PARTS`]), some neighbours joined into one word. A typed prefix can be longer than the
//! term of the word it begins: the term of `generation` is `generat`, which does not begin with
//! `generati`. So a prefix also matches the whole terms of the words it becomes with an English
//! ending ([`ENDINGS`]): every word is found whose stemming removes at most such an ending. As with
//! whole words, others of the same stem match too.
//!
//! Parsing takes linear time, and makes at most [`MOST_TERMS`] terms.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use super::{Clause, LONGEST_PHRASE, MOST_TERMS, Phrase};
use crate::text::terms::{Analyzer, Form, FormKind, MOST_JOINED, TermId, Word, beginning, is_spaceless, spaced};

/// Endings that stemming removes or changes, the longer ones as in words
/// (<https://snowballstem.org/algorithms/english/stemmer.html>, read 2026-11-21).
const ENDINGS: [&str; 62] = [
    "s", "es", "ies", "ed", "ied", "ing", "edly", "ingly", "ly", "y", "e", "er", "ers", "or", "ors", "ion", "ions",
    "ation", "ations", "ational", "ative", "atively", "ator", "ators", "ive", "ively", "iveness", "ize", "izes",
    "ized", "izing", "ization", "izations", "izer", "al", "ally", "alism", "ality", "able", "ably", "ability", "ible",
    "ibility", "ance", "ances", "ence", "ences", "ant", "ent", "ment", "ments", "ness", "ful", "fully", "fulness",
    "ous", "ously", "ousness", "ical", "ically", "ity", "ities",
];

/// What can follow a prefix that ends within or before such an ending.
static TAILS: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| ENDINGS.iter().flat_map(|ending| (0..=ending.len()).map(|from| &ending[from..])).collect());

/// Maximum parts of a piece whose neighbours are also searched as one word.
const FEW_PARTS: usize = 8;

/// A piece of the query.
struct Piece<'t> {
    text: &'t str,
    is_excluded: bool,
    is_prefix: bool,
    /// True for a bare `OR`, an operator where it has alternatives.
    is_or: bool,
}

/// The clauses of a query, without duplicates.
pub(super) fn clauses(typed: &str) -> Vec<Clause> {
    let mut analyzer = Analyzer::default();
    let mut taken = ClauseList::default();
    // Repeated pieces are parsed once.
    let mut known: HashMap<(&str, bool), Vec<Phrase>> = HashMap::new();
    let mut pieces = Pieces { rest: typed }.filter_map(|piece| {
        let read = || phrases(&piece, &mut analyzer);
        let any = known.entry((piece.text, piece.is_prefix)).or_insert_with(read).clone();
        (!any.is_empty()).then_some((piece, any))
    });
    let mut next = pieces.next();
    while let Some((piece, any)) = next.take() {
        if taken.is_full() {
            break;
        }
        next = pieces.next();
        if piece.is_or
            && let Some(open) = taken.open.as_mut().filter(|open| !open.is_excluded)
            && let Some((_, other)) = next.take_if(|(other, _)| !other.is_excluded && !other.is_or)
        {
            open.any.extend(other);
            next = pieces.next();
        } else {
            taken.close();
            taken.open = Some(Clause { any, is_excluded: piece.is_excluded });
        }
    }
    taken.close();
    taken.clauses
}

/// The clauses so far.
#[derive(Default)]
struct ClauseList {
    clauses: Vec<Clause>,
    seen: HashSet<Clause>,
    terms: usize,
    /// The last one, which an `OR` can extend.
    open: Option<Clause>,
}

impl ClauseList {
    fn is_full(&self) -> bool {
        let open = self.open.as_ref().map_or(0, terms_of);
        self.terms + open >= MOST_TERMS
    }

    fn close(&mut self) {
        let Some(mut clause) = self.open.take() else { return };
        let mut seen = HashSet::new();
        clause.any.retain(|phrase| seen.insert(phrase.clone()));
        let mut room = MOST_TERMS.saturating_sub(self.terms);
        clause.any.retain(|phrase| {
            let fits = phrase.terms.len() <= room;
            room = if fits { room - phrase.terms.len() } else { 0 };
            fits
        });
        if !clause.any.is_empty() && self.seen.insert(clause.clone()) {
            self.terms += terms_of(&clause);
            self.clauses.push(clause);
        }
    }
}

fn terms_of(clause: &Clause) -> usize {
    clause.any.iter().map(|phrase| phrase.terms.len()).sum()
}

/// Splits a query into pieces.
struct Pieces<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        let rest = self.rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        // `--flag` and a lone dash are text.
        let begins = |c: char| c != '-' && !c.is_whitespace();
        let excluded = rest.strip_prefix('-').filter(|after| after.starts_with(begins));
        let (body, is_excluded) = excluded.map_or((rest, false), |after| (after, true));
        if let Some((quoted, after)) = quoted(body) {
            let text = quoted.trim_end_matches('*');
            self.rest = after.trim_start_matches('*');
            let is_prefix = text.len() < quoted.len() || self.rest.len() < after.len();
            return Some(Piece { text, is_excluded, is_prefix, is_or: false });
        }
        let (word, after) = body.split_at(body.find(char::is_whitespace).unwrap_or(body.len()));
        self.rest = after;
        let text = word.trim_end_matches('*');
        Some(Piece { text, is_excluded, is_prefix: text.len() < word.len(), is_or: word == "OR" && !is_excluded })
    }
}

/// The quoted text at the beginning of `text`, and what follows. Typographic quotes count.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let is_quote = |c: char| matches!(c, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}');
    let inner = text.strip_prefix(is_quote)?;
    inner.split_once(is_quote)
}

/// The alternative phrases of a piece, as typed first; empty if it has no word.
fn phrases(piece: &Piece<'_>, analyzer: &mut Analyzer) -> Vec<Phrase> {
    let mut words = analyzer.words(piece.text);
    let is_whole = words.len() <= LONGEST_PHRASE;
    words.truncate(LONGEST_PHRASE);
    let mut is_prefix = piece.is_prefix && is_whole;
    let mut can_grow = is_prefix;
    if is_whole && words.last().is_some_and(|last| is_spaceless(&piece.text[last.range()])) {
        if let [.., before, last] = words.as_slice()
            && before.range().end == last.range().end
        {
            // The run may continue in the searched text: only its pairs.
            words.pop();
            can_grow = false;
        } else {
            // A single character ends a run, or begins a pair.
            (is_prefix, can_grow) = (true, true);
        }
    }
    let mut phrases = Vec::new();
    for wording in wordings(&words, piece.text) {
        let Some((last, before)) = wording.split_last() else { continue };
        let before: Vec<String> = before.iter().map(|slot| slot.term(analyzer)).collect();
        let phrase = |last: String, is_prefix: bool| {
            let terms = before.iter().cloned().chain([last]).collect();
            Phrase { terms, is_prefix }
        };
        if can_grow {
            let begun = last.ending_with(&beginning(&piece.text[last.written.clone()]), analyzer);
            let others = last.grown(&piece.text[last.written.clone()], &begun, analyzer);
            phrases.push(phrase(begun, true));
            phrases.extend(others.into_iter().map(|term| phrase(term, false)));
        } else {
            phrases.push(phrase(last.term(analyzer), is_prefix));
        }
    }
    phrases
}

/// One position of a phrase.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Slot {
    /// One term, or several for words that can be written as one.
    terms: Vec<TermId>,
    /// The range of the last one as typed.
    written: Range<usize>,
}

impl Slot {
    fn term(&self, analyzer: &Analyzer) -> String {
        let terms: Vec<&str> = self.terms.iter().map(|term| analyzer.term(*term)).collect();
        spaced(&terms)
    }

    /// The same with another last term.
    fn ending_with(&self, last: &str, analyzer: &Analyzer) -> String {
        let before = self.terms.iter().take(self.terms.len() - 1).map(|term| analyzer.term(*term));
        spaced(&before.chain([last]).collect::<Vec<_>>())
    }

    /// The terms of words the prefix can become that do not themselves begin with it.
    fn grown(&self, written: &str, begun: &str, analyzer: &mut Analyzer) -> BTreeSet<String> {
        let mut others = BTreeSet::from([self.term(analyzer)]);
        let stem = beginning(written);
        if stem.len() > 2 && stem.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            for tail in TAILS.iter() {
                let term = analyzer.word(&format!("{stem}{tail}")).map(|term| analyzer.term(term).to_owned());
                others.extend(term.map(|term| self.ending_with(&term, analyzer)));
            }
        }
        others.retain(|term| !term.starts_with(begun));
        others
    }
}

/// The possible spellings of these words, as typed first, without duplicates.
fn wordings(words: &[Word], text: &str) -> Vec<Vec<Slot>> {
    let slot = |word: &Word, form: &Form| Slot { terms: vec![form.term], written: word.range_of(form) };
    let typed: Vec<Slot> = words.iter().filter_map(|word| word.forms.first().map(|whole| slot(word, whole))).collect();
    // Each part, with the index of its word.
    let mut parts: Vec<(usize, Slot)> = Vec::new();
    for (number, word) in words.iter().enumerate() {
        let of_word = word.forms.iter().filter(|form| word.forms.len() == 1 || form.kind == FormKind::Part);
        parts.extend(of_word.map(|form| (number, slot(word, form))));
    }
    let apart = parts.iter().take(LONGEST_PHRASE).map(|(_, part)| part.clone()).collect();
    let mut wordings = vec![typed.clone(), apart];
    if parts.len() <= FEW_PARTS {
        let starts = (0..parts.len()).flat_map(|from| (from + 2..=from + MOST_JOINED).map(move |to| from..to));
        for run in starts.filter(|run| run.end <= parts.len()) {
            let (first, last) = (&parts[run.start], &parts[run.end - 1]);
            if parts[run.clone()].iter().any(|(_, part)| is_spaceless(&text[part.written.clone()])) {
                continue;
            }
            let as_one = if first.0 == last.0 {
                let (word, range) = (&words[first.0], first.1.written.start..last.1.written.end);
                let joined = |form: &&Form| form.kind == FormKind::Joined && word.range_of(form) == range;
                word.forms.iter().find(joined).map(|form| slot(word, form))
            } else {
                let terms = parts[run.clone()].iter().flat_map(|(_, part)| part.terms.clone()).collect();
                Some(Slot { terms, written: last.1.written.clone() })
            };
            // The rest of the run's words stays in parts, other words as typed.
            let rest = |word: usize, range: Range<usize>| parts[range].iter().filter(move |part| part.0 == word);
            let before = typed[..first.0].iter().chain(rest(first.0, 0..run.start).map(|(_, part)| part));
            let after = rest(last.0, run.end..parts.len()).map(|(_, part)| part).chain(&typed[last.0 + 1..]);
            wordings.extend(as_one.map(|as_one| before.cloned().chain([as_one]).chain(after.cloned()).collect()));
        }
    }
    let mut seen = HashSet::new();
    wordings.retain(|wording| seen.insert(wording.iter().map(|slot| slot.terms.clone()).collect::<Vec<_>>()));
    wordings
}
