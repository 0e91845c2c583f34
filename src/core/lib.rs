//! The core of aludel: the whole program except its user interfaces, the *faces*.
//!
//! # Layers
//! A module can import only from its own layer and those below:
//!
//! | layer | modules | |
//! |---|---|---|
//! | L4 | [`engine`] | the facade: one method per operation, and the wiring |
//! | L3 | [`compare`], [`pipeline`], [`prompting`], [`rank`], [`judge`], [`job`], [`probe`], [`search`], [`statistics`], [`transfer`] | use-cases; no database, no network |
//! | L2 | [`config`], [`auth`], [`assets`], [`drafts`], [`embed`], [`files`], [`mcp_hosts`], [`store::sqlite`], [`provider::registry`], [`provider::settings`] and what it builds, [`notices`], [`trace`], [`unsaved`] | the only input and output |
//! | L1 | [`provider`] and [`store`] seams, [`event::run`], [`ledger`], [`metrics`], [`api`], [`text`], [`redact`], [`offload`], [`operation`], [`time`], [`ids`] | pure, but for the clock |
//! | L0 | [`domain`], [`event`], [`error`]; [`visited`] counts for tests | the vocabulary |
//!
//! `tests/it/architecture.rs` checks this.
//!
//! # Requests
//! A request is for one [`domain::Operation`]. [`operation::of`] gives the effect of each and the
//! faces that have it; the faces' own lists (routes, tools, actions, commands) are checked against
//! it. A face passes a raw JSON value to [`api::decode`], which does all validation; calls one
//! method of [`engine::Engine`], which resolves names and configuration into a plan; and renders
//! the value or the [`error::Error`] with its [`error::Code`].
//!
//! # Runs
//! Work that can be expensive is prepared first: [`engine::Prepared`] has read its inputs and knows
//! the cost and whether the user has to confirm it. Long work returns an [`event::run::Run`]: a spawned
//! ordinary future ([`pipeline::generate`], [`pipeline::select`]) that gets a plan, the interfaces
//! to act through ([`pipeline::Ports`]), a sender of events ([`pipeline::Announcer`]) and a
//! cancellation handle ([`event::run::RunControl`]). Imports, reindexing and tests are runs too
//! ([`pipeline::start_task`]), and a batch is a job of many generations ([`pipeline::start_batch`]).
//!
//! Its [`event::Event`]s begin with `started` (the operation, the number of units), report units as
//! they finish, and end with one terminal event, with an [`event::Outcome`] by operation. They fold
//! into one [`event::RunView`], which every face draws. Dropping the run stops the work.
//!
//! # Jobs
//! Work whose progress is recorded is a [`job`]. Its plan has a [`job::Journal`], which creates the
//! job in the [`store::JobStore`], records each finished unit in the transaction that stores its
//! results, and ends it; [`job::Journal::run_with_lease`] renews the lease and checks for stop requests.
//! An attached job ends with the consumer of its run; a kept one ([`engine::Prepared::keep`]) is
//! consumed by [`job::Keeper`]. Any process can follow the recorded events ([`job::JobFollower`]). A
//! job whose process died is interrupted: [`engine::Engine::resume_job`] takes it atomically and
//! does only the remaining work, under the remaining caps. Servers resume kept jobs by themselves
//! ([`engine::Engine::adopt_jobs`]); attached jobs are resumed only by command.
//!
//! # Limits
//! Calls wait for a permit of their provider and one of the process ([`provider::permit`]), so many
//! concurrent runs stay within the limits of one; a provider that refuses gets fewer, at once and a
//! second. All costs go through one [`ledger`].

pub mod api;
pub mod assets;
pub mod auth;
pub mod compare;
pub mod config;
pub mod domain;
pub mod drafts;
pub mod embed;
pub mod engine;
pub mod error;
pub mod event;
pub mod files;
pub mod ids;
pub mod job;
pub mod judge;
pub mod ledger;
#[cfg(test)]
mod linear_tests;
pub mod mcp_hosts;
pub mod metrics;
pub mod notices;
pub mod offload;
pub mod operation;
pub mod pipeline;
pub mod probe;
pub mod prompting;
pub mod provider;
pub mod rank;
pub mod redact;
pub mod search;
pub mod statistics;
pub mod store;
pub mod text;
pub mod time;
pub mod trace;
pub mod transfer;
pub mod unsaved;
pub(crate) mod visited;
