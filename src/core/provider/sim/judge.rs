//! A judge with known truth and errors: grades and ratings from a hidden quality, plus biases.
//!
//! The preference for the first candidate is the difference of the hidden qualities, plus biases,
//! plus noise. Grades begin at 0.35 and 1.2, as for the toy judge that the selection protocol was
//! designed against. A rating is 7 plus 1.2 times the quality as that judge sees it, rounded into 1
//! to 10. All criteria have the same grade unless `criteria` differ. Nothing is aggregated here.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::draw::{self, Fingerprint};
use super::strict;
use crate::domain::Grade;
use crate::provider::{JudgeBrief, JudgeQuestion};

/// Preferences of smaller magnitude are a tie.
const TIE_BELOW: f64 = 0.35;
/// Preferences of at least this magnitude are a clear win.
const CLEAR_FROM: f64 = 1.2;
/// The rating of a text of hidden quality 0.
const MIDDLE_RATING: f64 = 7.0;
/// Rating points per unit of quality.
const POINTS: f64 = 1.2;
/// The length in characters that neither raises nor lowers a rating.
const USUAL_LENGTH: f64 = 400.0;

/// How comparisons are judged.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct JudgeScript {
    /// A constant verdict.
    always: Option<Always>,
    /// Added to the margin of the candidate shown first.
    #[serde(deserialize_with = "finite")]
    position_bias: f64,
    /// Multiplies the natural logarithm of the length ratio, first to second.
    #[serde(deserialize_with = "finite")]
    length_bias: f64,
    /// Standard deviation of an error drawn for each request.
    #[serde(deserialize_with = "spread")]
    noise: f64,
    /// Standard deviation of an error drawn for each pair of candidates, in either order.
    #[serde(deserialize_with = "spread")]
    pair_noise: f64,
    /// Standard deviation of a preference for a text, drawn for each text, that is not quality.
    #[serde(deserialize_with = "spread")]
    taste: f64,
    /// Standard deviation of the hidden quality drawn for each text; with 0 only the markers count.
    #[serde(deserialize_with = "quality_spread")]
    quality_spread: QualitySpread,
    /// Added to the hidden quality of texts that contain the key.
    #[serde(deserialize_with = "finite_values")]
    markers: BTreeMap<String, f64>,
    /// Added to the judge's view, not the quality, of texts that contain the key: a family's style.
    #[serde(deserialize_with = "finite_values")]
    favours: BTreeMap<String, f64>,
    /// By criterion, added for texts that contain the key, for that criterion alone.
    criteria: BTreeMap<String, Markers>,
}

/// Maps parts of a text to their value.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
struct Markers(#[serde(deserialize_with = "finite_values")] BTreeMap<String, f64>);

#[derive(Debug, Clone, Copy, PartialEq)]
struct QualitySpread(f64);

impl Default for QualitySpread {
    fn default() -> Self {
        Self(1.0)
    }
}

/// The constant verdict of a broken judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Always {
    First,
    Second,
    Tie,
}

impl JudgeScript {
    /// The true quality of `text`, as an unbiased judge without noise would see it.
    pub(super) fn hidden_quality(&self, seed: u64, text: &str) -> f64 {
        self.quality_spread.0 * draw::normal(seed, "quality", &[xxh3_64(text.as_bytes())]) + worth(&self.markers, text)
    }

    /// Answers as a judge does: a JSON object, reasons first.
    pub(super) fn answer(&self, seed: u64, brief: &JudgeBrief, request: Fingerprint) -> String {
        match &brief.question {
            JudgeQuestion::Compare { a, b } => self.compare(seed, brief, (a, b), request),
            JudgeQuestion::Rate { text } => self.rate(seed, brief, text, request),
        }
    }

