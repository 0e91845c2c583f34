//! Coverage: how much of a request's demands a prompt preserves.
//!
//! [`Demands`] are read from the request once and compared with any number of prompts. A prompt
//! that includes the whole request covers it. For others, it measures which clauses recur, with
//! what share of their words and the same polarity, and which numbers, quotations and names;
//! paraphrases count about half.

use std::collections::{HashMap, HashSet};

use super::clauses::{Clause, CountedUnit, Quantity, clause, each_clause};
use super::reading::{Reader, Reading};
use super::units::{UnitKind, each_unit};
use super::{PromptReading, share};
use crate::text::language::Language;
use crate::text::terms::{TermId, flatten};

/// The formula, for users.
pub(super) const FORMULA: &str = "1 where the request stands whole in the prompt; else the share of its clauses that come back in one clause or \
    sentence each (in full from 6 of 10 content words on, with the same yes or no), less 15 % for each number (with its unit and \
    bound), quotation and name that is lost and each clause whose yes became a no; in another language than the request's only \
    numbers, quotations and names count";

/// A clause with this share of its words is fully preserved: the rest is paraphrase.
const ENOUGH_WORDS: f64 = 0.6;
/// A sentence of at most this many words can introduce a list.
const LEAD_WORDS: usize = 5;
/// The weight of a clause that recurs next to a new negation.
const KEPT_BESIDE_A_NO: f64 = 0.5;
/// The factor for each lost fact.
const KEPT_A_LOSS: f64 = 0.85;
/// Maximum clauses compared: the first and the last ones, where tasks are stated.
const FIRST_CLAUSES: usize = 48;
const LAST_CLAUSES: usize = 16;
/// A clause weighs as many words as it has, up to this.
const MOST_WEIGHT: usize = 12;
/// Maximum numbers compared.
const MOST_NUMBERS: usize = 128;

/// A clause of the request.
#[derive(Debug)]
pub(super) struct Demand {
    /// Its distinct content terms; at least one.
    pub(super) terms: Vec<TermId>,
    pub(super) denies: bool,
}

/// What a request demands of its prompts, and what is known from it and its context.
#[derive(Debug, Default)]
pub struct Demands {
    request: String,
    context: Vec<String>,
    language: Option<Language>,
    pub(super) clauses: Vec<Demand>,
    pub(super) quantities: Vec<Quantity>,
    /// As written, and flattened.
    quotes: Vec<(String, String)>,
    /// As written, with their terms.
    names: Vec<(String, Vec<TermId>)>,
    /// The request and its context, read.
    pub(super) known: Reading,
    /// Terms of formats that the request names.
    pub(super) formats: HashSet<TermId>,
    /// The request's number of words.
    pub(super) words: usize,
    pub(super) gaps: usize,
}

/// How much of a demand recurs, with the same and with the opposite polarity.
pub(super) struct DemandMatch {
    pub(super) same: f64,
    pub(super) turned: f64,
}

impl Demands {
    /// Reads the demands of a request. `gaps` is the number of things it plainly leaves open.
    pub fn of(request: &str, context: &[String], gaps: usize, reader: &mut Reader) -> Self {
        let request = request.trim();
        let all = context.iter().map(String::as_str).chain([request]).collect::<Vec<_>>().join("\n");
        let own = reader.read(request);
        let mut clauses = Vec::new();
        each_unit(request, |_, unit| {
            each_clause(unit, |text| {
                let Clause { terms, denies, .. } = clause(text, reader);
                let terms: Vec<TermId> = terms.iter().copied().filter(|term| is_content(*term, reader)).collect();
                if !terms.is_empty() {
                    clauses.push(Demand { terms, denies });
                }
            });
        });
        if clauses.len() > FIRST_CLAUSES + LAST_CLAUSES {
            clauses.drain(FIRST_CLAUSES..clauses.len() - LAST_CLAUSES);
        }
        let mut quantities: Vec<Quantity> = Vec::new();
        for quantity in own.quantities() {
            if quantities.len() < MOST_NUMBERS && !quantities.contains(quantity) {
                quantities.push(quantity.clone());
            }
        }
        let formats = own.formats.iter().copied().collect();
        Self {
            language: own.language,
            clauses,
            quantities,
            quotes: own.quotes.iter().map(|(quote, _)| (quote.clone(), flatten(quote))).collect(),
            names: own.names.clone(),
            known: if context.is_empty() { own } else { reader.read(&all) },
            formats,
            words: request.split_whitespace().count(),
            gaps,
            request: request.to_owned(),
            context: context.iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect(),
        }
    }

