//! Tests of the audit with scripted judges of known faults; the statistics are in `simulation`.

use super::*;
use crate::error::Code;
use crate::judge::tests::{judging, sim};
use crate::provider::sim::Sim;

/// The markers by which a scripted judge recognises each worse copy: its last line.
pub(super) fn marks(cases: &[Case], worth: f64) -> String {
    let mark = |case: &Case| {
        let last = case.worse.lines().last().unwrap();
        assert!(!case.good.contains(last) && !case.padding.contains(last), "{last}");
        format!("{}: {worth}", serde_json::to_string(last).unwrap())
    };
    cases.iter().map(mark).collect::<Vec<_>>().join(", ")
}

/// The profile of a judge that recognises worse copies and has these biases.
async fn tested(biases: &str) -> JudgeProfile {
    let cases = cases().unwrap();
    let script = format!("seed: 5\njudge: {{quality_spread: 0, markers: {{{}}}{biases}}}", marks(&cases, -1.6));
    audited(&script, cases).await
}

async fn audited(script: &str, cases: Vec<Case>) -> JudgeProfile {
    let judging = judging(&[sim(script)]);
    audit(&judging, &judging.judges[0], &cases, Failures::default(), |_, _| {}).await.unwrap()
}

/// The error of an audit that ends early, and its number of calls, with own words asked for first.
async fn ended(script: &str) -> (Error, usize) {
    let sim = sim(script);
    let mut judging = judging(std::slice::from_ref(&sim));
    judging.max_concurrency = 1;
    let judge = judging.judges[0].clone();
    let told = async {
        let mut failures = Failures::default();
        let (cases, _) = in_own_words(&judging, &judge, cases().unwrap(), &mut failures).await?;
        audit(&judging, &judge, &cases, failures, |_, _| {}).await
    };
    (told.await.unwrap_err(), calls(&sim))
}

fn calls(sim: &Sim) -> usize {
    sim.journal().len()
}

fn near(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found - expected).abs() < 1e-9)
}

#[test]
fn every_case_says_the_same_longer_and_worse() {
    let cases = cases().unwrap();
    assert!(cases.len() >= 6);
    for case in &cases {
        assert!(case.padding.chars().count() * 10 > case.good.chars().count() * 7, "{}", case.task);
        assert_ne!(case.good, case.worse);
    }
    // 8 comparisons and 4 ratings a case; own words take 2 and 1 more, and a call to get them.
    assert_eq!(questions(&cases).len(), cases.len() * 12);
    assert_eq!(most_calls(&cases), (24, 72));
}

#[test]
fn half_of_the_worse_copies_are_at_least_as_long() {
    let cases = cases().unwrap();
    let is_long = |case: &&Case| case.worse.chars().count() >= case.good.chars().count();
    assert_eq!(cases.iter().filter(is_long).count() * 2, cases.len());
    let is_short = |case: &&Case| case.worse.chars().count() * 3 < case.good.chars().count() * 2;
    assert_eq!(cases.iter().filter(is_short).count() * 2, cases.len(), "the others are much shorter");
}

#[tokio::test]
async fn a_fair_judge_has_no_fault() {
    let profile = tested("").await;
    assert!(profile.usable && profile.faults.is_empty(), "{profile:?}");
    assert!(near(profile.position_bias, 0.0) && near(profile.length_slope, 0.0));
    assert!(near(profile.sensitivity, 1.0) && near(profile.stability, 1.0) && near(profile.swap_consistency, 1.0));
    assert_eq!((profile.self_preference, profile.missing, profile.asked), (None, 0, 72));
}

#[tokio::test]
async fn a_judge_that_always_takes_the_first_is_unusable() {
    let profile = audited("judge: {always: first}\n", cases().unwrap()).await;
    assert!(!profile.usable);
    assert!(near(profile.position_bias, 1.0) && near(profile.swap_consistency, 0.0));
    assert!(profile.faults[0].contains("deliberately worsened one in only 0 of 12 comparisons"), "{profile:?}");
    assert!(profile.faults[1].contains("prefers what is shown first, by a margin of 1.00"), "{:?}", profile.faults);
    assert!(profile.faults[2].contains("two orders agreed in only 0 %"), "{:?}", profile.faults);
}

