//! The embedded, deterministic prompt writer: a provider without key, network or model.
//!
//! It is no language model. It reads a request by tables of cue words and writes prompts from tables of plain
//! sentences, and the same brief always gives the same text.
//!
//! # How it reads and writes
//! [`reading`] cuts the request into passages and puts each, in the user's own words, where it belongs: task, context,
//! requirements, things to avoid, form of the answer, material. `craft` holds what a good prompt of each task type
//! says beyond that, `persona` what a persona adds, `strategy` the ways of asking. The phases draw on all of these
//! through `ingredients`: `findings` lays them out (prima-materia), `prose` writes them as instructions (solutio),
//! `compose` makes the structured prompt (coagulatio); `render` gives it the form a family of models reads best.
//! When the text between two phases is of another hand, `foreign` takes that text as the matter.
//!
//! # What always holds
//! Every number, quotation, name, format and constraint of the request is in the text of every phase, and no number is
//! there that was not: user passages are placed, never paraphrased, and no sentence of ours holds a digit.
//!
//! To add a task type, see `craft`; its cue words are in `cues::tasks`.

mod compose;
mod craft;
mod cues;
mod document;
mod findings;
mod foreign;
mod headings;
mod ingredients;
pub mod judge;
mod persona;
mod prose;
mod reading;
mod render;
mod strategy;
mod stream;
#[cfg(test)]
mod tests;
mod words;

pub use strategy::STRATEGY_NAMES;
pub use stream::{Builtin, MODEL};

use std::collections::HashSet;

use ingredients::Ingredients;
use reading::{Material, MaterialKind, Reading, read};
use strategy::Strategy;

use super::PhaseBrief;
use crate::domain::Phase;
use crate::text::facts;

/// Writes the text of one phase. Deterministic, never empty, never fails.
pub fn write(brief: &PhaseBrief) -> String {
    let original = read(&brief.original_input, &brief.context);
    if is_own(brief, &original) {
        return written(brief, brief.phase, &original);
    }
    let reading = foreign::joined(original, read(&brief.input, &[]), &brief.input);
    written(brief, brief.phase, &reading)
}

/// True when the phase works on the request itself or on what we made of it.
fn is_own(brief: &PhaseBrief, original: &Reading) -> bool {
    if same(&brief.input, &brief.original_input) {
        return true;
    }
    let before = brief.phases.iter().take_while(|phase| **phase != brief.phase).last();
    before.is_some_and(|phase| same(&brief.input, &written(brief, *phase, original)))
}

/// True when two texts differ in white space alone.
fn same(a: &str, b: &str) -> bool {
    a == b || a.split_whitespace().eq(b.split_whitespace())
}

fn written(brief: &PhaseBrief, phase: Phase, reading: &Reading) -> String {
    let text = rendered(brief, phase, reading);
    if keeps_facts(&reading.original, &text) {
        return text;
    }
    // Quotation marks that do not pair can defeat the reader. Then the request is added to the letter.
    let mut whole = reading.clone();
    whole.material.push(Material { kind: MaterialKind::Request, text: reading.original.clone() });
    rendered(brief, phase, &whole)
}

fn rendered(brief: &PhaseBrief, phase: Phase, reading: &Reading) -> String {
    let strategy = Strategy::named(&brief.strategy, brief.variant);
    let from = Ingredients::new(reading, &brief.persona);
    let document = match phase {
        Phase::PrimaMateria => findings::findings(&from, strategy),
        Phase::Solutio => prose::prose(&from, strategy),
        Phase::Coagulatio => compose::compose(&from, strategy, brief.target),
    };
    render::render(&document, brief.target)
}

/// The most facts that are looked for in the whole text, each of them, because they were not found where facts stand.
const MOST_LOOKED_FOR: usize = 64;

/// True when every number, quotation, placeholder and address of the request is in the text. A text that lacks many of them
/// where they would stand is taken to lack one.
fn keeps_facts(request: &str, text: &str) -> bool {
    let is_among = |facts: fn(&str) -> Vec<&str>| -> HashSet<&str> { facts(text).into_iter().collect() };
    let numbers = is_among(facts::numbers);
    let lost = |facts: fn(&str) -> Vec<&str>| -> Vec<&str> {
        let known = is_among(facts);
        facts(request).into_iter().filter(|fact| !known.contains(fact)).collect()
    };
    let unseen: HashSet<&str> =
        [facts::quoted, facts::placeholders, facts::addresses].into_iter().flat_map(lost).collect();
    facts::numbers(request).iter().all(|number| numbers.contains(number))
        && unseen.len() <= MOST_LOOKED_FOR
        && unseen.into_iter().all(|fact| text.contains(fact))
}
