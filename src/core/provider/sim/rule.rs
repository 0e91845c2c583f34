//! Rules: which requests they match, how often they apply, and what they change.
//!
//! A condition depends only on the request; counts (`nth`, `times`) and the draw (`probability`)
//! belong to the rule. A rule that does not apply is skipped, and calls taken by an earlier rule
//! are not counted by later ones.

use std::num::NonZeroU32;

use serde::Deserialize;
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, SeqAccess, Visitor};

use super::answer::AnswerSpec;
use super::draw::{self, Fingerprint};
use super::fault::Fault;
use super::pacing::Pacing;
use super::script::Usage;
use super::strict;
use crate::domain::Phase;
use crate::provider::{Brief, ChatRequest};

/// A rule of the script.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rule {
    /// The requests it matches.
    when: Condition,
    /// Which of the matching calls, counted from 1.
    nth: OneOrMore<NonZeroU32>,
    /// The maximum number of times it applies.
    times: Option<NonZeroU32>,
    /// The probability for each matching call.
    probability: Option<Probability>,
    /// Replaces the script's answer.
    pub(super) answer: Option<AnswerSpec>,
    /// The failure to simulate.
    pub(super) fault: Option<Fault>,
    /// Replaces the script's pacing.
    pub(super) pacing: Option<Pacing>,
    /// Replaces the script's token counts.
    pub(super) usage: Option<Usage>,
}

/// How often a rule matched and was used.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    matched: u32,
    used: u32,
}

/// The script's form of a rule.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFields {
    #[serde(default)]
    when: Condition,
    #[serde(default)]
    nth: OneOrMore<NonZeroU32>,
    times: Option<NonZeroU32>,
    probability: Option<Probability>,
    answer: Option<AnswerSpec>,
    fault: Option<Fault>,
    pacing: Option<Pacing>,
    usage: Option<Usage>,
}

impl RuleFields {
    fn check(self) -> Result<Rule, String> {
        let Self { when, nth, times, probability, answer, fault, pacing, usage } = self;
        if answer.is_none() && fault.is_none() && pacing.is_none() && usage.is_none() {
            return Err("a rule gives nothing, expected at least one of `answer`, `fault`, `pacing`, `usage`".into());
        }
        Ok(Rule { when, nth, times, probability, answer, fault, pacing, usage })
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        strict::map(deserializer, RuleFields::check)
    }
}

impl Rule {
    /// True if the rule applies to this call, which it counts. `number` is the index of the rule.
    pub(super) fn applies(&self, call: &Call<'_>, seed: u64, number: usize, counts: &mut Counts) -> bool {
        if !self.when.matches(call) {
            return false;
        }
        counts.matched = counts.matched.saturating_add(1);
        let is_its_turn = self.nth.allows(|nth| nth.get() == counts.matched);
        let is_left = self.times.is_none_or(|times| counts.used < times.get());
        let parts = [number as u64, call.fingerprint.number(), u64::from(call.attempt)];
        let is_drawn = self.probability.is_none_or(|Probability(p)| draw::fraction(seed, "rule", &parts) < p);
        let applies = is_its_turn && is_left && is_drawn;
        counts.used += u32::from(applies);
        applies
    }
}

/// A request as rules see it.
pub(super) struct Call<'a> {
    pub(super) request: &'a ChatRequest,
    pub(super) model: &'a str,
    pub(super) fingerprint: Fingerprint,
    /// How often this request was made, this time included.
    pub(super) attempt: u32,
}

/// A condition on requests. All parts given must hold; of a list, any item.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Condition {
    role: OneOrMore<Role>,
    phase: OneOrMore<Phase>,
    persona: OneOrMore<String>,
    strategy: OneOrMore<String>,
    variant: OneOrMore<u32>,
    attempt: OneOrMore<NonZeroU32>,
    model: OneOrMore<String>,
    input: OneOrMore<String>,
    message: OneOrMore<String>,
}

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    Phase,
    Judge,
}

impl Condition {
    /// True for a condition without parts.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// True if `call` matches.
    pub(super) fn matches(&self, call: &Call<'_>) -> bool {
        let request = call.request;
        let about_the_brief = match &request.brief {
            Brief::Phase(brief) => {
                self.role.allows(|role| *role == Role::Phase)
                    && self.phase.allows(|phase| *phase == brief.phase)
                    && self.persona.allows(|persona| *persona == brief.persona)
                    && self.strategy.allows(|strategy| *strategy == brief.strategy)
                    && self.variant.allows(|variant| *variant == brief.variant)
                    && self.input.allows(|part| brief.input.contains(part) || brief.original_input.contains(part))
            }
            Brief::Judge(brief) => {
                let shown = brief.question.texts();
                self.role.allows(|role| *role == Role::Judge)
                    && self.phase.is_any()
                    && self.persona.allows(|persona| *persona == brief.persona)
                    && self.strategy.is_any()
                    && self.variant.is_any()
                    && self
                        .input
                        .allows(|part| brief.task.contains(part) || shown.iter().any(|text| text.contains(part)))
            }
        };
        about_the_brief
            && self.attempt.allows(|attempt| attempt.get() == call.attempt)
            && self.model.allows(|model| model == call.model)
            && self.message.allows(|part| request.messages.iter().any(|message| message.content.contains(part)))
    }
}

/// Any value if empty, else one of these.
#[derive(Debug, Clone, PartialEq)]
struct OneOrMore<T>(Option<Vec<T>>);

impl<T> Default for OneOrMore<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> OneOrMore<T> {
    fn is_any(&self) -> bool {
        self.0.is_none()
    }

