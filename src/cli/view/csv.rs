//! Prompts as comma-separated values with a header (RFC 4180), for spreadsheets.

use aludel_core::domain::{FoundPrompt, ListedPrompt, MatchKind, Prompt, PromptId, write_moment};
use aludel_core::error::{Error, Result};

const HEADER: [&str; 17] = [
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
    "near_duplicate_of",
];

/// What a search adds to a row.
const HEADER_OF_MATCH: [&str; 3] = ["match_score", "match_kind", "snippet"];

/// A row for each prompt. Tags are joined by commas, which no tag holds.
///
/// # Errors
/// `internal` when a row cannot be written down.
pub(crate) fn csv(prompts: &[ListedPrompt]) -> Result<String> {
    let rows = prompts.iter().map(|listed| row(&listed.prompt, listed.near_duplicate_of));
    written(HEADER.iter().map(ToString::to_string).collect(), rows)
}

/// As [`csv()`] with how each was found.
///
/// # Errors
/// `internal` when a row cannot be written down.
pub(crate) fn csv_of_found(found: &[FoundPrompt]) -> Result<String> {
    let rows = found.iter().map(|FoundPrompt { prompt, matched, near_duplicate_of }| {
        let mut row = row(prompt, *near_duplicate_of);
        let kind = match matched.kind {
            MatchKind::Text => "text",
            MatchKind::Semantic => "semantic",
            MatchKind::Hybrid => "hybrid",
        };
        row.extend([matched.score.to_string(), kind.to_owned(), matched.snippet.clone()]);
        row
    });
    written(HEADER.iter().chain(&HEADER_OF_MATCH).map(ToString::to_string).collect(), rows)
}

fn row(prompt: &Prompt, near_duplicate_of: Option<PromptId>) -> Vec<String> {
    let metadata = &prompt.model_metadata;
    vec![
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
        near_duplicate_of.map(|id| id.to_string()).unwrap_or_default(),
    ]
}

fn written(header: Vec<String>, rows: impl Iterator<Item = Vec<String>>) -> Result<String> {
    let failed = |error: &dyn std::fmt::Display| Error::Internal(format!("the rows cannot be written down: {error}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in std::iter::once(header).chain(rows) {
        writer.write_record(record).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}
