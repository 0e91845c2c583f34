//! Prompts without their texts, a page in one statement.
//!
//! Texts are most of a database. SQLite knows the size of one without reading it (`octet_length`), and
//! reads it here only where there is no request that could name the prompt.

use rusqlite::{Connection, params_from_iter};

use super::cursor::{List, Mark};
use super::failure::SqliteResult;
use super::filter::{self, Query};
use super::prompts::check_limit;
use super::rows::{Columns, millis};
use crate::domain::{Filter, Order, PromptId, PromptOutline};
use crate::store::{Page, PageSpec};

/// The columns read of each row `p` of `prompts`.
const COLUMNS: &str = "p.id,
     CASE WHEN trim(p.original_input, char(32, 9, 10, 13)) = '' THEN p.content ELSE p.original_input END,
     octet_length(p.content), p.persona,
     (SELECT json_group_array(tag) FROM (SELECT tag FROM tags t WHERE t.prompt = p.key ORDER BY t.position)),
     p.notes, p.revision, p.created_at, p.updated_at";

/// A page of prompts, newest first.
pub(super) fn page(connection: &Connection, filter: &Filter, page: &PageSpec) -> SqliteResult<Page<PromptOutline>> {
    check_limit(page)?;
    let order = Order::Newest;
    // One extra row tells whether there is a next page.
    let keys = filter::page(connection, filter, order, page.cursor.as_deref(), page.limit + 1, page.offset)?;
    let Query { sql, values } = keys;
    // The keys come in order, but SQLite does not guarantee that a join keeps it.
    let sql = format!(
        "WITH wanted (key) AS MATERIALIZED ({sql})
         SELECT {COLUMNS} FROM wanted CROSS JOIN prompts p ON p.key = wanted.key ORDER BY p.created_at DESC, p.id DESC"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_and_then(params_from_iter(values), |row| outline(Columns::of(row)))?;
    let mut items = rows.collect::<SqliteResult<Vec<_>>>()?;
    let more = items.len() > page.limit as usize;
    items.truncate(page.limit as usize);
    let next_cursor = items.last().filter(|_| more).map(|last| {
        Mark { score_key: 0.0, created_at: millis(last.created_at), id: last.id.0 }.encode(List::Prompts(order))
    });
    Ok(Page { items, next_cursor })
}

fn outline(mut columns: Columns<'_, '_>) -> SqliteResult<PromptOutline> {
    Ok(PromptOutline {
        id: PromptId(columns.id()?),
        subject: columns.take()?,
        content_bytes: columns.number()?,
        persona: columns.take()?,
        tags: columns.json()?,
        notes: columns.take()?,
        revision: columns.take()?,
        created_at: columns.moment()?,
        updated_at: columns.moment()?,
    })
}
