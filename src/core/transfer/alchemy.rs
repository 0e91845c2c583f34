//! Imports the history of the Go program prompt-alchemy.
//!
//! Columns with a counterpart are mapped; others with information (`usage_count`,
//! `relevance_score`, `enhancement_method`, …) become lines of the notes, under `From
//! prompt-alchemy:`. An id that is not a UUID is mapped to one derived from it, so that children
//! find their parents and a second import finds existing prompts; the old id is put in the notes. A
//! relevance is not a score here, and stays a note. A hash of the content is dropped.
//!
//! A row with no content, or past a limit, is skipped and counted with its reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::import::{Stage, TransferProgress, yield_to_tasks};
use super::intake::RecordImporter;
use super::read::{RawRecord, RecordPosition};
use super::record::{Decoder, stable_id};
use crate::domain::{ImportReport, Phase, Source, Timestamp, limits, write_moment};
use crate::error::{Faults, Result};
use crate::store::Store;
use crate::store::sqlite::alchemy::{AlchemyFile, AlchemyRow, Cell};
use crate::text::shown;

/// Rows read at once.
const PAGE: u32 = 500;

/// The strategy of imported prompts.
const STRATEGY: &str = "imported";

/// Stores the prompts of a file, reporting progress to `watch`.
///
/// # Errors
/// `file` if the file is damaged; `storage`.
pub async fn import(
    store: &dyn Store,
    file: AlchemyFile,
    dry_run: bool,
    now: Timestamp,
    mut watch: impl FnMut(TransferProgress),
) -> Result<ImportReport> {
    let mut intake = RecordImporter::into(store, dry_run);
    let mut decoder = Decoder::at(now);
    let (mut after, mut record, mut skipped) = (i64::MIN, 0, ImportReport::default());
    loop {
        let rows = file.rows_after(after, PAGE)?;
        let Some(last) = rows.last() else { break };
        after = last.number;
        for row in rows {
            record += 1;
            let number = row.number;
            let decoded = match members(row) {
                Ok(members) => {
                    let place = RecordPosition { record, line: None, column: None };
                    decoder.decode(RawRecord { members, place }).map_err(|faults| Faults::from(faults).to_string())
                }
                Err(reason) => Err(reason.to_owned()),
            };
            match decoded {
                Ok(record) => intake.take(record).await?,
                Err(reason) => skipped.skip(reason, format!("row {number}")),
            }
        }
        watch(TransferProgress { stage: Stage::Storing, prompts: record, total: Some(file.rows()) });
        yield_to_tasks().await;
    }
    let report = intake.finish().await?;
    Ok(ImportReport { records: record, skipped: skipped.skipped, skips: skipped.skips, ..report })
}

/// A row's columns, taken one by one.
struct Columns {
    cells: BTreeMap<&'static str, Cell>,
    /// The columns without a counterpart.
    notes: String,
}

impl Columns {
    /// A column as text; blank ones are absent.
    fn text(&mut self, name: &str) -> Option<String> {
        let text = match self.cells.remove(name)? {
            Cell::Text(text) => text,
            Cell::Integer(number) => number.to_string(),
            Cell::Real(number) => number.to_string(),
            Cell::Bytes => return None,
        };
        (!text.trim().is_empty()).then_some(text)
    }

    fn number(&mut self, name: &str) -> Option<f64> {
        match self.cells.get(name)? {
            Cell::Integer(number) => Some(*number as f64),
            Cell::Real(number) => Some(*number),
            Cell::Text(text) => text.trim().parse().ok(),
            Cell::Bytes => None,
        }
    }

    /// Adds a column to the notes, unless it is empty or zero.
    fn note(&mut self, name: &'static str) {
        if self.number(name).is_some_and(|number| number == 0.0) {
            return;
        }
        if let Some(text) = self.text(name) {
            self.write_note(name, &text);
        }
    }

