//! Prepares the answers of judges for fitting: margins of pairs, corrected for length, and ratings.
//!
//! For a judge with a known length bias ([`JudgeProfile::length_offset`]) the part of a margin that
//! the lengths explain is subtracted: [`TRUST`] of it, because it was measured on other texts, or
//! the whole margin if the bias alone explains it. A judge without a profile is not corrected.
//!
//! The judges of a panel are averaged with [`ErrorModel::weights`].

use std::collections::BTreeMap;

use crate::domain::{Grade, JudgeProfile, PairVerdict, Rating};

use super::errors::ErrorModel;
use super::field::{CandidateGroup, CandidateGroups};
use super::strength::{Margin, Observations};

/// The share of a measured length bias that is subtracted.
pub(super) const TRUST: f64 = 0.76;
/// From this size on a length bias makes a judge give one more grade, because judges round.
const SAYS_A_GRADE: f64 = 0.2;
/// The most that rounding to grades adds to a margin.
const HALF_A_STEP: f64 = 0.25;
/// The margin that a point of a rating is worth.
const MARGIN_OF_A_POINT: f64 = 0.4;
/// From this size on a margin may be clipped.
const LARGEST: f64 = 0.9;
/// The extra variance of a pair asked in only one order, for the unknown position bias.
const ONE_ORDER: f64 = 0.1;

/// One judge's opinion of a pair of entries, where `a` has the smaller index.
#[derive(Debug, Clone)]
pub(super) struct PairOpinion<'v> {
    pub(super) judge: usize,
    pub(super) a: usize,
    pub(super) b: usize,
    /// The verdict with `a` shown first.
    pub(super) forward: Option<&'v PairVerdict>,
    /// The verdict with `b` shown first.
    pub(super) backward: Option<&'v PairVerdict>,
    /// The margin that the lengths alone give `a`.
    pull: f64,
}

impl PairOpinion<'_> {
    /// The uncorrected mean margin of the answered orders; positive favours `a`.
    fn answered(&self) -> f64 {
        match (self.forward, self.backward) {
            (Some(forward), Some(backward)) => f64::midpoint(forward.margin, -backward.margin),
            (Some(forward), None) => forward.margin,
            (None, Some(backward)) => -backward.margin,
            (None, None) => 0.0,
        }
    }

    /// The margin corrected for length, -1..=1.
    pub(super) fn margin(&self) -> f64 {
        (self.answered() - offset(self.answered(), self.pull)).clamp(-1.0, 1.0)
    }

    /// Whether both orders favour the same entry; `None` if an order is missing.
    pub(super) fn agreed(&self) -> Option<bool> {
        let side = |margin: f64| Grade::nearest(margin).margin().partial_cmp(&0.0);
        self.forward.zip(self.backward).map(|(forward, backward)| side(forward.margin) == side(-backward.margin))
    }

    /// The margin corrected for length and, if only one order was answered, for `position_bias`.
    fn counted(&self, position_bias: f64) -> f64 {
        let answered = match (self.forward, self.backward) {
            (Some(_), None) => self.answered() - position_bias,
            (None, Some(_)) => self.answered() + position_bias,
            _ => self.answered(),
        };
        answered - offset(answered, self.pull)
    }

    /// Its variance in addition to that of every pair.
    fn extra(&self) -> f64 {
        let one_order = if self.forward.is_some() == self.backward.is_some() { 0.0 } else { ONE_ORDER };
        // How much of a clipped margin the lengths explain is unknown.
        let is_cut = self.pull * self.answered() > 0.0 && self.answered().abs() >= LARGEST;
        one_order + if is_cut { (self.pull.abs().min(1.5) / 2.0).powi(2) } else { 0.0 }
    }

    /// Its position bias, if both orders were answered.
    fn position_bias(&self) -> Option<f64> {
        self.forward.zip(self.backward).map(|(forward, backward)| f64::midpoint(forward.margin, backward.margin))
    }
}

/// The length correction of a margin, where the lengths alone explain `pull`.
fn offset(margin: f64, pull: f64) -> f64 {
    let is_explained = margin * pull > 0.0 && margin.abs() <= explained(pull.abs());
    if is_explained { margin } else { TRUST * pull }
}

/// The largest margin that a length bias of this size explains, with rounding to grades.
fn explained(pull: f64) -> f64 {
    let grades = if pull >= SAYS_A_GRADE + 0.5 {
        1.0
    } else if pull >= SAYS_A_GRADE {
        0.5
    } else {
        0.0
    };
    f64::max(grades, pull + pull.min(HALF_A_STEP))
}

/// The opinions in the verdicts, by judge and pair. Ignores verdicts on non-candidates or one text.
pub(super) fn opinions<'v>(
    field: &CandidateGroups,
    verdicts: &'v [PairVerdict],
    profiles: &[Option<JudgeProfile>],
) -> Vec<PairOpinion<'v>> {
    let mut opinions: BTreeMap<(usize, usize, usize), PairOpinion<'v>> = BTreeMap::new();
    for verdict in verdicts {
        let (Some(first), Some(second)) = (field.place(verdict.first), field.place(verdict.second)) else { continue };
        let Ok(judge) = usize::try_from(verdict.judge) else { continue };
        let (a, b) = (first.min(second), first.max(second));
        if a == b {
            continue;
        }
        let opinion = opinions.entry((a, b, judge)).or_insert_with(|| {
            let slope = length_slope(profiles, judge);
            let pull = slope * (field.entries[a].log_length() - field.entries[b].log_length());
            PairOpinion { judge, a, b, forward: None, backward: None, pull }
        });
        *(if first == a { &mut opinion.forward } else { &mut opinion.backward }) = Some(verdict);
    }
    opinions.into_values().collect()
}

