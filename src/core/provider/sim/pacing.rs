//! The timing of an answer's pieces: the wait for the first, and the interval of the rest.
//!
//! Times are measured from the request, so rounding does not add up. The clock is tokio's, which
//! tests pause. Without pacing an answer comes at once, in small pieces.

use std::num::NonZeroUsize;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

use super::strict;
use crate::text::tokens;

/// The longest wait a script can configure: a day.
const LONGEST: Duration = Duration::from_hours(24);

/// The timing of an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pacing {
    first_token: Duration,
    beat: Beat,
    chunk_chars: NonZeroUsize,
}

/// Determines the interval between two pieces.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Beat {
    AtOnce,
    Every(Duration),
    TokensPerSecond(f64),
}

/// Characters per piece: about four tokens.
const CHUNK_CHARS: NonZeroUsize = match NonZeroUsize::new(16) {
    Some(chars) => chars,
    None => NonZeroUsize::MIN,
};

impl Default for Pacing {
    fn default() -> Self {
        Self { first_token: Duration::ZERO, beat: Beat::AtOnce, chunk_chars: CHUNK_CHARS }
    }
}

/// A piece of an answer and when it is due, measured from the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    pub(super) due: Duration,
}

impl Pacing {
    /// The delay before the first token, or before a failure in its place.
    pub(super) fn first_token(&self) -> Duration {
        self.first_token
    }

    /// Splits `text` into pieces, due after the first-token delay and then at the interval.
    pub(super) fn pieces<'a>(&self, text: &'a str) -> Vec<Piece<'a>> {
        let per_char = match self.beat {
            Beat::TokensPerSecond(rate) => tokens::estimate(text) as f64 / rate / text.chars().count().max(1) as f64,
            Beat::AtOnce | Beat::Every(_) => 0.0,
        };
        let mut pieces = Vec::new();
        let mut due = self.first_token.as_secs_f64();
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.char_indices().nth(self.chunk_chars.get()).map_or(rest.len(), |(at, _)| at);
            let (piece, tail) = rest.split_at(end);
            if !pieces.is_empty() {
                due += match self.beat {
                    Beat::AtOnce => 0.0,
                    Beat::Every(wait) => wait.as_secs_f64(),
                    Beat::TokensPerSecond(_) => per_char * piece.chars().count() as f64,
                };
            }
            let due = Duration::try_from_secs_f64(due).unwrap_or(LONGEST).min(LONGEST);
            pieces.push(Piece { text: piece, due });
            rest = tail;
        }
        pieces
    }
}

/// The script's form of a pacing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PacingFields {
    first_token_ms: Option<u64>,
    tokens_per_s: Option<f64>,
    chunk_chars: Option<NonZeroUsize>,
    chunk_ms: Option<u64>,
}

impl PacingFields {
    fn check(self) -> Result<Pacing, String> {
        let wait = |name: &str, millis: u64| match Duration::from_millis(millis) {
            wait if wait <= LONGEST => Ok(wait),
            _ => Err(format!("`{name}` is {millis}, expected at most {} (a day)", LONGEST.as_millis())),
        };
        let beat = match (self.tokens_per_s, self.chunk_ms) {
            (Some(_), Some(_)) => {
                return Err("`tokens_per_s` and `chunk_ms` both set the beat, give one of them".into());
            }
            (Some(rate), None) if rate > 0.0 && rate.is_finite() => Beat::TokensPerSecond(rate),
            (Some(rate), None) => return Err(format!("`tokens_per_s` is {rate}, expected a number above 0")),
            (None, Some(millis)) => Beat::Every(wait("chunk_ms", millis)?),
            (None, None) => Beat::AtOnce,
        };
        Ok(Pacing {
            first_token: wait("first_token_ms", self.first_token_ms.unwrap_or(0))?,
            beat,
            chunk_chars: self.chunk_chars.unwrap_or(CHUNK_CHARS),
        })
    }
}

impl<'de> Deserialize<'de> for Pacing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        strict::map(deserializer, PacingFields::check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pacing(text: &str) -> Pacing {
        serde_yaml::from_str(text).unwrap()
    }

    #[test]
    fn pieces_are_due_on_the_beat_after_the_first_token() {
        let pacing = pacing("{first_token_ms: 200, chunk_ms: 50, chunk_chars: 2}");
        let pieces: Vec<(&str, u128)> =
            pacing.pieces("abcde").iter().map(|piece| (piece.text, piece.due.as_millis())).collect();
        assert_eq!(pieces, [("ab", 200), ("cd", 250), ("e", 300)]);
    }

    #[test]
    fn a_rate_of_tokens_is_kept_whatever_the_size_of_pieces() {
        let text = "one two three four five six seven eight ".repeat(25);
        let last = |chars: u32| {
            let pacing = pacing(&format!("{{tokens_per_s: 100, chunk_chars: {chars}}}"));
            pacing.pieces(&text).last().unwrap().due.as_secs_f64()
        };
        for chars in [1, 7, 40] {
            assert!((1.9..=2.0).contains(&last(chars)), "{}", last(chars));
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (text, expected) in [
            ("{tokens_per_s: 10, chunk_ms: 5}", "give one of them"),
            ("{tokens_per_s: 0}", "above 0"),
            ("{tokens_per_s: .nan}", "above 0"),
            ("{chunk_chars: 0}", "nonzero"),
            ("{first_token_ms: 99999999999}", "a day"),
            ("{first_token: 1}", "unknown field"),
        ] {
            let error = serde_yaml::from_str::<Pacing>(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn pieces_add_up_to_the_text_and_never_go_back_in_time(text in "\\PC{0,80}", chars in 1_usize..20) {
            let pacing = Pacing {
                first_token: Duration::from_millis(3),
                beat: Beat::TokensPerSecond(30.0),
                chunk_chars: NonZeroUsize::new(chars).unwrap(),
            };
            let pieces = pacing.pieces(&text);
            prop_assert_eq!(pieces.iter().map(|piece| piece.text).collect::<String>(), text.as_str());
            prop_assert!(pieces.is_sorted_by_key(|piece| piece.due));
        }
    }
}
