//! Prompts by their words: the FTS5 index `prompt_terms`, kept and searched.
//!
//! The index holds terms that [`crate::text::terms`] made, under the key of their prompt, and is written in the
//! transaction that writes the prompt; a trigger takes out what is deleted. So it always holds what the rows say, and any part of
//! it can be made anew from them ([`index_from`]). What matches is what [`TextQuery::matches`] says; the properties that
//! hold it to that are in `terms_tests`.
//!
//! The words drive: FTS5 gives the matches, a filter is checked for each by its key. A search is ordered by
//! `bm25(prompt_terms, …)`, not by FTS5's `rank`, which sorts every match where this keeps the best.

use std::sync::{Mutex, PoisonError};

use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};

use super::failure::Outcome;
use super::filter::Query;
use super::rows::{Columns, millis_not_before};
use crate::domain::{Phase, Prompt, PromptId};
use crate::store::{Filter, Found, Hit, Lexical};
use crate::text::query::{Phrase, TextQuery};
use crate::text::terms::{Analyzer, Placed};

/// Terms an analyzer remembers before it begins anew: some ten megabytes.
const REMEMBERED: usize = 100_000;

/// Prompts that are indexed between two looks at the database.
const STEP: u32 = 500;

/// How much a word counts in content, original input, tags, notes: what a person wrote about a prompt tells more of it than
/// one word of many in its text.
const WEIGHTS: &str = "1.0, 2.0, 4.0, 2.0";

/// Makes the terms of texts. Remembers words, so one is kept for many texts.
#[derive(Debug, Default)]
pub(super) struct Indexer {
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    analyzer: Analyzer,
    placed: Vec<Placed>,
}

/// What the index holds of a prompt: the terms of each column, one blank between two.
#[derive(Debug, Default)]
pub(super) struct Entry {
    content: String,
    original_input: String,
    tags: String,
    notes: String,
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
        self.placed.clear();
        self.analyzer.place(text, &mut self.placed);
        let mut terms = String::with_capacity(text.len());
        for place in &self.placed {
            if !terms.is_empty() {
                terms.push(' ');
            }
            terms.push_str(self.analyzer.term(place.term));
        }
        terms
    }
}

/// Puts the entry of a prompt into the index, in place of the one it has.
pub(super) fn put(connection: &Connection, key: i64, entry: &Entry) -> Outcome<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO prompt_terms (rowid, content, original_input, tags, notes) VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![key, entry.content, entry.original_input, entry.tags, entry.notes])?;
    Ok(())
}