    fn write_note(&mut self, name: &str, text: &str) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = write!(self.notes, "\n{name}: {text}");
    }

    /// A name; an invalid one becomes a note.
    fn name(&mut self, name: &'static str) -> Option<String> {
        let text = self.text(name)?;
        let is_long = text.chars().nth(limits::NAME_CHARS).is_some();
        if is_long || shown::unfit_for_a_name(&text).is_some() {
            self.write_note(name, &text);
            return None;
        }
        Some(text)
    }

    /// A moment; an unreadable one becomes a note.
    fn moment(&mut self, name: &'static str) -> Option<Timestamp> {
        let moment = match self.cells.get(name)? {
            Cell::Integer(number) => unix(*number as f64),
            Cell::Real(number) => unix(*number),
            Cell::Text(text) => written(text.trim()),
            Cell::Bytes => None,
        };
        if moment.is_none() {
            self.note(name);
        }
        moment
    }

    /// A column's id, or one derived from it with the original text.
    fn id(&mut self, name: &str, kind: &str) -> Option<(Uuid, Option<String>)> {
        let text = self.text(name)?;
        match Uuid::try_parse(text.trim()) {
            Ok(id) if id.is_nil() => None,
            Ok(id) => Some((id, None)),
            Err(_) => Some((stable_id(kind, &[&text]), Some(text))),
        }
    }
}

/// The fields of a prompt from a row, or why there is none.
fn members(row: AlchemyRow) -> std::result::Result<Map<String, Value>, &'static str> {
    let mut columns = Columns { cells: row.cells, notes: String::new() };
    let content = match columns.cells.remove("content") {
        Some(Cell::Text(text)) if !text.trim().is_empty() => text,
        Some(Cell::Bytes) => return Err("its content is not UTF-8 text"),
        Some(Cell::Integer(number)) => number.to_string(),
        Some(Cell::Real(number)) => number.to_string(),
        Some(Cell::Text(_)) | None => return Err("it has no content"),
    };
    let mut members = Map::new();
    let mut give = |name: &str, value: Value| members.insert(name.to_owned(), value);
    give("content", content.into());
    give("strategy", STRATEGY.into());
    for (name, kind) in
        [("id", "prompt-alchemy"), ("parent_id", "prompt-alchemy"), ("session_id", "prompt-alchemy run")]
    {
        if let Some((id, made_from)) = columns.id(name, kind) {
            give(name, id.to_string().into());
            if let Some(text) = made_from {
                columns.write_note(name, &text);
            }
        }
    }
    give("phase", phase(&mut columns).as_str().into());
    give("source", source(&mut columns).as_str().into());
    let provider = columns.name("provider").unwrap_or_else(|| "unknown".into());
    let model = columns.name("model").unwrap_or_else(|| "unknown".into());
    give("model_metadata", account(&mut columns, &provider, &model));
    give("provider", provider.into());
    give("model", model.into());
    if let Some(text) = columns.text("original_input") {
        give("original_input", text.into());
    }
    if let Some(name) = columns.name("persona_used") {
        give("persona", name.into());
    }
    match columns.number("temperature") {
        Some(wanted) if (0.0..=limits::MAX_TEMPERATURE).contains(&wanted) => {
            give("temperature", wanted.into());
        }
        _ => columns.note("temperature"),
    }
    match columns.number("max_tokens") {
        Some(wanted) if (1.0..=limits::MAX_TOKENS as f64).contains(&wanted) && wanted.fract() == 0.0 => {
            give("max_tokens", wanted.into());
        }
        _ => columns.note("max_tokens"),
    }
    give("tags", tags(&mut columns).into());
    let (created_at, updated_at) = (columns.moment("created_at"), columns.moment("updated_at"));
    for (name, moment) in [("created_at", created_at.or(updated_at)), ("updated_at", updated_at.or(created_at))] {
        if let Some(moment) = moment {
            give(name, write_moment(moment).into());
        }
    }
    if let Some(moment) = columns.moment("last_used_at") {
        columns.write_note("last_used_at", &write_moment(moment));
    }
    for name in ["enhancement_method", "relevance_score", "usage_count", "generation_count", "target_model_family"] {
        columns.note(name);
    }
    if !columns.notes.is_empty() {
        give("notes", format!("From prompt-alchemy:{}", columns.notes).into());
    }
    Ok(members)
}

