//! Error handling shared by the codecs: causes, retry delays, and excerpts that are safe to show.
//!
//! A codec finds the [`Cause`] of a failure and builds the error here, so all five use the same
//! messages, say what to do, and never show a key. [`excerpt`] filters the provider's own text.
//!
//! Delays come in many forms: [`retry_after`] reads HTTP headers, [`duration`] durations in text.
//! They are never negative and at most [`LONGEST_WAIT`].

use std::time::{Duration, UNIX_EPOCH};

use super::ErrorAnswer;
use super::too_long::{may_be_too_long, says_too_long};
use crate::error::{ProviderError, ProviderFailure};
use crate::redact::{MASK, mask};
use crate::text::shown::is_always_hidden;

/// The maximum retry delay; anything longer is as good as never.
pub const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// The maximum length of an [`excerpt`], in characters.
pub const EXCERPT_CHARACTERS: usize = 300;

/// The maximum wait for a limit known only by its full reset: a call usually passes long before.
const WAIT_FOR_A_WHOLE_LIMIT: Duration = Duration::from_secs(30);

/// Why a call failed, classified by what the user has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The key is missing, wrong or withdrawn.
    BadKey,
    /// The key is valid, but not permitted to do this.
    Forbidden,
    /// A quota or credit is exhausted; waiting does not help.
    NoCredit,
    /// No such model or address.
    NotFound,
    /// More tokens than the model's context holds.
    TooLong,
    /// More bytes than the server accepts.
    TooLarge,
    /// Any other invalid request.
    BadRequest,
    /// Too many requests; waiting helps.
    RateLimited,
    /// The server is overloaded by all its users; treated as a rate limit.
    Overloaded,
    /// The server timed out, or another request conflicted.
    Busy,
    /// The server failed.
    Failing,
    /// A redirect to where a key must not be sent.
    Redirect,
    /// The answer is not of the protocol.
    Garbage,
    /// The model, or the vendor's filter, declined to answer.
    Declined,
}

impl Cause {
    /// The cause for a status if the body says no more; below 300 it is [`Cause::Garbage`].
    pub const fn of_status(status: u16) -> Self {
        match status {
            0..300 => Self::Garbage,
            300..400 => Self::Redirect,
            401 => Self::BadKey,
            402 => Self::NoCredit,
            403 => Self::Forbidden,
            404 | 405 | 410 => Self::NotFound,
            408 | 409 | 504 => Self::Busy,
            413 => Self::TooLarge,
            429 => Self::RateLimited,
            529 => Self::Overloaded,
            400..500 => Self::BadRequest,
            500.. => Self::Failing,
        }
    }

    /// The error of `provider` for this cause. `model` is the requested one, or empty; `said` is
    /// the provider's raw text, or empty.
    pub fn error(self, provider: &str, model: &str, said: &str) -> ProviderError {
        self.compose(provider, model, "", said)
    }

    fn compose(self, provider: &str, model: &str, status: &str, said: &str) -> ProviderError {
        let said = match excerpt(said.as_bytes()) {
            words if words.is_empty() => words,
            words => format!(": {}", words.trim_end_matches('.')),
        };
        let (failure, what, advice) = self.words(provider, model);
        ProviderError::new(provider, failure, format!("{what}{status}{said}; {advice}"))
    }

