//! Vectors of prompts: storing them, finding prompts without one, finding the nearest.
//!
//! The table `vectors` is the source of truth: one row per prompt and space, in half precision,
//! never changed. Replacing deletes the row and inserts another with a new number; deleting a
//! prompt deletes its rows. Triggers count them in `spaces`: a count walks no rows.
//!
//! What always holds: stored vectors have a direction and length one; a vector with other
//! dimensions than its space is refused before anything is read or written;
//! [`nearness`](crate::store::nearness()) defines the order; ties put the newest first.
//!
//! Where to go next: [`nearest`](mod@nearest) for searching, [`codes`] for the sidecar files that
//! make it fast, [`kernel`] for the arithmetic.

mod codes;
mod exact;
mod fast;
mod kernel;
mod nearest;

use std::collections::HashSet;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};

use self::codes::{IndexMaintenance, Pace};
use super::SqliteStore;
use super::failure::{Failure, SqliteResult};
use super::prompts;
use super::rows::{Columns, integer};
use crate::domain::{Filter, PromptId};
use crate::error::{Error, Result};
use crate::store::{Nearest, Part, Pending, PromptVectors, SearchHits, Space, SpaceUse, Unembedded};

pub(super) use self::codes::Codes;
pub(super) use self::nearest::Keys;

/// A space as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
struct StoredSpace {
    key: i64,
    /// A unique name across all databases.
    stamp: [u8; 16],
    dimensions: usize,
    /// Prompts with vectors in it.
    prompts: u64,
    /// Vectors in it.
    vectors: u64,
    /// The number last assigned.
    newest: i64,
}

/// The vectors of one prompt, as stored.
struct Row {
    id: PromptId,
    input: Option<Vec<u8>>,
    content: Option<Vec<u8>>,
}

/// See [`FindStore::nearest`](crate::store::FindStore::nearest).
pub(super) fn nearest(store: &SqliteStore, query: Nearest) -> Pending<SearchHits> {
    let vector = match checked(&query.space, "vector", &query.vector) {
        Ok(vector) => vector,
        Err(error) => return Pending::ready(Err(error)),
    };
    let query = Nearest { vector, ..query };
    let absent = nearest::VectorSearchResult::default();
    let work = |connection: &Connection| nearest::find(connection, &store.codes, &query);
    let answer = store.read_now(absent, work).and_then(|answer| {
        tracing::debug!(way = ?answer.way, maintenance = ?answer.maintenance, total = answer.found.total, "searched by nearness");
        run_maintenance(store, &query.space, answer.maintenance, Pace::Slice)?;
        Ok(answer.found)
    });
    Pending::ready(answer.map_err(|failure| failure.explain(&store.place, "searching by nearness")))
}

/// Maintains the file of codes for the current database.
fn run_maintenance(store: &SqliteStore, space: &Space, maintenance: IndexMaintenance, pace: Pace) -> SqliteResult<()> {
    if maintenance == IndexMaintenance::None {
        return Ok(());
    }
    store.read_now((), |connection| match stored_space(connection, space)? {
        Some(space) => store.codes.keep_up(connection, &space, maintenance, pace),
        None => Ok(()),
    })
}

/// See [`FindStore::maintain_index`](crate::store::FindStore::maintain_index).
pub(super) fn maintain_index(store: &SqliteStore) -> Pending<()> {
    let tended = store.read_now(Vec::new(), spaces).and_then(|spaces| {
        spaces.iter().try_for_each(|used| run_maintenance(store, &used.space, IndexMaintenance::Look, Pace::Whole))
    });
    Pending::ready(tended.map_err(|failure| failure.explain(&store.place, "looking after the files of vectors")))
}

/// See [`FindStore::put_vectors`](crate::store::FindStore::put_vectors).
pub(super) fn put(store: &SqliteStore, space: Space, vectors: &[PromptVectors]) -> Pending<u64> {
    match vectors.iter().map(|of_prompt| row(&space, of_prompt)).collect::<Result<Vec<Row>>>() {
        Ok(rows) => {
            if store.codes.is_time_to_look(rows.len() as u64)
                && let Err(failure) = run_maintenance(store, &space, IndexMaintenance::Look, Pace::Slice)
            {
                tracing::debug!(?failure, "the file of codes was not extended");
            }
            store.write_finished("storing vectors", move |connection| replace(connection, &space, &rows))
        }
        Err(error) => Pending::ready(Err(error)),
    }
}

/// The normalised vector, if it fits this space.
fn checked(space: &Space, field: &str, vector: &[f32]) -> Result<Vec<f32>> {
    if !(1..=65_536).contains(&space.dimensions) {
        return Err(Error::value("dimensions", format!("must be 1 to 65536, not {}", space.dimensions)));
    }
    if vector.len() != space.dimensions as usize {
        let (found, expected, model) = (vector.len(), space.dimensions, &space.model);
        return Err(Error::value(field, format!("has {found} dimensions, and `{model}` is compared in {expected}")));
    }
    if vector.iter().any(|number| !number.is_finite()) {
        return Err(Error::value(field, "must hold finite numbers alone"));
    }
    kernel::normalised(vector).ok_or_else(|| Error::value(field, "must have a direction, and is all zeros"))
}

fn row(space: &Space, vectors: &PromptVectors) -> Result<Row> {
    let mut row = Row { id: vectors.id, input: None, content: None };
    for (part, vector) in &vectors.parts {
        let place = match part {
            Part::Input => &mut row.input,
            Part::Content => &mut row.content,
        };
        if place.replace(kernel::stored(&checked(space, "vector", vector)?)).is_some() {
            return Err(Error::value("vector", format!("is given twice for one part of prompt {}", vectors.id)));
        }
    }
    Ok(row)
}

