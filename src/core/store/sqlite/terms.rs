//! The text index: the FTS5 table `prompt_terms`, and the translation of queries.
//!
//! The index holds the terms made by [`crate::text::terms`], under the key of their prompt, all
//! forms of a word in one position ([`super::tokenizer`]). It is written in the transaction that
//! writes the prompt; a trigger removes deleted prompts. So it always agrees with the rows, and any
//! part can be rebuilt from them ([`index_from`]). [`TextQuery::matches`] defines what matches; the
//! property tests are in `terms_tests`. Prompt lengths in terms are written to [`lengths`].
//! [`super::ranking`] searches.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use super::failure::SqliteResult;
use super::lengths;
use super::migrate::RowProgress;
use super::rows::{Columns, integer};
use super::tokenizer::{NEXT_FORM, NEXT_POSITION};
use crate::domain::Prompt;
use crate::text::query::{Clause, Phrase, TextQuery};
use crate::text::terms::{Analyzer, warm};

/// Prompts indexed between two reads of the database.
const STEP: u32 = 500;

/// The index entry of a prompt: the terms of each column, as [`super::tokenizer`] reads them.
#[derive(Debug, Default)]
pub(super) struct Entry {
    content: String,
    original_input: String,
    tags: String,
    notes: String,
}

impl Entry {
    /// Number of positions, as FTS5 counts them.
    fn length(&self) -> usize {
        let columns = [&self.content, &self.original_input, &self.tags, &self.notes];
        columns.into_iter().flat_map(|terms| terms.split(NEXT_POSITION)).filter(|terms| !terms.is_empty()).count()
    }
}

/// The entries of prompts, in their order.
pub(super) fn entries(prompts: &[Prompt]) -> Vec<Entry> {
    prompts.iter().map(entry).collect()
}

/// The index entry of a prompt.
pub(super) fn entry(prompt: &Prompt) -> Entry {
    entry_of(&prompt.content, &prompt.original_input, &prompt.tags, prompt.notes.as_deref())
}

fn entry_of(content: &str, original_input: &str, tags: &[String], notes: Option<&str>) -> Entry {
    let mut analyzer = warm();
    let mut entry = Entry {
        content: terms_of(&mut analyzer, content),
        original_input: terms_of(&mut analyzer, original_input),
        tags: String::new(),
        notes: notes.map_or_else(String::new, |notes| terms_of(&mut analyzer, notes)),
    };
    for (place, tag) in tags.iter().enumerate() {
        entry.tags.push_str(if place == 0 { "" } else { " , " });
        entry.tags.push_str(&terms_of(&mut analyzer, tag));
    }
    entry
}

/// The terms of a text as one column of the index holds them.
fn terms_of(analyzer: &mut Analyzer, text: &str) -> String {
    let mut terms = String::with_capacity(text.len());
    let mut words = Vec::new();
    analyzer.place(text, |word| words.push(word.forms));
    let mut seen = HashSet::new();
    for forms in words {
        if !terms.is_empty() {
            terms.push(NEXT_POSITION);
        }
        // Equal forms of a word are indexed once, or they would count several times.
        seen.clear();
        for (place, form) in forms.iter().enumerate() {
            if forms.len() == 1 || seen.insert(form.term) {
                if place > 0 {
                    terms.push(NEXT_FORM);
                }
                terms.push_str(analyzer.term(form.term));
            }
        }
    }
    terms
}

/// Replaces the index entries of prompts.
pub(super) fn put<'entry>(
    connection: &Connection,
    entries: impl IntoIterator<Item = (i64, &'entry Entry)>,
) -> SqliteResult<()> {
    let mut lengths = Vec::new();
    for (key, entry) in entries {
        put_terms(connection, key, entry)?;
        lengths.push((key, entry.length()));
    }
    lengths::put(connection, &lengths)
}

fn put_terms(connection: &Connection, key: i64, entry: &Entry) -> SqliteResult<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO prompt_terms (rowid, content, original_input, tags, notes) VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![key, entry.content, entry.original_input, entry.tags, entry.notes])?;
    Ok(())
}

