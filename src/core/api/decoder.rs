//! Decodes a raw JSON value by a table of fields, collecting every fault.
//!
//! Whole floats such as `2.0` count as whole numbers (as in JSON Schema). Text for a number is a
//! shape fault, except a non-finite number, which JSON cannot write: that is a value fault.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::field::{Field, Kind};
use super::lists::{judges, list, names, rows};
use super::{Criteria, JobKey, Known, Moment, PromptKey};
use crate::domain::{Phase, limits};
use crate::error::{Error, Fault, Faults, Result};
use crate::text::shown;

/// The values of a request that passed every check, by field name.
#[derive(Debug, Default)]
pub struct Decoded(BTreeMap<&'static str, FieldValue>);

/// A value that passed its checks.
#[derive(Debug, Clone)]
pub(super) enum FieldValue {
    Null,
    Text(String),
    Integer(u64),
    Number(f64),
    Boolean(bool),
    Texts(Vec<String>),
    Phases(Vec<Phase>),
    Key(PromptKey),
    Keys(Vec<PromptKey>),
    Job(JobKey),
    Criteria(Criteria),
    Moment(Moment),
    Rows(Vec<Value>),
}

macro_rules! taker {
    ($(#[$doc:meta])* $name:ident, $variant:ident, $type:ty) => {
        $(#[$doc])*
        pub fn $name(&mut self, field: &str) -> Option<$type> {
            match self.0.remove(field) {
                Some(FieldValue::$variant(value)) => Some(value),
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
        /// Takes the key of a job.
        job, Job, JobKey);
    taker!(
        /// Takes the criteria to judge by.
        criteria, Criteria, Criteria);
    taker!(
        /// Takes a moment.
        moment, Moment, Moment);
    taker!(
        /// Takes rows.
        rows, Rows, Vec<Value>);

    /// True if the request has a value of this field.
    pub fn has(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// Takes one phase.
    pub fn phase(&mut self, field: &str) -> Option<Phase> {
        self.phases(field).and_then(|phases| phases.first().copied())
    }

    /// Takes a whole number whose limits keep it within 32 bits.
    pub fn count(&mut self, field: &str) -> Option<u32> {
        self.integer(field).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// Takes a nullable text: `None` absent, `Some(None)` null.
    pub fn nullable_text(&mut self, field: &str) -> Option<Option<String>> {
        match self.0.remove(field) {
            Some(FieldValue::Null) => Some(None),
            Some(FieldValue::Text(text)) => Some(Some(text)),
            _ => None,
        }
    }
}

/// The sort of a fault. Value faults are named relative to their field: `""`, or `[2]` for an item.
pub(super) enum CheckError {
    Shape(String),
    Value(Faults),
}

impl CheckError {
    pub(super) fn value(message: impl Into<String>) -> Self {
        Self::Value(Fault::new("", message).into())
    }
}

/// Checks `raw` against `fields`.
pub(super) fn check(fields: &'static [Field], raw: Value, known: &Known) -> Result<Decoded> {
    let Value::Object(mut map) = raw else {
        return Err(Error::shape(
            "",
            format!("expected a JSON object with the fields of the request, got {}", name_of(&raw)),
        ));
    };
    let mut decoded = Decoded::default();
    let (mut shape, mut value) = (Faults::default(), Faults::default());
    for field in fields {
        match map.shift_remove(field.name) {
            None | Some(Value::Null) if field.required => {
                shape.push(Fault::new(field.name, format!("is required: {}", field.doc)));
            }
            Some(Value::Null) if field.nullable => {
                decoded.0.insert(field.name, FieldValue::Null);
            }
            None | Some(Value::Null) => {}
            Some(given) => match check_one(field.kind, given, known) {
                Ok(checked) => {
                    decoded.0.insert(field.name, checked);
                }
                Err(CheckError::Shape(message)) => shape.push(Fault::new(field.name, message)),
                Err(CheckError::Value(faults)) => value.extend_under(field.name, faults),
            },
        }
    }
    unknown_fields(fields, &map, &mut shape);
    if !shape.is_empty() {
        return Err(Error::Shape(shape));
    }
    if !value.is_empty() {
        return Err(Error::Value(value));
    }
    Ok(decoded)
}

fn unknown_fields(fields: &'static [Field], rest: &Map<String, Value>, faults: &mut Faults) {
    for name in rest.keys() {
        faults.push_with(|| {
            let near = nearest(name, fields.iter().map(|field| field.name));
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if fields.is_empty() => "no field is allowed here".to_owned(),
                None => {
                    format!("known fields: {}", fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", "))
                }
            };
            Fault::new(shorten(name), format!("unknown field; {hint}"))
        });
    }
}

/// The most similar known name, if any is near. A text much longer than a name is never near.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > limits::NAME_CHARS {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// A caller's text, shortened to fit in one line of a message.
pub(super) fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

pub(super) fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

pub(super) fn wrong_type(kind: Kind, given: &Value) -> CheckError {
    CheckError::Shape(match given {
        Value::String(text) if !kind.is_list() => {
            format!("expected {}, got the text `{}`", kind.expected(), shorten(text))
        }
        Value::Number(number) => format!("expected {}, got {number}", kind.expected()),
        other => format!("expected {}, got {}", kind.expected(), name_of(other)),
    })
}

fn check_one(kind: Kind, given: Value, known: &Known) -> std::result::Result<FieldValue, CheckError> {
    match kind {
        Kind::Integer { min, max } => integer(kind, &given, min, max),
        Kind::Number { min, max } => number(kind, &given, min, max),
        Kind::Boolean => given.as_bool().map(FieldValue::Boolean).ok_or_else(|| wrong_type(kind, &given)),
        Kind::Judges { max } => judges(kind, given, max, known),
        Kind::Names { max } => names(kind, given, max),
        Kind::Rows { max } => rows(kind, given, max),
        Kind::Criteria => criteria(kind, given, known),
        _ if kind.is_list() => list(kind, given, known),
        _ => {
            let Value::String(text) = given else { return Err(wrong_type(kind, &given)) };
            one_text(kind, text, known)
        }
    }
}

fn one_text(kind: Kind, text: String, known: &Known) -> std::result::Result<FieldValue, CheckError> {
    match kind {
        Kind::Text { min, max } => {
            check_text(&text, min, max).map(|()| FieldValue::Text(text)).map_err(CheckError::value)
        }
        Kind::Name { min } => check_text(&text, min, limits::NAME_CHARS)
            .and_then(|()| check_name(&text))
            .map(|()| FieldValue::Text(text))
            .map_err(CheckError::value),
        Kind::Choice(words) => {
            if words.contains(&text.as_str()) {
                return Ok(FieldValue::Text(text));
            }
            Err(CheckError::value(format!("`{}` is not one of {}", shorten(&text), words.join(", "))))
        }
        Kind::Phase => text
            .parse()
            .map(|phase| FieldValue::Phases(vec![phase]))
            .map_err(|_| CheckError::value(unknown_phase(&text))),
        Kind::Persona => check_known(text, "persona", &known.personas, "`aludel personas` lists them"),
        Kind::Provider => check_provider(text, &known.providers),
        Kind::PromptKey => PromptKey::parse(&text).map(FieldValue::Key).map_err(CheckError::value),
        Kind::JobKey => JobKey::parse(&text).map(FieldValue::Job).map_err(CheckError::value),
        Kind::Moment => Moment::parse(&text).map(FieldValue::Moment).map_err(CheckError::value),
        _ => Err(wrong_type(kind, &Value::String(text))),
    }
}

/// Checks that a name is a single line without hidden characters.
///
/// # Errors
/// The character that no name can have.
pub(crate) fn check_name(name: &str) -> std::result::Result<(), String> {
    shown::unfit_for_a_name(name).map_or(Ok(()), |unfit| {
        Err(format!(
            "holds U+{:04X}, a control or invisible character, which no name may have: remove it",
            u32::from(unfit)
        ))
    })
}

pub(super) fn check_text(text: &str, min: usize, max: usize) -> std::result::Result<(), String> {
    // The byte length bounds the character count, so only long texts are counted.
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

fn check_known(text: String, what: &str, names: &[String], hint: &str) -> std::result::Result<FieldValue, CheckError> {
    if names.contains(&text) {
        return Ok(FieldValue::Text(text));
    }
    let near = nearest(&text, names.iter().map(String::as_str));
    let near = near.map_or_else(String::new, |near| format!(" Did you mean `{near}`?"));
    Err(CheckError::value(format!("there is no {what} `{}`; {hint}.{near}", shorten(&text))))
}

pub(super) fn check_provider(text: String, names: &[String]) -> std::result::Result<FieldValue, CheckError> {
    let name = text.split_once('/').map_or(text.as_str(), |(name, _)| name).to_owned();
    if text.chars().count() > limits::NAME_CHARS {
        return Err(CheckError::value(format!("is longer than {} characters", limits::NAME_CHARS)));
    }
    check_name(&text).map_err(CheckError::value)?;
    if text.ends_with('/') {
        return Err(CheckError::value("names no model after the `/`: write `provider/model` or the provider alone"));
    }
    check_known(name, "provider", names, "`aludel providers` lists them")?;
    Ok(FieldValue::Text(text))
}

pub(super) fn unknown_phase(text: &str) -> String {
    let names: Vec<&str> = Phase::ALL.into_iter().map(Phase::as_str).collect();
    let near = nearest(text, names.iter().copied());
    let near = near.map_or_else(String::new, |near| format!(". Did you mean `{near}`?"));
    format!("there is no phase `{}`; there are {}{near}", shorten(text), names.join(", "))
}

fn integer(kind: Kind, given: &Value, min: u64, max: u64) -> std::result::Result<FieldValue, CheckError> {
    let range = || format!("must be from {min} to {max}");
    if let Some(number) = given.as_u64() {
        return if (min..=max).contains(&number) {
            Ok(FieldValue::Integer(number))
        } else {
            Err(CheckError::value(format!("is {number}; it {}", range())))
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
        Some(number) if number.fract() == 0.0 => Err(CheckError::value(format!("is {number}; it {}", range()))),
        _ if spells_non_finite(given) => {
            Err(CheckError::value(format!("must be a finite whole number; it {}", range())))
        }
        _ => Err(wrong_type(kind, given)),
    }
}

fn number(kind: Kind, given: &Value, min: f64, max: f64) -> std::result::Result<FieldValue, CheckError> {
    match given.as_f64() {
        Some(number) if number.is_finite() && (min..=max).contains(&number) => Ok(FieldValue::Number(number)),
        Some(number) if number.is_finite() => {
            Err(CheckError::value(format!("is {number}; it must be from {min} to {max}")))
        }
        Some(_) => Err(CheckError::value(format!("must be a finite number from {min} to {max}"))),
        None if spells_non_finite(given) => {
            Err(CheckError::value(format!("must be a finite number from {min} to {max}")))
        }
        None => Err(wrong_type(kind, given)),
    }
}

fn spells_non_finite(given: &Value) -> bool {
    given.as_str().and_then(|text| text.trim().parse::<f64>().ok()).is_some_and(|number| !number.is_finite())
}

fn criteria(kind: Kind, given: Value, known: &Known) -> std::result::Result<FieldValue, CheckError> {
    if known.may_name_files
        && let Some(Value::String(file)) = given.get("file")
    {
        return Ok(FieldValue::Criteria(Criteria::File { file: file.into() }));
    }
    let weights = match given {
        Value::String(name) => {
            check_text(&name, 1, limits::NAME_CHARS).map_err(CheckError::value)?;
            return Ok(FieldValue::Criteria(Criteria::Rubric(name)));
        }
        Value::Object(weights) => weights,
        other => return Err(wrong_type(kind, &other)),
    };
    let (mut checked, mut faults) = (BTreeMap::new(), Faults::default());
    if weights.is_empty() || weights.len() > limits::MAX_CRITERIA {
        let most = limits::MAX_CRITERIA;
        faults.push(Fault::new("", format!("has {} criteria; from 1 to {most} are allowed", weights.len())));
    }
    for (name, weight) in weights {
        let Some(number) = weight.as_f64() else {
            let (name, found) = (shorten(&name), name_of(&weight));
            return Err(CheckError::Shape(format!("the weight of `{name}` is {found}; expected a number")));
        };
        if number > 0.0 && number <= limits::MAX_WEIGHT {
            checked.insert(name, number);
        } else {
            let most = limits::MAX_WEIGHT;
            faults.push_with(|| {
                let name = shorten(&name);
                Fault::new("", format!("the weight of `{name}` is {number}; it must be above 0, at most {most}"))
            });
        }
    }
    if faults.is_empty() {
        Ok(FieldValue::Criteria(Criteria::Weights(checked)))
    } else {
        Err(CheckError::Value(faults))
    }
}

/// Converts text from a command line or query string to the JSON value its field takes: `3` to a
/// number, `a,b` to a list. What does not fit stays text, for [`super::decode`] to reject.
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
        | Kind::Names { .. }
        | Kind::Tags
        | Kind::PromptKeys { .. } => text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect(),
        Kind::Texts { .. } => Value::from(vec![text]),
        _ => Value::from(text),
    }
}
