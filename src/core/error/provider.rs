//! Provider failures, by what the user must do (integration notes, "One client shape for all").

use std::time::Duration;

use super::Code;

/// A failure of one provider call.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("provider `{provider}`: {message}")]
pub struct ProviderError {
    /// Its name in the configuration.
    pub provider: String,
    /// Which kind of failure.
    pub failure: ProviderFailure,
    /// The provider's message, shortened and free of secrets, and what to do.
    pub message: String,
    /// How long it asked us to wait.
    pub retry_after: Option<Duration>,
    /// Its HTTP status.
    pub upstream_status: Option<u16>,
    /// The parameter it does not support, by our name: `temperature`, `max_tokens`,
    /// `response_schema`. The same request without it may succeed.
    pub refused_parameter: Option<&'static str>,
    /// True when nothing of the request reached the provider, so nothing can be owed for it: a
    /// refused connection, a name that does not resolve, no common TLS.
    pub never_sent: bool,
    /// True when no call was made, because the provider is known to be down.
    pub never_called: bool,
    /// Whether the provider itself said that a retry may succeed; `None` when it said nothing and
    /// the kind of failure decides.
    pub should_retry: Option<bool>,
}

/// The kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProviderFailure {
    /// Refused, reset, a 5xx, a stream cut short, garbage.
    Unavailable,
    /// The key was refused, or is missing.
    Auth,
    /// Too many requests; waiting helps.
    RateLimited,
    /// A quota or credit that waiting does not restore.
    QuotaExhausted,
    /// The request was refused: bad parameter, unknown model, too long, empty answer.
    Rejected,
    /// The model declined to answer.
    Refused,
    /// The call would exceed a cap set by the user; nothing was sent.
    Budget,
    /// The call log cannot be read or written, so a cap cannot be enforced; nothing was sent.
    CallLogFailed,
    /// No connection, no first token, a stall in the middle, or too long overall.
    Timeout,
}

impl ProviderError {
    /// A failure of `provider`.
    pub fn new(provider: impl Into<String>, failure: ProviderFailure, message: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            failure,
            message: message.into(),
            retry_after: None,
            upstream_status: None,
            refused_parameter: None,
            never_sent: false,
            never_called: false,
            should_retry: None,
        }
    }

    /// Adds the HTTP status the provider answered with.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.upstream_status = Some(status);
        self
    }

    /// Adds the wait the provider asked for.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait;
        self
    }

    /// Adds the parameter that was refused.
    #[must_use]
    pub fn with_refused_parameter(mut self, parameter: &'static str) -> Self {
        self.refused_parameter = Some(parameter);
        self
    }

    /// Marks the failure as one before anything was sent.
    #[must_use]
    pub fn before_sending(mut self) -> Self {
        self.never_sent = true;
        self
    }

    /// Marks the failure as one of a call that was never made.
    #[must_use]
    pub fn without_call(mut self) -> Self {
        self.never_called = true;
        self.before_sending()
    }

    /// The code of the contract.
    pub fn code(&self) -> Code {
        match self.failure {
            ProviderFailure::Unavailable => Code::ProviderUnavailable,
            ProviderFailure::Auth => Code::ProviderAuth,
            ProviderFailure::RateLimited | ProviderFailure::QuotaExhausted => Code::ProviderRateLimited,
            ProviderFailure::Rejected | ProviderFailure::Refused => Code::ProviderRejected,
            ProviderFailure::Timeout => Code::ProviderTimeout,
            ProviderFailure::Budget => Code::BudgetExceeded,
            ProviderFailure::CallLogFailed => Code::Storage,
        }
    }

    /// True when the same call may succeed a little later.
    pub fn is_retryable(&self) -> bool {
        self.should_retry.unwrap_or(matches!(
            self.failure,
            ProviderFailure::Unavailable | ProviderFailure::RateLimited | ProviderFailure::Timeout
        ))
    }
}
