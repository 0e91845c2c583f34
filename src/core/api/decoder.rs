//! Walks a raw JSON value along a table of fields and gathers every fault.
//!
//! Whole floats such as `2.0` are whole numbers (JSON Schema says so). A text where a number belongs is a fault of
//! shape, unless it spells a number that is not finite, which JSON cannot write: that is a fault of value.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::field::{Field, Kind};
use super::{Criteria, Known, Moment, PromptKey, limits};
use crate::domain::Phase;
use crate::error::{Error, Fault, Result};

/// The values of a request that passed every check, by field name.
#[derive(Debug, Default)]
pub struct Decoded(BTreeMap<&'static str, Checked>);

#[derive(Debug, Clone)]
enum Checked {
    Null,
    Text(String),
    Integer(u64),
    Number(f64),
    Boolean(bool),
    Texts(Vec<String>),
    Phases(Vec<Phase>),
    Key(PromptKey),
    Keys(Vec<PromptKey>),
    Criteria(Criteria),
    Moment(Moment),
}

macro_rules! taker {
    ($(#[$doc:meta])* $name:ident, $variant:ident, $type:ty) => {
        $(#[$doc])*
        pub fn $name(&mut self, field: &str) -> Option<$type> {
            match self.0.remove(field) {
                Some(Checked::$variant(value)) => Some(value),
                _ => None,
            }
        }
    };
}

impl Decoded {
    taker!(
        /// Takes a text.
        text, Text, String);
    taker!(
        /// Takes a whole number.
        integer, Integer, u64);
    taker!(
        /// Takes a number.
        number, Number, f64);
    taker!(
        /// Takes true or false.
        boolean, Boolean, bool);
    taker!(
        /// Takes a list of texts.
        texts, Texts, Vec<String>);
    taker!(
        /// Takes a list of phases.
        phases, Phases, Vec<Phase>);
    taker!(
        /// Takes the key of a prompt.
        key, Key, PromptKey);
    taker!(
        /// Takes the keys of prompts.
        keys, Keys, Vec<PromptKey>);
    taker!(
        /// Takes what to judge by.
        criteria, Criteria, Criteria);
    taker!(
        /// Takes a moment.
        moment, Moment, Moment);

    /// Takes one phase.
    pub fn phase(&mut self, field: &str) -> Option<Phase> {
        self.phases(field).and_then(|phases| phases.first().copied())
    }

    /// Takes a whole number that its limits keep within 32 bits.
    pub fn count(&mut self, field: &str) -> Option<u32> {
        self.integer(field).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// Takes a nullable text: `None` absent, `Some(None)` null.
    pub fn nullable_text(&mut self, field: &str) -> Option<Option<String>> {
        match self.0.remove(field) {
            Some(Checked::Null) => Some(None),
            Some(Checked::Text(text)) => Some(Some(text)),
            _ => None,
        }
    }
}

/// Which sort of fault a check found.
enum Wrong {
    Shape(String),
    Value(Vec<(Option<usize>, String)>),
}

impl Wrong {
    fn value(message: impl Into<String>) -> Self {
        Self::Value(vec![(None, message.into())])
    }
}

/// Checks `raw` against `fields`.
pub(super) fn check(fields: &'static [Field], raw: Value, known: &Known) -> Result<Decoded> {
    let Value::Object(mut map) = raw else {
        return Err(Error::Shape(vec![Fault::new(
            "",
            format!("expected a JSON object with the fields of the request, got {}", name_of(&raw)),
        )]));
    };
    let mut decoded = Decoded::default();
    let (mut shape, mut value) = (Vec::new(), Vec::new());
    for field in fields {
        match map.shift_remove(field.name) {
            None | Some(Value::Null) if field.required => {
                shape.push(Fault::new(field.name, format!("is required: {}", field.doc)));
            }
            Some(Value::Null) if field.nullable => {
                decoded.0.insert(field.name, Checked::Null);
            }
            None | Some(Value::Null) => {}
            Some(given) => match check_one(field.kind, given, known) {
                Ok(checked) => {
                    decoded.0.insert(field.name, checked);
                }
                Err(Wrong::Shape(message)) => shape.push(Fault::new(field.name, message)),
                Err(Wrong::Value(faults)) => value.extend(faults.into_iter().map(|(item, message)| {
                    let name = item.map_or_else(|| field.name.to_owned(), |item| format!("{}[{item}]", field.name));
                    Fault::new(name, message)
                })),
            },
        }
    }
    shape.extend(unknown_fields(fields, &map));
    if !shape.is_empty() {
        return Err(Error::Shape(shape));
    }
    if !value.is_empty() {
        return Err(Error::Value(value));
    }
    Ok(decoded)
}

fn unknown_fields(fields: &'static [Field], rest: &Map<String, Value>) -> Vec<Fault> {
    rest.keys()
        .map(|name| {
            let near = nearest(name, fields.iter().map(|field| field.name));
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if fields.is_empty() => "nothing may be given here".to_owned(),
                None => {
                    format!("known fields: {}", fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", "))
                }
            };
            Fault::new(shorten(name), format!("unknown field; {hint}"))
        })
        .collect()
}

/// The known name nearest to a misspelt one, if any is near.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// A caller's text for a message: never longer than a line.
fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    text.chars().take(MOST).chain(['…']).collect()
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn wrong_type(kind: Kind, given: &Value) -> Wrong {
    Wrong::Shape(match given {
        Value::String(text) if !kind.is_list() => {
            format!("expected {}, got the text `{}`", kind.expected(), shorten(text))
        }
        Value::Number(number) => format!("expected {}, got {number}", kind.expected()),
        other => format!("expected {}, got {}", kind.expected(), name_of(other)),
    })
}

fn check_one(kind: Kind, given: Value, known: &Known) -> std::result::Result<Checked, Wrong> {
    match kind {
        Kind::Integer { min, max } => integer(kind, &given, min, max),
        Kind::Number { min, max } => number(kind, &given, min, max),
        Kind::Boolean => given.as_bool().map(Checked::Boolean).ok_or_else(|| wrong_type(kind, &given)),
        Kind::Judges { max } => judges(kind, given, max, known),
        Kind::Criteria => criteria(kind, given),
        _ if kind.is_list() => list(kind, given, known),
        _ => {
            let Value::String(text) = given else { return Err(wrong_type(kind, &given)) };
            one_text(kind, text, known)
        }
    }
}

fn one_text(kind: Kind, text: String, known: &Known) -> std::result::Result<Checked, Wrong> {
    match kind {
        Kind::Text { min, max } => check_text(&text, min, max).map(|()| Checked::Text(text)).map_err(Wrong::value),
        Kind::Choice(words) => {
            if words.contains(&text.as_str()) {
                return Ok(Checked::Text(text));
            }
            Err(Wrong::value(format!("`{}` is not one of {}", shorten(&text), words.join(", "))))
        }
        Kind::Phase => {
            text.parse().map(|phase| Checked::Phases(vec![phase])).map_err(|_| Wrong::value(unknown_phase(&text)))
        }
        Kind::Persona => check_known(text, "persona", &known.personas, "`aludel personas` lists them"),
        Kind::Provider => check_provider(text, &known.providers),
        Kind::PromptKey => PromptKey::parse(&text).map(Checked::Key).map_err(Wrong::value),
        Kind::Moment => Moment::parse(&text).map(Checked::Moment).map_err(Wrong::value),
        _ => Err(wrong_type(kind, &Value::String(text))),
    }
}

fn check_text(text: &str, min: usize, max: usize) -> std::result::Result<(), String> {
    // Bytes bound characters from above, so only long texts are counted.
    if text.len() > max {
        let chars = text.chars().count();
        if chars > max {
            return Err(format!("has {chars} characters; at most {max} are allowed: shorten it"));
        }
    }
    if min > 0 && text.trim().is_empty() {
        return Err("is empty: write at least one character that is not a space".into());
    }
    if text.chars().count() < min {
        return Err(format!("is shorter than {min} characters"));
    }
    Ok(())
}

fn check_known(text: String, what: &str, names: &[String], hint: &str) -> std::result::Result<Checked, Wrong> {
    if names.contains(&text) {
        return Ok(Checked::Text(text));
    }
    let near = nearest(&text, names.iter().map(String::as_str));
    let near = near.map_or_else(String::new, |near| format!(" Did you mean `{near}`?"));
    Err(Wrong::value(format!("there is no {what} `{}`; {hint}.{near}", shorten(&text))))
}

fn check_provider(text: String, names: &[String]) -> std::result::Result<Checked, Wrong> {
    let name = text.split_once('/').map_or(text.as_str(), |(name, _)| name).to_owned();
    if text.chars().count() > limits::NAME_CHARS {
        return Err(Wrong::value(format!("is longer than {} characters", limits::NAME_CHARS)));
    }
    if text.ends_with('/') {
        return Err(Wrong::value("names no model after the `/`: write `provider/model` or the provider alone"));
    }
    check_known(name, "provider", names, "`aludel providers` lists them")?;
    Ok(Checked::Text(text))
}

fn unknown_phase(text: &str) -> String {
    let names: Vec<&str> = Phase::ALL.into_iter().map(Phase::as_str).collect();
    let near = nearest(text, names.iter().copied());
    let near = near.map_or_else(String::new, |near| format!(". Did you mean `{near}`?"));
    format!("there is no phase `{}`; there are {}{near}", shorten(text), names.join(", "))
}

fn integer(kind: Kind, given: &Value, min: u64, max: u64) -> std::result::Result<Checked, Wrong> {
    let range = || format!("must be from {min} to {max}");
    if let Some(number) = given.as_u64() {
        return if (min..=max).contains(&number) {
            Ok(Checked::Integer(number))
        } else {
            Err(Wrong::value(format!("is {number}; it {}", range())))
        };
    }
    match given.as_f64() {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and within 0..2^53, as checked"
        )]
        Some(number) if number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number) => {
            integer(kind, &Value::from(number as u64), min, max)
        }
        Some(number) if number.fract() == 0.0 => Err(Wrong::value(format!("is {number}; it {}", range()))),
        _ if spells_non_finite(given) => Err(Wrong::value(format!("must be a finite whole number; it {}", range()))),
        _ => Err(wrong_type(kind, given)),
    }
}

