//! Writes prompts one by one, in any format.
//!
//! Output has no hidden characters (`text::shown`): readable-back formats escape them in their own
//! way, Markdown visibly. Output is appended to a text that the caller can empty at any time.

use super::format::TransferFormat;
use super::session::{PromptRecord, RunRecord, json};
use super::{csv, markdown, yaml};
use crate::domain::Prompt;
use crate::error::Result;
use crate::store::Session;
use crate::text::shown::escape_json;

/// Writes prompts in one format.
#[derive(Debug, Clone)]
pub struct Writer {
    format: TransferFormat,
    written: u64,
}

impl Writer {
    /// Creates a writer for this format.
    pub const fn new(format: TransferFormat) -> Self {
        Self { format, written: 0 }
    }

    /// The number of prompts written.
    pub const fn written(&self) -> u64 {
        self.written
    }

    /// Writes what precedes the first prompt. Call once, at the beginning.
    ///
    /// # Errors
    /// `internal`.
    pub fn begin(&self, out: &mut String) -> Result<()> {
        match self.format {
            TransferFormat::Json => out.push('['),
            TransferFormat::Csv => csv::header(out)?,
            TransferFormat::Markdown => markdown::title(out),
            TransferFormat::Jsonl | TransferFormat::Yaml => {}
        }
        Ok(())
    }

    /// Writes the next prompt, with its run if known.
    ///
    /// # Errors
    /// `internal` if it cannot be serialised.
    pub fn write(&mut self, prompt: &Prompt, session: Option<&Session>, out: &mut String) -> Result<()> {
        let written = PromptRecord { prompt, session: session.map(|session| RunRecord::of(session, prompt)) };
        match self.format {
            TransferFormat::Json => {
                out.push_str(if self.written == 0 { "\n" } else { ",\n" });
                out.push_str(&escape_json(&json(&written)?));
            }
            TransferFormat::Jsonl => {
                out.push_str(&escape_json(&json(&written)?));
                out.push('\n');
            }
            TransferFormat::Csv => csv::row(&written, out)?,
            TransferFormat::Yaml => yaml::document(&written, out)?,
            TransferFormat::Markdown => markdown::section(prompt, self.written + 1, out),
        }
        self.written += 1;
        Ok(())
    }

    /// Writes what follows the last prompt. Call once, at the end.
    pub fn end(&self, out: &mut String) {
        match self.format {
            TransferFormat::Json if self.written == 0 => out.push_str("]\n"),
            TransferFormat::Json => out.push_str("\n]\n"),
            TransferFormat::Jsonl | TransferFormat::Csv | TransferFormat::Yaml | TransferFormat::Markdown => {}
        }
    }
}