/// The phase, by its current or older name. Anything else becomes a note.
fn phase(columns: &mut Columns) -> Phase {
    let Some(text) = columns.text("phase") else { return Phase::Coagulatio };
    match text.trim().to_lowercase().replace('_', "-").as_str() {
        "prima-materia" | "idea" => Phase::PrimaMateria,
        "solutio" | "human" => Phase::Solutio,
        "coagulatio" | "precision" => Phase::Coagulatio,
        _ => {
            columns.write_note("phase", &text);
            Phase::Coagulatio
        }
    }
}

/// The source. Unknown values become a note.
fn source(columns: &mut Columns) -> Source {
    let Some(text) = columns.text("source_type") else { return Source::Imported };
    match text.trim().to_lowercase().as_str() {
        "generated" => Source::Generated,
        "optimized" | "optimised" => Source::Optimized,
        "manual" => Source::Manual,
        "imported" => Source::Imported,
        _ => {
            columns.write_note("source_type", &text);
            Source::Imported
        }
    }
}

/// The account, as far as known: tokens and the embedder. The price is unknown.
fn account(columns: &mut Columns, provider: &str, model: &str) -> Value {
    let tokens = columns.number("actual_tokens").filter(|count| (0.0..9e15).contains(count)).unwrap_or(0.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and within 0..2^53, as checked")]
    let tokens = tokens as u64;
    json!({
        "provider": provider,
        "model": model,
        // The row does not distinguish input from output tokens.
        "output_tokens": tokens,
        "total_tokens": tokens,
        "estimated": tokens > 0,
        "embedding_provider": columns.name("embedding_provider"),
        "embedding_model": columns.name("embedding_model"),
    })
}

/// The valid tags. Others become a note.
fn tags(columns: &mut Columns) -> Vec<String> {
    let Some(text) = columns.text("tags") else { return Vec::new() };
    let given = match serde_json::from_str::<Value>(&text) {
        Ok(Value::Array(items)) => {
            let texts = items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned));
            texts.collect::<Vec<_>>().join(",")
        }
        Ok(Value::Null) => return Vec::new(),
        Ok(Value::String(text)) => text,
        _ => text,
    };
    let (mut tags, mut others): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    for tag in given.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
        let fits = tag.chars().count() <= limits::TAG_CHARS && shown::unfit_for_a_name(tag).is_none();
        if tags.iter().any(|known| known == tag) {
            continue;
        }
        if fits && tags.len() < limits::MAX_TAGS { tags.push(tag.to_owned()) } else { others.push(tag) }
    }
    if !others.is_empty() {
        columns.write_note("tags", &others.join(", "));
    }
    tags
}

/// A Unix timestamp in seconds, or in a finer unit if seconds would be thousands of years ahead.
fn unix(number: f64) -> Option<Timestamp> {
    let millis = match number.abs() {
        size if size < 1e11 => number * 1e3,
        size if size < 1e14 => number,
        size if size < 1e17 => number / 1e3,
        _ => number / 1e6,
    };
    #[expect(clippy::cast_possible_truncation, reason = "what does not fit is no moment, and saturates")]
    let millis = millis as i64;
    Timestamp::from_millisecond(millis).ok()
}

/// A moment as text: a number, RFC 3339, SQLite's `2025-01-02 03:04:05`, or Go's `2025-01-02
/// 03:04:05.6 +0200 CEST`.
fn written(text: &str) -> Option<Timestamp> {
    if let Ok(number) = text.parse::<f64>() {
        return unix(number);
    }
    let mut parts = text.split_whitespace();
    let (day, time, offset) = (parts.next()?, parts.next(), parts.next());
    let whole = match time {
        Some(time) => format!("{day}T{time}"),
        None if !day.contains('T') => format!("{day}T00:00:00"),
        None => day.to_owned(),
    };
    let ends = [offset.unwrap_or_default(), "", "Z"];
    let moment = ends.iter().find_map(|end| format!("{whole}{end}").parse::<Timestamp>().ok())?;
    Some(crate::time::from_millis(moment.as_millisecond()))
}

#[cfg(test)]
#[path = "alchemy_tests.rs"]
mod tests;
