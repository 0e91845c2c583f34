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

--format is the format of the file: json, jsonl, csv or yaml; by default it is
detected from the name or the first bytes. YAML can have at most 10 MiB, the
others any size, standard input at most 4 GiB. --report is the format of the
report, for scripts; by default JSON if --format is json or jsonl, else text on
standard error. `aludel migrate --from FILE` imports the history of
prompt-alchemy.

Every record is checked before the first is stored. A record needs only
`content`. One whose id is already stored is skipped, and reported if it differs
from what is stored.

The report is printed once the prompts are stored and can be found by their
words. Then prompts without a vector get one, for search by meaning: Ctrl-C
stops only that and loses nothing (exit 0), --no-vectors skips it.
`aludel reindex --vectors`, the servers and the workbench make missing vectors.";

/// Import prompts from a file
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct ImportArgs {
    /// A file written by export, or one like it; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Check everything and report what would be done
    #[arg(long)]
    pub dry_run: bool,
    /// Make no vectors; `reindex` makes them later
    #[arg(long)]
    pub no_vectors: bool,
    /// Format of the report: json, jsonl or yaml on standard output, or text
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
