//! Derives the choice from a [`Judgement`]'s evidence. Pure arithmetic, so it can be repeated for
//! free.
//!
//! The order of candidates, ratings and verdicts does not matter. Candidates with the same content
//! share a strength, and divide P(best) among them. A candidate without any valid answer is not
//! guessed at: it comes last with the widest interval, and takes an even share of P(best).

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::domain::{
    Candidate, Comparison, Conclusion, JudgeName, JudgeProfile, Judgement, PairVerdict, PromptId, RankedCandidate,
    Rating, Timestamp,
};

use super::errors::ErrorModel;
use super::evidence::{self, PairOpinion};
use super::explain;
use super::field::{CandidateGroups, compare_ties};
use super::strength::{self, Strength, StrengthFit};

/// The default P(best) from which a choice is confident.
pub const CONFIDENT: f64 = 0.8;
/// The same for a thorough selection.
pub const THOROUGHLY_CONFIDENT: f64 = 0.95;

/// Probabilities are rounded to thousandths, the precision of the draws.
const DIGITS: f64 = 1000.0;

/// A candidate at least as strong as the winner in this share of draws is tied with it.
const TIED_SHARE: f64 = 0.1;

/// Margins closer to 0 than this count as 0.
pub(super) const NO_MARGIN: f64 = 1e-9;

/// The evidence for a conclusion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence<'e> {
    pub(super) judges: &'e [JudgeName],
    pub(super) candidates: &'e [Candidate],
    pub(super) ratings: &'e [Rating],
    pub(super) verdicts: &'e [PairVerdict],
    /// Questions without a valid answer.
    pub(super) lost: explain::MissingAnswers,
    /// The number of candidates before the limit was applied.
    pub(super) given: usize,
    /// The profile of each judge.
    pub(super) profiles: &'e [Option<JudgeProfile>],
    /// The time at which the age of the profiles is taken.
    pub(super) at: Timestamp,
    /// The P(best) from which the choice is confident.
    pub(super) wanted: f64,
}

/// The conclusion from the evidence: a `SelectResult` without prompt and metadata.
#[derive(Debug, Clone, PartialEq)]
pub struct Concluded {
    /// The winner, the confidence, and all candidates best first.
    pub conclusion: Conclusion,
    /// The candidates tied with the winner; empty if confident.
    pub tied: Vec<PromptId>,
    /// All candidates, best first.
    pub ranking: Vec<RankedCandidate>,
    /// Every pair with a valid answer, over all judges and both orders.
    pub comparisons: Vec<Comparison>,
    /// The share of pairs (by judge) whose two orders agreed; `None` if none has both orders.
    pub swap_consistency: Option<f64>,
    /// The age in days of the oldest audit of the judges; `None` if one was never audited.
    pub audit_age_days: Option<f64>,
    /// The reasoning.
    pub reasoning: String,
    /// The warnings.
    pub warnings: Vec<String>,
}

/// Recomputes the conclusion of a stored judgement. `profiles` are those of [`Judgement::judges`],
/// in their order; their age is taken at the time of the judgement.
///
/// `None` for a judgement without a candidate.
pub fn conclude(judgement: &Judgement, profiles: &[Option<JudgeProfile>]) -> Option<Concluded> {
    Evidence {
        judges: &judgement.judges,
        candidates: &judgement.candidates,
        ratings: &judgement.ratings,
        verdicts: &judgement.verdicts,
        lost: explain::MissingAnswers::unknown(judgement.missing),
        given: judgement.candidates.len(),
        profiles,
        at: judgement.created_at,
        wanted: judgement.wanted_confidence,
    }
    .conclude()
}

