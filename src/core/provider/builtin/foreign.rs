//! Text of another hand between our phases: a phase that a model did, or a template the user rewrote.
//!
//! Whatever such a text says is what the next phase works on, and nothing of the original request may be lost with
//! it: passages and material of the request whose facts the text does not hold are added to the letter.

use std::collections::HashSet;

use super::reading::{Passage, Reading};
use crate::text::facts;

/// The reading of `text`, made of `original`'s request: what the text says, and what it has lost.
pub(super) fn joined(original: Reading, text: Reading, input: &str) -> Reading {
    let mut joined = text;
    // A name is told from its place in the whole request, not in a passage.
    let request = original.original.clone();
    let names = facts::names(&request);
    let told =
        |passage: &Passage| !holds(&names, input, &passage.plain()) || !speaks_of(input, &passage.plain(), TASK_HELD);
    for passages in [original.task, original.context] {
        joined.requirements.extend(passages.into_iter().filter(told));
    }
    let ruled = |passage: &Passage| {
        !holds(&names, input, &passage.plain()) || !speaks_of(input, &passage.plain(), CONSTRAINT_HELD)
    };
    joined.requirements.extend(original.requirements.into_iter().filter(ruled));
    joined.avoid.extend(original.avoid.into_iter().filter(ruled));
    joined.format.extend(original.format.into_iter().filter(ruled));
    let missing = original.material.into_iter().filter(|material| {
        (material.text.trim().is_empty() || !input.contains(material.text.trim()))
            && !joined.material.contains(material)
    });
    let missing: Vec<_> = missing.collect();
    joined.material.extend(missing);
    if let Some(role) = original.role.filter(|role| !holds(&names, input, role) || joined.role.is_none()) {
        joined.role = Some(role);
    }
    joined.original = original.original;
    joined.craft = original.craft;
    joined.language = original.language;
    joined.code_language = original.code_language.or(joined.code_language);
    joined
}

/// True when every fact of the passage is in the text.
fn holds(names: &[&str], text: &str, passage: &str) -> bool {
    let found = facts::facts(passage);
    let numbers = facts::numbers(text);
    let lower = text.to_lowercase();
    let named = names.iter().filter(|name| passage.contains(**name)).all(|name| lower.contains(&name.to_lowercase()));
    named
        && found.numbers.iter().all(|number| numbers.contains(&number.as_str()))
        && [found.quoted, found.names, found.placeholders, found.addresses, found.formats]
            .iter()
            .flatten()
            .all(|fact| lower.contains(&fact.to_lowercase()))
}

/// The share of a constraint's words that a text must hold to be taken to speak of it.
const CONSTRAINT_HELD: (usize, usize) = (2, 3);
/// The share for the task and its context, which a text may well put in other words.
const TASK_HELD: (usize, usize) = (1, 3);

/// True when that share of the words of the passage that carry meaning is in the text, in any form.
fn speaks_of(text: &str, passage: &str, (held_of, of): (usize, usize)) -> bool {
    let stems = |text: &str| -> HashSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3);
        words.map(|word| word.chars().flat_map(char::to_lowercase).take(5).collect()).collect()
    };
    let (wanted, present) = (stems(passage), stems(text));
    let held = wanted.iter().filter(|stem| present.contains(*stem)).count();
    held * of >= wanted.len() * held_of
}
