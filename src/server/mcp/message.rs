//! Parses one line of input into a message for the library, an error reply, or nothing.
//!
//! The library skips lines that are not JSON and reports a known method with wrong parameters as
//! unknown, which leaves a client waiting or misled. Here each line is answered by JSON-RPC 2.0,
//! section 5.1: −32700 if it is not JSON, −32600 if it is not a message, −32602 for wrong
//! parameters. A reply to no request has the id null. Notifications and responses get no reply.

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, CustomRequest, ErrorCode};
use serde_json::{Value, json};

/// The methods whose parameters the library parses. It does not know any other.
const METHODS: [&str; 14] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/call",
    "tools/list",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "subscriptions/listen",
    "completion/complete",
];

/// A parsed line.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A message for the library.
    Message(Box<ClientJsonRpcMessage>),
    /// Not a message; this is the error reply.
    Wrong(Value),
    /// Needs no reply.
    Nothing,
}

/// Parses one line, without its line break.
pub(super) fn read(line: &[u8]) -> Incoming {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Incoming::Nothing;
    }
    match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
        Ok(ClientJsonRpcMessage::Request(request)) => match &request.request {
            ClientRequest::CustomRequest(custom) if METHODS.contains(&custom.method.as_str()) => {
                wrong(ErrorCode::INVALID_PARAMS, &wrong_params(custom), &json!(request.id))
            }
            listing if has_lost_its_params(listing) => match cursor_fault(line) {
                Some(detail) => wrong(ErrorCode::INVALID_PARAMS, detail, &json!(request.id)),
                None => Incoming::Message(Box::new(ClientJsonRpcMessage::Request(request))),
            },
            _ => Incoming::Message(Box::new(ClientJsonRpcMessage::Request(request))),
        },
        Ok(message) => Incoming::Message(Box::new(message)),
        Err(_) => diagnose(line),
    }
}

/// True for a list whose parameters are absent, or wrong: the library makes no difference.
fn has_lost_its_params(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::ListToolsRequest(list) => list.params.is_none(),
        ClientRequest::ListPromptsRequest(list) => list.params.is_none(),
        ClientRequest::ListResourcesRequest(list) => list.params.is_none(),
        ClientRequest::ListResourceTemplatesRequest(list) => list.params.is_none(),
        _ => false,
    }
}

/// What is wrong with the cursor of a list, if anything.
fn cursor_fault(line: &[u8]) -> Option<&'static str> {
    let message: Value = serde_json::from_slice(line).ok()?;
    let cursor = message.get("params")?.get("cursor")?;
    (!cursor.is_string() && !cursor.is_null()).then_some("`cursor` must be a text, the `nextCursor` of the page before")
}

/// The reply to a line longer than [`super::session::LONGEST_LINE`].
pub(super) fn too_long(limit: usize) -> Value {
    let most = limit / (1024 * 1024);
    error(
        ErrorCode::INVALID_REQUEST,
        &format!("the message is longer than {most} MiB: send less at once"),
        &Value::Null,
    )
}

