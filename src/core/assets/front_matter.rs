//! Front matter: the YAML between two `---` lines at the top of a Markdown asset, and its body.
//!
//! Tracks lines, so that faults have one. Unknown keys are faults, too.

use serde::de::DeserializeOwned;

use super::{AssetText, Origin};
use crate::error::Error;
use crate::text::template::TemplateError;
use crate::text::yaml::{self, Faults, SyntaxError};

/// A fault in an asset's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct AssetFault {
    /// Line in the file, from 1.
    pub line: usize,
    /// What was found, and what was expected.
    pub message: String,
}

impl AssetFault {
    pub(super) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }

    /// A fault in a template whose first line is line `first_line` of the file.
    pub(super) fn of_template(error: TemplateError, first_line: usize) -> Self {
        Self { line: error.line + first_line - 1, message: error.message }
    }

    /// Joins all faults into one: at the first one's line, the others with theirs in the message.
    pub(super) fn of_yaml(faults: &Faults) -> Self {
        let line = faults.0.first().map_or(1, |fault| fault.line);
        let all = faults.to_string();
        Self::new(line, all.strip_prefix(&format!("line {line}: ")).unwrap_or(&all))
    }

    /// Converts it to the error that names the file. In a built-in asset it is a bug.
    pub(super) fn in_asset(self, asset: &AssetText) -> Error {
        match &asset.origin {
            Origin::User(path) => Error::File { action: "use", path: path.clone(), reason: self.to_string() },
            Origin::Builtin => Error::Internal(format!("built-in {} `{}`: {self}", asset.kind.as_str(), asset.name)),
        }
    }
}

/// A Markdown asset split in two.
#[derive(Debug)]
pub(super) struct Document<'t, T> {
    /// The front matter.
    pub(super) head: T,
    /// Everything below it.
    pub(super) body: &'t str,
    /// The line of the file at which the body begins, from 1.
    pub(super) body_line: usize,
}

/// Splits a Markdown asset into front matter and body.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<Document<'_, T>, AssetFault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != "---" {
        return Err(AssetFault::new(1, "expected front matter: a line `---`, then `name:` and the rest, then `---`"));
    }
    let head_start = first.len();
    let (mut head_end, mut line) = (head_start, 2);
    for current in lines {
        if current.trim_end() == "---" {
            let head = yaml(&text[head_start..head_end], 2)?;
            return Ok(Document { head, body: &text[head_end + current.len()..], body_line: line + 1 });
        }
        head_end += current.len();
        line += 1;
    }
    Err(AssetFault::new(1, "the front matter that begins here is not closed by a line `---`"))
}

/// Parses YAML whose first line is line `first_line` of the file.
pub(super) fn yaml<T: DeserializeOwned>(text: &str, first_line: usize) -> Result<T, AssetFault> {
    let fault = |error: SyntaxError| AssetFault::new(error.line.unwrap_or(1) + first_line - 1, error.message);
    yaml::check(text).map_err(fault)?;
    serde_yaml::from_str(text).map_err(|error| fault(yaml::refused(text, &error)))
}

/// Checks that the `name` in a file is that of the file.
pub(super) fn check_name(expected: &str, found: &str, line: usize) -> Result<(), AssetFault> {
    if expected == found {
        return Ok(());
    }
    Err(AssetFault::new(line, format!("`name: {found}` does not fit the file's name; write `name: {expected}`")))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Head {
        name: String,
    }

    #[test]
    fn head_and_body_come_apart_with_the_bodys_line() {
        let document = parse::<Head>("---\nname: x\n---\nbody\n---\nmore").unwrap();
        assert_eq!((document.head.name.as_str(), document.body, document.body_line), ("x", "body\n---\nmore", 4));
    }

    #[test]
    fn windows_line_ends_and_a_byte_order_mark_are_understood() {
        let document = parse::<Head>("\u{feff}---\r\nname: x\r\n---\r\nbody").unwrap();
        assert_eq!((document.head.name.as_str(), document.body), ("x", "body"));
    }

    #[test]
    fn faults_name_their_line_in_the_file() {
        assert_eq!(parse::<Head>("name: x").unwrap_err().line, 1);
        assert!(parse::<Head>("---\nname: x\n").unwrap_err().message.contains("not closed"));
        let unknown = parse::<Head>("---\nname: x\ncolour: red\n---\n").unwrap_err();
        assert_eq!(unknown.line, 3, "{unknown}");
        assert!(unknown.message.contains("colour"), "{unknown}");
    }
}
