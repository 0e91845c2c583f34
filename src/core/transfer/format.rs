//! File formats, chosen by the user or detected from the file's name or first bytes.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A file format for prompts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TransferFormat {
    /// One array, one prompt per line.
    #[default]
    Json,
    /// One prompt per line.
    Jsonl,
    /// A header and one row per prompt (RFC 4180); lists and objects are JSON in their column.
    Csv,
    /// One document per prompt, or one list of prompts.
    Yaml,
    /// For reading; cannot be imported.
    Markdown,
}

impl TransferFormat {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Json, Self::Jsonl, Self::Csv, Self::Yaml, Self::Markdown];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Yaml => "yaml",
            Self::Markdown => "markdown",
        }
    }

    /// The inverse of [`TransferFormat::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == text)
    }

    /// Detects a file's format from its name, else from its first bytes. An empty file fits any.
    ///
    /// # Errors
    /// `validation_failed` on `format` for unreadable formats, and if it cannot be detected.
    pub fn tell(name: &Path, head: &[u8]) -> Result<Self> {
        if head.starts_with(b"SQLite format 3\0") {
            return Err(refused("this is a SQLite file; `aludel migrate --from FILE` reads that of prompt-alchemy"));
        }
        match Self::of_name(name).or_else(|| Self::of_head(head)) {
            Some(Self::Markdown) => Err(refused(
                "Markdown is for reading and cannot be read back; export as json, jsonl, csv or yaml instead",
            )),
            Some(format) => Ok(format),
            None => Err(refused("the file's name and beginning do not tell its format; name json, jsonl, csv or yaml")),
        }
    }

    fn of_name(name: &Path) -> Option<Self> {
        match name.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "csv" | "tsv" => Some(Self::Csv),
            "yaml" | "yml" => Some(Self::Yaml),
            "md" | "markdown" => Some(Self::Markdown),
            _ => None,
        }
    }

    fn of_head(head: &[u8]) -> Option<Self> {
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let text = String::from_utf8_lossy(head);
        let is_remark = |line: &&str| line.trim().is_empty() || line.starts_with('#');
        let line = text.lines().find(|line| !is_remark(line)).unwrap_or_default();
        match line.trim_start().chars().next() {
            // The JSON reader also takes consecutive values, as in JSON lines.
            None | Some('[' | '{') => Some(Self::Json),
            Some('%') => Some(Self::Yaml),
            _ if line.starts_with("---") || line.starts_with("- ") || line.trim_end() == "-" => Some(Self::Yaml),
            _ if line.split([',', ';', '\t']).any(|name| name.trim().trim_matches('"') == "content") => Some(Self::Csv),
            _ => is_yaml_member(line).then_some(Self::Yaml),
        }
    }
}

/// True for `name: …` and `name:`.
fn is_yaml_member(line: &str) -> bool {
    let Some((name, rest)) = line.split_once(':') else { return false };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    is_name && (rest.trim().is_empty() || rest.starts_with(' '))
}

fn refused(message: &str) -> Error {
    Error::value("format", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for format in TransferFormat::ALL {
            assert_eq!(TransferFormat::parse(format.as_str()), Some(format));
        }
    }

    #[test]
    fn the_name_decides_before_the_first_bytes() {
        let told = |name: &str, head: &str| TransferFormat::tell(name.as_ref(), head.as_bytes()).ok();
        assert_eq!(told("a.YML", "[1]"), Some(TransferFormat::Yaml));
        assert_eq!(told("a", "\u{feff}\n [1]"), Some(TransferFormat::Json));
        assert_eq!(told("-", "{\"id\":1}\n{}"), Some(TransferFormat::Json));
        assert_eq!(told("a.txt", "---\nid: 1"), Some(TransferFormat::Yaml));
        assert_eq!(told("a.txt", "- id: 1"), Some(TransferFormat::Yaml));
        assert_eq!(told("a.txt", "content: x"), Some(TransferFormat::Yaml));
        assert_eq!(told("a.txt", "id,\"content\"\r\n"), Some(TransferFormat::Csv));
        assert_eq!(told("a.txt", "# mine\n\n- id: 1"), Some(TransferFormat::Yaml));
        assert_eq!(told("a.txt", ""), Some(TransferFormat::Json));
        assert_eq!(told("a.txt", "Dear reader"), None);
    }

    #[test]
    fn what_cannot_be_read_is_told_why() {
        let said = |name: &str, head: &[u8]| TransferFormat::tell(name.as_ref(), head).unwrap_err().to_string();
        assert!(said("a.md", b"# Prompts").contains("for reading"));
        assert!(said("a.db", b"SQLite format 3\0").contains("migrate --from"));
        assert!(said("a", b"hello").contains("name json, jsonl, csv or yaml"));
    }
}
