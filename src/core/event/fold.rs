//! The state of a run, folded from its events. The workbench and the command line draw it.
//!
//! [`RunView::apply`] is total and order-respecting: folding a prefix and then the rest equals
//! folding all. It keeps text as it arrived and derives nothing that no event states.

use std::collections::BTreeMap;

use super::{Event, EventKind, Outcome};
use crate::domain::{
    Comparison, GenerationResult, ModelMetadata, Operation, Phase, Prompt, Ranking, RowStatus, SelectResult, SessionId,
};
use crate::error::{Code, Error, Problem};

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum RunState {
    /// Nothing has arrived yet.
    #[default]
    Waiting,
    /// In progress.
    Running,
    /// Ended with a result.
    Finished(Box<Outcome>),
    /// Ended with an error.
    Failed(Box<Problem>),
    /// It was stopped.
    Cancelled,
}

/// How far a variant is.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum VariantState {
    /// No phase has begun.
    #[default]
    Queued,
    /// A phase is running.
    Running,
    /// Complete.
    Finished(Box<Prompt>),
    /// Gave up.
    Failed(Box<Problem>),
}

/// How far a phase of a variant is.
#[derive(Debug, Clone, PartialEq)]
pub enum PhaseState {
    /// Called, or text is arriving.
    Streaming,
    /// Waiting to be called again.
    Retrying {
        /// The attempt that follows.
        attempt: u32,
        /// Milliseconds until then.
        delay_ms: u64,
        /// Why the last one failed.
        error: Box<Problem>,
    },
    /// Complete.
    Finished(Box<ModelMetadata>),
    /// Gave up.
    Failed,
}

/// One phase of one variant.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseView {
    /// Which phase.
    pub phase: Phase,
    /// The provider asked.
    pub provider: String,
    /// The model asked.
    pub model: String,
    /// How far it is.
    pub state: PhaseState,
    /// The text so far.
    pub text: String,
}

/// One variant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VariantView {
    /// The name of its strategy.
    pub strategy: String,
    /// How far it is.
    pub state: VariantState,
    /// The phases begun, in order.
    pub phases: Vec<PhaseView>,
    /// Why it is not stored though it is complete, and where its text was saved.
    pub unsaved: Option<String>,
}

/// The whole run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunView {
    /// The run; `None` before its first event.
    pub session_id: Option<SessionId>,
    /// What was asked for; `None` before its first event.
    pub operation: Option<Operation>,
    /// Units that are done: variants that finished or failed, comparisons.
    pub done: u64,
    /// Units in all, at most, where that is known.
    pub total: Option<u64>,
    /// Rows of a batch that failed.
    pub failed_rows: u64,
    /// The part of the work being counted, where it has several.
    pub part: Option<String>,
    /// The units without events of their own, in the order they began, each with its result.
    pub units: Vec<(String, Option<serde_json::Value>)>,
    /// The phases of every variant, in order.
    pub phases: Vec<Phase>,
    /// How far it is.
    pub state: RunState,
    /// By number. All announced variants are present from the start.
    pub variants: BTreeMap<u32, VariantView>,
    /// What the user should know, in order of arrival.
    pub warnings: Vec<String>,
    /// The first warning that a cap prevented something.
    pub cap_warning: Option<String>,
    /// The warnings that something other than a variant could not be stored: scores, a judgement.
    pub storage_warnings: Vec<String>,
    /// Best first, once ranked.
    pub rankings: Vec<Ranking>,
    /// The judge's comparisons so far.
    pub comparisons: Vec<Comparison>,
    /// What all calls took, where some were cut off before their cost was known.
    pub spent: Option<Box<ModelMetadata>>,
}

impl RunView {
    /// Applies one event.
    pub fn apply(&mut self, event: &Event) {
        self.session_id = Some(event.session_id);
        if self.is_over() {
            return;
        }
        self.apply_kind(&event.kind);
    }