/// Makes the whole index anew from the rows.
pub(super) fn index_all(connection: &Connection) -> Outcome<()> {
    let indexer = Indexer::default();
    let mut place = None;
    loop {
        place = index_from(connection, &indexer, place, STEP)?;
        if place.is_none() {
            return Ok(());
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
    let mut statement = connection
        .prepare_cached("SELECT key, content, original_input, notes FROM prompts WHERE key > ? ORDER BY key LIMIT ?")?;
    let mut tags_of = connection.prepare_cached("SELECT tag FROM tags WHERE prompt = ? ORDER BY position")?;
    let mut rows = statement.query(params![after, limit])?;
    let (mut last, mut count) = (None, 0);
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of(row);
        let key: i64 = columns.take()?;
        let (content, original_input): (String, String) = (columns.take()?, columns.take()?);
        let notes: Option<String> = columns.take()?;
        let tags = tags_of.query_map([key], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
        put(connection, key, &indexer.entry_of(&content, &original_input, &tags, notes.as_deref()))?;
        last = Some(key.unsigned_abs());
        count += 1;
    }
    Ok(last.filter(|_| count == limit))
}

/// The prompts that match and pass the filter, best first; of equals the one stored last comes first.
pub(super) fn search(connection: &Connection, wanted: &Lexical) -> Outcome<Found> {
    let Some(expression) = expression(&wanted.query) else { return Ok(Found::default()) };
    let matches = Matches::of(expression, &wanted.filter);
    let score = format!("bm25(prompt_terms, {WEIGHTS})");
    let order = " ORDER BY 2, prompt_terms.rowid DESC LIMIT ? OFFSET ?";
    let mut page = matches.query(&format!("prompt_terms.rowid, {score}"), order);
    page.values.push(Value::Integer(wanted.limit.into()));
    page.values.push(Value::Integer(i64::try_from(wanted.offset).unwrap_or(i64::MAX)));
    let mut hits = Vec::new();
    if wanted.limit > 0 {
        let mut id_of = connection.prepare_cached("SELECT id FROM prompts WHERE key = ?")?;
        let mut statement = connection.prepare_cached(&page.sql)?;
        let mut rows = statement.query(params_from_iter(page.values))?;
        while let Some(row) = rows.next()? {
            let mut columns = Columns::of(row);
            let (key, score): (i64, f64) = (columns.take()?, columns.take()?);
            let id = id_of.query_row([key], |row| Ok(Columns::of(row).id()))??;
            // FTS5 gives what is better a smaller number.
            hits.push(Hit { id: PromptId(id), score: -score });
        }
    }
    let is_last_page = hits.len() < wanted.limit as usize && (!hits.is_empty() || wanted.offset == 0);
    let total = if is_last_page { wanted.offset + hits.len() as u64 } else { matches.count(connection)? };
    Ok(Found { hits, total })
}

/// The matches of an expression that pass a filter.
struct Matches {
    /// From where, and under which conditions.
    sql: String,
    values: Vec<Value>,
}

impl Matches {
    fn of(expression: String, filter: &Filter) -> Self {
        let columns = [
            ("phase = ?", filter.phase.map(|phase| Value::Text(Phase::as_str(phase).to_owned()))),
            ("provider = ?", filter.provider.clone().map(Value::Text)),
            ("model = ?", filter.model.clone().map(Value::Text)),
            ("persona = ?", filter.persona.clone().map(Value::Text)),
            ("session_id = ?", filter.session_id.map(|session| Value::Blob(session.0.as_bytes().to_vec()))),
            ("created_at >= ?", filter.since.map(|since| Value::Integer(millis_not_before(since)))),
            ("created_at < ?", filter.until.map(|until| Value::Integer(millis_not_before(until)))),
        ];
        let (mut joins, mut conditions) = (String::new(), String::from(" WHERE prompt_terms MATCH ?"));
        let mut values = vec![Value::Text(expression)];
        for (condition, value) in columns {
            if let Some(value) = value {
                if joins.is_empty() {
                    // CROSS JOIN: the words drive. The index holds every column that is asked for.
                    joins.push_str(" CROSS JOIN prompts p INDEXED BY prompts_by_key ON p.key = prompt_terms.rowid");
                }
                conditions.push_str(" AND p.");
                conditions.push_str(condition);
                values.push(value);
            }
        }
        for tag in &filter.tags {
            // The plus: nor may a tag drive, for FTS5 would search anew for each prompt that carries it.
            conditions
                .push_str(" AND EXISTS (SELECT 1 FROM tags t WHERE t.prompt = +prompt_terms.rowid AND t.tag = ?)");
            values.push(Value::Text(tag.clone()));
        }
        Self { sql: format!(" FROM prompt_terms{joins}{conditions}"), values }
    }

    fn query(&self, what: &str, then: &str) -> Query {
        Query { sql: format!("SELECT {what}{}{then}", self.sql), values: self.values.clone() }
    }

    fn count(&self, connection: &Connection) -> Outcome<u64> {
        let query = self.query("count(*)", "");
        let mut statement = connection.prepare_cached(&query.sql)?;
        let rows: i64 = statement.query_row(params_from_iter(query.values), |row| row.get(0))?;
        Ok(rows.unsigned_abs())
    }
}

/// The query as FTS5 reads it (<https://www.sqlite.org/fts5.html#full_text_query_syntax>); none where nothing is looked
/// for. Every term is quoted, so none can be taken for syntax.
fn expression(query: &TextQuery) -> Option<String> {
    if query.is_empty() {
        return None;
    }
    let phrases = |is_excluded: bool| {
        let clauses = query.clauses.iter().filter(move |clause| clause.is_excluded == is_excluded);
        clauses.map(|clause| clause.any.iter().map(phrase).collect::<Vec<_>>())
    };
    let wanted: Vec<String> = phrases(false).map(|any| format!("({})", any.join(" OR "))).collect();
    let excluded: Vec<String> = phrases(true).flatten().collect();
    let wanted = wanted.join(" AND ");
    Some(if excluded.is_empty() { wanted } else { format!("({wanted}) NOT ({})", excluded.join(" OR ")) })
}

fn phrase(phrase: &Phrase) -> String {
    let quoted = phrase.terms.join(" ").replace('"', "\"\"");
    format!("\"{quoted}\"{}", if phrase.is_prefix { " *" } else { "" })
}

#[cfg(test)]
#[path = "terms_tests.rs"]
pub(super) mod tests;
