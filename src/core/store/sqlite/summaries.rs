//! Prompt summaries, a page in one statement, with tags but no steps, contexts or accounts.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::cursor::{List, Mark};
use super::failure::SqliteResult;
use super::filter::{self, Query};
use super::prompts::check_limit;
use super::rows::{Columns, json, millis};
use crate::domain::{Filter, Order, PromptId, PromptSummary, SessionId};
use crate::store::{Page, PageSpec};

/// The columns read of each row `p` of `prompts`.
const COLUMNS: &str = "p.id, p.session_id, p.variant, p.content, p.original_input, p.phase, p.persona, p.provider,
     p.model, p.temperature, p.max_tokens, p.notes, p.parent_id, p.source, p.strategy, p.revision, p.score, p.score_formula,
     p.created_at, p.updated_at,
     (SELECT json_group_array(tag) FROM (SELECT tag FROM tags t WHERE t.prompt = p.key ORDER BY t.position))";

/// A page of prompts, in order.
pub(super) fn page(
    connection: &Connection,
    filter: &Filter,
    order: Order,
    page: &PageSpec,
) -> SqliteResult<Page<PromptSummary>> {
    check_limit(page)?;
    // One extra row tells whether there is a next page.
    let keys = filter::page(connection, filter, order, page.cursor.as_deref(), page.limit + 1, page.offset)?;
    // The keys come in order, but SQLite does not guarantee that a join keeps it.
    let in_order = match order {
        Order::Newest => "p.created_at DESC, p.id DESC",
        Order::Oldest => "p.created_at, p.id",
        Order::Score => "p.score_key DESC, p.created_at DESC, p.id DESC",
    };
    let Query { sql, values } = keys;
    let sql = format!(
        "WITH wanted (key) AS MATERIALIZED ({sql})
         SELECT {COLUMNS} FROM wanted CROSS JOIN prompts p ON p.key = wanted.key ORDER BY {in_order}"
    );
    let mut items = read(connection, &sql, values)?;
    let more = items.len() > page.limit as usize;
    items.truncate(page.limit as usize);
    let next_cursor = items.last().filter(|_| more).map(|last| {
        let score_key = if order == Order::Score { last.score.unwrap_or(-1.0) } else { 0.0 };
        Mark { score_key, created_at: millis(last.created_at), id: last.id.0 }.encode(List::Prompts(order))
    });
    Ok(Page { items, next_cursor })
}

/// The summaries of these prompts, in this order; unknown ids are skipped.
pub(super) fn fetch(connection: &Connection, ids: &[PromptId]) -> SqliteResult<Vec<PromptSummary>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM json_each(?) wanted CROSS JOIN prompts p ON p.id = unhex(wanted.value) ORDER BY wanted.key"
    );
    read(connection, &sql, vec![hexadecimal(ids.iter().map(|id| id.0))?])
}

/// The prompts of these runs: by rank (by score if ranks are lost), then unranked by number.
pub(super) fn of_sessions(connection: &Connection, sessions: &[SessionId]) -> SqliteResult<Vec<PromptSummary>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM json_each(?) wanted CROSS JOIN prompts p ON p.session_id = unhex(wanted.value)
         ORDER BY p.score IS NULL, p.rank NULLS LAST, p.score_key DESC, p.variant, p.created_at, p.id"
    );
    read(connection, &sql, vec![hexadecimal(sessions.iter().map(|id| id.0))?])
}

fn hexadecimal(ids: impl Iterator<Item = uuid::Uuid>) -> SqliteResult<Value> {
    Ok(Value::Text(json(&ids.map(|id| id.simple().to_string()).collect::<Vec<_>>())?))
}

fn read(connection: &Connection, sql: &str, values: Vec<Value>) -> SqliteResult<Vec<PromptSummary>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_and_then(params_from_iter(values), |row| summary(Columns::of(row)))?.collect()
}

fn summary(mut columns: Columns<'_, '_>) -> SqliteResult<PromptSummary> {
    Ok(PromptSummary {
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
        notes: columns.take()?,
        parent_id: columns.optional_id()?.map(PromptId),
        source: columns.source()?,
        strategy: columns.take()?,
        revision: columns.take()?,
        score: columns.take()?,
        score_formula: columns.take()?,
        created_at: columns.moment()?,
        updated_at: columns.moment()?,
        tags: columns.json()?,
    })
}
