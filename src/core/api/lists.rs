//! Checks of fields that take a list.
//!
//! A list comes from outside and can have as many items as fit in a body, so every check is linear:
//! seen items are looked up in a set, and [`Faults`] builds the first hundred faults and counts the
//! rest. A fault of an item is named by its position (`[2]`); the caller prefixes the field's name.

use std::collections::HashSet;

use serde_json::Value;

use super::decoder::{
    CheckError, FieldValue, check_name, check_provider, check_text, name_of, shorten, unknown_phase, wrong_type,
};
use super::field::Kind;
use super::{Known, PromptKey};
use crate::domain::{Phase, limits};
use crate::error::{Fault, Faults};
use crate::text::shown;

/// Checks a list of texts.
pub(super) fn list(kind: Kind, given: Value, known: &Known) -> Result<FieldValue, CheckError> {
    let texts = texts_of(kind, given)?;
    match kind {
        Kind::Choices(words) => choices(texts, words),
        Kind::Phases => phases(&texts),
        Kind::Providers => providers(texts, &known.providers, "leave it out for all"),
        Kind::Tags => tags(&texts),
        Kind::PromptKeys { min, max } => keys(&texts, min, max),
        Kind::Texts { items, max } => many_texts(texts, items, max),
        _ => Err(CheckError::Shape(format!("expected {}, got a list", kind.expected()))),
    }
}

/// Checks one judge or a panel of them.
pub(super) fn judges(kind: Kind, given: Value, max: usize, known: &Known) -> Result<FieldValue, CheckError> {
    match given {
        Value::String(text) => match check_provider(text, &known.providers)? {
            FieldValue::Text(text) => Ok(FieldValue::Texts(vec![text])),
            other => Ok(other),
        },
        given => {
            let texts = texts_of(kind, given)?;
            if texts.len() > max {
                return Err(CheckError::value(format!("names {} judges; a panel has at most {max}", texts.len())));
            }
            providers(texts, &known.providers, "leave it out for the usual judge")
        }
    }
}

/// Checks one name or several.
pub(super) fn names(kind: Kind, given: Value, max: usize) -> Result<FieldValue, CheckError> {
    let texts = match given {
        Value::String(text) => vec![text],
        given => texts_of(kind, given)?,
    };
    let (mut seen, mut found) = (HashSet::new(), ListFaults::default());
    if texts.is_empty() || texts.len() > max {
        found.whole(format!("has {} names; from 1 to {max} are allowed", texts.len()));
    }
    for (position, name) in texts.iter().enumerate() {
        let checked = check_text(name, 1, limits::NAME_CHARS).and_then(|()| check_name(name));
        if let Err(message) = checked {
            found.item(position, || message);
        } else if !seen.insert(name.as_str()) {
            found.item(position, || format!("`{}` is named twice; names must be distinct", shorten(name)));
        }
    }
    found.or(FieldValue::Texts(texts))
}

/// Checks that rows are objects, and how many there are.
pub(super) fn rows(kind: Kind, given: Value, max: usize) -> Result<FieldValue, CheckError> {
    let Value::Array(rows) = given else { return Err(wrong_type(kind, &given)) };
    if let Some((position, row)) = rows.iter().enumerate().find(|(_, row)| !row.is_object()) {
        return Err(CheckError::Shape(format!("item {position} is {}; expected an object", name_of(row))));
    }
    if rows.is_empty() || rows.len() > max {
        return Err(CheckError::value(format!("has {} rows; from 1 to {max} are allowed", rows.len())));
    }
    Ok(FieldValue::Rows(rows))
}

fn texts_of(kind: Kind, given: Value) -> Result<Vec<String>, CheckError> {
    let Value::Array(items) = given else { return Err(wrong_type(kind, &given)) };
    let mut texts = Vec::with_capacity(items.len());
    for (position, item) in items.into_iter().enumerate() {
        let Value::String(text) = item else {
            return Err(CheckError::Shape(format!("item {position} is {}; expected a text", name_of(&item))));
        };
        texts.push(text);
    }
    Ok(texts)
}

/// The faults found so far in a list.
#[derive(Default)]
struct ListFaults(Faults);

impl ListFaults {
    /// Adds a fault of an item. The message is only built when it is listed.
    fn item(&mut self, position: usize, message: impl FnOnce() -> String) {
        self.0.push_with(|| Fault::new(format!("[{position}]"), message()));
    }

    /// Adds a fault of the list as a whole.
    fn whole(&mut self, message: impl Into<String>) {
        self.0.push(Fault::new("", message));
    }

