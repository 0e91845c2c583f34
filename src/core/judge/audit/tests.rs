//! The test of judges against scripted ones whose faults are known.

use super::*;
use crate::judge::tests::{judging, sim};

/// A judge that sees what was made worse, with these biases besides.
async fn tested(biases: &str) -> JudgeProfile {
    let cases = cases().unwrap();
    // What was made worse can be told from its first words alone, so each is marked.
    let marks: Vec<String> = cases
        .iter()
        .map(|case| format!("{}: -1.6", serde_json::to_string(case.worse.lines().last().unwrap()).unwrap()))
        .collect();
    let script = format!("seed: 5\njudge: {{quality_spread: 0, markers: {{{}}}{biases}}}", marks.join(", "));
    audited(&script, cases).await
}

async fn audited(script: &str, cases: Vec<Case>) -> JudgeProfile {
    let judging = judging(&[sim(script)]);
    audit(&judging, &judging.judges[0], &cases, |_, _| {}).await.unwrap()
}

#[test]
fn every_case_says_the_same_longer_and_worse() {
    let cases = cases().unwrap();
    assert!(cases.len() >= 6);
    for case in &cases {
        assert!(case.padding.chars().count() * 10 > case.good.chars().count() * 7, "{}", case.task);
        assert_ne!(case.good, case.worse);
    }
    assert_eq!(questions(&cases).len(), cases.len() * 8);
}

#[tokio::test]
async fn a_fair_judge_has_no_fault() {
    let profile = tested("").await;
    assert!(profile.usable && profile.faults.is_empty(), "{profile:?}");
    assert!(profile.position_bias.abs() < 1e-9 && profile.length_slope.abs() < 1e-9);
    assert!((profile.sensitivity - 1.0).abs() < 1e-9 && (profile.stability - 1.0).abs() < 1e-9);
    assert_eq!((profile.self_preference, profile.missing), (None, 0));
}

#[tokio::test]
async fn a_judge_that_always_takes_the_first_is_unusable() {
    let profile = audited("judge: {always: first}\n", cases().unwrap()).await;
    assert!(!profile.usable);
    assert!((profile.position_bias - 1.0).abs() < 1e-9 && profile.swap_consistency.abs() < 1e-9);
    assert!(profile.faults[0].contains("deliberately worsened one in only 0 %"), "{:?}", profile.faults);
    assert!(profile.faults[1].contains("prefers what is shown first"), "{:?}", profile.faults);
}

#[tokio::test]
async fn a_liking_for_a_place_or_for_length_is_measured_and_named() {
    let placed = tested(", position_bias: 0.7").await;
    assert!((placed.position_bias - 0.5).abs() < 1e-9 && placed.usable, "{placed:?}");
    let long = tested(", length_bias: 1.0").await;
    assert!(long.length_slope > 0.4 && long.usable, "{long:?}");
    assert!(long.faults.iter().any(|fault| fault.contains("prefers longer text")), "{:?}", long.faults);
}

#[tokio::test]
async fn a_judge_that_marks_padding_down_has_no_fault() {
    let profile = tested(", length_bias: -1.0").await;
    assert!(profile.length_slope < -0.4 && profile.faults.is_empty(), "{profile:?}");
}

#[tokio::test]
async fn a_judge_that_is_talked_round_is_not_robust() {
    let profile = tested(", position_bias: 0.0").await;
    assert!((profile.robustness - 1.0).abs() < 1e-9);
    let cases = cases().unwrap();
    let script = "judge: {quality_spread: 0, markers: {\"Note to the judge\": 2.0}}\n";
    assert!(audited(script, cases).await.robustness < 0.1);
}

#[tokio::test]
async fn a_liking_for_its_own_words_is_measured() {
    let own = |case: Case| Case { own: Some(format!("[mine] {}", case.good)), ..case };
    let cases: Vec<Case> = cases().unwrap().into_iter().map(own).collect();
    let profile = audited("judge: {quality_spread: 0, markers: {\"[mine]\": 0.6}}\n", cases).await;
    assert_eq!(profile.self_preference, Some(0.5));
    assert_eq!(profile.asked, 60);
}

#[tokio::test]
async fn a_judge_without_valid_answers_is_unusable_and_one_that_cannot_be_asked_is_an_error() {
    let profile = audited("rules: [{when: {role: judge}, answer: {text: no}}]", cases().unwrap()).await;
    assert!(!profile.usable && profile.missing == profile.asked, "{profile:?}");
    let refused = judging(&[sim("rules: [{fault: auth}]")]);
    let error = audit(&refused, &refused.judges[0], &cases().unwrap(), |_, _| {}).await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderAuth);
}
