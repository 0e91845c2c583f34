//! Tests of agreement against hand-computed figures and simple oracles.

use proptest::prelude::*;

use super::agreement;
use crate::domain::{Agreement, LabelledMargin, ModelMetadata};
use crate::store::samples;

fn of(observations: Vec<LabelledMargin>) -> Agreement {
    agreement(samples::moment(1), observations, 0, ModelMetadata::default()).unwrap()
}

/// This many observations of each margin and choice.
fn counted(cells: &[(usize, f64, i8)]) -> Vec<LabelledMargin> {
    let repeated = |(times, margin, choice): &(usize, f64, i8)| {
        std::iter::repeat_n(LabelledMargin { margin: *margin, choice: *choice }, *times)
    };
    cells.iter().flat_map(repeated).collect()
}

fn close(a: f64, b: f64, within: f64) -> bool {
    (a - b).abs() <= within
}

/// Two readers of 50 grant proposals: both say yes to 20, both no to 15, one of them alone to 5 and 10. They agree in 35
/// of 50; by chance in 0.5 * 0.6 + 0.5 * 0.4 = 0.5; so kappa is (0.7 - 0.5) / 0.5 = 0.4. The variance of Fleiss, Cohen and
/// Everitt: (0.4 * 0.17^2 + 0.3 * 0.23^2 + 0.3^2 * (0.1 * 1.1^2 + 0.2 * 0.9^2) - 0.05^2) / (50 * 0.5^4) = 0.0504 / 3.125.
#[test]
fn kappa_of_a_table_worked_out_by_hand() {
    let found = of(counted(&[(20, 0.5, 1), (5, 0.5, -1), (10, -0.5, 1), (15, -0.5, -1)]));
    assert!(close(found.agreement, 0.7, 1e-12) && close(found.expected_by_chance, 0.5, 1e-12), "{found:?}");
    assert!(close(found.kappa.unwrap(), 0.4, 1e-12));
    assert!(close(found.kappa_error.unwrap(), (0.0504_f64 / 3.125).sqrt(), 1e-12), "{found:?}");
}

/// 7 of 10 with z = 1.64485, z^2 = 2.70554: the centre is (0.7 + 0.135277) / 1.270554 = 0.657412, the half width
/// 1.64485 / 1.270554 * sqrt(0.021 + 0.00676386) = 0.215712.
#[test]
fn the_interval_of_seven_in_ten_worked_out_by_hand() {
    let found = of(counted(&[(7, 0.5, 1), (3, 0.5, -1)]));
    let [low, high] = found.interval;
    assert!(close(low, 0.441_700, 1e-5) && close(high, 0.873_124, 1e-5), "{low} {high}");
    let [low, high] = of(counted(&[(10, 0.5, 1)])).interval;
    // Ten of ten: from 10 / (10 + z^2) up.
    assert!(close(low, 10.0 / 12.705_54, 1e-5) && close(high, 1.0, 1e-12), "{low} {high}");
}

