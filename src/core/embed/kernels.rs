//! Element-wise arithmetic: exponentials, GELU, softmax, layer norm.
//!
//! Plain loops over slices without branches or calls, so that the compiler vectorises them; sums
//! use eight lanes for the same reason. Errors are about 1e-6, far below those of 4-bit weights.

use std::f32::consts::{FRAC_1_SQRT_2, LN_2, LOG2_E};

const LANES: usize = 8;

/// Keeps a variance above zero, as in the model's configuration.
const EPSILON: f32 = 1e-12;

/// GELU with the exact error function, as in training: x · Φ(x).
pub(super) fn gelu(values: &mut [f32]) {
    for value in values {
        *value *= 0.5 + 0.5 * erf(*value * FRAC_1_SQRT_2);
    }
}

/// The error function to 3e-7 (Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.28).
fn erf(x: f32) -> f32 {
    const A: [f32; 6] = [0.070_523_078, 0.042_282_01, 0.009_270_527, 0.000_152_014_3, 0.000_276_567_2, 0.000_043_063_8];
    let z = x.abs();
    let sum = 1.0 + z * (A[0] + z * (A[1] + z * (A[2] + z * (A[3] + z * (A[4] + z * A[5])))));
    let second = sum * sum;
    let fourth = second * second;
    let eighth = fourth * fourth;
    (1.0 - 1.0 / (eighth * eighth)).copysign(x)
}

/// Turns a row of scores into shares that sum to one.
pub(super) fn softmax(scores: &mut [f32]) {
    let most = in_lanes(scores, f32::NEG_INFINITY, f32::max);
    for score in scores.iter_mut() {
        *score = exp(*score - most);
    }
    let share = 1.0 / sum(scores);
    for score in scores {
        *score *= share;
    }
}

/// e to the power of `x`, for `x` of at most zero.
fn exp(x: f32) -> f32 {
    // Adding and subtracting this rounds to a whole number, which is then in the lowest bits.
    const ROUNDER: f32 = 12_582_912.0;
    let power = x.max(-87.0) * LOG2_E;
    let shifted = power + ROUNDER;
    let x = (power - (shifted - ROUNDER)) * LN_2;
    let fraction =
        1.0 + x * (1.0 + x * (1.0 / 2.0 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x * (1.0 / 120.0 + x / 720.0)))));
    fraction * f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23))
}

/// A layer norm: normalises a row to mean zero and variance one, then applies weight and bias.
pub(super) struct Norm<const WIDTH: usize> {
    pub(super) weight: [f32; WIDTH],
    pub(super) bias: [f32; WIDTH],
}

impl<const WIDTH: usize> Norm<WIDTH> {
    pub(super) fn apply(&self, rows: &mut [[f32; WIDTH]]) {
        let share = 1.0 / WIDTH as f32;
        for row in rows {
            let mean = sum(row) * share;
            for value in row.iter_mut() {
                *value -= mean;
            }
            let scale = 1.0 / (sum_of_squares(row) * share + EPSILON).sqrt();
            for ((value, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
                *value = *value * scale * weight + bias;
            }
        }
    }
}

/// Normalises a vector to length one.
pub(super) fn normalise(vector: &mut [f32]) {
    let scale = 1.0 / sum_of_squares(vector).sqrt().max(f32::MIN_POSITIVE);
    for value in vector {
        *value *= scale;
    }
}

fn sum(values: &[f32]) -> f32 {
    in_lanes(values, 0.0, |total, value| total + value)
}

fn sum_of_squares(values: &[f32]) -> f32 {
    let mut lanes = [0.0; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest: f32 = chunks.remainder().iter().map(|value| value * value).sum();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += value * value;
        }
    }
    rest + lanes.iter().sum::<f32>()
}

fn in_lanes(values: &[f32], start: f32, join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [start; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder().iter().fold(start, |total, value| join(total, *value));
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = join(*lane, *value);
        }
    }
    lanes.into_iter().fold(rest, join)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_error_function_is_that_of_the_tables() {
        // Abramowitz and Stegun, table 7.1.
        for (x, expected) in
            [(0.0, 0.0), (0.1, 0.112_462_9), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (2.0, 0.995_322_3), (9.0, 1.0)]
        {
            assert!((erf(x) - expected).abs() < 1e-6, "erf({x}) = {}", erf(x));
            assert!((erf(-x) + expected).abs() < 1e-6);
        }
    }

    #[test]
    fn a_norm_gives_mean_and_spread_that_were_learned() {
        let norm = Norm { weight: [2.0; 10], bias: [1.0; 10] };
        let mut rows = [[5.0, 7.0, 5.0, 7.0, 5.0, 7.0, 5.0, 7.0, 5.0, 7.0]];
        norm.apply(&mut rows);
        assert!(rows[0].chunks(2).all(|pair| (pair[0] + 1.0).abs() < 1e-5 && (pair[1] - 3.0).abs() < 1e-5), "{rows:?}");
    }

    proptest! {
        #[test]
        fn the_exponential_is_the_exact_one_to_a_millionth(x in -80.0_f32..=0.0) {
            let exact = x.exp();
            prop_assert!((exp(x) - exact).abs() <= exact * 1e-5_f32.max(x.abs() * 2e-7), "{} {exact}", exp(x));
        }

        #[test]
        fn shares_add_up_to_one_and_keep_their_order(mut scores in proptest::collection::vec(-40.0_f32..40.0, 1..40)) {
            let before = scores.clone();
            softmax(&mut scores);
            prop_assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            for (pair, shares) in before.windows(2).zip(scores.windows(2)) {
                prop_assert!(pair[0] > pair[1] || shares[0] <= shares[1]);
            }
        }

        #[test]
        fn a_vector_gets_length_one(mut vector in proptest::collection::vec(-3.0_f32..3.0, 1..40)) {
            prop_assume!(vector.iter().any(|value| value.abs() > 1e-3));
            normalise(&mut vector);
            prop_assert!((vector.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }
}
