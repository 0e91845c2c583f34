//! Identifiers of stored things. All are UUIDv7, so they sort by the moment they were made.
//!
//! New ones are made in [`crate::ids`], because that needs a clock.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How many characters of an id people see: the last ones, because a UUIDv7 begins with the clock.
pub const SHORT_ID_LENGTH: usize = 8;

/// A text that is not an identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an identifier (a UUID such as 01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21)")]
pub struct ParseIdError(pub String);

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// The last eight characters, as shown to people.
            pub fn short(&self) -> String {
                let text = self.0.simple().to_string();
                text[text.len() - SHORT_ID_LENGTH..].to_owned()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::try_parse(text.trim()).map(Self).map_err(|_| ParseIdError(text.to_owned()))
            }
        }
    };
}

identifier!(
    /// The id of a stored [`Prompt`](super::Prompt).
    PromptId
);
identifier!(
    /// The id of a run: the generate call that a group of prompts came from.
    SessionId
);
identifier!(
    /// The id of a [`Judgement`](super::Judgement).
    JudgementId
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_form_is_the_last_eight_characters() {
        let id: PromptId = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21".parse().unwrap();
        assert_eq!(id.short(), "7a3f9c21");
    }

    #[test]
    fn a_text_that_is_no_uuid_is_refused_with_the_text() {
        let error = "nonsense".parse::<PromptId>().unwrap_err();
        assert!(error.to_string().contains("nonsense"));
    }
}
