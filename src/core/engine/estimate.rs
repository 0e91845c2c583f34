//! Estimates the most that a run can cost, before anything is sent. The preflight compares it with
//! `spend.preflight_usd`; under a cap each variant reserves as much ([`Engine::allowance`]).
//!
//! The bounds are those of the ledger, for calls not made yet: each phase's messages with the
//! longest draft of the previous phase ([`BYTES_A_TOKEN`]), and the judge's comparisons with one
//! repair each. Of a binding and its fallbacks the most expensive counts. Retries are not included:
//! refused calls are usually not billed, and a confirmed run is held to the estimate.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Engine, spend, wiring};
use crate::api::GenerateRequest;
use crate::assets::{Rubric, strategy_for};
use crate::domain::{JudgementId, Phase, TargetFamily};
use crate::error::{Error, Result};
use crate::judge::{self, Judging};
use crate::ledger::{Account, Money, Need, Price, Refusal, WorstCase};
use crate::pipeline::Allowance;
use crate::prompting;
use crate::provider::metered::most_input_tokens;
use crate::provider::{ChatRequest, PhaseBrief};

/// The upper bounds of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Calls to models, if none fails.
    pub calls: u64,
    /// US dollars, rounded up to a hundredth of a cent, or to a cent from one dollar on; null if a
    /// price in it is unknown.
    pub most_usd: Option<f64>,
    /// The models whose price is unknown, each once.
    pub unpriced: Vec<String>,
    /// The most tokens sent.
    pub input_tokens: u64,
    /// The most tokens received.
    pub output_tokens: u64,
    /// Calls by model, without repairs of what a judge says.
    #[serde(skip)]
    pub(super) by_model: BTreeMap<String, u64>,
}

impl Estimate {
    /// Adds one of very many, without rounding.
    pub(super) fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        for (model, calls) in other.by_model {
            *self.by_model.entry(model).or_default() += calls;
        }
        self.most_usd = self.most_usd.zip(other.most_usd).map(|(a, b)| a + b);
        for model in other.unpriced {
            if !self.unpriced.contains(&model) {
                self.unpriced.push(model);
            }
        }
    }

    /// Rounds the amount up, as every estimate is.
    #[must_use]
    pub(super) fn rounded(self) -> Self {
        Self { most_usd: self.most_usd.map(|most| Money::from_dollars_up(most).advised().dollars()), ..self }
    }

    /// The sum of both estimates.
    #[must_use]
    pub(super) fn and(mut self, other: Self) -> Self {
        self.add(other);
        self.unpriced.sort_unstable();
        self.rounded()
    }
}

/// Whether a run can start without confirmation.
#[derive(Debug, Clone, PartialEq)]
pub enum Preflight {
    /// It can.
    Clear,
    /// It can, but its cost is unknown.
    Unknown(Estimate),
    /// It may cost more than is allowed without confirmation.
    Ask(Estimate),
}

/// The bound of one call over all targets that it may go to.
struct CallBound {
    cost: Money,
    /// The most tokens sent.
    input: u64,
    /// The most tokens of the answer.
    answer: u64,
    /// The model of the first target.
    model: String,
    /// Why a cap in dollars cannot be enforced at the first target, if it cannot.
    obstacle: Option<Refusal>,
}

/// The assumed bytes a token of a draft that is sent on, as the ledger bounds requests by bytes.
/// English has about four. Longer drafts use what their own phase, or the caps, left over.
const BYTES_A_TOKEN: u64 = 4;

/// The tokens that a repair adds to the judge's request, in addition to the reply to repair.
const REPAIR: u64 = 256;

