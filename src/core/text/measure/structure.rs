//! Structure: whether a prompt's parts can be told apart, and whether the parts that matter are there.
//!
//! Markdown headings, XML tags and labels count alike, so no family's form is favoured.

use super::reading::{Reading, Unit};
use super::units::UnitKind;
use super::{falling, share};

/// How structure is computed, for people.
pub const FORMULA: &str = "25 % sections (headings, tags, labels; one for every 50 words is enough, eight in all), 15 % list items \
    (five are enough), 25 % how far the output is specified (by three units in full), 15 % whether a task or an instruction stands \
    among the first three units, 20 % balance (full when the largest section holds at most a quarter of the words, none when it holds \
    all; texts of up to 60 words are balanced)";

const WORDS_A_SECTION: f64 = 50.0;
const ENOUGH_SECTIONS: f64 = 8.0;
const ENOUGH_ITEMS: usize = 5;
const ENOUGH_ABOUT_OUTPUT: usize = 3;
const FIRST_UNITS: usize = 3;
const BALANCED_SHARE: f64 = 0.25;
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
    let output = share(about_output(reading), ENOUGH_ABOUT_OUTPUT, 0.0);
    let opening = reading.units.iter().take(FIRST_UNITS).any(|unit| unit.is_instruction || unit.names_task);
    let task = f64::from(u8::from(opening));
    0.25 * sections + 0.15 * items + 0.25 * output + 0.15 * task + 0.20 * balance(reading)
}

/// How many units say what the output is to be: those that name it, and those in a section that does.
fn about_output(reading: &Reading) -> usize {
    let mut in_output_section = false;
    let about = |unit: &&Unit| {
        if unit.kind == UnitKind::Section {
            in_output_section = unit.names_output;
        }
        in_output_section || unit.names_output
    };
    reading.units.iter().filter(about).count()
}

/// 1 when no section holds more than a quarter of the words, 0 when one holds all.
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
    falling(share(largest, words, 0.0), BALANCED_SHARE, 1.0)
}
