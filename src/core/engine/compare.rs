//! `compare`: compares stored prompts side by side and, given a task, lets the judge choose.

use super::prepared::Prepared;
use super::{Engine, wiring};
use crate::api::CompareRequest;
use crate::compare::{self, CompareContext};
use crate::domain::{CompareResult, Operation, Prompt, Scope};
use crate::error::{Error, Result};
use crate::event::Outcome;
use crate::event::run::Run;

/// A comparison whose judging may not be done yet.
pub struct PendingComparison {
    side_by_side: CompareResult,
    judging: Option<Prepared>,
}

impl PendingComparison {
    /// The prepared judging; `None` if no task was given.
    pub fn take_prepared(&mut self) -> Option<Prepared> {
        self.judging.take()
    }

    /// Starts the judging; `None` if no task was given. Dropping the run cancels it.
    ///
    /// # Errors
    /// As [`Prepared::start`].
    pub fn take_run(&mut self) -> Result<Option<Run>> {
        self.take_prepared().map(Prepared::start).transpose()
    }

    /// The comparison, with the judge's choice if there was one.
    ///
    /// # Errors
    /// `internal` for the outcome of another operation.
    pub fn conclude(self, judged: Option<Outcome>) -> Result<CompareResult> {
        let selection = match judged {
            None => None,
            Some(Outcome::Compare(selection)) => Some(selection),
            Some(_) => return Err(Error::Internal("the judge's run ended with something else than a choice".into())),
        };
        Ok(CompareResult { selection, ..self.side_by_side })
    }
}

impl Engine {
    /// Compares prompts in the given order. Given a task, also prepares the judging.
    ///
    /// # Errors
    /// `not_found`; `validation_failed` for a prompt named twice; with a task the errors of
    /// [`Engine::select`], and `forbidden` for a token without the scope `spend`; `storage`.
    pub async fn compare(&self, request: CompareRequest) -> Result<PendingComparison> {
        if request.task().is_some() {
            self.require(Scope::Spend)?;
        }
        let prompts = self.distinct(request.prompt_ids()).await?;
        let side_by_side = self.side_by_side(prompts, request.task().map(str::to_owned)).await?;
        let judging = match request.task() {
            Some(_) => Some(self.prepare_selection(Operation::Compare, request.judging).await?),
            None => None,
        };
        Ok(PendingComparison { side_by_side, judging })
    }

    async fn side_by_side(&self, prompts: Vec<Prompt>, task: Option<String>) -> Result<CompareResult> {
        let weights = wiring::ranking_weights(self.config(), self.origins())?;
        let engine = self.clone();
        self.run_blocking(move |_| {
            let writer = engine.inner.registry.writer();
            let of = |prompt: &Prompt| {
                writer.gaps(task.as_deref().unwrap_or(&prompt.original_input), !prompt.context.is_empty())
            };
            let gaps = prompts.iter().map(of).collect::<Result<_>>()?;
            Ok(compare::compare(prompts, &CompareContext { task: task.as_deref(), gaps, weights: &weights }))
        })
        .await
    }
}
