//! `config init`: writes a commented first file.
//!
//! Built from the table of keys, so it documents exactly what can be set. All of it is commented
//! out: removing one `# ` sets one key, and removing those of a provider sets it up.

use std::fmt::Write as _;

use serde_json::Value;

use crate::config::keys::{DefaultValue, Key};
use crate::config::kind::Kind;
use crate::config::table::TABLE;
use crate::config::{IDLE, Paths};
use crate::error::Error;
use crate::files;

/// Columns per line of the file.
const WIDTH: usize = 116;

const TOP: &str = "\
# The configuration of aludel. Everything here is optional and commented out: keys show their default, providers and
# phases an example. Remove the `# ` before a line to set it, for a provider before each of its lines.
#
# A text may refer to environment variables: ${NAME}, or ${NAME:-default}; $${ writes a plain ${.
# What is set here is overridden by environment variables (ALUDEL_GENERATION__DEFAULT_COUNT=5), and those by flags.
# `aludel config show --origin` tells what holds and why; `aludel config validate` checks this file.
#
# Read and checked, and without effect in this version:
#   ";

const PROVIDERS: &str = "
# Providers of language models, by name. The first one is used by every phase that names none; without any, prompts
# are written by `builtin`, which needs no key and no network. A key in the environment makes a provider usable with
# --provider and binds it to nothing. `aludel providers` lists them, `aludel test-providers` makes a real call to each.
providers:
  # anthropic:
  #   model: claude-haiku-5-5
  #
  # openai:
  #   api_key: ${OPENAI_API_KEY}
  #   model: gpt-6-luna
  #   max_concurrency: 8
  #
  # google:
  #   api_key_cmd: pass show google/gemini
  #   model: gemini-3.8-flash
  #   embedding_model: gemini-embedding-2
  #
  # openrouter:
  #   model: anthropic/claude-haiku-5.5
  #   headers:
  #     X-OpenRouter-Title: my prompts
  #
  # ollama:
  #   model: qwen3:8b
  #   embedding_model: nomic-embed-text
  #
  # Any name will do when `kind` is given, so one file can hold several servers that speak the same protocol: vLLM, LM
  # Studio and llama.cpp on your own machine, Groq and others with a key.
  # local:
  #   kind: openai
  #   base_url: http://127.0.0.1:8000/v1
  #   model: my-model
  # groq:
  #   kind: openai
  #   base_url: https://api.groq.com/openai/v1
  #   api_key: ${GROQ_API_KEY}
  #   model: openai/gpt-oss-20b
  #
  # What each provider takes:
";

const PHASES: &str = "
# What the phases are bound to, and what each takes:
";

/// The sections of the phases, each part of an example.
const BINDINGS: &str = "\
phases:
  prima-materia:
    # provider: ollama
  solutio:
    # provider: openai
    # model: gpt-6.1-sol
  coagulatio:
    # provider: anthropic
    # fallback: [openai, ollama/qwen3:8b]
    # fallback_on_refusal: true
";

/// Writes the first configuration file, private to the user.
///
/// # Errors
/// `conflict` when the file exists and `replace` is false; `file` when it cannot be written.
pub fn init(paths: &Paths, replace: bool) -> Result<(), Error> {
    if !replace && std::fs::symlink_metadata(&paths.config_file).is_ok() {
        let shown = paths.shown(&paths.config_file);
        return Err(Error::Conflict(format!(
            "`{}` exists already and was not changed; replace it with --yes, or choose another file with --config",
            shown.display()
        )));
    }
    if paths.config_file.parent() == Some(&paths.home) {
        files::make_private_folder(&paths.home)?;
    }
    files::write_atomically(&paths.config_file, starter().as_bytes(), files::PRIVATE_FILE)
}