fn number(kind: Kind, given: &Value, min: f64, max: f64) -> std::result::Result<Checked, Wrong> {
    match given.as_f64() {
        Some(number) if number.is_finite() && (min..=max).contains(&number) => Ok(Checked::Number(number)),
        Some(number) if number.is_finite() => Err(Wrong::value(format!("is {number}; it must be from {min} to {max}"))),
        Some(_) => Err(Wrong::value(format!("must be a finite number from {min} to {max}"))),
        None if spells_non_finite(given) => Err(Wrong::value(format!("must be a finite number from {min} to {max}"))),
        None => Err(wrong_type(kind, given)),
    }
}

fn spells_non_finite(given: &Value) -> bool {
    given.as_str().and_then(|text| text.trim().parse::<f64>().ok()).is_some_and(|number| !number.is_finite())
}

fn list(kind: Kind, given: Value, known: &Known) -> std::result::Result<Checked, Wrong> {
    let texts = texts_of(kind, given)?;
    match kind {
        Kind::Choices(words) => choices(texts, words),
        Kind::Phases => phases(&texts),
        Kind::Providers => providers(texts, &known.providers, "leave it out for all"),
        Kind::Tags => tags(&texts),
        Kind::PromptKeys { min, max } => keys(&texts, min, max),
        Kind::Texts { items, max } => many_texts(texts, items, max),
        _ => Err(Wrong::Shape(format!("expected {}, got a list", kind.expected()))),
    }
}

