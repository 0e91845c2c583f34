//! Deleted prompts, as JSON in a table that nothing else reads, until they are restored or purged.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, OptionalExtension, params};
use serde::Deserialize;

use super::failure::SqliteResult;
use super::rows::{Columns, integer, json, millis, millis_not_before};
use super::terms;
use super::{fragment, idempotency, jobs, judgements, prompts, sessions};
use crate::domain::{Prompt, PromptId, SessionId, Timestamp};
use crate::store::{Session, Trashed, TrashedPage};

/// Puts prompts into the trash; the caller deletes them from the other tables.
pub(super) fn put(connection: &Connection, gone: &[Prompt], at: Timestamp) -> SqliteResult<()> {
    let ids: Vec<SessionId> = gone.iter().map(|prompt| prompt.session_id).collect();
    let known = sessions::fetch(connection, &ids)?;
    let known: HashMap<SessionId, &Session> = known.iter().map(|session| (session.id, session)).collect();
    // A prompt deleted, imported and deleted again is stored once, in its last state.
    let mut put = connection
        .prepare_cached("INSERT OR REPLACE INTO trash (id, deleted_at, prompt, session) VALUES (?, ?, ?, ?)")?;
    for prompt in gone {
        let session = known.get(&prompt.session_id).map(json).transpose()?;
        put.execute(params![prompt.id.0.as_bytes(), millis(at), json(prompt)?, session])?;
    }
    Ok(())
}

/// Restores these prompts with a raised revision; ids that are not in the trash are skipped.
pub(super) fn restore(connection: &Connection, ids: &[PromptId], at: Timestamp) -> SqliteResult<Vec<Prompt>> {
    let mut take = connection.prepare_cached("DELETE FROM trash WHERE id = ? RETURNING prompt, session")?;
    let (mut restored, mut runs) = (Vec::new(), Vec::new());
    for id in ids {
        let row = take.query_row([id.0.as_bytes()], |row| {
            let mut columns = Columns::of(row);
            Ok((columns.json::<Prompt>(), columns.take::<Option<String>>()))
        });
        let Some((prompt, session)) = row.optional()? else { continue };
        let (mut prompt, session) = (prompt?, session?);
        prompt.revision = prompt.revision.saturating_add(1);
        prompt.updated_at = at;
        if let Some(session) = session {
            runs.extend(serde_json::from_str::<Session>(&session).ok());
        }
        restored.push(prompt);
    }
    sessions::begin_given(connection, &runs, &restored)?;
    prompts::append(connection, &restored, &terms::entries(&restored))?;
    Ok(restored)
}

/// The run of a prompt in the trash.
#[derive(Deserialize)]
struct RunOf {
    session_id: SessionId,
}

/// Deletes permanently: these prompts or all, optionally only those deleted before a moment.
pub(super) fn empty(
    connection: &Connection,
    ids: Option<&[PromptId]>,
    before: Option<Timestamp>,
) -> SqliteResult<Vec<PromptId>> {
    let before = before.map_or(i64::MAX, millis_not_before);
    let (mut gone, mut runs) = (Vec::new(), BTreeSet::new());
    let mut collect = |mut rows: rusqlite::Rows<'_>| -> SqliteResult<()> {
        while let Some(row) = rows.next()? {
            let mut columns = Columns::of(row);
            gone.push(PromptId(columns.id()?));
            runs.insert(columns.json::<RunOf>()?.session_id);
        }
        Ok(())
    };
    if let Some(ids) = ids {
        let mut delete =
            connection.prepare_cached("DELETE FROM trash WHERE id = ? AND deleted_at < ? RETURNING id, prompt")?;
        for id in ids {
            collect(delete.query(params![id.0.as_bytes(), before])?)?;
        }
    } else {
        let mut delete = connection.prepare_cached("DELETE FROM trash WHERE deleted_at < ? RETURNING id, prompt")?;
        collect(delete.query([before])?)?;
    }
    judgements::sweep(connection, &gone)?;
    let runs: Vec<SessionId> = runs.into_iter().collect();
    idempotency::sweep(connection, &runs)?;
    jobs::sweep(connection, runs)?;
    Ok(gone)
}

/// The trash since a moment, last deleted first, and its total.
pub(super) fn page(connection: &Connection, since: Timestamp, limit: u32, offset: u64) -> SqliteResult<TrashedPage> {
    let since = millis_not_before(since);
    let total: i64 =
        connection.query_row("SELECT count(*) FROM trash WHERE deleted_at >= ?", [since], |row| row.get(0))?;
    let mut statement = connection.prepare_cached(
        "SELECT deleted_at, prompt FROM trash WHERE deleted_at >= ? ORDER BY key DESC LIMIT ? OFFSET ?",
    )?;
    let mut rows = statement.query(params![since, limit, integer(offset)])?;
    let mut prompts = Vec::new();
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of(row);
        prompts.push(Trashed { deleted_at: columns.moment()?, prompt: columns.json()? });
    }
    Ok(TrashedPage { prompts, total: total.unsigned_abs() })
}

/// The ids in the trash that begin or end with these digits, last deleted first, by a scan.
pub(super) fn resolve(connection: &Connection, digits: &str, limit: usize) -> SqliteResult<Vec<PromptId>> {
    let Some(digits) = fragment::digits(digits) else { return Ok(Vec::new()) };
    let mut statement = connection.prepare_cached(
        "SELECT id FROM trash WHERE hex(id) LIKE ?1 || '%' OR hex(id) LIKE '%' || ?1 ORDER BY key DESC LIMIT ?2",
    )?;
    let rows = statement.query(params![digits, integer(limit)])?;
    rows.and_then(|row| Ok(PromptId(Columns::of(row).id()?))).collect()
}
