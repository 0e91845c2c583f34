//! The script file, and the errors in it.
//!
//! Owns the top level of the format (all of it is in [`sim`](super)) and how errors are reported:
//! file, key, line and what was expected, as for the configuration.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};

use super::answer::AnswerSpec;
use super::cassette::Recording;
use super::judge::JudgeScript;
use super::limit::Limit;
use super::pacing::Pacing;
use super::rule::Rule;
use super::strict;
use crate::error::{ConfigError, ConfigFault, ConfigSource, Error};
use crate::text::yaml;

/// The default model.
const MODEL: &str = "sim-1";

/// A script.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Script {
    pub(super) seed: u64,
    pub(super) model: String,
    pub(super) answer: Option<AnswerSpec>,
    pub(super) pacing: Pacing,
    pub(super) limit: Option<Limit>,
    pub(super) price: Option<Price>,
    pub(super) usage: Option<Usage>,
    pub(super) judge: JudgeScript,
    pub(super) rules: Vec<Rule>,
    pub(super) cassette: Option<PathBuf>,
    pub(super) recorded: Option<Vec<Recording>>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            seed: 0,
            model: MODEL.to_owned(),
            answer: None,
            pacing: Pacing::default(),
            limit: None,
            price: None,
            usage: None,
            judge: JudgeScript::default(),
            rules: Vec::new(),
            cassette: None,
            recorded: None,
        }
    }
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Price {
    #[serde(deserialize_with = "dollars")]
    pub(super) input: f64,
    #[serde(deserialize_with = "dollars")]
    pub(super) output: f64,
}

/// Token counts to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Usage {
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
}

/// A dollar amount of zero or more.
pub(super) fn dollars<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    strict::number(deserializer, |amount| {
        if amount >= 0.0 && amount.is_finite() {
            Ok(amount)
        } else {
            Err(format!("{amount}, expected US dollars, 0 or more"))
        }
    })
}

/// Parses a script. An empty text is a script that echoes.
///
/// # Errors
/// `config_invalid` with the key and the line.
pub(super) fn read(text: &str, origin: &Path) -> Result<Script, Error> {
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(Script::default());
    }
    parse(text, origin)
}

/// Parses one YAML document strictly.
pub(super) fn parse<T: DeserializeOwned>(text: &str, origin: &Path) -> Result<T, Error> {
    yaml::check(text).map_err(|error| broken(origin, String::new(), error.line, &error.message))?;
    serde_path_to_error::deserialize(serde_yaml::Deserializer::from_str(text)).map_err(|error| {
        let key = match error.path().to_string() {
            path if path == "." => String::new(),
            path => path,
        };
        let error = error.into_inner();
        let line = error.location().map(|at| at.line());
        broken(origin, key, line, &words(&error.to_string()))
    })
}

/// An error in `origin`.
pub(super) fn broken(origin: &Path, key: String, line: Option<usize>, message: &str) -> Error {
    let source = ConfigSource::File(origin.to_owned());
    Error::Config(ConfigError::one(ConfigFault { source, key, line, column: None, message: message.to_owned() }))
}

/// The message without path and position, with a suggestion for a misspelt key.
fn words(message: &str) -> String {
    let message = match message.rsplit_once(" at line ") {
        Some((words, place)) if place.bytes().next().is_some_and(|byte| byte.is_ascii_digit()) => words,
        _ => message,
    };
    let is_path = |start: &str| !start.is_empty() && !start.contains([' ', '`']);
    let message = match message.split_once(": ") {
        Some((start, words)) if is_path(start) => words,
        _ => message,
    };
    let mut names = message.split('`').skip(1).step_by(2);
    let nearest = names.next().and_then(|wrong| {
        let near = |name: &&str| strsim::damerau_levenshtein(wrong, name) <= 2;
        names.filter(near).min_by_key(|name| strsim::damerau_levenshtein(wrong, name))
    });
    match nearest {
        Some(name) if message.starts_with("unknown ") => format!("{message}; did you mean `{name}`?"),
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> (String, Option<usize>, String) {
        match read(text, Path::new("suite.yaml")) {
            Err(Error::Config(ConfigError { mut faults })) => {
                let fault = faults.remove(0);
                assert_eq!(fault.source, ConfigSource::File("suite.yaml".into()));
                (fault.key, fault.line, fault.message)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn nothing_at_all_is_a_script_that_echoes() {
        for text in ["", "\n\n", "# only a remark\n", "{}"] {
            assert_eq!(read(text, Path::new("x")).unwrap(), Script::default());
        }
    }

    #[test]
    fn a_mistake_is_told_with_its_key_its_line_and_what_was_expected() {
        for (text, key, line, expected) in [
            ("seed: 1\nanswr: echo\n", "answr", 2, "did you mean `answer`?"),
            ("seed: many\n", "seed", 1, "invalid type: string \"many\""),
            (
                "rules:\n  - when: {variant: 1}\n    fault: {kind: bom}\n",
                "rules[0].fault.kind",
                3,
                "unknown variant `bom`",
            ),
            ("rules:\n  - fault: cut\n  - when: {phse: x}\n", "rules[1].when.phse", 3, "did you mean `phase`?"),
            ("pacing: {tokens_per_s: -1}\n", "pacing", 1, "`tokens_per_s` is -1, expected a number above 0"),
            ("price: {input: 1}\n", "price", 1, "missing field `output`"),
            ("price: {input: 1, output: -3}\n", "price.output", 1, "0 or more"),
            ("answer:\n  text: 'hi {name}'\n", "answer.text", 2, "`{name}` is not a placeholder"),
            ("rules:\n  - fault: cut\n  - when: {variant: 1}\n", "rules[1]", 3, "a rule gives nothing"),
            (
                "rules:\n  - fault: cut\n  - times: 1\n    fault: {kind: auth, status: 500}\n",
                "rules[1].fault",
                4,
                "cannot have",
            ),
            ("judge:\n  always: tie\n  noise: -1\n", "judge.noise", 3, "0 or more"),
            ("seed: 1\npacing:\n  chunk_ms: 3\n  tokens_per_s: 3\n", "pacing", 3, "give one of them"),
            ("recorded:\n  - {when: {variant: 1}, text: x}\n  - text: x\n", "recorded[1]", 3, "needs `request`"),
            ("seed: 1\nseed: 2\n", "", 1, "duplicate field `seed`"),
            ("- a\n- b\n", "", 1, "invalid type: sequence"),
            ("seed: 1\nmodel: *none\n", "model", 2, "unknown anchor"),
        ] {
            let (found_key, found_line, message) = fault(text);
            assert!(message.contains(expected), "{text}: {message}");
            assert_eq!((found_key.as_str(), found_line), (key, Some(line)), "{text}: {message}");
            assert!(!message.contains(" at line "), "{message}");
        }
    }
}
