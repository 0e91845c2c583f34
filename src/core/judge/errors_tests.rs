//! Tests of the error model before and after an audit, by the conclusion from one pair.

use super::super::strength::{Margin, Observations, fit};
use super::*;
use crate::domain::ModelMetadata;
use crate::judge::labels::agreement;
use crate::store::samples;

/// P(best) from one pair that agrees in both orders.
fn chance(errors: &ErrorModel, margin: f64) -> f64 {
    let margins = vec![Margin { a: 0, b: 1, mean: margin, extra: 0.0 }];
    let said =
        Observations { margins, ratings: vec![None; 2], lengths: vec![0.0; 2], position_biases: vec![vec![0.0]] };
    fit(&said, &errors.possibilities, 1).strengths[0].unwrap().best
}

/// A judge whose audit found this signal and these standard deviations of pair and rating errors.
fn tested_as(signal: f64, pair: f64, rating: f64) -> JudgeProfile {
    let degrees = 20.0;
    let calibration = Calibration {
        signal,
        signal_error: 0.1,
        pair_scatter: degrees * pair * pair,
        rating_scatter: 2.0 * degrees * rating * rating,
        joint_scatter: 0.0,
        degrees,
        length_error: 0.1,
    };
    JudgeProfile { calibration: Some(calibration), labels: None, ..samples::profile(1) }
}

#[test]
fn one_clear_pair_of_an_unknown_judge_says_some_six_in_ten() {
    let unknown = ErrorModel::of(&[None], 1);
    let said = [0.25, 0.5, 0.75, 1.0].map(|margin| chance(&unknown, margin));
    assert!(said.is_sorted() && (0.6..0.7).contains(&said[3]), "{said:?}");
    assert!(!unknown.is_known);
}

#[test]
fn a_sound_judge_is_believed_a_poor_one_less_and_a_blind_one_not_at_all() {
    let said = |profile| chance(&ErrorModel::of(&[Some(profile)], 1), 1.0);
    let (sound, poor, blind) =
        (said(tested_as(0.8, 0.3, 0.25)), said(tested_as(0.6, 0.6, 0.5)), said(tested_as(0.0, 0.6, 0.5)));
    assert!(sound > 0.95 && sound <= 0.999, "{sound}");
    assert!((0.75..0.93).contains(&poor), "{poor}");
    assert!(blind < 0.6, "{blind}");
}

#[test]
fn labels_that_a_person_gave_outweigh_the_test() {
    let mut profile = tested_as(0.8, 0.3, 0.25);
    let before = chance(&ErrorModel::of(&[Some(profile.clone())], 1), 0.5);
    let label = |choice| LabelledMargin { margin: 0.5, choice };
    // A person agrees half of the time, so the judge is uninformative.
    let observations: Vec<LabelledMargin> = (0..40).map(|at| label(if at % 2 == 0 { 1 } else { -1 })).collect();
    profile.labels = agreement(samples::moment(1), observations, 0, ModelMetadata::sum([]));
    let after = chance(&ErrorModel::of(&[Some(profile)], 1), 0.5);
    assert!(before > 0.8 && after < before - 0.1, "{before} {after}");
}

#[test]
fn judges_of_a_panel_share_a_part_of_their_errors() {
    let one = chance(&ErrorModel::of(&[Some(tested_as(0.6, 0.6, 0.5))], 1), 0.5);
    let three = vec![Some(tested_as(0.6, 0.6, 0.5)); 3];
    let panel = ErrorModel::of(&three, 3);
    let said = chance(&panel, 0.5);
    assert!(said > one && said < 0.99, "{one} {said}");
    assert!(panel.weights.iter().all(|weight| (weight - 1.0 / 3.0).abs() < 1e-9));
    let with_a_blind = ErrorModel::of(&[Some(tested_as(0.8, 0.3, 0.25)), Some(tested_as(0.0, 0.6, 0.5))], 2);
    assert!(with_a_blind.weights[0] > 0.95, "{:?}", with_a_blind.weights);
}
