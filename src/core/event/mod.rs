//! What happens during a run, as one typed stream that every face shows.
//!
//! [`Event`] is the vocabulary (contract, section 2). [`fold`] turns events into a [`RunView`],
//! which the workbench and the command line draw. [`run`] is the bounded channel that carries them.
//!
//! Laws, each a property test: `seq` rises by one from 0; every started phase finishes or its variant fails; the
//! deltas of a phase since its last `retrying` concatenate to the content of its `phase_finished`; there is
//! exactly one terminal event, and it is the last.

pub mod fold;
#[cfg(any(test, feature = "test-support"))]
pub mod laws;
pub mod part;
pub mod run;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{
    BatchRow, BatchSummary, Comparison, GenerationResult, ImportReport, JudgeAudit, ModelMetadata, Operation, Phase,
    Prompt, ProviderTests, Ranking, Reindexed, SelectResult, SessionId,
};
use crate::error::{Code, Error, Problem};

pub use fold::{PhaseState, PhaseView, RunState, RunView, VariantState, VariantView};

/// One event of a run as delivered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// The run.
    pub session_id: SessionId,
    /// From 0, without gaps, numbered on delivery.
    pub seq: u64,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened. `type` on the wire is the name in snake case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventKind {
    /// The run started. Always the first event.
    Started {
        /// The operation.
        operation: Operation,
        /// The maximum number of units of work, if known: variants of a generation, comparisons of
        /// a selection.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total: Option<u64>,
        /// How many variants will be made; absent if none.
        #[serde(default, skip_serializing_if = "is_zero")]
        variants: u32,
        /// The phases, in order; absent if there are none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        phases: Vec<Phase>,
    },
    /// A phase of a variant started.
    PhaseStarted {
        /// The variant's number.
        variant: u32,
        /// The phase.
        phase: Phase,
        /// The provider asked.
        provider: String,
        /// The model asked.
        model: String,
        /// The strategy of this variant.
        strategy: String,
    },
    /// Text arrived.
    Delta {
        /// The variant's number.
        variant: u32,
        /// The phase.
        phase: Phase,
        /// The new text, to be appended.
        text: String,
    },
    /// A phase of a variant is complete.
    PhaseFinished {
        /// The variant's number.
        variant: u32,
        /// The phase.
        phase: Phase,
        /// The provider that answered.
        provider: String,
        /// The model that answered.
        model: String,
        /// The whole text: what the deltas add up to.
        content: String,
        /// Its tokens, cost and latency.
        model_metadata: ModelMetadata,
    },
    /// A variant is complete and, unless storing was switched off, stored.
    VariantFinished {
        /// The variant's number.
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
    /// A variant failed. The others go on.
    VariantFailed {
        /// The variant's number.
        variant: u32,
        /// The phase it failed in.
        phase: Option<Phase>,
        /// Why.
        error: Box<Problem>,
    },
    /// A call failed and is retried; text received for this phase so far is void.
    Retrying {
        /// The variant's number.
        variant: u32,
        /// The phase.
        phase: Phase,
        /// The provider asked next.
        provider: String,
        /// The model asked next.
        model: String,
        /// The number of the next attempt, from 2.
        attempt: u32,
        /// Milliseconds until the next attempt.
        delay_ms: u64,
        /// Why the last one failed.
        error: Box<Problem>,
    },
    /// A warning for the user.
    Warning {
        /// The variant it concerns, if one.
        variant: Option<u32>,
        /// The phase it concerns, if one.
        phase: Option<Phase>,
        /// The text of the warning.
        message: String,
        /// The code of the underlying error, if there is one that a caller may have to act on.
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
    /// What the run cost, if no result says so: calls were cut off before their cost was known, or
    /// the judge was stopped or failed after calls that may be billed. Comes right before the last
    /// event.
    Spent {
        /// Totals of all calls of the run, with an upper bound of their cost.
        model_metadata: ModelMetadata,
    },
    /// Progress of an operation whose units have no events of their own. A later one replaces an
    /// earlier one that has not been read yet.
    Progress {
        /// The current part, if the operation has several: each counts from 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part: Option<String>,
        /// Units done.
        done: u64,
        /// Units in all, if already known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total: Option<u64>,
    },
    /// A unit of work without an event of its own started.
    UnitStarted {
        /// Its name, unique in the run.
        unit: String,
    },
    /// A unit of work without an event of its own is done.
    UnitFinished {
        /// Its name.
        unit: String,
        /// Its outcome, in the form it has in the result.
        result: serde_json::Value,
    },
    /// A row of a batch is done.
    RowFinished {
        /// How it ended.
        #[serde(flatten)]
        row: Box<BatchRow>,
    },
    /// Done. Terminal.
    Finished {
        /// The operation and its result.
        #[serde(flatten)]
        outcome: Box<Outcome>,
    },
    /// The run failed. Terminal.
    Failed {
        /// Why.
        error: Box<Problem>,
    },
    /// The run was stopped; what had finished is kept. Terminal.
    Cancelled {},
}

/// The result of a run, tagged with its operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "operation", content = "result", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "there is one a run, and the event boxes it")]
pub enum Outcome {
    /// The generated prompts.
    Generate(GenerationResult),
    /// The judge's choice.
    Select(SelectResult),
    /// The judge's choice in a comparison.
    Compare(SelectResult),
    /// The counts of a batch.
    Batch(BatchSummary),
    /// The result of testing a judge.
    #[serde(rename = "judge audit")]
    JudgeAudit(Box<JudgeAudit>),
    /// The report of a rebuilt index.
    Reindex(Reindexed),
    /// The report of an import.
    Import(ImportReport),
    /// The report of importing the Go program's history.
    Migrate(ImportReport),
    /// Whether each provider answers.
    #[serde(rename = "test-providers")]
    TestProviders(ProviderTests),
}

impl Outcome {
    /// The operation that gave this result.
    pub const fn operation(&self) -> Operation {
        match self {
            Self::Generate(_) => Operation::Generate,
            Self::Select(_) => Operation::Select,
            Self::Compare(_) => Operation::Compare,
            Self::Batch(_) => Operation::Batch,
            Self::JudgeAudit(_) => Operation::JudgeAudit,
            Self::Reindex(_) => Operation::Reindex,
            Self::Import(_) => Operation::Import,
            Self::Migrate(_) => Operation::Migrate,
            Self::TestProviders(_) => Operation::TestProviders,
        }
    }

    /// The result alone, for writing where its operation is known.
    pub const fn result(&self) -> ResultOf<'_> {
        match self {
            Self::Generate(result) => ResultOf::Generation(result),
            Self::Select(result) | Self::Compare(result) => ResultOf::Selection(result),
            Self::Batch(summary) => ResultOf::Batch(summary),
            Self::JudgeAudit(result) => ResultOf::JudgeAudit(result),
            Self::Reindex(result) => ResultOf::Reindexed(result),
            Self::Import(result) | Self::Migrate(result) => ResultOf::Import(result),
            Self::TestProviders(result) => ResultOf::ProviderTests(result),
        }
    }

    /// The prompts that were made.
    pub const fn generation(&self) -> Option<&GenerationResult> {
        match self {
            Self::Generate(result) => Some(result),
            _ => None,
        }
    }

    /// The judge's choice among stored prompts.
    pub const fn selection(&self) -> Option<&SelectResult> {
        match self {
            Self::Select(result) | Self::Compare(result) => Some(result),
            _ => None,
        }
    }
}

/// A result without the name of its operation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ResultOf<'a> {
    /// Prompts.
    Generation(&'a GenerationResult),
    /// A choice.
    Selection(&'a SelectResult),
    /// Counts of rows.
    Batch(&'a BatchSummary),
    /// A judge's profile.
    JudgeAudit(&'a JudgeAudit),
    /// The report of a rebuilt index.
    Reindexed(&'a Reindexed),
    /// The report of an import.
    Import(&'a ImportReport),
    /// Whether each provider answers.
    ProviderTests(&'a ProviderTests),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl EventKind {
    /// The terminal event for this result.
    pub fn end_of(result: crate::error::Result<Outcome>) -> Self {
        match result {
            Ok(outcome) => Self::Finished { outcome: Box::new(outcome) },
            Err(Error::Cancelled) => Self::Cancelled {},
            Err(error) => Self::Failed { error: Box::new(error.into()) },
        }
    }

    /// The event of a completed prompt.
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
            Self::Progress { .. } => "progress",
            Self::UnitStarted { .. } => "unit_started",
            Self::UnitFinished { .. } => "unit_finished",
            Self::RowFinished { .. } => "row_finished",
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(kind: EventKind) -> Event {
        Event { session_id: SessionId(uuid::Uuid::nil()), seq: 7, kind }
    }

    #[test]
    fn what_an_operation_has_none_of_is_not_written() {
        let started =
            event(EventKind::Started { operation: Operation::Select, total: Some(3), variants: 0, phases: Vec::new() });
        let written = serde_json::to_value(&started).unwrap();
        let nil = "00000000-0000-0000-0000-000000000000";
        let expected = json!({ "type": "started", "session_id": nil, "seq": 7, "operation": "select", "total": 3 });
        assert_eq!(written, expected);
        assert_eq!(serde_json::from_value::<Event>(written).unwrap(), started);
    }

    #[test]
    fn the_operation_stands_beside_the_result() {
        let result = GenerationResult {
            session_id: SessionId(uuid::Uuid::nil()),
            prompts: Vec::new(),
            rankings: Vec::new(),
            selected: None,
            failures: Vec::new(),
            warnings: vec!["w".into()],
            model_metadata: ModelMetadata::default(),
        };
        let finished = event(EventKind::Finished { outcome: Box::new(Outcome::Generate(result.clone())) });
        let written = serde_json::to_value(&finished).unwrap();
        assert_eq!((&written["type"], &written["operation"]), (&json!("finished"), &json!("generate")));
        assert_eq!(written["result"], serde_json::to_value(&result).unwrap());
        assert_eq!(written.as_object().unwrap().len(), 5);
        assert_eq!(serde_json::from_value::<Event>(written).unwrap(), finished);
    }

    /// Results carry the names that their operations have everywhere.
    #[test]
    fn results_and_operations_have_the_same_names() {
        let written = json!({ "operation": "nothing", "result": {} });
        let refusal = serde_json::from_value::<Outcome>(written).unwrap_err().to_string();
        let those_with_results = [
            Operation::Generate,
            Operation::Select,
            Operation::Compare,
            Operation::Batch,
            Operation::JudgeAudit,
            Operation::Reindex,
            Operation::Import,
            Operation::Migrate,
            Operation::TestProviders,
        ];
        for operation in those_with_results {
            assert!(refusal.contains(&format!("`{operation}`")), "{refusal}");
        }
    }
}