    fn compare(&self, seed: u64, brief: &JudgeBrief, (a, b): (&str, &str), request: Fingerprint) -> String {
        let preference = match self.always {
            Some(Always::First) => CLEAR_FROM,
            Some(Always::Second) => -CLEAR_FROM,
            Some(Always::Tie) => 0.0,
            None => self.preference(seed, (a, b), request),
        };
        let mut criteria = Map::new();
        let (mut sum, mut differ) = (0.0, false);
        for (name, weight) in &brief.criteria {
            let more = self.criteria.get(name).map_or(0.0, |own| worth(&own.0, a) - worth(&own.0, b));
            let grade = grade(preference + more);
            differ |= grade != self::grade(preference);
            sum += weight * grade.margin();
            criteria.insert(name.clone(), grade.as_str().into());
        }
        let verdict = if differ { Grade::nearest(sum) } else { grade(preference) };
        let reasons = match verdict {
            Grade::Even => "Neither serves the task better.".to_owned(),
            _ if verdict.margin() > 0.0 => format!("[A] serves the task better, by {preference:.2}."),
            _ => format!("[B] serves the task better, by {:.2}.", -preference),
        };
        json!({"reasons": reasons, "criteria": criteria, "verdict": verdict.as_str()}).to_string()
    }

    fn rate(&self, seed: u64, brief: &JudgeBrief, text: &str, request: Fingerprint) -> String {
        let seen = if self.always.is_some() { 0.0 } else { self.seen(seed, text, request) };
        let criteria: Map<String, Value> = brief
            .criteria
            .iter()
            .map(|(name, _)| {
                let more = self.criteria.get(name).map_or(0.0, |own| worth(&own.0, text));
                let rating = POINTS.mul_add(seen + more, MIDDLE_RATING).round().clamp(1.0, 10.0);
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 10")]
                let rating = rating as u8;
                (name.clone(), rating.into())
            })
            .collect();
        json!({"reasons": format!("It serves the task by {seen:+.2}."), "criteria": criteria}).to_string()
    }

    /// How much the first candidate is preferred.
    fn preference(&self, seed: u64, (a, b): (&str, &str), request: Fingerprint) -> f64 {
        let quality = self.hidden_quality(seed, a) - self.hidden_quality(seed, b);
        let length = |text: &str| (text.chars().count().max(1) as f64).ln();
        let (low, high) = (a.min(b), a.max(b));
        let pair_error = draw::normal(seed, "pair", &[xxh3_64(low.as_bytes()), xxh3_64(high.as_bytes())]);
        let side = match a.cmp(b) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => -1.0,
        };
        quality + self.liking(seed, a) - self.liking(seed, b)
            + self.position_bias
            + self.length_bias * (length(a) - length(b))
            + self.pair_noise * side * pair_error
            + self.noise * draw::normal(seed, "noise", &[request.number()])
    }

    /// The preference for a text beyond its quality.
    fn liking(&self, seed: u64, text: &str) -> f64 {
        worth(&self.favours, text) + self.taste * draw::normal(seed, "taste", &[xxh3_64(text.as_bytes())])
    }

    /// The perceived quality of a text, with half the error variance of a comparison.
    fn seen(&self, seed: u64, text: &str, request: Fingerprint) -> f64 {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let length = text.chars().count().max(1) as f64;
        self.hidden_quality(seed, text)
            + self.liking(seed, text)
            + self.length_bias * (length / USUAL_LENGTH).ln()
            + half * self.pair_noise * draw::normal(seed, "text", &[xxh3_64(text.as_bytes())])
            + half * self.noise * draw::normal(seed, "noise", &[request.number()])
    }
}

/// The sum of the values of all markers in a text.
fn worth(markers: &BTreeMap<String, f64>, text: &str) -> f64 {
    markers.iter().filter(|(mark, _)| text.contains(mark.as_str())).map(|(_, worth)| worth).sum()
}