    /// The kind of failure, what happened, and what to do.
    fn words(self, provider: &str, model: &str) -> (ProviderFailure, String, String) {
        use ProviderFailure as F;
        let (failure, what, advice) = match self {
            Self::BadKey => {
                (F::Auth, "it refused the key", format!("check `providers.{provider}.api_key`, or `api_key_cmd`"))
            }
            Self::Forbidden => {
                let advice = format!("check what the key in `providers.{provider}.api_key` is allowed");
                (F::Auth, "it does not allow this to the key", advice)
            }
            Self::NoCredit => {
                let advice = "add credit or raise the limit at the provider, or use another one".to_owned();
                (F::QuotaExhausted, "the quota or credit is used up, and waiting does not help", advice)
            }
            Self::NotFound if model.is_empty() => {
                let advice = format!("correct `providers.{provider}.base_url`");
                (F::Rejected, "nothing was found at this address", advice)
            }
            Self::NotFound => {
                let what = format!("it has no model `{}`", excerpt(model.as_bytes()));
                let advice = format!(
                    "name one it has (`aludel providers` lists them), and check that `providers.{provider}.base_url` is its root"
                );
                return (F::Rejected, what, advice);
            }
            Self::TooLong => {
                let advice = "shorten the input or its context, lower `max_tokens`, or choose a model that takes more";
                (F::Rejected, "the request is longer than the model's context", advice.to_owned())
            }
            Self::TooLarge => {
                (F::Rejected, "the request is too large for it", "shorten the input or its context".to_owned())
            }
            Self::BadRequest => {
                let advice = format!("check the model and its settings in `providers.{provider}` and `phases`");
                (F::Rejected, "it rejected the request", advice)
            }
            Self::RateLimited => {
                let advice = format!("wait, or lower `providers.{provider}.max_concurrency`");
                (F::RateLimited, "too many requests", advice)
            }
            Self::Overloaded => (F::RateLimited, "it is overloaded", later()),
            Self::Busy => (F::Unavailable, "it timed out before handling the request", later()),
            Self::Failing => (F::Unavailable, "it failed", later()),
            Self::Redirect => {
                let advice = format!("the key is not sent there; correct `providers.{provider}.base_url`");
                (F::Unavailable, "it redirects to another host", advice)
            }
            Self::Garbage => {
                let advice = format!("check `providers.{provider}.kind` and `providers.{provider}.base_url`");
                (F::Unavailable, "its answer does not follow its protocol", advice)
            }
            Self::Declined => (F::Refused, "the model declined to answer", "rephrase the input".to_owned()),
        };
        (failure, what.to_owned(), advice)
    }
}

fn later() -> String {
    "try again later, or name a `fallback` for the phase".to_owned()
}

/// The error for an answer by its status alone; `said` is the provider's text, or empty.
pub fn by_status(provider: &str, answer: &ErrorAnswer<'_>, said: &str) -> ProviderError {
    let is_too_long = answer.status >= 300 && may_be_too_long(Some(answer.status)) && says_too_long(said);
    let cause = if is_too_long { Cause::TooLong } else { Cause::of_status(answer.status) };
    by_cause(cause, provider, answer, said)
}

/// The error for an answer with a known cause: adds status, retry delay and retry hint.
pub fn by_cause(cause: Cause, provider: &str, answer: &ErrorAnswer<'_>, said: &str) -> ProviderError {
    let place = if cause == Cause::Redirect { header(answer.headers, "location").and_then(origin) } else { None };
    let status = format!(" (status {})", answer.status);
    let mut error = cause.compose(provider, answer.model, &status, place.unwrap_or(said)).with_status(answer.status);
    if matches!(error.failure, ProviderFailure::RateLimited | ProviderFailure::Unavailable) {
        error.retry_after = retry_after(answer.headers, answer.received_ms);
    }
    error.should_retry = match header(answer.headers, "x-should-retry") {
        _ if cause == Cause::Redirect => Some(false),
        Some("false") => Some(false),
        // Bad keys, exhausted quotas and refusals stay final, whatever the server says.
        Some("true") if error.is_retryable() || error.failure == ProviderFailure::Rejected => Some(true),
        _ => None,
    };
    error
}

/// The value of the first header with this lower-case name.
pub fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim())
}

