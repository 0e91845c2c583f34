//! Simulated failures: what fails, and at which point of the answer.

use std::time::Duration;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};

use crate::error::{ProviderError, ProviderFailure};

/// The kinds of failure, by their names in a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// Too many requests.
    RateLimit,
    /// A server error.
    ServerError,
    /// A refused key.
    Auth,
    /// Exhausted credit or quota.
    Quota,
    /// A rejected request.
    Rejected,
    /// A request longer than the model's context.
    TooLong,
    /// The model declines.
    Refusal,
    /// An answer without text.
    Empty,
    /// An answer of truncated JSON.
    Malformed,
    /// The stream hangs.
    Hang,
    /// The connection breaks.
    Cut,
    /// An endless answer.
    Endless,
    /// The token limit is ignored; the whole answer comes and is charged.
    Overlong,
}

impl Kind {
    /// The name used in a script.
    const fn as_str(self) -> &'static str {
        match self {
            Self::RateLimit => "rate_limit",
            Self::ServerError => "server_error",
            Self::Auth => "auth",
            Self::Quota => "quota",
            Self::Rejected => "rejected",
            Self::TooLong => "too_long",
            Self::Refusal => "refusal",
            Self::Empty => "empty",
            Self::Malformed => "malformed",
            Self::Hang => "hang",
            Self::Cut => "cut",
            Self::Endless => "endless",
            Self::Overlong => "overlong",
        }
    }

    /// The HTTP statuses it can have; the first is the default.
    const fn statuses(self) -> &'static [u16] {
        match self {
            Self::RateLimit => &[429, 529],
            Self::ServerError => &[500, 408, 409, 502, 503, 504, 529],
            Self::Auth => &[401, 403, 400],
            Self::Quota => &[429, 402, 403],
            Self::Rejected => &[400, 404, 413, 422],
            Self::TooLong => &[400, 413],
            Self::Refusal | Self::Empty | Self::Malformed | Self::Hang | Self::Cut | Self::Endless | Self::Overlong => {
                &[]
            }
        }
    }

    /// True if the failure can come after part of the answer.
    const fn can_be_late(self) -> bool {
        matches!(self, Self::RateLimit | Self::ServerError | Self::Refusal | Self::Hang | Self::Cut)
    }
}

/// A configured failure.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    pub(super) kind: Kind,
    /// The number of pieces before it.
    pub(super) after_chunks: usize,
    status: Option<u16>,
    retry_after: Option<Duration>,
    message: Option<String>,
}

impl Fault {
    /// True if the answer stops before its end.
    pub(super) const fn stops(&self) -> bool {
        !matches!(self.kind, Kind::Empty | Kind::Malformed | Kind::Endless | Kind::Overlong)
    }

    /// The error it ends with; `None` for those that hang, just end, or answer badly.
    pub(super) fn error(&self, provider: &str) -> Option<ProviderError> {
        let (failure, words) = match self.kind {
            Kind::RateLimit => (ProviderFailure::RateLimited, "too many requests"),
            Kind::ServerError if self.status == Some(529) => (ProviderFailure::RateLimited, "overloaded"),
            Kind::ServerError => (ProviderFailure::Unavailable, "the server failed"),
            Kind::Auth => (ProviderFailure::Auth, "the key was refused"),
            Kind::Quota => (ProviderFailure::QuotaExhausted, "the credit is used up; waiting does not mend that"),
            Kind::Rejected => (ProviderFailure::Rejected, "the request was refused"),
            Kind::TooLong => (ProviderFailure::Rejected, "the request is longer than the model's context"),
            Kind::Refusal => (ProviderFailure::Refused, "the model declined to answer"),
            Kind::Empty | Kind::Malformed | Kind::Hang | Kind::Cut | Kind::Endless | Kind::Overlong => return None,
        };
        let message = match (&self.message, self.status) {
            (Some(message), _) => message.clone(),
            (None, Some(status)) => format!("{words} (scripted {status})"),
            (None, None) => format!("{words} (scripted)"),
        };
        let error = ProviderError::new(provider, failure, message).with_retry_after(self.retry_after);
        Some(match self.status {
            Some(status) => error.with_status(status),
            None => error,
        })
    }
}

/// Truncated JSON: the first half of `text`, within a JSON object unless it is JSON itself.
pub(super) fn broken_json(text: &str) -> String {
    let half = text.chars().count() / 2;
    let beginning: String = text.chars().take(half).collect();
    if text.starts_with(['{', '[']) { beginning } else { format!("{{\"answer\": {beginning:?}, \"") }
}

/// The script's long form of a fault.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultFields {
    kind: Kind,
    after_chunks: Option<usize>,
    status: Option<u16>,
    retry_after_s: Option<f64>,
    message: Option<String>,
}

