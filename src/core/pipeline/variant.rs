//! Runs one variant: its phases in order, each with the cleaned text of the previous one as input.
//!
//! Reports through the run's events. Stores nothing: [`super::run`] does, when the variant is done.

use std::sync::Arc;

use futures_util::StreamExt;

use super::announce::Announcer;
use super::plan::{PhaseBinding, Plan, Ports, step_of};
use crate::domain::{BUILTIN, ModelMetadata, Phase, Prompt, Source, Step};
use crate::error::{Error, Problem, ProviderError, ProviderFailure, Result};
use crate::event::EventKind;
use crate::ledger::{Account, Allotment};
use crate::offload::offload;
use crate::prompting;
use crate::provider::{ChatRequest, Chunk, Completion, PhaseBrief};
use crate::store::{JobProgress, JobUnit};
use crate::text::clean::Cleaner;

/// The progress of a variant. Outlives the work, so that a stopped variant can report it.
#[derive(Default)]
pub(super) struct Progress {
    /// The current phase, or the last one.
    pub(super) phase: Option<Phase>,
    /// The cost of each finished phase.
    pub(super) spent: Vec<ModelMetadata>,
}

/// Runs all phases of a variant, which draw on its reservation.
pub(super) async fn run(
    plan: &Plan,
    ports: &Ports,
    events: &Announcer,
    variant: u32,
    allotment: Option<&Allotment>,
    progress: &mut Progress,
) -> Result<Prompt> {
    let strategy = plan.strategy(variant).to_owned();
    let mut steps: Vec<Step> = Vec::with_capacity(plan.phases.len());
    // Only the phases still to be done have a reservation.
    let mut called = 0;
    for (place, binding) in plan.phases.iter().enumerate() {
        let input = steps.last().map_or(plan.input.as_str(), |step| step.content.as_str()).to_owned();
        progress.phase = Some(binding.phase);
        let step = match earlier(plan, variant, binding.phase) {
            Some(step) => step,
            None => {
                let account = allotment.map_or_else(|| plan.account.clone(), |allotment| allotment.account(called));
                called += 1;
                let call = PhaseCall { plan, ports, events, binding, variant, strategy: &strategy, account };
                let step = call.run(input).await?;
                // The last step is recorded with the prompt.
                if place + 1 < plan.phases.len() {
                    note(plan, variant, &step);
                }
                step
            }
        };
        progress.spent.push(step.model_metadata.clone());
        steps.push(step);
    }
    assemble(plan, ports, variant, strategy, steps)
        .ok_or_else(|| Error::Internal("a run without phases was planned".into()))
}

/// The step of this phase that an earlier attempt of the job recorded.
fn earlier(plan: &Plan, variant: u32, phase: Phase) -> Option<Step> {
    let result = plan.journal.as_ref()?.result_of(&step_of(variant, phase))?;
    serde_json::from_value(result.clone()).ok()
}

/// Records a step, so that it is not paid for twice. Steps of `builtin` are cheaper to repeat.
fn note(plan: &Plan, variant: u32, step: &Step) {
    let Some(journal) = plan.journal.as_ref().filter(|_| step.provider != BUILTIN) else { return };
    match serde_json::to_value(step) {
        Ok(result) => {
            let unit = JobUnit { unit: step_of(variant, step.phase), is_whole: false, result };
            journal.note(JobProgress { units: vec![unit], ..JobProgress::default() });
        }
        Err(defect) => tracing::error!(%defect, "a step cannot be written down"),
    }
}

/// Cleans the next chunk of an answer; returns the cleaner and the text that can be shown.
async fn cleaned(mut cleaner: Cleaner, piece: String) -> Result<(Cleaner, String)> {
    offload(piece.len(), move || {
        let shown = cleaner.push(&piece);
        (cleaner, shown)
    })
    .await
}

/// Builds the finished prompt from its steps; `None` without steps.
fn assemble(plan: &Plan, ports: &Ports, variant: u32, strategy: String, steps: Vec<Step>) -> Option<Prompt> {
    let last = steps.last()?;
    let wanted = plan.phases.last()?;
    let now = ports.clock.now();
    Some(Prompt {
        id: ports.ids.prompt(),
        session_id: plan.session_id,
        variant,
        content: last.content.clone(),
        original_input: plan.input.clone(),
        phase: last.phase,
        persona: plan.persona.clone(),
        provider: last.provider.clone(),
        model: last.model.clone(),
        temperature: wanted.temperature,
        max_tokens: wanted.max_tokens,
        tags: plan.tags.clone(),
        context: plan.context.clone(),
        notes: None,
        parent_id: plan.parent,
        source: Source::Generated,
        strategy,
        revision: 1,
        score: None,
        score_formula: None,
        model_metadata: prompt_metadata(&steps),
        steps,
        created_at: now,
        updated_at: now,
    })
}

