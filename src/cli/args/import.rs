//! The options of `aludel import`.

use std::path::PathBuf;

use aludel_core::api::ImportRequest;
use aludel_core::error::Result;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;
use crate::cli::format::Format;

const EXAMPLES: &str = "\
Examples:
  aludel import prompts.json
  aludel import prompts.csv --dry-run
  aludel import prompts.csv --report json
  zcat prompts.jsonl.gz | aludel import - --format jsonl --quiet

--format is the file's: json, jsonl, csv or yaml; without it the name or the
beginning of the file tells. --report is the form of the report, for scripts;
without it that is JSON where --format is json or jsonl, else text on standard
error. `aludel migrate --from FILE` reads the history of prompt-alchemy.

Every record is checked before the first is stored. A record needs `content`
alone. One with an id that is stored already is left out; one that differs from
what is stored is told.

The report comes as soon as the prompts are stored and can be found by their
words. Then what has no vector gets one, so that search finds it by meaning:
Ctrl-C ends that alone and loses nothing (exit 0), --no-vectors leaves it out.
`aludel reindex --vectors`, the servers and the workbench make what is missing.";

/// Import prompts from a file
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct ImportArgs {
    /// A file that export wrote, or one like it; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Check everything and say what would be done
    #[arg(long)]
    pub dry_run: bool,
    /// Make no vectors once it is stored; `reindex` makes them later
    #[arg(long)]
    pub no_vectors: bool,
    /// What was done, as json, jsonl or yaml on standard output, or as text
    #[arg(long, value_name = "FORMAT")]
    pub report: Option<String>,
}

impl ImportArgs {
    /// The format of the report and of errors, given the format of the file if one was named.
    ///
    /// # Errors
    /// `validation_failed` for a format without a report.
    pub(crate) fn answers_in(&self, format: Option<Format>) -> Result<Format> {
        match &self.report {
            Some(wanted) => {
                Format::choose_for("report", wanted, &[Format::Text, Format::Json, Format::Jsonl, Format::Yaml])
            }
            None => Ok(format.filter(|format| format.is_json()).unwrap_or(Format::Text)),
        }
    }

    /// The raw request, for this format if one was named.
    pub(crate) fn request(&self, format: Option<Format>) -> Value {
        let raw = Raw::of::<ImportRequest>().switch("dry_run", self.dry_run).switch("no_vectors", self.no_vectors);
        match format {
            Some(format) => raw.set("format", format.as_str()).into_value(),
            None => raw.into_value(),
        }
    }
}
