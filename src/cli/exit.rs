//! Exit codes, as one closed enum.
//!
//! Every error code maps to one of them in a single exhaustive match, so a new code does not
//! compile until its exit code is decided. Scripts depend on these numbers; they never change.

use std::process::ExitCode;

use aludel_core::error::Code;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// Failed.
    Failed = 1,
    /// Usage, or bad input.
    BadInput = 2,
    /// The configuration is wrong.
    BadConfiguration = 3,
    /// Not allowed.
    NotAllowed = 4,
    /// No such thing.
    NotFound = 5,
    /// A provider failed.
    ProviderFailed = 6,
    /// The budget is used up.
    BudgetExceeded = 7,
    /// Stopped by SIGINT or SIGTERM.
    Interrupted = 130,
}

impl Exit {
    /// The number the shell sees.
    pub(crate) const fn number(self) -> u8 {
        self as u8
    }
}

impl From<Code> for Exit {
    fn from(code: Code) -> Self {
        match code {
            Code::InvalidRequest
            | Code::ValidationFailed
            | Code::MethodNotAllowed
            | Code::NotAcceptable
            | Code::UnsupportedMediaType
            | Code::PayloadTooLarge => Self::BadInput,
            Code::Unauthorized | Code::Forbidden => Self::NotAllowed,
            Code::NotFound => Self::NotFound,
            Code::Conflict | Code::File | Code::RateLimited | Code::Overloaded | Code::Storage | Code::Internal => {
                Self::Failed
            }
            Code::ConfigInvalid => Self::BadConfiguration,
            Code::ProviderUnavailable
            | Code::ProviderAuth
            | Code::ProviderRateLimited
            | Code::ProviderRejected
            | Code::ProviderTimeout
            | Code::JudgeUnreliable => Self::ProviderFailed,
            Code::BudgetExceeded => Self::BudgetExceeded,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_exits_as_the_table_of_codes_says() {
        for code in Code::ALL {
            assert_eq!(Exit::from(code).number(), code.row().exit, "{code}");
        }
    }
}
