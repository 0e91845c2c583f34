//! Mutations of stored prompts: edits, ranks, deletions. Each runs in the writer's transaction.

use std::collections::HashSet;

use rusqlite::{Connection, params, params_from_iter};
use uuid::Uuid;

use super::failure::SqliteResult;
use super::rows::{Columns, integer, millis};
use super::terms;
use super::{filter, idempotency, jobs, judgements, prompts, totals, trash};
use crate::domain::{Filter, Prompt, PromptId, Ranking, SessionId, Timestamp};
use crate::error::Error;
use crate::store::tally::TotalsChange;
use crate::store::{Applied, Edit, Mutation};

/// Prompts loaded at once to subtract them from the totals.
const STEP: usize = 500;

/// Applies one mutation.
pub(super) fn apply(connection: &Connection, mutation: &Mutation) -> SqliteResult<Applied> {
    match mutation {
        Mutation::Edit { id, expected_revision, edit, at } => {
            self::edit(connection, *id, *expected_revision, edit, *at).map(Applied::Edited)
        }
        Mutation::Rank { rankings } => rank(connection, rankings).map(Applied::Ranked),
        Mutation::Delete { ids, expected_revision } => {
            delete(connection, ids, *expected_revision, None).map(Applied::Deleted)
        }
        Mutation::DeleteWhere { filter } => delete_where(connection, filter, None).map(Applied::Deleted),
        Mutation::Trash { ids, expected_revision, at } => {
            delete(connection, ids, *expected_revision, Some(*at)).map(Applied::Deleted)
        }
        Mutation::TrashWhere { filter, at } => delete_where(connection, filter, Some(*at)).map(Applied::Deleted),
        Mutation::Restore { ids, at } => trash::restore(connection, ids, *at).map(Applied::Restored),
        Mutation::EmptyTrash { ids, before } => trash::empty(connection, ids.as_deref(), *before).map(Applied::Deleted),
    }
}

fn edit(
    connection: &Connection,
    id: PromptId,
    expected_revision: Option<u32>,
    edit: &Edit,
    at: Timestamp,
) -> SqliteResult<Option<Box<Prompt>>> {
    let Some(key) = prompts::key_of(connection, id)? else { return Ok(None) };
    let Some(mut prompt) = prompts::load(connection, &[key])?.pop() else { return Ok(None) };
    check_revision(id, prompt.revision, expected_revision)?;
    let before = prompt.clone();
    edit.apply_to(&mut prompt, at)?;
    connection
        .prepare_cached("UPDATE prompts SET notes = ?, revision = ?, updated_at = ? WHERE key = ?")?
        .execute(params![prompt.notes, prompt.revision, millis(prompt.updated_at), key])?;
    connection.prepare_cached("DELETE FROM tags WHERE prompt = ?")?.execute([key])?;
    prompts::insert_tags(connection, key, &prompt, &prompt.tags)?;
    count_changes(connection, 1)?;
    if before.tags != prompt.tags {
        totals::retag(connection, &before, &prompt)?;
    }
    if (&before.tags, &before.notes) != (&prompt.tags, &prompt.notes) {
        terms::put(connection, [(key, &terms::entry(&prompt))])?;
    }
    Ok(prompts::load(connection, &[key])?.pop().map(Box::new))
}

/// Adds to [`Store::change_count`](crate::store::Store::change_count). Stored prompts are counted where they are added.
fn count_changes(connection: &Connection, changes: usize) -> SqliteResult<()> {
    if changes > 0 {
        let mut add = connection.prepare_cached("UPDATE totals SET changes = changes + ? WHERE key = 1")?;
        add.execute([integer(changes)])?;
    }
    Ok(())
}

/// The number of changes so far.
pub(super) fn count(connection: &Connection) -> SqliteResult<u64> {
    let changes: i64 =
        connection.prepare_cached("SELECT changes FROM totals WHERE key = 1")?.query_row([], |row| row.get(0))?;
    Ok(changes.unsigned_abs())
}

fn rank(connection: &Connection, rankings: &[Ranking]) -> SqliteResult<u64> {
    let mut statement =
        connection.prepare_cached("UPDATE prompts SET score = ?, rank = ?, score_formula = ? WHERE id = ?")?;
    let mut ranked = 0;
    for ranking in rankings {
        prompts::check_finite("score", Some(ranking.score))?;
        let id = ranking.prompt_id.0;
        ranked += statement.execute(params![ranking.score, ranking.rank, ranking.formula, id.as_bytes()])?;
    }
    Ok(ranked as u64)
}