/// The retry delay in the headers: `retry-after-ms`, `retry-after` in seconds or as an HTTP date;
/// else, for an exhausted limit, the time until OpenRouter's resets or OpenAI's is full again, the
/// latter at most 30 s. A past date means no delay; `None` if invalid. Needs lower-case names.
pub fn retry_after(headers: &[(String, String)], received_ms: i64) -> Option<Duration> {
    let millis = header(headers, "retry-after-ms").and_then(number).map(|millis| millis / 1000.0);
    let seconds = || header(headers, "retry-after").and_then(number);
    if let Some(seconds) = millis.or_else(seconds) {
        return (seconds >= 0.0).then(|| clamped(seconds));
    }
    let date = header(headers, "retry-after").and_then(|value| httpdate::parse_http_date(value).ok());
    if let Some(date) = date {
        let date_ms = date.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let now_ms = u128::try_from(received_ms).unwrap_or_default();
        let wait_ms = u64::try_from(date_ms.saturating_sub(now_ms)).unwrap_or(u64::MAX);
        return Some(Duration::from_millis(wait_ms).min(LONGEST_WAIT));
    }
    if header(headers, "x-ratelimit-remaining") == Some("0")
        && let Some(at_ms) = header(headers, "x-ratelimit-reset").and_then(|at| at.parse::<i64>().ok())
        && at_ms > received_ms
    {
        return Some(Duration::from_millis(at_ms.abs_diff(received_ms)).min(LONGEST_WAIT));
    }
    ["requests", "tokens"]
        .into_iter()
        .filter(|what| header(headers, &format!("x-ratelimit-remaining-{what}")) == Some("0"))
        .filter_map(|what| header(headers, &format!("x-ratelimit-reset-{what}")).and_then(duration))
        .max()
        .map(|wait| wait.min(WAIT_FOR_A_WHOLE_LIMIT))
}

/// Parses a duration as written by Go and protobuf: `34s`, `1.5s`, `6m0s`, `20ms`, `1h2m3s`. `None`
/// for anything else, negative values included.
pub fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut seconds = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (amount, tail) = rest.split_at(digits);
        let unit = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit);
        let factor = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" | "μs" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        seconds += number(amount)? * factor;
        rest = tail;
    }
    Some(clamped(seconds))
}

/// Parses a decimal number, possibly negative; not words such as `inf`.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let begins = text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit() || c == '.');
    text.parse().ok().filter(|_| begins)
}

/// At most [`LONGEST_WAIT`]; `seconds` must not be negative.
fn clamped(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).map_or(LONGEST_WAIT, |wait| wait.min(LONGEST_WAIT))
}

/// A provider's text made safe to show: one line of at most [`EXCERPT_CHARACTERS`], without control
/// characters, with secrets masked; of an HTML page only the title.
pub fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let beginning = text.trim_start().get(..15).unwrap_or(text.trim_start()).to_ascii_lowercase();
    if beginning.starts_with("<!doctype html") || beginning.starts_with("<html") || beginning.starts_with("<head") {
        return match title(&text).map(one_line).filter(|title| !title.is_empty()) {
            Some(title) => format!("an HTML page, `{title}`"),
            None => "an HTML page".to_owned(),
        };
    }
    one_line(&text)
}

/// The content of an HTML page's title.
fn title(page: &str) -> Option<&str> {
    let lower = page.to_ascii_lowercase(); // Same length, so positions in both agree.
    let open = lower.find("<title")?;
    let start = open + lower[open..].find('>')? + 1;
    let end = start + lower[start..].find("</title")?;
    page.get(start..end)
}

fn one_line(text: &str) -> String {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.chars().filter(|&c| !is_invisible(c)).collect::<String>())
        .filter(|word| !word.is_empty())
        // Vendors show both ends of a key they refuse; even that is too much.
        .map(|word| if word.contains("***") { MASK.to_owned() } else { word })
        .collect();
    let line = words.join(" ");
    let line = mask(&line);
    match line.char_indices().nth(EXCERPT_CHARACTERS) {
        Some(_) => line.chars().take(EXCERPT_CHARACTERS - 1).chain(['…']).collect(),
        None => line.into_owned(),
    }
}

/// Characters that control a terminal, change text direction or are invisible, joiners included.
fn is_invisible(c: char) -> bool {
    is_always_hidden(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

/// The scheme, host and port of a URL; paths and queries can contain secrets.
fn origin(address: &str) -> Option<&str> {
    let authority = address.find("://")? + 3;
    let end = address[authority..].find(['/', '?', '#', '\\']).map_or(address.len(), |length| authority + length);
    (!address[authority..end].contains('@')).then_some(&address[..end])
}

#[cfg(test)]
mod tests;