/// Explains why the library cannot read a line.
fn diagnose(line: &[u8]) -> Incoming {
    let object = match serde_json::from_slice(line) {
        Err(why) => return wrong(ErrorCode::PARSE_ERROR, &format!("the line is not valid JSON: {why}"), &Value::Null),
        Ok(Value::Object(object)) => object,
        Ok(Value::Array(_)) => {
            let detail = "batches are not part of the protocol: send each message on a line of its own";
            return wrong(ErrorCode::INVALID_REQUEST, detail, &Value::Null);
        }
        Ok(_) => {
            let detail = "the line is not a message: a message is a JSON object with `jsonrpc`, `method` and `id`";
            return wrong(ErrorCode::INVALID_REQUEST, detail, &Value::Null);
        }
    };
    let is_request = object.contains_key("id") && !object.contains_key("result") && !object.contains_key("error");
    if !is_request && (object.contains_key("result") || object.contains_key("error") || object.contains_key("method")) {
        tracing::debug!("a notification or response that does not fit the protocol was ignored");
        return Incoming::Nothing;
    }
    let id = object.get("id").filter(|id| id.is_i64() || id.is_string()).cloned().unwrap_or(Value::Null);
    let detail = match object.get("params") {
        _ if object.get("jsonrpc") != Some(&json!("2.0")) => "`jsonrpc` must be \"2.0\"",
        _ if !object.get("method").is_some_and(Value::is_string) => "`method` must be a text",
        _ if id.is_null() => "`id` must be a text or a whole number",
        Some(params) if !params.is_object() => {
            return wrong(ErrorCode::INVALID_PARAMS, "`params` must be an object", &id);
        }
        _ => "the request does not fit the protocol",
    };
    wrong(ErrorCode::INVALID_REQUEST, detail, &id)
}

/// Explains which parameters of a known method are wrong.
fn wrong_params(request: &CustomRequest) -> String {
    let method = request.method.as_str();
    let member = |name: &str| request.params.as_ref().and_then(|params| params.get(name));
    let lacks_text = |name: &str| !member(name).is_some_and(Value::is_string);
    let has_bad_arguments = member("arguments").is_some_and(|arguments| !arguments.is_object() && !arguments.is_null());
    let detail = match method {
        "tools/call" if lacks_text("name") => "`name` must be the name of a tool",
        "tools/call" if has_bad_arguments => "`arguments` must be an object with the arguments of the tool",
        "prompts/get" if lacks_text("name") => "`name` must be the name of a prompt",
        "prompts/get" if has_bad_arguments => "`arguments` must be an object with the arguments of the prompt",
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" if lacks_text("uri") => {
            "`uri` must be a text, such as aludel://prompts/{id}"
        }
        "completion/complete" if !is_reference(member("ref")) => {
            "`ref` must be an object with `type`, which is \"ref/prompt\" and then has `name`, or \"ref/resource\" and then \
             has `uri`"
        }
        "completion/complete" if !is_argument(member("argument")) => {
            "`argument` must be an object with the texts `name` and `value`"
        }
        "subscriptions/listen" if !member("notifications").is_some_and(Value::is_object) => {
            "`notifications` must be an object that says which notifications are wanted"
        }
        _ => return format!("the parameters do not fit `{method}`"),
    };
    detail.to_owned()
}

/// True for what can be completed: a prompt by name or a resource by URI.
fn is_reference(value: Option<&Value>) -> bool {
    let text = |name: &str| value.and_then(|value| value.get(name)?.as_str());
    match text("type") {
        Some("ref/prompt") => text("name").is_some(),
        Some("ref/resource") => text("uri").is_some(),
        _ => false,
    }
}

fn is_argument(value: Option<&Value>) -> bool {
    ["name", "value"].iter().all(|name| value.and_then(|value| value.get(*name)).is_some_and(Value::is_string))
}

fn wrong(code: ErrorCode, detail: &str, id: &Value) -> Incoming {
    Incoming::Wrong(error(code, detail, id))
}

