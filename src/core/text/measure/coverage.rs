//! Coverage: how much of what the request demands a prompt still holds.
//!
//! [`Demands`] are read from the request once and held against any number of texts. Everything is looked up in sets, so a
//! text that says more never covers less.

use std::collections::{HashMap, HashSet};

use super::reading::{Reader, Reading, each_number};
use super::units::each_unit;
use crate::text::terms::{TermId, flatten};
use crate::text::visited;

/// How coverage is computed, for people.
pub const FORMULA: &str = "the share of the request that the prompt holds, by weight: each distinct content word 1, each \
    number 3, each quoted string 3, each name, identifier or format 2 more, each clause with a limit (must, no, at most, without, …) 3 \
    times the share of its words that are there; words are compared by their stems";

/// Weights of what is demanded.
const WORD: f64 = 1.0;
const NUMBER: f64 = 3.0;
const QUOTE: f64 = 3.0;
const NAME: f64 = 2.0;
const LIMIT: f64 = 3.0;

/// The most quoted strings that are looked for, and the longest, in bytes.
const MOST_QUOTES: usize = 64;
const LONGEST_QUOTE: usize = 400;

/// What a request demands of every prompt made from it.
#[derive(Debug, Default)]
pub struct Demands {
    words: Vec<TermId>,
    /// The terms of names, by number, and which of `written` each stands in first.
    names: Vec<(TermId, usize)>,
    /// The names as written, each once, however many terms it has.
    written: Vec<String>,
    numbers: Vec<String>,
    /// As written, and flattened.
    quotes: Vec<(String, String)>,
    /// The words of each clause with a limit.
    limits: Vec<Vec<TermId>>,
}

impl Demands {
    /// Reads the demands out of a request.
    pub fn of(request: &str, reader: &mut Reader) -> Self {
        let mut demands = Self::default();
        let mut known: HashSet<TermId> = HashSet::new();
        let mut names: HashMap<TermId, usize> = HashMap::new();
        each_unit(request, |_, unit| {
            for term in reader.terms(unit) {
                if is_content(term, reader) && known.insert(term) {
                    demands.words.push(term);
                }
            }
            demands.read_names(unit, &known, &mut names, reader);
            each_clause(unit, |clause| demands.read_limit(clause, &known, reader));
        });
        demands.names = names.into_iter().collect();
        demands.names.sort_unstable();
        each_number(request, |number| demands.numbers.push(number));
        demands.numbers.sort();
        demands.numbers.dedup();
        each_quote(request, |quote| {
            if demands.quotes.len() < MOST_QUOTES && demands.quotes.iter().all(|(known, _)| known != quote) {
                demands.quotes.push((quote.to_owned(), flatten(quote)));
            }
        });
        demands
    }

    fn read_names(
        &mut self,
        unit: &str,
        known: &HashSet<TermId>,
        names: &mut HashMap<TermId, usize>,
        reader: &mut Reader,
    ) {
        for (at, word) in unit.split_whitespace().enumerate() {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            visited::visit(word.len());
            let is_name = is_identifier(word) || (at > 0 && word.starts_with(char::is_uppercase));
            let number = self.written.len();
            let mut is_new = false;
            for term in reader.terms(word) {
                if known.contains(&term) && (is_name || reader.format.contains(term)) {
                    is_new |= *names.entry(term).or_insert(number) == number;
                }
            }
            if is_new {
                self.written.push(word.to_owned());
            }
        }
    }

    fn read_limit(&mut self, clause: &str, known: &HashSet<TermId>, reader: &mut Reader) {
        let terms = reader.terms(clause);
        if reader.constraint.count_in(&terms) > 0 {
            let needed: Vec<TermId> = terms.into_iter().filter(|term| known.contains(term)).collect();
            if !needed.is_empty() {
                self.limits.push(needed);
            }
        }
    }

