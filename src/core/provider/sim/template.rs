//! Texts with placeholders such as `{input}` and `{phase}`, filled from the request.
//!
//! Only braces around one lower-case word are a placeholder; others are literal, so code and JSON
//! need no escaping. `{{word}}` gives `{word}`. Reading a script fails on an unknown placeholder.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::Value;

use super::strict;
use crate::provider::{Brief, ChatRequest, JudgeBrief};

/// The placeholders, in the order of the documentation.
const HOLES: [&str; 11] =
    ["input", "original_input", "phase", "persona", "strategy", "variant", "model", "attempt", "task", "a", "b"];

/// A text with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Hole(&'static str),
}

/// The values for one answer's placeholders.
pub(super) struct Filling<'a> {
    pub(super) request: &'a ChatRequest,
    pub(super) model: &'a str,
    pub(super) attempt: u32,
}

impl Filling<'_> {
    /// The value of `hole`; empty if the request has none.
    fn get(&self, hole: &str) -> String {
        match (hole, &self.request.brief) {
            ("model", _) => self.model.to_owned(),
            ("attempt", _) => self.attempt.to_string(),
            ("input", Brief::Phase(brief)) => brief.input.clone(),
            ("original_input", Brief::Phase(brief)) => brief.original_input.clone(),
            ("phase", Brief::Phase(brief)) => brief.phase.to_string(),
            ("persona", Brief::Phase(brief)) => brief.persona.clone(),
            ("strategy", Brief::Phase(brief)) => brief.strategy.clone(),
            ("variant", Brief::Phase(brief)) => brief.variant.to_string(),
            ("task" | "input" | "original_input", Brief::Judge(brief)) => brief.task.clone(),
            ("persona", Brief::Judge(brief)) => brief.persona.clone(),
            ("a", Brief::Judge(brief)) => shown(brief, 0),
            ("b", Brief::Judge(brief)) => shown(brief, 1),
            _ => String::new(),
        }
    }
}

/// The candidate at an index; empty if there is none.
fn shown(brief: &JudgeBrief, place: usize) -> String {
    brief.question.texts().get(place).map(|text| (*text).to_owned()).unwrap_or_default()
}

impl Template {
    /// Parses a text with placeholders.
    ///
    /// # Errors
    /// A message about the first unknown placeholder.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            literal.push_str(&rest[..open]);
            let after = &rest[open + 1..];
            if let Some((word, tail)) = after.strip_prefix('{').and_then(word_before_brace)
                && let Some(tail) = tail.strip_prefix('}')
            {
                literal.push('{');
                literal.push_str(word);
                literal.push('}');
                rest = tail;
            } else if let Some((word, tail)) = word_before_brace(after) {
                let Some(hole) = HOLES.into_iter().find(|hole| *hole == word) else {
                    let known = HOLES.map(|hole| format!("{{{hole}}}")).join(" ");
                    return Err(format!(
                        "`{{{word}}}` is not a placeholder; the placeholders are {known}, and `{{{{{word}}}}}` stands for itself"
                    ));
                };
                pieces.push(Piece::Text(std::mem::take(&mut literal)));
                pieces.push(Piece::Hole(hole));
                rest = tail;
            } else {
                literal.push('{');
                rest = after;
            }
        }
        literal.push_str(rest);
        pieces.push(Piece::Text(literal));
        Ok(Self(pieces))
    }

    /// Fills the placeholders.
    pub(super) fn fill(&self, filling: &Filling<'_>) -> String {
        self.0
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Hole(hole) => filling.get(hole),
            })
            .collect()
    }
}

/// Splits `word}tail`, where the word is lower-case letters and underscores.
fn word_before_brace(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_lowercase() || c == '_'))?;
    let tail = text[end..].strip_prefix('}')?;
    (end > 0).then(|| (&text[..end], tail))
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        strict::text(deserializer, Self::parse)
    }
}

/// A JSON value with placeholders in its strings.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum JsonTemplate {
    Fixed(Value),
    Text(Template),
    List(Vec<JsonTemplate>),
    Object(Vec<(String, JsonTemplate)>),
}

impl JsonTemplate {
    fn parse(value: Value) -> Result<Self, String> {
        Ok(match value {
            Value::String(text) => Self::Text(Template::parse(&text)?),
            Value::Array(items) => Self::List(items.into_iter().map(Self::parse).collect::<Result<_, _>>()?),
            Value::Object(members) => {
                let members = members.into_iter().map(|(name, value)| Ok((name, Self::parse(value)?)));
                Self::Object(members.collect::<Result<_, String>>()?)
            }
            fixed => Self::Fixed(fixed),
        })
    }

    /// Fills the placeholders.
    pub(super) fn fill(&self, filling: &Filling<'_>) -> Value {
        match self {
            Self::Fixed(value) => value.clone(),
            Self::Text(template) => Value::String(template.fill(filling)),
            Self::List(items) => items.iter().map(|item| item.fill(filling)).collect(),
            Self::Object(members) => members.iter().map(|(name, value)| (name.clone(), value.fill(filling))).collect(),
        }
    }
}

impl<'de> Deserialize<'de> for JsonTemplate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::sim::testing::{judge_request, request};

    fn filled(text: &str, request: &ChatRequest) -> String {
        Template::parse(text).unwrap().fill(&Filling { request, model: "m", attempt: 2 })
    }

    #[test]
    fn every_hole_is_filled_from_the_request() {
        let text = "{phase}|{persona}|{strategy}|{variant}|{model}|{attempt}|{input}|{original_input}|{task}{a}{b}";
        let expected = "solutio|code|direct|3|m|2|find prime numbers|find prime numbers|";
        assert_eq!(filled(text, &request(3)), expected);
        assert_eq!(filled("{task}: {a} or {b}, {persona}", &judge_request("x", "y")), "sort a list: x or y, code");
    }

    #[test]
    fn other_braces_are_themselves() {
        for text in ["fn main() { x }", "{}", "{", "}", "{ input }", "{Input}", "{\"a\": 1}", "{{", "{{}}", "a {input"]
        {
            assert_eq!(filled(text, &request(0)), text);
        }
        assert_eq!(filled("{{input}} {{nothing}} {variant}", &request(7)), "{input} {nothing} 7");
    }

    #[test]
    fn an_unknown_hole_is_named_with_those_there_are() {
        let error = Template::parse("say {inptu}").unwrap_err();
        assert!(error.contains("`{inptu}`") && error.contains("{input}") && error.contains("`{{inptu}}`"), "{error}");
    }

    #[test]
    fn holes_in_json_are_filled_in_strings_alone() {
        let template: JsonTemplate =
            serde_json::from_value(serde_json::json!({"n": 1, "list": ["{phase}", null], "o": {"x": "{variant}"}}))
                .unwrap();
        let request = request(4);
        let value = template.fill(&Filling { request: &request, model: "m", attempt: 1 });
        assert_eq!(value.to_string(), r#"{"n":1,"list":["solutio",null],"o":{"x":"4"}}"#);
    }
}
