//! Why the winner won, and why one might not believe it, in words.

use std::collections::BTreeSet;

use crate::domain::{Comparison, JudgeName, PairVerdict, PromptId};

use super::conclude::{Evidence, NO_MARGIN};
use super::cycle;
use super::evidence::Opinion;
use super::field::Field;
use super::naming::named;

/// What is said of two candidates of one content.
pub(super) const SAME_TEXT: &str = "The same text, to the letter; nothing was asked.";

/// From so many comparisons on, a judge of which nothing is left once both orders are taken together is said to follow
/// the place.
const ENOUGH_TO_TELL: usize = 3;

/// Characters of each of two reasons that are told beside each other.
const BESIDE_EACH_OTHER: usize = 200;

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
            let all = Field::of(candidates).len();
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
                // No negative zero, which reads as a margin.
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
            let own: Vec<&Opinion<'_>> = self.opinions.iter().filter(|opinion| opinion.judge == at).collect();
            if follows_the_place(&own) {
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

/// True for a judge whose two orders cancel out in every comparison. One that calls everything even prefers no place, and
/// one that changes its mind about close pairs may still say something in the mean of both orders.
fn follows_the_place(opinions: &[&Opinion<'_>]) -> bool {
    let both: Vec<(f64, f64)> = opinions
        .iter()
        .filter_map(|opinion| opinion.forward.zip(opinion.backward))
        .map(|(forward, backward)| (forward.margin, -backward.margin))
        .collect();
    both.len() >= ENOUGH_TO_TELL
        && both.iter().all(|(forward, backward)| (forward + backward).abs() < NO_MARGIN)
        && both.iter().any(|(forward, _)| forward.abs() >= NO_MARGIN)
}

/// What was answered of a pair in one order, as it speaks for the first of the pair.
#[derive(Clone, Copy)]
struct Said<'v> {
    margin: f64,
    verdict: &'v PairVerdict,
    first: PromptId,
    second: PromptId,
}

impl Said<'_> {
    fn reason(&self) -> String {
        in_order(&self.verdict.reasoning, self.first, self.second)
    }
}

/// The reasons of a comparison in which `first` was shown first, with the names of the candidates.
pub(crate) fn in_order(reasoning: &str, first: PromptId, second: PromptId) -> String {
    named(reasoning, &first.short(), &second.short())
}

/// The reason that speaks for the outcome, of what was answered about `a` and `b`. An even outcome has two where the
/// answers cancel out; an outcome for which no answer speaks says what was taken off.
pub(super) fn of_pair((a, b): (PromptId, PromptId), opinions: &[&Opinion<'_>], margin: f64) -> String {
    let said: Vec<Said<'_>> = opinions
        .iter()
        .flat_map(|opinion| {
            let forward = opinion.forward.map(|verdict| Said { margin: verdict.margin, verdict, first: a, second: b });
            let backward =
                opinion.backward.map(|verdict| Said { margin: -verdict.margin, verdict, first: b, second: a });
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

/// The answer that speaks most for one side; of equal ones the first, the order in which the candidates are named.
fn strongest<'v>(said: &[Said<'v>], side: f64) -> Option<Said<'v>> {
    let own = said.iter().filter(|said| said.margin * side >= NO_MARGIN);
    own.copied().reduce(|best, next| if next.margin * side > best.margin * side + NO_MARGIN { next } else { best })
}

/// A reason on one line, cut between words where it is long.
fn shortened(reason: &str) -> String {
    let mut short = String::new();
    for word in reason.split_whitespace() {
        if short.chars().count() + word.chars().count() > BESIDE_EACH_OTHER {
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

/// Questions without a valid answer, by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Lost {
    /// Answered, in no form that can be read.
    pub(super) unreadable: u32,
    /// Cut off by a limit of time.
    pub(super) timed_out: u32,
    /// Failed otherwise.
    pub(super) failed: u32,
    /// Not asked, because a cap was reached.
    pub(super) refused_by_cap: u32,
    /// Of which no more is known: a stored judgement has their number alone.
    pub(super) unknown: u32,
    /// How many questions there were to ask; 0 where that is not known.
    pub(super) asked: u32,
}

impl Lost {
    /// So many, of which no more is known.
    pub(super) fn unknown(questions: u32) -> Self {
        Self { unknown: questions, ..Self::default() }
    }

    /// All of it in words; `None` when nothing is missing.
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
