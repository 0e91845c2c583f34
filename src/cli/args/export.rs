//! The options of `aludel export`.

use std::path::PathBuf;

use aludel_core::api::ExportRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;
use crate::cli::format::Format;

const EXAMPLES: &str = "\
Examples:
  aludel export > prompts.json
  aludel export --output-file prompts.csv
  aludel export --tags keep --since 30d --format yaml
  aludel export --format jsonl | gzip > prompts.jsonl.gz
  aludel export --format markdown --limit 5

Without --limit all prompts are exported, oldest first. `aludel import` reads
every format but markdown back without loss; of YAML, at most 10 MiB. In CSV,
text that a spreadsheet would run as a formula gets a leading apostrophe, which
import removes.";

/// Export stored prompts to back up, move or read
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct ExportArgs {
    /// Write to a file, atomically; its extension sets the format
    #[arg(long, value_name = "FILE")]
    pub output_file: Option<PathBuf>,
    /// Only the newest N prompts, 1 to 1000
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<String>,

    /// Only prompts that have all of these tags, separated by commas
    #[arg(long, value_name = "LIST", help_heading = "Filters")]
    pub tags: Vec<String>,
    /// Only prompts whose last phase was this
    #[arg(long, value_name = "PHASE", help_heading = "Filters")]
    pub phase: Option<String>,
    /// Only prompts whose last phase used this provider
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub provider: Option<String>,
    /// Only prompts whose last phase used this model
    #[arg(long, value_name = "MODEL", help_heading = "Filters")]
    pub model: Option<String>,
    /// Only prompts written for this persona
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub persona: Option<String>,
    /// Only prompts created then or later: 2026-11-21, 2026-11-21T08:30:00Z or 7d
    #[arg(long, value_name = "DATE", help_heading = "Filters")]
    pub since: Option<String>,
    /// Only prompts created then or earlier; a date includes the whole day
    #[arg(long, value_name = "DATE", help_heading = "Filters")]
    pub until: Option<String>,
}

impl ExportArgs {
    /// The raw request for this format.
    pub(crate) fn request(&self, format: Format) -> Value {
        Raw::of::<ExportRequest>()
            .set("format", format.as_str())
            .text("limit", self.limit.as_ref())
            .list("tags", &self.tags)
            .text("phase", self.phase.as_ref())
            .text("provider", self.provider.as_ref())
            .text("model", self.model.as_ref())
            .text("persona", self.persona.as_ref())
            .text("since", self.since.as_ref())
            .text("until", self.until.as_ref())
            .into_value()
    }
}
