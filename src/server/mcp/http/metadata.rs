//! What a client without a token can learn about getting one: the metadata of this server as a
//! protected resource (RFC 9728), and where a refusal points to it.
//!
//! Names the server as its client does, by `Host`, and by `X-Forwarded-Proto` if a proxy ends TLS:
//! the document is only about the URL that it was asked at. There is no authorization server: the
//! operator makes tokens with `aludel token`.

use aludel_core::domain::Scope;
use axum::Json;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::PATH;

/// Where the metadata of the whole host is (RFC 9728, section 3).
pub(super) const OF_HOST: &str = "/.well-known/oauth-protected-resource";
/// Where the metadata of [`PATH`] is.
pub(super) const OF_PATH: &str = "/.well-known/oauth-protected-resource/mcp";

const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The document, for a client that sent these headers.
pub(super) fn document(headers: &HeaderMap) -> Response {
    let document = json!({
        "resource": format!("{}{PATH}", base(headers).unwrap_or_default()),
        "resource_name": "aludel",
        "bearer_methods_supported": ["header"],
        "scopes_supported": Scope::ALL.map(Scope::as_str),
    });
    Json(document).into_response()
}

/// Adds the place of the document to a challenge (RFC 9728, section 5.1).
pub(super) fn add_to(challenge: &HeaderValue, headers: &HeaderMap) -> Option<HeaderValue> {
    let challenge = challenge.to_str().ok()?;
    let text = match base(headers) {
        Some(base) => format!("{challenge}, resource_metadata=\"{base}{OF_PATH}\""),
        None => challenge.to_owned(),
    };
    HeaderValue::try_from(text).ok()
}

/// The scheme and host that the client used. The guard has let `Host` pass, so it is one.
fn base(headers: &HeaderMap) -> Option<String> {
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let is_https = headers.get(FORWARDED_PROTO).is_some_and(|scheme| scheme == "https");
    Some(format!("{}://{host}", if is_https { "https" } else { "http" }))
}
