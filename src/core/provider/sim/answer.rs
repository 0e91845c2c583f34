//! Makes answers: an echo of the request, a fixed text, seeded words, a JSON value, or a verdict.
//!
//! An answer depends only on the seed and the request, never on the provider's state. The echo
//! consists of the input's own words and differs by phase, persona and strategy.

use std::fmt::Write as _;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};

use super::draw::{self, Fingerprint};
use super::judge::JudgeScript;
use super::template::{Filling, JsonTemplate, Template};
use crate::domain::Phase;
use crate::provider::{Brief, PhaseBrief};

/// The maximum number of words.
const MOST_WORDS: u32 = 2_000_000;

/// How an answer is made.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AnswerSpec {
    /// Made from the brief: for phases a text of the input's own words, for a judge its verdict.
    Echo,
    /// A text with holes.
    Text(Template),
    /// This many seeded words, of one token each.
    Words(u32),
    /// A JSON value with holes in its strings.
    Json(JsonTemplate),
}

/// The inputs of an answer, besides the script.
pub(super) struct AnswerInputs<'a> {
    pub(super) seed: u64,
    pub(super) judge: &'a JudgeScript,
    pub(super) fingerprint: Fingerprint,
    pub(super) filling: Filling<'a>,
}

impl AnswerSpec {
    /// Makes the whole text of the answer.
    pub(super) fn make(&self, asked: &AnswerInputs<'_>) -> String {
        match (self, &asked.filling.request.brief) {
            (Self::Echo, Brief::Phase(brief)) => echo(brief),
            (Self::Echo, Brief::Judge(brief)) => asked.judge.answer(asked.seed, brief, asked.fingerprint),
            (Self::Text(template), _) => template.fill(&asked.filling),
            (Self::Words(count), _) => salad(asked.seed, *count, asked.fingerprint),
            (Self::Json(template), _) => template.fill(&asked.filling).to_string(),
        }
    }
}

/// A text that reads like the phase's output and says nothing that is not in the brief.
fn echo(brief: &PhaseBrief) -> String {
    let PhaseBrief { persona, strategy, original_input, .. } = brief;
    let terms = terms(&brief.input);
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match brief.phase {
        Phase::PrimaMateria => write!(
            text,
            "Essence of the request\n\nAsked for: {original_input}\n\nTerms: {}\nPersona: {persona}\nStrategy: {strategy}",
            terms.join(", ")
        ),
        Phase::Solutio => write!(
            text,
            "Please do the following as {persona} work, the {strategy} way: {original_input}\n\nKeep to these terms: {}.",
            terms.join(", ")
        ),
        Phase::Coagulatio => write!(
            text,
            "# Role\n\nYou do {persona} work.\n\n# Task\n\n{original_input}\n\n# Approach\n\nThe {strategy} way.\n\n# Terms\n\n- {}",
            terms.join("\n- ")
        ),
    };
    for context in &brief.context {
        let _ = write!(text, "\n\nContext: {context}");
    }
    text
}

/// The first twelve distinct longer words of a text.
fn terms(text: &str) -> Vec<&str> {
    let mut terms: Vec<&str> = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3) {
        if !terms.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            terms.push(word);
            if terms.len() == 12 {
                break;
            }
        }
    }
    terms
}

/// Words of at most seven Latin letters, so that each is one token by our estimate.
const WORDS: [&str; 48] = [
    "amber", "aqua", "ash", "athanor", "balm", "bath", "brass", "bright", "calcine", "clear", "copper", "crystal",
    "dew", "dilute", "distil", "earth", "elixir", "ember", "essence", "ether", "fire", "flask", "furnace", "glass",
    "gold", "green", "iron", "lead", "mercury", "moon", "oil", "quick", "red", "retort", "salt", "seal", "silver",
    "slow", "smoke", "spirit", "steam", "stone", "sulphur", "sun", "tin", "vapour", "vessel", "water",
];

fn salad(seed: u64, count: u32, fingerprint: Fingerprint) -> String {
    let mut text = String::with_capacity(count as usize * 7);
    for number in 0..count {
        if number > 0 {
            text.push(' ');
        }
        let drawn = draw::number(seed, "word", &[fingerprint.number(), u64::from(number)]);
        text.push_str(WORDS[usize::try_from(drawn % WORDS.len() as u64).unwrap_or(0)]);
    }
    text
}

