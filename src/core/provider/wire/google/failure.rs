//! Interprets Google's errors, in error answers and mid-stream.
//!
//! The status name decides, then the details: the retry delay, the exhausted quota, or that a bad
//! request is really a bad key. In streams the error can be in a list of one. Sources: the Python
//! SDK google-genai 3.4.0 (`errors.py`), googleapis (`google.rpc.{ErrorInfo, RetryInfo,
//! QuotaFailure, BadRequest}`).

use std::time::Duration;

use serde_json::Value;

use crate::error::{ProviderError, ProviderFailure};
use crate::provider::wire::ErrorAnswer;
use crate::provider::wire::failure::{Cause, by_cause, by_status, duration};
use crate::provider::wire::reading::{cause_by_status, text};
use crate::provider::wire::refused::{Parameter, refused};
use crate::provider::wire::too_long::says_too_long;

/// The vendor's names of our parameters, in camel and snake case.
const PARAMETERS: [Parameter; 3] = [
    ("temperature", &["temperature"]),
    ("max_tokens", &["maxOutputTokens", "max_output_tokens"]),
    (
        "response_schema",
        &[
            "responseJsonSchema",
            "response_json_schema",
            "responseSchema",
            "response_schema",
            "responseMimeType",
            "response_mime_type",
            "JSON mode",
        ],
    ),
];

/// Interprets an error answer.
pub(super) fn of_answer(provider: &str, answer: &ErrorAnswer<'_>) -> ProviderError {
    let body: Value = serde_json::from_slice(answer.body).unwrap_or_default();
    let Some(told) = VendorError::of(&body) else {
        return by_status(provider, answer, &String::from_utf8_lossy(answer.body));
    };
    told.refine(by_cause(told.cause(Some(answer.status)), provider, answer, told.message))
}

/// The error in a part of a stream, if it is one.
pub(super) fn in_stream(provider: &str, part: &Value) -> Option<ProviderError> {
    let told = VendorError::of(part)?;
    let error = told.refine(told.cause(told.code).error(provider, "", told.message));
    Some(match told.code {
        Some(status) => error.with_status(status),
        None => error,
    })
}

/// The fields of the vendor's error object.
#[derive(Debug, Clone, Copy)]
struct VendorError<'a> {
    code: Option<u16>,
    status: &'a str,
    message: &'a str,
    details: &'a Value,
}

impl<'a> VendorError<'a> {
    fn of(value: &'a Value) -> Option<Self> {
        let error = value.get(0).unwrap_or(value).get("error").filter(|error| error.is_object())?;
        Some(Self {
            code: error["code"].as_u64().and_then(|code| u16::try_from(code).ok()),
            status: text(&error["status"]).unwrap_or_default(),
            message: text(&error["message"]).unwrap_or_default(),
            details: &error["details"],
        })
    }

    fn cause(self, status: Option<u16>) -> Cause {
        match self.status {
            "UNAUTHENTICATED" => Cause::BadKey,
            "PERMISSION_DENIED" | "INVALID_ARGUMENT" | "FAILED_PRECONDITION" if self.is_about_the_key() => {
                Cause::BadKey
            }
            "PERMISSION_DENIED" => Cause::Forbidden,
            "INVALID_ARGUMENT" | "INTERNAL" | "" if self.is_too_long() => Cause::TooLong,
            "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" => Cause::BadRequest,
            "NOT_FOUND" => Cause::NotFound,
            "RESOURCE_EXHAUSTED" if self.is_spent() => Cause::NoCredit,
            "RESOURCE_EXHAUSTED" => Cause::RateLimited,
            "DEADLINE_EXCEEDED" | "ABORTED" | "CANCELLED" => Cause::Busy,
            "UNAVAILABLE" | "INTERNAL" => Cause::Failing,
            _ => cause_by_status(status),
        }
    }

    /// Google speaks of a "token count", other servers use common phrases.
    fn is_too_long(self) -> bool {
        let says = |words: &str| self.message.contains(words);
        says("token count") && (says("exceeds") || says("supports up to")) || says_too_long(self.message)
    }

    /// Invalid, expired and missing keys come with three different statuses.
    fn is_about_the_key(self) -> bool {
        self.details_of("ErrorInfo").any(|info| info["reason"] == "API_KEY_INVALID")
            || self.message.contains("API key")
            || self.message.contains("unregistered callers")
    }

    /// True if waiting does not help: an exhausted daily quota or credit, without a retry delay.
    /// Minute quotas use the message for credit, too.
    fn is_spent(self) -> bool {
        let violates = |period: &str| {
            let violations =
                self.details_of("QuotaFailure").filter_map(|quota| quota["violations"].as_array()).flatten();
            violations.filter_map(|violation| violation["quotaId"].as_str()).any(|id| id.contains(period))
        };
        let is_about_money = ["credits are depleted", "check your plan and billing"];
        self.retry_delay().is_none()
            && (violates("PerDay")
                || !violates("PerMinute") && is_about_money.iter().any(|words| self.message.contains(words)))
    }

    fn retry_delay(self) -> Option<Duration> {
        self.details_of("RetryInfo").find_map(|info| duration(info["retryDelay"].as_str()?))
    }

    /// The details of this `google.rpc` type.
    fn details_of(self, kind: &'static str) -> impl Iterator<Item = &'a Value> {
        let is_of_kind = move |detail: &&Value| {
            detail["@type"].as_str().and_then(|name| name.strip_suffix(kind)).is_some_and(|rest| rest.ends_with('.'))
        };
        self.details.as_array().into_iter().flatten().filter(is_of_kind)
    }

    /// Adds what the details say beyond the cause.
    fn refine(self, mut error: ProviderError) -> ProviderError {
        if matches!(error.failure, ProviderFailure::RateLimited | ProviderFailure::Unavailable) {
            error.retry_after = self.retry_delay().or(error.retry_after);
        }
        if error.failure != ProviderFailure::Rejected || self.status == "NOT_FOUND" || self.is_too_long() {
            return error;
        }
        if self.message.contains("Unknown name") {
            error.message.push_str("; or try the other version of the API in its `base_url`, `…/v1` or `…/v1beta`");
        }
        let fields =
            self.details_of("BadRequest").filter_map(|request| request["fieldViolations"].as_array()).flatten();
        let mut places = fields.filter_map(|violation| text(&violation["field"]));
        let parameter = refused(self.message, &PARAMETERS).or_else(|| places.find_map(|f| refused(f, &PARAMETERS)));
        match parameter {
            Some(parameter) => error.with_refused_parameter(parameter),
            None => error,
        }
    }
}