    fn or(self, checked: FieldValue) -> Result<FieldValue, CheckError> {
        if self.0.is_empty() { Ok(checked) } else { Err(CheckError::Value(self.0)) }
    }
}

fn phases(texts: &[String]) -> Result<FieldValue, CheckError> {
    let (mut phases, mut found) = (Vec::new(), ListFaults::default());
    for (position, text) in texts.iter().enumerate() {
        match Phase::ALL.into_iter().find(|phase| phase.as_str() == text) {
            Some(phase) if phases.contains(&phase) => {
                found.item(position, || format!("`{phase}` is named twice; phases must be distinct"));
            }
            Some(phase) => phases.push(phase),
            None => found.item(position, || unknown_phase(text)),
        }
    }
    if texts.is_empty() {
        found.whole("names no phase: leave it out for all three, or name at least one");
    }
    found.or(FieldValue::Phases(phases))
}

fn choices(texts: Vec<String>, words: &[&str]) -> Result<FieldValue, CheckError> {
    let (mut seen, mut found) = (HashSet::new(), ListFaults::default());
    if texts.is_empty() {
        found.whole(format!("names none: leave it out, or name at least one of {}", words.join(", ")));
    }
    for (position, text) in texts.iter().enumerate() {
        if !words.contains(&text.as_str()) {
            found.item(position, || format!("`{}` is not one of {}", shorten(text), words.join(", ")));
        } else if !seen.insert(text.as_str()) {
            found.item(position, || format!("`{text}` is named twice; name each once"));
        }
    }
    found.or(FieldValue::Texts(texts))
}

fn providers(texts: Vec<String>, names: &[String], usual: &str) -> Result<FieldValue, CheckError> {
    let (mut seen, mut found) = (HashSet::new(), ListFaults::default());
    if texts.is_empty() {
        found.whole(format!("names no provider: {usual}, or name at least one"));
    }
    for (position, text) in texts.iter().enumerate() {
        if !seen.insert(text.as_str()) {
            found.item(position, || format!("`{}` is named twice; name each provider once", shorten(text)));
            continue;
        }
        match check_provider(text.clone(), names) {
            Err(CheckError::Value(faults)) => {
                faults.into_iter().for_each(|fault| found.item(position, || fault.message));
            }
            Err(wrong) => return Err(wrong),
            Ok(_) => {}
        }
    }
    found.or(FieldValue::Texts(texts))
}

fn tags(texts: &[String]) -> Result<FieldValue, CheckError> {
    let (mut tags, mut seen, mut found) = (Vec::new(), HashSet::new(), ListFaults::default());
    for (position, text) in texts.iter().enumerate() {
        let tag = text.trim();
        let chars = tag.chars().count();
        if tag.is_empty() {
            found.item(position, || "is empty: a tag has at least one character".into());
        } else if chars > limits::TAG_CHARS {
            found.item(position, || format!("has {chars} characters; at most {} are allowed", limits::TAG_CHARS));
        } else if tag.contains(',') {
            found.item(position, || format!("`{}` holds a comma: write two tags instead", shorten(tag)));
        } else if shown::unfit_for_a_name(tag).is_some() {
            found.item(position, || "holds a control character: remove it".into());
        } else if seen.insert(tag) {
            tags.push(tag.to_owned());
        }
    }
    if texts.len() > limits::MAX_TAGS {
        found.whole(format!("has {} tags; at most {} are allowed", texts.len(), limits::MAX_TAGS));
    }
    found.or(FieldValue::Texts(tags))
}

fn keys(texts: &[String], min: usize, max: usize) -> Result<FieldValue, CheckError> {
    let (mut keys, mut seen, mut found) = (Vec::new(), HashSet::new(), ListFaults::default());
    for (position, text) in texts.iter().enumerate() {
        match PromptKey::parse(text) {
            Ok(key) if seen.insert(key.clone()) => keys.push(key),
            Ok(_) => found.item(position, || format!("`{}` is named twice; name each prompt once", shorten(text))),
            Err(message) => found.item(position, || message),
        }
    }
    if texts.len() < min || texts.len() > max {
        found.whole(format!("names {} prompts; from {min} to {max} are allowed", texts.len()));
    }
    found.or(FieldValue::Keys(keys))
}

fn many_texts(texts: Vec<String>, items: usize, max: usize) -> Result<FieldValue, CheckError> {
    let mut found = ListFaults::default();
    for (position, text) in texts.iter().enumerate() {
        if let Err(message) = check_text(text, 1, max) {
            found.item(position, || message);
        }
    }
    if texts.len() > items {
        found.whole(format!("has {} texts; at most {items} are allowed", texts.len()));
    }
    found.or(FieldValue::Texts(texts))
}
