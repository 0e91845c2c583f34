//! Ranks the variants of one request by a score that can be explained.
//!
//! Each prompt gets up to six components, each 0..=1 ([`Component`]); the score is their weighted
//! mean. A component that does not apply is absent, and its weight is shared among the others:
//! `gaps` if the request leaves nothing open, `history` if learning is off. The measures in
//! [`crate::text::measure`] detect loss, distortion, invention and padding, not usefulness.
//!
//! So small differences mean nothing. Prompts within [`ABOUT_EQUAL`] of the best one in a level
//! share the level, ordered by how many of the persona's checks they meet, then by score, lower
//! cost, fewer tokens, and a hash of the content, never by the order of the variants.
//!
//! Pure and deterministic. Temperature and similarity in length to the input do not count.

mod weights;

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::assets::Check;
use crate::domain::{CheckMet, Prompt, PromptId, Ranking};
use crate::text::measure::{self, Cue, Demands, Measure, Reader, Reading};

pub use weights::{Weights, check_weights};

/// A component of the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Component {
    /// A measure of the text, alone or against the request.
    Measured(Measure),
    /// The results of similar prompts.
    History,
}

impl Component {
    /// All components, in display order.
    pub const ALL: [Self; 6] = [
        Self::Measured(Measure::Coverage),
        Self::Measured(Measure::Additions),
        Self::Measured(Measure::Structure),
        Self::Measured(Measure::Clarity),
        Self::Measured(Measure::Gaps),
        Self::History,
    ];

    /// The name in all output and in `ranking.weights`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Measured(measure) => measure.as_str(),
            Self::History => "history",
        }
    }

    /// The default weight. The weights of a ranking are scaled to add up to 1.
    pub const fn default_weight(self) -> f64 {
        match self {
            Self::Measured(Measure::Coverage) => 0.55,
            Self::Measured(Measure::Additions) => 0.25,
            Self::Measured(Measure::Structure | Measure::Clarity) => 0.10,
            Self::Measured(Measure::Gaps) => 0.15,
            Self::Measured(Measure::Concision) => 0.0,
            Self::History => 0.20,
        }
    }

    /// A description of how it is computed.
    pub const fn formula(self) -> &'static str {
        match self {
            Self::Measured(measure) => measure.formula(),
            Self::History => "the expected rating from feedback on similar prompts; only when learning is on",
        }
    }
}

/// The inputs of a ranking.
#[derive(Debug, Clone)]
pub struct RankInputs<'a> {
    /// The user's input.
    pub original_input: &'a str,
    /// The background texts.
    pub context: &'a [String],
    /// How many things a short request clearly leaves open.
    pub gaps: usize,
    /// The persona's checks, which do not affect the score.
    pub checks: &'a [Check],
    /// The weights of the components.
    pub weights: &'a Weights,
    /// The rating learning expects for each prompt, 0..=1, missing ones 0.5; `None` if it is off.
    pub history: Option<&'a BTreeMap<PromptId, f64>>,
}

/// Scores that differ by no more than this are about equal: of 300 edits that keep a prompt's
/// meaning, 95 % change its score by no more. Of 300 that harm it, about half lower it by more.
pub const ABOUT_EQUAL: f64 = 0.135;

/// The expected rating of a prompt without history.
const UNKNOWN_HISTORY: f64 = 0.5;

/// A prompt with its score.
struct Scored<'p> {
    prompt: &'p Prompt,
    score: f64,
    components: BTreeMap<String, f64>,
    checks: Vec<CheckMet>,
}

