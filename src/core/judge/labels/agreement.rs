//! The statistics of labelled pairs: agreement, Cohen's kappa, reliability by bins, calibration. Pure.

use crate::domain::{Agreement, AgreementBin, LabelledMargin, ModelMetadata, Timestamp};

/// The normal quantile of a two-sided 90 % interval.
const Z90: f64 = 1.644_853_626_951_472_2;

/// The upper ends of the bins; margins are at most 1. The first bin is for margins of 0.
const BIN_ENDS: [f64; 6] = [0.0, 0.125, 0.25, 0.5, 0.75, 1.0];

/// The standard deviation of the normal prior of the slope. At two of these a margin of 0.5 is
/// practically certain, so it only matters for few pairs, or if every choice follows the judge.
const SLOPE_PRIOR: f64 = 5.0;

/// The most Newton steps for the slope; from 0 it converges in far fewer.
const MOST_STEPS: usize = 100;

/// The agreement of these observations; `None` without any. `missing` pairs had no valid answer.
pub fn agreement(
    asked_at: Timestamp,
    observations: Vec<LabelledMargin>,
    missing: u32,
    model_metadata: ModelMetadata,
) -> Option<Agreement> {
    if observations.is_empty() {
        return None;
    }
    let agreed: f64 = observations.iter().map(credit).sum();
    let pairs = observations.len() as f64;
    let (slope, slope_error) = slope(&observations);
    let Kappa { expected, value: kappa, error } = kappa(&observations);
    Some(Agreement {
        asked_at,
        pairs: count(observations.len()),
        missing,
        agreement: agreed / pairs,
        interval: wilson(agreed, pairs),
        expected_by_chance: expected,
        kappa,
        kappa_error: error,
        slope,
        slope_error,
        bins: bins(&observations, slope),
        observations,
        model_metadata,
    })
}

/// The sign of a margin: 1, 0 or -1. A mean of weighted grades is rarely exactly 0.
pub(super) fn sign(margin: f64) -> i8 {
    if margin > 1e-9 {
        1
    } else if margin < -1e-9 {
        -1
    } else {
        0
    }
}

/// 1 if judge and person agree, 0 if they disagree, 0.5 if just one sees no difference.
fn credit(observation: &LabelledMargin) -> f64 {
    match (sign(observation.margin) - observation.choice).abs() {
        0 => 1.0,
        1 => 0.5,
        _ => 0.0,
    }
}

/// The 90 % Wilson score interval of `agreed` out of `pairs`, which is above 0.
fn wilson(agreed: f64, pairs: f64) -> [f64; 2] {
    let share = agreed / pairs;
    let squared = Z90 * Z90;
    let centre = (share + squared / (2.0 * pairs)) / (1.0 + squared / pairs);
    let half = Z90 / (1.0 + squared / pairs)
        * (share * (1.0 - share) / pairs + squared / (4.0 * pairs * pairs)).max(0.0).sqrt();
    // Rounding must not exclude the share.
    [(centre - half).clamp(0.0, share), (centre + half).clamp(share, 1.0)]
}

struct Kappa {
    expected: f64,
    value: Option<f64>,
    error: Option<f64>,
}

/// Cohen's kappa with the large-sample standard error of Fleiss, Cohen and Everitt, Psychological Bulletin 72 (1969).
fn kappa(observations: &[LabelledMargin]) -> Kappa {
    let mut cells = [[0.0; 3]; 3];
    let pairs = observations.len() as f64;
    for observation in observations {
        cells[class(sign(observation.margin))][class(observation.choice)] += 1.0 / pairs;
    }
    let judge: [f64; 3] = std::array::from_fn(|at| cells[at].iter().sum());
    let person: [f64; 3] = std::array::from_fn(|at| cells.iter().map(|row| row[at]).sum());
    let same: f64 = (0..3).map(|at| cells[at][at]).sum();
    let expected: f64 = (0..3).map(|at| judge[at] * person[at]).sum();
    let unexpected = 1.0 - expected;
    if unexpected < 1e-9 {
        return Kappa { expected, value: None, error: None };
    }
    let mut variance = -(same * expected - 2.0 * expected + same).powi(2);
    for (row, shares) in cells.iter().enumerate() {
        for (column, share) in shares.iter().enumerate() {
            variance += share
                * if row == column {
                    (unexpected - (judge[row] + person[row]) * (1.0 - same)).powi(2)
                } else {
                    ((1.0 - same) * (person[row] + judge[column])).powi(2)
                };
        }
    }
    let error = (variance.max(0.0) / pairs).sqrt() / (unexpected * unexpected);
    Kappa { expected, value: Some((same - expected) / unexpected), error: Some(error) }
}

/// The index of a label in a table.
fn class(label: i8) -> usize {
    match label {
        0 => 1,
        label if label > 0 => 0,
        _ => 2,
    }
}

/// The maximum a posteriori slope `k` of P(first) = logistic(k m), and its standard error. "No
/// difference" counts as half a choice for either side.
fn slope(observations: &[LabelledMargin]) -> (f64, f64) {
    let mut slope = 0.0;
    let mut curvature = 0.0;
    for _ in 0..MOST_STEPS {
        let mut gradient = -slope / (SLOPE_PRIOR * SLOPE_PRIOR);
        curvature = 1.0 / (SLOPE_PRIOR * SLOPE_PRIOR);
        for LabelledMargin { margin, choice } in observations {
            let chance = logistic(slope * margin);
            gradient += margin * (f64::midpoint(1.0, f64::from(*choice)) - chance);
            curvature += margin * margin * chance * (1.0 - chance);
        }
        // The curvature only decreases away from 0, so a step never overshoots.
        let step = gradient / curvature;
        slope += step;
        if step.abs() < 1e-10 {
            break;
        }
    }
    (slope, curvature.sqrt().recip())
}

fn logistic(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

fn bins(observations: &[LabelledMargin], slope: f64) -> Vec<AgreementBin> {
    let bin = |at: usize| {
        let within: Vec<&LabelledMargin> = observations.iter().filter(|one| bin_of(one.margin) == at).collect();
        if within.is_empty() {
            return None;
        }
        let pairs = within.len() as f64;
        let agreed: f64 = within.iter().map(|one| credit(one)).sum();
        let expected: f64 = within.iter().map(|one| logistic(slope * one.margin.abs())).sum();
        Some(AgreementBin {
            from: BIN_ENDS[at.saturating_sub(1)],
            to: BIN_ENDS[at],
            pairs: count(within.len()),
            agreed: agreed / pairs,
            interval: wilson(agreed, pairs),
            expected: (at > 0).then_some(expected / pairs),
        })
    };
    (0..BIN_ENDS.len()).filter_map(bin).collect()
}

/// The bin that a margin belongs to.
fn bin_of(margin: f64) -> usize {
    // Rounding can put a mean of weighted grades just beyond an end.
    let size = margin.abs() - 1e-9;
    BIN_ENDS.iter().position(|end| size <= *end).unwrap_or(BIN_ENDS.len() - 1)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