fn texts_of(kind: Kind, given: Value) -> std::result::Result<Vec<String>, Wrong> {
    let Value::Array(items) = given else { return Err(wrong_type(kind, &given)) };
    let mut texts = Vec::with_capacity(items.len());
    for (position, item) in items.into_iter().enumerate() {
        let Value::String(text) = item else {
            return Err(Wrong::Shape(format!("item {position} is {}; expected a text", name_of(&item))));
        };
        texts.push(text);
    }
    Ok(texts)
}

fn judges(kind: Kind, given: Value, max: usize, known: &Known) -> std::result::Result<Checked, Wrong> {
    match given {
        Value::String(text) => match check_provider(text, &known.providers)? {
            Checked::Text(text) => Ok(Checked::Texts(vec![text])),
            other => Ok(other),
        },
        given => {
            let texts = texts_of(kind, given)?;
            if texts.len() > max {
                return Err(Wrong::value(format!("names {} judges; at most {max} make a panel", texts.len())));
            }
            providers(texts, &known.providers, "leave it out for the usual judge")
        }
    }
}

fn criteria(kind: Kind, given: Value) -> std::result::Result<Checked, Wrong> {
    let weights = match given {
        Value::String(name) => {
            check_text(&name, 1, limits::NAME_CHARS).map_err(Wrong::value)?;
            return Ok(Checked::Criteria(Criteria::Rubric(name)));
        }
        Value::Object(weights) => weights,
        other => return Err(wrong_type(kind, &other)),
    };
    let (mut checked, mut faults) = (BTreeMap::new(), Vec::new());
    if weights.is_empty() || weights.len() > limits::MAX_CRITERIA {
        let most = limits::MAX_CRITERIA;
        faults.push((None, format!("holds {} criteria; from 1 to {most} are allowed", weights.len())));
    }
    for (name, weight) in weights {
        let Some(number) = weight.as_f64() else {
            let (name, found) = (shorten(&name), name_of(&weight));
            return Err(Wrong::Shape(format!("the weight of `{name}` is {found}; expected a number")));
        };
        if number > 0.0 && number <= limits::MAX_WEIGHT {
            checked.insert(name, number);
        } else {
            let name = shorten(&name);
            faults.push((
                None,
                format!("the weight of `{name}` is {number}; it must be above 0, at most {}", limits::MAX_WEIGHT),
            ));
        }
    }
    if faults.is_empty() { Ok(Checked::Criteria(Criteria::Weights(checked))) } else { Err(Wrong::Value(faults)) }
}

