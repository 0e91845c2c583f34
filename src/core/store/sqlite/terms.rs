//! The words of prompts: the FTS5 index `prompt_terms`, and how a query is put to it.
//!
//! The index holds terms that [`crate::text::terms`] made, under the key of their prompt, all forms of a word in one position
//! ([`super::tokenizer`]), and is written in the transaction that writes the prompt; a trigger takes out what is deleted. So it always holds what the rows say, and any part of
//! it can be made anew from them ([`index_from`]). What matches is what [`TextQuery::matches`] says; the properties that
//! hold it to that are in `terms_tests`.
//!
//! How long each prompt is, in terms, is written along with it into [`lengths`]; a search is [`super::ranking`].

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, params};

use super::failure::Outcome;
use super::lengths;
use super::migrate::Part;
use super::rows::Columns;
use super::tokenizer::{NEXT_FORM, NEXT_POSITION};
use crate::domain::Prompt;
use crate::text::query::{Clause, Phrase, TextQuery};
use crate::text::terms::Analyzer;

/// Terms an analyzer remembers before it begins anew: some ten megabytes.
const REMEMBERED: usize = 100_000;

/// Prompts that are indexed between two looks at the database.
const STEP: u32 = 500;

/// Makes the terms of texts. Remembers words, so one is kept for many texts.
#[derive(Debug, Default)]
pub(super) struct Indexer {
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    analyzer: Analyzer,
}

/// What the index holds of a prompt: the terms of each column, as [`super::tokenizer`] reads them.
#[derive(Debug, Default)]
pub(super) struct Entry {
    content: String,
    original_input: String,
    tags: String,
    notes: String,
}

impl Entry {
    /// Positions in it, as FTS5 counts them.
    fn length(&self) -> usize {
        let columns = [&self.content, &self.original_input, &self.tags, &self.notes];
        columns.into_iter().flat_map(|terms| terms.split(NEXT_POSITION)).filter(|terms| !terms.is_empty()).count()
    }
}

impl Indexer {
    /// The entries of prompts, in their order.
    pub(super) fn entries(&self, prompts: &[Prompt]) -> Vec<Entry> {
        prompts.iter().map(|prompt| self.entry(prompt)).collect()
    }

    /// The entry of a prompt.
    pub(super) fn entry(&self, prompt: &Prompt) -> Entry {
        self.entry_of(&prompt.content, &prompt.original_input, &prompt.tags, prompt.notes.as_deref())
    }

    fn entry_of(&self, content: &str, original_input: &str, tags: &[String], notes: Option<&str>) -> Entry {
        // Whatever a holder that died was doing, what it left is made of whole terms.
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entry = Entry {
            content: memory.terms(content),
            original_input: memory.terms(original_input),
            tags: String::new(),
            notes: notes.map_or_else(String::new, |notes| memory.terms(notes)),
        };
        for (place, tag) in tags.iter().enumerate() {
            entry.tags.push_str(if place == 0 { "" } else { " , " });
            entry.tags.push_str(&memory.terms(tag));
        }
        entry
    }
}

impl Memory {
    fn terms(&mut self, text: &str) -> String {
        if self.analyzer.len() > REMEMBERED {
            self.analyzer = Analyzer::default();
        }
        let mut terms = String::with_capacity(text.len());
        let mut words = Vec::new();
        self.analyzer.place(text, |word| words.push(word.forms));
        let mut seen = HashSet::new();
        for forms in words {
            if !terms.is_empty() {
                terms.push(NEXT_POSITION);
            }
            // What a word has several forms of is in the index once, or it would count as several.
            seen.clear();
            for (place, form) in forms.iter().enumerate() {
                if forms.len() == 1 || seen.insert(form.term) {
                    if place > 0 {
                        terms.push(NEXT_FORM);
                    }
                    terms.push_str(self.analyzer.term(form.term));
                }
            }
        }
        terms
    }
}

