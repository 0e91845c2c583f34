//! Compresses answers for clients that accept gzip (RFC 9110, section 12.5.3).
//!
//! Only texts that are worth it: JSON, and the pages and figures for people. Never events, which
//! would be held back. An `ETag` stays as it is, since clients send it back in `If-Match`.

use axum::body::{Body, HttpBody};
use axum::http::{HeaderMap, Request, Response, header};
use tower::ServiceExt;
use tower_http::compression::Compression;

/// Smaller answers are sent as they are: they fit in one packet either way.
const LEAST_BYTES: u64 = 1024;
/// The beginnings of media types that are compressed.
const COMPRESSED: [&str; 8] = [
    "application/json",
    "application/problem+json",
    "application/x-ndjson",
    "application/yaml",
    "text/csv",
    "text/html",
    "text/markdown",
    "text/plain",
];

/// True for a client that accepts gzip.
pub(super) fn is_accepted(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let is_refused = quality.is_some_and(|quality| quality.parse::<f32>().is_ok_and(|quality| quality <= 0.0));
        (name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip")) && !is_refused
    })
}

/// Compresses an answer if it is worth it.
pub(super) async fn compress(answer: Response<Body>) -> Response<Body> {
    let is_large = answer.body().size_hint().exact().is_none_or(|length| length >= LEAST_BYTES);
    let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !is_large || !COMPRESSED.iter().any(|compressed| kind.starts_with(compressed)) {
        return answer;
    }
    // The library compresses the answers of a service, so this one is made the answer of a service.
    let mut answer = Some(answer);
    let service = tower::service_fn(move |_: Request<Body>| {
        std::future::ready(Ok::<_, std::convert::Infallible>(answer.take().unwrap_or_default()))
    });
    let mut request = Request::new(Body::empty());
    request.headers_mut().insert(header::ACCEPT_ENCODING, header::HeaderValue::from_static("gzip"));
    match Compression::new(service).oneshot(request).await {
        Ok(compressed) => compressed.map(Body::new),
        Err(never) => match never {},
    }
}
