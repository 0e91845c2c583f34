//! Percent-encoding for path segments and query values (RFC 3986, section 2.3).

use std::fmt::Write;

/// Encodes all but letters, digits, `-`, `.`, `_` and `~`: `text` becomes one segment or value.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            // Writing to a `String` cannot fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_unreserved_stay_as_they_are() {
        assert_eq!(escape("gemini-2.5_flash~1"), "gemini-2.5_flash~1");
        assert_eq!(escape("../a?b=c&d#é%"), "..%2Fa%3Fb%3Dc%26d%23%C3%A9%25");
    }
}