impl Evidence<'_> {
    pub(super) fn conclude(&self) -> Option<Concluded> {
        let field = CandidateGroups::of(self.candidates);
        let opinions = evidence::opinions(&field, self.verdicts, self.profiles);
        let errors = ErrorModel::of(self.profiles, self.judges.len());
        let said = evidence::said(&field, &opinions, self.ratings, self.profiles, &errors);
        let mut fitted = strength::fit(&said, &errors.possibilities, seed(&field));
        if field.len() == 1 {
            // A single text has no relative strength.
            fitted.strengths = vec![Some(Strength { score: 0.5, interval: [0.5; 2], best: 1.0 })];
        }
        let comparisons = comparisons(&field, &opinions);
        let placed = placed(&field, &fitted);
        let winner = placed.first()?;
        let confidence = in_digits(winner.best);
        let confident = confidence >= self.wanted;
        let order: Vec<PromptId> = placed.iter().map(|placed| placed.id).collect();
        let lowest = lowest(&placed);
        let ranking: Vec<RankedCandidate> =
            placed.iter().map(|placed| standing(&field, placed, lowest, &comparisons)).collect();
        let tied = if confident { Vec::new() } else { tied(&placed, &fitted) };
        let unknown = placed.iter().filter(|placed| placed.strength.is_none()).count();
        let told = explain::Explanation { evidence: self, opinions: &opinions, comparisons: &comparisons, unknown };
        let (reasoning, warnings) = (told.reasoning(winner.id, confident), told.warnings());
        Some(Concluded {
            conclusion: Conclusion { winner: winner.id, confidence, confident, order },
            tied,
            ranking,
            swap_consistency: swap_consistency(&opinions),
            comparisons,
            audit_age_days: self.audit_age_days(),
            reasoning,
            warnings,
        })
    }

    /// The judges without a calibration.
    pub(super) fn untested(&self) -> Vec<&JudgeName> {
        let is_known = |at: usize| {
            let profile = self.profiles.get(at).and_then(Option::as_ref);
            profile.is_some_and(|profile| profile.calibration.is_some())
        };
        self.judges.iter().enumerate().filter(|(at, _)| !is_known(*at)).map(|(_, judge)| judge).collect()
    }

    fn audit_age_days(&self) -> Option<f64> {
        let age = |at: usize| {
            let profile = self.profiles.get(at)?.as_ref()?;
            Some((self.at.as_millisecond() - profile.audited_at.as_millisecond()).max(0) as f64 / 86_400_000.0)
        };
        let ages: Option<Vec<f64>> = (0..self.judges.len()).map(age).collect();
        ages?.into_iter().reduce(f64::max)
    }
}

fn in_digits(chance: f64) -> f64 {
    (chance * DIGITS).round() / DIGITS
}

/// The seed of the draws: the same for the same candidates in any order.
pub(super) fn seed(field: &CandidateGroups) -> u64 {
    let hashes: Vec<u8> = field.entries.iter().flat_map(|entry| entry.head().content_hash.to_le_bytes()).collect();
    xxh3_64(&hashes)
}

/// A ranked candidate.
struct PlacedCandidate {
    id: PromptId,
    entry: usize,
    strength: Option<Strength>,
    /// Its P(best).
    best: f64,
}

/// All candidates, best first; those without a valid answer last.
fn placed(field: &CandidateGroups, fitted: &StrengthFit) -> Vec<PlacedCandidate> {
    let count = field.candidates() as f64;
    let of_entries = field.entries.iter().zip(&fitted.strengths);
    let unknown: usize =
        of_entries.filter(|(_, strength)| strength.is_none()).map(|(entry, _)| entry.members.len()).sum();
    let known_share = 1.0 - unknown as f64 / count;
    let mut placed: Vec<(&Candidate, PlacedCandidate)> = Vec::new();
    for (at, entry) in field.entries.iter().enumerate() {
        let strength = fitted.strengths[at];
        let best = strength.map_or(1.0 / count, |strength| strength.best * known_share / entry.members.len() as f64);
        let of = |member: &Candidate| PlacedCandidate { id: member.prompt_id, entry: at, strength, best };
        placed.extend(entry.members.iter().map(|member| (member, of(member))));
    }
    // Strengths from even margins differ only by rounding.
    let rounded = |placed: &PlacedCandidate| placed.strength.map_or(-1.0, |strength| (strength.score * 1e9).round());
    placed.sort_by(|(a, of_a), (b, of_b)| rounded(of_b).total_cmp(&rounded(of_a)).then_with(|| compare_ties(a, b)));
    placed.into_iter().map(|(_, placed)| placed).collect()
}