fn grade(preference: f64) -> Grade {
    match preference {
        p if p >= CLEAR_FROM => Grade::FirstClearly,
        p if p >= TIE_BELOW => Grade::First,
        p if p > -TIE_BELOW => Grade::Even,
        p if p > -CLEAR_FROM => Grade::Second,
        _ => Grade::SecondClearly,
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
    use crate::provider::sim::testing::{judge_request, rate_request};

    fn verdict_of(script: &str, a: &str, b: &str) -> String {
        let judge: JudgeScript = serde_yaml::from_str(script).unwrap();
        let request = judge_request(a, b);
        let Brief::Judge(brief) = &request.brief else { panic!("a judge's request") };
        let answer: serde_json::Value =
            serde_json::from_str(&judge.answer(7, brief, Fingerprint::of(&request, "m"))).unwrap();
        assert_eq!(
            answer.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["reasons", "criteria", "verdict"],
            "reasons come first, the verdict last"
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

    fn rating_of(script: &str, text: &str) -> u64 {
        let judge: JudgeScript = serde_yaml::from_str(script).unwrap();
        let request = rate_request(text);
        let Brief::Judge(brief) = &request.brief else { panic!("a judge's request") };
        let answer: serde_json::Value =
            serde_json::from_str(&judge.answer(7, brief, Fingerprint::of(&request, "m"))).unwrap();
        answer["criteria"]["clarity"].as_u64().unwrap()
    }

    #[test]
    fn ratings_follow_quality_and_biases_within_one_to_ten() {
        let fair = "quality_spread: 0, markers: {gold: 1, lead: -9, sun: 9}";
        let rate = |more: &str, text: &str| rating_of(&format!("{{{fair}{more}}}"), text);
        assert_eq!([rate("", "x"), rate("", "gold"), rate("", "lead"), rate("", "sun")], [7, 8, 1, 10]);
        assert_eq!(rate(", favours: {own: 2}", "own"), 9);
        assert_eq!(rate(", length_bias: 1", &"long ".repeat(160)), 8);
        assert_eq!(rate(", criteria: {clarity: {terse: 2}}", "terse"), 9);
        let spread: std::collections::BTreeSet<u64> = (0..60).map(|n| rating_of("{}", &format!("t{n}"))).collect();
        assert!(spread.len() >= 5 && spread.contains(&7), "{spread:?}");
    }

    #[test]
    fn a_criterion_may_have_marks_of_its_own_and_favour_is_no_quality() {
        let script = "{quality_spread: 0, favours: {own: 0.5}, criteria: {clarity: {plain: 2}}}";
        assert_eq!(verdict_of(script, "own", "x"), "A>B");
        assert_eq!(verdict_of(script, "x", "plain"), "B>>A");
        let judge: JudgeScript = serde_yaml::from_str(script).unwrap();
        assert!(judge.hidden_quality(7, "own plain").abs() < f64::EPSILON);
    }

    #[test]
    fn taste_sticks_to_a_text_and_is_no_quality() {
        let script = "{quality_spread: 0, taste: 1}";
        let judge: JudgeScript = serde_yaml::from_str(script).unwrap();
        let (mut liked, mut disliked) = (0, 0);
        for n in 0..40 {
            let (a, b) = (format!("text {n}"), format!("another {n}"));
            assert_eq!(verdict_of(script, &a, &b), mirrored(&verdict_of(script, &b, &a)));
            assert!(judge.hidden_quality(7, &a).abs() < f64::EPSILON);
            // A text rated well above another is preferred: both questions share the liking.
            match (rating_of(script, &a), rating_of(script, &b)) {
                (x, y) if x >= y + 2 => {
                    liked += 1;
                    assert!(verdict_of(script, &a, &b).starts_with("A>"));
                }
                (x, y) if y >= x + 2 => {
                    disliked += 1;
                    assert!(verdict_of(script, &a, &b).starts_with("B>"));
                }
                _ => {}
            }
        }
        assert!(liked > 3 && disliked > 3, "{liked} {disliked}");
        assert!(serde_yaml::from_str::<JudgeScript>("{taste: -1}").is_err());
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
