//! The end of a run: what was gathered becomes a result, or the error that stands for it.

use super::announce::Announcer;
use super::plan::Plan;
use crate::domain::{GenerationResult, ModelMetadata, Prompt, PromptId, VariantFailure};
use crate::error::Error;
use crate::event::{EventKind, Outcome, RunControl};

/// What the variants came to.
#[derive(Default)]
pub(super) struct Gathered {
    /// The finished ones, by number.
    pub(super) prompts: Vec<Prompt>,
    /// Those of them that the store has.
    pub(super) stored: Vec<PromptId>,
    /// The others, by number.
    pub(super) failures: Vec<VariantFailure>,
    /// Every finished call, those of failed variants too.
    pub(super) spent: Vec<ModelMetadata>,
    /// Why the first variant failed.
    pub(super) first_error: Option<Error>,
    /// Why the first prompt could not be stored.
    pub(super) unsaved: Option<Error>,
}

/// Ranks, judges, and gives the terminal event.
pub(super) async fn conclude(
    plan: &Plan,
    events: &Announcer,
    control: &RunControl,
    mut gathered: Gathered,
) -> EventKind {
    if control.token().is_cancelled() {
        return EventKind::Cancelled {};
    }
    if let Some(error) = verdict(plan, &mut gathered) {
        return EventKind::Failed { error: Box::new(error.into()) };
    }
    let result = GenerationResult {
        session_id: plan.session_id,
        prompts: gathered.prompts,
        rankings: Vec::new(),
        selected: None,
        failures: gathered.failures,
        warnings: events.warnings(),
        model_metadata: ModelMetadata::sum(&gathered.spent),
    };
    EventKind::Finished { result: Box::new(Outcome::Generation(result)) }
}

/// The error that stands for the whole run, if it has to be one: nothing finished, or nothing could be kept.
fn verdict(plan: &Plan, gathered: &mut Gathered) -> Option<Error> {
    if gathered.prompts.is_empty() {
        let lost = || Error::Internal("no variant finished and none said why".into());
        return Some(gathered.first_error.take().unwrap_or_else(lost));
    }
    if plan.save && gathered.stored.is_empty() { gathered.unsaved.take() } else { None }
}
