//! Parses error bodies in all forms used by speakers of OpenAI's protocol.
//!
//! The documented form is `{"error": {"message", "type", "param", "code"}}`. Also seen: the bare
//! object (earlier vLLM), a string (xAI), numeric codes (llama.cpp, OpenRouter), `detail`
//! (FastAPI), an array around it (Google's compatible endpoint), the upstream's body as a string
//! (OpenRouter). The [`Cause`] follows from codes, then common phrases, then the status.
//!
//! Sources: the error types of the SDKs openai 3.52.0 and openrouter 1.3.84; the servers' own issue trackers; all read
//! on 2026-11-21.

use serde_json::{Map, Value};

use super::super::ErrorAnswer;
use super::super::failure::{Cause, by_cause};
use super::super::too_long::{may_be_too_long, says_too_long};
use crate::error::ProviderError;

/// A parsed error body.
#[derive(Debug, Default)]
pub(super) struct ErrorBody {
    words: String,
    /// Codes and types in lower case, most specific first.
    names: Vec<String>,
    /// The request field it is about.
    parameter: Option<String>,
    /// The status, if the code is one.
    status: Option<u16>,
    /// Moderation stopped the input.
    is_flagged: bool,
    /// Headers of the upstream's answer.
    headers: Vec<(String, String)>,
}

impl ErrorBody {
    /// Parses the body of an error answer; `None` if it has no error.
    pub(super) fn of_body(body: &Value) -> Option<Self> {
        let body = body.get(0).unwrap_or(body);
        let fields = body.as_object()?;
        match fields.get("error") {
            Some(Value::Object(error)) => Some(Self::of_fields(error)),
            Some(Value::String(words)) => {
                let mut said = Self { words: words.clone(), ..Self::default() };
                said.take_code(fields.get("code"));
                Some(said)
            }
            _ if fields.contains_key("message") => Some(Self::of_fields(fields)),
            _ => {
                let words = match fields.get("detail")? {
                    Value::String(words) => words.clone(),
                    other => other.to_string(),
                };
                Some(Self { words, ..Self::default() })
            }
        }
    }

    /// Parses a chunk of a stream with the name of its event; `None` if it is no error.
    pub(super) fn of_chunk(event: &str, chunk: &Value) -> Option<Self> {
        let has_error = chunk.get("error").is_some_and(|error| error.is_object() || error.is_string());
        (has_error || event == "error" || chunk["object"] == "error")
            .then(|| Self::of_body(chunk).unwrap_or_else(|| Self { words: chunk.to_string(), ..Self::default() }))
    }

    fn of_fields(error: &Map<String, Value>) -> Self {
        let text = |name: &str| error.get(name).and_then(Value::as_str);
        let mut said = Self {
            words: text("message").map_or_else(|| Value::from(error.clone()).to_string(), str::to_owned),
            parameter: text("param").map(str::to_owned),
            ..Self::default()
        };
        if let Some(metadata) = error.get("metadata") {
            said.take_metadata(metadata);
        }
        said.take_code(error.get("code"));
        said.names.extend(text("type").map(str::to_ascii_lowercase));
        said
    }

    fn take_code(&mut self, code: Option<&Value>) {
        let number = code.and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
        self.status = number.and_then(|number| u16::try_from(number).ok()).filter(|code| (400..600).contains(code));
        if let Some(name) = code.and_then(Value::as_str).filter(|_| number.is_none()) {
            self.names.push(name.to_ascii_lowercase());
        }
    }

    /// Reads OpenRouter's metadata: its error type, the upstream's error, moderation reasons.
    fn take_metadata(&mut self, metadata: &Value) {
        for name in ["limit_source", "error_type", "provider_code"] {
            self.names.extend(metadata[name].as_str().map(str::to_ascii_lowercase));
        }
        self.is_flagged = !metadata["flagged_input"].is_null() || !metadata["reasons"].is_null();
        if let Some(reasons) = metadata["reasons"].as_array() {
            let reasons: Vec<&str> = reasons.iter().filter_map(Value::as_str).collect();
            self.words = format!("{} ({})", self.words, reasons.join(", "));
        }
        if let Some(raw) = metadata["raw"].as_str().filter(|raw| !raw.trim().is_empty()) {
            let upstream = serde_json::from_str(raw).ok().as_ref().and_then(Self::of_body);
            let words = upstream.as_ref().map_or(raw, |said| said.words.as_str());
            let name = metadata["provider_name"].as_str().unwrap_or("upstream");
            self.words = format!("{}, {name}: {words}", self.words);
            if let Some(said) = upstream {
                self.names.extend(said.names);
                self.parameter = self.parameter.take().or(said.parameter);
            }
        }
        for (name, value) in metadata["headers"].as_object().into_iter().flatten() {
            self.headers.extend(value.as_str().map(|value| (name.to_ascii_lowercase(), value.to_owned())));
        }
    }

    /// The error for an answer with this body. Under a 200, a code that is a status replaces it.
    pub(super) fn failure(&self, provider: &str, answer: &ErrorAnswer<'_>) -> ProviderError {
        let told = if answer.status < 300 { self.status } else { Some(answer.status) };
        let headers = [answer.headers, &self.headers].concat();
        let answer = ErrorAnswer { status: told.unwrap_or(answer.status), headers: &headers, ..*answer };
        let cause = self.cause(told);
        self.with_refused_parameter(cause, by_cause(cause, provider, &answer, &self.words))
    }

