//! Everything a generate run needs, resolved: no configuration is read after this.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::allowance::Allowance;
use crate::assets::{Assets, Rubric};
use crate::domain::{Operation, Phase, Prompt, SessionId, Timestamp};
use crate::error::Result;
use crate::event::EventKind;
use crate::ids::IdSource;
use crate::job::{Journal, variant_unit};
use crate::judge::Judge;
use crate::ledger::{Account, Need};
use crate::provider::registry::BUILTIN;
use crate::provider::{Provider, TargetFamily};
use crate::rank::Weights;
use crate::store::{Session, Store};
use crate::time::Clock;

/// A generate run, planned.
pub struct Plan {
    /// The run's name.
    pub session_id: SessionId,
    /// When it was asked for.
    pub begun_at: Timestamp,
    /// The idea, to the letter.
    pub input: String,
    /// How many variants.
    pub count: u32,
    /// The phases, in order, each bound to its provider. Never empty.
    pub phases: Vec<PhaseBinding>,
    /// The strategies, in the order in which variants take them; the first again after the last. Never empty.
    pub strategies: Vec<String>,
    /// How many things the request plainly leaves open.
    pub gaps: usize,
    /// The persona's name.
    pub persona: String,
    /// Labels of the stored prompts.
    pub tags: Vec<String>,
    /// Background texts.
    pub context: Vec<String>,
    /// The family of the model the prompt is for.
    pub target: TargetFamily,
    /// True: prompts are stored.
    pub save: bool,
    /// The judge, when one is to choose.
    pub judge: Option<JudgePlan>,
    /// Limit of the whole run.
    pub timeout: Option<Duration>,
    /// Variants side by side, at least 1.
    pub concurrency: usize,
    /// How much each component of the ranking counts.
    pub ranking_weights: Weights,
    /// What the user should know before the run begins.
    pub warnings: Vec<String>,
    /// Who pays for its calls.
    pub account: Account,
    /// What the variants may take at most; `None` where no cap is in force.
    pub allowance: Option<Allowance>,
    /// Where its progress is written down, when the run is a job.
    pub journal: Option<Journal>,
    /// The prompts that earlier attempts of the job have stored.
    pub earlier: Vec<Prompt>,
    /// What those attempts have taken.
    pub taken: Need,
}

/// One phase and who does it.
#[derive(Clone)]
pub struct PhaseBinding {
    /// Which phase.
    pub phase: Phase,
    /// Who answers, fallbacks included.
    pub provider: Arc<dyn Provider>,
    /// The model; `None`: the provider's default.
    pub model: Option<String>,
    /// Wanted temperature, 0..=2.
    pub temperature: f64,
    /// Wanted limit of tokens.
    pub max_tokens: u32,
}

/// Who judges.
#[derive(Clone)]
pub struct JudgePlan {
    /// One, or a panel.
    pub judges: Vec<Judge>,
    /// The criteria.
    pub rubric: Arc<Rubric>,
    /// Whether up to every pair is compared.
    pub thorough: bool,
    /// P(best) at which no more is asked.
    pub confidence: f64,
    /// Whether each pair is asked about in both orders.
    pub order_swaps: bool,
}

/// The world a run acts on.
#[derive(Clone)]
pub struct Ports {
    /// Where prompts go.
    pub store: Arc<dyn Store>,
    /// What is said to models.
    pub assets: Arc<Assets>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// New names.
    pub ids: Arc<dyn IdSource>,
    /// What becomes of the stored prompts of a run.
    pub afterwards: Afterwards,
    /// What becomes of finished prompts that the store did not take.
    pub save_aside: SaveAside,
}

/// Saves finished prompts of one run that the store did not take, in place of what was saved of the same prompts
/// before; answers where they are, as people are told of it. Blocks until they are on the disk.
pub type SaveAside = Arc<dyn Fn(&[Prompt], &Session) -> Result<PathBuf> + Send + Sync>;

/// Takes the prompts that a run has stored, and who pays for the run, before its last event; what it gives back is called
/// once that event is out. What is done then is no part of the run: neither its time nor its failures are the run's.
pub type Afterwards = Arc<dyn Fn(Vec<Prompt>, Account) -> Begin + Send + Sync>;

/// Begins what was announced.
pub type Begin = Box<dyn FnOnce() + Send>;

/// The name of a step of a variant in a journal.
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

    /// Makes it what is left of a run that was begun before, with the prompts that are stored of it
    /// and what it has taken: what is done needs nothing set aside.
    pub fn take_up(&mut self, journal: Journal, earlier: Vec<Prompt>, taken: Need) {
        if let Some(allowance) = &mut self.allowance {
            for (number, steps) in (0..).zip(&mut allowance.variants) {
                let is_done = |phase: &Phase| journal.result_of(&step_of(number, *phase)).is_some();
                let done = match journal.result_of(&variant_unit(number)) {
                    Some(_) => steps.len(),
                    // Phases come one after the other.
                    None => self.phases.iter().take_while(|binding| is_done(&binding.phase)).count(),
                };
                steps.drain(..done.min(steps.len()));
            }
        }
        (self.journal, self.earlier, self.taken) = (Some(journal), earlier, taken);
    }

    /// True when the program itself does all of it.
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

    /// The run as it is stored.
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