#[test]
fn no_difference_counts_half_against_a_preference_and_whole_against_itself() {
    let found = of(counted(&[(1, 0.0, 0), (1, 0.0, 1), (1, 0.5, 0), (1, 0.5, 1)]));
    assert!(close(found.agreement, 0.75, 1e-12));
    let bins: Vec<(f64, f64, u32, f64)> =
        found.bins.iter().map(|bin| (bin.from, bin.to, bin.pairs, bin.agreed)).collect();
    assert_eq!(bins, [(0.0, 0.0, 2, 0.75), (0.25, 0.5, 2, 0.75)]);
    assert_eq!(found.bins.iter().map(|bin| bin.expected.is_some()).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn there_is_no_kappa_where_both_always_say_the_same() {
    let found = of(counted(&[(5, 0.5, 1)]));
    assert_eq!((found.kappa, found.kappa_error), (None, None));
    assert!(close(found.expected_by_chance, 1.0, 1e-12));
}

#[test]
fn nothing_comes_of_no_pairs() {
    assert_eq!(agreement(samples::moment(1), Vec::new(), 3, ModelMetadata::default()), None);
}

#[test]
fn a_judge_that_is_right_has_a_steep_slope_and_one_that_guesses_a_flat_one() {
    let right = of(counted(&[(50, 0.5, 1), (50, -0.5, -1)]));
    assert!(right.slope > 5.0 && right.slope.is_finite() && right.slope_error > 0.0, "{right:?}");
    let guessing = of(counted(&[(25, 0.5, 1), (25, 0.5, -1), (25, -0.5, 1), (25, -0.5, -1)]));
    assert!(guessing.slope.abs() < 1e-9 && guessing.kappa.unwrap().abs() < 1e-9, "{guessing:?}");
    let backwards = of(counted(&[(10, 0.5, -1), (10, -0.5, 1)]));
    assert!(backwards.slope < -2.0 && backwards.kappa.unwrap() < -0.9, "{backwards:?}");
}

/// 30 of 40 at a margin of 0.5: without a prior the slope would be ln(3) / 0.5 = 2.2; the prior pulls it down a little.
#[test]
fn the_calibration_says_what_was_found() {
    let found = of(counted(&[(30, 0.5, 1), (10, 0.5, -1)]));
    assert!(found.slope < 3.0_f64.ln() / 0.5 && found.slope > 2.1, "{found:?}");
    assert!(close(found.bins[0].expected.unwrap(), 0.75, 0.01), "{found:?}");
}

fn label(choice: i8) -> &'static str {
    ["second", "even", "first"][usize::try_from(choice + 1).unwrap()]
}

fn label_of_margin(margin: f64) -> &'static str {
    if margin > 0.0 {
        "first"
    } else if margin < 0.0 {
        "second"
    } else {
        "even"
    }
}

const LABELS: [&str; 3] = ["first", "even", "second"];

/// Cohen's kappa of a table of shares.
fn kappa_of(table: &[[f64; 3]; 3]) -> f64 {
    let total: f64 = table.iter().flatten().sum();
    let (mut same, mut chance) = (0.0, 0.0);
    for at in 0..3 {
        let row: f64 = table[at].iter().sum();
        let column: f64 = table.iter().map(|row| row[at]).sum();
        same += table[at][at] / total;
        chance += row * column / total / total;
    }
    (same - chance) / (1.0 - chance)
}

/// The standard error of kappa by the delta method with numeric derivatives.
fn error_of(table: &[[f64; 3]; 3], pairs: f64) -> f64 {
    let (mut squares, mut mean) = (0.0, 0.0);
    for row in 0..3 {
        for column in 0..3 {
            let moved = |by: f64| {
                let mut table = *table;
                table[row][column] += by;
                kappa_of(&table)
            };
            let derivative = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            squares += table[row][column] * derivative * derivative;
            mean += table[row][column] * derivative;
        }
    }
    ((squares - mean * mean).max(0.0) / pairs).sqrt()
}

/// The derivative of the log posterior of the slope.
fn pull(observations: &[LabelledMargin], slope: f64) -> f64 {
    let mut pull = -slope / 25.0;
    for LabelledMargin { margin, choice } in observations {
        let first = (slope * margin).exp() / (1.0 + (slope * margin).exp());
        pull += match choice {
            1 => margin * (1.0 - first),
            -1 => -margin * first,
            _ => margin * (0.5 - first),
        };
    }
    pull
}

/// Margins of weighted grades, with any choice.
fn observations() -> impl Strategy<Value = Vec<LabelledMargin>> {
    let margin = prop_oneof![Just(0.0), (-16_i32..=16).prop_map(|sixteenths| f64::from(sixteenths) / 16.0)];
    let one = (margin, -1_i8..=1).prop_map(|(margin, choice)| LabelledMargin { margin, choice });
    proptest::collection::vec(one, 1..60)
}

