//! The cache table: responses by key. An index covers what the size of a namespace is counted from.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::Inventory;
use super::writer::Put;
use crate::domain::TokenUsage;
use crate::provider::cache::{AnswerKey, CacheNamespace, CachedAnswer, NamespaceLimits};
use crate::store::sqlite::failure::SqliteResult;
use crate::store::sqlite::rows::integer;
use crate::time::from_millis;

/// The maximum bytes of responses in a namespace.
pub(super) const NAMESPACE_BYTES: u64 = 256 * 1024 * 1024;

/// Entries this far in the future come from a clock that has since been set back.
const FUTURE: Duration = Duration::from_hours(1);

/// Makes the table anew, in place of those of an older format.
pub(super) const SCHEMA: &str = "
DROP TABLE IF EXISTS total;
DROP TABLE IF EXISTS answer;
CREATE TABLE answer (
    key BLOB PRIMARY KEY NOT NULL,
    namespace TEXT NOT NULL,
    made_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    warnings TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX answer_by_age ON answer (namespace, made_ms, bytes);
";

/// The response stored for `key`.
pub(super) fn get(connection: &Connection, key: &AnswerKey) -> SqliteResult<Option<CachedAnswer>> {
    let mut statement = connection.prepare_cached(
        "SELECT text, warnings, provider, model, input_tokens, output_tokens, estimated, made_ms FROM answer WHERE key = ?1",
    )?;
    Ok(statement.query_row([key.as_bytes()], answer_of).optional()?)
}

fn answer_of(row: &Row<'_>) -> rusqlite::Result<CachedAnswer> {
    let warnings: String = row.get(1)?;
    Ok(CachedAnswer {
        text: row.get(0)?,
        warnings: serde_json::from_str(&warnings).unwrap_or_default(),
        provider: row.get(2)?,
        model: row.get(3)?,
        usage: TokenUsage { input_tokens: natural(row, 4)?, output_tokens: natural(row, 5)?, estimated: row.get(6)? },
        made_at: from_millis(row.get(7)?),
    })
}

/// Stores a response, replacing an older one.
pub(super) fn put(connection: &Connection, put: &Put) -> SqliteResult<()> {
    let Put { namespace, key, answer, .. } = put;
    connection.prepare_cached("DELETE FROM answer WHERE key = ?1")?.execute([key.as_bytes()])?;
    connection
        .prepare_cached(
            "INSERT INTO answer (key, namespace, made_ms, bytes, provider, model, input_tokens, output_tokens, estimated, \
             warnings, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            key.as_bytes(),
            namespace.as_str(),
            answer.made_at.as_millisecond(),
            integer(answer.bytes()),
            answer.provider,
            answer.model,
            integer(answer.usage.input_tokens),
            integer(answer.usage.output_tokens),
            answer.usage.estimated,
            serde_json::to_string(&answer.warnings).unwrap_or_else(|_| "[]".to_owned()),
            answer.text,
        ])?;
    Ok(())
}

/// Deletes what is too old at `now_ms`, and the oldest entries beyond the limits.
pub(super) fn trim(
    connection: &Connection,
    namespace: CacheNamespace,
    limits: NamespaceLimits,
    max_bytes: u64,
    now_ms: i64,
) -> SqliteResult<()> {
    let oldest = now_ms.saturating_sub(integer(limits.ttl.as_millis()));
    let newest = now_ms.saturating_add(integer(FUTURE.as_millis()));
    connection
        .prepare_cached("DELETE FROM answer WHERE namespace = ?1 AND (made_ms <= ?2 OR made_ms > ?3)")?
        .execute(params![namespace.as_str(), oldest, newest])?;
    loop {
        let Inventory { entries, bytes } = count_namespace(connection, namespace)?;
        let too_many = entries.saturating_sub(limits.max_entries as u64);
        let too_much = if bytes > max_bytes { entries / 16 + 1 } else { 0 };
        let excess = too_many.max(too_much);
        if excess == 0 {
            return Ok(());
        }
        let gone = connection
            .prepare_cached(
                "DELETE FROM answer WHERE rowid IN \
                 (SELECT rowid FROM answer WHERE namespace = ?1 ORDER BY made_ms, rowid LIMIT ?2)",
            )?
            .execute(params![namespace.as_str(), integer(excess)])?;
        if gone == 0 {
            return Ok(());
        }
    }
}

/// The totals over all namespaces.
pub(super) fn count(connection: &Connection) -> SqliteResult<Inventory> {
    Ok(connection.query_row("SELECT count(*), coalesce(sum(bytes), 0) FROM answer", [], inventory_of)?)
}

fn count_namespace(connection: &Connection, namespace: CacheNamespace) -> SqliteResult<Inventory> {
    let mut statement =
        connection.prepare_cached("SELECT count(*), coalesce(sum(bytes), 0) FROM answer WHERE namespace = ?1")?;
    Ok(statement.query_row([namespace.as_str()], inventory_of)?)
}

fn inventory_of(row: &Row<'_>) -> rusqlite::Result<Inventory> {
    Ok(Inventory { entries: natural(row, 0)?, bytes: natural(row, 1)? })
}

/// A number that cannot be negative.
fn natural(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or_default())
}