    fn apply_kind(&mut self, kind: &EventKind) {
        match kind {
            EventKind::Started { operation, total, variants, phases } => {
                self.operation = Some(*operation);
                self.total = *total;
                self.phases.clone_from(phases);
                self.state = RunState::Running;
                for number in 0..*variants {
                    self.variants.entry(number).or_default();
                }
            }
            EventKind::PhaseStarted { variant, phase, provider, model, strategy } => {
                let variant = self.variants.entry(*variant).or_default();
                variant.strategy.clone_from(strategy);
                variant.state = VariantState::Running;
                variant.phases.push(PhaseView {
                    phase: *phase,
                    provider: provider.clone(),
                    model: model.clone(),
                    state: PhaseState::Streaming,
                    text: String::new(),
                });
            }
            EventKind::Delta { variant, phase, text } => {
                if let Some(view) = self.phase_mut(*variant, *phase) {
                    view.state = PhaseState::Streaming;
                    view.text.push_str(text);
                }
            }
            EventKind::PhaseFinished { variant, phase, provider, model, content, model_metadata } => {
                if let Some(view) = self.phase_mut(*variant, *phase) {
                    view.provider.clone_from(provider);
                    view.model.clone_from(model);
                    view.text.clone_from(content);
                    view.state = PhaseState::Finished(Box::new(model_metadata.clone()));
                }
            }
            EventKind::Retrying { variant, phase, provider, model, attempt, delay_ms, error } => {
                if let Some(view) = self.phase_mut(*variant, *phase) {
                    view.provider.clone_from(provider);
                    view.model.clone_from(model);
                    view.text.clear();
                    view.state = PhaseState::Retrying { attempt: *attempt, delay_ms: *delay_ms, error: error.clone() };
                }
            }
            EventKind::VariantFinished { variant, prompt, .. } => {
                self.done += 1;
                self.variants.entry(*variant).or_default().state = VariantState::Finished(prompt.clone());
            }
            EventKind::VariantFailed { variant, phase, error } => {
                if let Some(view) = phase.and_then(|phase| self.phase_mut(*variant, phase)) {
                    view.state = PhaseState::Failed;
                }
                self.done += 1;
                self.variants.entry(*variant).or_default().state = VariantState::Failed(error.clone());
            }
            EventKind::Warning { message, code, variant, .. } => {
                self.warnings.push(message.clone());
                match (code, variant) {
                    (Some(Code::BudgetExceeded), _) => {
                        self.cap_warning.get_or_insert_with(|| message.clone());
                    }
                    (Some(Code::Storage), Some(variant)) => {
                        self.variants.entry(*variant).or_default().unsaved = Some(message.clone());
                    }
                    (Some(Code::Storage), None) => self.storage_warnings.push(message.clone()),
                    _ => {}
                }
            }
            EventKind::Ranked { rankings } => self.rankings.clone_from(rankings),
            EventKind::Judged { comparison } => {
                // In a generation the judge's comparisons are not units.
                self.done += u64::from(self.operation != Some(Operation::Generate));
                self.comparisons.push(comparison.clone());
            }
            EventKind::Progress { part, done, total } => {
                // Each part is counted separately.
                self.total = if self.part == *part { total.or(self.total) } else { *total };
                self.part.clone_from(part);
                self.done = *done;
            }
            EventKind::UnitStarted { unit } => self.units.push((unit.clone(), None)),
            EventKind::UnitFinished { unit, result } => {
                self.done += 1;
                match self.units.iter_mut().find(|(name, _)| name == unit) {
                    Some((_, known)) => *known = Some(result.clone()),
                    None => self.units.push((unit.clone(), Some(result.clone()))),
                }
            }
            EventKind::RowFinished { row } => {
                self.done += 1;
                self.failed_rows += u64::from(row.status == RowStatus::Failed);
                if let Some(result) = &row.result {
                    let before = self.spent.iter().map(|spent| &**spent);
                    self.spent = Some(Box::new(ModelMetadata::sum(before.chain([&result.model_metadata]))));
                }
            }
            EventKind::Spent { model_metadata } => self.spent = Some(Box::new(model_metadata.clone())),
            EventKind::Finished { outcome } => self.state = RunState::Finished(outcome.clone()),
            EventKind::Failed { error } => self.state = RunState::Failed(error.clone()),
            EventKind::Cancelled {} => self.state = RunState::Cancelled,
        }
    }

    fn phase_mut(&mut self, variant: u32, phase: Phase) -> Option<&mut PhaseView> {
        self.variants.get_mut(&variant)?.phases.iter_mut().rev().find(|view| view.phase == phase)
    }

    /// True after the terminal event.
    pub fn is_over(&self) -> bool {
        !matches!(self.state, RunState::Waiting | RunState::Running)
    }

    /// The variants that are complete, by number.
    pub fn finished_prompts(&self) -> impl Iterator<Item = &Prompt> {
        self.variants.values().filter_map(|variant| match &variant.state {
            VariantState::Finished(prompt) => Some(&**prompt),
            _ => None,
        })
    }

    /// The first refusal by a cap, if any: something requested was not done.
    pub fn cap_reached(&self) -> Option<Problem> {
        let refused = self.variants.values().find_map(|variant| match &variant.state {
            VariantState::Failed(problem) if problem.code == Code::BudgetExceeded => Some(Problem::clone(problem)),
            _ => None,
        });
        let warned = self.cap_warning.clone();
        refused.or_else(|| warned.map(|detail| Error::Budget(detail).into()))
    }

    /// The finished variants that are not stored, by number, each with why and where its text was saved.
    pub fn unsaved(&self) -> impl Iterator<Item = (u32, &str)> {
        self.variants.iter().filter_map(|(number, variant)| Some((*number, variant.unsaved.as_deref()?)))
    }

    /// Everything the run could not store, with the consequences, as one problem.
    pub fn not_stored(&self) -> Option<Problem> {
        let of_variant = |(number, variant): (&u32, &VariantView)| {
            let why = match (&variant.unsaved, &variant.state) {
                (Some(why), _) => why,
                (None, VariantState::Failed(problem)) if problem.code == Code::Storage => &problem.detail,
                _ => return None,
            };
            Some(format!("variant {}: {why}", number + 1))
        };
        let variants = self.variants.iter().filter_map(of_variant);
        let all: Vec<String> = variants.chain(self.storage_warnings.iter().cloned()).collect();
        (!all.is_empty()).then(|| Error::Storage(all.join("\n")).into())
    }

    /// What the calls took: by the result's own account, until then of the calls that have ended.
    pub fn account(&self) -> ModelMetadata {
        if let Some(result) = self.generation() {
            return result.model_metadata.clone();
        }
        if let Some(spent) = &self.spent {
            return ModelMetadata::clone(spent);
        }
        let phases = self.variants.values().flat_map(|variant| &variant.phases);
        ModelMetadata::sum(phases.filter_map(|phase| match &phase.state {
            PhaseState::Finished(metadata) => Some(&**metadata),
            _ => None,
        }))
    }

    /// The result of a finished generate run.
    pub fn generation(&self) -> Option<&GenerationResult> {
        match &self.state {
            RunState::Finished(outcome) => outcome.generation(),
            _ => None,
        }
    }

    /// The result of a finished selection.
    pub fn selection(&self) -> Option<&SelectResult> {
        match &self.state {
            RunState::Finished(outcome) => outcome.selection(),
            _ => None,
        }
    }
}
