//! The entry of the server and the whole configuration around it, as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::SERVER;
use super::hosts::HostRow;
use crate::domain::McpConfigSyntax;

/// How a host starts the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Launch {
    /// The program, absolute.
    pub(super) command: String,
    /// Its arguments.
    pub(super) args: Vec<String>,
    /// The environment variables it needs.
    pub(super) env: BTreeMap<String, String>,
}

/// The server's entry in the host's section.
pub(super) fn entry(row: &HostRow, launch: &Launch) -> Map<String, Value> {
    let mut entry = Map::new();
    if row.names_transport {
        entry.insert("type".to_owned(), "stdio".into());
    }
    entry.insert("command".to_owned(), launch.command.as_str().into());
    entry.insert("args".to_owned(), launch.args.clone().into());
    if !launch.env.is_empty() {
        entry.insert("env".to_owned(), json!(launch.env));
    }
    entry
}

/// A whole file with the server's entry alone, ending with a line feed.
pub(super) fn file(row: &HostRow, launch: &Launch) -> String {
    match row.syntax {
        McpConfigSyntax::Json | McpConfigSyntax::Jsonc => {
            let whole = json!({ row.section: { SERVER: entry(row, launch) } });
            format!("{whole:#}\n")
        }
        McpConfigSyntax::Toml => toml(row.section, launch),
    }
}

fn toml(section: &str, launch: &Launch) -> String {
    let args: Vec<String> = launch.args.iter().map(|argument| toml_text(argument)).collect();
    let mut text =
        format!("[{section}.{SERVER}]\ncommand = {}\nargs = [{}]\n", toml_text(&launch.command), args.join(", "));
    if !launch.env.is_empty() {
        // Writing to a text cannot fail.
        let _ = write!(text, "\n[{section}.{SERVER}.env]\n");
        for (name, value) in &launch.env {
            let _ = writeln!(text, "{name} = {}", toml_text(value));
        }
    }
    text
}

/// A basic string. Every escape of JSON is one of TOML too, which also wants DEL escaped
/// (<https://toml.io/en/v1.1.0#string>).
fn toml_text(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}
