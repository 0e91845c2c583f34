//! The embedded judge: compares two prompts, or rates one, by fixed rules. It understands neither.
//!
//! A criterion named like a [`Measure`] is judged by it, with the task as the request, as in the
//! ranking. It cannot judge others, such as the persona, and says so: they are even, or rated
//! [`UNKNOWN_RATING`]. A grade follows from the difference of the measures: up to [`EVEN`] none, up
//! to [`CLEAR`] a slight one, above it a clear one. The verdict is the grade nearest to the
//! weighted sum; a rating is 1 plus nine times the measure, rounded. Swapping candidates swaps the
//! grades: there is no position bias.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::{JudgeBrief, JudgeQuestion};
use crate::domain::Grade;
use crate::text::measure::{Demands, Measure, PromptReading, Reader};

/// Up to this difference of a measure, the candidates are even.
pub const EVEN: f64 = 0.02;

/// Up to this difference of a measure, one of them is slightly better.
pub const CLEAR: f64 = 0.10;

/// The rating for a criterion it cannot judge: the middle.
pub const UNKNOWN_RATING: u8 = 5;

/// Differences of a measure below this are not reported.
const MIN_REPORTED_DIFFERENCE: f64 = 0.01;

/// The maximum number of lost demands that are listed.
const MOST_NAMED: usize = 5;

/// Answers a question with the judge's JSON object, reasons included.
pub fn answer(brief: &JudgeBrief) -> String {
    let mut reader = Reader::new();
    let demands = Demands::of(&brief.task, &[], 0, &mut reader);
    match &brief.question {
        JudgeQuestion::Compare { a, b } => {
            compare(brief, &demands, &demands.read(a, &mut reader), &demands.read(b, &mut reader))
        }
        JudgeQuestion::Rate { text } => rate(brief, &demands, &demands.read(text, &mut reader)),
    }
}

fn measure_named(name: &str) -> Option<Measure> {
    Measure::ALL.into_iter().find(|measure| measure.as_str() == name)
}

fn unweighed(brief: &JudgeBrief) -> Vec<&str> {
    brief.criteria.iter().map(|(name, _)| name.as_str()).filter(|name| measure_named(name).is_none()).collect()
}

fn compare(brief: &JudgeBrief, demands: &Demands, a: &PromptReading, b: &PromptReading) -> String {
    let mut told = Vec::new();
    let mut grades = BTreeMap::new();
    for (name, weight) in &brief.criteria {
        let both = measure_named(name).and_then(|measure| measure.of(a, demands).zip(measure.of(b, demands)));
        let grade = both.map_or(Grade::Even, |(of_a, of_b)| {
            if (of_a - of_b).abs() >= MIN_REPORTED_DIFFERENCE {
                told.push(format!("{name} {of_a:.2} for [A] and {of_b:.2} for [B]"));
            }
            grade(of_a - of_b)
        });
        grades.insert(name.as_str(), (grade, *weight));
    }
    if told.is_empty() {
        told.push("nothing it measures tells [A] from [B]".to_owned());
    }
    told.extend(Some(lost(demands, a, b)).filter(|lost| !lost.is_empty()));
    let margin: f64 = grades.values().map(|(grade, weight)| weight * grade.margin()).sum();
    let criteria: Map<String, Value> =
        brief.criteria.iter().map(|(name, _)| (name.clone(), grades[name.as_str()].0.as_str().into())).collect();
    let verdict = Grade::nearest(margin).as_str();
    json!({ "reasons": reasons(told, &unweighed(brief)), "criteria": criteria, "verdict": verdict }).to_string()
}

fn grade(difference: f64) -> Grade {
    match difference {
        d if d > CLEAR => Grade::FirstClearly,
        d if d > EVEN => Grade::First,
        d if d < -CLEAR => Grade::SecondClearly,
        d if d < -EVEN => Grade::Second,
        _ => Grade::Even,
    }
}

fn rate(brief: &JudgeBrief, demands: &Demands, written: &PromptReading) -> String {
    let mut told = Vec::new();
    let mut ratings = Map::new();
    for (name, _) in &brief.criteria {
        let value = measure_named(name).and_then(|measure| measure.of(written, demands));
        let rating = value.map_or(UNKNOWN_RATING, |value| {
            told.push(format!("{name} {value:.2}"));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 10")]
            let rating = 9.0_f64.mul_add(value.clamp(0.0, 1.0), 1.0).round() as u8;
            rating
        });
        ratings.insert(name.clone(), rating.into());
    }
    let missing = demands.missing(written);
    if !missing.is_empty() {
        let names: Vec<String> = missing.iter().take(MOST_NAMED).map(|what| format!("`{what}`")).collect();
        told.push(format!("it loses {}", names.join(", ")));
    }
    if told.is_empty() {
        told.push("nothing in it can be measured".to_owned());
    }
    json!({ "reasons": reasons(told, &unweighed(brief)), "criteria": ratings }).to_string()
}

/// Describes what one candidate loses of the task and the other keeps.
fn lost(demands: &Demands, a: &PromptReading, b: &PromptReading) -> String {
    let (missing_a, missing_b) = (demands.missing(a), demands.missing(b));
    let only = |own: &[String], other: &[String]| -> Vec<String> {
        own.iter().filter(|what| !other.contains(what)).take(MOST_NAMED).map(|what| format!("`{what}`")).collect()
    };
    let parts: Vec<String> = [("[A]", only(&missing_a, &missing_b)), ("[B]", only(&missing_b, &missing_a))]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(label, names)| format!("{label} loses {}", names.join(", ")))
        .collect();
    parts.join("; ")
}

