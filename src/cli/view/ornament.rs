//! The symbols around data: marks, rules, dots between facts. ASCII if the locale requires it.
//!
//! Data itself never changes, only what this program adds. The choice is made once, from the
//! environment, before anything is written.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use aludel_core::config::Environment;

/// True if only ASCII may be used.
static IS_ASCII: AtomicBool = AtomicBool::new(false);

/// A symbol and its ASCII replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ornament(&'static str, &'static str);

/// Separates two facts of a line.
pub(crate) const DOT: Ornament = Ornament(" · ", " - ");
/// An empty value.
pub(crate) const NONE: Ornament = Ornament("—", "-");
/// Skipped.
pub(crate) const SKIPPED: Ornament = Ornament("–", "-");
/// Continued text.
pub(crate) const MORE: Ornament = Ornament("…", "...");
/// Success.
pub(crate) const GOOD: Ornament = Ornament("✓", "+");
/// Failed.
pub(crate) const BAD: Ornament = Ornament("✗", "x");
/// Pending.
pub(crate) const TO_COME: Ornament = Ornament("·", ".");
/// Retried.
pub(crate) const AGAIN: Ornament = Ornament("↻", "@");
/// Nearly the same.
pub(crate) const NEAR: Ornament = Ornament("≈", "~");
/// An arrow.
pub(crate) const THEN: Ornament = Ornament(" → ", " -> ");
/// A column of a rule.
pub(crate) const ACROSS: Ornament = Ornament("─", "-");
/// Separates two columns of text.
pub(crate) const BESIDE: Ornament = Ornament(" │ ", " | ");
/// The done part of a bar.
pub(crate) const FULL: Ornament = Ornament("█", "#");
/// The rest of a bar.
pub(crate) const EMPTY: Ornament = Ornament("░", ".");

impl Ornament {
    /// The symbol in the chosen form.
    pub(crate) fn as_str(self) -> &'static str {
        if is_ascii() { self.1 } else { self.0 }
    }
}

impl fmt::Display for Ornament {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// True if the symbols are ASCII.
pub(crate) fn is_ascii() -> bool {
    IS_ASCII.load(Ordering::Relaxed)
}

/// Draws an interval, which contains no data, with the chosen symbols.
pub(crate) fn drawn(interval: String) -> String {
    if !is_ascii() {
        return interval;
    }
    let twin = |sign| match sign {
        '●' => 'o',
        '━' => '=',
        _ => '.',
    };
    interval.chars().map(twin).collect()
}

/// Chooses the symbols that this locale can show.
pub(crate) fn choose(environment: &Environment) {
    IS_ASCII.store(!environment.shows_unicode(), Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_has_a_twin_in_ascii() {
        for Ornament(sign, twin) in
            [DOT, NONE, SKIPPED, MORE, GOOD, BAD, TO_COME, AGAIN, NEAR, THEN, ACROSS, BESIDE, FULL, EMPTY]
        {
            assert!(!sign.is_ascii() && twin.is_ascii() && !twin.trim().is_empty(), "{sign}");
        }
    }
}
