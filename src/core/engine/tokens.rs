//! Tokens of the servers: verified for every request, made by `token`.

use super::Engine;
use crate::api::{Moment, TokenRequest};
use crate::auth::{Bearer, NewClaims, TokenKey};
use crate::config::SHORTEST_AUTH_SECRET;
use crate::domain::{MintedToken, Scope, Timestamp};
use crate::error::{ConfigError, Error, Result, TokenError};

/// How long a token is valid by default, in seconds: 30 days.
const DEFAULT_TTL_S: i64 = 30 * 86_400;
/// How long a token can be valid, in seconds: ten years.
const MAX_TTL_S: i64 = 3650 * 86_400;

impl Engine {
    /// True if servers need a token for every request but probes.
    pub fn needs_token(&self) -> bool {
        self.config().server.auth.enabled
    }

    /// Verifies a token that was presented to a server. Without a usable secret none is valid.
    ///
    /// # Errors
    /// Why it is not accepted.
    pub fn verify_token(&self, token: &str) -> Result<Bearer, TokenError> {
        self.token_key().ok_or(TokenError::Invalid)?.verify(token, self.inner.clock.now())
    }

    /// Makes a token.
    ///
    /// # Errors
    /// `config_invalid` without a secret, or with one that is too short; `validation_failed` for an
    /// expiry in the past or more than ten years ahead.
    pub fn mint_token(&self, request: TokenRequest) -> Result<MintedToken> {
        let key = self.token_key().ok_or_else(|| self.unfit_secret())?;
        let now = self.inner.clock.now();
        let exp = expiry(request.ttl, now)?;
        let jti = self.inner.ids.next().to_string();
        let claims = NewClaims {
            sub: request.subject.clone(),
            jti: jti.clone(),
            iat: now.as_second(),
            exp: exp.as_second(),
            scope: request.scopes.to_string(),
            budget_usd: request.budget_usd,
            max_calls: request.max_calls,
        };
        let token = key.sign(&claims)?;
        let Bearer { caller, .. } = key
            .verify(&token, now)
            .map_err(|error| Error::Internal(format!("the token that was made is not accepted: {error}")))?;
        Ok(MintedToken {
            token,
            caller: caller.id.clone(),
            subject: request.subject,
            scope: request.scopes.iter().map(|scope: Scope| scope.as_str().to_owned()).collect(),
            expires_at: exp,
            budget_usd: request.budget_usd,
            max_calls: request.max_calls,
        })
    }

    fn token_key(&self) -> Option<&TokenKey> {
        self.inner.token_key.get_or_init(|| TokenKey::new(&self.config().server.auth)).as_ref()
    }

    fn unfit_secret(&self) -> Error {
        let key = "server.auth.secret";
        let message = match &self.config().server.auth.secret {
            None => format!(
                "is needed to sign tokens, and the server needs the same: {SHORTEST_AUTH_SECRET} bytes or more, best as ${{NAME}} of an environment variable; `openssl rand -hex 32` makes one"
            ),
            Some(secret) => {
                format!("expected {SHORTEST_AUTH_SECRET} bytes or more, got {}", secret.expose().len())
            }
        };
        ConfigError::one(self.origins().fault(self.paths(), key, message)).into()
    }
}

/// When a token expires, in whole seconds.
fn expiry(ttl: Option<Moment>, now: Timestamp) -> Result<Timestamp> {
    let now = now.as_second();
    let at = match ttl {
        None => now.saturating_add(DEFAULT_TTL_S),
        Some(Moment::Ago(seconds)) => now.saturating_add(seconds),
        Some(moment) => moment.as_since(crate::time::from_millis(now.saturating_mul(1000))).as_second(),
    };
    let unfit = |what| {
        Error::value("ttl", format!("{what}: give how long the token is valid, such as 12h or 30d, or a date ahead"))
    };
    if at <= now {
        return Err(unfit("is in the past"));
    }
    if at - now > MAX_TTL_S {
        return Err(unfit("is more than ten years"));
    }
    Timestamp::from_second(at).map_err(|_| unfit("is more than ten years"))
}
