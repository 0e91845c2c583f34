//! The error model of judges: weighted hypotheses under which the strengths are fitted.
//!
//! A judge perceives a candidate's worth plus its own taste. Its margin for a pair is the
//! difference of what it perceives plus an error of the pair; a rating has its own error. A
//! [`ErrorHypothesis`] has the variances of these four, in squared margins. For an untested judge most
//! of the weight is on hypotheses with almost no worth in the verdicts, so one clear pair that
//! agrees in both orders gives only 0.6; how its margins scatter by position reveals random
//! answers. A tested judge has the hypotheses that its [`Calibration`] makes likely, narrowed
//! further by people's labels.

use super::evidence::TRUST;
use crate::domain::{Calibration, JudgeProfile, LabelledMargin};

/// One hypothesis about a judge: its variances, and its prior weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ErrorHypothesis {
    pub(super) weight: f64,
    /// The variance of the candidates' worth.
    pub(super) worth: f64,
    /// The variance of what the judge likes in a text besides its worth.
    pub(super) taste: f64,
    /// The error variance of a pair's mean margin.
    pub(super) pair: f64,
    /// The error variance of a rating.
    pub(super) rating: f64,
    /// The variance of the remaining length preference per unit of log length.
    pub(super) length: f64,
    /// The variance of the position bias between pairs, in which random answers scatter as much as
    /// in all else. 0 if nothing is to be concluded from it.
    pub(super) scatter: f64,
}

/// The error model of a panel as a whole.
#[derive(Debug, Clone)]
pub(super) struct ErrorModel {
    pub(super) possibilities: Vec<ErrorHypothesis>,
    /// The weight of each judge; they add up to 1.
    pub(super) weights: Vec<f64>,
    /// True if every judge was tested, so that the gain of further questions can be estimated.
    pub(super) is_known: bool,
}

/// Shares of worth in an untested judge's margins, with prior weights.
const SHARES_OF_WORTH: [(f64, f64); 5] = [(0.004, 14.0), (0.15, 1.2), (0.35, 1.0), (0.6, 0.8), (0.85, 0.3)];
/// From this share of worth on a judge is informative.
const SEEING: f64 = 0.05;
/// Shares of taste in the remaining variance.
const SHARES_OF_TASTE: [f64; 3] = [0.0, 0.4, 0.8];
/// The prior odds of no taste against each other share, for an uninformative judge.
const CHANCE_WITHOUT_WORTH: f64 = 2.0;
/// The variance of the position bias between pairs for a judge that does not answer at random.
const STEADY: f64 = 0.06;
/// Variances of mean margins between candidates, with prior weights.
const VARIANCES: [(f64, f64); 4] = [(0.12, 1.0), (0.25, 2.0), (0.5, 2.0), (0.9, 1.0)];
/// Error variances of ratings, relative to half the variance of pairs.
const RATING_SHARES: [f64; 4] = [0.08, 0.25, 0.8, 2.5];
/// The standard deviation of the length preference of a judge that was not tested for it.
const UNKNOWN_LENGTH: f64 = 0.1;
/// The least variance that a judge with five grades and ten points can have.
const LEAST: f64 = 0.01;

/// The standard deviations of perceived worth that are considered for a tested judge.
const WORTHS: [f64; 7] = [0.005, 0.08, 0.16, 0.25, 0.35, 0.5, 0.7];
const TASTES: [f64; 7] = [0.0004, 0.01, 0.03, 0.06, 0.12, 0.25, 0.5];
/// The median spread of candidates relative to the signal of the audit, and its log spread.
const SPREAD_OF_CANDIDATES: (f64, f64) = (0.8, 0.42);
/// The mean and the spread of a sound judge's signal in the audit, in margins.
const USUAL_SIGNAL: (f64, f64) = (0.6, 0.3);
/// The prior probability that a judge perceives nothing.
const BLIND: f64 = 0.43;
/// The discount on the scatter of an audit, because its pairs share texts.
const INDEPENDENT: f64 = 0.8;
/// The most hypotheses that are kept.
const MOST: usize = 240;
/// The share of their errors that the judges of a panel have in common.
const SHARED: f64 = 0.5;
/// The weight of an untested judge in a panel: that of a signal of 0.4 with a usual error.
const UNTESTED_SIGNAL: f64 = 0.4;
const USUAL_ERROR: f64 = 0.35;

