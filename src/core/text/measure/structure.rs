//! Structure: whether a prompt's parts can be told apart, and whether the parts that matter are there.

use super::reading::Reading;
use super::units::UnitKind;
use super::{falling, share};

/// How structure is computed, for people.
pub const FORMULA: &str = "30 % sections (headings, tags, labels; one for every 80 words is enough, six in all), 15 % list items \
    (three are enough), 25 % whether the output is specified, 15 % whether a task or an instruction stands among the first three \
    units, 15 % balance (the largest section holds at most 60 % of the words; short texts are balanced)";

const WORDS_A_SECTION: f64 = 80.0;
const ENOUGH_SECTIONS: f64 = 6.0;
const ENOUGH_ITEMS: usize = 3;
const FIRST_UNITS: usize = 3;
/// Up to so many words a text needs no division.
const SHORT: usize = 60;

/// Structure, 0..=1.
pub fn structure(reading: &Reading) -> f64 {
    if reading.units.is_empty() {
        return 0.0;
    }
    let count = |kind: UnitKind| reading.units.iter().filter(|unit| unit.kind == kind).count();
    let needed = (reading.distinct_words() as f64 / WORDS_A_SECTION).clamp(1.0, ENOUGH_SECTIONS);
    let sections = (count(UnitKind::Section) as f64 / needed).min(1.0);
    let items = share(count(UnitKind::Item), ENOUGH_ITEMS, 0.0);
    let output = f64::from(u8::from(reading.units.iter().any(|unit| unit.names_output)));
    let opening = reading.units.iter().take(FIRST_UNITS).any(|unit| unit.is_instruction || unit.names_task);
    let task = f64::from(u8::from(opening));
    0.30 * sections + 0.15 * items + 0.25 * output + 0.15 * task + 0.15 * balance(reading)
}

/// 1 when no section holds more than 60 % of the words, 0 when one holds all.
fn balance(reading: &Reading) -> f64 {
    let words = reading.distinct_words();
    if words <= SHORT {
        return 1.0;
    }
    let mut largest = 0;
    let mut current = 0;
    for unit in &reading.units {
        if unit.kind == UnitKind::Section {
            current = 0;
        }
        current += unit.terms.len();
        largest = largest.max(current);
    }
    falling(share(largest, words, 0.0), 0.6, 1.0)
}
