//! Structure: faults of layout in the added text.
//!
//! A plain sentence is as good as a page of headings. Only Markdown headings have a known scope.

use super::reading::Reading;
use super::units::UnitKind;

/// The formula, for users.
pub(super) const FORMULA: &str = "1 where the added text has no fault of layout; 25 % off for each heading over nothing, heading that stands \
    twice, paragraph of more than 150 words, and fence or tag that is opened and not closed";

const LEFT_A_FAULT: f64 = 0.75;

/// Structure, 0..=1.
pub(super) fn structure(added: &Reading) -> f64 {
    let hollow = added.units.array_windows::<2>().filter(|[one, next]| {
        one.kind == UnitKind::Section
            && one.level.is_some()
            && next.kind == UnitKind::Section
            && next.level <= one.level
            && next.level.is_some()
    });
    let last = added.units.last().is_some_and(|unit| unit.kind == UnitKind::Section && unit.level.is_some());
    let faults = hollow.count() + usize::from(last) + added.repeated_headings + added.long_paragraphs + added.unclosed;
    LEFT_A_FAULT.powf(faults as f64)
}
