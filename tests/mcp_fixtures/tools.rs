//! The tools: their list, and what each does.
#![expect(deprecated, reason = "the suite tries what 2026-07-28 deprecated: sampling and logging")]
#![expect(clippy::panic, reason = "one tool provokes a panic")]

use aludel::server::mcp::Handler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, JsonObject, LoggingLevel,
    LoggingMessageNotificationParam, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

use crate::content;
use crate::handler::Fixtures;
use crate::rounds::{self, Question, internal, text};

/// The tools that take any arguments.
const NAMES: [&str; 27] = [
    "greet",
    "slow_compute",
    "confirm_delete",
    "failing_job",
    "test_tool_with_task",
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_progress",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_trigger_prompt_change",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multi_round",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_capabilities",
];

/// All tools.
pub(crate) fn all() -> Vec<Tool> {
    let text =
        |field: &str| json!({ "type": "object", "properties": { field: { "type": "string" } }, "required": [field] });
    let mut tools: Vec<Tool> = NAMES.iter().map(|name| tool(name, json!({ "type": "object" }))).collect();
    tools.push(tool("test_sampling", text("prompt")));
    tools.push(tool("test_elicitation", text("message")));
    let region = json!({ "region": { "type": "string", "x-mcp-header": "Region" } });
    tools.push(tool("test_custom_header", json!({ "type": "object", "properties": region, "required": ["region"] })));
    tools.push(tool("json_schema_2020_12_tool", schema_of_2020()));
    tools
}

fn tool(name: &'static str, schema: Value) -> Tool {
    let schema = if let Value::Object(schema) = schema { schema } else { JsonObject::new() };
    Tool::new(name, "A fixture.", schema)
}

/// Every keyword that the suite looks for.
fn schema_of_2020() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
            }
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
    })
}

/// Calls a tool.
pub(crate) async fn call(
    fixtures: &Fixtures,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let product = fixtures.product();
    let states = fixtures.states();
    let name = request.name.clone();
    if let Some(content) = content::of_tool(&name) {
        return Ok(CallToolResult::success(content).into());
    }
    match &*name {
        "test_tool_with_progress" => {
            let arguments = json!({ "input": "Write a haiku", "count": 1 });
            of_product(product, "generate_prompts", arguments, request, context).await
        }
        "test_error_handling" => {
            let arguments = json!({ "prompt_id": "ffffffff" });
            of_product(product, "get_prompt_details", arguments, request, context).await
        }
        "slow_compute" | "confirm_delete" => of_product(product, "start_batch", batch(), request, context).await,
        "failing_job" => {
            if !context.client_capabilities().is_some_and(|client| client.supports_tasks()) {
                let needed = ClientCapabilities::builder().enable_tasks().build();
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            let mut arguments = batch();
            arguments["max_calls"] = json!(1);
            of_product(product, "start_batch", arguments, request, context).await
        }
        "test_tool_with_task" => match rounds::one(&request, &context, question(&name, &request)).await? {
            CallToolResponse::Complete(reply) if reply.is_error != Some(true) => {
                of_product(product, "start_batch", batch(), request, context).await
            }
            answer => Ok(answer),
        },
        "test_trigger_prompt_change" => {
            fixtures.stored().change_list().await.map(|()| text("changed")).map_err(internal)
        }
        // Not the suite's: what a fault of ours does to the output.
        "test_panic" => panic!("provoked"),
        "greet" => Ok(text(format!("Hello, {}!", given(&request, "name").unwrap_or("you")))),
        "test_custom_header" | "json_schema_2020_12_tool" => Ok(text("called")),
        "test_missing_capability" => with_sampling(&context),
        "test_sampling" => sample(&request, &context).await,
        "test_tool_with_logging" => {
            for step in ["started", "working", "finished"] {
                log(&context, step).await?;
            }
            Ok(text("logged"))
        }
        "test_logging_tool" => {
            if context.meta.log_level().is_some() {
                log(&context, "called").await?;
            }
            Ok(text("logged, if that was asked for"))
        }
        "test_elicitation"
        | "test_elicitation_sep1034_defaults"
        | "test_elicitation_sep1330_enums"
        | "test_streaming_elicitation"
        | "test_input_required_result_elicitation" => rounds::one(&request, &context, question(&name, &request)).await,
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            rounds::confirmed(&request, &context, states).await
        }
        "test_input_required_result_multi_round" => rounds::two(&request, &context, states).await,
        "test_input_required_result_sampling" => {
            let asked = json!({ "capital_question": rounds::sampling("What is the capital of France?") });
            rounds::several(&request, asked, states)
        }
        "test_input_required_result_list_roots" => {
            rounds::several(&request, json!({ "client_roots": rounds::roots() }), states)
        }
        "test_input_required_result_multiple_inputs" => {
            let (user_name, greeting) = (rounds::form("name"), rounds::sampling("Write a greeting"));
            let asked = json!({ "user_name": user_name, "greeting": greeting, "client_roots": rounds::roots() });
            rounds::several(&request, asked, states)
        }
        "test_input_required_result_capabilities" => {
            let client = context.client_capabilities().unwrap_or_default();
            let mut asked = JsonObject::new();
            if client.elicitation.is_some() {
                asked.insert("form".into(), rounds::form("value"));
            }
            if client.sampling.is_some() {
                asked.insert("sampling".into(), rounds::sampling("Write a greeting"));
            }
            rounds::several(&request, asked.into(), states)
        }
        _ => product.call_tool(request, context).await,
    }
}

