//! What a run may cost at most, before anything is sent: `spend.preflight_usd` asks for it, and under a cap each variant
//! is given as much before it begins ([`Engine::allowance`]).
//!
//! The same bounds as the ledger's, over calls that do not exist yet: each phase's messages as they will be made, with
//! the draft that the phase before may write ([`BYTES_A_TOKEN`]); the judge's comparisons with a repair each. Of a
//! binding and its fallbacks the dearest counts. Retries are not in it: what is refused is not billed as a rule, and a
//! run that was confirmed is held to the estimate.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Engine, spend, wiring};
use crate::api::GenerateRequest;
use crate::assets::{Rubric, strategy_for};
use crate::domain::{JudgementId, Phase};
use crate::error::{Error, Result};
use crate::judge::{self, Judging};
use crate::ledger::{Account, Money, Need, Refusal, WorstCase};
use crate::pipeline::Allowance;
use crate::prompting;
use crate::provider::catalog::Price;
use crate::provider::metered::most_input_tokens;
use crate::provider::{ChatRequest, PhaseBrief, TargetFamily};

/// What a run may take at most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Calls to models, when none fails.
    pub calls: u64,
    /// US dollars, rounded up to a hundredth of a cent, from a dollar on to a cent; null when a price in it is unknown.
    pub most_usd: Option<f64>,
    /// The models whose price is unknown, each once.
    pub unpriced: Vec<String>,
}

impl Estimate {
    /// What both take together.
    #[must_use]
    pub(super) fn and(self, other: Self) -> Self {
        let unpriced: BTreeSet<String> = self.unpriced.into_iter().chain(other.unpriced).collect();
        Self {
            calls: self.calls + other.calls,
            most_usd: self.most_usd.zip(other.most_usd).map(|(a, b)| Money::from_dollars_up(a + b).advised().dollars()),
            unpriced: unpriced.into_iter().collect(),
        }
    }
}

/// Whether a run may begin without a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Preflight {
    /// It may.
    Clear,
    /// It may, and nobody knows what it costs.
    Unknown(Estimate),
    /// It may cost more than is allowed without asking.
    Ask(Estimate),
}

/// One call that may be made, at each of the places where it may go.
struct Bound {
    cost: Money,
    /// Tokens that the answer may have.
    answer: u64,
    /// Why a cap in dollars cannot be kept at the first of these places, if it cannot.
    obstacle: Option<Refusal>,
}

/// Bytes that a token of a draft is taken to have where it is sent on: the ledger counts a request by its bytes. English
/// has some four; what a longer one is short of comes from what its own phase did not use, or from what the caps leave.
const BYTES_A_TOKEN: u64 = 4;

/// Tokens by which asking the judge to repair its reply lengthens a request, beside that reply.
const REPAIR: u64 = 256;

impl Engine {
    /// What a run may take at most. Sends nothing; reads the templates.
    ///
    /// # Errors
    /// `validation_failed` when a provider cannot be used; `file` for a template that cannot.
    pub fn estimate(&self, request: &GenerateRequest) -> Result<Estimate> {
        let tally = Tally::new(self, spend::caps(None, None, request.assume_price).assumed_price);
        let mut estimating = Estimating { tally, request };
        let config = self.config();
        let count = request.count.unwrap_or(config.generation.default_count);
        let phases = request.phases.clone().unwrap_or_else(|| Phase::ALL.to_vec());
        let mut calls = u64::from(count) * phases.len() as u64;
        let mut cost = Money::ZERO;
        let mut longest = 0;
        let strategies: Vec<&str> = (0..count).map(strategy_for).collect();
        let distinct: BTreeSet<&str> = strategies.iter().copied().collect();
        for strategy in distinct {
            let Chain { steps, answer, .. } = estimating.variant(&phases, strategy, count)?;
            let of_one: Money = steps.into_iter().sum();
            let times = strategies.iter().filter(|other| **other == strategy).count();
            cost = cost + std::iter::repeat_n(of_one, times).sum();
            longest = longest.max(answer.saturating_mul(BYTES_A_TOKEN));
        }
        let mut tally = estimating.tally;
        if request.auto_select {
            let persona = self.persona_of(request);
            let judged = tally.judging(&Judgeable {
                task: &request.input,
                persona,
                rubric: self.rubric(None, persona)?,
                targets: &self.bench_of(request)?.targets,
                candidates: count as usize,
                longest,
                thorough: false,
            })?;
            calls += judged.calls;
            cost = cost + judged.cost;
        }
        Ok(tally.estimate(calls, cost))
    }