/// Deletes prompts; moves them to the trash if `trashed_at` is given.
fn delete(
    connection: &Connection,
    ids: &[PromptId],
    expected_revision: Option<u32>,
    trashed_at: Option<Timestamp>,
) -> SqliteResult<Vec<PromptId>> {
    let mut revision = connection.prepare_cached("SELECT revision FROM prompts WHERE id = ?")?;
    if expected_revision.is_some() {
        for id in ids {
            let mut rows = revision.query([id.0.as_bytes()])?;
            if let Some(row) = rows.next()? {
                check_revision(*id, row.get(0)?, expected_revision)?;
            }
        }
    }
    // Duplicate ids are counted once.
    let mut keys = Vec::with_capacity(ids.len());
    for id in ids {
        keys.extend(prompts::key_of(connection, *id)?.filter(|key| !keys.contains(key)));
    }
    let mut gone = DeletedPrompts { trashed_at, ..DeletedPrompts::default() };
    gone.take_each(connection, &keys)?;
    gone.sweep(connection)
}

fn delete_where(
    connection: &Connection,
    filter: &Filter,
    trashed_at: Option<Timestamp>,
) -> SqliteResult<Vec<PromptId>> {
    let mut gone = DeletedPrompts { trashed_at, ..DeletedPrompts::default() };
    let is_all = *filter == Filter::default();
    if is_all && trashed_at.is_none() {
        gone.collect(connection.prepare("DELETE FROM prompts RETURNING id, session_id")?.query([])?)?;
        count_changes(connection, gone.prompts.len())?;
        totals::clear(connection)?;
        // The empty filter also deletes runs without prompts, and all judgements.
        connection.execute("DELETE FROM sessions", [])?;
        connection.execute("DELETE FROM judgements", [])?;
        jobs::clear(connection)?;
        idempotency::clear(connection)?;
        return Ok(gone.prompts);
    }
    let keys = filter::all(connection, filter)?;
    let keys: Vec<i64> = connection
        .prepare(&keys.sql)?
        .query_map(params_from_iter(keys.values), |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    gone.take_each(connection, &keys)?;
    if is_all {
        connection.execute(
            "DELETE FROM sessions WHERE NOT EXISTS (SELECT 1 FROM prompts WHERE session_id = sessions.id)",
            [],
        )?;
    }
    gone.sweep(connection)
}

fn check_revision(id: PromptId, present: u32, expected: Option<u32>) -> SqliteResult<()> {
    match expected {
        Some(expected) if expected != present => Err(Error::Conflict(format!(
            "prompt {id} is at revision {present}, not {expected}: it changed meanwhile; read it again, then repeat \
             the change"
        ))
        .into()),
        _ => Ok(()),
    }
}

/// Prompts that were deleted, and the runs they belonged to.
#[derive(Default)]
struct DeletedPrompts {
    prompts: Vec<PromptId>,
    sessions: HashSet<Uuid>,
    /// When they were moved to the trash, if they were.
    trashed_at: Option<Timestamp>,
}

impl DeletedPrompts {
    /// Deletes the prompts of these keys and subtracts them from the totals.
    fn take_each(&mut self, connection: &Connection, keys: &[i64]) -> SqliteResult<()> {
        let mut statement = connection.prepare_cached("DELETE FROM prompts WHERE key = ? RETURNING id, session_id")?;
        for keys in keys.chunks(STEP) {
            let prompts = prompts::load(connection, keys)?;
            totals::change(connection, TotalsChange::Remove, &prompts)?;
            if let Some(at) = self.trashed_at {
                trash::put(connection, &prompts, at)?;
            }
            for key in keys {
                self.collect(statement.query([key])?)?;
            }
        }
        Ok(())
    }

    fn collect(&mut self, mut rows: rusqlite::Rows<'_>) -> SqliteResult<()> {
        while let Some(row) = rows.next()? {
            let mut columns = Columns::of(row);
            self.prompts.push(PromptId(columns.id()?));
            self.sessions.insert(columns.id()?);
        }
        Ok(())
    }

    /// Deletes runs and judgements that have no prompt left, stored or in the trash.
    fn sweep(self, connection: &Connection) -> SqliteResult<Vec<PromptId>> {
        let mut statement = connection.prepare_cached(
            "DELETE FROM sessions WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM prompts WHERE session_id = ?1)",
        )?;
        for session in &self.sessions {
            statement.execute([session.as_bytes()])?;
        }
        count_changes(connection, self.prompts.len())?;
        if self.trashed_at.is_none() {
            judgements::sweep(connection, &self.prompts)?;
            let runs: Vec<SessionId> = self.sessions.into_iter().map(SessionId).collect();
            idempotency::sweep(connection, &runs)?;
            jobs::sweep(connection, runs)?;
        }
        Ok(self.prompts)
    }
}
