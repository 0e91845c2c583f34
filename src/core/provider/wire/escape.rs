//! Percent-encoding of what becomes part of a path or a query (RFC 3986, section 2.3).

use std::fmt::Write;

/// `text` with all but letters, digits, `-`, `.`, `_` and `~` encoded, so that it is one segment of a path, or one value
/// of a query, and nothing else.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            // Writing to a String does not fail.
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