impl ErrorModel {
    /// The error model of these judges together.
    pub(super) fn of(profiles: &[Option<JudgeProfile>], judges: usize) -> Self {
        let profile = |at: usize| profiles.get(at).and_then(Option::as_ref);
        let calibration = |at: usize| profile(at).and_then(|profile| profile.calibration.as_ref());
        let mut weights: Vec<f64> = (0..judges).map(|at| calibration(at).map_or_else(untested, reliability)).collect();
        let total: f64 = weights.iter().sum();
        if total > 0.0 {
            for weight in &mut weights {
                *weight /= total;
            }
        } else {
            weights.fill(1.0 / judges.max(1) as f64);
        }
        // Modelled on the judge with the largest weight, with smaller errors for more judges.
        let first = (0..judges).max_by(|a, b| weights[*a].total_cmp(&weights[*b]).then(b.cmp(a)));
        let labels = first.and_then(profile).and_then(|profile| profile.labels.as_ref());
        let labels = labels.map_or(&[][..], |labels| &labels.observations);
        let mut possibilities = first.and_then(calibration).map_or_else(unknown, tested);
        let offset = first.and_then(profile).map_or(0.0, JudgeProfile::length_offset);
        for possibility in &mut possibilities {
            possibility.weight *= labelled(labels, possibility);
            if offset > 0.0 {
                possibility.length += ((1.0 - TRUST) * offset).powi(2);
            } else {
                possibility.length = possibility.length.min(UNKNOWN_LENGTH * UNKNOWN_LENGTH);
            }
        }
        let mut possibilities = likeliest(possibilities);
        let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
        let shrink = if judges > 1 { squares + SHARED * (1.0 - squares) } else { 1.0 };
        for possibility in &mut possibilities {
            possibility.taste *= shrink;
            possibility.pair = (possibility.pair * shrink).max(LEAST);
            possibility.rating = (possibility.rating * shrink).max(LEAST);
        }
        let is_known = judges > 0 && (0..judges).all(|at| calibration(at).is_some());
        Self { possibilities, weights, is_known }
    }
}

fn untested() -> f64 {
    UNTESTED_SIGNAL / USUAL_ERROR
}

/// The ratio of a judge's signal to its error.
fn reliability(known: &Calibration) -> f64 {
    let error = if known.degrees > 0.0 { known.pair_scatter / known.degrees } else { USUAL_ERROR };
    (known.signal - known.signal_error).max(0.0) / error.max(LEAST)
}

fn unknown() -> Vec<ErrorHypothesis> {
    let mut all = Vec::new();
    for (worth, of_worth) in SHARES_OF_WORTH {
        for taste in SHARES_OF_TASTE {
            for (variance, of_variance) in VARIANCES {
                for rating in RATING_SHARES {
                    let rest = (1.0 - worth) * variance;
                    let is_chance = worth < SEEING && taste == 0.0;
                    all.push(ErrorHypothesis {
                        weight: of_worth * of_variance * if is_chance { CHANCE_WITHOUT_WORTH } else { 1.0 },
                        worth: worth * variance / 2.0,
                        taste: (rest * taste / 2.0).max(LEAST * LEAST),
                        pair: (rest * (1.0 - taste)).max(LEAST),
                        rating: rating * variance / 2.0 + LEAST,
                        length: UNKNOWN_LENGTH * UNKNOWN_LENGTH,
                        // For two unrelated answers the half sum and half difference vary alike.
                        scatter: if is_chance { variance } else { STEADY },
                    });
                }
            }
        }
    }
    all
}

/// `count` numbers from `low` to `high` in geometric progression.
fn steps(low: f64, high: f64, count: i32) -> impl Iterator<Item = f64> {
    (0..count).map(move |at| low * (high / low).powf(f64::from(at) / f64::from(count - 1)))
}

