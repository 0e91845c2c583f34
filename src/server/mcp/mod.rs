//! The Model Context Protocol: the operations as tools for a language model, over standard input and
//! output or over HTTP ([`http`]).
//!
//! Serves both protocol versions, which the library distinguishes: 2025-11-25 (initialize) and
//! 2026-07-28 (stateless, discover). The tools are in `tools`; the core decodes their arguments, as
//! for every face. A failed tool returns its problem as text for the model; only an unknown tool is
//! a protocol error. Stored prompts are resources (`resources`), personas and what is tagged `mcp` are
//! prompts (`prompts`), and `changes` tells clients that they have changed. Only JSON-RPC reaches
//! standard output: this module prints nothing.
//!
//! End of input and SIGTERM end the server in order, even before the first request. Calls that run
//! at the end of input can still answer for a few seconds. Once the output is closed too, they are
//! cancelled, so that nothing more is spent.

mod changes;
mod completion;
#[cfg(feature = "conformance-fixtures")]
pub mod conformance;
mod consent;
mod elicitation;
mod handler;
pub mod http;
mod instructions;
mod message;
mod options;
mod outbox;
mod page;
mod progress;
mod prompts;
mod refusal;
mod resources;
mod session;
mod stdio;
mod tasks;
mod tools;

use aludel_core::engine::Engine;
use aludel_core::error::{Error, Result};
use rmcp::ServerHandler;
use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use self::session::Session;
use self::stdio::Stdio;
use super::signals::Signals;

pub use handler::Handler;
pub use options::Options;
pub use progress::EVENT_KEY;
pub use tools::{Definition, TOOLS, ToolSet};

/// Serves standard input and output until either closes or SIGTERM or SIGINT arrives.
///
/// # Errors
/// `internal` when input cannot be read or signals caught; `storage` when the final write fails.
pub async fn serve_stdio(engine: Engine, options: Options) -> Result<()> {
    serve_stdio_as(engine, options, Handler::for_session).await
}

/// Serves as [`serve_stdio`], with the handler that `session` makes of the server's.
async fn serve_stdio_as<S: ServerHandler>(
    engine: Engine,
    options: Options,
    session: impl FnOnce(&Handler) -> S,
) -> Result<()> {
    let failed = |error: std::io::Error| Error::Internal(format!("standard input cannot be served: {error}"));
    let mut signals = Signals::listen().map_err(failed)?;
    let Stdio { input, output, hangup } = stdio::open().map_err(failed)?;
    engine.keep_indexed();
    let stop = CancellationToken::new();
    let handler = Handler::new(&engine, options);
    let serving = serve_as(session(&handler), handler.input_ended().clone(), input, output, stop.clone());
    tokio::pin!(serving);
    tokio::select! {
        () = &mut serving => return engine.close().await,
        () = signals.next() => {}
        () = hangup => tracing::info!("the output is closed; what runs is cancelled"),
    }
    stop.cancel();
    serving.await;
    engine.close().await
}

/// Serves one client until its input ends or `stop` fires. Calls that run at the end of input can
/// still answer for a few seconds; `stop` or a broken output cancels them.
pub async fn serve(
    handler: Handler,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) {
    let input_ended = handler.input_ended().clone();
    serve_as(handler, input_ended, input, output, stop).await;
}

async fn serve_as<S: ServerHandler>(
    handler: S,
    input_ended: CancellationToken,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) {
    let stop = stop.child_token();
    let transport = Session::new(input, output, input_ended, stop.clone());
    match serve_server_with_ct(handler, transport, stop).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                tracing::error!(%error, "the service broke");
            }
        }
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {}
        Err(error) => tracing::warn!(%error, "the client did not begin a session"),
    }
}
