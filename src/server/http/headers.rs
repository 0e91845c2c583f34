//! The headers that every answer has for the sake of browsers, and how long a client should wait.
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

/// A wait in seconds for `Retry-After`, which takes whole numbers: rounded up, at least one.
pub(in crate::server) fn retry_after(wait: f64) -> HeaderValue {
    HeaderValue::from(whole_seconds(wait))
}

fn whole_seconds(wait: f64) -> u64 {
    std::time::Duration::try_from_secs_f64(wait.ceil()).map_or(1, |wait| wait.as_secs().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_times_are_whole_seconds_and_never_none() {
        assert_eq!([0.0, 0.2, 1.0, 1.01, 59.5].map(whole_seconds), [1, 1, 1, 2, 60]);
        assert_eq!([-1.0, f64::NAN, f64::INFINITY].map(whole_seconds), [1, 1, 1]);
    }
}
