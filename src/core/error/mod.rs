//! Everything that can go wrong, under one [`Error`] with a closed set of codes.
//!
//! [`Error`] wraps the small error types of the subsystems and has [`Error::code`], [`Error::hint`]
//! and [`Error::is_retryable`]. On every face, users see it as a [`Problem`].
//! The table of codes with status and exit code is in [`code`].
//!
//! A message names the field, the limit and the fix. It never holds a key, a token, or a path outside the
//! user's own folder, because the text reaches logs, servers' clients and models alike.

pub mod code;
mod config;
mod fault;
mod problem;
mod provider;
mod token;

use std::path::PathBuf;

pub use code::Code;
pub use config::{ConfigError, ConfigFault, ConfigSource};
pub use fault::{Fault, Faults};
pub use problem::Problem;
pub use provider::{ProviderError, ProviderFailure};
pub use token::TokenError;

/// Shorthand for results of the core.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Any failure of the core.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The request's shape is wrong: unknown field, wrong type, missing field. Every such fault.
    #[error("{0}")]
    Shape(Faults),
    /// The request's shape is right and values are out of range. Every such fault.
    #[error("{0}")]
    Value(Faults),
    /// No such thing. `hint` says how to find the right one.
    #[error("no {what} matches `{key}`; {hint}")]
    NotFound {
        /// What was looked for: "prompt", "session".
        what: &'static str,
        /// What was asked for.
        key: String,
        /// How to find the right one.
        hint: &'static str,
    },
    /// Something changed in the meantime, or is in the way.
    #[error("{0}")]
    Conflict(String),
    /// A file of the user's cannot be read or written.
    #[error("cannot {action} `{}`: {reason}", .path.display())]
    File {
        /// "read", "write", "create".
        action: &'static str,
        /// The file, as the user named it.
        path: PathBuf,
        /// What the system said, and what to do.
        reason: String,
    },
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A provider failed.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// It would cost more than is allowed, or than is allowed without asking; nothing was sent.
    #[error("{0}")]
    Budget(String),
    /// Too many comparisons without a valid verdict.
    #[error(
        "{missing} of {total} comparisons by `{judge}` came back without a valid verdict; a fifth is the most that can be missing. {last}Try another judge with `judge.provider`"
    )]
    JudgeUnreliable {
        /// The judge, provider and model.
        judge: String,
        /// Comparisons without verdict.
        missing: usize,
        /// Comparisons asked for.
        total: usize,
        /// What was wrong with the last one: a sentence with a trailing blank, or empty if unknown.
        last: String,
    },
    /// The database failed.
    #[error("{0}")]
    Storage(String),
    /// A face refused the request before the core saw it: method, media type, size, host, load.
    #[error("{detail}")]
    Refused {
        /// Which refusal.
        code: Code,
        /// What was wrong and what to do.
        detail: String,
    },
    /// The request has no valid token.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The token does not allow this.
    #[error(
        "this needs the scope `{needed}`: a token that `aludel token --scope {needed}` makes, or a server without `--read-only`"
    )]
    Scope {
        /// The name of the scope that is missing.
        needed: &'static str,
    },
    /// The run was cancelled by its owner.
    #[error("the run was cancelled; variants that had finished are kept")]
    Cancelled,
    /// A bug in this program.
    #[error("{0}")]
    Internal(String),
}

impl Error {
    /// The code of the contract.
    pub fn code(&self) -> Code {
        match self {
            Self::Shape(_) => Code::InvalidRequest,
            Self::Value(_) => Code::ValidationFailed,
            Self::NotFound { .. } => Code::NotFound,
            Self::Conflict(_) | Self::Cancelled => Code::Conflict,
            Self::File { .. } => Code::File,
            Self::Config(_) => Code::ConfigInvalid,
            Self::Provider(error) => error.code(),
            Self::Budget(_) => Code::BudgetExceeded,
            Self::JudgeUnreliable { .. } => Code::JudgeUnreliable,
            Self::Storage(_) => Code::Storage,
            Self::Refused { code, .. } => *code,
            Self::Token(error) => error.code(),
            Self::Scope { .. } => Code::Forbidden,
            Self::Internal(_) => Code::Internal,
        }
    }

    /// What to do about it, where the message does not say so.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Storage(_) => Some("run `aludel validate` to check the database, and see the log for details"),
            Self::Internal(_) => Some("this is a defect; the log has the details"),
            _ => None,
        }
    }

    /// True when the same request may succeed a little later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Provider(error) => error.is_retryable(),
            Self::Refused { code, .. } => matches!(code, Code::RateLimited | Code::Overloaded),
            _ => false,
        }
    }

    /// A single value fault.
    pub fn value(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Value(Fault::new(field, message).into())
    }

    /// A single shape fault.
    pub fn shape(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Shape(Fault::new(field, message).into())
    }

    /// The listed faults, if any.
    pub fn faults(&self) -> &[Fault] {
        match self {
            Self::Shape(faults) | Self::Value(faults) => faults,
            _ => &[],
        }
    }

    /// `and 41,830 more`, when there are more faults than are listed.
    pub fn further_faults(&self) -> Option<String> {
        match self {
            Self::Shape(faults) | Self::Value(faults) => faults.rest(),
            _ => None,
        }
    }
}
