//! Why a token is refused.
//!
//! Whatever is wrong before the signature has been verified is one error, [`TokenError::Invalid`]:
//! the sender may be guessing. What comes after can be named, since the sender has a token that was
//! signed with the server's secret. No message holds any part of a token.

use super::Code;

/// Why a request has no valid token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// There is none.
    #[error("this server needs a token: send `Authorization: Bearer TOKEN`; `aludel token` makes one")]
    Missing,
    /// There is none, and the server could not verify one.
    #[error(
        "this is only given to the bearer of a token, and this server verifies none: set `server.auth.enabled: true` and `server.auth.secret`"
    )]
    Unverifiable,
    /// There are several `Authorization` headers.
    #[error("Authorization: the request has more than one; send exactly one")]
    Repeated,
    /// The header is not of the form `Bearer TOKEN`.
    #[error("the `Authorization` header is not of the form `Bearer TOKEN`")]
    Scheme,
    /// The token is too long to be parsed.
    #[error("the token is longer than {0} bytes, the most that is accepted")]
    TooLong(usize),
    /// It is not a token with a valid signature.
    #[error(
        "the token is not valid: it has to be a JWT, signed with HS256 and this server's `server.auth.secret`; `aludel token` makes one"
    )]
    Invalid,
    /// It was valid until its `exp`.
    #[error("the token has expired; `aludel token` makes a new one")]
    Expired,
    /// It will be valid from its `nbf`.
    #[error("the token is not valid yet: its `nbf` is in the future")]
    NotYetValid,
    /// A claim is missing, of the wrong type, or of another issuer or audience.
    #[error("the token's claim `{claim}` {wrong}")]
    Claim {
        /// The claim.
        claim: &'static str,
        /// What is wrong with it: "is missing".
        wrong: &'static str,
    },
}

impl TokenError {
    /// The code of the contract.
    pub const fn code(&self) -> Code {
        match self {
            Self::Repeated => Code::InvalidRequest,
            _ => Code::Unauthorized,
        }
    }
}
