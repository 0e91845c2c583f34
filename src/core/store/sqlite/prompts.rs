//! Prompts as rows: storing, loading, and the keys of pages.
//!
//! A prompt is one row of `prompts`, one of `steps` per phase, one of `tags` per tag, and an entry
//! of the text index ([`super::terms`]). [`super::filter`] finds rows as keys; they are loaded
//! here, four statements for any number of prompts. The embedding fields of a prompt's account are
//! never stored: they are derived from its vectors. Mutations are in [`super::changes`].

use std::collections::HashMap;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use super::cursor::{List, Mark};
use super::failure::{Failure, SqliteResult};
use super::fragment;
use super::rows::{Columns, integer, json, millis};
use super::terms::Entry;
use super::{filter, sessions, terms, totals};
use crate::domain::{Filter, ModelMetadata, Order, Prompt, PromptId, SessionId, Step, limits};
use crate::error::Error;
use crate::store::tally::TotalsChange;
use crate::store::{Page, PageSpec};

/// Stores new prompts with their index entries, and a run for each whose run is unknown.
pub(super) fn append(connection: &Connection, prompts: &[Prompt], entries: &[Entry]) -> SqliteResult<()> {
    sessions::begin_unknown(connection, prompts)?;
    let keys = prompts.iter().map(|prompt| insert(connection, prompt)).collect::<SqliteResult<Vec<i64>>>()?;
    // Counted here, the only place that adds prompts: a trigger would make FTS5 flush each time.
    connection
        .prepare_cached("UPDATE totals SET prompts = prompts + ?1, changes = changes + ?1 WHERE key = 1")?
        .execute([integer(keys.len())])?;
    totals::change(connection, TotalsChange::Add, prompts)?;
    terms::put(connection, keys.into_iter().zip(entries))
}

/// Stores a prompt without its index entry; returns its key.
fn insert(connection: &Connection, prompt: &Prompt) -> SqliteResult<i64> {
    check_finite("temperature", Some(prompt.temperature))?;
    check_finite("score", prompt.score)?;
    let inserted = connection
        .prepare_cached(
            "INSERT INTO prompts (id, id_tail, session_id, parent_id, variant, revision, created_at, updated_at, score, score_formula,
                 temperature, max_tokens, phase, persona, provider, model, source, strategy, model_metadata, notes,
                 context, original_input, content)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (id) DO NOTHING",
        )?
        .execute(params![
            prompt.id.0.as_bytes(),
            fragment::tail(prompt.id.0),
            prompt.session_id.0.as_bytes(),
            prompt.parent_id.as_ref().map(|parent| parent.0.as_bytes()),
            prompt.variant,
            prompt.revision,
            millis(prompt.created_at),
            millis(prompt.updated_at),
            prompt.score,
            prompt.score_formula,
            prompt.temperature,
            prompt.max_tokens,
            prompt.phase.as_str(),
            prompt.persona,
            prompt.provider,
            prompt.model,
            prompt.source.as_str(),
            prompt.strategy,
            json(&without_embedding(&prompt.model_metadata))?,
            prompt.notes,
            json(&prompt.context)?,
            prompt.original_input,
            prompt.content,
        ])?;
    if inserted == 0 {
        return Err(Error::Conflict(format!("a prompt with the id {} is stored already", prompt.id)).into());
    }
    let key = connection.last_insert_rowid();
    insert_steps(connection, key, prompt)?;
    insert_tags(connection, key, prompt, &prompt.tags)?;
    Ok(key)
}

fn insert_steps(connection: &Connection, key: i64, prompt: &Prompt) -> SqliteResult<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO steps (prompt, position, phase, provider, model, model_metadata, content)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (position, step) in prompt.steps.iter().enumerate() {
        statement.execute(params![
            key,
            integer(position),
            step.phase.as_str(),
            step.provider,
            step.model,
            json(&step.model_metadata)?,
            (step.content != prompt.content).then_some(&step.content),
        ])?;
    }
    Ok(())
}

/// Inserts the tags of a prompt, in this order, without duplicates.
pub(super) fn insert_tags(connection: &Connection, key: i64, prompt: &Prompt, tags: &[String]) -> SqliteResult<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO tags (prompt, tag, position, created_at, id) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
    )?;
    for (position, tag) in tags.iter().enumerate() {
        let position = integer(position);
        statement.execute(params![key, tag, position, millis(prompt.created_at), prompt.id.0.as_bytes()])?;
    }
    Ok(())
}

