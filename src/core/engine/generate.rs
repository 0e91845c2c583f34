//! `generate`: resolves what was asked and what is configured into a plan, and starts it.

use std::sync::Arc;
use std::time::Duration;

use super::{Engine, spend, wiring};
use crate::api::GenerateRequest;
use crate::config;
use crate::domain::Phase;
use crate::error::Result;
use crate::event::Run;
use crate::ledger::Labels;
use crate::pipeline::{self, JudgePlan, PhaseBinding, Plan, Ports};
use crate::provider::TargetFamily;
use crate::provider::cache::Shelf;
use crate::rank::Weights;

/// Nothing is learnt yet, so the ranking knows no history whatever the configuration says.
const LEARNING_IS_ON: bool = false;

impl Engine {
    /// Starts a generate run. Needs a tokio runtime; returns at once. Dropping the run cancels it.
    ///
    /// # Errors
    /// `validation_failed` when a provider cannot be used; what fails later is an event of the run.
    pub fn generate(&self, request: GenerateRequest) -> Result<Run> {
        let plan = self.plan(request)?;
        Ok(pipeline::start(plan, self.ports()))
    }

    fn ports(&self) -> Ports {
        let inner = &self.inner;
        Ports {
            store: Arc::clone(self.store()),
            assets: Arc::clone(&inner.assets),
            clock: Arc::clone(&inner.clock),
            ids: Arc::clone(&inner.ids),
        }
    }

    fn plan(&self, request: GenerateRequest) -> Result<Plan> {
        let config = self.config();
        let phases = request.phases.clone().unwrap_or_else(|| Phase::ALL.to_vec());
        let phases = phases.into_iter().map(|phase| self.bind(phase, &request)).collect::<Result<Vec<_>>>()?;
        let count = request.count.unwrap_or(config.generation.default_count);
        let weights = wiring::ranking_weights(self.config(), self.origins())?;
        let target = request.target_model.as_deref().or(config.generation.default_target_model.as_deref());
        let session_id = self.inner.ids.session();
        let labels = Labels { session: Some(session_id), command: "generate", tags: request.tags.clone() };
        let account = self.account(spend::caps(&request), labels);
        Ok(Plan {
            session_id,
            input: request.input,
            count,
            phases,
            persona: request.persona.unwrap_or_else(|| wiring::default_persona(config).to_owned()),
            tags: request.tags,
            context: request.context,
            target: target.map_or(TargetFamily::Generic, TargetFamily::of_model),
            save: request.save,
            judge: if request.auto_select {
                Some(self.judge_plan(request.provider.as_deref(), request.no_cache)?)
            } else {
                None
            },
            timeout: request.timeout_s.map(Duration::from_secs_f64),
            concurrency: if config.generation.use_parallel { config.run.max_concurrency } else { 1 },
            warnings: self.warnings(&weights),
            ranking_weights: weights,
            account,
        })
    }

    /// What the user should know before the run begins.
    fn warnings(&self, weights: &Weights) -> Vec<String> {
        let idle = config::idle_keys_in_use(self.origins()).filter(|(idle, _)| idle.concerns_runs);
        idle.map(|(idle, origin)| wiring::without_effect(idle, &origin))
            .chain(weights.warning(LEARNING_IS_ON))
            .collect()
    }

    /// Who does a phase: the request's provider, else the phase's binding, else the file's first provider, else `builtin`.
    fn bind(&self, phase: Phase, request: &GenerateRequest) -> Result<PhaseBinding> {
        let config = self.config();
        let bound = config.phases.get(phase);
        let (target, fallbacks) = match &request.provider {
            Some(named) => (wiring::Target::parse(named), &[][..]),
            None => (wiring::bound_target(config, phase), bound.fallback.as_slice()),
        };
        let provider = wiring::routed(&self.inner.registry, &target, fallbacks)?;
        let provider = if request.no_cache { provider } else { self.kept(provider, &target, Shelf::Generation) };
        Ok(PhaseBinding {
            phase,
            provider,
            model: target.model.map(str::to_owned),
            temperature: request.temperature.or(bound.temperature).unwrap_or(config.generation.default_temperature),
            max_tokens: request.max_tokens.or(bound.max_tokens).unwrap_or(config.generation.default_max_tokens),
        })
    }

    /// Who judges: `judge.provider`, else who would do the last phase.
    fn judge_plan(&self, asked: Option<&str>, no_cache: bool) -> Result<JudgePlan> {
        let config = self.config();
        let target = match (config.judge.provider.as_deref(), asked) {
            (Some(name), _) => wiring::Target { provider: name, model: config.judge.model.as_deref() },
            (None, Some(asked)) => wiring::Target::parse(asked),
            (None, None) => wiring::bound_target(config, Phase::Coagulatio),
        };
        let provider = self.inner.registry.get(target.provider)?;
        let provider = if no_cache { provider } else { self.kept(provider, &target, Shelf::Judge) };
        Ok(JudgePlan { provider, model: target.model.map(str::to_owned) })
    }
}