/// The arguments of a batch of one row.
fn batch() -> Value {
    json!({ "rows": [{ "input": "Write a haiku" }] })
}

/// An argument that is a text.
fn given<'a>(request: &'a CallToolRequestParams, name: &str) -> Option<&'a str> {
    request.arguments.as_ref()?.get(name)?.as_str()
}

/// Calls a tool of the product in place of one of the suite's.
async fn of_product(
    product: &Handler,
    name: &'static str,
    arguments: Value,
    mut request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    request.name = name.into();
    request.arguments = arguments.as_object().cloned();
    product.call_tool(request, context).await
}

/// The question that a tool asks.
fn question(tool: &str, request: &CallToolRequestParams) -> Question {
    match tool {
        "test_elicitation" => {
            let fields = json!({ "response": { "type": "string", "description": "The user's response" } });
            let message = given(request, "message").unwrap_or("Please respond").to_owned();
            Question { name: "response", message, fields, required: vec!["response"] }
        }
        "test_elicitation_sep1034_defaults" => {
            let fields = json!({
                "name": { "type": "string", "default": "John Doe" },
                "age": { "type": "integer", "default": 30 },
                "score": { "type": "number", "default": 95.5 },
                "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
                "verified": { "type": "boolean", "default": true }
            });
            Question { name: "defaults", message: "Please look through these".into(), fields, required: Vec::new() }
        }
        "test_elicitation_sep1330_enums" => {
            let titled = json!([
                { "const": "value1", "title": "First" },
                { "const": "value2", "title": "Second" },
                { "const": "value3", "title": "Third" }
            ]);
            let options = json!({ "type": "string", "enum": ["option1", "option2", "option3"] });
            let legacy = json!({
                "type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]
            });
            let fields = json!({
                "untitledSingle": options,
                "titledSingle": { "type": "string", "oneOf": titled },
                "legacyEnum": legacy,
                "untitledMulti": { "type": "array", "minItems": 1, "maxItems": 3, "items": options },
                "titledMulti": { "type": "array", "minItems": 1, "maxItems": 3, "items": { "anyOf": titled } }
            });
            Question { name: "enums", message: "Please choose".into(), fields, required: Vec::new() }
        }
        _ => Question::text("user_name", "What is your name?", "name"),
    }
}

/// Needs a client that can sample.
fn with_sampling(context: &RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
    if context.client_capabilities().is_some_and(|client| client.sampling.is_some()) {
        return Ok(text("the client can sample"));
    }
    Err(ErrorData::missing_required_client_capability(ClientCapabilities::builder().enable_sampling().build()))
}

/// Has the client's model write.
async fn sample(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let asked = rounds::sampling(given(request, "prompt").unwrap_or("Write a greeting"));
    let asked = serde_json::from_value(asked["params"].clone()).map_err(internal)?;
    let sampled = context.peer.create_message(asked).await.map_err(internal)?;
    serde_json::to_string(&sampled).map(text).map_err(internal)
}

async fn log(context: &RequestContext<RoleServer>, message: &str) -> Result<(), ErrorData> {
    let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(message));
    context.peer.notify_logging_message(message).await.map_err(internal)
}
