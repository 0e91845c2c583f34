//! The core of aludel: everything the program knows, and none of the ways in.
//!
//! # The map
//! An import may only point down:
//!
//! | layer | modules | |
//! |---|---|---|
//! | L4 | [`engine`] | the facade: one method per operation, and the wiring |
//! | L3 | [`compare`], [`pipeline`], [`prompting`], [`rank`], [`judge`], [`probe`], [`search`], [`statistics`], [`transfer`] | use-cases; no database, no network |
//! | L2 | [`config`], [`assets`], [`drafts`], [`embed`], [`files`], [`store::sqlite`], [`provider::registry`] and what it builds, [`told`], [`trace`], [`unsaved`] | the only input and output |
//! | L1 | [`provider`] and [`store`] seams, [`event::run`], [`ledger`], [`api`], [`text`], [`redact`], [`offload`], [`operation`], [`time`], [`ids`] | pure, but for the clock |
//! | L0 | [`domain`], [`event`], [`error`] | the vocabulary |
//!
//! Within a layer an import is allowed. `tests/it/architecture.rs` holds all this.
//!
//! # The way of a request
//! A face hands a raw JSON value to [`api::decode`], the only validation there is; calls one method of
//! [`engine::Engine`]; and renders what comes back: a value, or a [`event::Run`] whose [`event::Event`]s fold into
//! one [`event::RunView`].

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
pub mod judge;
pub mod ledger;
#[cfg(test)]
mod linear_tests;
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
pub mod told;
pub mod trace;
pub mod transfer;
pub mod unsaved;