    fn allows(&self, is_met: impl Fn(&T) -> bool) -> bool {
        self.0.as_ref().is_none_or(|items| items.iter().any(is_met))
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for OneOrMore<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemOrList<T>(std::marker::PhantomData<T>);

        impl<T: DeserializeOwned> ItemOrList<T> {
            fn one<'a, E: de::Error>(item: impl IntoDeserializer<'a, E>) -> Result<Vec<T>, E> {
                T::deserialize(item.into_deserializer()).map(|item| vec![item])
            }
        }

        impl<'de, T: DeserializeOwned> Visitor<'de> for ItemOrList<T> {
            type Value = Vec<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("one value or a list of them")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<T>, E> {
                Self::one(text)
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Vec<T>, E> {
                Self::one(number)
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Vec<T>, E> {
                Self::one(number)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                if items.is_empty() {
                    return Err(de::Error::custom("an empty list allows nothing; leave the key out to allow anything"));
                }
                Ok(items)
            }
        }

        let items = deserializer.deserialize_any(ItemOrList(std::marker::PhantomData))?;
        Ok(Self(Some(items)))
    }
}

/// 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Probability(f64);

impl<'de> Deserialize<'de> for Probability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        strict::number(deserializer, |p| {
            if (0.0..=1.0).contains(&p) { Ok(Self(p)) } else { Err(format!("`probability` is {p}, expected 0 to 1")) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::sim::testing::{judge_request, phase_request, request};

    fn condition(text: &str) -> Condition {
        serde_yaml::from_str(text).unwrap()
    }

    fn matches(text: &str, request: &ChatRequest, attempt: u32) -> bool {
        let fingerprint = Fingerprint::of(request, "m");
        condition(text).matches(&Call { request, model: "m", fingerprint, attempt })
    }

    fn used(rule: &str, calls: impl IntoIterator<Item = (u32, u32)>) -> Vec<bool> {
        let rule: Rule = serde_yaml::from_str(rule).unwrap();
        let mut counts = Counts::default();
        calls
            .into_iter()
            .map(|(variant, attempt)| {
                let request = request(variant);
                let fingerprint = Fingerprint::of(&request, "m");
                rule.applies(&Call { request: &request, model: "m", fingerprint, attempt }, 7, 0, &mut counts)
            })
            .collect()
    }

    #[test]
    fn every_part_of_a_condition_can_hold_and_can_fail() {
        let request = request(2);
        for (holds, fails) in [
            ("{role: phase}", "{role: judge}"),
            ("{phase: solutio}", "{phase: coagulatio}"),
            ("{persona: code}", "{persona: writing}"),
            ("{strategy: direct}", "{strategy: other}"),
            ("{variant: 2}", "{variant: 0}"),
            ("{attempt: 1}", "{attempt: 2}"),
            ("{model: m}", "{model: n}"),
            ("{input: prime}", "{input: sort}"),
            ("{message: be brief}", "{message: be long}"),
            ("{variant: [0, 2]}", "{variant: [0, 1]}"),
            ("{}", "{phase: solutio, variant: 3}"),
        ] {
            assert!(matches(holds, &request, 1), "{holds}");
            assert!(!matches(fails, &request, 1), "{fails}");
        }
    }

    #[test]
    fn a_judges_request_has_no_phase_and_its_input_is_all_its_texts() {
        let request = judge_request("first text", "second text");
        for part in ["sort", "first", "second"] {
            assert!(matches(&format!("{{role: judge, input: {part}}}"), &request, 1));
        }
        for text in ["{phase: solutio}", "{variant: 0}", "{strategy: direct}", "{role: phase}", "{input: third}"] {
            assert!(!matches(text, &request, 1), "{text}");
        }
        assert!(matches("{phase: [solutio, coagulatio]}", &phase_request(Phase::Coagulatio, 0), 1));
    }

    #[test]
    fn nth_and_times_count_matching_calls_alone() {
        let calls = [(0, 1), (1, 1), (1, 2), (0, 2), (1, 3)];
        assert_eq!(used("{when: {variant: 1}, nth: 2, fault: cut}", calls), [false, false, true, false, false]);
        assert_eq!(used("{when: {variant: 1}, times: 2, fault: cut}", calls), [false, true, true, false, false]);
        assert_eq!(used("{nth: [1, 4], fault: cut}", calls), [true, false, false, true, false]);
    }

    #[test]
    fn chance_is_a_function_of_the_request_and_its_attempt() {
        let calls: Vec<(u32, u32)> = (0..400).map(|n| (n % 100, n / 100 + 1)).collect();
        let rule = "{probability: 0.3, fault: cut}";
        let hits = used(rule, calls.clone());
        let share = hits.iter().filter(|hit| **hit).count();
        assert!((90..=150).contains(&share), "{share}");
        let backwards: Vec<bool> = used(rule, calls.into_iter().rev()).into_iter().rev().collect();
        assert_eq!(hits, backwards, "the order of arrival does not matter");
        assert!(hits[..100] != hits[100..200], "a repeated request is drawn anew");
    }

    #[test]
    fn never_and_always_are_probabilities_too() {
        let calls = (0..50).map(|n| (n, 1));
        assert!(used("{probability: 0, fault: cut}", calls.clone()).iter().all(|hit| !hit));
        assert!(used("{probability: 1, fault: cut}", calls).iter().all(|hit| *hit));
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        for (text, expected) in [
            ("{when: {phse: solutio}}", "unknown field `phse`"),
            ("{when: {phase: solution}}", "unknown variant `solution`"),
            ("{when: {variant: first}}", "invalid type"),
            ("{when: {variant: []}}", "an empty list"),
            ("{when: {attempt: 0}}", "nonzero"),
            ("{times: 0}", "nonzero"),
            ("{probability: 2}", "expected 0 to 1"),
            ("{nth: 0}", "nonzero"),
        ] {
            let error = serde_yaml::from_str::<Rule>(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
