//! Text of another hand between our phases: a phase that a model did, or a template the user rewrote.
//!
//! Whatever such a text says is what the next phase works on, and nothing of the original request may be lost with
//! it: passages and material of the request whose facts the text does not hold are added to the letter.

use super::reading::{Passage, Reading};
use crate::text::facts;

/// The reading of `text`, made of `original`'s request: what the text says, and what it has lost.
pub(super) fn joined(original: Reading, text: Reading, input: &str) -> Reading {
    let lost = |passage: &Passage| !holds(input, &passage.plain());
    let mut joined = text;
    for passages in [original.task, original.context, original.requirements] {
        joined.requirements.extend(passages.into_iter().filter(lost));
    }
    joined.avoid.extend(original.avoid.into_iter().filter(lost));
    joined.format.extend(original.format.into_iter().filter(lost));
    let missing = original
        .material
        .into_iter()
        .filter(|material| !input.contains(material.text.trim()) && !joined.material.contains(material));
    let missing: Vec<_> = missing.collect();
    joined.material.extend(missing);
    if let Some(role) = original.role.filter(|role| !holds(input, role) || joined.role.is_none()) {
        joined.role = Some(role);
    }
    joined.craft = original.craft;
    joined.language = original.language;
    joined.code_language = original.code_language.or(joined.code_language);
    joined
}

/// True when every fact of the passage is in the text.
fn holds(text: &str, passage: &str) -> bool {
    let found = facts::facts(passage);
    let numbers = facts::numbers(text);
    let lower = text.to_lowercase();
    found.numbers.iter().all(|number| numbers.contains(&number.as_str()))
        && [found.quoted, found.names, found.placeholders, found.addresses, found.formats]
            .iter()
            .flatten()
            .all(|fact| lower.contains(&fact.to_lowercase()))
}
