//! The Model Context Protocol: the operations as tools for a language model, over standard input and
//! output or over HTTP (`http`).
//!
//! Serves both protocol versions, which the library distinguishes: 2025-11-25 (initialize) and
//! 2026-07-28 (stateless, discover). The tools are in `tools`; the core decodes their arguments, as
//! for every face. A failed tool returns its problem as text for the model; only an unknown tool is
//! a protocol error. Only JSON-RPC reaches standard output: this module prints nothing.
//!
//! End of input and SIGTERM end the server in order, even before the first request. Calls that run
//! at the end of input can still answer for a few seconds. Once the output is closed too, they are
//! cancelled, so that nothing more is spent.

mod http;
mod message;
mod outbox;
mod progress;
mod session;
mod stdio;
mod tools;

use std::sync::Arc;

use aludel_core::engine::{Engine, RequestContext as CallContext};
use aludel_core::error::{Code, Error, Problem, Result};
use aludel_core::ids::{IdSource, SystemIds};
use aludel_core::operation;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, ServerInitializeError, serve_server_with_ct};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use self::session::Session;
use self::stdio::Stdio;
use self::tools::{Call, Failure};
use super::VERSION;
use super::signals::Signals;

pub use self::http::{Options, Server, StopHandle, bind_http, http_router, serve_http};
pub use progress::EVENT_KEY;
pub use tools::{Definition, TOOLS};

/// The server's instructions to a model.
const INSTRUCTIONS: &str = "aludel turns a rough idea into tested prompts for language models and keeps them. \
    `generate_prompts` writes variants of a prompt for a request and ranks them, best first; show the user the first \
    one's `content` unless they ask for more. `search_prompts` (by words), \
    `semantic_search_prompts` (by meaning) and `list_prompts` find what was made before, `get_prompt_details` shows it.";

/// Serves standard input and output until either closes or SIGTERM or SIGINT arrives.
///
/// # Errors
/// `internal` when input cannot be read or signals caught; `storage` when the final write fails.
pub async fn serve_stdio(engine: Engine) -> Result<()> {
    let failed = |error: std::io::Error| Error::Internal(format!("standard input cannot be served: {error}"));
    let mut signals = Signals::listen().map_err(failed)?;
    let Stdio { input, output, hangup } = stdio::open().map_err(failed)?;
    engine.keep_indexed();
    let stop = CancellationToken::new();
    let serving = serve(engine.clone(), input, output, stop.clone());
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
    engine: Engine,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) {
    let handler = Handler::new(engine);
    let stop = stop.child_token();
    let transport = Session::new(input, output, handler.input_ended.clone(), stop.clone());
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

/// Handles the protocol's requests. Clones share one engine.
#[derive(Clone)]
pub struct Handler {
    engine: Engine,
    input_ended: CancellationToken,
    /// One permit for each call allowed at a time.
    places: Arc<Semaphore>,
}

impl Handler {
    /// A handler over this engine.
    pub fn new(engine: Engine) -> Self {
        let places = engine.config().server.max_connections.min(Semaphore::MAX_PERMITS);
        Self { engine, input_ended: CancellationToken::new(), places: Arc::new(Semaphore::new(places)) }
    }

    fn engine(&self) -> &Engine {
        &self.engine
    }

    /// A handler that acts for the caller of this request, if it came over HTTP.
    fn acting_for(&self, context: &RequestContext<RoleServer>) -> Self {
        let parts = context.extensions.get::<axum::http::request::Parts>();
        match parts.and_then(|parts| parts.extensions.get::<CallContext>()) {
            Some(caller) => Self { engine: self.engine.with_context(caller.clone()), ..self.clone() },
            None => self.clone(),
        }
    }

    fn input_ended(&self) -> &CancellationToken {
        &self.input_ended
    }

    fn overloaded(&self) -> Error {
        let most = self.engine.config().server.max_connections;
        let detail =
            format!("{most} calls are running, the maximum: wait for one to end, or raise `server.max_connections`");
        Error::Refused { code: Code::Overloaded, detail }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("aludel", VERSION).with_title("aludel"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<ListToolsResult, ErrorData> {
        if page.is_some_and(|page| page.cursor.is_some()) {
            return Err(ErrorData::invalid_params(
                "the list of tools has one page, so there is no cursor for another",
                None,
            ));
        }
        let known = self.engine.known();
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(|tool| tool.listed(&known)).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<CallToolResponse, ErrorData> {
        let Some(tool) = tools::find(&request.name) else {
            return Err(ErrorData::invalid_params("there is no tool of this name; tools/list has them all", None));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let handler = self.acting_for(&context);
        let allowed = handler.engine.require(operation::scope_of(tool.operation));
        let reply = match (allowed, self.places.try_acquire()) {
            (Ok(()), Ok(_place)) => tool.call(Call { handler, arguments, context }).await,
            (Err(refused), _) => Err(refused.into()),
            (Ok(()), Err(_)) => Err(self.overloaded().into()),
        };
        Ok(match reply {
            Ok(content) => CallToolResult::structured(content),
            Err(Failure(problem)) => failure(&named(*problem, tool.name)),
        }
        .into())
    }
}

/// A failed tool: only text, as clients check structured content against the output schema.
fn failure(problem: &Problem) -> CallToolResult {
    // A problem is texts and numbers, so this cannot fail; its detail is better than nothing.
    let text = serde_json::to_string(problem).unwrap_or_else(|_| problem.detail.clone());
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Adds a request id to the problem and logs it under the same id.
fn named(problem: Problem, tool: &str) -> Problem {
    let id = SystemIds.next().to_string();
    let (code, detail) = (problem.code.as_str(), problem.detail.as_str());
    if problem.status >= 500 {
        tracing::error!(request_id = %id, tool, code, detail, "a tool failed");
    } else {
        tracing::info!(request_id = %id, tool, code, detail, "a tool refused its arguments");
    }
    problem.with_request_id(id)
}