impl Engine {
    /// The most that a run can take. Sends nothing; reads the templates.
    ///
    /// # Errors
    /// `validation_failed` when a provider cannot be used; `file` for a template that cannot.
    pub fn estimate(&self, request: &GenerateRequest) -> Result<Estimate> {
        let tally = CostEstimator::new(self, spend::caps(None, None, request.assume_price).assumed_price);
        let mut estimating = RunEstimator { tally, request };
        let config = self.config();
        let count = request.count.unwrap_or(config.generation.default_count);
        let phases = request.phases.clone().unwrap_or_else(|| Phase::ALL.to_vec());
        let mut sum = CallSums::default();
        let mut cost = Money::ZERO;
        let mut longest = 0;
        let strategies: Vec<&str> = (0..count).map(strategy_for).collect();
        let distinct: BTreeSet<&str> = strategies.iter().copied().collect();
        for strategy in distinct {
            let VariantBound { steps, answer, sums, .. } = estimating.variant(&phases, strategy, count)?;
            let of_one: Money = steps.into_iter().sum();
            let times = strategies.iter().filter(|other| **other == strategy).count();
            sum.add(&sums, times as u64);
            cost = cost + std::iter::repeat_n(of_one, times).sum();
            longest = longest.max(answer.saturating_mul(BYTES_A_TOKEN));
        }
        let mut tally = estimating.tally;
        if request.auto_select {
            let persona = self.persona_of(request);
            let judged = tally.judging(&JudgingInput {
                task: &request.input,
                persona,
                rubric: self.rubric(None, persona)?,
                targets: &self.panel_for_variants(request)?.targets,
                candidates: count as usize,
                longest,
                thorough: false,
            })?;
            sum.add(&judged.sums, 1);
            cost = cost + judged.cost;
        }
        Ok(tally.estimate(sum, cost))
    }

