//! Additions: what a prompt says that was neither asked nor given.
//!
//! Nobody can tell from the words whether an addition helps. But a number, a name or a quotation from nowhere is invented, a
//! limit or a format beside the one asked for contradicts it, and what is long costs whoever reads it.

use std::collections::HashSet;

use super::clauses::Quantity;
use super::coverage::Demands;
use super::reading::Reading;
use super::{Written, falling, share};
use crate::text::terms::TermId;

/// How additions are rated, for people.
pub(super) const FORMULA: &str = "1 where nothing is added that should not be; 25 % off for each number, name and longer quotation that stands \
    neither in the request nor in its context, 40 % off for each contradiction (another limit of the same thing, another format, a no for a \
    yes); and less for length: in full while the added text has at most 100 words more \
    than the request, nothing from four times as many on";

const LEFT_AN_INVENTION: f64 = 0.75;
const LEFT_A_CONTRADICTION: f64 = 0.6;
const FREE_WORDS: usize = 100;
const TOO_LONG: f64 = 4.0;
/// So much of a clause in a sentence that says no means that clause.
const MEANT: f64 = 0.75;
const MEANT_WORDS: usize = 2;
/// A quotation of fewer words is rather stressed.
const QUOTE_WORDS: usize = 4;
/// With so many of its words known it is rather what was said, put otherwise.
const KNOWN_WORDS: f64 = 0.6;

/// How safe the additions are, 0..=1.
pub(super) fn additions(written: &Written, demands: &Demands) -> f64 {
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

/// How many numbers, names and quotations come from nowhere.
fn inventions(added: &Reading, demands: &Demands) -> usize {
    let known: HashSet<&str> = demands.known.quantities().map(|it| &*it.value).collect();
    // One is an article in most languages, and how many there are of each.
    let is_new = |it: &&Quantity| {
        &*it.value != "1" && !known.contains(&*it.value) && !demands.known.numbers.contains(&*it.value)
    };
    let numbers: HashSet<&str> = added.quantities().filter(is_new).map(|it| &*it.value).collect();
    let is_unknown = |terms: &[TermId]| terms.iter().any(|term| !demands.known.terms.contains(*term));
    // In capitals words are stressed, or stand in a heading.
    let is_stressed = |name: &str| name.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    let names = added.names.iter().filter(|(name, terms)| is_unknown(terms) && !is_stressed(name)).count();
    let quotes = added.quotes.iter().filter(|(_, terms)| is_invented(terms, demands)).count();
    numbers.len() + names + quotes
}

/// True for a quotation of several words, most of which are in nothing that is known.
fn is_invented(terms: &[TermId], demands: &Demands) -> bool {
    let known = terms.iter().filter(|term| demands.known.terms.contains(**term)).count();
    terms.len() >= QUOTE_WORDS && share(known, terms.len(), 1.0) < KNOWN_WORDS
}

fn contradictions(written: &Written, demands: &Demands) -> usize {
    let added = written.added();
    let limits = added.quantities().filter(|it| contradicts(it, demands)).count();
    let other_format = |term: &TermId| !demands.formats.contains(term) && !demands.known.terms.contains(*term);
    let formats =
        if demands.formats.is_empty() { 0 } else { added.formats.iter().filter(|term| other_format(term)).count() };
    // Where the request does not stand whole, coverage tells what was turned round.
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

/// True for a number that limits what the request limits otherwise.
fn contradicts(other: &Quantity, demands: &Demands) -> bool {
    let Some(unit) = &other.unit else { return false };
    let mut of_unit = demands.quantities.iter().filter(|own| own.unit == Some(*unit)).peekable();
    if of_unit.peek().is_none() {
        return false;
    }
    let agrees = |own: &Quantity| own.value == other.value && !own.is_contrary(other);
    !of_unit.any(agrees)
}
