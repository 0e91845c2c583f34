//! Interprets Anthropic's errors, in error answers and mid-stream.
//!
//! The error type decides, since the vendor advises against parsing messages; else, as for a proxy,
//! the status. Messages are read for what no type says: a refused parameter, exhausted credit, a
//! prompt that is too long. Source: the Python SDK 2.11.0, `types/shared/*_error.py`.

use serde_json::Value;

use super::LAST_WITH_SAMPLING;
use crate::error::ProviderError;
use crate::provider::wire::ErrorAnswer;
use crate::provider::wire::failure::{Cause, by_cause, by_status};
use crate::provider::wire::reading::{cause_by_status, text};
use crate::provider::wire::refused::{Parameter, refused};
use crate::provider::wire::too_long::{may_be_too_long, says_too_long};

/// Codes of a `rate_limit_error` that outlast a run.
const SPENT: [&str; 2] = ["contract_spend_limit_reached", "enforced_spend_limit_reached"];

/// The vendor's names of our parameters.
const PARAMETERS: [Parameter; 3] = [
    ("temperature", &["temperature", "top_p", "top_k"]),
    ("max_tokens", &["max_tokens"]),
    ("response_schema", &["output_config", "output_format"]),
];

/// Interprets an error answer.
pub(super) fn of_answer(provider: &str, answer: &ErrorAnswer<'_>) -> ProviderError {
    let body: Value = serde_json::from_slice(answer.body).unwrap_or_default();
    let Some(told) = VendorError::of(&body) else {
        return by_status(provider, answer, &String::from_utf8_lossy(answer.body));
    };
    told.refine(by_cause(told.cause(Some(answer.status)), provider, answer, told.message))
}

/// Interprets an error event in a stream.
pub(super) fn in_stream(provider: &str, event: &Value) -> ProviderError {
    let told = VendorError::of(event).unwrap_or_default();
    let error = told.refine(told.cause(None).error(provider, "", told.message));
    match told.status() {
        Some(status) => error.with_status(status),
        None => error,
    }
}

/// The fields of the vendor's error object.
#[derive(Debug, Clone, Copy, Default)]
struct VendorError<'a> {
    kind: &'a str,
    code: &'a str,
    message: &'a str,
}

impl<'a> VendorError<'a> {
    fn of(value: &'a Value) -> Option<Self> {
        let error = value.get("error").filter(|error| error.is_object())?;
        let field = |value: &'a Value| text(value).unwrap_or_default();
        let code = field(&error["details"]["error_code"]);
        Some(Self { kind: field(&error["type"]), code, message: field(&error["message"]) })
    }

    fn cause(self, status: Option<u16>) -> Cause {
        let says = |words: &str| self.message.contains(words);
        match self.kind {
            "authentication_error" => Cause::BadKey,
            "permission_error" => Cause::Forbidden,
            "billing_error" => Cause::NoCredit,
            "rate_limit_error" if SPENT.contains(&self.code) => Cause::NoCredit,
            "rate_limit_error" => Cause::RateLimited,
            "overloaded_error" => Cause::Overloaded,
            "not_found_error" => Cause::NotFound,
            // Compatible servers report it under other types too.
            _ if may_be_too_long(status) && self.is_too_long() => Cause::TooLong,
            "request_too_large" => Cause::TooLarge,
            "timeout_error" | "conflict_error" => Cause::Busy,
            "api_error" => Cause::Failing,
            "invalid_request_error" if says("credit balance") => Cause::NoCredit,
            "invalid_request_error" => Cause::BadRequest,
            _ => cause_by_status(status),
        }
    }

    /// True if the prompt, or the prompt plus `max_tokens`, is too long. No parameter counts as
    /// refused then, even if the message names one.
    fn is_too_long(self) -> bool {
        says_too_long(self.message)
    }

    /// The status such an error has outside a stream.
    fn status(self) -> Option<u16> {
        Some(match self.kind {
            "invalid_request_error" => 400,
            "authentication_error" => 401,
            "billing_error" => 402,
            "permission_error" => 403,
            "not_found_error" => 404,
            "conflict_error" => 409,
            "request_too_large" => 413,
            "rate_limit_error" => 429,
            "api_error" => 500,
            "timeout_error" => 504,
            "overloaded_error" => 529,
            _ => return None,
        })
    }

    /// Adds what the message says beyond the cause.
    fn refine(self, mut error: ProviderError) -> ProviderError {
        if self.kind != "invalid_request_error" || self.is_too_long() {
            return error;
        }
        if self.message.starts_with("anthropic-version") {
            error.message.push_str(", or set `anthropic-version` in its `headers`");
            // The older version is sent only for the temperature.
            return if self.message.contains(LAST_WITH_SAMPLING) {
                error.with_refused_parameter("temperature")
            } else {
                error
            };
        }
        match refused(self.message, &PARAMETERS) {
            Some(parameter) => error.with_refused_parameter(parameter),
            None => error,
        }
    }
}
