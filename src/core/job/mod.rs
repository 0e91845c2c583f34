//! Jobs: work whose progress is recorded, so that any process on the same database can list,
//! follow, stop and resume it.
//!
//! A job has a [`Journal`], which records its start, each finished unit and its end.
//! [`Journal::run_with_lease`] renews its lease meanwhile and stops it on request. A job is *attached* if
//! the requester consumes its [`Run`](crate::event::run::Run), and *kept* if [`Keeper`] does. Followers
//! read the recorded events ([`JobFollower`]), which have the same numbers in every process.
//!
//! The operation that started a job also resumes it: it takes the job
//! ([`JobStore::take_job`](crate::store::JobStore)), reads the results in the journal of the new
//! attempt, and makes the rest.
//!
//! An ended job is stored for a while ([`STOPPED_JOB_RETENTION`](crate::store::STOPPED_JOB_RETENTION)).
//! An attached job that has finished, or has nothing to resume, is stored only for its followers to
//! see the end.

mod answers;
mod follow;
mod groups;
mod journal;
mod keep;
#[cfg(test)]
mod process_tests;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use answers::{JournalledAnswers, LIMITS as ANSWER_LIMITS};
pub use follow::{HINT, JobFollower, no_job};
pub use groups::{UnitGroup, UnitGroups};
pub use journal::{BeginOutcome, Journal, variant_unit};
pub use keep::Keeper;

/// How long a process holds a job without renewing its lease.
pub const LEASE: Duration = Duration::from_secs(30);

/// How often, at least, a process checks for a stop request.
const LOOKED_EVERY: Duration = Duration::from_millis(500);

/// How often a server looks for abandoned kept jobs.
pub const ADOPTED_EVERY: Duration = Duration::from_secs(5);

/// How long a follower of a kept job waits for a server to resume it.
const ADOPTED_WITHIN: Duration = Duration::from_secs(15);

/// How long an ended job is stored that only its followers need.
const SERVED_FOR: Duration = Duration::from_mins(10);

/// How often a follower polls for events.
const FOLLOWED_EVERY: Duration = Duration::from_millis(100);
