//! The main job: variants of a prompt, each through its phases, stored as they finish, ranked, judged.
//!
//! Run rules. The phases of a variant are sequential; variants run side by side under the run's limit (each provider
//! has its own besides). A failure ends its variant, not the run. A prompt is stored when its variant finishes, before
//! ranking, and reported only after the store has it; one that the store does not take is saved to a file, reported with
//! a warning and named in the result ([`unsaved`]). A cancelled run keeps what had finished and still ranks it.
//! Every started phase finishes or its variant fails; the last event is the only terminal one.
//!
//! Under a cap variants are finished one after the other, as many side by side as whole chains fit what is left: one
//! starts when the worst cases of all its phases do ([`Allowance`]).
//!
//! The judge's part is [`selection`], which is also a job of its own: a selection among stored prompts.
//!
//! [`Plan`] is everything a run needs, resolved by the engine; [`generate`] carries it out, and
//! [`select`] a selection: ordinary futures, of which other work can be made. [`start`] and
//! [`start_selection`] put them into their shell ([`start_work`]), which spawns them and tells
//! their end. [`variant`] is one variant. Work of other kinds is put into the same shell by [`start_task`].

mod allowance;
mod announce;
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
pub use plan::{Afterwards, Begin, JudgePlan, PhaseBinding, Plan, Ports, SaveAside};
pub use run::{Generated, generate, start};
pub use selection::{JudgeJob, SelectPlan, select, start_selection};
pub use shell::{Worked, start as start_work};
pub use task::{Reporter, start_task};
