//! What the fixtures of the protocol's conformance suite need of this server. Only built for them.
//!
//! The suite calls tools, prompts and resources of names of its own, which no product has. A program
//! of the tests puts them into a handler around [`Handler`] and serves it here, so that everything
//! else that the suite sees is the server as users get it.

use aludel_core::engine::Engine;
use aludel_core::error::Result;
use rmcp::ServerHandler;

use super::http::{self, ListenOptions};
use super::{Handler, Options};

pub use super::elicitation::{Elicitation, ask};

/// Serves as [`http::serve`], with the handlers that `session` makes of the server's.
///
/// # Errors
/// As [`http::serve`].
pub async fn serve<S: ServerHandler>(
    engine: Engine,
    listen: &ListenOptions,
    options: Options,
    session: impl Fn(&Handler) -> S + Send + Sync + 'static,
) -> Result<()> {
    http::serve_as(engine, listen, options, session).await
}

/// Serves as [`super::serve_stdio`], with the handler that `session` makes of the server's.
///
/// # Errors
/// As [`super::serve_stdio`].
pub async fn serve_stdio<S: ServerHandler>(
    engine: Engine,
    options: Options,
    session: impl FnOnce(&Handler) -> S,
) -> Result<()> {
    super::serve_stdio_as(engine, options, session).await
}
