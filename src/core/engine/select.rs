//! `select`: resolves the candidates, the task and the judges, and starts the selection.
//!
//! Faults of a request are errors before the run begins, not events: missing prompts, prompts
//! without a common task, an unusable judge or rubric, a cost that has to be confirmed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::estimate::{Estimate, JudgingInput, Preflight};
use super::jobs::{self, WorkOrigin};
use super::judging::{Author, JudgePanel};
use super::prepared::{Lifetime, PlannedRun, Prepared};
use super::retrieve::no_prompt;
use super::{Engine, spend, wiring};
use crate::api::{PromptKey, SelectRequest};
use crate::domain::{BUILTIN, Operation, Prompt, PromptId};
use crate::error::{Error, Result};
use crate::event::run::Run;
use crate::judge;
use crate::ledger::{Caps, Labels};
use crate::pipeline::{self, JudgeJob, JudgePlan, SelectPlan};
use crate::store::NewJob;

/// The most characters of an input in a message.
const SHOWN: usize = 40;

impl Engine {
    /// Starts a selection among stored prompts. Needs a tokio runtime. Dropping the run cancels it.
    ///
    /// # Errors
    /// `not_found` naming a missing prompt; `validation_failed` for a prompt named twice, for
    /// prompts without a common task when none is given, for an unknown judge or unknown criteria;
    /// `file` for criteria that cannot be read; `budget_exceeded` for a selection without a budget
    /// that may cost more than `spend.preflight_usd`; `storage`. Later failures are run events.
    pub async fn select(&self, request: SelectRequest) -> Result<Run> {
        self.prepare_selection(Operation::Select, request).await?.start()
    }

    /// Prepares a selection for `operation`, under whose name its spend and its judgement are
    /// recorded. Reads the prompts once. Sends nothing.
    ///
    /// # Errors
    /// As [`Engine::select`], except for the budget.
    pub async fn prepare_selection(&self, operation: Operation, request: SelectRequest) -> Result<Prepared> {
        let selection_input = self.selection_input(&request).await?;
        let panel = self.panel_for_selection(&request, &selection_input)?;
        self.check_calls(&request, &selection_input, &panel)?;
        let preflight = self.preflight_of(&request, &selection_input, &panel)?;
        let (engine, asked) = (self.clone(), preflight.clone());
        drop(panel);
        let keeper = Arc::clone(&self.inner.keeper);
        Ok(Prepared::new(preflight, request.budget_usd, keeper, move |budget_usd, lifetime| {
            let warning = engine.consent(&asked, budget_usd, "name fewer prompts or a cheaper judge")?;
            let request = SelectRequest { budget_usd, ..request };
            engine.ready(operation, &request, selection_input, WorkOrigin::New(lifetime), warning)
        }))
    }

    /// Plans the rest of a resumed selection. The judge's earlier replies are in its cache.
    pub(super) async fn ready_to_select(&self, request: SelectRequest, life: WorkOrigin) -> Result<PlannedRun> {
        let selection_input = self.selection_input(&request).await?;
        self.ready(Operation::Select, &request, selection_input, life, None)
    }

    fn ready(
        &self,
        operation: Operation,
        request: &SelectRequest,
        selection_input: SelectionInput,
        life: WorkOrigin,
        warning: Option<String>,
    ) -> Result<PlannedRun> {
        let panel = self.panel_for_selection(request, &selection_input)?;
        let warnings = panel.warnings.iter().cloned().chain(warning).collect();
        let session_id = self.session_of(&life);
        let labels = Labels { session: Some(session_id), command: operation.as_str(), ..Labels::default() };
        let judge = JudgePlan {
            judges: self.judges(&panel.targets, request.no_cache)?,
            rubric: self.rubric(request.criteria.as_ref(), &selection_input.persona)?,
            thorough: request.thorough,
            confidence: wanted(request),
            order_swaps: self.config().judge.order_swaps,
        };
        let job = JudgeJob {
            operation,
            judge,
            task: selection_input.task,
            persona: selection_input.persona,
            keep: true,
            timeout: request.timeout_s.map(Duration::from_secs_f64),
            concurrency: self.config().run.max_concurrency,
            account: self.account_of(&life, caps(request), labels),
        };
        let is_embedded = job.judge.judges.iter().all(|judge| judge.provider.name() == BUILTIN);
        let mut plan = SelectPlan { session_id, candidates: selection_input.candidates, job, warnings, journal: None };
        plan.journal = match life {
            WorkOrigin::Resumed { journal, .. } => Some(journal),
            // A comparison is more than its judging, so it is not a job.
            WorkOrigin::New(Lifetime::Attached) if is_embedded || operation != Operation::Select => None,
            WorkOrigin::New(lifetime) => {
                let keys = plan.candidates.iter().map(|prompt| PromptKey::Id(prompt.id)).collect();
                let asked = SelectRequest { prompt_ids: keys, ..request.clone() };
                Some(self.journal(NewJob {
                    id: session_id,
                    operation,
                    about: jobs::about(&format!("{} prompts: {}", plan.candidates.len(), plan.job.task)),
                    request: jobs::value(&asked)?,
                    kept: lifetime == Lifetime::Kept,
                    total: plan.total(),
                    started: plan.started(),
                    caller: None,
                }))
            }
        };
        if let Some(journal) = plan.journal.as_ref().filter(|_| request.no_cache) {
            self.journalled(&mut plan.job.judge.judges, journal);
        }
        let (journal, ports) = (plan.journal.clone(), self.ports());
        let start = self.counted(operation, move || pipeline::start_selection(plan, ports));
        Ok(PlannedRun { journal, start })
    }

