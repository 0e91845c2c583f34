//! The servers: HTTP for programs ([`rest`]) and the Model Context Protocol for language models ([`mcp`]).
//!
//! Both are thin: they pass a raw request to `Engine::decode`, call one method of the engine and
//! render the result. They do not know each other, the command line or the workbench. What they
//! share is here: the tokens of their clients, the version they report, the signals that end them,
//! and in [`http`] what any HTTP server needs.

mod auth;
mod http;
pub mod mcp;
pub mod rest;
mod signals;

/// The version reported to clients.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
