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

/// The id of a request: a plain word, which is a value of the header too. Clones share it.
#[derive(Debug, Clone)]
pub(in crate::server) struct RequestId(HeaderValue);

impl RequestId {
    /// As text.
    pub(in crate::server) fn as_str(&self) -> &str {
        // It is visible ASCII.
        self.0.to_str().unwrap_or_default()
    }
}

impl From<RequestId> for HeaderValue {
    fn from(id: RequestId) -> Self {
        id.0
    }
}

/// The client's id for its request if it is a plain word, else a new UUIDv7.
///
/// A plain word is 1..=128 letters, digits, `-`, `_`, `.`, `:`, `/`, `+`, `=` and `@`.
pub(in crate::server) fn of(headers: &HeaderMap) -> RequestId {
    let own = headers.get(HEADER).filter(|value| value.to_str().is_ok_and(is_plain));
    RequestId(own.cloned().unwrap_or_else(made))
}

fn made() -> HeaderValue {
    let mut text = uuid::Uuid::encode_buffer();
    let text = SystemIds.next().hyphenated().encode_lower(&mut text);
    // Hexadecimal digits and hyphens make a header.
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static("unknown"))
}

fn is_plain(text: &str) -> bool {
    (1..=MOST_CHARS).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:/+=@".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(id: &str) -> String {
        of(&HeaderMap::from_iter([(HEADER, id.parse().unwrap())])).as_str().to_owned()
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
        assert_ne!(of(&HeaderMap::new()).as_str(), of(&HeaderMap::new()).as_str());
    }
}
