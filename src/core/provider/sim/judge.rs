//! A judge whose truth and whose faults are known: graded verdicts from a hidden quality, with biases to order.
//!
//! The margin of the first candidate over the second is the difference of their hidden qualities, plus the biases,
//! plus noise. Verdicts are cut from the margin at 0.35 and 1.2, the thresholds of the toy judge that the
//! selection protocol was designed against. Nothing here aggregates anything: that is the judge use-case.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de};
use serde_json::json;
use xxhash_rust::xxh3::xxh3_64;

use super::draw::{self, Fingerprint};
use super::strict;
use crate::provider::JudgeBrief;

/// Margins below this are a tie, of either sign.
const TIE_BELOW: f64 = 0.35;
/// Margins from this on are a clear win.
const CLEAR_FROM: f64 = 1.2;

/// How comparisons are judged.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct JudgeScript {
    /// The same verdict whatever is compared.
    always: Option<Always>,
    /// Added to the margin of whatever is shown first.
    #[serde(deserialize_with = "finite")]
    position_bias: f64,
    /// Times the natural logarithm of the ratio of lengths, first to second.
    #[serde(deserialize_with = "finite")]
    length_bias: f64,
    /// Standard deviation of an error that each request makes anew.
    #[serde(deserialize_with = "spread")]
    noise: f64,
    /// Standard deviation of an error that sticks to the two candidates, in either order.
    #[serde(deserialize_with = "spread")]
    pair_noise: f64,
    /// Standard deviation of the hidden quality drawn for each text; 0 leaves the markers alone.
    #[serde(deserialize_with = "quality_spread")]
    quality_spread: QualitySpread,
    /// Added to the hidden quality of each text that contains the key.
    #[serde(deserialize_with = "finite_values")]
    markers: BTreeMap<String, f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct QualitySpread(f64);

impl Default for QualitySpread {
    fn default() -> Self {
        Self(1.0)
    }
}

/// Whom a broken judge prefers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Always {
    First,
    Second,
    Tie,
}

impl JudgeScript {
    /// How good `text` really is: what an unbiased judge without noise would go by.
    pub(super) fn hidden_quality(&self, seed: u64, text: &str) -> f64 {
        let drawn = self.quality_spread.0 * draw::normal(seed, "quality", &[xxh3_64(text.as_bytes())]);
        let marked: f64 =
            self.markers.iter().filter(|(mark, _)| text.contains(mark.as_str())).map(|(_, worth)| worth).sum();
        drawn + marked
    }

    /// The verdict as a judge answers it: a JSON object, reasons first.
    pub(super) fn answer(&self, seed: u64, brief: &JudgeBrief, request: Fingerprint) -> String {
        let margin = match self.always {
            Some(Always::First) => CLEAR_FROM,
            Some(Always::Second) => -CLEAR_FROM,
            Some(Always::Tie) => 0.0,
            None => self.margin(seed, brief, request),
        };
        let verdict = verdict(margin);
        let reasons = match verdict {
            "=" => "Neither serves the task better.".to_owned(),
            _ if margin > 0.0 => format!("The first serves the task better, by {margin:.2}."),
            _ => format!("The second serves the task better, by {:.2}.", -margin),
        };
        json!({"reasons": reasons, "verdict": verdict}).to_string()
    }

    /// By how much the first candidate is preferred.
    fn margin(&self, seed: u64, brief: &JudgeBrief, request: Fingerprint) -> f64 {
        let (a, b) = (brief.a.as_str(), brief.b.as_str());
        let quality = self.hidden_quality(seed, a) - self.hidden_quality(seed, b);
        let length = |text: &str| (text.chars().count().max(1) as f64).ln();
        let (low, high) = (a.min(b), a.max(b));
        let pair_error = draw::normal(seed, "pair", &[xxh3_64(low.as_bytes()), xxh3_64(high.as_bytes())]);
        let side = match a.cmp(b) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => -1.0,
        };
        quality
            + self.position_bias
            + self.length_bias * (length(a) - length(b))
            + self.pair_noise * side * pair_error
            + self.noise * draw::normal(seed, "noise", &[request.number()])
    }
}

fn verdict(margin: f64) -> &'static str {
    match margin {
        m if m >= CLEAR_FROM => "A>>B",
        m if m >= TIE_BELOW => "A>B",
        m if m > -TIE_BELOW => "=",
        m if m > -CLEAR_FROM => "B>A",
        _ => "B>>A",
    }
}

