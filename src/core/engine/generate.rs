//! `generate`: resolves the request and the configuration into a plan, and starts it.

use std::sync::Arc;
use std::time::Duration;

use super::jobs::{self, WorkOrigin};
use super::judging::{Author, JudgePanel};
use super::prepared::{Lifetime, PlannedRun, Prepared};
use super::{Engine, spend, unsaved, wiring};
use crate::api::{GenerateRequest, ShowRequest, VariantOf, VariantsRequest};
use crate::assets::STRATEGIES;
use crate::config;
use crate::domain::{Operation, Phase, ProviderKind, SessionId, Source, TargetFamily};
use crate::error::Result;
use crate::event::run::Run;
use crate::judge;
use crate::ledger::{Account, Caps, Labels, Need};
use crate::pipeline::{self, JudgePlan, PhaseBinding, Plan, Ports};
use crate::provider::cache::CacheNamespace;
use crate::provider::route::OnRefusal;
use crate::rank::Weights;
use crate::store::NewJob;

/// Learning is not implemented, so the ranking uses no history whatever the configuration says.
const LEARNING_IS_ON: bool = false;

impl Engine {
    /// Starts a generate run. Needs a tokio runtime; returns at once. Dropping the run cancels it.
    ///
    /// # Errors
    /// `validation_failed` when a provider cannot be used; `budget_exceeded` for a run without a
    /// budget that needs confirmation ([`Engine::preflight`]). Later failures are run events.
    pub fn generate(&self, request: GenerateRequest) -> Result<Run> {
        self.prepare(request)?.start()
    }

    /// Prepares a generate run, with its cost and whether that needs confirmation. Sends nothing.
    ///
    /// # Errors
    /// `validation_failed` when a provider cannot be used.
    pub fn prepare(&self, request: GenerateRequest) -> Result<Prepared> {
        let preflight = self.preflight(&request)?;
        let (engine, asked) = (self.clone(), preflight.clone());
        let keeper = Arc::clone(&self.inner.keeper);
        Ok(Prepared::new(preflight, request.budget_usd, keeper, move |budget_usd, lifetime| {
            let cheaper = "ask for fewer variants, fewer phases or lower `max_tokens`";
            let warning = engine.consent(&asked, budget_usd, cheaper)?;
            engine.ready_to_generate(GenerateRequest { budget_usd, ..request }, WorkOrigin::New(lifetime), warning)
        }))
    }

    pub(super) fn ready_to_generate(
        &self,
        request: GenerateRequest,
        life: WorkOrigin,
        warning: Option<String>,
    ) -> Result<PlannedRun> {
        let asked = jobs::value(&request)?;
        let (about, is_cache_left_out) = (jobs::about(&request.input), request.no_cache);
        let mut plan = self.plan(request, &life)?;
        plan.warnings.extend(warning);
        match life {
            WorkOrigin::Resumed { journal, earlier, taken } => plan.resume_from(journal, earlier, taken),
            WorkOrigin::New(lifetime) => {
                // Work that is not stored, or that is free and fast, is easier to repeat than to
                // journal.
                let is_worth_it = plan.save && !plan.is_embedded();
                if lifetime == Lifetime::Kept || is_worth_it {
                    plan.journal = Some(self.journal(NewJob {
                        id: plan.session_id,
                        operation: Operation::Generate,
                        about,
                        request: asked,
                        kept: lifetime == Lifetime::Kept,
                        total: Some(plan.count.into()),
                        started: plan.started(),
                        caller: None,
                    }));
                }
            }
        }
        if let (Some(journal), Some(judge), true) = (&plan.journal, &mut plan.judge, is_cache_left_out) {
            self.journalled(&mut judge.judges, journal);
        }
        let (journal, ports) = (plan.journal.clone(), self.ports());
        Ok(PlannedRun { journal, start: self.counted(Operation::Generate, move || pipeline::start(plan, ports)) })
    }

    pub(super) fn ports(&self) -> Ports {
        let inner = &self.inner;
        let engine = self.clone();
        Ports {
            store: Arc::clone(self.store()),
            assets: Arc::clone(&inner.assets),
            clock: Arc::clone(&inner.clock),
            ids: Arc::clone(&inner.ids),
            afterwards: Arc::new(move |prompts, account| engine.index_later(&prompts, account)),
            save_aside: unsaved::save_aside(self.paths().clone()),
        }
    }

