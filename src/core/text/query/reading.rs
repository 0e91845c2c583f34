//! Reading what was typed: pieces between blanks and quotes, then the phrases each stands for.
//!
//! A piece may stand for several phrases of which one is enough. A beginning that was typed may be longer than the term of
//! the word it begins: the term of `generation` is `generat`, which `generati` does not begin. So a beginning stands
//! for itself and, whole, for the terms of those words it grows to by an English ending ([`ENDINGS`]): every word is found
//! whose stemming took off no more than such an ending. As with whole words, others of the same stem are found too.
//!
//! Reading takes time in proportion to what is typed, and makes at most [`MOST_TERMS`] terms.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use super::{Clause, LONGEST_PHRASE, MOST_TERMS, Phrase};
use crate::text::terms::{Analyzer, Placed, beginning, is_spaceless};

/// Endings that stemming takes off or changes (<https://snowballstem.org/algorithms/english/stemmer.html>, read
/// 2026-11-21), the longer ones as words have them.
const ENDINGS: [&str; 62] = [
    "s", "es", "ies", "ed", "ied", "ing", "edly", "ingly", "ly", "y", "e", "er", "ers", "or", "ors", "ion", "ions",
    "ation", "ations", "ational", "ative", "atively", "ator", "ators", "ive", "ively", "iveness", "ize", "izes",
    "ized", "izing", "ization", "izations", "izer", "al", "ally", "alism", "ality", "able", "ably", "ability", "ible",
    "ibility", "ance", "ances", "ence", "ences", "ant", "ent", "ment", "ments", "ness", "ful", "fully", "fulness",
    "ous", "ously", "ousness", "ical", "ically", "ity", "ities",
];

/// What may follow a beginning that ends within or before such an ending.
static TAILS: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| ENDINGS.iter().flat_map(|ending| (0..=ending.len()).map(|from| &ending[from..])).collect());

/// A piece of what was typed.
struct Piece<'t> {
    text: &'t str,
    is_excluded: bool,
    is_prefix: bool,
    /// True for `OR` as it stands, which chooses where it can.
    is_or: bool,
}

/// The conditions that were typed, none twice.
pub(super) fn clauses(typed: &str) -> Vec<Clause> {
    let mut analyzer = Analyzer::default();
    let mut taken = Taken::default();
    // What is typed again and again is read once.
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

/// The conditions read so far.
#[derive(Default)]
struct Taken {
    clauses: Vec<Clause>,
    seen: HashSet<Clause>,
    terms: usize,
    /// The last one, to which an `OR` may add.
    open: Option<Clause>,
}

impl Taken {
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

/// Cuts what was typed into pieces.
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
        // `--flag` and a dash by itself are text.
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

/// What stands between quotes at the beginning of `text`, and what follows them. Typographic ones are as good.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let is_quote = |c: char| matches!(c, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}');
    let inner = text.strip_prefix(is_quote)?;
    inner.split_once(is_quote)
}

/// The phrases of which one is enough; none where the piece has no word in it.
fn phrases(piece: &Piece<'_>, analyzer: &mut Analyzer) -> Vec<Phrase> {
    let mut placed = Vec::new();
    analyzer.place(piece.text, &mut placed);
    let is_whole = placed.len() <= LONGEST_PHRASE;
    placed.truncate(LONGEST_PHRASE);
    let mut is_prefix = piece.is_prefix && is_whole;
    let Some(last) = placed.pop() else { return Vec::new() };
    let written = &piece.text[last.range.clone()];
    if is_whole && is_spaceless(written) {
        if placed.last().is_some_and(|before| before.range.end == last.range.end) {
            // The run may go on in the text that is sought: its pairs alone.
            return vec![phrase(analyzer, &placed, None, is_prefix)];
        }
        // A single character is the last of a run, or begins a pair.
        is_prefix = true;
    }
    let whole = analyzer.term(last.term).to_owned();
    if !is_prefix {
        return vec![phrase(analyzer, &placed, Some(whole), false)];
    }
    let begun = beginning(written);
    let mut others = BTreeSet::from([whole]);
    if begun.len() > 2 && begun.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        for tail in TAILS.iter() {
            others.extend(analyzer.word(&format!("{begun}{tail}")).map(|term| analyzer.term(term).to_owned()));
        }
    }
    others.retain(|term| !term.starts_with(&begun));
    let mut phrases = vec![phrase(analyzer, &placed, Some(begun), true)];
    phrases.extend(others.into_iter().map(|term| phrase(analyzer, &placed, Some(term), false)));
    phrases
}

fn phrase(analyzer: &Analyzer, placed: &[Placed], last: Option<String>, is_prefix: bool) -> Phrase {
    let terms = placed.iter().map(|place| analyzer.term(place.term).to_owned()).chain(last).collect();
    Phrase { terms, is_prefix }
}
