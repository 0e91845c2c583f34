//! Additions: what a prompt says that was neither requested nor given.
//!
//! Words alone do not tell whether an addition helps. But a number, name or quotation from nowhere
//! is invented, another limit or format contradicts the requested one, and length has a cost.

use std::collections::HashSet;

use super::clauses::Quantity;
use super::coverage::Demands;
use super::reading::Reading;
use super::{PromptReading, falling, share};
use crate::text::terms::TermId;

/// The formula, for users.
pub(super) const FORMULA: &str = "1 where nothing is added that should not be; 25 % off for each number, name and longer quotation that stands \
    neither in the request nor in its context, 40 % off for each contradiction (another limit of the same thing, another format, a no for a \
    yes); and less for length: in full while the added text has at most 100 words more \
    than the request, nothing from four times as many on";

const LEFT_AN_INVENTION: f64 = 0.75;
const LEFT_A_CONTRADICTION: f64 = 0.6;
const FREE_WORDS: usize = 100;
const TOO_LONG: f64 = 4.0;
/// A denying sentence with this share of a clause's words refers to that clause.
const MEANT: f64 = 0.75;
const MEANT_WORDS: usize = 2;
/// A quotation of fewer words is rather emphasis.
const QUOTE_WORDS: usize = 4;
/// With this share of known words a quotation is rather a paraphrase.
const KNOWN_WORDS: f64 = 0.6;

/// How safe the additions are, 0..=1.
pub(super) fn additions(written: &PromptReading, demands: &Demands) -> f64 {
    let added = written.added();
    let own = if written.holds_request() { 0 } else { demands.words };
    let words = added.words.saturating_sub(own);
    let fair = (FREE_WORDS + demands.words) as f64;
    let bulk = falling(words as f64, fair, fair * TOO_LONG);
    bulk * power(LEFT_AN_INVENTION, inventions(added, demands))
        * power(LEFT_A_CONTRADICTION, contradictions(written, demands))
}

fn power(base: f64, count: usize) -> f64 {
    base.powf(count as f64)
}

/// The number of invented numbers, names and quotations.
fn inventions(added: &Reading, demands: &Demands) -> usize {
    let known: HashSet<&str> = demands.known.quantities().map(|it| &*it.value).collect();
    // One is an article in most languages, and counts most things.
    let is_new = |it: &&Quantity| {
        &*it.value != "1" && !known.contains(&*it.value) && !demands.known.numbers.contains(&*it.value)
    };
    let numbers: HashSet<&str> = added.quantities().filter(is_new).map(|it| &*it.value).collect();
    let is_unknown = |terms: &[TermId]| terms.iter().any(|term| !demands.known.terms.contains(*term));
    // Capitals are emphasis, or a heading.
    let is_stressed = |name: &str| name.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    let names = added.names.iter().filter(|(name, terms)| is_unknown(terms) && !is_stressed(name)).count();
    let quotes = added.quotes.iter().filter(|(_, terms)| is_invented(terms, demands)).count();
    numbers.len() + names + quotes
}

/// True for a quotation of several words, most of them unknown.
fn is_invented(terms: &[TermId], demands: &Demands) -> bool {
    let known = terms.iter().filter(|term| demands.known.terms.contains(**term)).count();
    terms.len() >= QUOTE_WORDS && share(known, terms.len(), 1.0) < KNOWN_WORDS
}

fn contradictions(written: &PromptReading, demands: &Demands) -> usize {
    let added = written.added();
    let limits = added.quantities().filter(|it| contradicts(it, demands)).count();
    let other_format = |term: &TermId| !demands.formats.contains(term) && !demands.known.terms.contains(*term);
    let formats =
        if demands.formats.is_empty() { 0 } else { added.formats.iter().filter(|term| other_format(term)).count() };
    // If the request is not included whole, coverage measures reversals.
    let turned = if written.holds_request() {
        let found = demands.clauses.iter().zip(demands.found_in(added));
        found
            .filter(|(demand, found)| {
                demand.terms.len() >= MEANT_WORDS && found.turned >= MEANT && found.same < found.turned
            })
            .count()
    } else {
        0
    };
    limits + formats + turned
}

/// True for a number whose limit contradicts one in the request.
fn contradicts(other: &Quantity, demands: &Demands) -> bool {
    let Some(unit) = &other.unit else { return false };
    let mut of_unit = demands.quantities.iter().filter(|own| own.unit == Some(*unit)).peekable();
    if of_unit.peek().is_none() {
        return false;
    }
    let agrees = |own: &Quantity| own.value == other.value && !own.is_contrary(other);
    !of_unit.any(agrees)
}
