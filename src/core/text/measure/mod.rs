//! Measures: what of a prompt can be told by rules that can be said in a sentence each. No model, no randomness.
//!
//! They know loss, distortion, invention and bulk; whether a prompt is useful they cannot know. [`Demands`] are read from
//! the request once and read any number of prompts against it into [`Written`]. Where the request stands whole in a prompt,
//! it is kept, and all but coverage looks at what was added to it alone; else at the whole prompt. Every measure is 0..=1.
//! The formulas are written down as [`Measure::formula`], which is what users are shown; whoever changes one changes both,
//! and [`VERSION`].

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

/// A prompt, read against the request that it was made from.
#[derive(Debug)]
pub struct Written {
    all: Reading,
    /// What stands around the request, where that stands whole.
    added: Option<Reading>,
}

impl Written {
    /// True where the request stands whole in it.
    pub fn holds_request(&self) -> bool {
        self.added.is_some()
    }

    /// What was added, as far as it can be told from what was asked.
    fn added(&self) -> &Reading {
        self.added.as_ref().unwrap_or(&self.all)
    }

    /// The whole prompt.
    pub fn reading(&self) -> &Reading {
        &self.all
    }
}

/// What is measured of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// What of the request is kept.
    Coverage,
    /// What was added that was neither asked nor given.
    Additions,
    /// Faults of layout in what was added.
    Structure,
    /// Faults of wording in what was added.
    Clarity,
    /// What the request leaves open and the prompt asks for.
    Gaps,
    /// Nothing said twice, no filler.
    Concision,
}

impl Measure {
    /// All measures.
    pub const ALL: [Self; 6] =
        [Self::Coverage, Self::Additions, Self::Structure, Self::Clarity, Self::Gaps, Self::Concision];

    /// The name on every wire.
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

    /// How it is computed, for people.
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

    /// The value for one prompt, 0..=1; `None` for the gaps of a request that leaves none.
    pub fn of(self, written: &Written, demands: &Demands) -> Option<f64> {
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

/// `part` of `whole` as a ratio 0..=1; of nothing, `empty`.
fn share(part: usize, whole: usize, empty: f64) -> f64 {
    if whole == 0 { empty } else { (part as f64 / whole as f64).min(1.0) }
}

/// 1 up to `good`, 0 from `bad` on, a straight line between.
fn falling(value: f64, good: f64, bad: f64) -> f64 {
    ((bad - value) / (bad - good)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests;
