//! What a judge is known to be like: the outcome of its own test.
//!
//! A [`JudgeProfile`] belongs to a model; the newest one counts. Biases are in units of a margin, where 1 is "clearly
//! better" (the five grades are -1, -0.5, 0, 0.5 and 1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Agreement, JudgeName, ModelMetadata, Timestamp};

/// The outcome of a judge's test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeProfile {
    /// Who was tested.
    pub judge: JudgeName,
    /// When.
    pub audited_at: Timestamp,
    /// The mean margin for what is shown first, when both candidates are the same: 0 for a fair judge.
    pub position_bias: f64,
    /// The share of pairs for which both orders agreed, 0..=1.
    pub swap_consistency: f64,
    /// The margin that a text gains for each unit of the natural logarithm of the ratio of lengths, from padded copies;
    /// below 0 it marks padding down, which is right.
    pub length_slope: f64,
    /// The mean margin for its own family's text over another's of equal quality; null when there was none to show it.
    pub self_preference: Option<f64>,
    /// The share of repeated questions that were answered the same, 0..=1.
    pub stability: f64,
    /// The share of pairs with a copy made worse on purpose in which the copy lost, 0..=1.
    pub sensitivity: f64,
    /// The share of pairs in which a "choose me" within a text changed nothing, 0..=1.
    pub robustness: f64,
    /// Questions without a valid answer.
    pub missing: u32,
    /// Questions asked.
    pub asked: u32,
    /// False when its choices say nothing about the candidates; then `faults` says why.
    pub usable: bool,
    /// What is wrong with it, in words; empty for a good judge.
    pub faults: Vec<String>,
    /// How often it agrees with a person's labels; null when it was never asked about any.
    #[serde(default)]
    pub labels: Option<Agreement>,
    /// How far it errs, for the chance that a choice of its own is right; null for a test made before this was measured,
    /// and for one with too few answers.
    #[serde(default)]
    pub calibration: Option<Calibration>,
    /// The calls of the test added up.
    pub model_metadata: ModelMetadata,
}

/// What a judge's test says of its errors. Everything is in margins; a point of a rating is worth 0.4 of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Calibration {
    /// The mean margin by which a copy made worse on purpose loses.
    pub signal: f64,
    /// Its standard error.
    pub signal_error: f64,
    /// The sum of the squared residuals of the margins of pairs, each the mean of both orders, about the mean of their kind.
    pub pair_scatter: f64,
    /// The same of the differences of the ratings of the same two texts.
    pub rating_scatter: f64,
    /// The sum of the products of the two residuals.
    pub joint_scatter: f64,
    /// Degrees of freedom of the three.
    pub degrees: f64,
    /// The standard error of `length_slope`.
    pub length_error: f64,
}
