//! Interprets Ollama's errors: a status and a sentence in prose.
//!
//! Mid-stream there is only the sentence, since the status was 200. Sources: the Python SDK 0.6.3
//! (`ResponseError`); the sentences as users of server and ollama.com report them, read 2026-11-21.

use serde_json::Value;

use crate::error::{ProviderError, ProviderFailure};
use crate::provider::wire::ErrorAnswer;
use crate::provider::wire::failure::{Cause, by_cause, by_status, excerpt};
use crate::provider::wire::reading::{cause_by_status, text};
use crate::provider::wire::refused::{Parameter, refused};
use crate::provider::wire::too_long::{may_be_too_long, says_too_long};

/// The server's names of our parameters, and its phrases for a schema it cannot follow.
const PARAMETERS: [Parameter; 3] = [
    ("temperature", &["temperature"]),
    ("max_tokens", &["num_predict"]),
    ("response_schema", &["invalid format", "required for format", "JSON schema", "grammar"]),
];

/// Interprets an error answer.
pub(super) fn of_answer(provider: &str, answer: &ErrorAnswer<'_>) -> ProviderError {
    let body: Value = serde_json::from_slice(answer.body).unwrap_or_default();
    let Some(message) = error_message(&body) else {
        return by_status(provider, answer, &String::from_utf8_lossy(answer.body));
    };
    if answer.status == 404 && !answer.model.is_empty() && message.contains("not found") {
        return no_model(provider, answer.model).with_status(answer.status);
    }
    let cause = cause(message, Some(answer.status));
    refine(cause, by_cause(cause, provider, answer, message), message)
}

/// The error in a line of a stream, if it is one. Models of ollama.com can add a status.
pub(super) fn in_stream(provider: &str, line: &Value) -> Option<ProviderError> {
    let message = error_message(line)?;
    let status = ["StatusCode", "status_code", "status"].iter().find_map(|name| line[name].as_u64());
    let status = status.and_then(|status| u16::try_from(status).ok()).filter(|status| (400..600).contains(status));
    let cause = match cause(message, status) {
        Cause::NotFound => Cause::BadRequest, // The address was right, since a stream began.
        cause => cause,
    };
    let error = refine(cause, cause.error(provider, "", message), message);
    Some(match status {
        Some(status) => error.with_status(status),
        None => error,
    })
}

/// The error message, also in the form used by some proxies.
fn error_message(value: &Value) -> Option<&str> {
    let error = value.get("error").filter(|error| !error.is_null())?;
    Some(text(error).or_else(|| text(&error["message"])).unwrap_or_default())
}

fn cause(message: &str, status: Option<u16>) -> Cause {
    let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
    if says(&["usage limit"]) {
        // An hourly, session or weekly limit always outlasts a run.
        Cause::NoCredit
    } else if says(&["requires more system memory"]) {
        Cause::BadRequest
    } else if may_be_too_long(status) && says_too_long(message) {
        Cause::TooLong
    } else if refused(message, &PARAMETERS).is_some() {
        // Reported as a server failure, but a retry would fail alike.
        Cause::BadRequest
    } else {
        cause_by_status(status)
    }
}

/// Adds a refused parameter, unless the prompt is too long: then a parameter named is not at fault.
fn refine(cause: Cause, error: ProviderError, message: &str) -> ProviderError {
    match refused(message, &PARAMETERS) {
        Some(parameter) if error.failure == ProviderFailure::Rejected && cause != Cause::TooLong => {
            error.with_refused_parameter(parameter)
        }
        _ => error,
    }
}

fn no_model(provider: &str, model: &str) -> ProviderError {
    let model = excerpt(model.as_bytes());
    let message = format!(
        "it has no model `{model}`; fetch it with `ollama pull {model}`, or name one it has (`aludel providers` lists them)"
    );
    ProviderError::new(provider, ProviderFailure::Rejected, message)
}
