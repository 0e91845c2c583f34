//! Requests that need something of the client before they can be answered.
//!
//! A question to the user goes the way of the product's own. What a client sends back as `requestState` is
//! only a name of what is kept here, so that no other is taken.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use aludel::server::mcp::conformance::{Elicitation, ask};
use aludel_core::ids::{IdSource, SystemIds};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitResult, InputRequests,
    InputRequiredResult, InputResponses,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

type Answer = Result<CallToolResponse, ErrorData>;

/// The states of requests that were not answered yet, by the text that the client sends back. Clones share
/// them.
#[derive(Clone, Default)]
pub(crate) struct States(Arc<Mutex<HashMap<String, Value>>>);

impl States {
    /// Adds a state to an answer.
    fn add(&self, mut result: InputRequiredResult, state: Value) -> Answer {
        let id = SystemIds.next().to_string();
        self.0.lock().map_err(internal)?.insert(id.clone(), state);
        result.request_state = Some(id);
        Ok(result.into())
    }

    /// The state that a request names, if it names any.
    fn find(&self, request: &CallToolRequestParams) -> Result<Option<Value>, ErrorData> {
        let Some(id) = &request.request_state else { return Ok(None) };
        let found = self.0.lock().map_err(internal)?.get(id).cloned();
        found.map(Some).ok_or_else(|| ErrorData::invalid_params("`requestState` is none of this server's", None))
    }
}

/// A question with a form of these fields.
pub(crate) struct Question {
    pub(crate) name: &'static str,
    pub(crate) message: String,
    /// By their names.
    pub(crate) fields: Value,
    pub(crate) required: Vec<&'static str>,
}

impl Question {
    /// A question for one text.
    pub(crate) fn text(name: &'static str, message: &str, field: &'static str) -> Self {
        let fields = json!({ field: { "type": "string" } });
        Self { name, message: message.into(), fields, required: vec![field] }
    }

    /// Asks the user of the client.
    pub(crate) async fn ask(
        self,
        context: &RequestContext<RoleServer>,
        replies: Option<&InputResponses>,
    ) -> Result<Elicitation, ErrorData> {
        let Self { name, message, fields, required } = self;
        let schema = json!({ "type": "object", "properties": fields, "required": required });
        let question = json!({ "mode": "form", "message": message, "requestedSchema": schema });
        let question = serde_json::from_value(question).map_err(internal)?;
        let none = InputResponses::new();
        ask(context, replies.unwrap_or(&none), name, question).await.map_err(internal)
    }
}

/// Answers with what the user replied.
pub(crate) async fn one(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
    question: Question,
) -> Answer {
    Ok(match question.ask(context, request.input_responses.as_ref()).await? {
        Elicitation::Reply(reply) => said(&reply),
        Elicitation::Required(result) => result.into(),
        Elicitation::Unable => unable(),
    })
}

/// As [`one`], with a state that has to come back.
pub(crate) async fn confirmed(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
    states: &States,
) -> Answer {
    let state = states.find(request)?;
    let fields = json!({ "ok": { "type": "boolean" } });
    let question = Question { name: "confirm", message: "Is this right?".into(), fields, required: vec!["ok"] };
    match (question.ask(context, request.input_responses.as_ref()).await?, state) {
        (Elicitation::Reply(_), Some(_)) => Ok(text("state-ok")),
        (Elicitation::Reply(_), None) => Err(ErrorData::invalid_params("`requestState` is missing", None)),
        (Elicitation::Required(result), _) => states.add(result, Value::Null),
        (Elicitation::Unable, _) => Ok(unable()),
    }
}

/// Two questions, one after the other; the first reply is in the state of the second.
pub(crate) async fn two(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
    states: &States,
) -> Answer {
    let state = states.find(request)?.unwrap_or_default();
    let replies = request.input_responses.as_ref();
    let name = match state["name"].as_str() {
        Some(name) => name.to_owned(),
        None => match Question::text("step1", "What is your name?", "name").ask(context, replies).await? {
            Elicitation::Reply(reply) => field(&reply, "name"),
            Elicitation::Required(result) => return states.add(result, json!({})),
            Elicitation::Unable => return Ok(unable()),
        },
    };
    match Question::text("step2", "What is your favourite colour?", "color").ask(context, replies).await? {
        Elicitation::Reply(reply) => Ok(text(format!("{name} likes {}", field(&reply, "color")))),
        Elicitation::Required(result) => states.add(result, json!({ "name": name })),
        Elicitation::Unable => Ok(unable()),
    }
}

/// Asks for several things at once, and answers when all are there.
pub(crate) fn several(request: &CallToolRequestParams, requests: Value, states: &States) -> Answer {
    states.find(request)?;
    let requests: InputRequests = serde_json::from_value(requests).map_err(internal)?;
    let replies = request.input_responses.as_ref();
    if requests.keys().all(|name| replies.is_some_and(|replies| replies.contains_key(name))) {
        return Ok(text(format!("got {} replies", requests.len())));
    }
    states.add(InputRequiredResult::from_input_requests(requests), Value::Null)
}

/// A request for a form, as [`several`] takes it.
pub(crate) fn form(field: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { field: { "type": "string" } }, "required": [field] });
    json!({ "method": "elicitation/create", "params": { "mode": "form", "message": "Please", "requestedSchema": schema } })
}

/// A request for the reply of a model.
pub(crate) fn sampling(prompt: &str) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
    json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": 100 } })
}

/// A request for the folders of the client.
pub(crate) fn roots() -> Value {
    json!({ "method": "roots/list" })
}

fn field(reply: &ElicitResult, name: &str) -> String {
    let content = reply.content.as_ref().and_then(|content| content.get(name)?.as_str());
    content.unwrap_or("nothing").to_owned()
}

fn said(reply: &ElicitResult) -> CallToolResponse {
    let content = reply.content.as_ref().map(Value::to_string).unwrap_or_default();
    text(format!("The user's reply: {:?}, {content}", reply.action))
}

fn unable() -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text("the client cannot ask its user")]).into()
}

/// A result of this text.
pub(crate) fn text(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

/// The error for what is not the client's fault.
pub(crate) fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