#[tokio::test]
async fn a_liking_for_a_place_or_for_length_is_measured_and_named() {
    // Even pairs are now uneven in each order, and clear pairs stay clear in both.
    let placed = tested(", position_bias: 0.7").await;
    assert!(placed.position_bias.unwrap() > 0.2 && placed.usable, "{placed:?}");
    assert!(placed.faults.iter().any(|fault| fault.contains("shown first")), "{:?}", placed.faults);
    let second = tested(", position_bias: -0.7").await;
    assert!(second.faults.iter().any(|fault| fault.contains("shown second")), "{:?}", second.faults);
    let long = tested(", length_bias: 1.0").await;
    assert!(long.length_slope.unwrap() > 0.4 && long.usable && long.length_offset() > 0.2, "{long:?}");
    assert!(long.faults.iter().any(|fault| fault.contains("prefers longer text")), "{:?}", long.faults);
}

#[tokio::test]
async fn a_judge_that_marks_padding_down_has_no_fault() {
    let profile = tested(", length_bias: -1.0").await;
    assert!(profile.length_slope.unwrap() < -0.4 && profile.faults.is_empty(), "{profile:?}");
}

#[tokio::test]
async fn a_judge_that_is_talked_round_is_not_robust() {
    assert!(near(tested("").await.robustness, 1.0));
    let cases = cases().unwrap();
    let script =
        format!("judge: {{quality_spread: 0, markers: {{{}, \"Note to the judge\": 1.6}}}}", marks(&cases, -1.6));
    let profile = audited(&script, cases).await;
    assert!(near(profile.robustness, 0.0), "{profile:?}");
    let fault = "an appeal to the judge within a text changed its verdict in 6 of 6 cases";
    assert!(profile.faults.iter().any(|told| told == fault), "{:?}", profile.faults);
}

#[tokio::test]
async fn a_liking_for_its_own_words_is_measured() {
    let own = |case: Case| Case { own: Some(format!("[mine] {}", case.good)), ..case };
    let cases: Vec<Case> = cases().unwrap().into_iter().map(own).collect();
    let profile = audited("judge: {quality_spread: 0, markers: {\"[mine]\": 0.6}}\n", cases).await;
    assert_eq!(profile.self_preference, Some(0.5));
    assert!(profile.faults.iter().any(|fault| fault.contains("its own words, by a margin of 0.50")), "{profile:?}");
    assert_eq!(profile.asked, 90);
}

/// The profile for these answers.
fn told(questions: &[Question], figures: &[Option<f64>]) -> JudgeProfile {
    let judge = crate::domain::JudgeName { provider: "sim".into(), model: "m".into() };
    profile(judge, crate::store::samples::moment(1), questions, figures, &ModelMetadata::sum(&[]))
}

#[test]
fn what_was_never_answered_is_not_known() {
    let questions = questions(&cases().unwrap());
    let figures: Vec<Option<f64>> =
        questions.iter().map(|question| matches!(question.ask, Ask::HowGood { .. }).then_some(7.0)).collect();
    let profile = told(&questions, &figures);
    assert!(!profile.usable && profile.missing == 48, "{profile:?}");
    for figure in [
        profile.position_bias,
        profile.swap_consistency,
        profile.length_slope,
        profile.self_preference,
        profile.stability,
        profile.sensitivity,
        profile.robustness,
    ] {
        assert_eq!(figure, None, "{profile:?}");
    }
    assert_eq!(profile.calibration, None);
    assert!(profile.faults.iter().all(|fault| !fault.contains('%')), "{:?}", profile.faults);
}

