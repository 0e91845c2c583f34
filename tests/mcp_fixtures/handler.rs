//! The handler around the product's: what has a name of the suite's is a fixture, the rest is the product.
#![expect(deprecated, reason = "the suite tries the subscriptions and the logging of 2025-11-25")]

use aludel::server::mcp::Handler;
use aludel::server::mcp::conformance::Elicitation;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, GetTaskParams, GetTaskResult, InitializeRequestParams,
    InitializeResult, JsonObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, PromptMessage, ReadResourceRequestParams, ReadResourceResponse, Reference,
    ResourceContents, Role, ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::rounds::{Question, States, internal};
use crate::stored::Stored;
use crate::{content, tools};

/// The handler of one session.
pub(crate) struct Fixtures {
    product: Handler,
    stored: Stored,
    states: States,
}

impl Fixtures {
    /// The handler of a session of this server.
    pub(crate) fn new(server: &Handler, stored: Stored, states: States) -> Self {
        Self { product: server.for_session(), stored, states }
    }

    pub(crate) fn product(&self) -> &Handler {
        &self.product
    }

    pub(crate) fn stored(&self) -> &Stored {
        &self.stored
    }

    pub(crate) fn states(&self) -> &States {
        &self.states
    }

    /// The URI of the product's in place of one of the suite's.
    fn uri(&self, uri: String) -> String {
        if [content::STATIC_TEXT, content::WATCHED].contains(&uri.as_str()) { self.stored.uri() } else { uri }
    }

    /// The name of the product's prompt in place of one of the suite's.
    async fn prompt(&self, name: String) -> Result<String, ErrorData> {
        match name.as_str() {
            "test_simple_prompt" => self.stored.simple().await.map_err(internal),
            "test_prompt_with_arguments" => self.stored.with_arguments().await.map_err(internal),
            _ => Ok(name),
        }
    }
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.product.get_info();
        info.capabilities.logging = Some(JsonObject::new());
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.product.initialize(request, context).await?;
        result.capabilities.logging = Some(JsonObject::new());
        Ok(result)
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut result = self.product.list_tools(page, context).await?;
        result.tools.extend(tools::all());
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name).or_else(|| self.product.get_tool(name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        tools::call(self, request, context).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.product.get_task(request, context).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.product.update_task(request, context).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.product.cancel_task(request, context).await
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut result = self.product.list_resources(page, context).await?;
        if result.next_cursor.is_none() {
            result.resources.extend(content::resources());
        }
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut result = self.product.list_resource_templates(page, context).await?;
        result.resource_templates.push(content::template());
        Ok(result)
    }

    async fn read_resource(
        &self,
        mut request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if let Some(result) = content::of_resource(&request.uri) {
            return Ok(result.into());
        }
        let asked = request.uri.clone();
        request.uri = self.uri(request.uri);
        let mut response = self.product.read_resource(request, context).await?;
        if let ReadResourceResponse::Complete(result) = &mut response {
            for contents in &mut result.contents {
                if let ResourceContents::TextResourceContents { uri, .. } = contents {
                    uri.clone_from(&asked);
                }
            }
        }
        Ok(response)
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut result = self.product.list_prompts(page, context).await?;
        if result.next_cursor.is_none() {
            result.prompts.extend(content::prompts());
        }
        Ok(result)
    }

    async fn get_prompt(
        &self,
        mut request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name == "test_input_required_result_prompt" {
            let question = Question::text("user_context", "What is the context?", "context");
            return Ok(match question.ask(&context, request.input_responses.as_ref()).await? {
                Elicitation::Required(result) => result.into(),
                reply => {
                    let text = format!("In this context: {reply:?}");
                    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into()
                }
            });
        }
        let uri = request.arguments.as_ref().and_then(|arguments| arguments.get("resourceUri")?.as_str());
        if let Some(result) = content::of_prompt(&request.name, uri.unwrap_or_default()) {
            return Ok(result.into());
        }
        request.name = self.prompt(request.name).await?;
        self.product.get_prompt(request, context).await
    }

    async fn complete(
        &self,
        mut request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        if let Reference::Prompt(prompt) = &mut request.r#ref {
            prompt.name = self.prompt(prompt.name.clone()).await?;
        }
        self.product.complete(request, context).await
    }

    async fn subscribe(
        &self,
        mut request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        request.uri = self.uri(request.uri);
        self.product.subscribe(request, context).await
    }

    async fn unsubscribe(
        &self,
        mut request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        request.uri = self.uri(request.uri);
        self.product.unsubscribe(request, context).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.product.on_initialized(context).await;
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.product.accepted_subscription_filter(requested)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        self.product.listen(subscription).await
    }
}