/// SQLite would store NaN as null.
pub(super) fn check_finite(field: &str, number: Option<f64>) -> SqliteResult<()> {
    match number {
        Some(number) if !number.is_finite() => Err(Error::value(field, "must be a finite number").into()),
        _ => Ok(()),
    }
}

/// The key of a prompt, if it exists.
pub(super) fn key_of(connection: &Connection, id: PromptId) -> SqliteResult<Option<i64>> {
    let mut statement = connection.prepare_cached("SELECT key FROM prompts WHERE id = ?")?;
    Ok(statement.query_row([id.0.as_bytes()], |row| row.get(0)).optional()?)
}

/// The columns of a prompt, its key first.
macro_rules! columns {
    () => {
        "p.key, p.id, p.session_id, p.variant, p.content, p.original_input, p.phase, p.persona, p.provider,
         p.model, p.temperature, p.max_tokens, p.context, p.notes, p.parent_id, p.source, p.strategy, p.revision,
         p.score, p.score_formula, p.model_metadata, p.created_at, p.updated_at"
    };
}

/// A query about one wanted prompt, and the same about several: those first, then each looked up.
///
/// The sum keeps SQLite from planning the query anew for each key: with statistics of the values
/// (`sqlite_stat4`) a bound value would be part of the plan.
macro_rules! about_wanted {
    ($columns:expr, $tables:literal, $key:literal, $order:literal) => {
        [
            concat!("SELECT ", $columns, " FROM ", $tables, " WHERE ", $key, " = ? + 0 ", $order),
            concat!(
                "SELECT ",
                $columns,
                " FROM json_each(?) wanted CROSS JOIN ",
                $tables,
                " WHERE ",
                $key,
                " = wanted.value ",
                $order
            ),
        ]
    };
}

/// The prompts to load, by their keys. One is looked up directly, which is faster.
enum RowKeys {
    One(i64),
    Several { keys: String, places: HashMap<i64, usize> },
}

impl RowKeys {
    fn of(keys: &[i64]) -> SqliteResult<Self> {
        match keys {
            [key] => Ok(Self::One(*key)),
            keys => {
                let places = keys.iter().enumerate().map(|(place, key)| (*key, place)).collect();
                Ok(Self::Several { keys: json(&keys)?, places })
            }
        }
    }

    /// Calls `take` with the place and the other columns of each row, whose first column is the key.
    fn each_row(
        &self,
        connection: &Connection,
        [about_one, about_several]: [&str; 2],
        mut take: impl FnMut(usize, Columns<'_, '_>) -> SqliteResult<()>,
    ) -> SqliteResult<()> {
        let (sql, value) = match self {
            Self::One(key) => (about_one, Value::Integer(*key)),
            Self::Several { keys, .. } => (about_several, Value::Text(keys.clone())),
        };
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query([value])?;
        while let Some(row) = rows.next()? {
            let mut columns = Columns::of(row);
            take(self.place_of(columns.take()?)?, columns)?;
        }
        Ok(())
    }

    fn place_of(&self, key: i64) -> SqliteResult<usize> {
        let place = match self {
            Self::One(wanted) => (*wanted == key).then_some(0),
            Self::Several { places, .. } => places.get(&key).copied(),
        };
        place.ok_or_else(|| Failure::damaged("a row was read that was not asked for"))
    }
}

