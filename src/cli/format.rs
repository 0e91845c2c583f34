//! The output formats of commands, and how one is chosen.
//!
//! Each command lists the formats it supports; any other is refused with that list.

use aludel_core::error::{Error, Result};

/// An output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One indented JSON value.
    Json,
    /// JSON values, one a line.
    Jsonl,
    /// YAML.
    Yaml,
    /// Markdown, for documents.
    Markdown,
    /// Comma-separated values with a header (RFC 4180).
    Csv,
    /// A self-contained HTML page.
    Html,
}

impl Format {
    /// All of them.
    pub(crate) const ALL: [Self; 7] =
        [Self::Text, Self::Json, Self::Jsonl, Self::Yaml, Self::Markdown, Self::Csv, Self::Html];

    /// The name in `--format`.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Yaml => "yaml",
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Html => "html",
        }
    }

    /// The inverse of [`Format::as_str`].
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == text)
    }

    /// True for JSON formats: nothing else may be mixed in, and errors are JSON too.
    pub(crate) const fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Jsonl)
    }

    /// Parses `wanted`, which must be one of `offered`.
    ///
    /// # Errors
    /// `validation_failed` with the list of those offered.
    pub(crate) fn choose(wanted: &str, offered: &[Self]) -> Result<Self> {
        Self::choose_for("format", wanted, offered)
    }

    /// As [`Format::choose`], for another option than `--format`.
    ///
    /// # Errors
    /// As [`Format::choose`], naming that option.
    pub(crate) fn choose_for(option: &str, wanted: &str, offered: &[Self]) -> Result<Self> {
        match Self::parse(wanted) {
            Some(format) if offered.contains(&format) => Ok(format),
            _ => {
                let names: Vec<&str> = offered.iter().map(|format| format.as_str()).collect();
                Err(Error::value(option, format!("`{wanted}` is not one of {} here", names.join(", "))))
            }
        }
    }

    /// The format of an extension: `.json`, `.jsonl`, `.yaml`, `.yml`, `.md`, `.csv`, `.html`.
    pub(crate) fn of_file(path: &std::path::Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "yaml" | "yml" => Some(Self::Yaml),
            "md" | "markdown" => Some(Self::Markdown),
            "csv" => Some(Self::Csv),
            "html" | "htm" => Some(Self::Html),
            "txt" => Some(Self::Text),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for format in Format::ALL {
            assert_eq!(Format::parse(format.as_str()), Some(format));
        }
    }

    #[test]
    fn a_format_that_is_not_offered_is_refused_with_the_list() {
        let error = Format::choose("csv", &[Format::Text, Format::Json]).unwrap_err();
        assert!(error.to_string().contains("text, json"), "{error}");
    }

    #[test]
    fn the_name_of_a_file_speaks_for_its_format() {
        assert_eq!(Format::of_file("a/b.YML".as_ref()), Some(Format::Yaml));
        assert_eq!(Format::of_file("prompt".as_ref()), None);
    }
}
