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
    let held = Held::of(input, &original);
    let told = |passage: &Passage| !held.holds(&passage.plain()) || !held.speaks_of(&passage.plain(), TASK_HELD);
    for passages in [original.task, original.context] {
        joined.requirements.extend(passages.into_iter().filter(told));
    }
    let ruled = |passage: &Passage| !held.holds(&passage.plain()) || !held.speaks_of(&passage.plain(), CONSTRAINT_HELD);
    joined.requirements.extend(original.requirements.into_iter().filter(ruled));
    joined.avoid.extend(original.avoid.into_iter().filter(ruled));
    joined.format.extend(original.format.into_iter().filter(ruled));
    let missing = original.material.into_iter().filter(|material| {
        (material.text.trim().is_empty() || !input.contains(material.text.trim()))
            && !joined.material.contains(material)
    });
    let missing: Vec<_> = missing.collect();
    joined.material.extend(missing);
    if let Some(role) = original.role.filter(|role| !held.holds(role) || joined.role.is_none()) {
        joined.role = Some(role);
    }
    joined.original = original.original;
    joined.craft = original.craft;
    joined.language = original.language;
    joined.code_language = original.code_language.or(joined.code_language);
    joined
}

/// What a text holds, made ready once for all passages that are looked for in it.
struct Held {
    lower: String,
    numbers: HashSet<String>,
    stems: HashSet<String>,
    /// The names in the passages of the request: a name is told from its place in the whole request, not in a passage.
    names: Vec<String>,
}

impl Held {
    fn of(text: &str, original: &Reading) -> Self {
        let parts = [&original.task, &original.context, &original.requirements, &original.avoid, &original.format];
        let passages = parts.into_iter().flatten().map(Passage::plain).chain(original.role.clone());
        let passages: String = passages.flat_map(|passage| [passage, "\n".to_owned()]).collect();
        let names: HashSet<&str> = facts::names(&original.original).into_iter().collect();
        Self {
            lower: text.to_lowercase(),
            numbers: facts::numbers(text).into_iter().map(str::to_owned).collect(),
            stems: stems(text),
            names: names.into_iter().filter(|name| passages.contains(name)).map(str::to_owned).collect(),
        }
    }

    /// True when every fact of the passage is in the text.
    fn holds(&self, passage: &str) -> bool {
        let found = facts::facts(passage);
        let mut named = self.names.iter().filter(|name| passage.contains(name.as_str()));
        named.all(|name| self.lower.contains(&name.to_lowercase()))
            && found.numbers.iter().all(|number| self.numbers.contains(number))
            && [found.quoted, found.names, found.placeholders, found.addresses, found.formats]
                .iter()
                .flatten()
                .all(|fact| self.lower.contains(&fact.to_lowercase()))
    }

    /// True when that share of the words of the passage that carry meaning is in the text, in any form.
    fn speaks_of(&self, passage: &str, (held_of, of): (usize, usize)) -> bool {
        let wanted = stems(passage);
        let held = wanted.iter().filter(|stem| self.stems.contains(*stem)).count();
        held * of >= wanted.len() * held_of
    }
}

/// The beginnings of the words that carry meaning, in small letters.
fn stems(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().nth(3).is_some());
    words.map(|word| word.chars().flat_map(char::to_lowercase).take(5).collect()).collect()
}

/// The share of a constraint's words that a text must hold to be taken to speak of it.
const CONSTRAINT_HELD: (usize, usize) = (2, 3);
/// The share for the task and its context, which a text may well put in other words.
const TASK_HELD: (usize, usize) = (1, 3);
