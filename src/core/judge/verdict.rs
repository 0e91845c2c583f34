//! What a judge may reply: reasons, and one of five grades. Anything else is no verdict.

use serde::Deserialize;
use serde_json::{Value, json};

/// A graded verdict on two candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Verdict {
    /// The first is clearly better.
    #[serde(rename = "A>>B")]
    FirstClearly,
    /// The first is slightly better.
    #[serde(rename = "A>B")]
    First,
    /// No difference that matters.
    #[serde(rename = "=")]
    Even,
    /// The second is slightly better.
    #[serde(rename = "B>A")]
    Second,
    /// The second is clearly better.
    #[serde(rename = "B>>A")]
    SecondClearly,
}

impl Verdict {
    /// The grade as a margin, -1..=1; positive favours the first.
    pub const fn margin(self) -> f64 {
        match self {
            Self::FirstClearly => 1.0,
            Self::First => 0.5,
            Self::Even => 0.0,
            Self::Second => -0.5,
            Self::SecondClearly => -1.0,
        }
    }
}

/// A whole reply.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reply {
    /// Why, in words.
    pub(super) reasons: String,
    /// The grade.
    pub(super) verdict: Verdict,
}

/// Reads a reply strictly: one JSON object, in a code fence at most.
///
/// # Errors
/// What is wrong with it, for the one repair.
pub(super) fn parse(text: &str) -> Result<Reply, String> {
    let bare = text.trim();
    let bare = bare.strip_prefix("```json").or_else(|| bare.strip_prefix("```")).unwrap_or(bare);
    let bare = bare.strip_suffix("```").unwrap_or(bare).trim();
    let reply: Reply = serde_json::from_str(bare).map_err(|error| error.to_string())?;
    if reply.reasons.trim().is_empty() {
        return Err("`reasons` is empty".into());
    }
    Ok(reply)
}

/// The JSON Schema of a reply; reasons first, so that the verdict follows from them.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "reasons": { "type": "string" },
            "verdict": { "type": "string", "enum": ["A>>B", "A>B", "=", "B>A", "B>>A"] }
        },
        "required": ["reasons", "verdict"],
        "additionalProperties": false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_read_bare_or_fenced() {
        for text in
            [r#"{"reasons": "r", "verdict": "A>>B"}"#, "```json\n{\"reasons\": \"r\", \"verdict\": \"A>>B\"}\n```"]
        {
            assert_eq!(parse(text).unwrap().verdict, Verdict::FirstClearly);
        }
    }

    #[test]
    fn anything_else_is_no_verdict() {
        for text in [
            "",
            "A",
            r#"{"verdict": "A>B"}"#,
            r#"{"reasons": " ", "verdict": "A>B"}"#,
            r#"{"reasons": "r", "verdict": "A"}"#,
            r#"{"reasons": "r", "verdict": "=", "score": 3}"#,
            r#"{"reasons": "r", "verdict": "="} and more"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
