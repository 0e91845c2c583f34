//! A judge's profile: the result of its own test.
//!
//! A [`JudgeProfile`] belongs to a model; the newest one counts. Biases are in margins, where 1 is
//! "clearly better" (the five grades are -1, -0.5, 0, 0.5 and 1). An unmeasured figure is null.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Agreement, JudgeName, ModelMetadata, Timestamp};

/// What came of testing a judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeAudit {
    /// What the judge is like.
    pub profile: JudgeProfile,
    /// True when the judge was put to its own test; false when only labels were asked about.
    pub tested: bool,
    /// What the user should know of it.
    pub warnings: Vec<String>,
}

/// The outcome of a judge's test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeProfile {
    /// Who was tested.
    pub judge: JudgeName,
    /// When.
    pub audited_at: Timestamp,
    /// The mean margin for what is shown first, over every pair that was asked about in both orders: 0 for a fair judge.
    pub position_bias: Option<f64>,
    /// The share of the pairs that differ in worth for which both orders agreed, 0..=1.
    pub swap_consistency: Option<f64>,
    /// The margin that a text gains for each unit of the natural logarithm of the ratio of lengths, from padded copies;
    /// below 0 it marks padding down, which is right. As measured: [`JudgeProfile::length_offset`] is what is taken off.
    pub length_slope: Option<f64>,
    /// The mean margin for its own family's text over another's of equal quality; null when there was none to show it.
    pub self_preference: Option<f64>,
    /// The share of repeated questions that were answered the same, 0..=1.
    pub stability: Option<f64>,
    /// The share of pairs with a copy made worse on purpose in which the copy lost, 0..=1.
    pub sensitivity: Option<f64>,
    /// The share of pairs in which a "choose me" within a text changed nothing, 0..=1.
    pub robustness: Option<f64>,
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

/// A length slope within this many of its own standard errors may be chance and is not corrected.
const CHANCE: f64 = 1.64;

impl JudgeProfile {
    /// The margin taken off for each unit of the natural logarithm of the length ratio: the slope
    /// shrunk by its error (whole without a calibration), 0 where it may be chance. Marking padding
    /// down is right, so a negative slope is not corrected.
    pub fn length_offset(&self) -> f64 {
        let slope = self.length_slope.unwrap_or(0.0);
        let within = self.calibration.as_ref().map_or(0.0, |calibration| CHANCE * calibration.length_error);
        if slope <= within.max(0.0) {
            return 0.0;
        }
        slope * (1.0 - (within / slope).powi(2))
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn profile(length_slope: Option<f64>, length_error: Option<f64>) -> JudgeProfile {
        let calibration = length_error.map(|length_error| {
            json!({
                "signal": 0.8, "signal_error": 0.1, "pair_scatter": 1.0, "rating_scatter": 1.0, "joint_scatter": 0.5,
                "degrees": 20.0, "length_error": length_error
            })
        });
        serde_json::from_value(json!({
            "judge": { "provider": "lab", "model": "m" }, "audited_at": "2026-11-18T10:00:00Z", "position_bias": null,
            "swap_consistency": null, "length_slope": length_slope, "self_preference": null, "stability": null,
            "sensitivity": null, "robustness": null, "missing": 96, "asked": 96, "usable": false, "faults": [],
            "calibration": calibration, "model_metadata": ModelMetadata::sum(&[])
        }))
        .unwrap()
    }

    #[test]
    fn the_length_slope_is_shrunken_by_its_error() {
        let near = |slope, error, expected: f64| {
            let offset = profile(slope, error).length_offset();
            assert!((offset - expected).abs() < 1e-9, "{slope:?} {error:?}: {offset}");
        };
        near(None, Some(0.1), 0.0);
        near(None, None, 0.0);
        near(Some(0.4), None, 0.4);
        near(Some(-0.4), None, 0.0);
        near(Some(-0.4), Some(0.1), 0.0);
        near(Some(0.16), Some(0.1), 0.0);
        near(Some(0.164), Some(0.1), 0.0);
        // Twice the chance limit leaves three quarters.
        near(Some(0.328), Some(0.1), 0.246);
        near(Some(0.4), Some(0.0), 0.4);
    }

    #[test]
    fn profiles_of_before_are_read_and_what_is_not_known_is_null() {
        let old = json!({
            "judge": { "provider": "lab", "model": "m" }, "audited_at": "2026-11-18T10:00:00Z", "position_bias": 0.0,
            "swap_consistency": 1.0, "length_slope": 0.25, "self_preference": null, "stability": 1.0, "sensitivity": 0.5,
            "robustness": 0.0, "missing": 0, "asked": 48, "usable": true, "faults": [],
            "model_metadata": ModelMetadata::sum(&[])
        });
        let old: JudgeProfile = serde_json::from_value(old).unwrap();
        assert_eq!((old.position_bias, old.length_slope, old.calibration), (Some(0.0), Some(0.25), None));
        let unknown = serde_json::to_value(profile(None, None)).unwrap();
        for field in ["position_bias", "swap_consistency", "length_slope", "stability", "sensitivity", "robustness"] {
            assert!(unknown[field].is_null(), "{field}");
            let schema = serde_json::to_value(schemars::schema_for!(JudgeProfile)).unwrap();
            assert!(schema["properties"][field]["type"].to_string().contains("null"), "{field}");
        }
    }
}
