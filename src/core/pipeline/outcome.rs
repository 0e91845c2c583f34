//! The end of a generation: ranks and judges the variants, and builds the result or the error.

use super::announce::Announcer;
use super::plan::{JudgePlan, Plan, Ports};
use super::run::past;
use super::selection::{self, JudgeJob};
use super::unsaved;
use crate::domain::{
    GenerationResult, ModelMetadata, Operation, Prompt, PromptId, Ranking, SelectResult, VariantFailure,
};
use crate::error::{Error, Result};
use crate::event::EventKind;
use crate::event::run::RunControl;
use crate::offload::offload;
use crate::rank;
use crate::store::Mutation;

/// The results of the variants.
#[derive(Default)]
pub(super) struct VariantResults {
    /// The finished prompts, by variant number.
    pub(super) prompts: Vec<Prompt>,
    /// The prompts that are stored.
    pub(super) stored: Vec<PromptId>,
    /// The variants that did not finish or could not be stored, by number.
    pub(super) failures: Vec<VariantFailure>,
    /// Every finished call, including those of failed variants.
    pub(super) spent: Vec<ModelMetadata>,
    /// Why the first variant failed.
    pub(super) first_error: Option<Error>,
}

impl VariantResults {
    /// The prompts that are stored.
    pub(super) fn stored_prompts(&self) -> Vec<Prompt> {
        self.prompts.iter().filter(|prompt| self.stored.contains(&prompt.id)).cloned().collect()
    }

    /// The prompts that could not be stored.
    pub(super) fn unstored_prompts(&self) -> Vec<Prompt> {
        self.prompts.iter().filter(|prompt| !self.stored.contains(&prompt.id)).cloned().collect()
    }
}

/// Ranks and judges the prompts, and returns the result.
///
/// # Errors
/// `cancelled`; the error of the first failed variant if none finished.
pub(super) async fn conclude(
    plan: &Plan,
    ports: &Ports,
    events: &Announcer,
    control: &RunControl,
    deadline: Option<tokio::time::Instant>,
    mut gathered: VariantResults,
) -> Result<GenerationResult> {
    let rankings = if gathered.prompts.is_empty() {
        Vec::new()
    } else {
        let given_up = async {
            tokio::select! {
                () = control.token().cancelled() => None,
                () = past(deadline) => Some("the run's timeout passed before they were ranked"),
            }
        };
        rank_prompts(plan, ports, events, given_up, &mut gathered).await
    };
    if control.token().is_cancelled() {
        return Err(Error::Cancelled);
    }
    if gathered.prompts.is_empty() {
        let lost = || Error::Internal("no variant finished and none said why".into());
        return Err(gathered.first_error.take().unwrap_or_else(lost));
    }
    let selected = match &plan.judge {
        Some(judge) => select(plan, ports, judge, events, control, deadline, &mut gathered).await,
        None => None,
    };
    if control.token().is_cancelled() {
        return Err(Error::Cancelled);
    }
    Ok(GenerationResult {
        session_id: plan.session_id,
        prompts: gathered.prompts,
        rankings,
        selected,
        failures: gathered.failures,
        warnings: events.warnings(),
        model_metadata: plan.account.unseen().added_to(ModelMetadata::sum(&gathered.spent)),
    })
}

/// Sets the scores, sorts the prompts, stores the ranking and sends its event. If ranking is given
/// up or fails, the prompts stay in variant order.
async fn rank_prompts(
    plan: &Plan,
    ports: &Ports,
    events: &Announcer,
    given_up: impl Future<Output = Option<&'static str>>,
    gathered: &mut VariantResults,
) -> Vec<Ranking> {
    let ranked = tokio::select! {
        biased;
        ranked = ranked(plan, ports, gathered.prompts.clone()) => ranked.map_err(|error| Some(error.to_string())),
        reason = given_up => Err(reason.map(str::to_owned)),
    };
    let rankings = match ranked {
        Ok(rankings) => rankings,
        Err(reason) => {
            if let Some(reason) = reason {
                events.warn(None, None, format!("the prompts are not ranked: {reason}")).await;
            }
            return Vec::new();
        }
    };
    for ranking in &rankings {
        if let Some(prompt) = gathered.prompts.iter_mut().find(|prompt| prompt.id == ranking.prompt_id) {
            prompt.score = Some(ranking.score);
            prompt.score_formula = Some(ranking.formula);
        }
    }
    let place = |prompt: &Prompt| rankings.iter().position(|ranking| ranking.prompt_id == prompt.id);
    gathered.prompts.sort_by_key(place);
    let stored: Vec<Ranking> =
        rankings.iter().filter(|ranking| gathered.stored.contains(&ranking.prompt_id)).cloned().collect();
    if plan.save
        && !stored.is_empty()
        && let Err(error) = ports.store.apply(Mutation::Rank { rankings: stored }).await
    {
        events
            .warn_unsaved(None, &Error::Storage(format!("the scores of the prompts could not be stored: {error}")))
            .await;
    }
    if plan.save {
        unsaved::save_scored(plan, ports, gathered.unstored_prompts()).await;
    }
    events.send(EventKind::Ranked { rankings: rankings.clone() }).await;
    rankings
}

/// Ranks the prompts.
async fn ranked(plan: &Plan, ports: &Ports, prompts: Vec<Prompt>) -> Result<Vec<Ranking>> {
    let bytes = plan.input.len() + prompts.iter().map(|prompt| prompt.content.len()).sum::<usize>();
    let persona = ports.assets.persona(&plan.persona).ok();
    let (input, context, gaps) = (plan.input.clone(), plan.context.clone(), plan.gaps);
    let weights = plan.ranking_weights.clone();
    offload(bytes, move || {
        let checks = persona.as_deref().map_or(&[][..], |persona| &persona.checks);
        let inputs = rank::RankInputs {
            original_input: &input,
            context: &context,
            gaps,
            checks,
            weights: &weights,
            history: None,
        };
        rank::rank(&prompts, &inputs)
    })
    .await
}

/// Lets the judge choose. If the judge fails, the run has a warning and no choice.
async fn select(
    plan: &Plan,
    ports: &Ports,
    judge: &JudgePlan,
    events: &Announcer,
    control: &RunControl,
    deadline: Option<tokio::time::Instant>,
    gathered: &mut VariantResults,
) -> Option<SelectResult> {
    // This was held back for the judge while the variants were made; the rest is released later.
    let allotment = plan.slots.is_none().then(|| plan.account.judge_allotment());
    let before = plan.account.answered();
    let job = JudgeJob {
        operation: Operation::Generate,
        judge: judge.clone(),
        task: plan.input.clone(),
        persona: plan.persona.clone(),
        keep: plan.save,
        timeout: plan.timeout,
        concurrency: plan.concurrency,
        account: allotment.as_ref().map_or_else(|| plan.account.clone(), |allotment| allotment.account(0)),
    };
    let selected = selection::choose(&job, &gathered.prompts, ports, events, control, deadline).await;
    match selected {
        Ok(selected) => {
            gathered.spent.push(selected.model_metadata.clone());
            Some(selected)
        }
        Err(Error::Cancelled) => None,
        Err(error) => {
            gathered.spent.extend(plan.account.answered().since(before).account());
            events.warn_of("the judge chose none", &error).await;
            None
        }
    }
}