    /// What each variant of a run may take at most, and its judge at least; `None` where no cap is in force.
    ///
    /// # Errors
    /// As [`Engine::estimate`].
    pub(super) fn allowance(&self, request: &GenerateRequest, account: &Account) -> Result<Option<Allowance>> {
        if !account.is_capped() {
            return Ok(None);
        }
        let mut estimating = Estimating { tally: Tally::new(self, account.assumed_price()), request };
        let count = request.count.unwrap_or(self.config().generation.default_count);
        let phases = request.phases.clone().unwrap_or_else(|| Phase::ALL.to_vec());
        let mut allowance = Allowance::default();
        let mut chains: BTreeMap<&str, Chain> = BTreeMap::new();
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
            let questions = estimating.tally.questions(&Judgeable {
                task: &request.input,
                persona,
                rubric: self.rubric(None, persona)?,
                targets: &self.bench_of(request)?.targets,
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

    /// What asking the judge may take at most, repairs included.
    ///
    /// # Errors
    /// As [`Engine::estimate`].
    pub(super) fn estimate_of_judge(
        &self,
        judgeable: &Judgeable<'_>,
        assumed_price: Option<Price>,
    ) -> Result<Estimate> {
        let mut tally = Tally::new(self, assumed_price);
        let judged = tally.judging(judgeable)?;
        Ok(tally.estimate(judged.calls, judged.cost))
    }

    /// What so many questions to each judge may take at most, repairs included.
    ///
    /// # Errors
    /// As [`Engine::estimate`].
    pub(super) fn estimate_of_questions(
        &self,
        judgeable: &Judgeable<'_>,
        questions: u64,
        assumed_price: Option<Price>,
    ) -> Result<Estimate> {
        let mut tally = Tally::new(self, assumed_price);
        let judged = tally.asking(judgeable, questions)?;
        Ok(tally.estimate(judged.calls, judged.cost))
    }

    /// Whether this run may begin without a question: one that has a budget of its own may, whatever it is.
    ///
    /// # Errors
    /// As [`Engine::estimate`].
    pub fn preflight(&self, request: &GenerateRequest) -> Result<Preflight> {
        self.against_preflight(request.budget_usd, || self.estimate(request))
    }

    /// Holds what a run may take against what passes without asking.
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

    /// As [`Engine::pass_preflight`], of a run whose budget may have been given since: that is the consent.
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

    /// Refuses a run that has to be confirmed, saying what would make it `cheaper`; answers what the user should know of one
    /// that need not be.
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

/// What a judge may be asked about.
pub(super) struct Judgeable<'a> {
    pub(super) task: &'a str,
    pub(super) persona: &'a str,
    pub(super) rubric: Arc<Rubric>,
    pub(super) targets: &'a [wiring::Target<'a>],
    /// How many candidates there are.
    pub(super) candidates: usize,
    /// The most bytes that one of them has.
    pub(super) longest: u64,
    pub(super) thorough: bool,
}

/// What the phases of a variant may cost.
struct Chain {
    /// By phase.
    steps: Vec<Money>,
    /// Tokens that its prompt may have.
    answer: u64,
    /// Why a cap in dollars cannot be kept, if it cannot.
    obstacle: Option<Refusal>,
}

/// One question to a judge.
struct Question {
    first: Bound,
    repair: Bound,
}

/// What asking a judge may take at most.
struct Judged {
    calls: u64,
    cost: Money,
}

/// An estimate of a generate run in the making.
struct Estimating<'a> {
    tally: Tally<'a>,
    request: &'a GenerateRequest,
}

impl Estimating<'_> {
    /// What the phases of a variant may cost.
    fn variant(&mut self, phases: &[Phase], strategy: &str, count: u32) -> Result<Chain> {
        let mut chain = Chain { steps: Vec::with_capacity(phases.len()), answer: 0, obstacle: None };
        for (place, phase) in phases.iter().enumerate() {
            let brief = self.brief(phases, *phase, place > 0, strategy, count);
            let asked = prompting::phase_request(&self.tally.engine.inner.assets, &brief, None, None, None)?;
            let (targets, max_tokens) = self.tally.engine.targets(*phase, self.request);
            let draft = chain.answer.saturating_mul(BYTES_A_TOKEN);
            let Bound { cost, answer, obstacle } = self.tally.call(&asked, draft, &targets, max_tokens)?;
            chain.steps.push(cost);
            chain.answer = answer;
            chain.obstacle = chain.obstacle.or(obstacle);
        }
        Ok(chain)
    }