/// The lowest score, which candidates without a valid answer get: they come last.
fn lowest(placed: &[PlacedCandidate]) -> f64 {
    placed.iter().filter_map(|placed| placed.strength).map(|known| known.score).fold(0.5, f64::min)
}

fn standing(
    field: &CandidateGroups,
    placed: &PlacedCandidate,
    lowest: f64,
    comparisons: &[Comparison],
) -> RankedCandidate {
    let head = field.entries[placed.entry].id();
    let own = || comparisons.iter().filter(|one| one.a == head || one.b == head);
    let count =
        |is: &dyn Fn(&Comparison) -> bool| u32::try_from(own().filter(|one| is(one)).count()).unwrap_or(u32::MAX);
    let strength = placed.strength.unwrap_or(Strength { score: lowest, interval: [0.0, 1.0], best: placed.best });
    RankedCandidate {
        prompt_id: placed.id,
        score: strength.score,
        interval: strength.interval,
        wins: count(&|one| one.winner == Some(head)),
        losses: count(&|one| one.winner.is_some_and(|winner| winner != head)),
        ties: count(&|one| one.winner.is_none()),
    }
}

/// The candidates tied with the winner: its copies, those about as strong, at least the nearest.
fn tied(placed: &[PlacedCandidate], fitted: &StrengthFit) -> Vec<PromptId> {
    let Some((winner, others)) = placed.split_first() else { return Vec::new() };
    let reach = |other: &PlacedCandidate| {
        if other.entry == winner.entry || other.strength.is_none() {
            1.0
        } else {
            fitted.at_least(other.entry, winner.entry)
        }
    };
    let nearest = others.iter().map(reach).fold(0.0, f64::max).min(TIED_SHARE);
    others.iter().filter(|other| reach(other) >= nearest).map(|other| other.id).collect()
}

/// The compared pairs, over all judges; then each copy with its original.
fn comparisons(field: &CandidateGroups, opinions: &[PairOpinion<'_>]) -> Vec<Comparison> {
    let mut by_pair: BTreeMap<(usize, usize), Vec<&PairOpinion<'_>>> = BTreeMap::new();
    for opinion in opinions {
        by_pair.entry((opinion.a, opinion.b)).or_default().push(opinion);
    }
    let asked = by_pair.into_values().filter_map(|of_pair| comparison(field, &of_pair));
    let copies = field.entries.iter().flat_map(|entry| {
        entry.members[1..].iter().map(|copy| Comparison {
            a: entry.id(),
            b: copy.prompt_id,
            winner: None,
            margin: 0.0,
            agreed: true,
            reasoning: explain::SAME_TEXT.to_owned(),
        })
    });
    asked.chain(copies).collect()
}

/// The combined comparison of one pair.
pub(super) fn comparison(field: &CandidateGroups, opinions: &[&PairOpinion<'_>]) -> Option<Comparison> {
    let first = opinions.first()?;
    let (a, b) = (field.entries[first.a].id(), field.entries[first.b].id());
    let margin = opinions.iter().map(|opinion| opinion.margin()).sum::<f64>() / opinions.len() as f64 + 0.0;
    let winner = match margin {
        m if m > NO_MARGIN => Some(a),
        m if m < -NO_MARGIN => Some(b),
        _ => None,
    };
    let agreed = opinions.iter().all(|opinion| opinion.agreed() == Some(true));
    Some(Comparison { a, b, winner, margin, agreed, reasoning: explain::of_pair((a, b), opinions, margin) })
}

/// The share of opinions whose orders agreed; `None` if none has both orders.
fn swap_consistency(opinions: &[PairOpinion<'_>]) -> Option<f64> {
    let both: Vec<bool> = opinions.iter().filter_map(PairOpinion::agreed).collect();
    (!both.is_empty()).then(|| both.iter().filter(|agreed| **agreed).count() as f64 / both.len() as f64)
}