/// Builds the whole index from the rows, for a file that has none yet.
pub(super) fn index_all(connection: &Connection, tell: &mut dyn FnMut(RowProgress)) -> SqliteResult<()> {
    let total = connection.query_row("SELECT count(*) FROM prompts", [], |row| row.get::<_, i64>(0))?.unsigned_abs();
    let (mut after, mut done) = (0, 0);
    loop {
        tell(RowProgress { done, total });
        let entries = entries_after(connection, after, STEP)?;
        put(connection, entries.iter().map(|(key, entry)| (*key, entry)))?;
        done += entries.len() as u64;
        match entries.last() {
            Some((last, _)) => after = *last,
            None => return Ok(()),
        }
    }
}

/// Reindexes up to `limit` prompts with a key above `after`; `None` empties the index first.
/// Returns the last key, `None` when no row is left.
pub(super) fn index_from(connection: &Connection, after: Option<u64>, limit: u32) -> SqliteResult<Option<u64>> {
    if after.is_none() {
        connection.execute("INSERT INTO prompt_terms (prompt_terms) VALUES ('delete-all')", [])?;
    }
    let after = integer(after.unwrap_or(0));
    let limit = limit.max(1);
    let entries = entries_after(connection, after, limit)?;
    put(connection, entries.iter().map(|(key, entry)| (*key, entry)))?;
    let last = entries.last().map(|(key, _)| key.unsigned_abs());
    Ok(last.filter(|_| entries.len() == limit as usize))
}

/// The entries of up to `limit` prompts with a key above `after`, built from their rows.
fn entries_after(connection: &Connection, after: i64, limit: u32) -> SqliteResult<Vec<(i64, Entry)>> {
    let mut statement = connection
        .prepare_cached("SELECT key, content, original_input, notes FROM prompts WHERE key > ? ORDER BY key LIMIT ?")?;
    let mut tags_of = connection.prepare_cached("SELECT tag FROM tags WHERE prompt = ? ORDER BY position")?;
    let mut rows = statement.query(params![after, limit])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of(row);
        let key: i64 = columns.take()?;
        let (content, original_input): (String, String) = (columns.take()?, columns.take()?);
        let notes: Option<String> = columns.take()?;
        let tags = tags_of.query_map([key], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
        entries.push((key, entry_of(&content, &original_input, &tags, notes.as_deref())));
    }
    Ok(entries)
}

/// The query in FTS5 syntax (<https://www.sqlite.org/fts5.html#full_text_query_syntax>); `None` if
/// it has no terms to find. Every term is quoted, so none is read as syntax.
///
/// A joined-word alternative that occurs in no prompt is left out, so that most expressions have a
/// single phrase, which [`super::ranking`] handles fast.
pub(super) fn expression(connection: &Connection, query: &TextQuery) -> SqliteResult<Option<String>> {
    if query.is_empty() {
        return Ok(None);
    }
    let phrases = |is_excluded: bool| -> SqliteResult<Vec<Vec<String>>> {
        let clauses = query.clauses.iter().filter(|clause| clause.is_excluded == is_excluded);
        clauses.map(|clause| phrases_of(connection, clause)).collect()
    };
    let wanted: Vec<String> = phrases(false)?.into_iter().map(|any| format!("({})", any.join(" OR "))).collect();
    let excluded: Vec<String> = phrases(true)?.into_iter().flatten().collect();
    let wanted = wanted.join(" AND ");
    Ok(Some(if excluded.is_empty() { wanted } else { format!("({wanted}) NOT ({})", excluded.join(" OR ")) }))
}

fn phrases_of(connection: &Connection, clause: &Clause) -> SqliteResult<Vec<String>> {
    let mut is_there = connection.prepare_cached("SELECT 1 FROM prompt_terms WHERE prompt_terms MATCH ? LIMIT 1")?;
    let mut phrases = Vec::with_capacity(clause.any.len());
    for (place, of_clause) in clause.any.iter().enumerate() {
        let phrase = phrase(of_clause);
        if place == 0 || !of_clause.has_words_as_one() || is_there.exists([&phrase])? {
            phrases.push(phrase);
        }
    }
    Ok(phrases)
}

fn phrase(phrase: &Phrase) -> String {
    let quoted = phrase.terms.join(" ").replace('"', "\"\"");
    format!("\"{quoted}\"{}", if phrase.is_prefix { " *" } else { "" })
}

#[cfg(test)]
#[path = "terms_tests.rs"]
pub(super) mod tests;
