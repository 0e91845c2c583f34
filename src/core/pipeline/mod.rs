//! The main pipeline: runs the variants of a prompt through their phases, stores, ranks and judges
//! them.
//!
//! The phases of a variant are sequential; variants run concurrently within the run's limit (each
//! provider also has its own). A failure ends its variant, not the run. A prompt is stored when its
//! variant finishes, before ranking, and reported once it is stored; one that cannot be stored is
//! saved to a file, reported with a warning and named in the result ([`unsaved`]). A cancelled run
//! keeps and ranks what has finished. Every started phase finishes or its variant fails; only the
//! last event is terminal.
//!
//! Under a cap a variant starts when the worst cases of all its phases fit what is left
//! ([`Allowance`]), so as many variants run concurrently as fit whole.
//!
//! [`generate`] executes a [`Plan`], which the engine resolved, and [`select`] a [`selection`] by
//! the judge. Both are ordinary futures, which other work can embed: [`start_batch`] runs a
//! generation for each row. [`start`] and
//! [`start_selection`] spawn them through [`start_work`]; [`start_task`] spawns other work alike.

mod allowance;
mod announce;
mod batch;
#[cfg(test)]
mod cap_tests;
mod outcome;
mod plan;
mod run;
mod selection;
mod shell;
mod task;
#[cfg(test)]
mod tests;
mod unsaved;
#[cfg(test)]
mod unsaved_tests;
mod variant;

pub use allowance::Allowance;
pub use announce::Announcer;
pub use batch::{BatchPlan, PlanRow, RowResults, RowSource, RowWork, StoredRow, WINDOW, row_count, start_batch};
pub use plan::{AfterRun, FollowUp, JudgePlan, PhaseBinding, Plan, Ports, SaveAside};
pub use run::{GenerationEnd, generate, start};
pub use selection::{JudgeJob, SelectPlan, select, start_selection};
pub use shell::{WorkEnd, start as start_work};
pub use task::{Reporter, start_task};
