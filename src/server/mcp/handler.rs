//! Answers the requests of the protocol, over any transport: tools here, the rest in modules of their own.

use std::sync::Arc;

use aludel_core::engine::{Engine, RequestContext as Context};
use aludel_core::error::{Code, Error, Problem};
use aludel_core::ids::{IdSource, SystemIds};
use aludel_core::ledger::Caller;
use aludel_core::operation;
use axum::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, CompleteRequestParams, CompleteResult,
    ContentBlock, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::changes::Subscriptions;
use super::options::Options;
use super::tools::{Call, Failure, ToolSet};
use super::{changes, completion, instructions, page, prompts, resources, tasks};
use crate::server::VERSION;

/// Handles the protocol's requests. Clones share one engine and are of one session.
#[derive(Clone)]
pub struct Handler {
    engine: Engine,
    tools: ToolSet,
    input_ended: CancellationToken,
    /// One permit for each call allowed at a time.
    places: Arc<Semaphore>,
    subscriptions: Arc<Subscriptions>,
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
            subscriptions: Arc::default(),
        }
    }

    /// The handler of another session, which has subscribed to nothing yet.
    #[must_use]
    pub fn for_session(&self) -> Self {
        Self { subscriptions: Arc::default(), ..self.clone() }
    }

    /// A handler that acts in the context of a request over HTTP: for the bearer of its token, and as
    /// far as its scopes and those of this handler allow.
    pub(super) fn within(&self, request: Option<&Context>) -> Self {
        let Some(request) = request else { return self.clone() };
        let ours = self.engine.context();
        let scopes = match (ours.scopes, request.scopes) {
            (Some(ours), Some(theirs)) => Some(ours.intersection(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        let caller = request.caller.clone().or_else(|| ours.caller.clone());
        let context = Context { caller, scopes, trace: request.trace.clone() };
        Self { engine: self.engine.with_context(context), ..self.clone() }
    }

    /// Checks that the caller may call the tool of this name, if there is one.
    ///
    /// # Errors
    /// `forbidden`.
    pub(super) fn check_scope(&self, tool: &str) -> Result<(), Error> {
        let tool = self.tools.find(tool);
        tool.map_or(Ok(()), |tool| self.engine.require(operation::scope_of(tool.operation)))
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(super) fn input_ended(&self) -> &CancellationToken {
        &self.input_ended
    }

    pub(super) fn subscriptions(&self) -> &Subscriptions {
        &self.subscriptions
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
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tasks()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions();
        ServerConfig::new(capabilities.build())
            .with_server_info(Implementation::new("aludel", VERSION).with_title("aludel"))
            .with_instructions(instructions::of(&self.tools))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
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
    ) -> Result<ListToolsResult, ErrorData> {
        page::only(page, "tools")?;
        Ok(ListToolsResult::with_all_items(self.tools.listed(self.engine.known())))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        tasks::get(self.within(context_of(&context)).engine(), &request.task_id).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::update(self.within(context_of(&context)).engine(), &request.task_id).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::cancel(self.within(context_of(&context)).engine(), &request.task_id).await
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.find(&request.name) else {
            return Err(ErrorData::invalid_params("there is no tool of this name; tools/list has them all", None));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let handler = self.within(context_of(&context));
        let reply = match (handler.check_scope(tool.name), self.places.try_acquire()) {
            (Ok(()), Ok(_place)) => {
                let input_responses = request.input_responses.unwrap_or_default();
                tool.call(Call { handler, arguments, context, input_responses }).await
            }
            (Err(refused), _) => Err(refused.into()),
            (Ok(()), Err(_)) => Err(self.overloaded().into()),
        };
        Ok(match reply {
            Ok(answer) => answer.into(),
            Err(Failure(problem)) => failure(&named(*problem, tool.name)).into(),
        })
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&self.within(context_of(&context)), page).await
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        resources::templates(page)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&self.within(context_of(&context)), request).await.map(Into::into)
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        prompts::list(&self.within(context_of(&context)), page).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&self.within(context_of(&context)), request).await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        completion::complete(&self.within(context_of(&context)), request).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        changes::subscribe(&self.within(context_of(&context)), request.uri).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        changes::unsubscribe(self, &request.uri);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let request = context.extensions.get::<Parts>().and_then(|head| head.extensions.get());
        changes::watch(&self.within(request), context.peer).await;
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(changes::accepted(requested))
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        changes::listen(&self.within(context_of(subscription.request_context())), subscription).await
    }
}

/// The context of a request over HTTP, whose head the library puts into its extensions.
fn context_of(request: &RequestContext<RoleServer>) -> Option<&Context> {
    request.extensions.get::<Parts>()?.extensions.get()
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