    /// The most that each variant can take and the least its judge needs; `None` without a cap.
    ///
    /// # Errors
    /// As [`Engine::estimate`].
    pub(super) fn allowance(&self, request: &GenerateRequest, account: &Account) -> Result<Option<Allowance>> {
        if !account.is_capped() {
            return Ok(None);
        }
        let mut estimating = RunEstimator { tally: CostEstimator::new(self, account.assumed_price()), request };
        let count = request.count.unwrap_or(self.config().generation.default_count);
        let phases = request.phases.clone().unwrap_or_else(|| Phase::ALL.to_vec());
        let mut allowance = Allowance::default();
        let mut chains: BTreeMap<&str, VariantBound> = BTreeMap::new();
        let mut longest = 0;
        for strategy in (0..count).map(strategy_for) {
            let chain = match chains.entry(strategy) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(estimating.variant(&phases, strategy, count)?),
            };
            longest = longest.max(chain.answer.saturating_mul(BYTES_A_TOKEN));
            allowance.obstacle = allowance.obstacle.or_else(|| chain.obstacle.clone());
            allowance.variants.push(chain.steps.clone());
        }
        // One candidate is not judged.
        if request.auto_select && count > 1 {
            let persona = self.persona_of(request);
            let questions = estimating.tally.questions(&JudgingInput {
                task: &request.input,
                persona,
                rubric: self.rubric(None, persona)?,
                targets: &self.panel_for_variants(request)?.targets,
                candidates: count as usize,
                longest,
                thorough: false,
            })?;
            let of_each = Need {
                calls: questions.len() as u64,
                money: questions.iter().map(|question| question.first.cost).sum(),
            };
            let order_swaps = self.config().judge.order_swaps;
            allowance.judge = (0..=count as usize)
                .map(|candidates| of_each.times(judge::most_asks(candidates, 1, false, order_swaps)))
                .collect();
            let obstacle = || questions.into_iter().find_map(|question| question.first.obstacle);
            allowance.obstacle = allowance.obstacle.or_else(obstacle);
        }
        if !account.is_capped_in_dollars() {
            allowance.obstacle = None;
        }
        Ok(Some(allowance))
    }

    /// The most that judging can take, repairs included.
    ///
    /// # Errors
    /// As [`Engine::estimate`].
    pub(super) fn estimate_of_judge(
        &self,
        judgeable: &JudgingInput<'_>,
        assumed_price: Option<Price>,
    ) -> Result<Estimate> {
        let mut tally = CostEstimator::new(self, assumed_price);
        let judged = tally.judging(judgeable)?;
        Ok(tally.estimate(judged.sums, judged.cost))
    }

    /// The most that this many questions to each judge can take, repairs included.
    ///
    /// # Errors
    /// As [`Engine::estimate`].
    pub(super) fn estimate_of_questions(
        &self,
        judgeable: &JudgingInput<'_>,
        questions: u64,
        assumed_price: Option<Price>,
    ) -> Result<Estimate> {
        let mut tally = CostEstimator::new(self, assumed_price);
        let judged = tally.asking(judgeable, questions)?;
        Ok(tally.estimate(judged.sums, judged.cost))
    }

    /// Whether this run can start without confirmation. A run with a budget of its own always can.
    ///
    /// # Errors
    /// As [`Engine::estimate`].
    pub fn preflight(&self, request: &GenerateRequest) -> Result<Preflight> {
        self.against_preflight(request.budget_usd, || self.estimate(request))
    }

    /// Compares an estimate with `spend.preflight_usd`.
    pub(super) fn against_preflight(
        &self,
        budget_usd: Option<f64>,
        estimate: impl FnOnce() -> Result<Estimate>,
    ) -> Result<Preflight> {
        let Some(allowed) = self.config().spend.preflight_usd.filter(|_| budget_usd.is_none()) else {
            return Ok(Preflight::Clear);
        };
        let estimate = estimate()?;
        Ok(match estimate.most_usd {
            None => Preflight::Unknown(estimate),
            Some(most) if most > allowed => Preflight::Ask(estimate),
            Some(_) => Preflight::Clear,
        })
    }

    /// Like [`Engine::pass_preflight`], but a budget given since then counts as consent.
    pub(super) fn consent(
        &self,
        preflight: &Preflight,
        budget_usd: Option<f64>,
        cheaper: &str,
    ) -> Result<Option<String>> {
        match preflight {
            Preflight::Ask(_) if budget_usd.is_some() => Ok(None),
            preflight => self.pass_preflight(preflight, cheaper),
        }
    }

    /// Refuses a run that needs confirmation, advising how to make it `cheaper`. Otherwise returns
    /// the warning for the user, if any.
    pub(super) fn pass_preflight(&self, preflight: &Preflight, cheaper: &str) -> Result<Option<String>> {
        match preflight {
            Preflight::Clear => Ok(None),
            Preflight::Unknown(estimate) => Ok(Some(format!(
                "`spend.preflight_usd` cannot be checked for this run: the price of {} is unknown; `assume_price` \
                 gives one",
                estimate.unpriced.iter().map(|model| format!("`{model}`")).collect::<Vec<_>>().join(", ")
            ))),
            Preflight::Ask(estimate) => Err(Error::Budget(self.question(estimate, cheaper))),
        }
    }

    fn question(&self, estimate: &Estimate, cheaper: &str) -> String {
        let most = estimate.most_usd.unwrap_or_default();
        let allowed = Money::from_dollars_down(self.config().spend.preflight_usd.unwrap_or_default());
        format!(
            "this run may cost up to {} ({} calls), and `spend.preflight_usd` allows no more than {allowed} without confirmation: confirm with a `budget_usd` of {most} (on the command line --yes does), or {cheaper}",
            Money::from_dollars_up(most),
            estimate.calls
        )
    }
}

/// The bounds of what a judge is asked about.
pub(super) struct JudgingInput<'a> {
    pub(super) task: &'a str,
    pub(super) persona: &'a str,
    pub(super) rubric: Arc<Rubric>,
    pub(super) targets: &'a [wiring::Target<'a>],
    /// The number of candidates.
    pub(super) candidates: usize,
    /// The length of the longest candidate in bytes.
    pub(super) longest: u64,
    pub(super) thorough: bool,
}

/// The bounds of a variant's phases.
struct VariantBound {
    /// The cost of each phase.
    steps: Vec<Money>,
    /// The calls of all phases.
    sums: CallSums,
    /// The most tokens of the finished prompt.
    answer: u64,
    /// Why a cap in dollars cannot be enforced, if it cannot.
    obstacle: Option<Refusal>,
}

/// The bounds of one question to a judge.
struct QuestionBound {
    first: CallBound,
    repair: CallBound,
}

