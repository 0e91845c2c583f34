//! The result of a selection: the winner, how sure the judge is, and every comparison behind it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ModelMetadata, Prompt, PromptId};

/// The judge's choice among several prompts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelectResult {
    /// The winner.
    pub prompt: Prompt,
    /// Why the winner won.
    pub reasoning: String,
    /// The probability, by this judge, that the winner is the best, 0..=1, to three digits.
    pub confidence: f64,
    /// True if `confidence` reached the requested probability, 0.8 by default.
    pub confident: bool,
    /// The prompts tied with the winner; empty if `confident`.
    pub tied: Vec<PromptId>,
    /// All candidates, best first.
    pub ranking: Vec<RankedCandidate>,
    /// Every comparison made.
    pub comparisons: Vec<Comparison>,
    /// Order-swap agreement: the share of comparisons whose two orders agreed, 0..=1; null if none
    /// was made in both.
    pub swap_consistency: Option<f64>,
    /// Comparisons without a valid verdict.
    pub missing: u32,
    /// Days since the judge was tested; null if never.
    pub audit_age_days: Option<f64>,
    /// The criteria and their weights, adding up to 1.
    pub criteria: BTreeMap<String, f64>,
    /// Totals of the judge's calls.
    pub model_metadata: ModelMetadata,
}

impl SelectResult {
    /// How sure the choice is, in a sentence; `name` gives a candidate's name for people.
    pub fn sureness(&self, name: impl Fn(PromptId) -> String) -> String {
        let winner = name(self.prompt.id);
        if self.ranking.len() == 1 {
            return format!("{winner} was the only candidate, so nothing was judged.");
        }
        let (chance, by) = (chance(self.confidence), self.judge_attribution());
        if self.confident {
            return format!("{winner} is the best with a probability of {chance} {by}.");
        }
        let others: Vec<String> = self.tied.iter().copied().map(name).collect();
        if self.confidence >= PROBABLE {
            let rest =
                if others.is_empty() { String::new() } else { format!("; {} cannot be ruled out", listed(&others)) };
            return format!("{winner} is probably the best ({chance} {by}){rest}.");
        }
        let close: Vec<String> = std::iter::once(winner.clone()).chain(others).collect();
        format!(
            "Too close to call between {}: {winner} is ahead, the best with a probability of {chance} {by}.",
            listed(&close)
        )
    }

    /// How often both orders of a pair agreed, where both were asked. `None` without comparisons.
    pub fn orders(&self) -> Option<String> {
        match self.swap_consistency {
            Some(share) => Some(format!("both orders of a pair agreed in {:.0} %", share * 100.0)),
            // Copies of one text count as agreeing, and no judge is asked about them.
            None if self.comparisons.iter().all(|comparison| comparison.agreed) => None,
            None => Some("each pair was judged in one order".to_owned()),
        }
    }

    /// True when the winner is not even probably the best.
    pub fn is_close(&self) -> bool {
        !self.confident && self.confidence < PROBABLE
    }

    /// Names whose probability it is: one judge's confidence says nothing about another's.
    fn judge_attribution(&self) -> &'static str {
        let ModelMetadata { provider, model, .. } = &self.model_metadata;
        judge_attribution(if provider.contains(", ") || model.contains(", ") { 2 } else { 1 })
    }
}

/// How sure a choice is, after the winner's name: `the best with a probability of 86 % by …`.
pub fn likelihood(confidence: f64, confident: bool, judges: usize) -> String {
    let (chance, by) = (chance(confidence), judge_attribution(judges));
    match (confident, confidence >= PROBABLE) {
        (true, _) => format!("the best with a probability of {chance} {by}"),
        (false, true) => format!("probably the best ({chance} {by})"),
        (false, false) => format!("too close to call, the best with a probability of {chance} {by}"),
    }
}

/// Names whose probability it is: `by this judge`, `by these judges`.
fn judge_attribution(judges: usize) -> &'static str {
    if judges > 1 { "by these judges" } else { "by this judge" }
}

/// Replaces the short ids in a text by other names of the prompts, each whole word once.
pub fn with_names(text: &str, name: impl Fn(&str) -> Option<String>) -> String {
    let (mut told, mut from) = (String::with_capacity(text.len()), 0);
    while from < text.len() {
        let rest = &text[from..];
        let length = |is: fn(char) -> bool| rest.find(|c: char| !is(c)).unwrap_or(rest.len());
        let is_of_a_word = |c: char| c.is_alphanumeric() || c == '_';
        let word = &rest[..length(is_of_a_word)];
        let gap = if word.is_empty() { &rest[..length(|c| !(c.is_alphanumeric() || c == '_'))] } else { "" };
        match name(word).filter(|_| !word.is_empty()) {
            Some(name) => told.push_str(&name),
            None => told.push_str(word),
        }
        told.push_str(gap);
        from += word.len() + gap.len();
    }
    told
}

