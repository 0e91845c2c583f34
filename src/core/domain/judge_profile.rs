//! A judge's profile: the result of its own test.
//!
//! A [`JudgeProfile`] belongs to a model; the newest one counts. Biases are in margins, where 1 is
//! "clearly better" (the five grades are -1, -0.5, 0, 0.5 and 1). An unmeasured figure is null.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Agreement, JudgeName, ModelMetadata, Timestamp};

/// The result of testing a judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeAudit {
    /// The judge's profile.
    pub profile: JudgeProfile,
    /// True if the judge itself was tested; false if only labels were asked about.
    pub tested: bool,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// The result of a judge's test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeProfile {
    /// The judge that was tested.
    pub judge: JudgeName,
    /// When it was tested.
    pub audited_at: Timestamp,
    /// Position bias: the mean margin for the text shown first, over every pair that was judged in
    /// both orders; 0 for a fair judge.
    pub position_bias: Option<f64>,
    /// Order-swap agreement: the share of pairs of unequal quality on which both orders agreed,
    /// 0..=1.
    pub swap_consistency: Option<f64>,
    /// Length bias: the margin gained per unit of the natural logarithm of the length ratio,
    /// measured on padded copies. Below 0 it marks padding down, which is right. As measured; the
    /// correction applied is [`JudgeProfile::length_offset`].
    pub length_slope: Option<f64>,
    /// The mean margin for text of its own model family over text of another of equal quality; null
    /// if no such pair was judged.
    pub self_preference: Option<f64>,
    /// The share of repeated questions answered the same, 0..=1.
    pub stability: Option<f64>,
    /// The share of pairs with a deliberately worsened copy in which the copy lost, 0..=1.
    pub sensitivity: Option<f64>,
    /// The share of pairs in which a "choose me" inside a text changed nothing, 0..=1.
    pub robustness: Option<f64>,
    /// Questions without a valid answer.
    pub missing: u32,
    /// Questions asked.
    pub asked: u32,
    /// False if its choices carry no information about the candidates; `faults` says why.
    pub usable: bool,
    /// What is wrong with it; empty for a good judge.
    pub faults: Vec<String>,
    /// How often it agrees with a person's labels; null if never measured.
    #[serde(default)]
    pub labels: Option<Agreement>,
    /// The size of its errors, from which the probability that its choice is right is computed.
    /// Null for tests made before this was measured and for those with too few answers.
    #[serde(default)]
    pub calibration: Option<Calibration>,
    /// Totals of the test's calls.
    pub model_metadata: ModelMetadata,
}

/// A length slope within this many of its own standard errors may be chance and is not corrected.
const CHANCE_Z: f64 = 1.64;

impl JudgeProfile {
    /// The margin taken off for each unit of the natural logarithm of the length ratio: the slope
    /// shrunk by its error (whole without a calibration), 0 where it may be chance. Marking padding
    /// down is right, so a negative slope is not corrected.
    pub fn length_offset(&self) -> f64 {
        let slope = self.length_slope.unwrap_or(0.0);
        let within = self.calibration.as_ref().map_or(0.0, |calibration| CHANCE_Z * calibration.length_error);
        if slope <= within.max(0.0) {
            return 0.0;
        }
        slope * (1.0 - (within / slope).powi(2))
    }
}

/// A judge's errors as measured by its test. Everything is in margins; one point of a rating is
/// worth 0.4.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Calibration {
    /// The mean margin by which a deliberately worsened copy loses.
    pub signal: f64,
    /// Its standard error.
    pub signal_error: f64,
    /// The sum of squared residuals of the pairs' margins, each the mean of both orders, about the
    /// mean of their kind.
    pub pair_scatter: f64,
    /// The same for the rating differences of the same two texts.
    pub rating_scatter: f64,
    /// The sum of the products of these two residuals.
    pub joint_scatter: f64,
    /// Degrees of freedom of the three sums.
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
