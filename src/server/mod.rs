//! The servers: HTTP for programs ([`rest`]) and the Model Context Protocol for language models ([`mcp`]).
//!
//! Both are thin: they bring a raw request to `Engine::decode`, call one method of the engine and render what comes
//! back. They do not know each other, nor the command line, nor the workbench; what they share is here: the version
//! they tell, and the signals that end them.

pub mod mcp;
pub mod rest;
mod signals;

/// The version told to clients.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
