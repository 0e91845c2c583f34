//! The headers that every answer has for the sake of browsers.
//!
//! Answers are data: never a page that runs something, is framed, or is taken for another type than
//! it says. They are not stored by caches, except that a browser may keep what has an `ETag` and ask
//! whether it still holds. A header that a handler has set stays.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

const FIXED: [(HeaderName, HeaderValue); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
];

/// Adds those that are missing.
pub(in crate::server) fn complete(headers: &mut HeaderMap) {
    for (name, value) in FIXED {
        headers.entry(name).or_insert(value);
    }
    let caching = if headers.contains_key(header::ETAG) { "private, no-cache" } else { "no-store" };
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static(caching));
}