/// The probability of being the best from which a winner is called probable.
const PROBABLE: f64 = 0.6;

/// `a, b and c`.
fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// A probability in whole percent, `86 %`. An estimate from random draws is never shown as certain,
/// but as `over 99 %` or `under 1 %`.
pub fn chance(probability: f64) -> String {
    match probability * 100.0 {
        percent if percent > 99.0 => "over 99 %".to_owned(),
        percent if percent < 1.0 => "under 1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

/// One candidate's standing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedCandidate {
    /// The prompt's id.
    pub prompt_id: PromptId,
    /// Win probability: the probability of beating an average candidate, 0..=1.
    pub score: f64,
    /// The 90 % interval of the score.
    pub interval: [f64; 2],
    /// Comparisons won.
    pub wins: u32,
    /// Comparisons lost.
    pub losses: u32,
    /// Comparisons tied.
    pub ties: u32,
}

/// One comparison of two candidates, both orders taken together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The first candidate.
    pub a: PromptId,
    /// The second candidate.
    pub b: PromptId,
    /// The better one; null for a tie.
    pub winner: Option<PromptId>,
    /// The margin, averaged over both orders, -1..=1; positive favours `a`.
    pub margin: f64,
    /// True if the two orders agreed.
    pub agreed: bool,
    /// The judge's reasons.
    pub reasoning: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sureness(confidence: f64, confident: bool, tied: &[u32], model: &str) -> String {
        let judged = crate::store::samples::prompt;
        let standing = |number: u32| RankedCandidate {
            prompt_id: judged(number).id,
            score: 0.5,
            interval: [0.0, 1.0],
            wins: 0,
            losses: 0,
            ties: 0,
        };
        let result = SelectResult {
            prompt: judged(1),
            reasoning: String::new(),
            confidence,
            confident,
            tied: tied.iter().map(|number| judged(*number).id).collect(),
            ranking: [1, 2, 3].map(standing).to_vec(),
            comparisons: Vec::new(),
            swap_consistency: None,
            missing: 0,
            audit_age_days: None,
            criteria: BTreeMap::new(),
            model_metadata: ModelMetadata { model: model.to_owned(), ..ModelMetadata::default() },
        };
        result
            .sureness(|id| (1..4).find(|number| judged(*number).id == id).map_or_else(String::new, |n| format!("P{n}")))
    }

    #[test]
    fn how_sure_a_choice_is_has_three_levels_and_names_whose_probability_it_is() {
        for (confidence, confident, tied, model, told) in [
            (0.86, true, &[][..], "m", "P1 is the best with a probability of 86 % by this judge."),
            (0.86, true, &[], "m, n", "P1 is the best with a probability of 86 % by these judges."),
            (0.66, false, &[2, 3], "m", "P1 is probably the best (66 % by this judge); P2 and P3 cannot be ruled out."),
            (0.66, false, &[2], "m, n", "P1 is probably the best (66 % by these judges); P2 cannot be ruled out."),
            (0.66, false, &[], "m", "P1 is probably the best (66 % by this judge)."),
            (
                0.45,
                false,
                &[2, 3],
                "m",
                "Too close to call between P1, P2 and P3: P1 is ahead, the best with a probability of 45 % by this judge.",
            ),
        ] {
            assert_eq!(sureness(confidence, confident, tied, model), told);
        }
    }

    #[test]
    fn what_stands_behind_a_name_has_the_same_levels() {
        assert_eq!(likelihood(0.86, true, 1), "the best with a probability of 86 % by this judge");
        assert_eq!(likelihood(0.66, false, 2), "probably the best (66 % by these judges)");
        assert_eq!(likelihood(0.45, false, 1), "too close to call, the best with a probability of 45 % by this judge");
    }

    #[test]
    fn names_take_the_place_of_whole_words_once() {
        let name = |word: &str| match word {
            "0000000a" => Some("B".to_owned()),
            "B" => Some("0000000b".to_owned()),
            "0000000b" => Some("A".to_owned()),
            _ => None,
        };
        for (text, told) in [
            ("Against 0000000a (+0.50): `0000000b`'s, not 0000000a.", "Against B (+0.50): `A`'s, not B."),
            ("B", "0000000b"),
            ("x0000000a 0000000a1 0000000a_ é0000000b", "x0000000a 0000000a1 0000000a_ é0000000b"),
            ("", ""),
        ] {
            assert_eq!(with_names(text, name), told);
        }
    }

    #[test]
    fn what_was_drawn_is_never_certain() {
        let told = [1.0, 0.999, 0.99, 0.86, 0.014, 0.009, 0.0].map(chance);
        assert_eq!(told, ["over 99 %", "over 99 %", "99 %", "86 %", "1 %", "under 1 %", "under 1 %"]);
    }
}
