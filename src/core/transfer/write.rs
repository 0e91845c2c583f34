//! Writing prompts one after the other, in any format.
//!
//! Nothing that is written holds a hidden character (`text::shown`): formats that are read back escape them in their own
//! way, Markdown visibly. What is written is appended to a text that the caller empties as often as it likes: a writer holds no prompt.

use super::format::TransferFormat;
use super::session::{Facts, Written};
use super::{csv, markdown, yaml};
use crate::domain::Prompt;
use crate::error::{Error, Result};
use crate::store::Session;
use crate::text::shown::escape_json;

/// Writes prompts in one format.
#[derive(Debug, Clone)]
pub struct Writer {
    format: TransferFormat,
    written: u64,
}

impl Writer {
    /// A writer of this format.
    pub const fn new(format: TransferFormat) -> Self {
        Self { format, written: 0 }
    }

    /// How many prompts it has written.
    pub const fn written(&self) -> u64 {
        self.written
    }

    /// What stands before the first prompt. Once, at the beginning.
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

    /// The next prompt, and the run it came from where that is known.
    ///
    /// # Errors
    /// `internal` when it cannot be written down.
    pub fn write(&mut self, prompt: &Prompt, session: Option<&Session>, out: &mut String) -> Result<()> {
        let written = Written { prompt, session: session.map(|session| Facts::of(session, prompt)) };
        match self.format {
            TransferFormat::Json => {
                out.push_str(if self.written == 0 { "\n" } else { ",\n" });
                out.push_str(&json(&written)?);
            }
            TransferFormat::Jsonl => {
                out.push_str(&json(&written)?);
                out.push('\n');
            }
            TransferFormat::Csv => csv::row(&written, out)?,
            TransferFormat::Yaml => yaml::document(&written, out)?,
            TransferFormat::Markdown => markdown::section(prompt, self.written + 1, out),
        }
        self.written += 1;
        Ok(())
    }

    /// What stands behind the last prompt. Once, at the end.
    pub fn end(&self, out: &mut String) {
        match self.format {
            TransferFormat::Json if self.written == 0 => out.push_str("]\n"),
            TransferFormat::Json => out.push_str("\n]\n"),
            TransferFormat::Jsonl | TransferFormat::Csv | TransferFormat::Yaml | TransferFormat::Markdown => {}
        }
    }
}

fn json(written: &Written<'_>) -> Result<String> {
    let text = serde_json::to_string(written)
        .map_err(|error| Error::Internal(format!("a prompt cannot be serialized: {error}")))?;
    Ok(escape_json(&text).into_owned())
}
