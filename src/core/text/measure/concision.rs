//! Concision: no repetition and no filler.
//!
//! The only measure that sees repeats. Length hardly counts, only words per thing mentioned.

use super::reading::Reading;
use super::share;

/// The formula, for users.
pub(super) const FORMULA: &str = "exp(-(2 x repetition + 6 x filler + 0.2 x spread)): repetition is the share of four-word runs that occurred \
    before, filler the share of words in empty phrases (it is important to, in order to, very), spread how many words there are for \
    each different content word, beyond 1.5";

const REPETITION_WEIGHT: f64 = 2.0;
const FILLER_WEIGHT: f64 = 6.0;
const SPREAD_WEIGHT: f64 = 0.2;
const DENSE: f64 = 1.5;

/// Concision, 0..=1.
pub(super) fn concision(reading: &Reading) -> f64 {
    if reading.all_terms == 0 {
        return 0.0;
    }
    let words = reading.distinct_words();
    let repetition = 1.0 - share(reading.distinct_runs, reading.all_runs, 1.0);
    let filler = share(reading.filler, words, 0.0);
    let spread = (words as f64 / reading.content_terms.max(1) as f64 - DENSE).max(0.0);
    (-(REPETITION_WEIGHT * repetition + FILLER_WEIGHT * filler + SPREAD_WEIGHT * spread)).exp()
}