fn phases(texts: &[String]) -> std::result::Result<Checked, Wrong> {
    let (mut phases, mut faults) = (Vec::new(), Vec::new());
    for (position, text) in texts.iter().enumerate() {
        match text.trim().parse::<Phase>() {
            Ok(phase) if phases.contains(&phase) => {
                faults.push((Some(position), format!("`{phase}` is named twice; phases must be distinct")));
            }
            Ok(phase) => phases.push(phase),
            Err(_) => faults.push((Some(position), unknown_phase(text))),
        }
    }
    if texts.is_empty() {
        faults.push((None, "names no phase: leave it out for all three, or name at least one".into()));
    }
    if faults.is_empty() { Ok(Checked::Phases(phases)) } else { Err(Wrong::Value(faults)) }
}

fn choices(texts: Vec<String>, words: &[&str]) -> std::result::Result<Checked, Wrong> {
    let mut faults = Vec::new();
    if texts.is_empty() {
        faults.push((None, format!("names none: leave it out, or name at least one of {}", words.join(", "))));
    }
    for (position, text) in texts.iter().enumerate() {
        if !words.contains(&text.as_str()) {
            faults.push((Some(position), format!("`{}` is not one of {}", shorten(text), words.join(", "))));
        } else if texts[..position].contains(text) {
            faults.push((Some(position), format!("`{text}` is named twice; name each once")));
        }
    }
    if faults.is_empty() { Ok(Checked::Texts(texts)) } else { Err(Wrong::Value(faults)) }
}

fn providers(texts: Vec<String>, names: &[String], usual: &str) -> std::result::Result<Checked, Wrong> {
    let (mut providers, mut faults): (Vec<String>, Vec<(Option<usize>, String)>) = (Vec::new(), Vec::new());
    if texts.is_empty() {
        faults.push((None, format!("names no provider: {usual}, or name at least one")));
    }
    for (position, text) in texts.into_iter().enumerate() {
        if providers.contains(&text) {
            faults.push((Some(position), format!("`{}` is named twice; name each provider once", shorten(&text))));
            continue;
        }
        match check_provider(text.clone(), names) {
            Err(Wrong::Value(found)) => faults.extend(found.into_iter().map(|(_, message)| (Some(position), message))),
            Err(wrong) => return Err(wrong),
            Ok(_) => providers.push(text),
        }
    }
    if faults.is_empty() { Ok(Checked::Texts(providers)) } else { Err(Wrong::Value(faults)) }
}

