//! Why the winner won, and why one might not believe it, in words.

use crate::domain::{Comparison, JudgeName, PromptId};

use super::conclude::{Evidence, swap_consistency};
use super::evidence::{Opinion, SHORTLIST};
use super::field::Field;

/// What is said of two candidates of one content.
pub(super) const SAME_TEXT: &str = "The same text, to the letter; nothing was asked.";

/// From so many comparisons on, a judge whose orders never agree is said to follow the place.
const ENOUGH_TO_TELL: usize = 3;

/// What there is to tell from.
pub(super) struct Told<'t> {
    pub(super) evidence: &'t Evidence<'t>,
    pub(super) opinions: &'t [Opinion<'t>],
    pub(super) comparisons: &'t [Comparison],
    /// Candidates of which nothing is known.
    pub(super) unknown: usize,
}

impl Told<'_> {
    pub(super) fn reasoning(&self, winner: PromptId, confident: bool) -> String {
        let Evidence { candidates, ratings, given, missing, .. } = *self.evidence;
        let mut parts = self.warnings();
        if candidates.len() == 1 {
            parts.push("There was one candidate, so nothing was compared.".to_owned());
        } else if !confident {
            parts.push(
                "Too close to call: candidates that the comparisons cannot separate are ordered by cost, then by tokens, then by a hash of their text."
                    .to_owned(),
            );
        }
        if given > candidates.len() {
            parts.push(format!("Of {given} candidates the first {} by rank were judged.", candidates.len()));
        }
        if !ratings.is_empty() {
            let all = Field::of(candidates).len();
            parts
                .push(format!("{all} texts were rated one by one, and the best {SHORTLIST} compared with each other."));
        }
        if self.unknown > 0 {
            let unknown = self.unknown;
            parts.push(format!("There was no valid answer about {unknown}: they are listed last, unjudged."));
        }
        if missing > 0 {
            parts.push(format!("{missing} answers of the judge were invalid and are not counted."));
        }
        if !self.opinions.is_empty() && self.opinions.iter().all(|opinion| opinion.agreed().is_none()) {
            parts.push(
                "Each pair was asked about in one order, so a preference for the first or second place would not show."
                    .to_owned(),
            );
        }
        let own = self.comparisons.iter().filter(|one| one.a == winner || one.b == winner);
        for comparison in own {
            let (other, margin) = if comparison.a == winner {
                (comparison.b, comparison.margin)
            } else {
                (comparison.a, -comparison.margin)
            };
            parts.push(format!("Against {} ({margin:+.2}): {}", other.short(), comparison.reasoning));
        }
        let own = ratings.iter().filter(|rating| rating.prompt_id == winner);
        if let Some(rating) = own.min_by_key(|rating| rating.judge) {
            parts.push(format!("By itself ({:.1} of 10): {}", rating.score, rating.reasoning));
        }
        parts.join("\n")
    }

    /// What makes the judges doubtful: what their own test says, and what they did here.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for (at, judge) in self.evidence.judges.iter().enumerate() {
            let profile = self.evidence.profiles.get(at).and_then(Option::as_ref);
            if let Some(profile) = profile.filter(|profile| !profile.usable) {
                let faults =
                    if profile.faults.is_empty() { "no problem was noted".into() } else { profile.faults.join("; ") };
                warnings.push(format!(
                    "The judge {} failed its own test ({faults}): do not rely on its choice, name another with \
                     `judge.provider` and `judge.model`.",
                    name(judge)
                ));
            }
            let own: Vec<Opinion<'_>> = self.opinions.iter().filter(|opinion| opinion.judge == at).cloned().collect();
            let both = own.iter().filter(|opinion| opinion.agreed().is_some()).count();
            if both >= ENOUGH_TO_TELL && swap_consistency(&own) <= 0.0 {
                warnings.push(format!(
                    "The judge {} changed its verdict with the order in all {both} comparisons: it depends on the order, not the candidates, so its choice is meaningless. Name another with `judge.provider`.",
                    name(judge)
                ));
            }
        }
        warnings
    }
}

fn name(judge: &JudgeName) -> String {
    format!("`{}/{}`", judge.provider, judge.model)
}

/// The reasons that speak for the outcome. Labels in them are those of the order asked, so another order is said.
pub(super) fn of_pair(opinions: &[&Opinion<'_>], margin: f64) -> String {
    let speaks = |said: f64| if margin.abs() < 1e-9 { -said.abs() } else { said * margin.signum() };
    let said = opinions.iter().flat_map(|opinion| {
        let forward = opinion.forward.map(|verdict| (speaks(verdict.margin), true, verdict));
        let backward = opinion.backward.map(|verdict| (speaks(-verdict.margin), false, verdict));
        [forward, backward].into_iter().flatten()
    });
    // Of those that speak equally for it the first: the order in which the candidates are named.
    let best = said.reduce(|best, next| if next.0 > best.0 + 1e-9 { next } else { best });
    match best {
        Some((_, true, verdict)) => verdict.reasoning.clone(),
        Some((_, false, verdict)) => format!("(asked the other way round: A is the second) {}", verdict.reasoning),
        None => String::new(),
    }
}