    /// The brief of a phase, with an empty draft where there will be one.
    fn brief(&self, phases: &[Phase], phase: Phase, has_draft: bool, strategy: &str, count: u32) -> PhaseBrief {
        let (request, config) = (self.request, self.tally.engine.config());
        let target = request.target_model.as_deref().or(config.generation.default_target_model.as_deref());
        PhaseBrief {
            phase,
            phases: phases.to_vec(),
            persona: request.persona.clone().unwrap_or_else(|| wiring::default_persona(config).to_owned()),
            strategy: strategy.to_owned(),
            target: target.map_or(TargetFamily::Generic, TargetFamily::of_model),
            // Its number is part of the text, and this one is the longest.
            variant: count.saturating_sub(1),
            original_input: request.input.clone(),
            input: if has_draft { String::new() } else { request.input.clone() },
            context: request.context.clone(),
        }
    }
}

/// What calls may cost, and whose prices are unknown.
struct Tally<'a> {
    engine: &'a Engine,
    /// Of models whose price is unknown.
    assumed_price: Option<Price>,
    unpriced: BTreeSet<String>,
}

impl<'a> Tally<'a> {
    fn new(engine: &'a Engine, assumed_price: Option<Price>) -> Self {
        Self { engine, assumed_price, unpriced: BTreeSet::new() }
    }

    fn estimate(self, calls: u64, cost: Money) -> Estimate {
        let is_known = self.unpriced.is_empty();
        Estimate {
            calls,
            most_usd: is_known.then(|| cost.advised().dollars()),
            unpriced: self.unpriced.into_iter().collect(),
        }
    }

    /// What asking every judge may take, each question with the repair of its reply.
    fn judging(&mut self, judgeable: &Judgeable<'_>) -> Result<Judged> {
        let order_swaps = self.engine.config().judge.order_swaps;
        let asks = judge::most_asks(judgeable.candidates, 1, judgeable.thorough, order_swaps);
        self.asking(judgeable, asks)
    }

    /// What asking every judge so many questions may take, each question with the repair of its reply.
    fn asking(&mut self, judgeable: &Judgeable<'_>, asks: u64) -> Result<Judged> {
        let mut judged = Judged { calls: 0, cost: Money::ZERO };
        for Question { first, repair } in self.questions(judgeable)? {
            judged.calls += 2 * asks;
            judged.cost = judged.cost + (first.cost + repair.cost).times(asks);
        }
        Ok(judged)
    }

    /// The dearest question to every judge.
    fn questions(&mut self, judgeable: &Judgeable<'_>) -> Result<Vec<Question>> {
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
            questions.push(Question { first, repair });
        }
        Ok(questions)
    }

    /// The dearest of the targets, for a request with so many more tokens.
    fn call(
        &mut self,
        asked: &ChatRequest,
        more_tokens: u64,
        targets: &[wiring::Target<'_>],
        max_tokens: u32,
    ) -> Result<Bound> {
        let mut dearest = Bound { cost: Money::ZERO, answer: 0, obstacle: None };
        for (place, target) in targets.iter().enumerate() {
            let (model, terms) = self.engine.inner.registry.terms(target.provider, target.model)?;
            let terms = terms.assuming(self.assumed_price);
            let sent = max_tokens.saturating_add(terms.reasoning_headroom);
            let obstacle = match terms.worst_case(most_input_tokens(asked).saturating_add(more_tokens), Some(sent)) {
                WorstCase::Most(cost) => {
                    dearest.cost = dearest.cost.max(cost);
                    None
                }
                WorstCase::UnknownPrice => Some(Refusal::UnknownPrice { model: model.clone() }),
                WorstCase::Unbounded => Some(Refusal::UnboundedAnswer { model: model.clone() }),
            };
            if let Some(obstacle) = obstacle {
                // Without a model nobody is asked, and a fallback is refused when its turn comes.
                dearest.obstacle = dearest.obstacle.or((place == 0 && !model.is_empty()).then_some(obstacle));
                self.unpriced.insert(model);
            }
            dearest.answer = dearest.answer.max(terms.max_output.unwrap_or(u64::MAX).min(sent.into()));
        }
        Ok(dearest)
    }
}
