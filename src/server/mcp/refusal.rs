//! Refusals of requests that are no tool calls: a JSON-RPC error with the problem as its data.

use aludel_core::error::{Code, Error, Problem};
use aludel_core::ids::{IdSource, SystemIds};
use rmcp::ErrorData;

/// The error for a failed request: −32602 for what the client can put right, −32603 for the rest. It
/// is logged under the request id in its data.
pub(super) fn refusal(method: &'static str, error: Error) -> ErrorData {
    let id = SystemIds.next().to_string();
    let problem = Problem::from(error).with_request_id(&id);
    let (code, detail) = (problem.code.as_str(), problem.detail.as_str());
    let is_theirs = problem.status < 500;
    if is_theirs {
        tracing::info!(request_id = %id, method, code, detail, "a request was refused");
    } else {
        tracing::error!(request_id = %id, method, code, detail, "a request failed");
    }
    let message = problem.detail.clone();
    // A problem is texts and numbers, so this cannot fail; its detail is in the message.
    let data = serde_json::to_value(problem).ok();
    if is_theirs { ErrorData::invalid_params(message, data) } else { ErrorData::internal_error(message, data) }
}

/// True if nothing was found, rather than something being wrong with the request.
pub(super) fn is_not_found(error: &Error) -> bool {
    error.code() == Code::NotFound
}
