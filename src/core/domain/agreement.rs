//! How often a judge agrees with a person, measured on pairs that the person labelled.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ModelMetadata, Timestamp};

/// How a judge's verdicts compare with a person's choices. All intervals are 90 % Wilson score intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agreement {
    /// When the judge was asked.
    pub asked_at: Timestamp,
    /// Labelled pairs with a valid answer in both orders.
    pub pairs: u32,
    /// Labelled pairs without a valid answer in both orders.
    pub missing: u32,
    /// The share of the pairs in which judge and person agree, 0..=1. If only one of them sees no
    /// difference, the pair counts half.
    pub agreement: f64,
    /// The interval of `agreement`.
    pub interval: [f64; 2],
    /// The share of pairs that would get the same of the three labels (first, second, no difference) by chance.
    pub expected_by_chance: f64,
    /// Cohen's kappa over the three labels: 0 is chance, 1 is perfect; null if both always gave the
    /// same single label.
    pub kappa: Option<f64>,
    /// Its standard error for large samples (Fleiss, Cohen and Everitt 1969).
    pub kappa_error: Option<f64>,
    /// The calibration: at a margin `m` the person prefers the first text with probability
    /// 1 / (1 + exp(-slope m)).
    pub slope: f64,
    /// Its standard error.
    pub slope_error: f64,
    /// Agreement by the size of the margin, smallest first; only bins with pairs.
    pub bins: Vec<AgreementBin>,
    /// The observations that all of this is computed from.
    pub observations: Vec<LabelledMargin>,
    /// Totals of the calls.
    pub model_metadata: ModelMetadata,
}

/// The pairs whose margin is within a range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgreementBin {
    /// The absolute margin is above this; the first bin has the margins that are 0.
    pub from: f64,
    /// And at most this.
    pub to: f64,
    /// How many pairs.
    pub pairs: u32,
    /// The share of them in which judge and person agree, counted as for all pairs.
    pub agreed: f64,
    /// The interval of `agreed`.
    pub interval: [f64; 2],
    /// The mean probability, by the calibration, that the person agrees with the judge; null for
    /// margins that are 0.
    pub expected: Option<f64>,
}

/// A judge's margin and a person's choice for one pair.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabelledMargin {
    /// The mean over both orders, -1..=1, positive for the first text.
    pub margin: f64,
    /// 1: the person prefers the first text, -1: the second, 0: neither.
    pub choice: i8,
}
