//! Masks keys and tokens in texts that people or logs will see.
//!
//! Masks secrets registered with [`register`] (every key the configuration loaded), matched
//! exactly, and patterns that ordinary text does not have, such as `sk-…`, `Bearer …`,
//! `x-api-key: …`, or user and password in a URL. A pattern may mask too much, never too little.
//! There are no regular expressions, because local commands must start in a millisecond. No I/O.

use std::borrow::Cow;
use std::sync::{PoisonError, RwLock};

use memchr::memmem::Finder;

use crate::visited::visit;

/// The replacement of a masked secret.
pub const MASK: &str = "***";

/// Shorter registered secrets are not matched, because they would mask ordinary words.
const SHORTEST_REGISTERED: usize = 8;

/// Key prefixes as documented (OpenAI and Anthropic `sk-`, Google `AIza`, GitHub `gh?_`, Groq
/// `gsk_`, xAI `xai-`, Hugging Face `hf_`, JSON web tokens `eyJ`), and the least length after them.
const PREFIXES: [(&str, usize); 11] = [
    ("sk-", 8),
    ("sk_", 8),
    ("AIza", 16),
    ("ghp_", 16),
    ("gho_", 16),
    ("ghs_", 16),
    ("github_pat_", 16),
    ("gsk_", 16),
    ("xai-", 16),
    ("hf_", 16),
    ("eyJ", 24),
];

/// Names whose value is secret, in headers, JSON and query strings; case-insensitive.
const NAMES: [&str; 8] =
    ["x-api-key", "x-goog-api-key", "api-key", "api_key", "apikey", "authorization", "password", "access_token"];

/// Authorization schemes, and how to recognise a credential after one without a header name:
/// "basic understanding" is an ordinary phrase, but base64 has capitals or digits.
const SCHEMES: [(&str, IsCredential); 2] = [
    ("bearer ", |_| true),
    ("basic ", |value| value.bytes().any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'=')),
];

/// Whether a word after a scheme is a credential.
type IsCredential = fn(&str) -> bool;

static REGISTERED: RwLock<Vec<Finder<'static>>> = RwLock::new(Vec::new());

/// The bytes that a pattern can begin with: no other is looked at twice.
const BEGINNINGS: [bool; 256] = {
    let mut beginnings = [false; 256];
    beginnings[b':' as usize] = true;
    let mut at = 0;
    while at < PREFIXES.len() {
        beginnings[PREFIXES[at].0.as_bytes()[0] as usize] = true;
        at += 1;
    }
    let mut at = 0;
    while at < SCHEMES.len() + NAMES.len() {
        let word = if at < SCHEMES.len() { SCHEMES[at].0 } else { NAMES[at - SCHEMES.len()] };
        beginnings[word.as_bytes()[0].to_ascii_lowercase() as usize] = true;
        beginnings[word.as_bytes()[0].to_ascii_uppercase() as usize] = true;
        at += 1;
    }
    beginnings
};

/// Masks `secret` wherever it appears from now on, also in its Rust and JSON escapes. One shorter
/// than eight bytes is left to the patterns.
pub fn register(secret: &str) {
    let secret = secret.trim();
    if secret.len() < SHORTEST_REGISTERED {
        return;
    }
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    let escaped = secret.escape_debug().to_string();
    for spelling in [secret, escaped.as_str()] {
        if !registered.iter().any(|known| known.needle() == spelling.as_bytes()) {
            registered.push(Finder::new(spelling).into_owned());
        }
    }
}

/// True for a name whose value is secret, such as `x-api-key` or `authorization`.
pub fn is_secret_name(name: &str) -> bool {
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Masks every secret in the text; borrows it if there is none.
pub fn mask(text: &str) -> Cow<'_, str> {
    let mut spans = spans_by_shape(text);
    for secret in REGISTERED.read().unwrap_or_else(PoisonError::into_inner).iter() {
        let length = secret.needle().len();
        spans.extend(secret.find_iter(text.as_bytes()).map(|start| (start, start + length)));
    }
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    // Both scan the original text: masking by one first could hide half a secret from the other.
    spans.sort_unstable();
    let mut output = String::with_capacity(text.len());
    let mut copied = 0;
    for (start, end) in spans {
        if start >= copied {
            output.push_str(&text[copied..start]);
            output.push_str(MASK);
        }
        copied = copied.max(end);
    }
    output.push_str(&text[copied..]);
    Cow::Owned(output)
}

/// The spans of secrets that match a pattern, from left to right.
fn spans_by_shape(text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut at = 0;
    while at < text.len() {
        // All beginnings are ASCII, so that `at` is between two characters where one stands.
        match BEGINNINGS[usize::from(text.as_bytes()[at])].then(|| secret_at(text, at)).flatten() {
            Some(span) => {
                spans.push(span);
                at = span.1;
            }
            None => at += 1,
        }
    }
    spans
}