fn error(code: ErrorCode, detail: &str, id: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code.0, "message": detail } })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code and id of the reply to a line.
    fn answer(line: impl AsRef<[u8]>) -> Option<(i64, Value)> {
        match read(line.as_ref()) {
            Incoming::Wrong(answer) => Some((answer["error"]["code"].as_i64().unwrap(), answer["id"].clone())),
            Incoming::Nothing => None,
            Incoming::Message(message) => panic!("{message:?}"),
        }
    }

    fn is_message(line: &str) -> bool {
        matches!(read(line.as_bytes()), Incoming::Message(_))
    }

    #[test]
    fn what_is_no_json_is_a_parse_error_without_an_id() {
        let deep = "[".repeat(1_000_000);
        let nested =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{}{}}}"#, "[".repeat(500), "]".repeat(500));
        let huge = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":1e999}}"#;
        for line in ["this is no JSON", "{", "\"", "nul", "[1,]", "\u{0}", &deep, &nested, huge] {
            assert_eq!(answer(line), Some((-32700, Value::Null)), "{}", &line[..line.len().min(60)]);
        }
        assert_eq!(answer(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xffng\"}"), Some((-32700, Value::Null)));
    }

    #[test]
    fn json_that_is_no_message_is_an_invalid_request() {
        for line in ["5", "null", "\"x\"", "[]", r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "{}"] {
            assert_eq!(answer(line), Some((-32600, Value::Null)), "{line}");
        }
        for line in [
            r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#,
            r#"{"id":7,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":7}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":5}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","method":"ping"}"#,
        ] {
            assert_eq!(answer(line), Some((-32600, json!(7))), "{line}");
        }
        for id in ["null", "1.5", "{}", "[1]", "true", "99999999999999999999"] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            assert_eq!(answer(&line), Some((-32600, Value::Null)), "{line}");
        }
    }

    #[test]
    fn parameters_that_do_not_fit_are_said_to_be_wrong_and_not_the_method() {
        let call = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{params}}}"#);
        for params in [
            r#"{"name":"list_prompts","arguments":[]}"#,
            r#"{"name":"list_prompts","arguments":"x"}"#,
            r#"{"name":"list_prompts","arguments":3}"#,
            r#"{"name":3}"#,
            r#"{"arguments":{}}"#,
            "{}",
            "[]",
            "5",
        ] {
            assert_eq!(answer(call(params)), Some((-32602, json!("a"))), "{params}");
        }
        assert_eq!(
            answer(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}"#),
            Some((-32602, json!(1)))
        );
        assert!(is_message(&call(r#"{"name":"list_prompts","arguments":null}"#)));
        assert!(is_message(&call(r#"{"name":"list_prompts","arguments":{"limit":1,"limit":2}}"#)));
        assert!(is_message(r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{}}"#));
    }

    #[test]
    fn what_is_wrong_with_parameters_is_said() {
        for (method, params, says) in [
            ("tools/call", r#"{"name":3}"#, "`name` must be the name of a tool"),
            ("prompts/get", "{}", "`name` must be the name of a prompt"),
            ("prompts/get", r#"{"name":"x","arguments":[]}"#, "`arguments` must be an object"),
            ("resources/read", r#"{"uri":5}"#, "`uri` must be a text"),
            ("resources/subscribe", "{}", "`uri` must be a text"),
            ("resources/list", r#"{"cursor":5}"#, "`cursor` must be a text"),
            ("prompts/list", r#"{"cursor":{}}"#, "`cursor` must be a text"),
            ("completion/complete", "{}", "`ref` must be an object"),
            ("completion/complete", r#"{"ref":{"type":"ref/tool","name":"x"}}"#, "`ref` must be an object"),
            ("completion/complete", r#"{"ref":{"type":"ref/prompt"}}"#, "`ref` must be an object"),
            ("completion/complete", r#"{"ref":{"type":"ref/prompt","name":"x"}}"#, "`argument` must be an object"),
            ("subscriptions/listen", "{}", "`notifications` must be an object"),
        ] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
            let Incoming::Wrong(answer) = read(line.as_bytes()) else { panic!("{line}") };
            assert_eq!(answer["error"]["code"], -32602);
            assert!(answer["error"]["message"].as_str().unwrap().starts_with(says), "{answer}");
        }
    }

    #[test]
    fn notifications_and_responses_are_never_answered() {
        for line in [
            "",
            "  \r",
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#,
            r#"{"jsonrpc":"1.0","method":"notifications/cancelled"}"#,
            r#"{"jsonrpc":"2.0","id":{},"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":"x"}"#,
        ] {
            assert_eq!(answer(line), None, "{line}");
        }
    }
}
