//! Jobs: work whose progress is written down, so that it can be listed, followed, stopped and taken
//! up again by any process on the same database.
//!
//! Work that is a job has a [`Journal`], by which it begins, writes down each finished unit, and
//! ends; [`Journal::attended`] keeps hold of it meanwhile and stops it when somebody asks. A job is
//! *attached* where somebody consumes its [`Run`](crate::event::Run), and *kept* where [`Keeper`]
//! does. Whoever wants to watch reads what was written down ([`Following`]): the same events with
//! the same numbers in every process, from any number on.
//!
//! Resuming is done by the operation that knows the work: it takes the job
//! ([`JobStore::take_job`](crate::store::JobStore)), asks the journal of the new attempt for the
//! results that it has, and makes the rest.
//!
//! A job that has ended is stored for a while ([`ENDED_FOR`](crate::store::ENDED_FOR)). An attached
//! one that has its result, which its consumer has seen, or that has nothing to take up again, is
//! stored only until its watchers have seen the end.

mod answers;
mod follow;
mod journal;
mod keep;
#[cfg(test)]
mod process_tests;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use answers::{JournalledAnswers, LIMITS as ANSWER_LIMITS};
pub use follow::{Following, HINT, no_job};
pub use journal::{Begun, Journal, variant_unit};
pub use keep::Keeper;

/// How long a process holds a job without a sign of life.
pub const LEASE: Duration = Duration::from_secs(30);

/// How often, at least, it looks whether it was asked to stop.
const LOOKED_EVERY: Duration = Duration::from_millis(500);

/// How often a server looks for kept jobs that nobody works on.
pub const ADOPTED_EVERY: Duration = Duration::from_secs(5);

/// How long a follower of a kept job waits for a server that takes it up.
const ADOPTED_WITHIN: Duration = Duration::from_secs(15);

/// How long an ended job is stored that nobody has a use for but who watches it.
const SERVED_FOR: Duration = Duration::from_mins(10);

/// How often a follower looks for more.
const FOLLOWED_EVERY: Duration = Duration::from_millis(100);
