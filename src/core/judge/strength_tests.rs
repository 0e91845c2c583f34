//! Tests of strengths against hand-computed numbers and simulations with a known truth.

use super::*;

/// A judge with the error variances `pair` and `rating`, and no taste.
const fn fair(worth: f64, pair: f64, rating: f64) -> ErrorHypothesis {
    ErrorHypothesis { weight: 1.0, worth, taste: 1e-6, pair, rating, length: 0.0, scatter: 0.0 }
}

const fn both(a: usize, b: usize, margin: f64) -> Margin {
    Margin { a, b, mean: margin, extra: 0.0 }
}

fn compared(count: usize, margins: &[Margin]) -> Observations {
    Observations {
        margins: margins.to_vec(),
        ratings: vec![None; count],
        lengths: vec![0.0; count],
        position_biases: Vec::new(),
    }
}

fn strengths(said: &Observations, possibilities: &[ErrorHypothesis]) -> Vec<Strength> {
    fit(said, possibilities, 1).strengths.into_iter().map(Option::unwrap).collect()
}

#[test]
fn one_pair_is_as_sure_as_the_normal_distribution_says() {
    // The difference of worths has the variance 0.5, its error 0.13. After a margin of 0.5 the mean
    // is 0.5 * 0.5 / 0.63 = 0.397, the deviation √(0.5 * 0.13 / 0.63) = 0.321: Φ(1.235) = 0.892.
    let found = strengths(&compared(2, &[both(0, 1, 0.5)]), &[fair(0.25, 0.13, 0.06)]);
    assert!((found[0].best - 0.892).abs() < 0.02, "{}", found[0].best);
    assert!((found[0].best + found[1].best - 1.0).abs() < 1e-9);
    // The strength has half of the mean on either side: 1 / (1 + e^-0.397) = 0.598.
    assert!((found[0].score - 0.598).abs() < 0.002, "{}", found[0].score);
}

#[test]
fn ratings_decide_where_nothing_was_compared() {
    // Two ratings differ by 0.4, each with the variance 0.06: the mean is 0.4 * 0.5 / 0.62 = 0.323, the deviation
    // √(0.5 * 0.12 / 0.62) = 0.311: Φ(1.037) = 0.850.
    let said = Observations {
        margins: Vec::new(),
        ratings: vec![Some(3.2), Some(2.8)],
        lengths: vec![0.0; 2],
        position_biases: Vec::new(),
    };
    let found = strengths(&said, &[fair(0.25, 0.13, 0.06)]);
    assert!((found[0].best - 0.850).abs() < 0.02, "{}", found[0].best);
    // Nine of ten draws of the difference are within 1.645 deviations: as scores from 0.453 to 0.697.
    let [low, high] = found[0].interval;
    assert!((low - 0.453).abs() < 0.015 && (high - 0.697).abs() < 0.015, "{low} {high}");
}

#[test]
fn a_taste_of_the_judges_own_takes_its_share_of_the_chance() {
    // Taste adds the variance 2 * 0.25 to the error: the mean is 0.5 * 0.5 / 1.13 = 0.221, the
    // deviation √(0.5 * 0.63 / 1.13) = 0.528: Φ(0.419) = 0.662.
    let own = ErrorHypothesis { taste: 0.25, ..fair(0.25, 0.13, 0.06) };
    let found = strengths(&compared(2, &[both(0, 1, 0.5)]), &[own]);
    assert!((found[0].best - 0.662).abs() < 0.025, "{}", found[0].best);
}

#[test]
fn what_lengths_may_explain_is_not_credited() {
    let longer = |lengths: [f64; 2]| Observations { lengths: lengths.to_vec(), ..compared(2, &[both(0, 1, 0.5)]) };
    let doubtful = ErrorHypothesis { length: 0.25, ..fair(0.25, 0.13, 0.06) };
    let equal = strengths(&longer([5.0, 5.0]), &[doubtful])[0];
    let twice = strengths(&longer([6.0, 5.0]), &[doubtful])[0];
    assert!((equal.best - 0.892).abs() < 0.02, "{}", equal.best);
    // The perceived difference has 0.25 more variance: the mean is 0.5 * 0.5 / 0.88 = 0.284, the
    // deviation √(0.5 * 0.38 / 0.88) = 0.465: Φ(0.611) = 0.729.
    assert!((twice.best - 0.729).abs() < 0.025, "{}", twice.best);
}

#[test]
fn even_margins_are_exactly_even() {
    for count in 2..6 {
        let pairs: Vec<Margin> = (0..count).flat_map(|a| (a + 1..count).map(move |b| both(a, b, 0.0))).collect();
        let found = strengths(&compared(count, &pairs), &[fair(0.25, 0.13, 0.06)]);
        assert!(found.iter().all(|one| one.best < 0.6 && (one.score - 0.5).abs() < 1e-9), "{found:?}");
    }
    let found = strengths(&compared(2, &[both(0, 1, 0.0)]), &[fair(0.25, 0.13, 0.06)]);
    assert!((found[0].best - 0.5).abs() < 1e-9, "draws mirror each other: {}", found[0].best);
}