fn tested(known: &Calibration) -> Vec<ErrorHypothesis> {
    let degrees = known.degrees * INDEPENDENT;
    let mut errors = Vec::new();
    for taste in TASTES {
        for pair in steps(0.02, 1.2, 9) {
            for rating in steps(0.01, 0.6, 6) {
                // The residuals of a pair's margin and of its ratings share the taste.
                let (of_pair, of_rating, joint) = (2.0 * taste + pair, 2.0 * (taste + rating), 2.0 * taste);
                let determinant = of_pair * of_rating - joint * joint;
                let trace =
                    of_rating * known.pair_scatter - 2.0 * joint * known.joint_scatter + of_pair * known.rating_scatter;
                let likelihood = -0.5 * (degrees * determinant.ln() + INDEPENDENT * trace / determinant);
                errors.push((likelihood, taste, pair, rating));
            }
        }
    }
    let most = errors.iter().map(|error| error.0).fold(f64::NEG_INFINITY, f64::max);
    errors.retain(|error| error.0 > most - 4.0);
    let blind = blind(known);
    let length = known.length_error * known.length_error;
    let mut all = Vec::with_capacity(errors.len() * WORTHS.len());
    for (at, worth) in WORTHS.into_iter().enumerate() {
        let seeing = seeing(known, worth) * (1.0 - blind);
        let prior = if at == 0 { seeing + blind } else { seeing };
        for (likelihood, taste, pair, rating) in &errors {
            all.push(ErrorHypothesis {
                weight: prior * (likelihood - most).exp(),
                worth: worth * worth,
                taste: *taste,
                pair: *pair,
                rating: *rating,
                length,
                scatter: 0.0,
            });
        }
    }
    all
}

/// The probability that a judge with this signal perceives nothing at all.
fn blind(known: &Calibration) -> f64 {
    let density = |from: f64, spread: f64| (-0.5 * ((known.signal - from) / spread).powi(2)).exp() / spread;
    let error = known.signal_error.max(LEAST);
    let nothing = BLIND * density(0.0, error);
    let something = (1.0 - BLIND) * density(USUAL_SIGNAL.0, USUAL_SIGNAL.1.hypot(error));
    if nothing + something > 0.0 { nothing / (nothing + something) } else { 0.0 }
}

/// The weight of one of [`WORTHS`] for a judge that perceives something, averaged over its signal.
fn seeing(known: &Calibration, worth: f64) -> f64 {
    let error = known.signal_error.max(LEAST);
    let (of_usual, of_known) = (USUAL_SIGNAL.1.powi(-2), error.powi(-2));
    let mean = (USUAL_SIGNAL.0 * of_usual + known.signal * of_known) / (of_usual + of_known);
    let spread = (of_usual + of_known).sqrt().recip();
    let points = (-4..=4).map(|at| f64::from(at) / 2.0);
    let (mut sum, mut total) = (0.0, 0.0);
    for z in points {
        let signal = (mean + z * spread).max(0.02);
        let density = |worth: f64| {
            let z = (worth / (SPREAD_OF_CANDIDATES.0 * signal)).ln() / SPREAD_OF_CANDIDATES.1;
            (-0.5 * z * z).exp()
        };
        let all: f64 = WORTHS.into_iter().map(density).sum();
        let weight = (-0.5 * z * z).exp();
        if all > 0.0 {
            sum += weight * density(worth) / all;
        }
        total += weight;
    }
    sum / total
}

/// The likelihood of people's labels for pairs with these margins under a hypothesis.
fn labelled(labels: &[LabelledMargin], possibility: &ErrorHypothesis) -> f64 {
    let of_worth = 2.0 * possibility.worth;
    let all = of_worth + 2.0 * possibility.taste + possibility.pair;
    let spread = (of_worth * (1.0 - of_worth / all)).max(1e-9).sqrt();
    let chance = |margin: f64| super::strength::normal_share(margin * of_worth / all / spread).clamp(0.02, 0.98);
    let likelihood = labels.iter().map(|label| match label.choice {
        0 => 0.0,
        choice => chance(label.margin * f64::from(choice)).ln(),
    });
    likelihood.sum::<f64>().exp()
}

/// The hypotheses with the largest weights, normalised to add up to 1.
fn likeliest(mut all: Vec<ErrorHypothesis>) -> Vec<ErrorHypothesis> {
    all.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    all.truncate(MOST);
    let total: f64 = all.iter().map(|possibility| possibility.weight).sum();
    if total > 0.0 {
        for possibility in &mut all {
            possibility.weight /= total;
        }
    }
    all
}

#[cfg(test)]
#[path = "errors_tests.rs"]
mod tests;