    /// Reads a prompt against them.
    pub fn read(&self, prompt: &str, reader: &mut Reader) -> PromptReading {
        let all = reader.read(prompt);
        let Some(mut added) = cut(prompt, &self.request) else { return PromptReading { added: None, all } };
        // Context included in the prompt was given, not added.
        for item in &self.context {
            added = cut(&added, item).unwrap_or(added);
        }
        PromptReading { added: Some(reader.read(&added)), all }
    }

    /// The share of the demands that the prompt preserves, 0..=1; 1 without demands.
    pub(super) fn coverage(&self, written: &PromptReading) -> f64 {
        if written.holds_request() || self.request.is_empty() {
            return 1.0;
        }
        let reading = &written.all;
        let (mut kept, mut all, mut turned) = (0.0, 0.0, 0);
        if !self.is_foreign(reading) {
            for (demand, found) in self.clauses.iter().zip(self.found_in(reading)) {
                let weight = demand.terms.len().min(MOST_WEIGHT) as f64;
                all += weight;
                let is_turned = found.turned >= ENOUGH_WORDS && found.same < ENOUGH_WORDS * found.turned;
                // A lost negation is a fault; a new one may mean something else.
                turned += usize::from(is_turned && demand.denies);
                let words = if demand.denies { found.same } else { found.same.max(found.turned * KEPT_BESIDE_A_NO) };
                kept += weight * (words / ENOUGH_WORDS).min(1.0);
            }
        }
        let lost = turned + self.lost(reading).count();
        let words = if all > 0.0 { kept / all } else { 1.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "a few hundred at most")]
        let left = KEPT_A_LOSS.powi(lost as i32);
        words * left
    }

    /// True for a prompt in another language than the request.
    fn is_foreign(&self, reading: &Reading) -> bool {
        self.language.zip(reading.language).is_some_and(|(own, other)| own != other)
    }

    /// For each clause, the largest share of its words in one clause or sentence of the text.
    pub(super) fn found_in(&self, reading: &Reading) -> Vec<DemandMatch> {
        let mut by_term: HashMap<TermId, Vec<usize>> = HashMap::new();
        for (at, demand) in self.clauses.iter().enumerate() {
            for term in &demand.terms {
                by_term.entry(*term).or_default().push(at);
            }
        }
        let mut found: Vec<DemandMatch> = self.clauses.iter().map(|_| DemandMatch { same: 0.0, turned: 0.0 }).collect();
        let hits = |terms: &[TermId]| {
            let mut hits: HashMap<usize, usize> = HashMap::new();
            for at in terms.iter().filter_map(|term| by_term.get(term)).flatten() {
                *hits.entry(*at).or_default() += 1;
            }
            hits
        };
        let mut count = |hits: &HashMap<usize, usize>, denies: [bool; 2]| {
            for (at, hits) in hits {
                let (demand, found) = (&self.clauses[*at], &mut found[*at]);
                let value = share(*hits, demand.terms.len(), 0.0);
                if denies[usize::from(demand.denies)] {
                    found.same = found.same.max(value);
                } else {
                    found.turned = found.turned.max(value);
                }
            }
        };
        // Items under a negated heading are negated without a word of their own.
        let mut heading_denies = false;
        for unit in &reading.units {
            let is_lead =
                unit.kind == UnitKind::Section || (unit.kind == UnitKind::Sentence && unit.terms.len() <= LEAD_WORDS);
            if is_lead || unit.kind != UnitKind::Item {
                heading_denies = is_lead && unit.clauses.iter().any(|clause| clause.denies);
            }
            let mut all: Vec<TermId> = Vec::new();
            // Which polarities occur in the unit.
            let mut said = [false, false];
            let mut most: HashMap<usize, usize> = HashMap::new();
            for clause in &unit.clauses {
                let here = hits(&clause.terms);
                count(&here, [!clause.denies, clause.denies || heading_denies]);
                said[usize::from(clause.denies)] = true;
                all.extend(&clause.terms);
                for (at, hits) in here {
                    let most = most.entry(at).or_default();
                    *most = (*most).max(hits);
                }
            }
            // Demands spread over several clauses.
            if unit.clauses.len() > 1 {
                all.sort_unstable();
                all.dedup();
                let mut spread = hits(&all);
                spread.retain(|at, hits| *hits > most.get(at).copied().unwrap_or_default());
                count(&spread, said);
            }
        }
        found
    }

    /// Numbers, quotations and names of the request that the text lacks, as written.
    pub fn missing(&self, written: &PromptReading) -> Vec<String> {
        if written.holds_request() { Vec::new() } else { self.lost(&written.all).map(str::to_owned).collect() }
    }

    fn lost<'d>(&'d self, reading: &'d Reading) -> impl Iterator<Item = &'d str> {
        let is_foreign = self.is_foreign(reading);
        let numbers =
            self.quantities.iter().filter(move |own| !reading.quantities().any(|it| keeps(own, it, is_foreign)));
        let quotes = self.quotes.iter().filter(|(_, flat)| !reading.flat.contains(flat));
        let names = self.names.iter().filter(|(_, terms)| !terms.iter().all(|term| reading.terms.contains(*term)));
        numbers
            .map(|it| &*it.value)
            .chain(quotes.map(|(quote, _)| quote.as_str()))
            .chain(names.map(|(name, _)| name.as_str()))
    }
}