#[test]
fn contradictions_make_a_judge_less_believed() {
    let possibilities =
        [fair(0.001, 0.5, 0.3), fair(0.25, 0.1, 0.06)].map(|one| ErrorHypothesis { weight: 0.5, ..one });
    let circle = compared(3, &[both(0, 1, 1.0), both(1, 2, 1.0), both(0, 2, -1.0)]);
    let order = compared(3, &[both(0, 1, 0.5), both(1, 2, 0.5), both(0, 2, 1.0)]);
    let best = |said: &Observations| strengths(said, &possibilities).iter().map(|one| one.best).fold(0.0, f64::max);
    assert!(best(&order) > 0.75 && best(&circle) < 0.5, "{} {}", best(&order), best(&circle));
}

#[test]
fn an_entry_without_a_rating_has_no_strength_where_others_have_one() {
    let rated = Observations { ratings: vec![Some(3.0), None, Some(2.0)], ..compared(3, &[both(0, 2, 0.5)]) };
    let fitted = fit(&rated, &[fair(0.25, 0.13, 0.06)], 1);
    assert_eq!(fitted.strengths[1], None);
    assert!(fitted.at_least(0, 1) > 0.999 && fitted.at_least(1, 0) < 0.001);
    let waiting = fit(&compared(3, &[both(0, 2, 0.5)]), &[fair(0.25, 0.13, 0.06)], 1);
    assert!(waiting.strengths[1].unwrap().best > 0.2, "it was not compared yet");
    assert!(fit(&compared(2, &[]), &[fair(0.25, 0.13, 0.06)], 1).strengths.iter().all(Option::is_none));
}

#[test]
fn the_pair_that_is_asked_about_next_is_the_one_in_doubt() {
    let said = Observations { ratings: vec![Some(3.0), Some(2.95), Some(1.0), Some(0.9)], ..compared(4, &[]) };
    let fitted = fit(&said, &[fair(0.25, 0.13, 0.06)], 1);
    let all = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let (pair, gain) = fitted.next(&all).unwrap();
    assert!(pair == (0, 1) && gain > 0.1, "{pair:?} {gain}");
    let (_, of_others) = fitted.next(&all[5..]).unwrap();
    assert!(of_others < 0.01, "asking about the last two changes nothing: {of_others}");
    assert!(fitted.next(&[]).is_none());
}

/// Normal draws independent of the tested ones: Marsaglia's polar method over his xorshift.
struct Polar(u64);

impl Polar {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn next(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * square.ln() / square).sqrt();
            }
        }
    }
}

/// Simulates the model with `count` candidates. Returns the share of scores within their interval,
/// the mean P(best) of the winners, and the share of winners that were the best.
fn worlds(count: usize, pairs: usize, seeds: u32) -> (f64, f64, f64) {
    let (mut within, mut said_best, mut right) = (0, 0.0, 0);
    let mut random = Polar(0x2545_F491_4F6C_DD1D);
    for seed in 0..seeds {
        let truth: Vec<f64> = (0..count).map(|_| 0.5 * random.next()).collect();
        let ratings = truth.iter().map(|worth| Some(worth + 0.25 * random.next() + 3.0)).collect();
        let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        let margins: Vec<Margin> =
            all.take(pairs).map(|(a, b)| both(a, b, truth[a] - truth[b] + 0.36 * random.next())).collect();
        let said = Observations { margins, ratings, lengths: vec![0.0; count], position_biases: Vec::new() };
        let found = fit(&said, &[fair(0.25, 0.13, 0.0625)], u64::from(seed)).strengths;
        let found: Vec<Strength> = found.into_iter().map(Option::unwrap).collect();
        let mean = truth.iter().sum::<f64>() / count as f64;
        for (own, worth) in found.iter().zip(&truth) {
            let score = 1.0 / (1.0 + (-2.0 * (worth - mean)).exp());
            within += u32::from(own.interval[0] <= score && score <= own.interval[1]);
        }
        let winner = (0..count).reduce(|a, b| if found[b].score > found[a].score { b } else { a }).unwrap();
        let best = (0..count).reduce(|a, b| if truth[b] > truth[a] { b } else { a }).unwrap();
        said_best += found[winner].best;
        right += u32::from(winner == best);
    }
    let all = f64::from(seeds);
    (f64::from(within) / (all * count as f64), said_best / all, f64::from(right) / all)
}

#[test]
fn in_worlds_as_the_model_has_them_intervals_and_chances_are_right() {
    for (count, pairs) in [(2, 1), (5, 3), (8, 6)] {
        let (within, said, right) = worlds(count, pairs, 400);
        assert!((0.87..=0.93).contains(&within), "{count}: {within} within");
        assert!((said - right).abs() < 0.06, "{count}: {said} said, {right} right");
    }
}

#[test]
fn a_transitive_order_is_the_order_of_strengths() {
    for count in [3, 6, 12] {
        let pairs: Vec<Margin> = (0..count).flat_map(|a| (a + 1..count).map(move |b| both(a, b, 0.5))).collect();
        let found = strengths(&compared(count, &pairs), &[fair(0.25, 0.13, 0.06)]);
        assert!(found.is_sorted_by(|a, b| a.score > b.score), "{found:?}");
        for one in found {
            assert!(0.0 <= one.interval[0] && one.interval[0] <= one.score && one.score <= one.interval[1]);
            assert!(one.interval[1] <= 1.0);
        }
    }
}
