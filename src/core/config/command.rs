//! A user's command line: run as it is, shown without its arguments.
//!
//! A command line can hold a credential (`curl -H 'Authorization: …'`, `VAULT_TOKEN=… vault read
//! …`), so people see only the program, and not even that if it could be more than a name.
//! [`CommandLine::expose`] gives the whole line and is called where the command is run.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::kind::could_be_a_key;
use super::secret::REDACTED;
use crate::redact;

/// A command line.
#[derive(Clone, PartialEq, Eq)]
pub struct CommandLine(String);

impl CommandLine {
    /// The line itself. For the shell; never for messages.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The program, with [`REDACTED`] for the arguments or for the whole line.
    fn shown(&self) -> String {
        let mut words = self.0.split_whitespace();
        let program = words.next().filter(|program| is_a_program(program)).unwrap_or(REDACTED);
        if program == REDACTED || words.next().is_none() {
            return program.to_owned();
        }
        format!("{program} {REDACTED}")
    }
}

/// True for a word that can only be a program's name: no assignment, no quotes, no key.
fn is_a_program(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/\\._-+~:".contains(&byte));
    is_plain && !could_be_a_key(name) && redact::mask(word) == word
}

impl From<&str> for CommandLine {
    fn from(line: &str) -> Self {
        Self(line.to_owned())
    }
}

impl fmt::Debug for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Serialize for CommandLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.shown())
    }
}

impl<'de> Deserialize<'de> for CommandLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_shows_its_program_alone() {
        for (line, shown) in [
            ("pass show openai", "pass <redacted>"),
            ("  /usr/bin/op  read op://x ", "/usr/bin/op <redacted>"),
            ("my-key-helper", "my-key-helper"),
            ("vault\tread", "vault <redacted>"),
            ("TOKEN=canary vault read x", REDACTED),
            ("'canary' x", REDACTED),
            ("$(canary)", REDACTED),
            ("echo;canary", REDACTED),
            ("sk-canary0123456789abcdef", REDACTED),
            ("/opt/canary0123456789abcdef", REDACTED),
            ("", REDACTED),
        ] {
            let command = CommandLine::from(line);
            assert_eq!(serde_json::to_value(&command).unwrap(), shown, "{line}");
            assert_eq!(format!("{command:?}"), shown, "{line}");
            assert_eq!(command.expose(), line);
        }
    }
}