/// The assumed length bias of a judge.
fn length_slope(profiles: &[Option<JudgeProfile>], judge: usize) -> f64 {
    profiles.get(judge).and_then(Option::as_ref).map_or(0.0, JudgeProfile::length_offset)
}

/// The observations of every pair and entry, over all judges.
pub(super) fn said(
    field: &CandidateGroups,
    opinions: &[PairOpinion<'_>],
    ratings: &[Rating],
    profiles: &[Option<JudgeProfile>],
    errors: &ErrorModel,
) -> Observations {
    let lengths = field.entries.iter().map(CandidateGroup::log_length).collect();
    let points = points(field, ratings, profiles, errors);
    let ratings = points.into_iter().map(|points| points.map(|points| MARGIN_OF_A_POINT * points)).collect();
    Observations {
        margins: margins(opinions, errors),
        ratings,
        lengths,
        position_biases: position_biases(opinions, errors),
    }
}

/// For each judge, its position bias in each pair that it answered in both orders.
fn position_biases(opinions: &[PairOpinion<'_>], errors: &ErrorModel) -> Vec<Vec<f64>> {
    let of_judge =
        |judge| opinions.iter().filter(move |opinion| opinion.judge == judge).filter_map(PairOpinion::position_bias);
    (0..errors.weights.len()).map(|judge| of_judge(judge).collect()).collect()
}

fn weight(errors: &ErrorModel, judge: usize) -> f64 {
    errors.weights.get(judge).copied().unwrap_or_default()
}

/// The mean margin of each pair, weighted by judge.
fn margins(opinions: &[PairOpinion<'_>], errors: &ErrorModel) -> Vec<Margin> {
    // Shrunk towards 0, because it is estimated from few pairs.
    let shrunken = |known: Vec<f64>| known.iter().sum::<f64>() / (known.len() as f64 + 1.0);
    let position_biases: Vec<f64> = position_biases(opinions, errors).into_iter().map(shrunken).collect();
    let mut by_pair: BTreeMap<(usize, usize), Vec<&PairOpinion<'_>>> = BTreeMap::new();
    for opinion in opinions {
        by_pair.entry((opinion.a, opinion.b)).or_default().push(opinion);
    }
    let of_pair = |((a, b), own): ((usize, usize), Vec<&PairOpinion<'_>>)| {
        let total: f64 = own.iter().map(|opinion| weight(errors, opinion.judge)).sum();
        let (mut margin, mut extra) = (0.0, 0.0);
        for opinion in &own {
            let part = if total > 0.0 { weight(errors, opinion.judge) / total } else { 1.0 / own.len() as f64 };
            margin += part * opinion.counted(position_biases.get(opinion.judge).copied().unwrap_or_default());
            extra += part * part * opinion.extra();
        }
        Margin { a, b, mean: margin, extra }
    };
    by_pair.into_iter().map(of_pair).collect()
}

/// For each entry, its rating above its judges' average, in points; `None` if unrated.
fn points(
    field: &CandidateGroups,
    ratings: &[Rating],
    profiles: &[Option<JudgeProfile>],
    errors: &ErrorModel,
) -> Vec<Option<f64>> {
    let judges: std::collections::BTreeSet<u32> = ratings.iter().map(|rating| rating.judge).collect();
    let mut above = vec![Vec::new(); field.len()];
    for judge in judges {
        let place = usize::try_from(judge).unwrap_or(usize::MAX);
        let slope = length_slope(profiles, place);
        let mut own: Vec<(usize, f64)> = Vec::new();
        for rating in ratings.iter().filter(|rating| rating.judge == judge) {
            if let Some(at) = field.place(rating.prompt_id).filter(|at| !own.iter().any(|(known, _)| known == at)) {
                let for_length = TRUST * slope / MARGIN_OF_A_POINT * field.entries[at].log_length();
                own.push((at, rating.score - for_length));
            }
        }
        own.sort_by_key(|(at, _)| *at);
        let mean = own.iter().map(|(_, score)| score).sum::<f64>() / own.len().max(1) as f64;
        for (at, score) in own {
            above[at].push((weight(errors, place), score - mean));
        }
    }
    let mean = |points: Vec<(f64, f64)>| {
        let total: f64 = points.iter().map(|(weight, _)| weight).sum();
        let sum: f64 = points.iter().map(|(weight, points)| weight * points).sum();
        (total > 0.0).then(|| sum / total)
    };
    above.into_iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::offset;

    #[test]
    fn what_length_alone_makes_a_judge_say_counts_for_nothing() {
        for (margin, pull) in [(0.5, 0.25), (0.25, 0.3), (0.75, 0.53), (1.0, 0.8), (-0.5, -0.4)] {
            assert!((margin - offset(margin, pull)).abs() < 1e-9, "{margin} {pull}");
        }
    }

    #[test]
    fn what_goes_beyond_or_against_it_counts_with_most_of_it_taken_off() {
        for (margin, pull, left) in
            [(1.0, 0.5, 0.62), (-0.5, 0.5, -0.88), (0.0, 0.25, -0.19), (0.5, 0.1, 0.424), (0.25, 0.1, 0.174)]
        {
            assert!((margin - offset(margin, pull) - left).abs() < 1e-9, "{margin} {pull}");
        }
        assert!((offset(0.5, 0.0)).abs() < f64::EPSILON, "no profile, no offset");
    }
}
