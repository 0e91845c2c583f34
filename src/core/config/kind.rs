//! What a key accepts.
//!
//! A [`Kind`] checks a value of the file ([`Kind::accept`]) or raw text from the environment, a
//! flag or `config set` ([`Kind::parse`]). Both give the same JSON value or the same message. It
//! does not know where a value came from, and never echoes secrets.

use serde_json::{Number, Value};
use url::Url;

use crate::redact;

/// What a key accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Any text that is not blank.
    Text,
    /// A text that is never shown.
    Secret,
    /// A command line. Only its program is shown.
    Command,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Yes or no.
    Flag,
    /// A whole number in an inclusive range.
    Whole(u64, u64),
    /// A finite number in an inclusive range.
    Number(f64, f64),
    /// A file or folder. `~/` is the home folder; relative paths start at the configuration file's.
    Path,
    /// As [`Kind::Path`], but not a URL.
    Database,
    /// An `http` or `https` URL without user and password.
    Url,
    /// Non-blank texts, separated by commas in the environment.
    List,
    /// A level, or levels by target: `info,aludel_core::store=debug`.
    LogLevel,
}

/// The most characters of a wrong value to echo.
const ECHO_LENGTH: usize = 40;

impl Kind {
    /// What is expected, for use after "expected".
    pub fn expected(self) -> String {
        match self {
            Self::Text | Self::Secret => "text".to_owned(),
            Self::Command => "a command".to_owned(),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::Flag => "true or false".to_owned(),
            Self::Whole(min, max) => format!("a whole number from {min} to {max}"),
            Self::Number(min, max) if max >= f64::MAX => format!("a number of at least {min}"),
            Self::Number(min, max) => format!("a number from {min} to {max}"),
            Self::Path => "a path".to_owned(),
            Self::Database => "the path of a database file".to_owned(),
            Self::Url => "a URL that begins with http:// or https://".to_owned(),
            Self::List => "a list of texts".to_owned(),
            Self::LogLevel => {
                "error, warn, info, debug or trace, or such by target (info,aludel_core::store=debug)".to_owned()
            }
        }
    }

    /// Checks a value of the file. Null is not a value: callers treat it as absent.
    ///
    /// # Errors
    /// What was expected, what was found, and the fix.
    pub fn accept(self, value: &Value) -> Result<Value, String> {
        match (self, value) {
            (Self::Flag, Value::Bool(_)) => Ok(value.clone()),
            (Self::Whole(..) | Self::Number(..), Value::Number(number)) => self.number(number),
            (Self::List, Value::Array(items)) => self.list(items),
            (Self::Whole(..) | Self::Number(..), Value::String(text)) if self.parse(text).is_ok() => {
                Err(format!("expected {}, got text; remove the quotes around {text}", self.expected()))
            }
            (Self::Whole(..) | Self::Number(..) | Self::List, _) => Err(self.refuse(value)),
            (_, Value::String(text)) => self.parse(text),
            (
                Self::Text | Self::Command | Self::Choice(_) | Self::Path | Self::Database,
                Value::Number(_) | Value::Bool(_),
            ) => Err(format!("{}; put it in quotes", self.refuse(value))),
            _ => Err(self.refuse(value)),
        }
    }

    /// Parses raw text from the environment, a flag or `config set`.
    ///
    /// # Errors
    /// What was expected, what was found, and the fix.
    pub fn parse(self, raw: &str) -> Result<Value, String> {
        let text = raw.trim();
        let refuse = || self.refuse(&Value::String(raw.to_owned()));
        match self {
            Self::Text | Self::Command | Self::Path => not_blank(raw).map(Value::from).ok_or_else(refuse),
            Self::Secret => match not_blank(raw) {
                Some(secret) if !secret.contains(['\n', '\r', '\0']) => Ok(secret.trim().into()),
                Some(_) => Err("expected text of one line".to_owned()),
                None => Err("expected text, got only blanks".to_owned()),
            },
            Self::Choice(words) => match words.iter().find(|word| **word == text) {
                Some(word) => Ok(Value::from(*word)),
                None => Err(refuse()),
            },
            Self::Flag => match text.to_ascii_lowercase().as_str() {
                "true" | "on" | "yes" | "1" => Ok(true.into()),
                "false" | "off" | "no" | "0" => Ok(false.into()),
                _ => Err(refuse()),
            },
            Self::Whole(..) | Self::Number(..) => {
                let whole = text.parse::<u64>().ok().map(Number::from);
                let number = whole.or_else(|| text.parse::<f64>().ok().and_then(Number::from_f64));
                self.number(&number.ok_or_else(refuse)?)
            }
            Self::Database => database(raw).ok_or_else(refuse)?.map(Value::from),
            Self::Url => url(text).ok_or_else(refuse)?.map(Value::from),
            Self::List => {
                let items: Vec<Value> =
                    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(Value::from).collect();
                self.list(&items)
            }
            Self::LogLevel => {
                if is_log_level(text) {
                    Ok(text.into())
                } else {
                    Err(refuse())
                }
            }
        }
    }

