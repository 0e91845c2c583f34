//! A text that must never be shown: keys, tokens, header values.
//!
//! Debug, Display and Serialize all write [`REDACTED`], so a secret cannot leak by being printed,
//! logged or exported. Only [`Secret::expose`] returns the text; it is called only where a header
//! is built. The memory is wiped when the last copy is dropped.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Written in place of a secret. The loader treats it as "not given", so an exported file with
/// redacted secrets never sends it to a provider.
pub const REDACTED: &str = "<redacted>";

/// A text that is never printed or serialised.
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(SecretString::from(text.into()))
    }

    /// The text itself. For headers and signatures; never for messages.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// True when it is empty.
    pub fn is_empty(&self) -> bool {
        self.expose().is_empty()
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(REDACTED)
    }
}

/// Compares the texts, not in constant time: for configurations, not for checking credentials.
impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Eq for Secret {}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(REDACTED)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_itself_only_when_exposed() {
        let secret = Secret::from("sk-canary");
        let shown = format!("{secret:?} {secret} {}", serde_json::to_string(&secret).unwrap());
        assert!(!shown.contains("canary"));
        assert_eq!(secret.expose(), "sk-canary");
    }
}
