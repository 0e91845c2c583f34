//! The output formats of each command, for the help and for validation.

use crate::cli::format::Format;

use Format::{Csv, Html, Json, Jsonl, Markdown, Text, Yaml};

/// Without a command, or for data of one form: JSON is for errors then.
const OF_ERRORS: &[Format] = &[Text, Json, Jsonl];

/// The formats of this command.
pub(crate) fn formats_of(command: Option<&str>) -> &'static [Format] {
    match command.unwrap_or_default() {
        "search" | "similar" | "list" | "metrics" | "stats" | "spend" => &[Text, Json, Jsonl, Yaml, Markdown, Csv],
        "generate" | "show" | "select" | "update" | "history" | "providers" | "test-providers" => {
            &[Text, Json, Jsonl, Yaml, Markdown]
        }
        "compare" => &[Text, Json, Jsonl, Yaml, Markdown, Html],
        "export" => &[Json, Jsonl, Csv, Yaml, Markdown],
        // The formats of the file.
        "import" => &[Json, Jsonl, Csv, Yaml],
        "batch" | "delete" | "trash" | "jobs" | "why" | "judge" | "config" | "personas" | "templates" | "validate"
        | "reindex" | "mcp-config" | "migrate" | "token" | "version" | "health" => &[Text, Json, Jsonl, Yaml],
        _ => OF_ERRORS,
    }
}

/// The help of `--format` for this command.
pub(super) fn help_of(command: &str) -> String {
    let formats = formats_of(Some(command));
    let names = listed(formats);
    match command {
        "import" => format!("Format of FILE: {names}; by default detected from its name or content"),
        "export" => format!("{names} (json, or by the extension of the output file)"),
        "generate" => format!("{names} (text, or by the extension of the output file)"),
        _ if formats == OF_ERRORS => format!("Format of errors: {names} (text)"),
        _ => format!("{names} (text)"),
    }
}

/// `text, json or yaml`.
fn listed(formats: &[Format]) -> String {
    let names: Vec<&str> = formats.iter().map(|format| format.as_str()).collect();
    match names.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.concat(),
    }
}
