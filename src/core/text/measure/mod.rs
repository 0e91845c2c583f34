//! Measures of prompts by simple rules. No model, no randomness.
//!
//! They detect loss, distortion, invention and bulk, not usefulness. [`Demands`] are read from the
//! request once and read any number of prompts into [`PromptReading`]. If the prompt includes the whole
//! request, all measures but coverage look only at what was added; else at the whole prompt. Every
//! measure is 0..=1. The formulas are documented for users in [`Measure::formula`]; change both
//! together, and [`VERSION`].

mod additions;
mod clarity;
mod clauses;
mod concision;
mod coverage;
mod gaps;
mod phrases;
mod reading;
mod structure;
mod units;
mod words;

pub use coverage::Demands;
pub use reading::{Cue, Reader, Reading};

/// The version of the formulas: scores of different versions cannot be compared.
pub const VERSION: u32 = 2;

/// A prompt, read against its request.
#[derive(Debug)]
pub struct PromptReading {
    all: Reading,
    /// The text around the request, if that is included whole.
    added: Option<Reading>,
}

impl PromptReading {
    /// True if the prompt includes the whole request.
    pub fn holds_request(&self) -> bool {
        self.added.is_some()
    }

    /// The added text, or the whole prompt if that is unknown.
    fn added(&self) -> &Reading {
        self.added.as_ref().unwrap_or(&self.all)
    }

    /// The whole prompt.
    pub fn reading(&self) -> &Reading {
        &self.all
    }
}

/// A measure of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// How much of the request is preserved.
    Coverage,
    /// What was added that was neither requested nor given.
    Additions,
    /// Faults of layout in the added text.
    Structure,
    /// Faults of wording in the added text.
    Clarity,
    /// What the request leaves open and the prompt asks about.
    Gaps,
    /// No repetition, no filler.
    Concision,
}

impl Measure {
    /// All measures.
    pub const ALL: [Self; 6] =
        [Self::Coverage, Self::Additions, Self::Structure, Self::Clarity, Self::Gaps, Self::Concision];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Coverage => "coverage",
            Self::Additions => "additions",
            Self::Structure => "structure",
            Self::Clarity => "clarity",
            Self::Gaps => "gaps",
            Self::Concision => "concision",
        }
    }

    /// The formula, for users.
    pub const fn formula(self) -> &'static str {
        match self {
            Self::Coverage => coverage::FORMULA,
            Self::Additions => additions::FORMULA,
            Self::Structure => structure::FORMULA,
            Self::Clarity => clarity::FORMULA,
            Self::Gaps => gaps::FORMULA,
            Self::Concision => concision::FORMULA,
        }
    }

    /// The value for one prompt, 0..=1; `None` for gaps if the request leaves none.
    pub fn of(self, written: &PromptReading, demands: &Demands) -> Option<f64> {
        Some(match self {
            Self::Coverage => demands.coverage(written),
            Self::Additions => additions::additions(written, demands),
            Self::Structure => structure::structure(written.added()),
            Self::Clarity => clarity::clarity(written.added()),
            Self::Gaps if demands.gaps == 0 => return None,
            Self::Gaps => gaps::gaps(written.added(), demands),
            Self::Concision => concision::concision(&written.all),
        })
    }
}

/// `part` of `whole` as a ratio 0..=1; `empty` if `whole` is zero.
fn share(part: usize, whole: usize, empty: f64) -> f64 {
    if whole == 0 { empty } else { (part as f64 / whole as f64).min(1.0) }
}

/// 1 up to `good`, 0 from `bad` on, linear in between.
fn falling(value: f64, good: f64, bad: f64) -> f64 {
    ((bad - value) / (bad - good)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests;