/// Ranks the prompts, best first, one entry for each prompt.
pub fn rank(prompts: &[Prompt], inputs: &RankInputs<'_>) -> Vec<Ranking> {
    let mut reader = Reader::new();
    let demands = Demands::of(inputs.original_input, inputs.context, inputs.gaps, &mut reader);
    let checks: Vec<(&str, Vec<Cue>)> = inputs
        .checks
        .iter()
        .map(|check| (check.label.as_str(), check.any.iter().filter_map(|phrase| reader.cue(phrase)).collect()))
        .collect();
    let present = Component::ALL.into_iter().filter(|component| match component {
        Component::Measured(Measure::Gaps) => inputs.gaps > 0,
        Component::Measured(_) => true,
        Component::History => inputs.history.is_some(),
    });
    let weights = inputs.weights.scaled(present);
    let mut scored = Vec::with_capacity(prompts.len());
    for prompt in prompts {
        let written = demands.read(&prompt.content, &mut reader);
        let value = |component: Component| match component {
            Component::Measured(measure) => measure.of(&written, &demands).unwrap_or_default(),
            Component::History => expectation(inputs.history, prompt.id),
        };
        let values: Vec<f64> = weights.iter().map(|(component, _)| value(*component)).collect();
        let weighted: f64 = values.iter().zip(&weights).map(|(value, (_, weight))| value * weight).sum();
        // The weights add up to 1 only almost, and a prompt without a fault has 1.
        let score = weighted / weights.iter().map(|(_, weight)| weight).sum::<f64>();
        let named = weights.iter().zip(values).map(|((component, _), value)| (component.as_str().to_owned(), value));
        let checks = met(written.reading(), &checks);
        scored.push(Scored { prompt, score: score.clamp(0.0, 1.0), components: named.collect(), checks });
    }
    let scored = ordered(scored);
    let weights: BTreeMap<String, f64> =
        weights.iter().map(|(component, weight)| (component.as_str().to_owned(), *weight)).collect();
    (1..)
        .zip(scored)
        .map(|(rank, (level, Scored { prompt, score, components, checks }))| Ranking {
            prompt_id: prompt.id,
            rank,
            level,
            score,
            components,
            weights: weights.clone(),
            checks,
            formula: measure::VERSION,
        })
        .collect()
}

/// Sorts the prompts by level, and within a level by the number of checks they meet.
fn ordered(mut scored: Vec<Scored<'_>>) -> Vec<(u32, Scored<'_>)> {
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| compare_ties(a.prompt, b.prompt)));
    let (mut level, mut best) = (0, f64::INFINITY);
    let mut placed: Vec<(u32, Scored<'_>)> = Vec::with_capacity(scored.len());
    for one in scored {
        if level == 0 || best - one.score > ABOUT_EQUAL {
            (level, best) = (level + 1, one.score);
        }
        placed.push((level, one));
    }
    let fit = |one: &Scored<'_>| one.checks.iter().filter(|check| check.met).count();
    // A stable sort keeps prompts of one level that fit alike in the order of their scores.
    placed.sort_by_key(|(level, one)| (*level, std::cmp::Reverse(fit(one))));
    placed
}

fn met(reading: &Reading, checks: &[(&str, Vec<Cue>)]) -> Vec<CheckMet> {
    let is_met = |cues: &[Cue]| cues.iter().any(|cue| reading.says(cue));
    checks.iter().map(|(label, cues)| CheckMet { label: (*label).to_owned(), met: is_met(cues) }).collect()
}

fn expectation(history: Option<&BTreeMap<PromptId, f64>>, prompt: PromptId) -> f64 {
    let known = history.and_then(|history| history.get(&prompt)).copied().filter(|value| value.is_finite());
    known.unwrap_or(UNKNOWN_HISTORY).clamp(0.0, 1.0)
}

/// Breaks ties: lower cost (unknown last), fewer tokens, content hash, id.
pub fn compare_ties(a: &Prompt, b: &Prompt) -> std::cmp::Ordering {
    let cost = |prompt: &Prompt| prompt.model_metadata.cost_usd.unwrap_or(f64::INFINITY);
    let hash = |prompt: &Prompt| xxh3_64(prompt.content.as_bytes());
    cost(a)
        .total_cmp(&cost(b))
        .then_with(|| a.model_metadata.total_tokens.cmp(&b.model_metadata.total_tokens))
        .then_with(|| hash(a).cmp(&hash(b)))
        .then_with(|| a.id.cmp(&b.id))
}

/// Describes the components with their default weights and formulas, one paragraph each.
pub fn explain() -> String {
    let mut text = String::from(
        "The score of a prompt is the mean of these components by weight, each 0 to 1. It knows what was lost, distorted, invented \
         and padded; whether a prompt is useful it cannot know. `ranking.weights` changes the weights; those that apply are \
         scaled to add up to 1.\n",
    );
    for component in Component::ALL {
        let (name, weight, formula) = (component.as_str(), component.default_weight(), component.formula());
        text.push_str(&["\n", name, " (", &format!("{weight:.2}"), "): ", formula, ".\n"].concat());
    }
    let equal = format!(
        "\nPrompts whose scores differ by {ABOUT_EQUAL} or less are about equal: 95 of 100 edits that keep the meaning change a \
         score by no more. Among them the one comes first that meets more of the persona's checks (`aludel personas show NAME`), then \
         the one with the higher score, lower cost, fewer tokens; last a hash of the content decides. Scores of formula \
         {} cannot be compared with those of another.\n",
        measure::VERSION
    );
    text.push_str(&equal);
    text
}

#[cfg(test)]
mod calibration_tests;
#[cfg(test)]
mod tests;
