//! Explains in words why the winner won, and what speaks against it.

use std::collections::BTreeSet;

use crate::domain::{Comparison, JudgeName, PairVerdict, PromptId};

use super::conclude::{Evidence, NO_MARGIN};
use super::cycle;
use super::evidence::PairOpinion;
use super::field::CandidateGroups;
use super::naming::named;

/// The reasoning for two candidates with the same content.
pub(super) const SAME_TEXT: &str = "The same text, to the letter; nothing was asked.";

/// The least number of comparisons for the warning that a judge only follows the order.
const LEAST_COMPARISONS: usize = 3;

/// The most characters of each of two reasons that are shown together.
const MOST_REASON_CHARS: usize = 200;

/// The inputs of an explanation.
pub(super) struct Explanation<'t> {
    pub(super) evidence: &'t Evidence<'t>,
    pub(super) opinions: &'t [PairOpinion<'t>],
    pub(super) comparisons: &'t [Comparison],
    /// The number of candidates without a valid answer.
    pub(super) unknown: usize,
}

impl Explanation<'_> {
    pub(super) fn reasoning(&self, winner: PromptId, confident: bool) -> String {
        let Evidence { candidates, ratings, given, lost, .. } = *self.evidence;
        let mut parts = self.warnings();
        if candidates.len() == 1 {
            parts.push("There was one candidate, so nothing was compared.".to_owned());
        } else if !confident {
            parts.push(
                "The comparisons do not set the winner clearly apart. Candidates that they cannot separate at all are ordered by cost, then by tokens, then by a hash of their text."
                    .to_owned(),
            );
        }
        if given > candidates.len() {
            parts.push(format!("Of {given} candidates the first {} by rank were judged.", candidates.len()));
        }
        if !ratings.is_empty() {
            let all = CandidateGroups::of(candidates).len();
            let pairs: BTreeSet<(usize, usize)> = self.opinions.iter().map(|opinion| (opinion.a, opinion.b)).collect();
            parts.push(match pairs.len() {
                0 => format!("{all} texts were rated one by one; no pair had to be compared."),
                1 => format!("{all} texts were rated one by one, and one pair of the best compared."),
                pairs => format!("{all} texts were rated one by one, and {pairs} pairs of the best compared."),
            });
        }
        let untested = self.evidence.untested();
        if let (true, Some(judge)) = (candidates.len() > 1, untested.first()) {
            parts.push(format!(
                "How far {} can be believed is not known, so the probability is low even where its answers are clear: `aludel \
                 judge audit {}/{}` measures it.",
                name(judge),
                judge.provider,
                judge.model
            ));
        }
        for (judge, profile) in self.evidence.judges.iter().zip(self.evidence.profiles) {
            if !self.opinions.is_empty() && profile.as_ref().is_some_and(|profile| profile.length_offset() > 0.0) {
                parts.push(format!(
                    "{} prefers longer texts, as its own test found; what that explains was taken off its answers.",
                    name(judge)
                ));
            }
        }
        if self.unknown > 0 {
            let unknown = self.unknown;
            parts.push(format!("There was no valid answer about {unknown}: they are listed last, unjudged."));
        }
        parts.extend(lost.told());
        if let Some(cycle) = cycle::told(self.comparisons, winner) {
            parts.push(cycle);
        }
        if !self.opinions.is_empty() && self.opinions.iter().all(|opinion| opinion.agreed().is_none()) {
            parts.push("Each pair was judged in one order, so position bias would not show.".to_owned());
        }
        let own = self.comparisons.iter().filter(|one| one.a == winner || one.b == winner);
        for comparison in own {
            let (other, margin) = if comparison.a == winner {
                (comparison.b, comparison.margin)
            } else {
                // Avoids negative zero, which would look like a margin.
                (comparison.a, 0.0 - comparison.margin)
            };
            parts.push(format!("Against {} ({margin:+.2}): {}", other.short(), comparison.reasoning));
        }
        let own = ratings.iter().filter(|rating| rating.prompt_id == winner);
        if let Some(rating) = own.min_by_key(|rating| rating.judge) {
            parts.push(format!("By itself ({:.1} of 10): {}", rating.score, rating.reasoning));
        }
        parts.join("\n")
    }

    /// Warnings about the judges, from their audits and from this judgement.
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
            let own: Vec<&PairOpinion<'_>> = self.opinions.iter().filter(|opinion| opinion.judge == at).collect();
            if follows_position(&own) {
                warnings.push(format!(
                    "The judge {} says nothing once both orders of a pair are taken together: it depends on the order, not on the candidates, so its choice is meaningless. Name another with `judge.provider`.",
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

/// True for a judge whose two orders cancel out in every comparison. A judge that calls everything
/// even has no position bias, and one that wavers on close pairs can still be useful on average.
fn follows_position(opinions: &[&PairOpinion<'_>]) -> bool {
    let both: Vec<(f64, f64)> = opinions
        .iter()
        .filter_map(|opinion| opinion.forward.zip(opinion.backward))
        .map(|(forward, backward)| (forward.margin, -backward.margin))
        .collect();
    both.len() >= LEAST_COMPARISONS
        && both.iter().all(|(forward, backward)| (forward + backward).abs() < NO_MARGIN)
        && both.iter().any(|(forward, _)| forward.abs() >= NO_MARGIN)
}

/// The answer about a pair in one order; a positive margin favours the first of the pair.
#[derive(Clone, Copy)]
struct DirectedVerdict<'v> {
    margin: f64,
    verdict: &'v PairVerdict,
    first: PromptId,
    second: PromptId,
}

impl DirectedVerdict<'_> {
    fn reason(&self) -> String {
        in_order(&self.verdict.reasoning, self.first, self.second)
    }
}

/// The reasons of a comparison with `first` shown first, with the candidates' names filled in.
pub(crate) fn in_order(reasoning: &str, first: PromptId, second: PromptId) -> String {
    named(reasoning, &first.short(), &second.short())
}

/// The reason for the outcome, from the answers about `a` and `b`. If the answers cancel out, one
/// reason for each side; if no answer supports the outcome, a note on the length correction.
pub(super) fn of_pair((a, b): (PromptId, PromptId), opinions: &[&PairOpinion<'_>], margin: f64) -> String {
    let said: Vec<DirectedVerdict<'_>> = opinions
        .iter()
        .flat_map(|opinion| {
            let forward =
                opinion.forward.map(|verdict| DirectedVerdict { margin: verdict.margin, verdict, first: a, second: b });
            let backward = opinion.backward.map(|verdict| DirectedVerdict {
                margin: -verdict.margin,
                verdict,
                first: b,
                second: a,
            });
            [forward, backward].into_iter().flatten()
        })
        .collect();
    let (for_a, for_b) = (strongest(&said, 1.0), strongest(&said, -1.0));
    let even = said.iter().find(|said| said.margin.abs() < NO_MARGIN);
    if margin.abs() < NO_MARGIN {
        return match (for_a, for_b, even) {
            (Some(for_a), Some(for_b), _) => format!(
                "The answers cancel out. For {}: {} For {}: {}",
                a.short(),
                shortened(&for_a.reason()),
                b.short(),
                shortened(&for_b.reason())
            ),
            (_, _, Some(even)) => even.reason(),
            (Some(one), None, None) | (None, Some(one), None) => {
                format!("{NO_MORE_THAN_LENGTH} What it said: {}", one.reason())
            }
            (None, None, None) => String::new(),
        };
    }
    let (fit, against) = if margin > 0.0 { (for_a, for_b) } else { (for_b, for_a) };
    match (fit, even, against) {
        (Some(fit), _, _) => fit.reason(),
        (None, Some(even), _) => format!("{AGAINST_THE_ANSWERS} As answered it is even: {}", even.reason()),
        (None, None, Some(against)) => {
            format!("{AGAINST_THE_ANSWERS} As answered the other is better: {}", against.reason())
        }
        (None, None, None) => String::new(),
    }
}

const NO_MORE_THAN_LENGTH: &str = "Even: the judge is known to prefer length, and the two lengths explain its answer.";

const AGAINST_THE_ANSWERS: &str =
    "No answer says so: it follows once the judge's known preference for length is taken off.";

/// The answer with the largest margin for one side; among equal ones the first.
fn strongest<'v>(said: &[DirectedVerdict<'v>], side: f64) -> Option<DirectedVerdict<'v>> {
    let own = said.iter().filter(|said| said.margin * side >= NO_MARGIN);
    own.copied().reduce(|best, next| if next.margin * side > best.margin * side + NO_MARGIN { next } else { best })
}

