//! Clarity: whether sentences are short, say what to do, and mean one thing.
//!
//! Code and headings do not count as sentences. The word lists are in `words`.

use super::reading::Reading;
use super::units::UnitKind;
use super::{falling, share};

/// How clarity is computed, for people.
pub const FORMULA: &str = "30 % sentence length (full up to 10 words on average, none from 40 on), 30 % share of sentences and items \
    that instruct (60 % is enough), 20 % plain words (none from 5 vague words in a hundred on: some, various, appropriate, …), 20 % \
    standing alone (none from two references on to what is not in the text: as discussed, TODO, …)";

const GOOD_LENGTH: f64 = 10.0;
const BAD_LENGTH: f64 = 40.0;
const ENOUGH_INSTRUCTIONS: f64 = 0.6;
const BAD_VAGUE_SHARE: f64 = 0.05;
const BAD_UNRESOLVED: f64 = 2.0;

/// Clarity, 0..=1.
pub fn clarity(reading: &Reading) -> f64 {
    let prose = || reading.units.iter().filter(|unit| matches!(unit.kind, UnitKind::Sentence | UnitKind::Item));
    let count = prose().count();
    if count == 0 {
        return 0.0;
    }
    let words: usize = prose().map(|unit| unit.terms.len()).sum();
    let length = falling(words as f64 / count as f64, GOOD_LENGTH, BAD_LENGTH);
    let instructions = share(prose().filter(|unit| unit.is_instruction).count(), count, 0.0);
    let plain = falling(share(reading.vague, reading.distinct_words(), 0.0), 0.0, BAD_VAGUE_SHARE);
    let alone = falling(reading.unresolved as f64, 0.0, BAD_UNRESOLVED);
    0.30 * length + 0.30 * (instructions / ENOUGH_INSTRUCTIONS).min(1.0) + 0.20 * plain + 0.20 * alone
}