impl FaultFields {
    fn check(self) -> Result<Fault, String> {
        let name = self.kind.as_str();
        let statuses = self.kind.statuses();
        if let Some(status) = self.status
            && !statuses.contains(&status)
        {
            return Err(match statuses {
                [] => format!("`status` means nothing for `{name}`"),
                known => format!("`{name}` cannot have status {status}, expected one of {known:?}"),
            });
        }
        if self.after_chunks.is_some() && !self.kind.can_be_late() {
            return Err(format!("`after_chunks` means nothing for `{name}`"));
        }
        if self.retry_after_s.is_some() && !matches!(self.kind, Kind::RateLimit | Kind::ServerError) {
            return Err(format!("`retry_after_s` means nothing for `{name}`"));
        }
        if self.message.is_some() && statuses.is_empty() && self.kind != Kind::Refusal {
            return Err(format!("`message` means nothing for `{name}`"));
        }
        let retry_after = match self.retry_after_s {
            None => None,
            Some(seconds) if (0.0..=86_400.0).contains(&seconds) => Some(Duration::from_secs_f64(seconds)),
            Some(seconds) => return Err(format!("`retry_after_s` is {seconds}, expected 0 to 86400")),
        };
        Ok(Fault {
            kind: self.kind,
            after_chunks: self.after_chunks.unwrap_or(usize::from(self.kind == Kind::Cut)),
            status: self.status.or_else(|| statuses.first().copied()),
            retry_after,
            message: self.message,
        })
    }
}

impl<'de> Deserialize<'de> for Fault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrMap;

        impl<'de> Visitor<'de> for NameOrMap {
            type Value = Fault;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the name of a fault, or a map with `kind`")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Fault, E> {
                let kind = Kind::deserialize(de::value::StrDeserializer::new(name))?;
                let bare = FaultFields { kind, after_chunks: None, status: None, retry_after_s: None, message: None };
                bare.check().map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Fault, A::Error> {
                let written = FaultFields::deserialize(de::value::MapAccessDeserializer::new(map))?;
                written.check().map_err(de::Error::custom)
            }
        }

        deserializer.deserialize_any(NameOrMap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> Fault {
        serde_yaml::from_str(text).unwrap()
    }

    #[test]
    fn each_kind_fails_as_its_status_does() {
        use ProviderFailure as F;
        for (text, failure, status) in [
            ("rate_limit", F::RateLimited, Some(429)),
            ("server_error", F::Unavailable, Some(500)),
            ("{kind: server_error, status: 503}", F::Unavailable, Some(503)),
            ("{kind: server_error, status: 529}", F::RateLimited, Some(529)),
            ("auth", F::Auth, Some(401)),
            ("quota", F::QuotaExhausted, Some(429)),
            ("{kind: quota, status: 402}", F::QuotaExhausted, Some(402)),
            ("{kind: rejected, status: 404}", F::Rejected, Some(404)),
            ("too_long", F::Rejected, Some(400)),
            ("refusal", F::Refused, None),
        ] {
            let error = fault(text).error("x").unwrap();
            assert_eq!((error.failure, error.upstream_status), (failure, status), "{text}");
        }
        for text in ["hang", "cut", "empty", "malformed", "endless"] {
            assert_eq!(fault(text).error("x"), None);
        }
    }

    #[test]
    fn details_are_kept() {
        let error = fault("{kind: rate_limit, retry_after_s: 1.5, message: slow down}").error("x").unwrap();
        assert_eq!(error.retry_after, Some(Duration::from_millis(1500)));
        assert_eq!(error.message, "slow down");
        assert_eq!((fault("cut").after_chunks, fault("hang").after_chunks), (1, 0));
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        for (text, expected) in [
            ("boom", "unknown variant `boom`"),
            ("{kind: auth, status: 500}", "expected one of [401, 403, 400]"),
            ("{kind: hang, status: 500}", "`status` means nothing for `hang`"),
            ("{kind: auth, after_chunks: 1}", "`after_chunks` means nothing"),
            ("{kind: cut, retry_after_s: 1}", "`retry_after_s` means nothing"),
            ("{kind: cut, message: x}", "`message` means nothing"),
            ("{kind: rate_limit, retry_after_s: -1}", "expected 0 to 86400"),
            ("{kind: rate_limit, retry_after_s: .nan}", "expected 0 to 86400"),
            ("{kind: cut, afterchunks: 1}", "unknown field `afterchunks`"),
            ("{status: 500}", "missing field `kind`"),
            ("3", "the name of a fault"),
        ] {
            let error = serde_yaml::from_str::<Fault>(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn broken_json_never_parses() {
        for text in ["", "plain words", "{\"a\": 1}", "[1, 2, 3]", "{}", "\"quoted\" text"] {
            let broken = broken_json(text);
            assert!(serde_json::from_str::<serde_json::Value>(&broken).is_err(), "{broken}");
        }
    }
}
