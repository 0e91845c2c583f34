//! The resolved plan of a generate run: after this no configuration is read.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::allowance::Allowance;
use crate::assets::{Assets, Rubric};
use crate::domain::{BUILTIN, Operation, Phase, Prompt, PromptId, SessionId, TargetFamily, Timestamp};
use crate::error::Result;
use crate::event::EventKind;
use crate::ids::IdSource;
use crate::job::{Journal, variant_unit};
use crate::judge::Judge;
use crate::ledger::{Account, Need};
use crate::provider::Provider;
use crate::rank::Weights;
use crate::store::{Session, Store};
use crate::time::Clock;

/// A planned generate run.
pub struct Plan {
    /// The run's id.
    pub session_id: SessionId,
    /// When it was requested.
    pub begun_at: Timestamp,
    /// The user's input, verbatim.
    pub input: String,
    /// The number of variants.
    pub count: u32,
    /// The phases, in order, each bound to its provider. Never empty.
    pub phases: Vec<PhaseBinding>,
    /// The strategies, which the variants take in turn. Never empty.
    pub strategies: Vec<String>,
    /// How many things the input clearly leaves open.
    pub gaps: usize,
    /// The persona's name.
    pub persona: String,
    /// The stored prompt whose further variants these are.
    pub parent: Option<PromptId>,
    /// Labels of the stored prompts.
    pub tags: Vec<String>,
    /// Background texts.
    pub context: Vec<String>,
    /// The family of the model the prompt is for.
    pub target: TargetFamily,
    /// True if prompts are stored.
    pub save: bool,
    /// The judge, if one is to choose.
    pub judge: Option<JudgePlan>,
    /// The timeout of the whole run.
    pub timeout: Option<Duration>,
    /// How many variants run concurrently, at least 1.
    pub concurrency: usize,
    /// The places of variants, if the run is part of other work, which then has reserved its calls.
    pub slots: Option<Arc<Semaphore>>,
    /// The weights of the ranking components.
    pub ranking_weights: Weights,
    /// Warnings to send before the run begins.
    pub warnings: Vec<String>,
    /// The account of its calls.
    pub account: Account,
    /// The most that the variants can take; `None` without a cap.
    pub allowance: Option<Allowance>,
    /// The journal of its progress, if the run is a job.
    pub journal: Option<Journal>,
    /// The prompts stored by earlier attempts of the job.
    pub earlier: Vec<Prompt>,
    /// What those attempts took of the caps.
    pub taken: Need,
}

/// One phase and its provider.
#[derive(Clone)]
pub struct PhaseBinding {
    /// The phase.
    pub phase: Phase,
    /// The provider, fallbacks included.
    pub provider: Arc<dyn Provider>,
    /// The model; `None` for the provider's default.
    pub model: Option<String>,
    /// The requested temperature, 0..=2.
    pub temperature: f64,
    /// The requested token limit.
    pub max_tokens: u32,
}

/// The judges and how they are asked.
#[derive(Clone)]
pub struct JudgePlan {
    /// One, or a panel.
    pub judges: Vec<Judge>,
    /// The criteria.
    pub rubric: Arc<Rubric>,
    /// Whether up to every pair is compared.
    pub thorough: bool,
    /// The P(best) at which judging stops.
    pub confidence: f64,
    /// Whether each pair is judged in both orders.
    pub order_swaps: bool,
}

/// The interfaces through which a run acts.
#[derive(Clone)]
pub struct Ports {
    /// The store.
    pub store: Arc<dyn Store>,
    /// The templates and personas.
    pub assets: Arc<Assets>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of new ids.
    pub ids: Arc<dyn IdSource>,
    /// What to do with the stored prompts after the run.
    pub afterwards: AfterRun,
    /// Where to save finished prompts that could not be stored.
    pub save_aside: SaveAside,
}

/// Saves finished prompts of one run that could not be stored, replacing earlier saves of the same
/// prompts. Returns the path for display. Blocks until they are on disk.
pub type SaveAside = Arc<dyn Fn(&[Prompt], &Session) -> Result<PathBuf> + Send + Sync>;

/// Called before a run's last event, with its stored prompts and its account. The returned closure
/// is called after that event; its duration and its failures are not the run's.
pub type AfterRun = Arc<dyn Fn(Vec<Prompt>, Account) -> FollowUp + Send + Sync>;

/// Begins the follow-up work of a run.
pub type FollowUp = Box<dyn FnOnce() + Send>;

/// The journal's name for a step of a variant.
pub(super) fn step_of(variant: u32, phase: Phase) -> String {
    format!("{variant}/{phase}")
}

impl Plan {
    /// The strategy of a variant.
    pub fn strategy(&self, variant: u32) -> &str {
        &self.strategies[variant as usize % self.strategies.len()]
    }

    /// The phases' names, in order.
    pub fn phase_names(&self) -> Vec<Phase> {
        self.phases.iter().map(|binding| binding.phase).collect()
    }

    /// Turns the plan into that of a resumed run, with its stored prompts and what it took of its
    /// caps. Finished work needs no reservation.
    pub fn resume_from(&mut self, journal: Journal, earlier: Vec<Prompt>, taken: Need) {
        if let Some(allowance) = &mut self.allowance {
            for (number, steps) in (0..).zip(&mut allowance.variants) {
                let is_done = |phase: &Phase| journal.result_of(&step_of(number, *phase)).is_some();
                let done = match journal.result_of(&variant_unit(number)) {
                    Some(_) => steps.len(),
                    // Phases run in order.
                    None => self.phases.iter().take_while(|binding| is_done(&binding.phase)).count(),
                };
                steps.drain(..done.min(steps.len()));
            }
        }
        (self.journal, self.earlier, self.taken) = (Some(journal), earlier, taken);
    }

    /// True if `builtin` does all of it.
    pub fn is_embedded(&self) -> bool {
        let is_own = |provider: &Arc<dyn Provider>| provider.name() == BUILTIN;
        let judges = self.judge.iter().flat_map(|judge| &judge.judges);
        self.phases.iter().map(|binding| &binding.provider).chain(judges.map(|judge| &judge.provider)).all(is_own)
    }

    /// The first event of the run.
    pub fn started(&self) -> EventKind {
        EventKind::Started {
            operation: Operation::Generate,
            total: Some(self.count.into()),
            variants: self.count,
            phases: self.phase_names(),
        }
    }

    /// The run's record for the store.
    pub fn session(&self) -> Session {
        Session {
            id: self.session_id,
            operation: Operation::Generate.to_string(),
            original_input: self.input.clone(),
            phases: self.phase_names(),
            persona: self.persona.clone(),
            count: self.count,
            created_at: self.begun_at,
        }
    }
}