proptest! {
    #[test]
    fn shares_and_kappa_are_those_of_a_plain_count(observations in observations()) {
        let found = of(observations.clone());
        let pairs = observations.len() as f64;
        let (mut agreed, mut same, mut chance) = (0.0, 0.0, 0.0);
        let mut table = [[0.0; 3]; 3];
        for one in &observations {
            let (judge, person) = (label_of_margin(one.margin), label(one.choice));
            if judge == person {
                agreed += 1.0;
                same += 1.0 / pairs;
            } else if judge == "even" || person == "even" {
                agreed += 0.5;
            }
            let at = |label: &str| LABELS.iter().position(|other| *other == label).unwrap();
            table[at(judge)][at(person)] += 1.0 / pairs;
        }
        for label_ in LABELS {
            let judge = observations.iter().filter(|one| label_of_margin(one.margin) == label_).count() as f64;
            let person = observations.iter().filter(|one| label(one.choice) == label_).count() as f64;
            chance += judge * person / pairs / pairs;
        }
        prop_assert!(close(found.agreement, agreed / pairs, 1e-9));
        prop_assert!(close(found.expected_by_chance, chance, 1e-9));
        match found.kappa {
            Some(kappa) => {
                prop_assert!(close(kappa, (same - chance) / (1.0 - chance), 1e-9));
                prop_assert!(close(found.kappa_error.unwrap(), error_of(&table, pairs), 1e-3), "{found:?}");
            }
            None => prop_assert!(chance > 1.0 - 1e-9),
        }
    }

    /// Each end of a Wilson interval is just z standard errors from the observed share.
    #[test]
    fn an_interval_holds_the_share_and_ends_where_it_should(observations in observations()) {
        let found = of(observations);
        let share = found.agreement;
        let pairs = f64::from(found.pairs);
        for end in found.interval {
            let distance = 1.644_853_626_951_472_2 * (end * (1.0 - end) / pairs).sqrt();
            prop_assert!(close((share - end).abs(), distance, 1e-6), "{found:?}");
        }
        prop_assert!(found.interval[0] <= share && share <= found.interval[1]);
    }

    #[test]
    fn the_slope_is_where_prior_and_choices_balance(observations in observations()) {
        let found = of(observations.clone());
        let (mut low, mut high) = (-200.0, 200.0);
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if pull(&observations, middle) > 0.0 { low = middle } else { high = middle }
        }
        prop_assert!(close(found.slope, low, 1e-6), "{} {low}", found.slope);
        let steepness = (pull(&observations, low - 1e-5) - pull(&observations, low + 1e-5)) / 2e-5;
        prop_assert!(close(found.slope_error, 1.0 / steepness.sqrt(), 1e-4));
    }

    #[test]
    fn bins_hold_every_pair_once(observations in observations()) {
        let found = of(observations.clone());
        prop_assert_eq!(found.bins.iter().map(|bin| bin.pairs).sum::<u32>(), found.pairs);
        let agreed: f64 = found.bins.iter().map(|bin| bin.agreed * f64::from(bin.pairs)).sum();
        prop_assert!(close(agreed, found.agreement * f64::from(found.pairs), 1e-6));
        for bin in &found.bins {
            let within = observations.iter().map(|one| one.margin.abs()).filter(|size| match bin.to {
                0.0 => *size == 0.0,
                to => bin.from < *size && *size <= to,
            });
            prop_assert_eq!(within.count(), bin.pairs as usize);
        }
    }

    #[test]
    fn exchanging_the_texts_changes_no_figure(observations in observations()) {
        let turned = observations.iter().map(|one| LabelledMargin { margin: -one.margin, choice: -one.choice });
        let (found, other) = (of(observations.clone()), of(turned.collect()));
        prop_assert!(close(found.agreement, other.agreement, 1e-9) && close(found.slope, other.slope, 1e-6));
        prop_assert_eq!(found.kappa.is_some(), other.kappa.is_some());
    }
}