fn replace(connection: &Connection, space: &Space, rows: &[Row]) -> SqliteResult<u64> {
    let mut delete = connection.prepare_cached("DELETE FROM vectors WHERE prompt = ? AND space = ?")?;
    let mut insert =
        connection.prepare_cached("INSERT INTO vectors (space, prompt, input, content) VALUES (?, ?, ?, ?)")?;
    let mut stored = stored_space(connection, space)?.map(|space| space.key);
    let mut given = HashSet::new();
    for row in rows {
        let Some(prompt) = prompts::key_of(connection, row.id)? else { continue };
        if let Some(space) = stored {
            delete.execute([prompt, space])?;
        }
        if row.input.is_none() && row.content.is_none() {
            given.remove(&prompt);
            continue;
        }
        let space = match stored {
            Some(space) => space,
            None => *stored.insert(make_space(connection, space)?),
        };
        insert.execute(params![space, prompt, row.input, row.content])?;
        given.insert(prompt);
    }
    Ok(given.len() as u64)
}

fn make_space(connection: &Connection, space: &Space) -> SqliteResult<i64> {
    connection
        .prepare_cached("INSERT INTO spaces (stamp, provider, model, dimensions) VALUES (randomblob(16), ?, ?, ?)")?
        .execute(params![space.provider, space.model, space.dimensions])?;
    Ok(connection.last_insert_rowid())
}

fn stored_space(connection: &Connection, space: &Space) -> SqliteResult<Option<StoredSpace>> {
    let mut statement = connection.prepare_cached(
        "SELECT key, stamp, dimensions, prompts, vectors, newest FROM spaces
         WHERE provider = ? AND model = ? AND dimensions = ?",
    )?;
    let mut rows = statement.query(params![space.provider, space.model, space.dimensions])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let mut columns = Columns::of(row);
    Ok(Some(StoredSpace {
        key: columns.take()?,
        stamp: columns.take()?,
        dimensions: columns.take::<u32>()? as usize,
        prompts: columns.number()?,
        vectors: columns.number()?,
        newest: columns.take()?,
    }))
}

/// See [`FindStore::vectors_of`](crate::store::FindStore::vectors_of).
pub(super) fn of_prompt(connection: &Connection, space: &Space, id: PromptId) -> SqliteResult<Vec<(Part, Vec<f32>)>> {
    let (Some(space), Some(prompt)) = (stored_space(connection, space)?, prompts::key_of(connection, id)?) else {
        return Ok(Vec::new());
    };
    let mut statement =
        connection.prepare_cached("SELECT input, content FROM vectors WHERE prompt = ? AND space = ?")?;
    let found = statement
        .query_row([prompt, space.key], |row| Ok([row.get::<_, Option<Vec<u8>>>(0)?, row.get(1)?]))
        .optional()?
        .unwrap_or_default();
    let parts = [Part::Input, Part::Content].into_iter().zip(found);
    Ok(parts.filter_map(|(part, stored)| Some((part, kernel::widened(&stored?)))).collect())
}

/// See [`FindStore::spaces`](crate::store::FindStore::spaces).
pub(super) fn spaces(connection: &Connection) -> SqliteResult<Vec<SpaceUse>> {
    let mut statement = connection.prepare_cached(
        "SELECT provider, model, dimensions, prompts FROM spaces WHERE prompts > 0 ORDER BY newest DESC",
    )?;
    let mut rows = statement.query([])?;
    let mut spaces = Vec::new();
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of(row);
        let space = Space { provider: columns.take()?, model: columns.take()?, dimensions: columns.take()? };
        spaces.push(SpaceUse { space, prompts: columns.number()? });
    }
    Ok(spaces)
}

/// See [`FindStore::unembedded`](crate::store::FindStore::unembedded).
pub(super) fn unembedded(
    connection: &Connection,
    space: &Space,
    after: Option<u64>,
    limit: u32,
) -> SqliteResult<Vec<Unembedded>> {
    if count_unembedded(connection, space)? == 0 {
        // If all have vectors, finding that out must not walk all prompts.
        return Ok(Vec::new());
    }
    let space = stored_space(connection, space)?.map(|space| space.key);
    let after = after.map_or(0, integer);
    let mut statement = connection.prepare_cached(
        "SELECT p.key, p.id, p.original_input, p.content FROM prompts p
         WHERE p.key > ?1 AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.prompt = p.key AND v.space = ?2)
         ORDER BY p.key LIMIT ?3",
    )?;
    let mut rows = statement.query(params![after, space, limit])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of(row);
        found.push(Unembedded {
            place: columns.number()?,
            id: PromptId(columns.id()?),
            original_input: columns.take()?,
            content: columns.take()?,
        });
    }
    Ok(found)
}

/// See [`FindStore::count_unembedded`](crate::store::FindStore::count_unembedded).
pub(super) fn count_unembedded(connection: &Connection, space: &Space) -> SqliteResult<u64> {
    let embedded = stored_space(connection, space)?.map_or(0, |space| space.prompts);
    let all = super::filter::count(connection, &Filter::default())?;
    all.checked_sub(embedded).ok_or_else(|| Failure::damaged("a space counts more prompts than there are"))
}

/// See [`FindStore::forget_space`](crate::store::FindStore::forget_space).
pub(super) fn forget(store: &SqliteStore, space: Space) -> Pending<u64> {
    let codes = Arc::clone(&store.codes);
    store.write("forgetting vectors", move |connection| {
        let Some(space) = stored_space(connection, &space)? else { return Ok(0) };
        connection.prepare_cached("DELETE FROM spaces WHERE key = ?")?.execute([space.key])?;
        codes.forget(&space);
        Ok(space.prompts)
    })
}

#[cfg(test)]
mod tests;
