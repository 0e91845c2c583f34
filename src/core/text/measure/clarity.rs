//! Clarity: faults of wording in the added sentences.
//!
//! Code and headings do not count as sentences. The word lists are in `words`.

use super::reading::Reading;
use super::units::UnitKind;
use super::{falling, share};

/// The formula, for users.
pub(super) const FORMULA: &str = "1 where the added text has no fault of wording; up to 30 % off for sentences of more than 35 words, 25 % for what \
    is said twice (in full from half of it on), 25 % for vague words and empty phrases (some, various, appropriate, in order to; in full from one word in ten on), \
    20 % for pointing at what is not there (as discussed, TODO; in full from two on)";

const LONG_SENTENCE: usize = 35;
const BAD_SHARE: f64 = 0.1;
const BAD_TWICE: f64 = 0.5;
const BAD_UNRESOLVED: f64 = 2.0;

/// Clarity, 0..=1.
pub(super) fn clarity(added: &Reading) -> f64 {
    let prose = || added.units.iter().filter(|unit| matches!(unit.kind, UnitKind::Sentence | UnitKind::Item));
    let count = prose().count();
    if count == 0 {
        return 1.0;
    }
    let long = share(prose().filter(|unit| unit.terms.len() > LONG_SENTENCE).count(), count, 0.0);
    let words = added.distinct_words();
    let empty = 1.0 - falling(share(added.vague + added.filler, words, 0.0), 0.0, BAD_SHARE);
    let twice = 1.0 - falling(1.0 - share(added.distinct_runs, added.all_runs, 1.0), 0.0, BAD_TWICE);
    let unresolved = 1.0 - falling(added.unresolved as f64, 0.0, BAD_UNRESOLVED);
    1.0 - (0.30 * long + 0.25 * twice + 0.25 * empty + 0.20 * unresolved)
}
