//! What happens during a run, as one typed stream that every face shows.
//!
//! [`Event`] is the vocabulary (contract, section 2). [`fold`] turns a stream of them into a [`RunView`], the one
//! picture that the workbench and the command line draw. [`run`] is the bounded channel that carries them.
//!
//! Laws, each a property test: `seq` rises by one from 0; every started phase finishes or its variant fails; the
//! deltas of a phase since its last `retrying` concatenate to the content of its `phase_finished`; there is
//! exactly one terminal event, and it is the last.

pub mod fold;
#[cfg(any(test, feature = "test-support"))]
pub mod laws;
pub mod run;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{Comparison, GenerationResult, ModelMetadata, Phase, Prompt, Ranking, SelectResult, SessionId};
use crate::error::{Code, Problem};

pub use fold::{PhaseState, PhaseView, RunState, RunView, VariantState, VariantView};
pub use run::{EventSender, Run, RunControl};

/// One event of a run as delivered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// The run.
    pub session_id: SessionId,
    /// From 0, without gaps: numbered as the consumer takes it.
    pub seq: u64,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened. `type` on the wire is the name in snake case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventKind {
    /// The run began. Always the first event.
    Started {
        /// What was asked for: `generate`, `select`.
        operation: String,
        /// How many variants will be made.
        variants: u32,
        /// The phases, in order.
        phases: Vec<Phase>,
    },
    /// A phase of a variant began.
    PhaseStarted {
        /// Which variant.
        variant: u32,
        /// Which phase.
        phase: Phase,
        /// The provider asked.
        provider: String,
        /// The model asked.
        model: String,
        /// How this variant is asked for.
        strategy: String,
    },
    /// Text arrived.
    Delta {
        /// Which variant.
        variant: u32,
        /// Which phase.
        phase: Phase,
        /// The new text, to be appended.
        text: String,
    },
    /// A phase of a variant is complete.
    PhaseFinished {
        /// Which variant.
        variant: u32,
        /// Which phase.
        phase: Phase,
        /// The provider that answered.
        provider: String,
        /// The model that answered.
        model: String,
        /// The whole text: what the deltas add up to.
        content: String,
        /// What it took.
        model_metadata: ModelMetadata,
    },
    /// A variant is complete and, unless storing was switched off, stored. See [`EventKind::variant_finished`].
    VariantFinished {
        /// Which variant.
        variant: u32,
        /// The last phase that shaped it.
        phase: Phase,
        /// The provider of that phase.
        provider: String,
        /// The model of that phase.
        model: String,
        /// The whole prompt.
        prompt: Box<Prompt>,
    },
    /// A variant gave up. The others go on.
    VariantFailed {
        /// Which variant.
        variant: u32,
        /// The phase it failed in.
        phase: Option<Phase>,
        /// Why.
        error: Box<Problem>,
    },
    /// A call failed and is made again; text shown of this phase is void.
    Retrying {
        /// Which variant.
        variant: u32,
        /// Which phase.
        phase: Phase,
        /// The provider asked next.
        provider: String,
        /// The model asked next.
        model: String,
        /// The attempt that follows, from 2.
        attempt: u32,
        /// Milliseconds until it.
        delay_ms: u64,
        /// Why the last one failed.
        error: Box<Problem>,
    },
    /// Something the user should know.
    Warning {
        /// The variant it concerns, if one.
        variant: Option<u32>,
        /// The phase it concerns, if one.
        phase: Option<Phase>,
        /// In words.
        message: String,
        /// The code of the error behind it, where there is one that a caller may have to act on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
    },
    /// The finished variants are ranked.
    Ranked {
        /// Best first.
        rankings: Vec<Ranking>,
    },
    /// The judge compared two candidates.
    Judged {
        /// Its verdict.
        comparison: Comparison,
    },
    /// What the run cost, where no result says so: calls were cut off before that was known, or the judge was stopped or
    /// failed after calls that may have been paid for. Comes right before the last event, whatever that is.
    Spent {
        /// What all calls of the run took, with the most they may have cost.
        model_metadata: ModelMetadata,
    },
    /// Done. Terminal.
    Finished {
        /// The whole result.
        result: Box<Outcome>,
    },
    /// Nothing came of it. Terminal.
    Failed {
        /// Why.
        error: Box<Problem>,
    },
    /// Stopped by its owner; what had finished is kept. Terminal.
    Cancelled {},
}

/// The result of a run, by operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "there is one a run, and the event boxes it")]
pub enum Outcome {
    /// Of `generate`.
    Generation(GenerationResult),
    /// Of `select`.
    Selection(SelectResult),
}

impl EventKind {
    /// That this prompt is complete.
    pub fn variant_finished(prompt: Prompt) -> Self {
        Self::VariantFinished {
            variant: prompt.variant,
            phase: prompt.phase,
            provider: prompt.provider.clone(),
            model: prompt.model.clone(),
            prompt: Box::new(prompt),
        }
    }

    /// The name on the wire.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Started { .. } => "started",
            Self::PhaseStarted { .. } => "phase_started",
            Self::Delta { .. } => "delta",
            Self::PhaseFinished { .. } => "phase_finished",
            Self::VariantFinished { .. } => "variant_finished",
            Self::VariantFailed { .. } => "variant_failed",
            Self::Retrying { .. } => "retrying",
            Self::Warning { .. } => "warning",
            Self::Ranked { .. } => "ranked",
            Self::Judged { .. } => "judged",
            Self::Spent { .. } => "spent",
            Self::Finished { .. } => "finished",
            Self::Failed { .. } => "failed",
            Self::Cancelled {} => "cancelled",
        }
    }

    /// True for the last event of a run.
    pub const fn is_terminal(&self) -> bool {
        matches!(self, Self::Finished { .. } | Self::Failed { .. } | Self::Cancelled {})
    }

    /// The variant it concerns, if one.
    pub const fn variant(&self) -> Option<u32> {
        match self {
            Self::PhaseStarted { variant, .. }
            | Self::Delta { variant, .. }
            | Self::PhaseFinished { variant, .. }
            | Self::VariantFinished { variant, .. }
            | Self::VariantFailed { variant, .. }
            | Self::Retrying { variant, .. } => Some(*variant),
            Self::Warning { variant, .. } => *variant,
            _ => None,
        }
    }
}