fn finite<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    strict::number(deserializer, |number| {
        if number.is_finite() { Ok(number) } else { Err(format!("{number}, expected a finite number")) }
    })
}

fn finite_values<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, f64>, D::Error> {
    let values = BTreeMap::<String, f64>::deserialize(deserializer)?;
    match values.iter().find(|(_, worth)| !worth.is_finite()) {
        None => Ok(values),
        Some((mark, worth)) => Err(de::Error::custom(format!("`{mark}` is worth {worth}, expected a finite number"))),
    }
}

fn spread<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    strict::number(deserializer, |number| {
        if number >= 0.0 && number.is_finite() { Ok(number) } else { Err(format!("{number}, expected 0 or more")) }
    })
}

fn quality_spread<'de, D: Deserializer<'de>>(deserializer: D) -> Result<QualitySpread, D::Error> {
    spread(deserializer).map(QualitySpread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Brief;
    use crate::provider::sim::testing::judge_request;

    fn verdict_of(script: &str, a: &str, b: &str) -> String {
        let judge: JudgeScript = serde_yaml::from_str(script).unwrap();
        let request = judge_request(a, b);
        let Brief::Judge(brief) = &request.brief else { panic!("a judge's request") };
        let answer: serde_json::Value =
            serde_json::from_str(&judge.answer(7, brief, Fingerprint::of(&request, "m"))).unwrap();
        assert_eq!(
            answer.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["reasons", "verdict"],
            "reasons come first"
        );
        answer["verdict"].as_str().unwrap().to_owned()
    }

    fn mirrored(verdict: &str) -> &'static str {
        match verdict {
            "A>>B" => "B>>A",
            "A>B" => "B>A",
            "=" => "=",
            "B>A" => "A>B",
            "B>>A" => "A>>B",
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_fair_judge_says_the_same_in_both_orders_and_ties_what_is_equal() {
        for n in 0..40 {
            let (a, b) = (format!("text {n}"), format!("another {n}"));
            for script in ["{}", "{pair_noise: 0.6}", "{length_bias: 0.5}"] {
                assert_eq!(verdict_of(script, &a, &b), mirrored(&verdict_of(script, &b, &a)), "{script}");
            }
            assert_eq!(verdict_of("{pair_noise: 2}", &a, &a), "=");
        }
    }

    #[test]
    fn every_verdict_occurs() {
        let all: std::collections::BTreeSet<String> =
            (0..100).map(|n| verdict_of("{}", &format!("x{n}"), &format!("y{n}"))).collect();
        assert_eq!(all.len(), 5, "{all:?}");
    }

    #[test]
    fn biases_bend_the_verdict_their_way() {
        let fair = "quality_spread: 0";
        assert_eq!(verdict_of(&format!("{{{fair}}}"), "a", "b"), "=");
        assert_eq!(verdict_of(&format!("{{{fair}, position_bias: 0.5}}"), "a", "b"), "A>B");
        assert_eq!(verdict_of(&format!("{{{fair}, position_bias: -2}}"), "a", "b"), "B>>A");
        assert_eq!(verdict_of(&format!("{{{fair}, length_bias: 1}}"), "a", &"b".repeat(10)), "B>>A");
        assert_eq!(verdict_of(&format!("{{{fair}, markers: {{gold: 0.5, lead: -1}}}}"), "gold", "lead"), "A>>B");
    }

    #[test]
    fn a_stuck_judge_prefers_what_it_is_told() {
        for (always, verdict) in [("first", "A>>B"), ("second", "B>>A"), ("tie", "=")] {
            assert_eq!(verdict_of(&format!("{{always: {always}, markers: {{x: 9}}}}"), "x", "y"), verdict);
        }
    }

    #[test]
    fn noise_differs_between_requests_and_not_between_repeats() {
        let script = "{quality_spread: 0, noise: 2}";
        let verdicts: Vec<String> = (0..20).map(|n| verdict_of(script, &format!("a{n}"), "b")).collect();
        assert!(verdicts.iter().any(|verdict| verdict != &verdicts[0]));
        assert_eq!(verdicts[3], verdict_of(script, "a3", "b"));
    }

    #[test]
    fn spreads_that_make_no_sense_are_refused() {
        for script in ["{noise: -1}", "{position_bias: .inf}", "{always: maybe}", "{bias: 1}", "{markers: {x: .nan}}"] {
            assert!(serde_yaml::from_str::<JudgeScript>(script).is_err(), "{script}");
        }
    }
}
