//! The claims of a token: those of RFC 7519, `scope` (RFC 8693, section 4.2), and two of our own.
//!
//! | claim | | |
//! |---|---|---|
//! | `exp` | seconds since 1970 | required; refused from then on, with [`LEEWAY`] |
//! | `nbf` | seconds since 1970 | refused before, with [`LEEWAY`] |
//! | `sub`, `jti` | texts | who calls: calls are charged to `sub/jti`, or to the one there is |
//! | `scope` | names separated by spaces | what the bearer may do; without it, nothing |
//! | `budget_usd` | US dollars a day (UTC), 0 or more | a daily cap of the caller |
//! | `max_calls` | calls to models a day (UTC), 0 or more | a daily cap of the caller |
//!
//! A time can have a fraction, as RFC 7519 allows. A claim of the wrong type makes the token invalid:
//! a cap that cannot be read must not be no cap.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::Bearer;
use crate::domain::{Scopes, Timestamp};
use crate::error::TokenError;
use crate::ledger::{Caller, CapPeriod, Money};

/// How far the clocks of issuer and server may differ.
pub(super) const LEEWAY: Duration = Duration::from_secs(30);
/// The latest time that is accepted, in seconds since 1970: the end of the year 9999.
const LATEST: f64 = 253_402_300_799.0;
/// Longest `sub` and `jti`, in characters.
const ID_CHARS: usize = 256;

/// The claims as received. Unknown ones are ignored, repeated ones rejected.
#[derive(Debug, Deserialize)]
pub(super) struct ReceivedClaims {
    exp: Option<Value>,
    nbf: Option<Value>,
    sub: Option<Value>,
    jti: Option<Value>,
    scope: Option<Value>,
    budget_usd: Option<Value>,
    max_calls: Option<Value>,
    /// Also keeps an array from being taken for the claims in order.
    #[serde(flatten)]
    _others: Map<String, Value>,
}

/// When a token is valid, in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Times {
    exp: f64,
    nbf: Option<f64>,
}

impl Times {
    /// Valid until then.
    #[cfg(test)]
    pub(super) fn until(exp: f64) -> Self {
        Self { exp, nbf: None }
    }

    /// Checks that the token is valid now.
    ///
    /// # Errors
    /// [`TokenError::Expired`], [`TokenError::NotYetValid`].
    pub(super) fn check(self, now: Timestamp) -> Result<(), TokenError> {
        let now = now.as_millisecond() as f64 / 1000.0;
        let leeway = LEEWAY.as_secs_f64();
        if now >= self.exp + leeway {
            return Err(TokenError::Expired);
        }
        if self.nbf.is_some_and(|nbf| now + leeway < nbf) {
            return Err(TokenError::NotYetValid);
        }
        Ok(())
    }
}

impl ReceivedClaims {
    /// The times of the token.
    ///
    /// # Errors
    /// [`TokenError::Claim`].
    pub(super) fn times(&self) -> Result<Times, TokenError> {
        let exp = seconds("exp", self.exp.as_ref())?;
        let exp = exp.ok_or(TokenError::Claim { claim: "exp", wrong: "is missing: a token has to expire" })?;
        Ok(Times { exp, nbf: seconds("nbf", self.nbf.as_ref())? })
    }

    /// The bearer of this token.
    ///
    /// # Errors
    /// [`TokenError::Claim`].
    pub(super) fn bearer(&self, token: &str) -> Result<Bearer, TokenError> {
        let scopes = text("scope", self.scope.as_ref())?.map(Scopes::parse).unwrap_or_default();
        let id = match (name("sub", self.sub.as_ref())?, name("jti", self.jti.as_ref())?) {
            (Some(sub), Some(jti)) => format!("{sub}/{jti}"),
            (Some(id), None) | (None, Some(id)) => id.to_owned(),
            (None, None) => format!("token/{}", fingerprint(token)),
        };
        let budget = match &self.budget_usd {
            None => None,
            Some(value) => {
                let dollars = value.as_f64().filter(|dollars| *dollars >= 0.0);
                let wrong = TokenError::Claim { claim: "budget_usd", wrong: "is not a number of US dollars" };
                Some(Money::from_dollars_down(dollars.ok_or(wrong)?))
            }
        };
        let max_calls = match &self.max_calls {
            None => None,
            Some(value) => Some(
                value.as_u64().ok_or(TokenError::Claim { claim: "max_calls", wrong: "is not a number of calls" })?,
            ),
        };
        Ok(Bearer { caller: Arc::new(Caller { id, budget, max_calls, period: CapPeriod::Day }), scopes })
    }
}

/// A time, if there is one.
fn seconds(claim: &'static str, value: Option<&Value>) -> Result<Option<f64>, TokenError> {
    let Some(value) = value else { return Ok(None) };
    let time = value.as_f64().filter(|time| (0.0..=LATEST).contains(time));
    time.map(Some).ok_or(TokenError::Claim { claim, wrong: "is not a time in seconds since 1970" })
}

fn text<'a>(claim: &'static str, value: Option<&'a Value>) -> Result<Option<&'a str>, TokenError> {
    let Some(value) = value else { return Ok(None) };
    value.as_str().map(Some).ok_or(TokenError::Claim { claim, wrong: "is not a text" })
}

/// A text that is fit for logs and reports.
fn name<'a>(claim: &'static str, value: Option<&'a Value>) -> Result<Option<&'a str>, TokenError> {
    let Some(text) = text(claim, value)? else { return Ok(None) };
    let fits = !text.is_empty() && text.chars().count() <= ID_CHARS && !text.contains(char::is_control);
    if fits {
        Ok(Some(text))
    } else {
        Err(TokenError::Claim { claim, wrong: "is empty, too long or has control characters" })
    }
}

/// Tells tokens without a name apart.
fn fingerprint(token: &str) -> String {
    let first = Sha256::digest(token.as_bytes()).into_iter().take(8);
    format!("{:016x}", first.fold(0_u64, |bits, byte| bits << 8 | u64::from(byte)))
}

/// The claims of a new token.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewClaims {
    /// Who it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub: Option<String>,
    /// Its own id.
    pub jti: String,
    /// When it is made, in seconds since 1970.
    pub iat: i64,
    /// When it expires, in seconds since 1970.
    pub exp: i64,
    /// What it allows: names separated by spaces.
    pub scope: String,
    /// US dollars a day (UTC); no cap if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// Calls to models a day (UTC); no cap if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_calls: Option<u64>,
}
