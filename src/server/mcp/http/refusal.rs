//! What a refused request gets: an HTTP status, and a JSON-RPC error that says why.
//!
//! The specification allows such a body and gives it no id, since the request was not looked at. Its
//! `data` is the problem that the other faces would report. The library refuses in plain text, which
//! is put into the same form.

use aludel_core::error::{Code, Error, Problem};
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::metadata;
use crate::server::auth;
use crate::server::http::headers;

/// The media type of a message.
pub(super) const JSON: &str = "application/json";
/// `Retry-After` for a client that was rejected for load, in seconds.
const OVERLOADED_WAIT_S: f64 = 1.0;
/// Longest text of the library, in bytes.
const MOST_TEXT: usize = 64 * 1024;

/// The JSON-RPC codes of a refused request, by whose fault it is.
const INVALID_REQUEST: i64 = -32_600;
const INTERNAL_ERROR: i64 = -32_603;

/// A refused request.
#[derive(Debug)]
pub(super) struct Refusal {
    problem: Box<Problem>,
    /// The value of `WWW-Authenticate`.
    challenge: Option<HeaderValue>,
}

impl Refusal {
    /// The refusal of a request with these headers. Says to a client without a sufficient token
    /// where it learns how to get one.
    pub(super) fn of(error: Error, headers: &HeaderMap) -> Self {
        let challenge = auth::challenge(&error).and_then(|challenge| metadata::add_to(&challenge, headers));
        Self { challenge, ..Self::from(Problem::from(error)) }
    }

    /// The response to the request with this id.
    pub(super) fn answer(self, request_id: &str) -> Response {
        let Self { problem, challenge } = self;
        let problem = problem.with_request_id(request_id);
        let (code, detail) = (problem.code.as_str(), problem.detail.as_str());
        if problem.status >= 500 && problem.code != Code::Overloaded {
            tracing::error!(request_id, code, detail, "a request failed");
        } else {
            tracing::info!(request_id, code, detail, "a request was refused");
        }
        let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = message(status, &error(status, &problem.detail, serde_json::to_value(&problem).ok()));
        let headers = response.headers_mut();
        if let Some(wait) = problem.retry_after_s {
            headers.insert(header::RETRY_AFTER, headers::retry_after(wait));
        }
        if let Some(challenge) = challenge {
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

impl From<Problem> for Refusal {
    fn from(mut problem: Problem) -> Self {
        if problem.code == Code::Overloaded && problem.retry_after_s.is_none() {
            problem.retry_after_s = Some(OVERLOADED_WAIT_S);
        }
        Self { problem: Box::new(problem), challenge: None }
    }
}

/// A response of this JSON-RPC message.
pub(super) fn message(status: StatusCode, message: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, JSON)], message.to_string()).into_response()
}

/// Puts a refusal of the library into the form of ours.
pub(super) async fn in_our_form(response: Response) -> Response {
    let status = response.status();
    let is_message = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == JSON);
    if is_message || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let text = to_bytes(body, MOST_TEXT).await.unwrap_or_default();
    let text = error(status, &String::from_utf8_lossy(&text), None).to_string();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    Response::from_parts(parts, Body::from(text))
}

fn error(status: StatusCode, detail: &str, data: Option<Value>) -> Value {
    let code = if status.is_server_error() { INTERNAL_ERROR } else { INVALID_REQUEST };
    let mut error = json!({ "code": code, "message": detail });
    if let Some(data) = data {
        error["data"] = data;
    }
    json!({ "jsonrpc": "2.0", "error": error })
}