    /// The most that a selection can cost. Sends nothing.
    ///
    /// # Errors
    /// As [`Engine::select`], except for the budget.
    pub async fn estimate_selection(&self, request: &SelectRequest) -> Result<Estimate> {
        let selection_input = self.selection_input(request).await?;
        let panel = self.panel_for_selection(request, &selection_input)?;
        self.estimate_of(request, &selection_input, &panel)
    }

    /// Refuses a `max_calls` that is too low for any choice, before anything is sent.
    fn check_calls(
        &self,
        request: &SelectRequest,
        selection_input: &SelectionInput,
        panel: &JudgePanel<'_>,
    ) -> Result<()> {
        let texts: BTreeSet<&str> = selection_input.candidates.iter().map(|prompt| prompt.content.as_str()).collect();
        let judges = panel.targets.len();
        let least = judge::least_asks(texts.len(), judges, self.config().judge.order_swaps);
        match request.max_calls {
            Some(most) if most < least => {
                let (count, who) = (texts.len(), if judges == 1 { "the judge has" } else { "the judges have" });
                let or_else = match (least > 2 * judges as u64, judges > 1) {
                    (true, _) => ", or name fewer prompts",
                    (false, true) => ", or name fewer judges",
                    (false, false) => "",
                };
                Err(Error::Budget(format!(
                    "`max_calls` is {most}, and to choose among {count} texts {who} to be asked {least} times at least: \
                     raise `max_calls` to at least {least}{or_else}"
                )))
            }
            _ => Ok(()),
        }
    }

    fn preflight_of(
        &self,
        request: &SelectRequest,
        selection_input: &SelectionInput,
        panel: &JudgePanel<'_>,
    ) -> Result<Preflight> {
        self.against_preflight(request.budget_usd, || self.estimate_of(request, selection_input, panel))
    }

    fn estimate_of(
        &self,
        request: &SelectRequest,
        selection_input: &SelectionInput,
        panel: &JudgePanel<'_>,
    ) -> Result<Estimate> {
        let rubric = self.rubric(request.criteria.as_ref(), &selection_input.persona)?;
        let judgeable = JudgingInput {
            task: &selection_input.task,
            persona: &selection_input.persona,
            rubric,
            targets: &panel.targets,
            candidates: selection_input.candidates.len(),
            longest: selection_input
                .candidates
                .iter()
                .map(|prompt| prompt.content.len() as u64)
                .max()
                .unwrap_or_default(),
            thorough: request.thorough,
        };
        self.estimate_of_judge(&judgeable, caps(request).assumed_price)
    }

    fn panel_for_selection<'a>(
        &'a self,
        request: &'a SelectRequest,
        selection_input: &SelectionInput,
    ) -> Result<JudgePanel<'a>> {
        let authors: Vec<Author<'_>> = selection_input.candidates.iter().map(Author::of).collect();
        self.panel(&request.judges, self.default_judge(), &authors)
    }

    async fn selection_input(&self, request: &SelectRequest) -> Result<SelectionInput> {
        let mut candidates = self.distinct(&request.prompt_ids).await?;
        let task = match &request.task {
            Some(task) => task.clone(),
            None => common_task(&candidates)?,
        };
        let persona = match candidates.split_first() {
            Some((first, others)) if others.iter().all(|other| other.persona == first.persona) => first.persona.clone(),
            _ => wiring::default_persona(self.config()).to_owned(),
        };
        let score = |prompt: &Prompt| prompt.score.unwrap_or(f64::NEG_INFINITY);
        candidates.sort_by(|a, b| score(b).total_cmp(&score(a)));
        Ok(SelectionInput { candidates, task, persona })
    }

    /// The prompts for these keys, in order. Two keys for one prompt are an error.
    pub(super) async fn distinct(&self, keys: &[PromptKey]) -> Result<Vec<Prompt>> {
        let mut named: BTreeMap<PromptId, &PromptKey> = BTreeMap::new();
        let mut prompts = Vec::with_capacity(keys.len());
        for (at, key) in keys.iter().enumerate() {
            let id = self.resolve(key).await?;
            let prompt = self.store().get(id).await?.ok_or_else(|| no_prompt(key))?;
            if let Some(before) = named.insert(id, key) {
                let message = format!("`{key}` and `{before}` are the same prompt {id}; name each prompt once");
                return Err(Error::value(format!("prompt_ids[{at}]"), message));
            }
            prompts.push(prompt);
        }
        Ok(prompts)
    }
}

/// The candidates of a selection, with the task and the persona.
struct SelectionInput {
    candidates: Vec<Prompt>,
    task: String,
    persona: String,
}

/// The input that all candidates were made from.
fn common_task(candidates: &[Prompt]) -> Result<String> {
    let input = |prompt: &Prompt| prompt.original_input.trim().to_owned();
    let first = candidates.first().map(input).unwrap_or_default();
    if let Some(other) = candidates.iter().map(input).find(|other| *other != first) {
        return Err(Error::value(
            "task_description",
            format!(
                "is needed here: the prompts were made from different inputs (`{}`, `{}`); say what to judge them for",
                shown(&first),
                shown(&other)
            ),
        ));
    }
    if first.is_empty() {
        let message = "is needed here: nothing is stored of what the prompts were made from; say what they are for";
        return Err(Error::value("task_description", message));
    }
    Ok(first)
}

fn shown(input: &str) -> String {
    let line = input.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= SHOWN { line } else { line.chars().take(SHOWN).chain(['…']).collect() }
}

/// The P(best) at which judging stops.
fn wanted(request: &SelectRequest) -> f64 {
    let usual = if request.thorough { judge::THOROUGHLY_CONFIDENT } else { judge::CONFIDENT };
    request.confidence.unwrap_or(usual)
}

fn caps(request: &SelectRequest) -> Caps {
    spend::caps(request.budget_usd, request.max_calls, request.assume_price)
}