/// The span of the secret that a pattern at byte `at` announces, if any.
fn secret_at(text: &str, at: usize) -> Option<(usize, usize)> {
    let rest = &text[at..];
    let first = *rest.as_bytes().first()?;
    if first == b':' && rest.starts_with("://") {
        return credentials_of_url(text, at + 3);
    }
    if !first.is_ascii_alphabetic() || text[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    for (prefix, tail) in PREFIXES {
        if let Some(tail_on) = rest.strip_prefix(prefix) {
            let length = run_length(tail_on, is_key_character);
            if length >= tail {
                return Some((at, at + prefix.len() + length));
            }
        }
    }
    for (scheme, is_credential) in SCHEMES {
        if starts_without_case(rest, scheme) {
            let value = &rest[scheme.len()..];
            let length = run_length(value, is_key_character);
            if length >= 8 && is_credential(&value[..length]) {
                return Some((at + scheme.len(), at + scheme.len() + length));
            }
        }
    }
    NAMES.iter().find(|name| starts_without_case(rest, name)).and_then(|name| value_after(text, at + name.len()))
}

/// The span of the value after a name: past quotes, `:` or `=` and spaces, up to a space, quote or
/// comma. For `authorization` the scheme is kept and the credential masked.
fn value_after(text: &str, at: usize) -> Option<(usize, usize)> {
    let rest = &text[at..];
    let announced = run_length(rest, |c| matches!(c, '"' | '\'' | '\\' | ' ' | ':' | '='));
    if !rest[..announced].contains([':', '=']) {
        return None;
    }
    let mut start = at + announced;
    for (scheme, _) in SCHEMES {
        if starts_without_case(&text[start..], scheme) {
            start += scheme.len();
        }
    }
    let length = run_length(&text[start..], |c| !c.is_whitespace() && !matches!(c, '"' | '\'' | ',' | '&' | '\\'));
    if length == 0 || text[start..].starts_with(MASK) || text[start..].starts_with("${") {
        return None;
    }
    Some((start, start + length))
}

/// The span of `user:password` in a URL whose authority begins at `at`.
fn credentials_of_url(text: &str, at: usize) -> Option<(usize, usize)> {
    let authority = run_length(&text[at..], |c| !c.is_whitespace() && !matches!(c, '/' | '?' | '#' | '"' | '\'' | '`'));
    let end = at + text[at..at + authority].rfind('@')?;
    (end > at && &text[at..end] != MASK).then_some((at, end))
}

fn is_key_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+' | '=' | '~')
}

/// The number of leading bytes of `text` whose characters satisfy `belongs`.
fn run_length(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    let length = text.find(|c| !belongs(c)).unwrap_or(text.len());
    visit(length);
    length
}

fn starts_without_case(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn shapes_of_keys_are_masked() {
        for (text, expected) in [
            ("key sk-proj-abcdefgh12345 used", "key *** used"),
            ("Authorization: Bearer abcdefgh12345", "Authorization: Bearer ***"),
            (r#"{"x-api-key": "hunter2hunter2"}"#, r#"{"x-api-key": "***"}"#),
            ("GET /v1?api_key=abc&x=1", "GET /v1?api_key=***&x=1"),
            ("postgres://me:pa55@host/db", "postgres://***@host/db"),
            ("token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "token ***"),
            ("Basic dXNlcjpwYXNz", "Basic ***"),
            ("AIzaSyA1234567890abcdef1234", "***"),
        ] {
            assert_eq!(mask(text), expected, "{text}");
        }
    }

    #[test]
    fn honest_texts_are_left_alone() {
        for text in [
            "generation.default_count: expected a whole number",
            "a task-list with desk-chair",
            "https://api.example.com/v1",
            "the bearer of news",
            "a basic understanding",
            "api_key: ${OPENAI_API_KEY}",
            "mail me@example.com",
        ] {
            assert!(matches!(mask(text), Cow::Borrowed(_)), "{text} became {}", mask(text));
        }
    }

    #[test]
    fn registered_secrets_are_masked_to_the_letter_and_as_they_are_escaped() {
        register("hunter2-of-the-redact-test");
        assert_eq!(mask("it was hunter2-of-the-redact-test."), "it was ***.");
        register("quoted\"of-the-redact-test");
        assert_eq!(mask(&format!("{:?}", "quoted\"of-the-redact-test")), "\"***\"");
    }

    #[test]
    fn a_secret_within_a_secret_leaves_nothing_of_either() {
        register("sk-overlap1");
        register("overlap1 and overlap2");
        assert_eq!(mask("x sk-overlap1234567 y"), "x *** y");
        assert_eq!(mask("x sk-overlap1 and overlap2 y"), "x *** y");
    }

    #[test]
    fn names_of_secrets_are_known_in_any_case() {
        assert!(is_secret_name("X-Api-Key") && is_secret_name("authorization") && !is_secret_name("model"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn masking_is_total_and_settles_at_once(text in ".{0,60}(sk-|://|api_key[:=]|Bearer )?.{0,60}") {
            let once = mask(&text).into_owned();
            prop_assert_eq!(mask(&once).into_owned(), once);
        }

        #[test]
        fn a_key_is_masked_wherever_it_stands(before in "[ a-z(\"]{0,20}", after in "[ ,\")]{0,5}", key in "[a-zA-Z0-9]{16,40}") {
            let text = format!("{before} sk-{key}{after}");
            prop_assert!(!mask(&text).contains(&key));
        }
    }
}