    /// Prepares a run that makes variants of a request, or further variants of a stored prompt: from the
    /// request that it was made from, or from its text if no run made it; with its settings unless
    /// others are given.
    ///
    /// # Errors
    /// `not_found`; `validation_failed` as for [`Engine::prepare`]; `storage`.
    pub async fn prepare_variants(&self, request: VariantsRequest) -> Result<Prepared> {
        let VariantsRequest { prompt_id, generation } = request;
        let Some(prompt_id) = prompt_id else { return self.prepare(generation) };
        let prompt = self.show(ShowRequest { prompt_id }).await?;
        let is_made = prompt.source == Source::Generated;
        let phases: Vec<Phase> = prompt.steps.iter().map(|step| step.phase).collect();
        self.prepare(GenerateRequest {
            input: if is_made { prompt.original_input } else { prompt.content },
            phases: Some(phases).filter(|phases| is_made && !phases.is_empty()),
            persona: generation.persona.or_else(|| self.is_persona(&prompt.persona).then_some(prompt.persona)),
            temperature: generation.temperature.or(is_made.then_some(prompt.temperature)),
            max_tokens: is_made.then_some(prompt.max_tokens),
            tags: if generation.tags.is_empty() { prompt.tags } else { generation.tags },
            context: prompt.context,
            variant_of: Some(VariantOf { parent: prompt.id, strategy: prompt.strategy }),
            ..generation
        })
    }

    fn is_persona(&self, name: &str) -> bool {
        self.known().personas.iter().any(|known| known == name)
    }

    fn plan(&self, request: GenerateRequest, life: &WorkOrigin) -> Result<Plan> {
        let session_id = self.session_of(life);
        let labels =
            Labels { session: Some(session_id), command: "generate", tags: request.tags.clone(), ..Labels::default() };
        let account = self.account_of(life, caps(&request), labels);
        self.plan_for(request, session_id, account)
    }

    /// Plans a run of this name and account.
    pub(super) fn plan_for(&self, request: GenerateRequest, session_id: SessionId, account: Account) -> Result<Plan> {
        let config = self.config();
        let phases = request.phases.clone().unwrap_or_else(|| Phase::ALL.to_vec());
        let phases = phases.into_iter().map(|phase| self.bind(phase, &request)).collect::<Result<Vec<_>>>()?;
        let count = request.count.unwrap_or(config.generation.default_count);
        let weights = wiring::ranking_weights(self.config(), self.origins())?;
        let target = request.target_model.as_deref().or(config.generation.default_target_model.as_deref());
        let allowance = self.allowance(&request, &account)?;
        let mut warnings = self.warnings(&weights);
        warnings.extend(target.and_then(|model| self.unknown_target(model)));
        let (mut strategies, told) = self.strategies(&request, count)?;
        if let Some(of) = &request.variant_of {
            put_last(&mut strategies, &of.strategy);
        }
        let gaps = self.inner.registry.writer().gaps(&request.input, !request.context.is_empty())?;
        warnings.extend(told);
        let judge = if request.auto_select {
            let panel = self.panel_for_variants(&request)?;
            warnings.extend(panel.warnings.iter().cloned());
            Some(self.judge_plan(&request, &panel)?)
        } else {
            None
        };
        Ok(Plan {
            session_id,
            begun_at: self.inner.clock.now(),
            input: request.input,
            count,
            phases,
            strategies,
            gaps,
            persona: request.persona.unwrap_or_else(|| wiring::default_persona(config).to_owned()),
            parent: request.variant_of.map(|of| of.parent),
            tags: request.tags,
            context: request.context,
            target: target.map_or(TargetFamily::Generic, TargetFamily::of_model),
            save: request.save,
            judge,
            timeout: request.timeout_s.map(Duration::from_secs_f64),
            concurrency: if config.generation.use_parallel { config.run.max_concurrency } else { 1 },
            slots: None,
            warnings,
            ranking_weights: weights,
            account,
            allowance,
            journal: None,
            earlier: Vec::new(),
            taken: Need::default(),
        })
    }

    /// The strategies of the variants, and warnings about them. If `builtin` does all phases, only
    /// strategies whose texts differ for this request; fewer than `count` mean that texts repeat.
    fn strategies(&self, request: &GenerateRequest, count: u32) -> Result<(Vec<String>, Vec<String>)> {
        let phases = request.phases.as_deref().unwrap_or(&Phase::ALL);
        let is_builtin = |phase: &Phase| {
            let (target, fallbacks) = self.binding(*phase, request);
            fallbacks.is_empty() && self.kind(target.provider) == Some(ProviderKind::Builtin)
        };
        if !phases.iter().all(is_builtin) {
            return Ok((STRATEGIES.map(str::to_owned).to_vec(), Vec::new()));
        }
        let writer = self.inner.registry.writer();
        let has_context = !request.context.is_empty();
        let strategies = writer.strategies(&request.input, has_context, phases)?;
        let distinct = strategies.len();
        let mut told = Vec::new();
        if request.count.is_some() && distinct < count as usize {
            told.push(format!(
                "the embedded writer has {distinct} different {} for this request, so the {count} variants repeat {}; ask for \
                 {distinct}, or for more from a model (`--provider`)",
                if distinct == 1 { "prompt" } else { "prompts" },
                if distinct == 1 { "it" } else { "them" },
            ));
        }
        if writer.is_own(&request.input)? {
            told.push(
                "the request is a prompt that the embedded writer made; it was taken out of its frame, and framed anew"
                    .to_owned(),
            );
        }
        Ok((strategies.into_iter().map(str::to_owned).collect(), told))
    }

