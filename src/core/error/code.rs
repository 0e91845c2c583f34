//! The closed table of error codes: what each means, its HTTP status and its exit code.
//!
//! Status and exit code are here and not in the faces, because both are part of the
//! [`Problem`](super::Problem) that every face shows (the command line prints `status` too), so the
//! four cannot disagree. The table is snapshot-tested; adding a code changes the contract.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A stable, documented code. Clients branch on it, never on the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the table below is the documentation, and a test prints it")]
pub enum Code {
    InvalidRequest,
    ValidationFailed,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    NotAcceptable,
    UnsupportedMediaType,
    PayloadTooLarge,
    Conflict,
    File,
    RateLimited,
    Overloaded,
    ConfigInvalid,
    ProviderUnavailable,
    ProviderAuth,
    ProviderRateLimited,
    ProviderRejected,
    ProviderTimeout,
    JudgeUnreliable,
    BudgetExceeded,
    Storage,
    Internal,
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The code on the wire.
    pub name: &'static str,
    /// A short title for people.
    pub title: &'static str,
    /// HTTP status (RFC 9110).
    pub status: u16,
    /// Exit code of the command line.
    pub exit: u8,
}

impl Code {
    /// Every code, in the order of the contract.
    pub const ALL: [Self; 23] = [
        Self::InvalidRequest,
        Self::ValidationFailed,
        Self::Unauthorized,
        Self::Forbidden,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::NotAcceptable,
        Self::UnsupportedMediaType,
        Self::PayloadTooLarge,
        Self::Conflict,
        Self::File,
        Self::RateLimited,
        Self::Overloaded,
        Self::ConfigInvalid,
        Self::ProviderUnavailable,
        Self::ProviderAuth,
        Self::ProviderRateLimited,
        Self::ProviderRejected,
        Self::ProviderTimeout,
        Self::JudgeUnreliable,
        Self::BudgetExceeded,
        Self::Storage,
        Self::Internal,
    ];

    /// The code's row: name, title, HTTP status, exit code.
    pub const fn row(self) -> Row {
        let (name, title, status, exit) = match self {
            Self::InvalidRequest => ("invalid_request", "The request is malformed", 400, 2),
            Self::ValidationFailed => ("validation_failed", "A value is out of range", 422, 2),
            Self::Unauthorized => ("unauthorized", "Authentication is required", 401, 4),
            Self::Forbidden => ("forbidden", "Not allowed", 403, 4),
            Self::NotFound => ("not_found", "Not found", 404, 5),
            Self::MethodNotAllowed => ("method_not_allowed", "Method not allowed", 405, 2),
            Self::NotAcceptable => ("not_acceptable", "Not acceptable", 406, 2),
            Self::UnsupportedMediaType => ("unsupported_media_type", "Unsupported media type", 415, 2),
            Self::PayloadTooLarge => ("payload_too_large", "The body is too large", 413, 2),
            Self::Conflict => ("conflict", "Conflict", 409, 1),
            Self::File => ("file", "A file cannot be used", 422, 1),
            Self::RateLimited => ("rate_limited", "Too many requests", 429, 1),
            Self::Overloaded => ("overloaded", "Overloaded", 503, 1),
            Self::ConfigInvalid => ("config_invalid", "The configuration is invalid", 500, 3),
            Self::ProviderUnavailable => ("provider_unavailable", "The provider is unavailable", 502, 6),
            Self::ProviderAuth => ("provider_auth", "The provider refused the key", 502, 6),
            Self::ProviderRateLimited => ("provider_rate_limited", "The provider limits the rate", 503, 6),
            Self::ProviderRejected => ("provider_rejected", "The provider rejected the request", 502, 6),
            Self::ProviderTimeout => ("provider_timeout", "The provider did not answer in time", 504, 6),
            Self::JudgeUnreliable => ("judge_unreliable", "The judge is unreliable", 502, 6),
            Self::BudgetExceeded => ("budget_exceeded", "The budget is used up", 422, 7),
            Self::Storage => ("storage", "The database failed", 500, 1),
            Self::Internal => ("internal", "Internal error", 500, 1),
        };
        Row { name, title, status, exit }
    }

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        self.row().name
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_codes_is_the_contracts() {
        let rows: Vec<String> = Code::ALL
            .iter()
            .map(|code| {
                let row = code.row();
                format!("{:<24}{:<5}{}", row.name, row.status, row.exit)
            })
            .collect();
        let table = rows.join("\n");
        insta::assert_snapshot!(table);
    }

    #[test]
    fn names_on_the_wire_are_those_of_the_table() {
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }
}
