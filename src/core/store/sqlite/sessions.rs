//! Runs as rows, and the history: runs with their prompts.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, Row, params};
use uuid::Uuid;

use super::cursor::{List, Mark};
use super::failure::SqliteResult;
use super::prompts;
use super::rows::{Columns, integer, json, millis};
use crate::domain::{Phase, Prompt, SessionId, Source};
use crate::error::Error;
use crate::store::{Page, PageSpec, Session, SessionWithPrompts};

/// Stores a new run.
pub(super) fn begin(connection: &Connection, session: &Session) -> SqliteResult<()> {
    if insert(connection, session)? {
        return Ok(());
    }
    Err(Error::Conflict(format!("a session with the id {} is stored already", session.id)).into())
}

/// Stores those of these runs that are unknown and have a prompt here.
pub(super) fn begin_given(connection: &Connection, sessions: &[Session], prompts: &[Prompt]) -> SqliteResult<()> {
    if sessions.is_empty() {
        return Ok(());
    }
    let of_prompts: HashSet<SessionId> = prompts.iter().map(|prompt| prompt.session_id).collect();
    for session in sessions.iter().filter(|session| of_prompts.contains(&session.id)) {
        insert(connection, session)?;
    }
    Ok(())
}

/// Stores a run for each prompt whose run is unknown: never begun here (an import, an edited copy),
/// or deleted while its other variants were being made. Its fields are derived from the prompts.
pub(super) fn begin_unknown(connection: &Connection, prompts: &[Prompt]) -> SqliteResult<()> {
    let mut known = connection.prepare_cached("SELECT 1 FROM sessions WHERE id = ?")?;
    let mut seen = HashMap::new();
    for prompt in prompts {
        if !seen.contains_key(&prompt.session_id) && known.exists([prompt.session_id.0.as_bytes()])? {
            seen.insert(prompt.session_id, None);
        }
        let session =
            seen.entry(prompt.session_id).or_insert_with(|| Some(Session { count: 0, ..session_of_prompt(prompt) }));
        if let Some(session) = session {
            session.count += 1;
            session.created_at = session.created_at.min(prompt.created_at);
        }
    }
    for session in seen.values().flatten() {
        insert(connection, session)?;
    }
    Ok(())
}

fn session_of_prompt(prompt: &Prompt) -> Session {
    let steps: Vec<Phase> = prompt.steps.iter().map(|step| step.phase).collect();
    Session {
        id: prompt.session_id,
        operation: match prompt.source {
            Source::Generated => "generate",
            Source::Optimized => "optimize",
            Source::Imported => "import",
            Source::Manual => "manual",
        }
        .to_owned(),
        original_input: prompt.original_input.clone(),
        phases: if steps.is_empty() { vec![prompt.phase] } else { steps },
        persona: prompt.persona.clone(),
        count: 1,
        created_at: prompt.created_at,
    }
}

/// Returns false if it already exists.
fn insert(connection: &Connection, session: &Session) -> SqliteResult<bool> {
    let inserted = connection
        .prepare_cached(
            "INSERT INTO sessions (id, operation, persona, phases, count, created_at, original_input)
             VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        )?
        .execute(params![
            session.id.0.as_bytes(),
            session.operation,
            session.persona,
            json(&session.phases)?,
            session.count,
            millis(session.created_at),
            session.original_input,
        ])?;
    Ok(inserted == 1)
}

/// A page of runs, newest first, each with the prompts that `variants` loads.
pub(super) fn page<P>(
    connection: &Connection,
    page: &PageSpec,
    variants: impl FnOnce(&Connection, &[SessionId]) -> SqliteResult<Vec<P>>,
    run_of: impl Fn(&P) -> SessionId,
) -> SqliteResult<Page<SessionWithPrompts<P>>> {
    prompts::check_limit(page)?;
    let mut sessions = newest(connection, page)?;
    let more = sessions.len() > page.limit as usize;
    sessions.truncate(page.limit as usize);
    let next_cursor = sessions
        .last()
        .filter(|_| more)
        .map(|last| Mark { score_key: 0.0, created_at: millis(last.created_at), id: last.id.0 }.encode(List::Sessions));
    let ids: Vec<SessionId> = sessions.iter().map(|session| session.id).collect();
    let mut by_run: HashMap<SessionId, Vec<P>> = HashMap::new();
    for prompt in variants(connection, &ids)? {
        by_run.entry(run_of(&prompt)).or_default().push(prompt);
    }
    let items = sessions
        .into_iter()
        .map(|session| {
            let prompts = by_run.remove(&session.id).unwrap_or_default();
            SessionWithPrompts { session, prompts }
        })
        .collect();
    Ok(Page { items, next_cursor })
}

/// The runs of a page, plus one if there is a next page.
fn newest(connection: &Connection, page: &PageSpec) -> SqliteResult<Vec<Session>> {
    // Without a cursor, start at the greatest possible position.
    let after = match &page.cursor {
        Some(cursor) => Mark::decode(cursor, List::Sessions)?,
        None => Mark { score_key: 0.0, created_at: i64::MAX, id: Uuid::max() },
    };
    let mut statement = connection.prepare_cached(
        "SELECT id, operation, original_input, phases, persona, count, created_at FROM sessions
         WHERE (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?",
    )?;
    let offset = integer(page.offset);
    let rows = statement.query(params![after.created_at, after.id.as_bytes(), page.limit + 1, offset])?;
    rows.and_then(session).collect()
}

/// These runs, without prompts.
pub(super) fn fetch(connection: &Connection, ids: &[SessionId]) -> SqliteResult<Vec<Session>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, operation, original_input, phases, persona, count, created_at FROM sessions WHERE id = ?",
    )?;
    let mut sessions = Vec::with_capacity(ids.len());
    for id in ids {
        let mut rows = statement.query([id.0.as_bytes()])?;
        if let Some(row) = rows.next()? {
            sessions.push(session(row)?);
        }
    }
    Ok(sessions)
}

/// A row of `id, operation, original_input, phases, persona, count, created_at`.
fn session(row: &Row<'_>) -> SqliteResult<Session> {
    let mut columns = Columns::of(row);
    Ok(Session {
        id: SessionId(columns.id()?),
        operation: columns.take()?,
        original_input: columns.take()?,
        phases: columns.json()?,
        persona: columns.take()?,
        count: columns.take()?,
        created_at: columns.moment()?,
    })
}

/// The prompts of these runs: by score from best, then unranked ones by number.
pub(super) fn variants(connection: &Connection, sessions: &[SessionId]) -> SqliteResult<Vec<Prompt>> {
    let ids: Vec<String> = sessions.iter().map(|id| id.0.simple().to_string()).collect();
    let mut statement = connection.prepare_cached(
        "SELECT p.key FROM json_each(?) wanted CROSS JOIN prompts p ON p.session_id = unhex(wanted.value)
         ORDER BY p.score_key DESC, p.rank NULLS LAST, p.variant, p.created_at, p.id",
    )?;
    let keys = statement.query_map([json(&ids)?], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    prompts::load(connection, &keys)
}
