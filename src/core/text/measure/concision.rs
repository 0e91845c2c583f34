//! Concision: nothing said twice, nothing said that says nothing. Length by itself does not count.

use super::reading::Reading;
use super::share;

/// How concision is computed, for people.
pub const FORMULA: &str = "exp(-2 × (repetition + 3 × filler)): repetition is the share of four-word runs that occurred \
    before, filler the share of words in empty phrases (it is important to, in order to, very, …)";

const FILLER_WEIGHT: f64 = 3.0;
const STEEPNESS: f64 = 2.0;

/// Concision, 0..=1.
pub fn concision(reading: &Reading) -> f64 {
    if reading.all_terms == 0 {
        return 0.0;
    }
    let repetition = 1.0 - share(reading.distinct_runs, reading.all_runs, 1.0);
    let filler = share(reading.filler, reading.distinct_words(), 0.0);
    (-STEEPNESS * (repetition + FILLER_WEIGHT * filler)).exp()
}
