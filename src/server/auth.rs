//! Authentication of the HTTP servers: REST, and MCP over HTTP.
//!
//! Finds the bearer token of a request (RFC 6750, section 2.1: in one `Authorization` header, never
//! in the URL or the body), has the core verify it, and says in `WWW-Authenticate` what a refused
//! client needs (section 3). Knows no routes.

use aludel_core::auth::Bearer;
use aludel_core::domain::Scope;
use aludel_core::engine::{Engine, RequestContext};
use aludel_core::error::{Error, Result, TokenError};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderValue, Request};

/// The scheme, compared without regard to case (RFC 9110, section 11.1).
const BEARER: &str = "bearer";

/// Verifies the token of a request, puts its bearer into the request's context, and checks that the
/// token allows what needs `needed`. Nothing behind this sees the token.
///
/// # Errors
/// `unauthorized`; `forbidden`; `invalid_request` for more than one `Authorization` header.
pub(super) fn authorize<B>(engine: &Engine, request: &mut Request<B>, needed: Scope) -> Result<()> {
    let verified = token_in(request.headers()).and_then(|token| engine.verify_token(token));
    request.headers_mut().remove(AUTHORIZATION);
    let Bearer { caller, scopes } = verified?;
    let mut context = request.extensions().get::<RequestContext>().cloned().unwrap_or_default();
    (context.caller, context.scopes) = (Some(caller), Some(scopes));
    let checked = engine.with_context(context.clone()).require(needed);
    request.extensions_mut().insert(context);
    checked
}

/// The token that the headers hold.
fn token_in(headers: &HeaderMap) -> Result<&str, TokenError> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().ok_or(TokenError::Missing)?;
    if values.next().is_some() {
        return Err(TokenError::Repeated);
    }
    let text = value.to_str().map_err(|_| TokenError::Scheme)?;
    let (scheme, token) = text.split_once(' ').ok_or(TokenError::Scheme)?;
    let token = token.trim_matches(' ');
    // The characters of a token (RFC 6750, section 2.1), which a comma or a parameter is not.
    let is_token =
        !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte));
    if scheme.eq_ignore_ascii_case(BEARER) && is_token { Ok(token) } else { Err(TokenError::Scheme) }
}

/// The `WWW-Authenticate` header for an error, if it has one (RFC 6750, section 3).
pub(super) fn challenge(error: &Error) -> Option<HeaderValue> {
    match error {
        // A client that sent no token is told no error.
        Error::Token(TokenError::Missing | TokenError::Unverifiable) => {
            Some(HeaderValue::from_static("Bearer realm=\"aludel\""))
        }
        Error::Token(TokenError::Repeated) => {
            Some(HeaderValue::from_static("Bearer realm=\"aludel\", error=\"invalid_request\""))
        }
        Error::Token(_) => Some(HeaderValue::from_static("Bearer realm=\"aludel\", error=\"invalid_token\"")),
        Error::Scope { needed } => {
            HeaderValue::try_from(format!("Bearer realm=\"aludel\", error=\"insufficient_scope\", scope=\"{needed}\""))
                .ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: &[&'static str]) -> Result<String, TokenError> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_static(value));
        }
        token_in(&headers).map(str::to_owned)
    }

    #[test]
    fn a_token_is_found_behind_its_scheme() {
        for value in ["Bearer a.b-c_d.e", "bearer a.b-c_d.e", "BEARER   a.b-c_d.e "] {
            assert_eq!(found(&[value]).as_deref(), Ok("a.b-c_d.e"), "{value}");
        }
    }

    #[test]
    fn other_headers_hold_no_token() {
        assert_eq!(found(&[]), Err(TokenError::Missing));
        assert_eq!(found(&["Bearer a", "Bearer a"]), Err(TokenError::Repeated));
        for value in [
            "",
            "Bearer",
            "Bearer ",
            "Basic YTpi",
            "Bearer a b",
            "Bearer a,Bearer b",
            "Bearer a, b",
            "Bearer\ta",
            "a.b.c",
        ] {
            assert_eq!(found(&[value]), Err(TokenError::Scheme), "{value:?}");
        }
    }
}