/// A reason on one line, cut between words if it is long.
fn shortened(reason: &str) -> String {
    let mut short = String::new();
    for word in reason.split_whitespace() {
        if short.chars().count() + word.chars().count() > MOST_REASON_CHARS {
            short.push('…');
            return short;
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
    }
    short
}

/// The numbers of questions without a valid answer, by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MissingAnswers {
    /// The reply could not be read.
    pub(super) unreadable: u32,
    /// The call timed out.
    pub(super) timed_out: u32,
    /// The call failed otherwise.
    pub(super) failed: u32,
    /// Not asked, because a cap was reached.
    pub(super) refused_by_cap: u32,
    /// The cause is unknown, because a stored judgement has only the number.
    pub(super) unknown: u32,
    /// The number of questions planned; 0 if unknown.
    pub(super) asked: u32,
}

impl MissingAnswers {
    /// This many questions with an unknown cause.
    pub(super) fn unknown(questions: u32) -> Self {
        Self { unknown: questions, ..Self::default() }
    }

    /// Describes the missing answers; `None` if there are none.
    pub(super) fn told(&self) -> Option<String> {
        let parts: Vec<(u32, &str)> = [
            (self.unreadable, "could not be read"),
            (self.timed_out, "timed out"),
            (self.failed, "failed"),
            (self.unknown, "stayed without a valid answer"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .collect();
        let mut sentences = Vec::new();
        if let Some((first, what)) = parts.first() {
            let noun = match (self.unreadable, first) {
                (0, 1) => "question",
                (0, _) => "questions",
                (_, 1) => "answer",
                _ => "answers",
            };
            let others: Vec<String> = parts[1..].iter().map(|(count, what)| format!(", {count} {what}")).collect();
            let all: u32 = parts.iter().map(|(count, _)| count).sum();
            let counted = if all == 1 { "it is" } else { "they are" };
            sentences.push(format!("{first} {noun} {what}{}; {counted} not counted.", others.concat()));
        }
        if self.refused_by_cap > 0 {
            sentences.push(match self.asked.checked_sub(self.refused_by_cap) {
                Some(made) if self.asked > 0 => {
                    format!("The cap ended the selection after {made} of {} calls.", self.asked)
                }
                _ => format!("The cap kept {} from being asked.", questions(self.refused_by_cap)),
            });
        }
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }
}

fn questions(count: u32) -> String {
    format!("{count} {}", if count == 1 { "question" } else { "questions" })
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
