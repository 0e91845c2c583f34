//! The embedded judge: compares two prompts by fixed rules and says so. It understands neither of them.
//!
//! A criterion that has the name of a [`Measure`] is weighed by it, the same that the ranking uses, with the task as
//! the request; all others (the persona, for one) it cannot weigh, and names. The verdict follows from the difference
//! of the weighted means: up to [`EVEN`] none, up to [`CLEAR`] a slight one, above it a clear one. Exchanging the
//! candidates exchanges the verdict, so it favours no position; equal texts are even.

use serde_json::json;

use super::super::JudgeBrief;
use crate::text::measure::{Demands, Measure, Reader, Reading};

/// Up to this difference of the weighted means the candidates are even.
pub const EVEN: f64 = 0.02;

/// Up to this difference one of them is slightly better.
pub const CLEAR: f64 = 0.10;

/// Differences of one measure below this are not told.
const WORTH_TELLING: f64 = 0.01;

/// The most lost demands that are named.
const MOST_NAMED: usize = 5;

/// A measure, its weight, and both candidates' values.
struct Weighed {
    measure: Measure,
    weight: f64,
    a: f64,
    b: f64,
}

/// The verdict on two candidates as the judge's JSON object, with the reasons in words.
pub fn verdict(brief: &JudgeBrief) -> String {
    let mut reader = Reader::new();
    let demands = Demands::of(&brief.task, &mut reader);
    let (a, b) = (reader.read(&brief.a), reader.read(&brief.b));
    let (mut weighed, mut unweighed) = (Vec::new(), Vec::new());
    for (name, weight) in &brief.criteria {
        match Measure::ALL.into_iter().find(|measure| measure.as_str() == name) {
            Some(measure) => {
                let (a, b) = (measure.of(&a, &demands), measure.of(&b, &demands));
                weighed.push(Weighed { measure, weight: *weight, a, b });
            }
            None => unweighed.push(name.as_str()),
        }
    }
    let total: f64 = weighed.iter().map(|one| one.weight).sum();
    let difference: f64 = weighed.iter().map(|one| one.weight * (one.a - one.b)).sum();
    let difference = if total > 0.0 { difference / total } else { 0.0 };
    let reasons = reasons(&weighed, &unweighed, &lost(&demands, &a, &b));
    json!({ "reasons": reasons, "verdict": grade(difference) }).to_string()
}

fn grade(difference: f64) -> &'static str {
    match difference {
        d if d > CLEAR => "A>>B",
        d if d > EVEN => "A>B",
        d if d < -CLEAR => "B>>A",
        d if d < -EVEN => "B>A",
        _ => "=",
    }
}

/// What one candidate loses of the task and the other keeps, in words.
fn lost(demands: &Demands, a: &Reading, b: &Reading) -> String {
    let (missing_a, missing_b) = (demands.missing(a), demands.missing(b));
    let only = |own: &[String], other: &[String]| -> Vec<String> {
        own.iter().filter(|what| !other.contains(what)).take(MOST_NAMED).map(|what| format!("`{what}`")).collect()
    };
    let parts: Vec<String> = [("A", only(&missing_a, &missing_b)), ("B", only(&missing_b, &missing_a))]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(label, names)| format!("{label} loses {}", names.join(", ")))
        .collect();
    parts.join("; ")
}

fn reasons(weighed: &[Weighed], unweighed: &[&str], lost: &str) -> String {
    let mut told: Vec<String> = weighed
        .iter()
        .filter(|one| (one.a - one.b).abs() >= WORTH_TELLING)
        .map(|one| format!("{} {:.2} for A and {:.2} for B", one.measure.as_str(), one.a, one.b))
        .collect();
    if told.is_empty() {
        told.push("nothing it measures tells A from B".to_owned());
    }
    if !lost.is_empty() {
        told.push(lost.to_owned());
    }
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
            a: a.to_owned(),
            b: b.to_owned(),
            criteria: criteria.map(|(name, weight)| (name.to_owned(), weight)).to_vec(),
        }
    }

    fn answer(brief: &JudgeBrief) -> (String, String) {
        let answer: Value = serde_json::from_str(&verdict(brief)).unwrap();
        let text = |key: &str| answer[key].as_str().unwrap().to_owned();
        (text("reasons"), text("verdict"))
    }

    const GOOD: &str = "# Task\nWrite a Python function that finds the primes up to 1000.\n# Constraints\n- no libraries\n\
        - without imports\n- handle 0\n# Output\nOne code block.";

    #[test]
    fn what_keeps_the_task_is_clearly_better_and_the_reasons_say_why() {
        let (reasons, verdict) = answer(&brief(GOOD, "Write something about some numbers."));
        assert_eq!(verdict, "A>>B");
        assert!(reasons.contains("Heuristics of builtin") && reasons.contains("B loses `1000`"), "{reasons}");
        assert!(reasons.contains("coverage 1.00 for A") && reasons.contains("not weighed: persona"), "{reasons}");
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
        let terse = "Write a Python function that finds primes up to 1000, without libraries.";
        let mut brief = brief(GOOD, terse);
        brief.criteria = vec![("structure".to_owned(), 1.0)];
        assert_eq!(answer(&brief).1, "A>>B");
        brief.criteria = vec![("concision".to_owned(), 1.0)];
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