    /// The error for a stream with this chunk; `model` is empty if not yet known.
    pub(super) fn in_stream(&self, provider: &str, model: &str) -> ProviderError {
        let cause = match self.cause(self.status) {
            Cause::NotFound if model.is_empty() => Cause::BadRequest, // The address was right, or nothing had come.
            cause => cause,
        };
        let mut error = cause.error(provider, model, &self.words);
        error.upstream_status = self.status;
        self.with_refused_parameter(cause, error)
    }

    /// The cause; `status` is `None` if unknown.
    fn cause(&self, status: Option<u16>) -> Cause {
        if self.is_flagged {
            return Cause::Declined;
        }
        let named = self.names.iter().find_map(|name| by_name(name, status));
        let told = || by_words(&self.words.to_ascii_lowercase(), status);
        let is_request = |name: &String| name.starts_with("invalid_request") || name == "badrequesterror";
        let vague = || if self.names.iter().any(is_request) { Cause::BadRequest } else { Cause::Failing };
        named.or_else(told).unwrap_or_else(|| status.map_or_else(vague, Cause::of_status))
    }

    /// Adds the refused parameter, if the body names one.
    fn with_refused_parameter(&self, cause: Cause, error: ProviderError) -> ProviderError {
        match self.refused_parameter().filter(|_| cause == Cause::BadRequest) {
            Some(parameter) => error.with_refused_parameter(parameter),
            None => error,
        }
    }

    /// Our name of the refused parameter, whatever its value.
    fn refused_parameter(&self) -> Option<&'static str> {
        let words = self.words.to_ascii_lowercase();
        let is_refused = self.names.iter().any(|name| name.starts_with("unsupported_") || name == "unknown_parameter")
            || PHRASES_OF_REFUSAL.iter().any(|phrase| words.contains(phrase));
        if !is_refused {
            return None;
        }
        if let Some(parameter) = &self.parameter {
            let name = parameter.split(['.', '[']).next().unwrap_or(parameter);
            return NAMES_OF_PARAMETERS.iter().find(|(known, _)| *known == name).map(|(_, ours)| *ours);
        }
        // The first name is the refused parameter; later ones are advice.
        let places = NAMES_OF_PARAMETERS.iter().filter_map(|(name, ours)| Some((words.find(name)?, *ours)));
        places.min().map(|(_, ours)| ours)
    }
}

/// Phrases for a refused request field, whatever its value.
const PHRASES_OF_REFUSAL: [&str; 10] = [
    "unsupported",
    "not support",
    "n't support",
    "unknown",
    "unrecognized",
    "unexpected",
    "not permitted",
    "not allowed",
    "unavailable",
    "not one of the allowed",
];

/// Request fields and our names of them.
const NAMES_OF_PARAMETERS: [(&str, &str); 7] = [
    ("temperature", "temperature"),
    ("max_completion_tokens", "max_tokens"),
    ("max_tokens", "max_tokens"),
    ("response_format", "response_schema"),
    ("response format", "response_schema"),
    ("json_schema", "response_schema"),
    ("structured output", "response_schema"),
];

/// The cause for a lower-case code or type; `None` if it says less than the status.
fn by_name(name: &str, status: Option<u16>) -> Option<Cause> {
    Some(match name {
        "insufficient_quota" | "credit_balance_exhausted" | "payment_required" => Cause::NoCredit,
        name if name.contains("billing") || name.contains("daily") => Cause::NoCredit,
        "invalid_api_key" | "authentication" | "authentication_error" | "authenticationerror" => Cause::BadKey,
        "permission_denied" | "permission_error" | "unsupported_country_region_territory" => Cause::Forbidden,
        "model_not_found" | "not_found" | "not_found_error" | "notfounderror" => Cause::NotFound,
        "context_length_exceeded"
        | "exceed_context_size_error"
        | "token_limit_exceeded"
        | "max_tokens_exceeded"
        | "string_too_long"
        | "string_above_max_length" => Cause::TooLong,
        "payload_too_large" | "request_too_large" => Cause::TooLarge,
        "rate_limit_exceeded" | "rate_limit_error" | "slow_down" => Cause::RateLimited,
        "content_policy_violation" | "content_filter" | "refusal" => Cause::Declined,
        "timeout" | "request_timeout" => Cause::Busy,
        name if name.contains("overloaded") => match status {
            Some(status) if status != 529 => Cause::of_status(status),
            _ => Cause::Overloaded,
        },
        _ => return None,
    })
}

/// The cause by lower-case phrases common to many servers, if the status is too vague.
fn by_words(words: &str, status: Option<u16>) -> Option<Cause> {
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| words.contains(phrase));
    let is = |statuses: &[u16]| status.is_none_or(|status| statuses.contains(&status));
    if may_be_too_long(status) && says_too_long(words) {
        Some(Cause::TooLong)
    } else if is(&[402, 403, 429]) && has(&["key limit exceeded", "insufficient credits", "per-day"]) {
        Some(Cause::NoCredit)
    } else if is(&[400]) && words.contains("api key") && has(&["invalid", "incorrect", "not valid"]) {
        Some(Cause::BadKey)
    } else if is(&[400, 403, 422]) && words.contains("flagged") && has(&["moderation", "policy"]) {
        Some(Cause::Declined)
    } else if is(&[400, 404, 422])
        && words.contains("model")
        && has(&["not found", "does not exist", "invalid model", "not a valid model"])
    {
        Some(Cause::NotFound)
    } else {
        None
    }
}