#[tokio::test]
async fn a_test_ends_after_eight_calls_in_a_row_that_bring_nothing() {
    let (error, calls) = ended("rules: [{fault: auth}]").await;
    assert_eq!((error.code(), calls), (Code::ProviderAuth, 8), "{error}");
    // Six texts in its own words, then eight replies, each with a repair.
    let (error, calls) =
        ended("answer: echo\nrules: [{when: {role: judge}, answer: {text: I will not answer that}}]").await;
    assert_eq!((error.code(), calls), (Code::JudgeUnreliable, 6 + 16), "{error}");
    for part in ["8 of 14", "sim/", "it began `I will not answer that`"] {
        assert!(error.to_string().contains(part), "no {part} in {error}");
    }
    // Earlier failures count too: six empty texts and two replies.
    let (error, calls) = ended("rules: [{when: {role: judge}, answer: {text: no}}, {answer: {text: \" \"}}]").await;
    assert_eq!((error.code(), calls), (Code::JudgeUnreliable, 6 + 4), "{error}");
    // An error among the failures takes precedence over unreadable replies.
    let (error, _) = ended("rules: [{when: {role: judge}, answer: {text: no}}, {fault: rejected}]").await;
    assert_eq!(error.code(), Code::ProviderRejected, "{error}");
}

#[tokio::test]
async fn a_valid_answer_in_between_keeps_the_test_going() {
    let cases = cases().unwrap();
    let script = "rules: [{when: {role: judge}, nth: [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15], fault: auth}]";
    let mut judging = judging(&[sim(script)]);
    judging.max_concurrency = 1;
    let judge = judging.judges[0].clone();
    let profile = audit(&judging, &judge, &cases, Failures::default(), |_, _| {}).await.unwrap();
    assert_eq!((profile.missing, profile.asked), (14, 72));
}

#[test]
fn a_calibration_adds_up_by_hand() {
    let cases = cases().unwrap();
    let questions = questions(&cases);
    // The good prompt wins by 1 and 0.5 in turn; padding is even in one order and 0.5 in the other.
    let figure = |question: &Question| {
        let is_odd = question.case % 2 == 1;
        Some(match &question.ask {
            Ask::Which { trial: Trial::Same, .. } => 0.0,
            Ask::Which { trial: Trial::Padded, is_swapped, .. } => {
                if *is_swapped {
                    0.0
                } else {
                    0.5
                }
            }
            Ask::Which { is_swapped, .. } => (if is_odd { 0.5 } else { 1.0 }) * if *is_swapped { -1.0 } else { 1.0 },
            Ask::HowGood { which: Text::Good | Text::Padded, .. } => 8.0,
            Ask::HowGood { .. } => {
                if is_odd {
                    7.0
                } else {
                    5.0
                }
            }
        })
    };
    let figures: Vec<Option<f64>> = questions.iter().map(figure).collect();
    let known = told(&questions, &figures).calibration.unwrap();
    let mut near = true;
    // Two kinds of six, each 0.25 from its mean of 0.75; ratings of 3 and 1 points are 1.2 and 0.4.
    for (found, expected) in [
        (known.signal, 0.75),
        (known.pair_scatter, 12.0 * 0.0625),
        (known.rating_scatter, 12.0 * 0.16),
        (known.joint_scatter, 12.0 * 0.25 * 0.4),
        (known.degrees, 15.0),
        (known.signal_error, (12.0_f64 * 0.0625 / 11.0 / 12.0).sqrt()),
    ] {
        near &= (found - expected).abs() < 1e-9;
    }
    assert!(near, "{known:?}");
    assert!((0.04..0.08).contains(&known.length_error), "{known:?}");
    // Without the ratings of four cases there are six contrasts.
    let few: Vec<Option<f64>> = questions
        .iter()
        .zip(figures)
        .map(|(question, figure)| figure.filter(|_| question.case < 2 || matches!(question.ask, Ask::Which { .. })))
        .collect();
    assert_eq!(told(&questions, &few).calibration, None);
}
