//! Tokens: signed statements of who calls a server, what they may do and how much they may spend.
//!
//! A token is a JWT (RFC 7519), signed with HS256 and `server.auth.secret`. [`TokenKey`] verifies
//! tokens and makes them. Faces only find the token in a request; `Engine::verify_token` does the
//! rest, so REST and MCP over HTTP accept the same. Tokens are not stored: one is valid until its
//! `exp`, and all are revoked by changing the secret.
//!
//! The claims are in [`claims`]. What a scope allows is in [`Scope`](crate::domain::Scope), the daily
//! caps in [`Caller`].

mod claims;
#[cfg(test)]
mod tests;
mod verified;

use std::sync::Arc;

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, TokenData, Validation};
use serde::Serialize;

pub use claims::NewClaims;
use claims::ReceivedClaims;
use verified::VerifiedTokens;

use crate::config::{AuthConfig, SHORTEST_AUTH_SECRET};
use crate::domain::{Scopes, Timestamp};
use crate::error::{Error, Result, TokenError};
use crate::ledger::Caller;

/// The longest token that is parsed, in bytes.
pub const MAX_TOKEN_BYTES: usize = 8 * 1024;

/// The verified bearer of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bearer {
    /// Who calls, and their daily caps.
    pub caller: Arc<Caller>,
    /// What they may do.
    pub scopes: Scopes,
}

/// The secret of a server, and what its tokens have to say.
pub struct TokenKey {
    decoding: DecodingKey,
    encoding: EncodingKey,
    validation: Validation,
    issuer: Option<String>,
    audience: Option<String>,
    verified: VerifiedTokens,
}

impl TokenKey {
    /// The key of this configuration; `None` without a secret, or with one that is too short.
    pub fn new(config: &AuthConfig) -> Option<Self> {
        let secret = config.secret.as_ref()?.expose().as_bytes();
        if secret.len() < SHORTEST_AUTH_SECRET {
            return None;
        }
        let mut validation = Validation::new(Algorithm::HS256);
        // `Times` checks these: the library reads the system clock.
        (validation.validate_exp, validation.validate_nbf) = (false, false);
        validation.required_spec_claims.clear();
        validation.validate_aud = config.audience.is_some();
        if let Some(issuer) = &config.issuer {
            validation.set_issuer(&[issuer]);
            validation.required_spec_claims.insert("iss".into());
        }
        if let Some(audience) = &config.audience {
            validation.set_audience(&[audience]);
            validation.required_spec_claims.insert("aud".into());
        }
        Some(Self {
            decoding: DecodingKey::from_secret(secret),
            encoding: EncodingKey::from_secret(secret),
            validation,
            issuer: config.issuer.clone(),
            audience: config.audience.clone(),
            verified: VerifiedTokens::default(),
        })
    }

    /// Verifies a token.
    ///
    /// # Errors
    /// Why it is not accepted.
    pub fn verify(&self, token: &str, now: Timestamp) -> Result<Bearer, TokenError> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(TokenError::TooLong(MAX_TOKEN_BYTES));
        }
        if let Some((bearer, times)) = self.verified.get(token) {
            times.check(now)?;
            return Ok(bearer);
        }
        let TokenData { header, claims } =
            jsonwebtoken::decode::<ReceivedClaims>(token, &self.decoding, &self.validation)
                .map_err(|error| refusal(error.kind()))?;
        // RFC 7515, section 4.1.11: extensions that are not understood make a token invalid.
        if header.crit.is_some() {
            return Err(TokenError::Invalid);
        }
        let times = claims.times()?;
        times.check(now)?;
        let bearer = claims.bearer(token)?;
        self.verified.insert(token, &bearer, times);
        Ok(bearer)
    }

    /// Makes a token.
    ///
    /// # Errors
    /// `internal` on a defect.
    pub fn sign(&self, claims: &NewClaims) -> Result<String> {
        let issued = IssuedClaims { iss: self.issuer.as_deref(), aud: self.audience.as_deref(), claims };
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), &issued, &self.encoding)
            .map_err(|error| Error::Internal(format!("a token cannot be signed: {error}")))
    }
}

/// The claims of a new token, with those of the configuration.
#[derive(Serialize)]
struct IssuedClaims<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    iss: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aud: Option<&'a str>,
    #[serde(flatten)]
    claims: &'a NewClaims,
}

/// The library checks the algorithm, the signature, and then the claims.
fn refusal(kind: &ErrorKind) -> TokenError {
    let other = |claim| TokenError::Claim { claim, wrong: "is not this server's" };
    match kind {
        ErrorKind::InvalidIssuer => other("iss"),
        ErrorKind::InvalidAudience => other("aud"),
        ErrorKind::MissingRequiredClaim(claim) if claim == "iss" => other("iss"),
        ErrorKind::MissingRequiredClaim(claim) if claim == "aud" => other("aud"),
        _ => TokenError::Invalid,
    }
}

/// Never shows the key.
impl std::fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenKey")
            .field("issuer", &self.issuer)
            .field("audience", &self.audience)
            .finish_non_exhaustive()
    }
}
