//! Answers the requests of the protocol, over any transport: tools here, the rest in modules of their own.

use std::sync::Arc;

use aludel_core::engine::{Engine, RequestContext as Context};
use aludel_core::error::{Code, Error, Problem};
use aludel_core::ids::{IdSource, SystemIds};
use aludel_core::ledger::Caller;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ContentBlock, GetTaskParams,
    GetTaskResult, Implementation, InitializeRequestParams, InitializeResult, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::options::Options;
use super::tasks;
use super::tools::{Call, Failure, ToolSet};
use crate::server::VERSION;

/// The server's instructions to a model.
const INSTRUCTIONS: &str = "aludel turns a rough idea into tested prompts for language models and keeps them. \
    `generate_prompts` writes variants of a prompt for a request and ranks them, best first; show the user the first \
    one's `content` unless they ask for more. `search_prompts` (by words), \
    `semantic_search_prompts` (by meaning) and `list_prompts` find what was made before, `get_prompt_details` shows it.";

/// Handles the protocol's requests. Clones share one engine.
#[derive(Clone)]
pub struct Handler {
    engine: Engine,
    tools: ToolSet,
    input_ended: CancellationToken,
    /// One permit for each call allowed at a time.
    places: Arc<Semaphore>,
}

impl Handler {
    /// A handler over this engine, which acts for one session of a host.
    pub fn new(engine: &Engine, options: Options) -> Self {
        let places = engine.config().server.max_connections.min(Semaphore::MAX_PERMITS);
        let session = || SystemIds.next().to_string();
        let caller = options.budget_usd.map(|budget| Arc::new(Caller::session(&session(), budget)));
        let context = Context { caller, scopes: options.tools.scopes(), ..engine.context().clone() };
        Self {
            engine: engine.with_context(context),
            tools: options.tools,
            input_ended: CancellationToken::new(),
            places: Arc::new(Semaphore::new(places)),
        }
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(super) fn input_ended(&self) -> &CancellationToken {
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
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tasks().build())
            .with_server_info(Implementation::new("aludel", VERSION).with_title("aludel"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        // Extensions came with 2026-07-28.
        result.capabilities.extensions = None;
        Ok(result)
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
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(|tool| tool.listed(&known)).collect()))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<GetTaskResult, ErrorData> {
        tasks::get(&self.engine, &request.task_id).await
    }

    async fn update_task(
        &self,
        _: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<(), ErrorData> {
        Err(tasks::no_input())
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<(), ErrorData> {
        tasks::cancel(&self.engine, &request.task_id).await
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.find(&request.name) else {
            return Err(ErrorData::invalid_params("there is no tool of this name; tools/list has them all", None));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let reply = match self.places.try_acquire() {
            Ok(_place) => {
                let input_responses = request.input_responses.unwrap_or_default();
                tool.call(Call { handler: self.clone(), arguments, context, input_responses }).await
            }
            Err(_) => Err(self.overloaded().into()),
        };
        Ok(match reply {
            Ok(answer) => answer.into(),
            Err(Failure(problem)) => failure(&named(*problem, tool.name)).into(),
        })
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
