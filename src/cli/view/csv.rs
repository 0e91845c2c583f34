//! Comma-separated values with a header (RFC 4180): prompts here, reports by [`csv_of_rows`].
//!
//! Rows consist of [`Cell`]s: free text is guarded as in `export`, numbers stay numbers.

use aludel_core::domain::{FoundPrompt, ListedPrompt, MatchKind, Prompt, PromptId, write_moment};
use aludel_core::error::Result;
use aludel_core::text::cell::{Cell, write_row};

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

/// The columns that a search adds.
const HEADER_OF_MATCH: [&str; 3] = ["match_score", "match_kind", "snippet"];

/// A row for each prompt. Tags are joined by commas, which no tag contains.
///
/// # Errors
/// `internal` if a row cannot be written.
pub(crate) fn csv(prompts: &[ListedPrompt]) -> Result<String> {
    csv_of_rows(HEADER, prompts.iter().map(|listed| row(&listed.prompt, listed.near_duplicate_of)))
}

/// As [`csv()`], with how each prompt was found.
///
/// # Errors
/// `internal` if a row cannot be written.
pub(crate) fn csv_of_found(found: &[FoundPrompt]) -> Result<String> {
    let rows = found.iter().map(|FoundPrompt { prompt, matched, near_duplicate_of }| {
        let mut row = row(prompt, *near_duplicate_of);
        let kind = match matched.kind {
            MatchKind::Text => "text",
            MatchKind::Semantic => "semantic",
            MatchKind::Hybrid => "hybrid",
        };
        row.extend([Cell::value(matched.score), Cell::value(kind), Cell::text(&matched.snippet)]);
        row
    });
    csv_of_rows(HEADER.into_iter().chain(HEADER_OF_MATCH), rows)
}

fn row(prompt: &Prompt, near_duplicate_of: Option<PromptId>) -> Vec<Cell> {
    let metadata = &prompt.model_metadata;
    vec![
        Cell::value(prompt.id),
        Cell::value(prompt.session_id),
        Cell::value(prompt.variant),
        Cell::value(write_moment(prompt.created_at)),
        Cell::optional(prompt.score),
        Cell::value(prompt.phase),
        Cell::text(&prompt.persona),
        Cell::text(&prompt.provider),
        Cell::text(&prompt.model),
        Cell::text(&prompt.strategy),
        Cell::text(prompt.tags.join(",")),
        Cell::text(prompt.notes.as_deref().unwrap_or_default()),
        Cell::value(metadata.total_tokens),
        Cell::optional(metadata.cost_usd),
        Cell::text(&prompt.original_input),
        Cell::text(&prompt.content),
        Cell::optional(near_duplicate_of),
    ]
}

/// A header and its rows as CSV.
///
/// # Errors
/// `internal` if a row cannot be written.
pub(super) fn csv_of_rows(
    header: impl IntoIterator<Item = impl Into<String>>,
    rows: impl IntoIterator<Item = Vec<Cell>>,
) -> Result<String> {
    let mut text = String::new();
    write_row(header.into_iter().map(Cell::text), &mut text)?;
    for row in rows {
        write_row(row, &mut text)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::view::samples;

    #[test]
    fn what_a_spreadsheet_would_run_is_guarded_in_every_column_of_text() {
        let mut prompt = samples::prompt("7a3f9c21", 0, "=strategy", "@content", 0.74);
        prompt.persona = "+persona".into();
        prompt.provider = "-provider".into();
        prompt.model = "=model".into();
        prompt.tags = vec!["=tag".into()];
        prompt.notes = Some("\tnotes".into());
        prompt.original_input = "=cmd|' /C calc'!A0".into();
        prompt.score = Some(-1.5);
        let text = csv(&[ListedPrompt { prompt, near_duplicate_of: None }]).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let row = reader.records().next().unwrap().unwrap();
        let guarded = row.iter().filter(|cell| cell.starts_with('\'')).count();
        assert_eq!((guarded, &row[4]), (8, "-1.5"), "{row:?}");
        assert!(
            row.iter().all(|cell| cell == "-1.5" || !cell.starts_with(['=', '+', '-', '@', '\t', '\r'])),
            "{row:?}"
        );
    }
}