    fn number(self, number: &Number) -> Result<Value, String> {
        let refuse = || self.refuse(&Value::Number(number.clone()));
        match self {
            Self::Whole(min, max) => {
                let whole = number.as_u64().or_else(|| number.as_f64().and_then(whole_of));
                let whole = whole.filter(|whole| (min..=max).contains(whole)).ok_or_else(refuse)?;
                Ok(whole.into())
            }
            Self::Number(min, max) => {
                let value = number.as_f64().filter(|value| value.is_finite() && (min..=max).contains(value));
                Ok(value.ok_or_else(refuse)?.into())
            }
            _ => Err(refuse()),
        }
    }

    fn list(self, items: &[Value]) -> Result<Value, String> {
        for (position, item) in items.iter().enumerate() {
            match item {
                Value::String(text) if not_blank(text).is_some() => {}
                other => {
                    return Err(format!("expected {}, but item {} is {}", self.expected(), position + 1, echo(other)));
                }
            }
        }
        Ok(Value::Array(items.to_vec()))
    }

    fn refuse(self, value: &Value) -> String {
        if self == Self::Secret {
            let found = match value {
                Value::Array(_) => "a list",
                Value::Object(_) => "a section",
                Value::String(_) => "a blank one",
                _ => "something else; put it in quotes",
            };
            return format!("expected text, got {found}");
        }
        format!("expected {}, got {}", self.expected(), echo(value))
    }
}

/// The value as shown to people: short, on one line, masked.
fn echo(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a section".to_owned(),
        Value::String(text) if could_be_a_key(text) => format!("a text of {} characters", text.chars().count()),
        Value::String(text) => {
            let masked = redact::mask(text);
            let mut short: String = masked.chars().take(ECHO_LENGTH).collect();
            if short.len() < masked.len() {
                short.push('…');
            }
            format!("{short:?}")
        }
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// True for a text that may be a key. Keys have many shapes, but none is short and few lack
/// letters, digits or both. No other value worth repeating looks like that.
pub(super) fn could_be_a_key(text: &str) -> bool {
    const SHORTEST: usize = 20;
    text.len() >= SHORTEST
        && !text.contains(char::is_whitespace)
        && text.contains(|c: char| c.is_ascii_digit())
        && text.contains(|c: char| c.is_ascii_alphabetic())
}

fn not_blank(text: &str) -> Option<&str> {
    (!text.trim().is_empty()).then_some(text)
}

/// `3.0` counts as the whole number 3.
fn whole_of(value: f64) -> Option<u64> {
    // 2^53: every whole number up to here is exact as a double.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() != 0.0 || !(0.0..=EXACT).contains(&value) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just before")]
    Some(value as u64)
}

/// `None` when blank; the inner error if it is a URL.
fn database(text: &str) -> Option<Result<&str, String>> {
    let path = not_blank(text)?;
    Some(match path.split_once("://") {
        Some(("postgres" | "postgresql", _)) => {
            Err("PostgreSQL is not supported yet; give the path of a SQLite file, or remove the key for the default"
                .to_owned())
        }
        Some((scheme, _)) => Err(format!(
            "expected the path of a database file, got a URL ({}://…)",
            redact::mask(&scheme.chars().take(ECHO_LENGTH).collect::<String>())
        )),
        None => Ok(path),
    })
}

/// `None` if it is not a URL; the inner error if it has a part that is not allowed.
fn url(text: &str) -> Option<Result<&str, String>> {
    let authority_on = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let authority = authority_on.split(['/', '?', '#']).next().filter(|authority| !authority.is_empty())?;
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return None;
    }
    if authority.contains('@') {
        return Some(Err("a URL may hold no user and password; put them under `headers`".to_owned()));
    }
    if authority_on.contains(['?', '#']) {
        return Some(Err("expected a URL without `?` and `#`: paths are appended to it".to_owned()));
    }
    match Url::parse(text) {
        Ok(url) if url.username().is_empty() && url.password().is_none() => Some(Ok(text)),
        Ok(_) => Some(Err("a URL may hold no user and password; put them under `headers`".to_owned())),
        // The parser's messages quote nothing: "invalid IPv6 address", "invalid port number".
        Err(error) => {
            Some(Err(format!("expected a URL that begins with http:// or https://; this one has an {error}")))
        }
    }
}