fn tags(texts: &[String]) -> std::result::Result<Checked, Wrong> {
    let (mut tags, mut faults): (Vec<String>, Vec<(Option<usize>, String)>) = (Vec::new(), Vec::new());
    for (position, text) in texts.iter().enumerate() {
        let tag = text.trim();
        let chars = tag.chars().count();
        if tag.is_empty() {
            faults.push((Some(position), "is empty: a tag has at least one character".into()));
        } else if chars > limits::TAG_CHARS {
            faults.push((Some(position), format!("has {chars} characters; at most {} are allowed", limits::TAG_CHARS)));
        } else if tag.contains(',') {
            faults.push((Some(position), format!("`{}` holds a comma: write two tags instead", shorten(tag))));
        } else if tag.chars().any(char::is_control) {
            faults.push((Some(position), "holds a control character: remove it".into()));
        } else if !tags.iter().any(|known| known == tag) {
            tags.push(tag.to_owned());
        }
    }
    if tags.len() > limits::MAX_TAGS {
        faults.push((None, format!("has {} tags; at most {} are allowed", tags.len(), limits::MAX_TAGS)));
    }
    if faults.is_empty() { Ok(Checked::Texts(tags)) } else { Err(Wrong::Value(faults)) }
}

fn keys(texts: &[String], min: usize, max: usize) -> std::result::Result<Checked, Wrong> {
    let (mut keys, mut faults): (Vec<PromptKey>, Vec<(Option<usize>, String)>) = (Vec::new(), Vec::new());
    for (position, text) in texts.iter().enumerate() {
        match PromptKey::parse(text) {
            Ok(key) if keys.contains(&key) => {
                faults.push((Some(position), format!("`{}` is named twice; name each prompt once", shorten(text))));
            }
            Ok(key) => keys.push(key),
            Err(message) => faults.push((Some(position), message)),
        }
    }
    if texts.len() < min || texts.len() > max {
        faults.push((None, format!("names {} prompts; from {min} to {max} are allowed", texts.len())));
    }
    if faults.is_empty() { Ok(Checked::Keys(keys)) } else { Err(Wrong::Value(faults)) }
}

fn many_texts(texts: Vec<String>, items: usize, max: usize) -> std::result::Result<Checked, Wrong> {
    let mut faults: Vec<(Option<usize>, String)> = texts
        .iter()
        .enumerate()
        .filter_map(|(position, text)| check_text(text, 1, max).err().map(|message| (Some(position), message)))
        .collect();
    if texts.len() > items {
        faults.push((None, format!("has {} texts; at most {items} are allowed", texts.len())));
    }
    if faults.is_empty() { Ok(Checked::Texts(texts)) } else { Err(Wrong::Value(faults)) }
}

/// A text from a command line or a query string as the JSON value its field takes: `3` becomes a number where a
/// number belongs, `a,b` a list where a list belongs. What does not fit stays a text, for [`super::decode`] to refuse.
pub fn value_of_text(fields: &[Field], name: &str, text: &str) -> Value {
    let Some(field) = fields.iter().find(|field| field.name == name) else { return Value::from(text) };
    let trimmed = text.trim();
    match field.kind {
        Kind::Integer { .. } | Kind::Number { .. } => {
            let whole = trimmed.parse::<u64>().ok().map(Value::from);
            let number = || trimmed.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from);
            whole.or_else(number).unwrap_or_else(|| Value::from(text))
        }
        Kind::Boolean => match trimmed {
            "true" | "1" | "yes" | "on" => Value::from(true),
            "false" | "0" | "no" | "off" => Value::from(false),
            _ => Value::from(text),
        },
        Kind::Choices(_)
        | Kind::Phases
        | Kind::Providers
        | Kind::Judges { .. }
        | Kind::Tags
        | Kind::PromptKeys { .. } => text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect(),
        Kind::Texts { .. } => Value::from(vec![text]),
        _ => Value::from(text),
    }
}
