//! Request ids: `X-Request-Id` in both directions, in error bodies and in the log.
//!
//! A client's own id is used if it is a plain word, so that its log and ours can be matched; any
//! other is replaced. An id cannot forge a line of the log.

use aludel_core::ids::{IdSource, SystemIds};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// The header, in both directions.
pub(in crate::server) const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// Longest id accepted from a client, in characters.
const MOST_CHARS: usize = 128;

/// The client's id for its request if it is a plain word, else a new UUIDv7.
///
/// A plain word is 1..=128 letters, digits, `-`, `_`, `.`, `:`, `/`, `+`, `=` and `@`.
pub(in crate::server) fn of(headers: &HeaderMap) -> String {
    headers
        .get(HEADER)
        .and_then(|value| value.to_str().ok())
        .filter(|text| is_plain(text))
        .map_or_else(|| SystemIds.next().to_string(), str::to_owned)
}

/// The id as a header value.
pub(in crate::server) fn value(id: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(id).ok()
}

fn is_plain(text: &str) -> bool {
    (1..=MOST_CHARS).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:/+=@".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(id: &str) -> String {
        of(&HeaderMap::from_iter([(HEADER, id.parse().unwrap())]))
    }

    #[test]
    fn a_plain_name_is_kept() {
        assert_eq!(given("job-7/step:2"), "job-7/step:2");
        assert_eq!(given(&"x".repeat(128)).len(), 128);
    }

    #[test]
    fn any_other_name_is_replaced() {
        for bad in ["", "two words", "a\"b", &"x".repeat(129)] {
            let id = given(bad);
            assert_eq!(id.len(), 36, "{bad}");
        }
        assert_ne!(of(&HeaderMap::new()), of(&HeaderMap::new()));
    }
}