/// One prompt, if it exists.
pub(super) fn get(connection: &Connection, id: PromptId) -> SqliteResult<Option<Prompt>> {
    let sql = concat!("SELECT ", columns!(), " FROM prompts p WHERE p.id = ?");
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([id.0.as_bytes()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let mut columns = Columns::of(row);
    let wanted = RowKeys::One(columns.take()?);
    let mut loaded = [Some(prompt(columns)?)];
    drop(rows);
    complete(connection, &wanted, &mut loaded)?;
    let [loaded] = loaded;
    Ok(loaded)
}

/// A page of prompts, in order.
pub(super) fn page(
    connection: &Connection,
    filter: &Filter,
    order: Order,
    page: &PageSpec,
) -> SqliteResult<Page<Prompt>> {
    check_limit(page)?;
    // One extra row tells whether there is a next page.
    let query = filter::page(connection, filter, order, page.cursor.as_deref(), page.limit + 1, page.offset)?;
    let mut keys = connection
        .prepare_cached(&query.sql)?
        .query_map(params_from_iter(query.values), |row| row.get(0))?
        .collect::<Result<Vec<i64>, _>>()?;
    let more = keys.len() > page.limit as usize;
    keys.truncate(page.limit as usize);
    let items = load(connection, &keys)?;
    let next_cursor = items.last().filter(|_| more).map(|last| {
        let score_key = if order == Order::Score { last.score.unwrap_or(-1.0) } else { 0.0 };
        Mark { score_key, created_at: millis(last.created_at), id: last.id.0 }.encode(List::Prompts(order))
    });
    Ok(Page { items, next_cursor })
}

/// Checks the limit of a page against the contract.
pub(super) fn check_limit(page: &PageSpec) -> SqliteResult<()> {
    if (1..=limits::MAX_LIMIT).contains(&u64::from(page.limit)) {
        return Ok(());
    }
    Err(Error::value("limit", format!("must be 1 to {}, not {}", limits::MAX_LIMIT, page.limit)).into())
}

/// Loads these prompts whole, in the order of the keys; unknown keys are skipped.
pub(super) fn load(connection: &Connection, keys: &[i64]) -> SqliteResult<Vec<Prompt>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = RowKeys::of(keys)?;
    let mut prompts: Vec<Option<Prompt>> = keys.iter().map(|_| None).collect();
    wanted.each_row(connection, about_wanted!(columns!(), "prompts p", "p.key", ""), |place, columns| {
        prompts[place] = Some(prompt(columns)?);
        Ok(())
    })?;
    complete(connection, &wanted, &mut prompts)?;
    Ok(prompts.into_iter().flatten().collect())
}

fn prompt(mut columns: Columns<'_, '_>) -> SqliteResult<Prompt> {
    Ok(Prompt {
        id: PromptId(columns.id()?),
        session_id: SessionId(columns.id()?),
        variant: columns.take()?,
        content: columns.take()?,
        original_input: columns.take()?,
        phase: columns.phase()?,
        persona: columns.take()?,
        provider: columns.take()?,
        model: columns.take()?,
        temperature: columns.take()?,
        max_tokens: columns.take()?,
        tags: Vec::new(),
        context: columns.json()?,
        notes: columns.take()?,
        parent_id: columns.optional_id()?.map(PromptId),
        source: columns.source()?,
        strategy: columns.take()?,
        revision: columns.take()?,
        score: columns.take()?,
        score_formula: columns.take()?,
        steps: Vec::new(),
        model_metadata: columns.json()?,
        created_at: columns.moment()?,
        updated_at: columns.moment()?,
    })
}

/// Adds what is in other tables: the steps, the tags, and the provider and model of the newest vectors.
fn complete(connection: &Connection, wanted: &RowKeys, prompts: &mut [Option<Prompt>]) -> SqliteResult<()> {
    let steps = about_wanted!(
        "s.prompt, s.phase, s.provider, s.model, s.content, s.model_metadata",
        "steps s",
        "s.prompt",
        "ORDER BY s.prompt, s.position"
    );
    wanted.each_row(connection, steps, |place, mut columns| {
        let Some(prompt) = &mut prompts[place] else { return Ok(()) };
        prompt.steps.push(Step {
            phase: columns.phase()?,
            provider: columns.take()?,
            model: columns.take()?,
            content: columns.take::<Option<String>>()?.unwrap_or_else(|| prompt.content.clone()),
            model_metadata: columns.json()?,
        });
        Ok(())
    })?;
    let tags = about_wanted!("t.prompt, t.tag", "tags t", "t.prompt", "ORDER BY t.prompt, t.position");
    wanted.each_row(connection, tags, |place, mut columns| {
        if let Some(prompt) = &mut prompts[place] {
            prompt.tags.push(columns.take()?);
        }
        Ok(())
    })?;
    // Served from an index: the vectors themselves are not read.
    let vectors = about_wanted!(
        "v.prompt, s.provider, s.model",
        "vectors v CROSS JOIN spaces s ON s.key = v.space",
        "v.prompt",
        "ORDER BY v.number"
    );
    wanted.each_row(connection, vectors, |place, mut columns| {
        if let Some(prompt) = &mut prompts[place] {
            prompt.model_metadata.embedding_provider = columns.take()?;
            prompt.model_metadata.embedding_model = columns.take()?;
        }
        Ok(())
    })
}

fn without_embedding(account: &ModelMetadata) -> ModelMetadata {
    ModelMetadata { embedding_provider: None, embedding_model: None, ..account.clone() }
}