fn reasons(mut told: Vec<String>, unweighed: &[&str]) -> String {
    if !unweighed.is_empty() {
        told.push(format!("not weighed: {}", unweighed.join(", ")));
    }
    format!("Heuristics of builtin, fixed rules without understanding: {}.", told.join("; "))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn brief(a: &str, b: &str) -> JudgeBrief {
        let criteria = [("coverage", 0.5), ("clarity", 0.2), ("structure", 0.1), ("concision", 0.1), ("persona", 0.1)];
        JudgeBrief {
            task: "Write a Python function that finds primes up to 1000, without libraries".to_owned(),
            persona: "code".to_owned(),
            criteria: criteria.map(|(name, weight)| (name.to_owned(), weight)).to_vec(),
            question: JudgeQuestion::Compare { a: a.to_owned(), b: b.to_owned() },
        }
    }

    fn answer(brief: &JudgeBrief) -> (String, String) {
        let answer: Value = serde_json::from_str(&super::answer(brief)).unwrap();
        let text = |key: &str| answer[key].as_str().unwrap().to_owned();
        (text("reasons"), text("verdict"))
    }

    const GOOD: &str = "# Task\nWrite a Python function that finds the primes up to 1000.\n# Constraints\n- no libraries\n\
        - without imports\n- handle 0\n# Output\nOne code block.";

    #[test]
    fn what_keeps_the_task_is_clearly_better_and_the_reasons_say_why() {
        let (reasons, verdict) = answer(&brief(GOOD, "Write something about some numbers."));
        assert_eq!(verdict, "A>>B");
        assert!(reasons.contains("Heuristics of builtin") && reasons.contains("[B] loses `1000`"), "{reasons}");
        assert!(reasons.contains("coverage 1.00 for [A]") && reasons.contains("not weighed: persona"), "{reasons}");
    }

    #[test]
    fn each_criterion_has_a_grade_of_its_own_and_the_verdict_is_their_sum_by_weight() {
        let brief = brief(GOOD, "Write something about some numbers.");
        let answer: Value = serde_json::from_str(&super::answer(&brief)).unwrap();
        let margin = |grade: &Value| serde_json::from_value::<Grade>(grade.clone()).unwrap().margin();
        let sum: f64 = brief.criteria.iter().map(|(name, weight)| weight * margin(&answer["criteria"][name])).sum();
        assert_eq!(answer["criteria"].as_object().unwrap().len(), 5);
        assert_eq!((&answer["criteria"]["coverage"], &answer["criteria"]["persona"]), (&"A>>B".into(), &"=".into()));
        assert_eq!(answer["verdict"], Grade::nearest(sum).as_str());
    }

    #[test]
    fn a_rating_follows_the_measures_and_names_what_it_cannot_judge() {
        let rated = |text: &str| -> Value {
            let question = JudgeQuestion::Rate { text: text.to_owned() };
            serde_json::from_str(&super::answer(&JudgeBrief { question, ..brief("", "") })).unwrap()
        };
        let (good, poor) = (rated(GOOD), rated("Write something about some numbers."));
        assert_eq!((&good["criteria"]["coverage"], &good["criteria"]["persona"]), (&10.into(), &UNKNOWN_RATING.into()));
        assert!(poor["criteria"]["coverage"].as_u64().unwrap() < 6);
        let reasons = poor["reasons"].as_str().unwrap();
        assert!(reasons.contains("it loses `1000`") && reasons.contains("not weighed: persona"), "{reasons}");
    }

    #[test]
    fn criteria_it_cannot_weigh_decide_nothing() {
        let mut brief = brief(GOOD, "x");
        brief.criteria = vec![("beauty".to_owned(), 1.0)];
        let (reasons, verdict) = answer(&brief);
        assert_eq!(verdict, "=");
        assert!(reasons.contains("not weighed: beauty"), "{reasons}");
    }

    #[test]
    fn the_weights_count() {
        let faulty = "# Task\n# Output\nWrite a Python function that finds primes up to 1000, without libraries.\n```";
        let mut brief = brief(GOOD, faulty);
        brief.criteria = vec![("structure".to_owned(), 1.0)];
        assert_eq!(answer(&brief).1, "A>>B");
        brief.criteria = vec![("coverage".to_owned(), 1.0)];
        assert_eq!(answer(&brief).1, "=");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn exchanging_the_candidates_exchanges_the_verdict(a in "(Write|Use) [a-z ]{0,40}[.]\n[- a-z0-9]{0,40}", b in "\\PC{0,60}") {
            let (forward, backward) = (answer(&brief(&a, &b)).1, answer(&brief(&b, &a)).1);
            let expected = match forward.as_str() {
                "A>>B" => "B>>A",
                "A>B" => "B>A",
                "B>A" => "A>B",
                "B>>A" => "A>>B",
                other => other,
            };
            prop_assert_eq!(backward, expected);
        }

        #[test]
        fn equal_texts_are_even(text in "\\PC{0,80}") {
            prop_assert_eq!(answer(&brief(&text, &text)).1, "=");
        }
    }
}