/// The sum of the steps, with the provider and model of the last one.
fn prompt_metadata(steps: &[Step]) -> ModelMetadata {
    let mut total = ModelMetadata::sum(steps.iter().map(|step| &step.model_metadata));
    if let Some(last) = steps.last() {
        total.provider.clone_from(&last.provider);
        total.model.clone_from(&last.model);
    }
    total
}

/// One phase of one variant.
struct PhaseCall<'a> {
    plan: &'a Plan,
    ports: &'a Ports,
    events: &'a Announcer,
    binding: &'a PhaseBinding,
    variant: u32,
    strategy: &'a str,
    account: Account,
}

impl PhaseCall<'_> {
    async fn run(&self, input: String) -> Result<Step> {
        let brief = PhaseBrief {
            phase: self.binding.phase,
            phases: self.plan.phase_names(),
            persona: self.plan.persona.clone(),
            strategy: self.strategy.to_owned(),
            target: self.plan.target,
            variant: self.variant,
            original_input: self.plan.input.clone(),
            input,
            context: self.plan.context.clone(),
        };
        let binding = self.binding;
        let mut request = self.request(brief).await?;
        request.account = self.account.clone();
        self.events
            .send(EventKind::PhaseStarted {
                variant: self.variant,
                phase: binding.phase,
                provider: binding.provider.name().to_owned(),
                model: binding.model.clone().unwrap_or_else(|| binding.provider.default_model().to_owned()),
                strategy: self.strategy.to_owned(),
            })
            .await;
        let mut stream = binding.provider.stream(request);
        let users_texts = || self.plan.context.iter().chain([&self.plan.input]).map(String::as_str);
        let (mut cleaner, mut content) = (Cleaner::keeping(users_texts()), String::new());
        let mut received = 0;
        while let Some(chunk) = stream.next().await {
            match chunk? {
                Chunk::Text(text) => {
                    received += text.len();
                    let shown;
                    (cleaner, shown) = cleaned(cleaner, text).await?;
                    self.delta(&mut content, shown).await;
                }
                Chunk::Retrying { provider, model, attempt, delay, error } => {
                    (cleaner, content) = (Cleaner::keeping(users_texts()), String::new());
                    let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
                    self.retrying(provider, model, attempt, delay_ms, error).await;
                }
                Chunk::Warning(message) => self.warn(message).await,
                Chunk::Thinking(_) => {}
                Chunk::Done(completion) => {
                    // The cleaner may have held back the whole answer.
                    let rest = offload(received, move || cleaner.finish()).await?;
                    self.delta(&mut content, rest).await;
                    return self.finish(content, completion).await;
                }
            }
        }
        Err(ProviderError::new(
            binding.provider.name(),
            ProviderFailure::Unavailable,
            "the answer ended before it was complete",
        )
        .into())
    }

    async fn request(&self, brief: PhaseBrief) -> Result<ChatRequest> {
        let texts = brief.context.iter().chain([&brief.original_input, &brief.input]);
        let (bytes, assets) = (texts.map(String::len).sum(), Arc::clone(&self.ports.assets));
        let (model, temperature) = (self.binding.model.clone(), self.binding.temperature);
        let max_tokens = self.binding.max_tokens;
        let write = move || prompting::phase_request(&assets, &brief, model, Some(temperature), Some(max_tokens));
        offload(bytes, write).await?
    }

    async fn delta(&self, content: &mut String, text: String) {
        if text.is_empty() {
            return;
        }
        content.push_str(&text);
        self.events.send(EventKind::Delta { variant: self.variant, phase: self.binding.phase, text }).await;
        // Let the other variants and the consumer run, however fast this provider is.
        tokio::task::yield_now().await;
    }

    async fn retrying(&self, provider: String, model: String, attempt: u32, delay_ms: u64, error: Problem) {
        self.events
            .send(EventKind::Retrying {
                variant: self.variant,
                phase: self.binding.phase,
                provider,
                model,
                attempt,
                delay_ms,
                error: Box::new(error),
            })
            .await;
    }

    async fn warn(&self, message: String) {
        self.events.warn(Some(self.variant), Some(self.binding.phase), message).await;
    }

    async fn finish(&self, content: String, completion: Completion) -> Result<Step> {
        if content.trim().is_empty() {
            return Err(ProviderError::new(
                completion.provider,
                ProviderFailure::Rejected,
                format!("the answer of {} was empty; try again, or another model", self.binding.phase),
            )
            .into());
        }
        if completion.truncated {
            self.warn(format!(
                "the answer of {} was cut at {} tokens; raise `max_tokens`",
                self.binding.phase, self.binding.max_tokens
            ))
            .await;
        }
        let model_metadata = completion.metadata();
        self.events
            .send(EventKind::PhaseFinished {
                variant: self.variant,
                phase: self.binding.phase,
                provider: completion.provider.clone(),
                model: completion.model.clone(),
                content: content.clone(),
                model_metadata: model_metadata.clone(),
            })
            .await;
        Ok(Step {
            phase: self.binding.phase,
            provider: completion.provider,
            model: completion.model,
            content,
            model_metadata,
        })
    }
}
