//! The three phases, named after alchemy: extract, rewrite, finalise.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One phase of the pipeline. A request names any non-empty subset, and they run in the order given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Extracts the task, the goal and the constraints from the request.
    PrimaMateria,
    /// Rewrites them as natural instructions.
    Solutio,
    /// Finalises the structured prompt.
    Coagulatio,
}

/// A text that names no phase.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a phase (prima-materia, solutio, coagulatio)")]
pub struct UnknownPhase(pub String);

impl Phase {
    /// All phases, in their natural order, which is also the default of a request.
    pub const ALL: [Self; 3] = [Self::PrimaMateria, Self::Solutio, Self::Coagulatio];

    /// The name on every wire, in every file and in every database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PrimaMateria => "prima-materia",
            Self::Solutio => "solutio",
            Self::Coagulatio => "coagulatio",
        }
    }

    /// What it does, in a word, for people.
    pub const fn gloss(self) -> &'static str {
        match self {
            Self::PrimaMateria => "extract",
            Self::Solutio => "rewrite",
            Self::Coagulatio => "finalise",
        }
    }
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

impl std::str::FromStr for Phase {
    type Err = UnknownPhase;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == text).ok_or_else(|| UnknownPhase(text.to_owned()))
    }
}
