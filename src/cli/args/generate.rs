//! The options of `aludel generate`.

use std::path::PathBuf;

use aludel_core::api::GenerateRequest;
use clap::Args;
use serde_json::Value;

use super::caps::CapArgs;
use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel generate \"Write a python function that finds prime numbers\"
  aludel generate \"Thank a customer\" --persona writing --count 5 --quiet
  aludel generate \"Review this module\" --context @src/lib.rs --tags review,rust
  git diff | aludel generate \"Review this diff\" --phases solutio,coagulatio
  aludel generate \"Plan a trip\" --output-file prompts.json
  aludel generate \"Plan a trip\" --count 8 --budget-usd 0.25
  aludel generate \"Plan a trip\" --format jsonl | jq -r 'select(.text).text'

With a TEXT, piped input becomes context. In a loop that reads lines, such as
`while read -r LINE; do aludel generate \"$LINE\" --no-stdin; done`, --no-stdin
leaves the other lines to the loop.

The best prompt is printed first. On a terminal the others are one line each in
the ranking; --quiet prints only the text of the best one. A run stopped by
--budget-usd or --max-calls prints and keeps what was finished, and exits with 7.";

/// Turn a request into ranked prompts
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch on the command line")]
pub(crate) struct GenerateArgs {
    /// The request; `-` or nothing reads standard input
    #[arg(value_name = "TEXT")]
    pub text: Option<String>,
    /// Read the request from FILE
    #[arg(long, value_name = "FILE")]
    pub input_file: Option<PathBuf>,

    /// Who the prompt is written for: code, writing, analysis, generic or one of yours
    #[arg(long, value_name = "NAME", help_heading = "Prompts")]
    pub persona: Option<String>,
    /// How many variants, 1 to 100 (3)
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true, help_heading = "Prompts")]
    pub count: Option<String>,
    /// The phases to run, in this order, separated by commas; all three by default
    #[arg(long, value_name = "LIST", help_heading = "Prompts")]
    pub phases: Vec<String>,
    /// Background to take into account; @FILE reads a file, - standard input, @@ stands for a leading
    /// @; may be repeated
    #[arg(long, value_name = "TEXT|@FILE", help_heading = "Prompts")]
    pub context: Vec<String>,
    /// Do not read standard input, which otherwise becomes context if it is piped in beside a TEXT
    #[arg(long, help_heading = "Prompts")]
    pub no_stdin: bool,
    /// The model the prompt is for; determines its form
    #[arg(long, value_name = "MODEL", help_heading = "Prompts")]
    pub target_model: Option<String>,
    /// Let the judge choose among the finished variants
    #[arg(long, help_heading = "Prompts")]
    pub auto_select: bool,

    /// Use this provider in every phase, as NAME or NAME/MODEL
    #[arg(long, value_name = "NAME", help_heading = "Model calls")]
    pub provider: Option<String>,
    /// Sampling temperature, 0 to 2 (0.7)
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, help_heading = "Model calls")]
    pub temperature: Option<String>,
    /// Maximum tokens of each phase's answer (2000)
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Model calls")]
    pub max_tokens: Option<String>,
    /// Stop after this many seconds; variants finished by then are kept
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, help_heading = "Model calls")]
    pub timeout: Option<String>,
    /// Neither read nor write the answer cache
    #[arg(long, help_heading = "Model calls")]
    pub no_cache: bool,

    #[command(flatten)]
    pub caps: CapArgs,

    /// Labels for the stored prompts, separated by commas; may be repeated
    #[arg(long, value_name = "LIST", help_heading = "Output")]
    pub tags: Vec<String>,
    /// Store the prompts (the default)
    #[arg(long, overrides_with = "no_save", help_heading = "Output")]
    pub save: bool,
    /// Do not store the prompts
    #[arg(long, overrides_with = "save", help_heading = "Output")]
    pub no_save: bool,
    /// Write the result to FILE, replacing it; its extension sets the format unless --format does
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    pub output_file: Option<PathBuf>,
    /// Print the text of the variants as it arrives
    #[arg(long, help_heading = "Output")]
    pub stream: bool,
}

impl GenerateArgs {
    /// The raw request, with `input` and `context` already read.
    pub(crate) fn request(&self, input: String, context: &[String]) -> Value {
        let raw = Raw::of::<GenerateRequest>()
            .set("input", input)
            .text("count", self.count.as_ref())
            .list("phases", &self.phases)
            .text("persona", self.persona.as_ref())
            .text("provider", self.provider.as_ref())
            .text("temperature", self.temperature.as_ref())
            .text("max_tokens", self.max_tokens.as_ref())
            .list("tags", &self.tags)
            .items("context", context)
            .switch("auto_select", self.auto_select)
            .text("target_model", self.target_model.as_ref())
            .text("timeout_s", self.timeout.as_ref())
            .switch("no_cache", self.no_cache);
        let raw = self.caps.add_to(raw);
        let raw = if self.no_save { raw.set("save", false) } else { raw };
        raw.into_value()
    }
}