/// True if `other` is the same number of the same thing, without a contrary bound.
fn keeps(own: &Quantity, other: &Quantity, is_foreign: bool) -> bool {
    let counts_the_same = |unit: &CountedUnit| other.unit.as_ref() == Some(unit) || other.near.contains(&Some(*unit));
    own.value == other.value && !own.is_contrary(other) && (is_foreign || own.unit.as_ref().is_none_or(counts_the_same))
}

/// The text without the first occurrence of `part` and its marker; `None` if it does not occur.
fn cut(text: &str, part: &str) -> Option<String> {
    let at = if part.is_empty() { None } else { text.find(part) }?;
    let (before, after) = without_mark(&text[..at], &text[at + part.len()..]);
    Some([before, after].join("\n"))
}

/// The text around a part without its marker: a line with a tag on either side.
fn without_mark<'t>(before: &'t str, after: &'t str) -> (&'t str, &'t str) {
    let (head, opening) = before.trim_end().rsplit_once('\n').unwrap_or(("", before.trim_end()));
    let (closing, tail) = after.trim_start().split_once('\n').unwrap_or((after.trim_start(), ""));
    let name = opening.trim().strip_prefix('<').and_then(|tag| tag.strip_suffix('>'));
    let is_mark =
        name.is_some_and(|name| closing.trim().strip_prefix("</").and_then(|tag| tag.strip_suffix('>')) == Some(name));
    if is_mark { (head, tail) } else { (before, after) }
}

/// True for a content term: no stop word, single letter or number.
fn is_content(term: TermId, reader: &Reader) -> bool {
    let text = reader.term(term);
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    let is_lone_letter = text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    !is_lone_letter && !is_number && !reader.stop.contains(term) && !reader.constraint.has_single(term)
}