    /// The warning about a target model, perhaps mistyped, that no catalogue or provider has.
    pub(super) fn unknown_target(&self, model: &str) -> Option<String> {
        let family = TargetFamily::of_model(model);
        let is_family = TargetFamily::ALL.iter().any(|family| family.as_str() == model);
        let is_configured = self.config().providers.values().any(|provider| provider.model.as_deref() == Some(model));
        // A catalogue that cannot be read is reported where it is needed.
        let is_known = self.inner.assets.catalog().is_ok_and(|catalog| catalog.knows(model));
        (!is_family && !is_configured && !is_known).then(|| {
            let form = match family {
                TargetFamily::Generic => "in the general form".to_owned(),
                family => format!("in the form for {} models, by its name", family.as_str()),
            };
            format!(
                "the target model `{model}` is not known, so prompts are written {form}; check its name \
                 (`aludel providers --models` lists the known ones)"
            )
        })
    }

    /// The warnings before the run begins.
    fn warnings(&self, weights: &Weights) -> Vec<String> {
        let idle = config::idle_keys_in_use(self.origins()).filter(|(idle, _)| idle.concerns_runs);
        idle.map(|(idle, origin)| wiring::without_effect(idle, &origin))
            .chain(weights.warning(LEARNING_IS_ON))
            .collect()
    }

    /// The provider and the fallbacks of a phase: the request's provider, else the phase's binding,
    /// else the first provider of the configuration file, else `builtin`.
    fn binding<'a>(&'a self, phase: Phase, request: &'a GenerateRequest) -> (wiring::Target<'a>, &'a [String]) {
        match &request.provider {
            Some(named) => (wiring::Target::parse(named), &[][..]),
            None => (wiring::bound_target(self.config(), phase), self.config().phases.get(phase).fallback.as_slice()),
        }
    }

    /// Every target that a phase may use, and the requested token limit.
    pub(super) fn targets<'a>(&'a self, phase: Phase, request: &'a GenerateRequest) -> (Vec<wiring::Target<'a>>, u32) {
        let (target, fallbacks) = self.binding(phase, request);
        let targets = std::iter::once(target).chain(fallbacks.iter().map(|name| wiring::Target::parse(name)));
        (targets.collect(), self.max_tokens(phase, request))
    }

    fn max_tokens(&self, phase: Phase, request: &GenerateRequest) -> u32 {
        let config = self.config();
        request.max_tokens.or(config.phases.get(phase).max_tokens).unwrap_or(config.generation.default_max_tokens)
    }

    fn bind(&self, phase: Phase, request: &GenerateRequest) -> Result<PhaseBinding> {
        let config = self.config();
        let bound = config.phases.get(phase);
        let (target, fallbacks) = self.binding(phase, request);
        let on_refusal = if bound.fallback_on_refusal { OnRefusal::FallBack } else { OnRefusal::Report };
        let provider = wiring::routed(&self.inner.registry, &target, fallbacks, on_refusal)?;
        let provider =
            if request.no_cache { provider } else { self.kept(provider, &target, CacheNamespace::Generation) };
        Ok(PhaseBinding {
            phase,
            provider,
            model: target.model.map(str::to_owned),
            temperature: request.temperature.or(bound.temperature).unwrap_or(config.generation.default_temperature),
            max_tokens: self.max_tokens(phase, request),
        })
    }

    /// The judges of the variants.
    pub(super) fn panel_for_variants<'a>(&'a self, request: &'a GenerateRequest) -> Result<JudgePanel<'a>> {
        let last = request.phases.as_ref().and_then(|phases| phases.last()).copied().unwrap_or(Phase::Coagulatio);
        let (author, _) = self.binding(last, request);
        let provider = self.inner.registry.get(author.provider)?;
        let model = author.model.unwrap_or_else(|| provider.default_model());
        let usual = request.provider.as_deref().map_or_else(|| self.default_judge(), wiring::Target::parse);
        self.panel(&[], usual, &[Author { provider: author.provider, model }])
    }

    pub(super) fn persona_of<'a>(&'a self, request: &'a GenerateRequest) -> &'a str {
        request.persona.as_deref().unwrap_or_else(|| wiring::default_persona(self.config()))
    }

    fn judge_plan(&self, request: &GenerateRequest, panel: &JudgePanel<'_>) -> Result<JudgePlan> {
        Ok(JudgePlan {
            judges: self.judges(&panel.targets, request.no_cache)?,
            rubric: self.rubric(None, self.persona_of(request))?,
            thorough: false,
            confidence: judge::CONFIDENT,
            order_swaps: self.config().judge.order_swaps,
        })
    }
}

/// Puts the strategies after this one first, and this one last.
fn put_last(strategies: &mut [String], strategy: &str) {
    if let Some(at) = strategies.iter().position(|other| other == strategy) {
        strategies.rotate_left(at + 1);
    }
}

fn caps(request: &GenerateRequest) -> Caps {
    spend::caps(request.budget_usd, request.max_calls, request.assume_price)
}
