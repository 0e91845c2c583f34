//! The signs that are put around data: marks, rules, dots between facts. ASCII where the locale has nothing else.
//!
//! Data itself never changes: what is replaced is what this program adds. Which signs are used is decided once, from the
//! environment, before anything is written.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use aludel_core::config::Environment;

/// True where signs beyond ASCII may not be shown.
static IS_ASCII: AtomicBool = AtomicBool::new(false);

/// A sign, and what stands for it in ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ornament(&'static str, &'static str);

/// Between two facts of a line.
pub(crate) const DOT: Ornament = Ornament(" · ", " - ");
/// Nothing to say.
pub(crate) const NONE: Ornament = Ornament("—", "-");
/// Passed over.
pub(crate) const SKIPPED: Ornament = Ornament("–", "-");
/// A text goes on.
pub(crate) const MORE: Ornament = Ornament("…", "...");
/// Well.
pub(crate) const GOOD: Ornament = Ornament("✓", "+");
/// Failed.
pub(crate) const BAD: Ornament = Ornament("✗", "x");
/// Still to come.
pub(crate) const TO_COME: Ornament = Ornament("·", ".");
/// Tried again.
pub(crate) const AGAIN: Ornament = Ornament("↻", "@");
/// Nearly the same.
pub(crate) const NEAR: Ornament = Ornament("≈", "~");
/// From one to the next.
pub(crate) const THEN: Ornament = Ornament(" → ", " -> ");
/// A column of a rule across the page.
pub(crate) const ACROSS: Ornament = Ornament("─", "-");
/// Between two texts side by side.
pub(crate) const BESIDE: Ornament = Ornament(" │ ", " | ");
/// Done, of a bar.
pub(crate) const FULL: Ornament = Ornament("█", "#");
/// To be done, of a bar.
pub(crate) const EMPTY: Ornament = Ornament("░", ".");

impl Ornament {
    /// What is written.
    pub(crate) fn as_str(self) -> &'static str {
        if is_ascii() { self.1 } else { self.0 }
    }
}

impl fmt::Display for Ornament {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// True where signs are ASCII.
pub(crate) fn is_ascii() -> bool {
    IS_ASCII.load(Ordering::Relaxed)
}

/// A drawing of an interval, which has no data in it, in the signs that are used.
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

/// Chooses the signs that this locale can show.
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