/// The text of the first file.
pub(super) fn starter() -> String {
    let idle: Vec<&str> = IDLE.iter().map(|idle| idle.key).collect();
    let mut text = String::from(TOP);
    text.push_str(&idle.join("\n#   "));
    text.push('\n');
    let mut open: Vec<&str> = Vec::new();
    for row in TABLE {
        let path: Vec<&str> = row.pattern.split('.').collect();
        match path[..] {
            ["providers", "*", leaf, ..] => {
                if open != ["providers"] {
                    text.push_str(PROVIDERS);
                    open = vec!["providers"];
                }
                explain(&mut text, "  #   ", &format!("{leaf}: "), row);
            }
            ["phases", _, leaf] => {
                if open != ["phases"] {
                    text.push_str(PHASES);
                    open = vec!["phases"];
                }
                explain(&mut text, "#   ", &format!("{leaf}: "), row);
                if leaf == "fallback_on_refusal" {
                    text.push_str(BINDINGS);
                }
            }
            [ref sections @ .., leaf] => {
                open_sections(&mut text, &mut open, sections);
                let indent = format!("{}# ", "  ".repeat(sections.len()));
                explain(&mut text, &indent, "", row);
                // User-chosen names are shown by an example.
                let leaf = match (leaf, sections) {
                    ("*", ["tui", ..]) => "run",
                    ("*", _) => "coverage",
                    _ => leaf,
                };
                let default = row.default.to_value();
                let space = if default.is_null() { "" } else { " " };
                let shown = if default.is_null() { String::new() } else { shown(&default) };
                let _ = writeln!(text, "{}", wrapped(&indent, &format!("{leaf}:{space}{shown}")));
            }
            [] => {}
        }
    }
    text
}

/// Opens `sections` as far as they are not open. A new top-level section follows an empty line.
fn open_sections<'a>(text: &mut String, open: &mut Vec<&'a str>, sections: &[&'a str]) {
    let common = open.iter().zip(sections).take_while(|(a, b)| a == b).count();
    if common == 0 {
        text.push('\n');
    }
    for (depth, section) in sections.iter().enumerate().skip(common) {
        let _ = writeln!(text, "{}{section}:", "  ".repeat(depth));
    }
    *open = sections.to_vec();
}

/// A row's documentation and range as comment lines of at most [`WIDTH`] columns, the first after `name`.
fn explain(text: &mut String, indent: &str, name: &str, row: &Key) {
    let range = match row.kind {
        Kind::Whole(min, max) => format!(" From {min} to {max}."),
        Kind::Number(min, f64::MAX) => format!(" At least {min}."),
        Kind::Number(min, max) => format!(" From {min} to {max}."),
        _ => String::new(),
    };
    let default = match &row.default {
        // A key that is not written out has its default stated here.
        default if !name.is_empty() && !matches!(default, DefaultValue::Unset | DefaultValue::List([])) => {
            format!(" Default: {}.", shown(&default.to_value()))
        }
        _ => String::new(),
    };
    let mut line = format!("{indent}{name}");
    for word in format!("{}{range}{default}", row.doc).split(' ') {
        if line.chars().count() + word.chars().count() > WIDTH {
            let _ = writeln!(text, "{}", line.trim_end());
            line = if name.is_empty() { indent.to_owned() } else { format!("{indent}  ") };
        }
        line.push_str(word);
        line.push(' ');
    }
    let _ = writeln!(text, "{}", line.trim_end());
}

/// A key with its value in lines of at most [`WIDTH`] columns, broken between the items of a list.
fn wrapped(indent: &str, entry: &str) -> String {
    let mut lines = Vec::new();
    let mut line = indent.to_owned();
    for piece in entry.split_inclusive(", ") {
        if line.chars().count() + piece.trim_end().chars().count() > WIDTH && line.len() > indent.len() {
            lines.push(line.trim_end().to_owned());
            line = format!("{indent}  ");
        }
        line.push_str(piece);
    }
    lines.push(line);
    lines.join("\n")
}

/// A default as the file would have it. JSON is YAML, and plain words need no quotes.
fn shown(value: &Value) -> String {
    let plain = |text: &String| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    match value {
        Value::String(text) if plain(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}
