//! Measures: how good a prompt looks, by rules that can be told in a sentence each. No model, no randomness.
//!
//! A [`Reader`] reads a text once into a [`Reading`]: its units (sentences, list items, headings), each with its terms. Every
//! measure is 0..=1 and counts a unit that is repeated to the letter once only, so that saying all twice gains
//! nothing; [`concision`] alone sees the repeats. The formulas are written down as [`Measure::formula`], which is what
//! users are shown; whoever changes one changes both.
//!
//! They favour what the literature on prompting agrees on and are blind to much else: paraphrase counts as
//! loss, and word lists are best for English. They compare variants of one request; they do not grade in the abstract.

pub mod clarity;
pub mod concision;
pub mod coverage;
mod phrases;
mod reading;
pub mod structure;
mod units;
mod words;

pub use coverage::Demands;
pub use reading::{Cue, Reader, Reading};

/// What is measured of a text by itself or against the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// Against the request: what of it is kept.
    Coverage,
    /// Sections, lists, an output contract, balance.
    Structure,
    /// Short sentences, instructions, plain words.
    Clarity,
    /// Nothing said twice, no filler.
    Concision,
}

impl Measure {
    /// All measures.
    pub const ALL: [Self; 4] = [Self::Coverage, Self::Structure, Self::Clarity, Self::Concision];

    /// The name on every wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Coverage => "coverage",
            Self::Structure => "structure",
            Self::Clarity => "clarity",
            Self::Concision => "concision",
        }
    }

    /// How it is computed, for people.
    pub const fn formula(self) -> &'static str {
        match self {
            Self::Coverage => coverage::FORMULA,
            Self::Structure => structure::FORMULA,
            Self::Clarity => clarity::FORMULA,
            Self::Concision => concision::FORMULA,
        }
    }

    /// The value for one text, 0..=1.
    pub fn of(self, reading: &Reading, demands: &Demands) -> f64 {
        match self {
            Self::Coverage => demands.coverage(reading),
            Self::Structure => structure::structure(reading),
            Self::Clarity => clarity::clarity(reading),
            Self::Concision => concision::concision(reading),
        }
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