/// The most that judging can take.
struct JudgingBound {
    sums: CallSums,
    cost: Money,
}

/// Calls and their tokens.
#[derive(Default)]
struct CallSums {
    calls: u64,
    input_tokens: u64,
    output_tokens: u64,
    by_model: BTreeMap<String, u64>,
}

impl CallSums {
    /// Adds a call so many times; `expected` for one that is always made.
    fn call(&mut self, bound: &CallBound, times: u64, expected: bool) {
        self.calls += times;
        self.input_tokens = self.input_tokens.saturating_add(bound.input.saturating_mul(times));
        self.output_tokens = self.output_tokens.saturating_add(bound.answer.saturating_mul(times));
        if expected {
            *self.by_model.entry(bound.model.clone()).or_default() += times;
        }
    }

    fn add(&mut self, other: &Self, times: u64) {
        self.calls += other.calls * times;
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens.saturating_mul(times));
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens.saturating_mul(times));
        for (model, calls) in &other.by_model {
            *self.by_model.entry(model.clone()).or_default() += calls * times;
        }
    }
}

/// A generate run being estimated.
struct RunEstimator<'a> {
    tally: CostEstimator<'a>,
    request: &'a GenerateRequest,
}

impl RunEstimator<'_> {
    /// The bounds of a variant's phases.
    fn variant(&mut self, phases: &[Phase], strategy: &str, count: u32) -> Result<VariantBound> {
        let mut chain = VariantBound {
            steps: Vec::with_capacity(phases.len()),
            sums: CallSums::default(),
            answer: 0,
            obstacle: None,
        };
        for (place, phase) in phases.iter().enumerate() {
            let brief = self.brief(phases, *phase, place > 0, strategy, count);
            let asked = prompting::phase_request(&self.tally.engine.inner.assets, &brief, None, None, None)?;
            let (targets, max_tokens) = self.tally.engine.targets(*phase, self.request);
            let draft = chain.answer.saturating_mul(BYTES_A_TOKEN);
            let bound = self.tally.call(&asked, draft, &targets, max_tokens)?;
            chain.sums.call(&bound, 1, true);
            let CallBound { cost, answer, obstacle, .. } = bound;
            chain.steps.push(cost);
            chain.answer = answer;
            chain.obstacle = chain.obstacle.or(obstacle);
        }
        Ok(chain)
    }

    /// The brief of a phase, with an empty text in place of the previous phase's draft.
    fn brief(&self, phases: &[Phase], phase: Phase, has_draft: bool, strategy: &str, count: u32) -> PhaseBrief {
        let (request, config) = (self.request, self.tally.engine.config());
        let target = request.target_model.as_deref().or(config.generation.default_target_model.as_deref());
        PhaseBrief {
            phase,
            phases: phases.to_vec(),
            persona: request.persona.clone().unwrap_or_else(|| wiring::default_persona(config).to_owned()),
            strategy: strategy.to_owned(),
            target: target.map_or(TargetFamily::Generic, TargetFamily::of_model),
            // The variant number is part of the text, and this one is the longest.
            variant: count.saturating_sub(1),
            original_input: request.input.clone(),
            input: if has_draft { String::new() } else { request.input.clone() },
            context: request.context.clone(),
        }
    }
}

/// Bounds calls, and collects the models without a known price.
struct CostEstimator<'a> {
    engine: &'a Engine,
    /// The price assumed for models whose price is unknown.
    assumed_price: Option<Price>,
    unpriced: BTreeSet<String>,
}

impl<'a> CostEstimator<'a> {
    fn new(engine: &'a Engine, assumed_price: Option<Price>) -> Self {
        Self { engine, assumed_price, unpriced: BTreeSet::new() }
    }

    fn estimate(self, sums: CallSums, cost: Money) -> Estimate {
        let is_known = self.unpriced.is_empty();
        let CallSums { calls, input_tokens, output_tokens, by_model } = sums;
        Estimate {
            calls,
            input_tokens,
            output_tokens,
            by_model,
            most_usd: is_known.then(|| cost.advised().dollars()),
            unpriced: self.unpriced.into_iter().collect(),
        }
    }

