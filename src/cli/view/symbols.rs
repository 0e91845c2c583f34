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
pub(crate) struct Symbol(&'static str, &'static str);

/// Separates two facts of a line.
pub(crate) const DOT: Symbol = Symbol(" · ", " - ");
/// An empty value.
pub(crate) const NONE: Symbol = Symbol("—", "-");
/// Skipped.
pub(crate) const SKIPPED: Symbol = Symbol("–", "-");
/// Continued text.
pub(crate) const MORE: Symbol = Symbol("…", "...");
/// Success.
pub(crate) const GOOD: Symbol = Symbol("✓", "+");
/// Failed.
pub(crate) const BAD: Symbol = Symbol("✗", "x");
/// Pending.
pub(crate) const PENDING: Symbol = Symbol("·", ".");
/// Retried.
pub(crate) const RETRIED: Symbol = Symbol("↻", "@");
/// Nearly the same.
pub(crate) const NEAR: Symbol = Symbol("≈", "~");
/// An arrow.
pub(crate) const ARROW: Symbol = Symbol(" → ", " -> ");
/// A column of a rule.
pub(crate) const ACROSS: Symbol = Symbol("─", "-");
/// Separates two columns of text.
pub(crate) const COLUMN_SEPARATOR: Symbol = Symbol(" │ ", " | ");
/// The done part of a bar.
pub(crate) const FULL: Symbol = Symbol("█", "#");
/// The rest of a bar.
pub(crate) const EMPTY: Symbol = Symbol("░", ".");

impl Symbol {
    /// The symbol in the chosen form.
    pub(crate) fn as_str(self) -> &'static str {
        if is_ascii() { self.1 } else { self.0 }
    }
}

impl fmt::Display for Symbol {
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
        for Symbol(sign, twin) in
            [DOT, NONE, SKIPPED, MORE, GOOD, BAD, PENDING, RETRIED, NEAR, ARROW, ACROSS, COLUMN_SEPARATOR, FULL, EMPTY]
        {
            assert!(!sign.is_ascii() && twin.is_ascii() && !twin.trim().is_empty(), "{sign}");
        }
    }
}