impl<'de> Deserialize<'de> for AnswerSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrMap;

        impl<'de> Visitor<'de> for NameOrMap {
            type Value = AnswerSpec;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("`echo`, or a map with one of `text`, `words`, `json`")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<AnswerSpec, E> {
                match name {
                    "echo" => Ok(AnswerSpec::Echo),
                    other => Err(E::custom(format!(
                        "`{other}` is not an answer, expected `echo`, or one of `text`, `words`, `json`: write `{{text: …}}` for a fixed text"
                    ))),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AnswerSpec, A::Error> {
                let Some(key) = map.next_key::<String>()? else {
                    return Err(de::Error::custom("an answer is empty, expected one of `text`, `words`, `json`"));
                };
                let answer = match key.as_str() {
                    "text" => AnswerSpec::Text(map.next_value()?),
                    "words" => match map.next_value()? {
                        count @ 1..=MOST_WORDS => AnswerSpec::Words(count),
                        count => {
                            return Err(de::Error::custom(format!("`words` is {count}, expected 1 to {MOST_WORDS}")));
                        }
                    },
                    "json" => AnswerSpec::Json(map.next_value()?),
                    other => return Err(de::Error::unknown_field(other, &["text", "words", "json"])),
                };
                match map.next_key::<String>()? {
                    None => Ok(answer),
                    Some(more) => Err(de::Error::custom(format!("an answer is one thing, not `{key}` and `{more}`"))),
                }
            }
        }

        deserializer.deserialize_any(NameOrMap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::ChatRequest;
    use crate::provider::sim::testing::{judge_request, phase_request, request};
    use crate::text::tokens;

    fn made(answer: &str, request: &ChatRequest, seed: u64) -> String {
        let answer: AnswerSpec = serde_yaml::from_str(answer).unwrap();
        answer.make(&AnswerInputs {
            seed,
            judge: &JudgeScript::default(),
            fingerprint: Fingerprint::of(request, "m"),
            filling: Filling { request, model: "m", attempt: 1 },
        })
    }

    #[test]
    fn the_echo_speaks_of_the_input_and_differs_by_phase_and_strategy() {
        let texts: Vec<String> = Phase::ALL.iter().map(|phase| made("echo", &phase_request(*phase, 0), 0)).collect();
        for text in &texts {
            assert!(text.contains("find prime numbers") && text.contains("code") && text.contains("direct"), "{text}");
        }
        assert!(texts[0] != texts[1] && texts[1] != texts[2]);
        insta::assert_snapshot!(texts.join("\n\n=====\n\n"));
    }

    #[test]
    fn the_echo_depends_on_what_the_last_phase_handed_on() {
        let mut request = request(0);
        let before = made("echo", &request, 0);
        if let Brief::Phase(brief) = &mut request.brief {
            brief.input = "something entirely different".into();
        }
        assert_ne!(before, made("echo", &request, 0));
    }

    #[test]
    fn a_salad_has_as_many_tokens_as_asked_and_changes_with_seed_and_request() {
        let text = made("words: 137", &request(0), 1);
        assert_eq!(tokens::estimate(&text), 137);
        assert_eq!(text, made("words: 137", &request(0), 1));
        assert_ne!(text, made("words: 137", &request(0), 2));
        assert_ne!(text, made("words: 137", &request(1), 1));
        assert!(WORDS.iter().all(|word| tokens::estimate(word) == 1));
    }

    #[test]
    fn a_judge_is_answered_by_echo_with_a_verdict() {
        let answer = made("echo", &judge_request("one", "two"), 0);
        assert!(serde_json::from_str::<serde_json::Value>(&answer).unwrap()["verdict"].is_string());
        assert_eq!(made("json: {verdict: '=', of: '{a}'}", &judge_request("x", "y"), 0), r#"{"verdict":"=","of":"x"}"#);
    }

    #[test]
    fn what_is_no_answer_is_refused_by_name() {
        for (text, expected) in [
            ("hello", "`hello` is not an answer"),
            ("{txt: x}", "unknown field `txt`"),
            ("{text: x, words: 3}", "not `text` and `words`"),
            ("{}", "an answer is empty"),
            ("{words: 0}", "expected 1 to 2000000"),
            ("{text: '{nope}'}", "`{nope}`"),
            ("3", "expected `echo`"),
        ] {
            let error = serde_yaml::from_str::<AnswerSpec>(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
