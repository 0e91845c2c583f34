//! Prompts as comma-separated values with a header (RFC 4180), for spreadsheets.

use aludel_core::domain::{Prompt, write_moment};
use aludel_core::error::{Error, Result};

const HEADER: [&str; 16] = [
    "id",
    "session_id",
    "variant",
    "created_at",
    "score",
    "phase",
    "persona",
    "provider",
    "model",
    "strategy",
    "tags",
    "notes",
    "total_tokens",
    "cost_usd",
    "original_input",
    "content",
];

/// A row for each prompt. Tags are joined by commas, which no tag holds.
///
/// # Errors
/// `internal` when a row cannot be written down.
pub(crate) fn csv(prompts: &[Prompt]) -> Result<String> {
    let failed = |error: &dyn std::fmt::Display| Error::Internal(format!("the rows cannot be written down: {error}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(HEADER).map_err(|error| failed(&error))?;
    for prompt in prompts {
        let metadata = &prompt.model_metadata;
        writer
            .write_record([
                prompt.id.to_string(),
                prompt.session_id.to_string(),
                prompt.variant.to_string(),
                write_moment(prompt.created_at),
                prompt.score.map(|score| score.to_string()).unwrap_or_default(),
                prompt.phase.to_string(),
                prompt.persona.clone(),
                prompt.provider.clone(),
                prompt.model.clone(),
                prompt.strategy.clone(),
                prompt.tags.join(","),
                prompt.notes.clone().unwrap_or_default(),
                metadata.total_tokens.to_string(),
                metadata.cost_usd.map(|cost| cost.to_string()).unwrap_or_default(),
                prompt.original_input.clone(),
                prompt.content.clone(),
            ])
            .map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}