    /// The share of the demands that the text holds, 0..=1; 1 when nothing is demanded.
    pub fn coverage(&self, reading: &Reading) -> f64 {
        let (mut held, mut all) = (0.0, 0.0);
        let mut count = |weight: f64, value: f64| {
            all += weight;
            held += weight * value;
        };
        let has = |term: &TermId| f64::from(u8::from(reading.terms.contains(*term)));
        for word in &self.words {
            count(WORD, has(word));
        }
        for (name, _) in &self.names {
            count(NAME, has(name));
        }
        for number in &self.numbers {
            count(NUMBER, f64::from(u8::from(reading.numbers.contains(number))));
        }
        for (_, quote) in &self.quotes {
            count(QUOTE, f64::from(u8::from(reading.flat.contains(quote))));
        }
        for limit in &self.limits {
            count(LIMIT, limit.iter().map(has).sum::<f64>() / limit.len() as f64);
        }
        if all == 0.0 { 1.0 } else { held / all }
    }

    /// Numbers, quoted strings, names and formats of the request that the text does not hold.
    pub fn missing(&self, reading: &Reading) -> Vec<String> {
        let numbers = self.numbers.iter().filter(|number| !reading.numbers.contains(*number)).cloned();
        let quotes =
            self.quotes.iter().filter(|(_, flat)| !reading.flat.contains(flat)).map(|(quote, _)| quote.clone());
        // A name of several terms is named once.
        let mut named = HashSet::new();
        let lost = self.names.iter().filter(|(term, _)| !reading.terms.contains(*term));
        let names = lost.filter(|(_, name)| named.insert(*name)).map(|(_, name)| self.written[*name].clone());
        numbers.chain(quotes).chain(names).collect()
    }
}

/// Calls `visit` with the clauses of a sentence: cut at semicolons, brackets, and commas outside numbers.
fn each_clause<'t>(unit: &'t str, mut visit: impl FnMut(&'t str)) {
    for part in unit.split([';', '(', ')', '，', '；', '、']) {
        part.split(", ").for_each(&mut visit);
    }
}

/// True for a term that says something: no stop word, no mark of a limit, no lone letter; numbers count as such.
fn is_content(term: TermId, reader: &Reader) -> bool {
    let text = reader.term(term);
    let is_number = text.starts_with(|c: char| c.is_ascii_digit()) && !text.contains(char::is_alphabetic);
    let is_lone_letter = text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    !is_lone_letter && !is_number && !reader.stop.contains(term) && !reader.constraint.has_single(term)
}

/// True for `snake_case`, `camelCase`, `a.b`, `path/to`, `v2`, `UPPER`.
fn is_identifier(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_alphabetic)
        && chars.any(|c| c.is_uppercase() || c.is_ascii_digit() || matches!(c, '_' | '.' | '/' | ':' | '@'))
}

/// Calls `visit` with each quoted string, marks left out.
fn each_quote<'t>(text: &'t str, mut visit: impl FnMut(&'t str)) {
    const MARKS: [(char, &[char]); 7] = [
        ('"', &['"']),
        ('“', &['”', '“']),
        ('„', &['“', '”']),
        ('«', &['»']),
        ('‘', &['’']),
        ('`', &['`']),
        ('「', &['」']),
    ];
    // Where the next closing mark of each kind stands, as far as it was looked for: each is looked for once.
    let mut next_closing = [0; MARKS.len()];
    let mut from = 0;
    while let Some(start) = text[from..].find(|c| MARKS.iter().any(|(open, _)| *open == c)).map(|at| from + at) {
        let mut chars = text[start..].chars();
        let open = chars.next();
        let inside = text.len() - chars.as_str().len();
        let Some(kind) = MARKS.iter().position(|(mark, _)| Some(*mark) == open) else { return };
        let closing = MARKS[kind].1;
        if next_closing[kind] < inside {
            next_closing[kind] = text[inside..].find(closing).map_or(text.len(), |at| inside + at);
            visited::visit(next_closing[kind] - inside);
        }
        let end = next_closing[kind];
        from = inside;
        if end < text.len() && end - inside <= LONGEST_QUOTE {
            if text[inside..end].contains(char::is_alphanumeric) {
                visit(&text[inside..end]);
            }
            from = end + text[end..].chars().next().map_or(0, char::len_utf8);
        }
    }
}
