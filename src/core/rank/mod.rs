//! Ranking: variants of one request in order, with a score that can be explained.
//!
//! Each prompt gets up to six components, each 0..=1 ([`Component`], formulas in [`Component::formula`]); the score is
//! their mean by weight. A component that cannot be told is absent and its weight goes to the others in proportion:
//! `persona` when the persona has no checks, `history` when learning is off.
//!
//! Pure and deterministic. Ties are broken by lower cost, then fewer tokens, then a hash of the content, never by
//! the order of the variants. Temperature and closeness in length to the input count for nothing.
//! The measures themselves are in [`crate::text::measure`].

mod weights;

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::assets::Check;
use crate::domain::{Prompt, PromptId, Ranking};
use crate::text::measure::{Cue, Demands, Measure, Reader, Reading};

pub use weights::{Weights, check_weights};

/// What is weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Component {
    /// What a text shows by itself or against the request.
    Measured(Measure),
    /// Agreement with the persona's checks.
    Persona,
    /// How well similar prompts did before.
    History,
}

impl Component {
    /// All components, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::Measured(Measure::Coverage),
        Self::Measured(Measure::Structure),
        Self::Measured(Measure::Clarity),
        Self::Measured(Measure::Concision),
        Self::Persona,
        Self::History,
    ];

    /// The name on every wire and in `ranking.weights`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Measured(measure) => measure.as_str(),
            Self::Persona => "persona",
            Self::History => "history",
        }
    }

    /// The weight when the configuration names none. Those of a ranking are scaled to add up to 1.
    pub const fn default_weight(self) -> f64 {
        match self {
            Self::Measured(Measure::Coverage) => 0.35,
            Self::Measured(Measure::Structure | Measure::Clarity) | Self::History => 0.20,
            Self::Measured(Measure::Concision) => 0.10,
            Self::Persona => 0.15,
        }
    }

    /// How it is computed, for people.
    pub const fn formula(self) -> &'static str {
        match self {
            Self::Measured(measure) => measure.formula(),
            Self::Persona => {
                "the share of the persona's checks that the prompt meets; a check is met when one of its words or phrases is there \
                 (`aludel personas show NAME` lists them)"
            }
            Self::History => "the expected rating from feedback on similar prompts; only when learning is on",
        }
    }
}

/// What the variants are ranked by.
#[derive(Debug, Clone)]
pub struct RankInputs<'a> {
    /// What the user asked for.
    pub original_input: &'a str,
    /// What the persona asks of a prompt.
    pub checks: &'a [Check],
    /// How much each component counts.
    pub weights: &'a Weights,
    /// What learning expects of each prompt, 0..=1; `None` when it is off. A prompt it does not hold counts as 0.5.
    pub history: Option<&'a BTreeMap<PromptId, f64>>,
}

/// What is expected of a prompt that nothing was learned about.
const UNKNOWN_HISTORY: f64 = 0.5;

/// The prompts' places, best first, one for each prompt.
pub fn rank(prompts: &[Prompt], inputs: &RankInputs<'_>) -> Vec<Ranking> {
    let mut reader = Reader::new();
    let demands = Demands::of(inputs.original_input, &mut reader);
    let checks: Vec<Vec<Cue>> =
        inputs.checks.iter().map(|check| check.any.iter().filter_map(|phrase| reader.cue(phrase)).collect()).collect();
    let present = |component: &Component| match component {
        Component::Measured(_) => true,
        Component::Persona => !checks.is_empty(),
        Component::History => inputs.history.is_some(),
    };
    let weights = inputs.weights.scaled(Component::ALL.into_iter().filter(present));
    let mut scored: Vec<(f64, &Prompt, BTreeMap<String, f64>)> = prompts
        .iter()
        .map(|prompt| {
            let reading = reader.read(&prompt.content);
            let value = |component: Component| match component {
                Component::Measured(measure) => measure.of(&reading, &demands),
                Component::Persona => agreement(&reading, &checks),
                Component::History => expectation(inputs.history, prompt.id),
            };
            let components: Vec<(Component, f64)> =
                weights.iter().map(|(component, _)| (*component, value(*component))).collect();
            let score: f64 = components.iter().zip(&weights).map(|((_, value), (_, weight))| value * weight).sum();
            let named =
                components.into_iter().map(|(component, value)| (component.as_str().to_owned(), value)).collect();
            (score.clamp(0.0, 1.0), prompt, named)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| compare_ties(a.1, b.1)));
    let weights: BTreeMap<String, f64> =
        weights.into_iter().map(|(component, weight)| (component.as_str().to_owned(), weight)).collect();
    (1..)
        .zip(scored)
        .map(|(rank, (score, prompt, components))| Ranking {
            prompt_id: prompt.id,
            rank,
            score,
            components,
            weights: weights.clone(),
        })
        .collect()
}

fn agreement(reading: &Reading, checks: &[Vec<Cue>]) -> f64 {
    let met = checks.iter().filter(|cues| cues.iter().any(|cue| reading.says(cue))).count();
    if checks.is_empty() { 0.0 } else { met as f64 / checks.len() as f64 }
}

fn expectation(history: Option<&BTreeMap<PromptId, f64>>, prompt: PromptId) -> f64 {
    let known = history.and_then(|history| history.get(&prompt)).copied().filter(|value| value.is_finite());
    known.unwrap_or(UNKNOWN_HISTORY).clamp(0.0, 1.0)
}

/// The order of prompts between which nothing else decides: lower cost (unknown last), fewer tokens, content hash, id.
pub fn compare_ties(a: &Prompt, b: &Prompt) -> std::cmp::Ordering {
    let cost = |prompt: &Prompt| prompt.model_metadata.cost_usd.unwrap_or(f64::INFINITY);
    let hash = |prompt: &Prompt| xxh3_64(prompt.content.as_bytes());
    cost(a)
        .total_cmp(&cost(b))
        .then_with(|| a.model_metadata.total_tokens.cmp(&b.model_metadata.total_tokens))
        .then_with(|| hash(a).cmp(&hash(b)))
        .then_with(|| a.id.cmp(&b.id))
}

/// The components with their default weights and formulas, as a text of one paragraph each.
pub fn explain() -> String {
    let mut text = String::from(
        "The score of a prompt is the mean of these components by weight, each 0 to 1. `ranking.weights` changes the weights; \
         those that apply are scaled to add up to 1.\n",
    );
    for component in Component::ALL {
        let (name, weight, formula) = (component.as_str(), component.default_weight(), component.formula());
        text.push_str(&["\n", name, " (", &format!("{weight:.2}"), "): ", formula, ".\n"].concat());
    }
    text.push_str("\nTies are broken by lower cost, then fewer tokens, then a hash of the content.\n");
    text
}

#[cfg(test)]
mod tests;