/// True for a level, or comma-separated `target=level` and levels.
fn is_log_level(text: &str) -> bool {
    !text.is_empty()
        && text.split(',').all(|directive| {
            let directive = directive.trim();
            let (target, level) = directive.rsplit_once('=').unwrap_or(("any", directive));
            let known = ["off", "error", "warn", "info", "debug", "trace"];
            known.iter().any(|known| level.eq_ignore_ascii_case(known))
                && !target.is_empty()
                && target.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-'))
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn wrong_values_say_what_was_expected_and_what_was_found() {
        let count = Kind::Whole(1, 100);
        for (value, message) in [
            (json!("many"), r#"expected a whole number from 1 to 100, got "many""#),
            (json!(0), "expected a whole number from 1 to 100, got 0"),
            (json!(101), "expected a whole number from 1 to 100, got 101"),
            (json!(-1), "expected a whole number from 1 to 100, got -1"),
            (json!(2.5), "expected a whole number from 1 to 100, got 2.5"),
            (json!("5"), "expected a whole number from 1 to 100, got text; remove the quotes around 5"),
            (json!([1]), "expected a whole number from 1 to 100, got a list"),
        ] {
            assert_eq!(count.accept(&value).unwrap_err(), message);
        }
        assert_eq!(count.accept(&json!(3.0)), Ok(json!(3)));
        assert_eq!(Kind::Text.accept(&json!(4.1)).unwrap_err(), "expected text, got 4.1; put it in quotes");
        assert_eq!(Kind::List.accept(&json!(["a", 1])).unwrap_err(), "expected a list of texts, but item 2 is 1");
    }

    #[test]
    fn numbers_must_be_finite() {
        let temperature = Kind::Number(0.0, 2.0);
        for raw in ["NaN", "inf", "-inf", "1e999", "2.1", "-0.1", ""] {
            assert!(temperature.parse(raw).is_err(), "{raw}");
        }
        assert_eq!(temperature.parse(" 1.5 "), Ok(json!(1.5)));
    }

    #[test]
    fn switches_take_the_usual_words() {
        for (raw, flag) in [("true", true), ("ON", true), ("yes", true), ("1", true), ("off", false), ("0", false)] {
            assert_eq!(Kind::Flag.parse(raw), Ok(json!(flag)));
        }
        assert!(Kind::Flag.parse("maybe").is_err());
    }

    #[test]
    fn a_secret_is_never_echoed() {
        for value in [json!(["canary"]), json!({"canary": 1}), json!(12_345), json!("canary\ncanary")] {
            let message = Kind::Secret.accept(&value).unwrap_err();
            assert!(!message.contains("canary") && !message.contains("12345"), "{message}");
        }
    }

    #[test]
    fn a_key_in_the_wrong_place_is_masked() {
        for key in ["sk-proj-canarycanary", "canary+8f31cc42aa/17d0"] {
            let message = Kind::Whole(0, 10).accept(&json!(key)).unwrap_err();
            assert!(!message.contains("canary"), "{message}");
        }
        let message = Kind::Whole(0, 10).accept(&json!("a day or 2, whatever comes first")).unwrap_err();
        assert!(message.contains("whatever"), "{message}");
    }

    #[test]
    fn databases_are_files() {
        let message = Kind::Database.parse("postgres://me:pa55@host/db").unwrap_err();
        assert!(message.contains("PostgreSQL is not supported yet") && !message.contains("pa55"));
        assert!(Kind::Database.parse("http://x").is_err());
        assert!(Kind::Database.parse("notes/a.db").is_ok());
    }

    #[test]
    fn urls_hold_no_credentials() {
        assert!(Kind::Url.parse("https://api.example.com/v1/").is_ok());
        assert!(Kind::Url.parse("http://127.0.0.1:8080").is_ok());
        for wrong in ["api.example.com", "https://", "ftp://x", "https://a b", "https://x/?q=1"] {
            assert!(Kind::Url.parse(wrong).is_err(), "{wrong}");
        }
        let message = Kind::Url.parse("https://me:pa55@host").unwrap_err();
        assert!(message.contains("headers") && !message.contains("pa55"), "{message}");
    }

    #[test]
    fn an_address_that_cannot_be_reached_is_no_url() {
        for (wrong, why) in [
            ("http://[::1", "invalid IPv6 address"),
            ("http://[canary]", "invalid IPv6 address"),
            ("http://1.2.3.256", "invalid IPv4 address"),
            ("http://host:99999/v1", "invalid port number"),
            ("http://host:port", "invalid port number"),
            ("http://a%00b", "invalid"),
        ] {
            let message = Kind::Url.parse(wrong).unwrap_err();
            assert!(message.contains(why) && !message.contains("canary"), "{wrong}: {message}");
        }
        for right in ["http://[::1]:8000/v1", "http://localhost.", "http://127.1", "https://bücher.example/v1"] {
            assert_eq!(Kind::Url.parse(right), Ok(json!(right)));
        }
    }

    #[test]
    fn levels_may_be_given_by_target() {
        for right in ["info", "WARN", "off", "info,aludel_core::store=debug", "a=trace, b=off"] {
            assert!(Kind::LogLevel.parse(right).is_ok(), "{right}");
        }
        for wrong in ["loud", "", "info,", "=debug", "a b=info"] {
            assert!(Kind::LogLevel.parse(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn what_is_parsed_is_accepted_again_unchanged(raw in "[ -~]{0,30}", pick in 0usize..8) {
            let kind = [
                Kind::Text, Kind::Secret, Kind::Flag, Kind::Whole(0, 50), Kind::Number(-1.0, 1.0), Kind::Database,
                Kind::Url, Kind::List,
            ][pick];
            if let Ok(value) = kind.parse(&raw) {
                prop_assert_eq!(kind.accept(&value), Ok(value));
            }
        }
    }
}
