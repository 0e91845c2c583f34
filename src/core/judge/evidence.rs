//! What judges said, made ready to be added up: opinions of pairs without what length gives them, ratings as priors.
//!
//! A judge that is known to prefer length ([`JudgeProfile::length_offset`]) has the part of a margin that the two
//! lengths explain taken off: [`TRUST`] of it, since it was measured on other texts; all of it where the margin is no
//! more than what its preference alone makes it say. Nothing is taken for a judge without a profile.

use std::collections::BTreeMap;

use crate::domain::{Grade, JudgeProfile, PairVerdict, Rating};

use super::field::{Field, compare_ties};
use super::strength::{Observation, Prior};

/// How much of a measured preference for length is taken off.
const TRUST: f64 = 0.76;
/// From this share of a margin on a preference for length makes a judge say one grade more, as judges round.
const SAYS_A_GRADE: f64 = 0.2;
/// What rounding to grades adds to a margin at most.
const HALF_A_STEP: f64 = 0.25;
/// The margin that a point of a rating is worth.
const MARGIN_OF_A_POINT: f64 = 0.4;
/// Units of strength to a point of a rating.
const STRENGTH_OF_A_POINT: f64 = 0.8;
/// How strongly what one judge's ratings say is held beside its comparisons.
const RATED_PRECISION: f64 = 0.3;
/// Standard deviation of the error of a rating, in points.
const RATING_ERROR: f64 = 0.6;
/// How many candidates of a screen are compared.
pub(super) const SHORTLIST: usize = 3;

/// One judge's opinion of a pair of entries, `a` being the earlier one.
#[derive(Debug, Clone)]
pub(super) struct Opinion<'v> {
    pub(super) judge: usize,
    pub(super) a: usize,
    pub(super) b: usize,
    /// With `a` shown first.
    pub(super) forward: Option<&'v PairVerdict>,
    /// With `b` shown first.
    pub(super) backward: Option<&'v PairVerdict>,
    /// What the lengths alone give `a`.
    pull: f64,
}

impl Opinion<'_> {
    /// The mean of the orders that were answered, as answered; positive favours `a`.
    fn answered(&self) -> f64 {
        match (self.forward, self.backward) {
            (Some(forward), Some(backward)) => f64::midpoint(forward.margin, -backward.margin),
            (Some(forward), None) => forward.margin,
            (None, Some(backward)) => -backward.margin,
            (None, None) => 0.0,
        }
    }

    /// The margin without what length gave, -1..=1.
    pub(super) fn margin(&self) -> f64 {
        (self.answered() - offset(self.answered(), self.pull)).clamp(-1.0, 1.0)
    }

    /// Whether the two orders favour the same one; `None` when one of them is not there.
    pub(super) fn agreed(&self) -> Option<bool> {
        let side = |margin: f64| Grade::nearest(margin).margin().partial_cmp(&0.0);
        self.forward.zip(self.backward).map(|(forward, backward)| side(forward.margin) == side(-backward.margin))
    }

    pub(super) fn observation(&self) -> Observation {
        let offset = offset(self.answered(), self.pull);
        Observation {
            judge: self.judge,
            a: self.a,
            b: self.b,
            forward: self.forward.map(|verdict| verdict.margin - offset),
            backward: self.backward.map(|verdict| -verdict.margin - offset),
        }
    }
}

/// What to take off a margin of which lengths alone explain `pull`.
fn offset(margin: f64, pull: f64) -> f64 {
    let is_explained = margin * pull > 0.0 && margin.abs() <= explained(pull.abs());
    if is_explained { margin } else { TRUST * pull }
}

/// The most that a judge says because of a preference for length of this size: what it says is rounded to grades.
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

/// The opinions in the verdicts, by judge and pair. Verdicts on what is no candidate, or on one text, count for nothing.
pub(super) fn opinions<'v>(
    field: &Field,
    verdicts: &'v [PairVerdict],
    profiles: &[Option<JudgeProfile>],
) -> Vec<Opinion<'v>> {
    let mut opinions: BTreeMap<(usize, usize, usize), Opinion<'v>> = BTreeMap::new();
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
            Opinion { judge, a, b, forward: None, backward: None, pull }
        });
        *(if first == a { &mut opinion.forward } else { &mut opinion.backward }) = Some(verdict);
    }
    opinions.into_values().collect()
}

/// What a judge's liking for length is taken to be.
fn length_slope(profiles: &[Option<JudgeProfile>], judge: usize) -> f64 {
    profiles.get(judge).and_then(Option::as_ref).map_or(0.0, JudgeProfile::length_offset)
}

/// By entry, how far it is rated above what its judges rate on average, in points; `None` for one that none has rated.
pub(super) fn standings(field: &Field, ratings: &[Rating], profiles: &[Option<JudgeProfile>]) -> Vec<Option<f64>> {
    let judges: std::collections::BTreeSet<u32> = ratings.iter().map(|rating| rating.judge).collect();
    let mut above = vec![Vec::new(); field.len()];
    for judge in judges {
        let slope = usize::try_from(judge).map_or(0.0, |judge| length_slope(profiles, judge));
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
            above[at].push(score - mean);
        }
    }
    let mean = |points: Vec<f64>| (!points.is_empty()).then(|| points.iter().sum::<f64>() / points.len() as f64);
    above.into_iter().map(mean).collect()
}

/// What the ratings of so many judges say of the strengths.
pub(super) fn priors(standings: &[Option<f64>], judges: usize) -> Vec<Option<Prior>> {
    let judges = judges.max(1) as f64;
    let prior = |points: f64| Prior {
        mean: STRENGTH_OF_A_POINT * points,
        precision: RATED_PRECISION * judges,
        spread: STRENGTH_OF_A_POINT * RATING_ERROR / judges.sqrt(),
    };
    standings.iter().map(|points| points.map(prior)).collect()
}

/// The entries that a screen leaves, best first; equal ones as ties are broken.
pub(super) fn shortlist(field: &Field, standings: &[Option<f64>]) -> Vec<usize> {
    let mut rated: Vec<(usize, f64)> = standings
        .iter()
        .enumerate()
        .filter_map(|(at, points)| points.map(|points| (at, (points * 1e9).round())))
        .collect();
    rated.sort_by(|(a, of_a), (b, of_b)| {
        of_b.total_cmp(of_a).then_with(|| compare_ties(field.entries[*a].head(), field.entries[*b].head()))
    });
    rated.into_iter().map(|(at, _)| at).take(SHORTLIST).collect()
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
