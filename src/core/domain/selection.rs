//! What the judge gives back: the winner, how sure it is, and every comparison behind it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ModelMetadata, Prompt, PromptId};

/// The judge's choice among several prompts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelectResult {
    /// The winner.
    pub prompt: Prompt,
    /// Why, in words.
    pub reasoning: String,
    /// P(best), 0..=1.
    pub confidence: f64,
    /// False when it is too close to call.
    pub confident: bool,
    /// The prompts the winner could not be told from; empty when `confident`.
    pub tied: Vec<PromptId>,
    /// All candidates, best first.
    pub ranking: Vec<Standing>,
    /// Every comparison made.
    pub comparisons: Vec<Comparison>,
    /// The share of comparisons whose two orders agreed, 0..=1.
    pub swap_consistency: f64,
    /// Comparisons without a valid verdict.
    pub missing: u32,
    /// Age of the judge's own test, in days; null when it was never tested.
    pub audit_age_days: Option<f64>,
    /// The criteria and their weights, adding up to 1.
    pub criteria: BTreeMap<String, f64>,
    /// The judge's calls added up.
    pub model_metadata: ModelMetadata,
}

impl SelectResult {
    /// How sure the choice is, in a sentence; `name` says what people call a candidate.
    pub fn sureness(&self, name: impl Fn(PromptId) -> String) -> String {
        let winner = name(self.prompt.id);
        if self.ranking.len() == 1 {
            return format!("{winner} was the only candidate, so nothing was judged.");
        }
        let chance = chance(self.confidence);
        if self.confident {
            return format!("{winner} is the best with a probability of {chance}.");
        }
        let close: Vec<String> = std::iter::once(self.prompt.id).chain(self.tied.iter().copied()).map(name).collect();
        let names = match close.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        };
        format!("Too close to call between {names}: {winner} is ahead, the best with a probability of {chance}.")
    }
}

/// A probability in whole percent, `86 %`. What was estimated from draws is never told as certain: it is `over 99 %` or
/// `under 1 %` then.
pub fn chance(probability: f64) -> String {
    match probability * 100.0 {
        percent if percent > 99.0 => "over 99 %".to_owned(),
        percent if percent < 1.0 => "under 1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

/// One candidate's standing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// Which prompt.
    pub prompt_id: PromptId,
    /// Strength, 0..=1: the chance to beat an average candidate.
    pub score: f64,
    /// 90 % bootstrap interval of the score.
    pub interval: [f64; 2],
    /// Comparisons won.
    pub wins: u32,
    /// Comparisons lost.
    pub losses: u32,
    /// Comparisons that were even.
    pub ties: u32,
}

/// One comparison of two candidates, both orders taken together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The first candidate.
    pub a: PromptId,
    /// The second candidate.
    pub b: PromptId,
    /// The better one; null when even.
    pub winner: Option<PromptId>,
    /// Averaged over both orders, -1..=1; positive favours `a`.
    pub margin: f64,
    /// True when the two orders agreed.
    pub agreed: bool,
    /// Why, in words.
    pub reasoning: String,
}

#[cfg(test)]
mod tests {
    use super::chance;

    #[test]
    fn what_was_drawn_is_never_certain() {
        let told = [1.0, 0.999, 0.99, 0.86, 0.014, 0.009, 0.0].map(chance);
        assert_eq!(told, ["over 99 %", "over 99 %", "99 %", "86 %", "1 %", "under 1 %", "under 1 %"]);
    }
}
