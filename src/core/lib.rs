//! The core of aludel: everything the program knows, and none of the ways in.
//!
//! # The map
//! An import may only point down:
//!
//! | layer | modules | |
//! |---|---|---|
//! | L4 | [`engine`] | the facade: one method per operation, and the wiring |
//! | L3 | [`compare`], [`pipeline`], [`prompting`], [`rank`], [`judge`], [`job`], [`probe`], [`search`], [`statistics`], [`transfer`] | use-cases; no database, no network |
//! | L2 | [`config`], [`assets`], [`drafts`], [`embed`], [`files`], [`store::sqlite`], [`provider::registry`] and what it builds, [`notices`], [`trace`], [`unsaved`] | the only input and output |
//! | L1 | [`provider`] and [`store`] seams, [`event::run`], [`ledger`], [`api`], [`text`], [`redact`], [`offload`], [`operation`], [`time`], [`ids`] | pure, but for the clock |
//! | L0 | [`domain`], [`event`], [`error`] | the vocabulary |
//!
//! Within a layer an import is allowed. `tests/it/architecture.rs` holds all this.
//!
//! # The way of a request
//! What can be asked for is a [`domain::Operation`]; [`operation::of`] says what each does to the world and which faces have it,
//! and the faces' own lists (routes, tools, actions, commands) are held against it.
//!
//! A face hands a raw JSON value to [`api::decode`], the only validation there is, which reads the operation's table of fields;
//! calls one method of [`engine::Engine`], which resolves names and configuration into a plan; and renders what comes back: a
//! value, or an [`error::Error`] with its [`error::Code`].
//!
//! # The way of longer work
//! What may cost much is prepared first: [`engine::Prepared`] has read what it needs, says what it may cost and whether somebody
//! has to agree, and is started. What takes longer answers with an [`event::Run`]. Behind it is an ordinary future ([`pipeline::generate`],
//! [`pipeline::select`]) that takes a plan, the [`pipeline::Ports`] through which it acts on the world, a voice
//! ([`pipeline::Announcer`]) and what stops it ([`event::RunControl`]); other work can be made of it. A shell spawns it, and tells
//! its end; an import, an index made anew, a judge's or a provider's test have the same one ([`pipeline::start_task`]). Its [`event::Event`]s begin with `started` (the operation, the total of its units), count units as they are done, and
//! end with one terminal event, whose [`event::Outcome`] is told apart by the operation. They fold into one [`event::RunView`],
//! which every face draws; work that a face does not know is a bar with its name and counts. Dropping the run stops the work.
//!
//! # The way of a job
//! Work whose progress is written down is a [`job`]. The engine gives its plan a [`job::Journal`]: by that it begins in the
//! [`store::JobStore`], records each finished unit in the transaction that stores what the unit made, and ends; meanwhile
//! [`job::Journal::attended`] renews its lease and looks whether somebody wants it stopped. An attached job ends with whoever
//! consumes its run; a kept one ([`engine::Prepared::keep`]) is consumed by [`job::Keeper`]. Whoever watches, in whatever process,
//! reads what was written ([`job::Following`]), the same events under the same numbers. A job whose process died is interrupted;
//! [`engine::Engine::resume_job`] takes it, by one statement of the store, and starts the same work with what the journal has: only
//! the rest is made, under the caps less what was taken. Kept jobs are taken up by servers unasked
//! ([`engine::Engine::adopt_jobs`]), attached ones by command alone.
//!
//! Calls to providers wait for a permit of the provider and one of the whole process ([`provider::permit`]), so a hundred
//! generations side by side keep to the limits of one; a provider that refuses gets fewer at once. What they cost goes through
//! one [`ledger`].

pub mod api;
pub mod assets;
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
