//! Decides whether a request may pass: its token, and the scope of its route.
//!
//! Every route but the probes needs a token with at least the scope `read` when `server.auth` is on;
//! the operation of a route decides which ([`operation::scope_of`]). An operation that needs more for
//! some of its requests checks that itself (`Engine::require`). Comes before the rate limit, so that a
//! client is limited by its token; a request without a valid one counts for its address.

use aludel_core::error::{Result, TokenError};
use aludel_core::operation;
use axum::extract::Request;

use super::App;
use super::routes::Route;
use crate::server::auth;

/// Checks a request, and puts the bearer of its token into its context.
///
/// # Errors
/// `unauthorized`; `forbidden` for a token without the scope of the route; `invalid_request` for
/// more than one `Authorization` header.
pub(super) fn check(app: &App, request: &mut Request, route: &Route) -> Result<()> {
    if !app.engine().needs_token() {
        let is_closed = operation::always_needs_token(route.operation);
        return if is_closed { Err(TokenError::Unverifiable.into()) } else { Ok(()) };
    }
    auth::authorize(app.engine(), request, operation::scope_of(route.operation))
}