/// Puts the entries of prompts into the index, in place of those they have.
pub(super) fn put<'entry>(
    connection: &Connection,
    entries: impl IntoIterator<Item = (i64, &'entry Entry)>,
) -> Outcome<()> {
    let mut lengths = Vec::new();
    for (key, entry) in entries {
        put_terms(connection, key, entry)?;
        lengths.push((key, entry.length()));
    }
    lengths::put(connection, &lengths)
}

fn put_terms(connection: &Connection, key: i64, entry: &Entry) -> Outcome<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO prompt_terms (rowid, content, original_input, tags, notes) VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![key, entry.content, entry.original_input, entry.tags, entry.notes])?;
    Ok(())
}

/// Makes the whole index from the rows, for a file that has none yet.
pub(super) fn index_all(connection: &Connection, tell: &mut dyn FnMut(Part)) -> Outcome<()> {
    let indexer = Indexer::default();
    let total = connection.query_row("SELECT count(*) FROM prompts", [], |row| row.get::<_, i64>(0))?.unsigned_abs();
    let (mut after, mut done) = (0, 0);
    loop {
        tell(Part { done, total });
        let entries = entries_after(connection, &indexer, after, STEP)?;
        put(connection, entries.iter().map(|(key, entry)| (*key, entry)))?;
        done += entries.len() as u64;
        match entries.last() {
            Some((last, _)) => after = *last,
            None => return Ok(()),
        }
    }
}

/// Makes the index anew for up to `limit` prompts with a key above `after`, or from the first on, emptying it before.
/// Gives the last key, none when no row is left.
pub(super) fn index_from(
    connection: &Connection,
    indexer: &Indexer,
    after: Option<u64>,
    limit: u32,
) -> Outcome<Option<u64>> {
    if after.is_none() {
        connection.execute("INSERT INTO prompt_terms (prompt_terms) VALUES ('delete-all')", [])?;
    }
    let after = i64::try_from(after.unwrap_or(0)).unwrap_or(i64::MAX);
    let limit = limit.max(1);
    let entries = entries_after(connection, indexer, after, limit)?;
    put(connection, entries.iter().map(|(key, entry)| (*key, entry)))?;
    let last = entries.last().map(|(key, _)| key.unsigned_abs());
    Ok(last.filter(|_| entries.len() == limit as usize))
}

/// The entries of up to `limit` prompts with a key above `after`, made of their rows.
fn entries_after(connection: &Connection, indexer: &Indexer, after: i64, limit: u32) -> Outcome<Vec<(i64, Entry)>> {
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
        entries.push((key, indexer.entry_of(&content, &original_input, &tags, notes.as_deref())));
    }
    Ok(entries)
}

/// The query as FTS5 reads it (<https://www.sqlite.org/fts5.html#full_text_query_syntax>); none where nothing is looked
/// for. Every term is quoted, so none can be taken for syntax.
///
/// A phrase with words as one that nobody has written so is left out: that one phrase alone remains of most is what makes
/// [`super::ranking`] fast.
pub(super) fn expression(connection: &Connection, query: &TextQuery) -> Outcome<Option<String>> {
    if query.is_empty() {
        return Ok(None);
    }
    let phrases = |is_excluded: bool| -> Outcome<Vec<Vec<String>>> {
        let clauses = query.clauses.iter().filter(|clause| clause.is_excluded == is_excluded);
        clauses.map(|clause| phrases_of(connection, clause)).collect()
    };
    let wanted: Vec<String> = phrases(false)?.into_iter().map(|any| format!("({})", any.join(" OR "))).collect();
    let excluded: Vec<String> = phrases(true)?.into_iter().flatten().collect();
    let wanted = wanted.join(" AND ");
    Ok(Some(if excluded.is_empty() { wanted } else { format!("({wanted}) NOT ({})", excluded.join(" OR ")) }))
}

fn phrases_of(connection: &Connection, clause: &Clause) -> Outcome<Vec<String>> {
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