    /// The most that a judging can take over all judges, each question with a repair.
    fn judging(&mut self, judgeable: &JudgingInput<'_>) -> Result<JudgingBound> {
        let order_swaps = self.engine.config().judge.order_swaps;
        let asks = judge::most_asks(judgeable.candidates, 1, judgeable.thorough, order_swaps);
        self.asking(judgeable, asks)
    }

    /// The most that this many questions to every judge can take, each with a repair.
    fn asking(&mut self, judgeable: &JudgingInput<'_>, asks: u64) -> Result<JudgingBound> {
        let mut judged = JudgingBound { sums: CallSums::default(), cost: Money::ZERO };
        for QuestionBound { first, repair } in self.questions(judgeable)? {
            judged.sums.call(&first, asks, true);
            judged.sums.call(&repair, asks, false);
            judged.cost = judged.cost + (first.cost + repair.cost).times(asks);
        }
        Ok(judged)
    }

    /// The most expensive question to each judge.
    fn questions(&mut self, judgeable: &JudgingInput<'_>) -> Result<Vec<QuestionBound>> {
        let judging = Judging {
            judges: self.engine.judges(judgeable.targets, true)?,
            assets: Arc::clone(&self.engine.inner.assets),
            rubric: Arc::clone(&judgeable.rubric),
            task: judgeable.task.to_owned(),
            persona: judgeable.persona.to_owned(),
            thorough: judgeable.thorough,
            confidence: judge::CONFIDENT,
            order_swaps: self.engine.config().judge.order_swaps,
            max_concurrency: 1,
            account: Account::default(),
            id: JudgementId(uuid::Uuid::nil()),
            now: self.engine.inner.clock.now(),
            operation: String::new(),
        };
        let mut questions = Vec::with_capacity(judging.judges.len());
        for (judge, target) in judging.judges.iter().zip(judgeable.targets) {
            let asked = judge::outline(&judging, judge)?;
            let max_tokens = asked.max_tokens.unwrap_or(u32::MAX);
            let shown = judgeable.longest.saturating_mul(2);
            let first = self.call(&asked, shown, &[*target], max_tokens)?;
            let more = shown.saturating_add(first.answer.saturating_mul(BYTES_A_TOKEN)).saturating_add(REPAIR);
            let repair = self.call(&asked, more, &[*target], max_tokens)?;
            questions.push(QuestionBound { first, repair });
        }
        Ok(questions)
    }

    /// The bound over all targets, for this request with `more_tokens` added.
    fn call(
        &mut self,
        asked: &ChatRequest,
        more_tokens: u64,
        targets: &[wiring::Target<'_>],
        max_tokens: u32,
    ) -> Result<CallBound> {
        let input = most_input_tokens(asked).saturating_add(more_tokens);
        let mut dearest = CallBound { cost: Money::ZERO, input, answer: 0, model: String::new(), obstacle: None };
        for (place, target) in targets.iter().enumerate() {
            let (model, terms) = self.engine.inner.registry.terms(target.provider, target.model)?;
            let terms = terms.assuming(self.assumed_price);
            let sent = max_tokens.saturating_add(terms.reasoning_headroom);
            if place == 0 {
                dearest.model.clone_from(&model);
            }
            let obstacle = match terms.worst_case(input, Some(sent)) {
                WorstCase::Most(cost) => {
                    dearest.cost = dearest.cost.max(cost);
                    None
                }
                WorstCase::UnknownPrice => Some(Refusal::UnknownPrice { model: model.clone() }),
                WorstCase::Unbounded => Some(Refusal::UnboundedAnswer { model: model.clone() }),
            };
            if let Some(obstacle) = obstacle {
                // A target without a model is never called, and a fallback is refused in its turn.
                dearest.obstacle = dearest.obstacle.or((place == 0 && !model.is_empty()).then_some(obstacle));
                self.unpriced.insert(model);
            }
            dearest.answer = dearest.answer.max(terms.max_output.unwrap_or(u64::MAX).min(sent.into()));
        }
        Ok(dearest)
    }
}
