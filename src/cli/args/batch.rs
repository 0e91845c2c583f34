//! The options of `aludel batch`.

use std::path::PathBuf;

use aludel_core::api::BatchRequest;
use clap::Args;
use serde_json::Value;

use super::caps::CapArgs;
use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel batch requests.txt --output-file prompts.jsonl
  aludel batch rows.csv --count 1 --persona code --no-save
  aludel batch rows.jsonl -o out.jsonl --junit report.xml --budget-usd 5
  aludel batch rows.jsonl -o out.jsonl --resume
  aludel batch rows.csv --dry-run
  printf 'Name a bakery\\nThank a customer\\n' | aludel batch --count 1

FILE has a request a line, or is JSON, JSON lines, CSV or YAML (10 MiB at most)
whose rows have `input` and optionally `id` and what `generate` can set: count,
phases, persona, provider, temperature, max_tokens, tags, context, auto_select,
save, target_model, timeout_s, no_cache. In CSV the first row names them. An
option is for the rows that do not set it. Without FILE standard input is read.
`aludel batch process FILE` is the same.

All rows are checked before the first is sent: a bad row in a file is an error
(exit 2), one from standard input fails alone. A line of the output is an object
with `row`, `id`, `status` (ok or failed) and `result` or `error`; lines come as
rows finish, with --ordered in the order of the input. A row whose variants all
fail has failed, and the batch goes on.

Everything finished is recorded. After Ctrl-C, a kill or the end of the budget
the same command with --resume does the rest and pays for no recorded answer
again (after a kill it waits up to 30 s until that is certain); without
--output-file `aludel jobs resume` does. A budget buys whole rows.

Exit: 0 all rows done, 1 some failed, 7 the budget ended, 130 interrupted; with
--fail-fast that of the error.";

/// Generate prompts for many requests at once
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch on the command line")]
pub(crate) struct BatchArgs {
    /// The rows; `-` or nothing reads standard input
    #[arg(value_name = "FILE", num_args = 0..=2)]
    pub files: Vec<PathBuf>,
    /// Read the rows from FILE
    #[arg(long, value_name = "FILE")]
    pub input_file: Option<PathBuf>,
    /// Format of the rows: text, json, jsonl, csv or yaml; by default detected
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<String>,
    /// How many variants are made at once
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub concurrency: Option<String>,
    /// Stop at the first row that fails
    #[arg(long)]
    pub fail_fast: bool,
    /// Check the rows and estimate their cost; send nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Go on with the batch that writes this output file
    #[arg(long)]
    pub resume: bool,

    /// Who the prompts are written for
    #[arg(long, value_name = "NAME", help_heading = "Rows")]
    pub persona: Option<String>,
    /// How many variants of each row, 1 to 100 (3)
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true, help_heading = "Rows")]
    pub count: Option<String>,
    /// The phases to run, in this order, separated by commas; all three by default
    #[arg(long, value_name = "LIST", help_heading = "Rows")]
    pub phases: Vec<String>,
    /// The model the prompts are for; with several, separated by commas, a row becomes one for each
    #[arg(long, value_name = "LIST", help_heading = "Rows")]
    pub target_model: Vec<String>,
    /// Let the judge choose among the variants of each row
    #[arg(long, help_heading = "Rows")]
    pub auto_select: bool,
    /// Use this provider in every phase, as NAME or NAME/MODEL
    #[arg(long, value_name = "NAME", help_heading = "Rows")]
    pub provider: Option<String>,
    /// Sampling temperature, 0 to 2 (0.7)
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Rows")]
    pub temperature: Option<String>,
    /// Maximum tokens of each phase's answer (2000)
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Rows")]
    pub max_tokens: Option<String>,
    /// Seconds for each row; variants finished by then are kept
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, help_heading = "Rows")]
    pub timeout: Option<String>,
    /// Labels for the stored prompts, separated by commas; may be repeated
    #[arg(long, value_name = "LIST", help_heading = "Rows")]
    pub tags: Vec<String>,
    /// Do not store the prompts
    #[arg(long, help_heading = "Rows")]
    pub no_save: bool,
    /// Neither read nor write the answer cache
    #[arg(long, help_heading = "Rows")]
    pub no_cache: bool,

    #[command(flatten)]
    pub caps: CapArgs,

    /// Write the lines to FILE, which must not exist yet, or belong to the batch with --resume
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub output_file: Option<PathBuf>,
    /// Write the lines in the order of the input
    #[arg(long, help_heading = "Output")]
    pub ordered: bool,
    /// Write a JUnit report to FILE, replacing it
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub junit: Option<PathBuf>,
    /// Make no vectors of the stored prompts; `reindex` makes them later
    #[arg(long, help_heading = "Output")]
    pub no_vectors: bool,
}

impl BatchArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        let raw = Raw::of::<BatchRequest>()
            .text("format", self.input_format.as_ref())
            .text("concurrency", self.concurrency.as_ref())
            .switch("fail_fast", self.fail_fast)
            .text("count", self.count.as_ref())
            .list("phases", &self.phases)
            .text("persona", self.persona.as_ref())
            .text("provider", self.provider.as_ref())
            .text("temperature", self.temperature.as_ref())
            .text("max_tokens", self.max_tokens.as_ref())
            .list("tags", &self.tags)
            .switch("auto_select", self.auto_select)
            .list("target_model", &self.target_model)
            .text("timeout_s", self.timeout.as_ref())
            .switch("no_cache", self.no_cache);
        let raw = self.caps.add_to(raw);
        let raw = if self.no_save { raw.set("save", false) } else { raw };
        raw.into_value()
    }
}
