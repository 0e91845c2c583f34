//! Filters, orders and cursors as SQL that walks one index.
//!
//! Every index over prompts ends in the order lists are shown in. So one condition drives, through
//! its index and already in order, and all others are checked row by row. The driver is chosen
//! here, most selective kind first; the others are written as `+column` to keep SQLite's planner
//! from choosing another. The result is row keys; [`super::prompts`] loads the rows.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::cursor::{List, Mark};
use super::failure::SqliteResult;
use super::rows::{integer, millis_not_before};
use crate::domain::{Filter, Order, Phase};

/// A piece of SQL and its parameters, in order.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

/// The part of a query that does not depend on the order.
struct Selection {
    /// The driving table: `t0` for tags, else `p`.
    driver: &'static str,
    from: String,
    conditions: Vec<String>,
    values: Vec<Value>,
}

/// The number of rows that pass.
pub(super) fn count(connection: &Connection, filter: &Filter) -> SqliteResult<u64> {
    if *filter == Filter::default() {
        // Maintained as rows come and go, so that counting does not walk a million rows.
        let all = connection.prepare_cached("SELECT prompts FROM totals")?.query_row([], |row| row.get::<_, i64>(0))?;
        return Ok(all.unsigned_abs());
    }
    let selection = Selection::new(connection, filter, Order::Newest)?;
    let query = selection.query("count(*)", "");
    let mut statement = connection.prepare_cached(&query.sql)?;
    let rows: i64 = statement.query_row(params_from_iter(query.values), |row| row.get(0))?;
    Ok(rows.unsigned_abs())
}

/// The keys of all rows that pass, unordered.
pub(super) fn all(connection: &Connection, filter: &Filter) -> SqliteResult<Query> {
    let selection = Selection::new(connection, filter, Order::Newest)?;
    let key = selection.key();
    Ok(selection.query(key, ""))
}

/// The keys of a page of rows, in order.
pub(super) fn page(
    connection: &Connection,
    filter: &Filter,
    order: Order,
    cursor: Option<&str>,
    limit: u32,
    offset: u64,
) -> SqliteResult<Query> {
    let mut selection = Selection::new(connection, filter, order)?;
    let driver = selection.driver;
    if let Some(cursor) = cursor {
        let mark = Mark::decode(cursor, List::Prompts(order))?;
        let id = Value::Blob(mark.id.as_bytes().to_vec());
        let (created_at, score_key) = (Value::Integer(mark.created_at), Value::Real(mark.score_key));
        match order {
            Order::Newest => {
                selection.restrict(format!("({driver}.created_at, {driver}.id) < (?, ?)"), [created_at, id]);
            }
            Order::Oldest => {
                selection.restrict(format!("({driver}.created_at, {driver}.id) > (?, ?)"), [created_at, id]);
            }
            Order::Score => {
                selection.restrict("(p.score_key, p.created_at, p.id) < (?, ?, ?)".into(), [score_key, created_at, id]);
            }
        }
    }
    let order = match order {
        Order::Newest => format!("{driver}.created_at DESC, {driver}.id DESC"),
        Order::Oldest => format!("{driver}.created_at, {driver}.id"),
        Order::Score => "p.score_key DESC, p.created_at DESC, p.id DESC".to_owned(),
    };
    let key = selection.key();
    let mut query = selection.query(key, &format!(" ORDER BY {order} LIMIT ? OFFSET ?"));
    query.values.push(Value::Integer(limit.into()));
    query.values.push(Value::Integer(integer(offset)));
    Ok(query)
}

impl Selection {
    fn new(connection: &Connection, filter: &Filter, order: Order) -> SqliteResult<Self> {
        let mut selection = Self { driver: "p", from: "prompts p".into(), conditions: Vec::new(), values: Vec::new() };
        let columns = [
            ("model", filter.model.as_deref()),
            ("provider", filter.provider.as_deref()),
            ("persona", filter.persona.as_deref()),
            ("phase", filter.phase.map(Phase::as_str)),
        ];
        // When sorted by score, only a run or a tag is worth leaving the score index for.
        let mut driven = order == Order::Score;
        if let Some(session) = filter.session_id {
            driven = true;
            selection.restrict("p.session_id = ?".into(), [Value::Blob(session.0.as_bytes().to_vec())]);
        } else if !filter.tags.is_empty() {
            driven = true;
            let on_prompts = order == Order::Score || columns.iter().any(|(_, wanted)| wanted.is_some());
            selection.drive_by_tags(connection, &filter.tags, on_prompts)?;
        }
        for (column, wanted) in columns {
            if let Some(wanted) = wanted {
                let no_index = if driven { "+" } else { "" };
                driven = true;
                selection.restrict(format!("{no_index}p.{column} = ?"), [Value::Text(wanted.to_owned())]);
            }
        }
        if filter.session_id.is_some() {
            selection.check_tags(&filter.tags);
        }
        let driver = selection.driver;
        if let Some(since) = filter.since {
            selection.restrict(format!("{driver}.created_at >= ?"), [Value::Integer(millis_not_before(since))]);
        }
        if let Some(until) = filter.until {
            selection.restrict(format!("{driver}.created_at < ?"), [Value::Integer(millis_not_before(until))]);
        }
        Ok(selection)
    }

    /// Walks the rarest tag in order and looks each prompt up in the others.
    fn drive_by_tags(&mut self, connection: &Connection, tags: &[String], on_prompts: bool) -> SqliteResult<()> {
        let rarest = rarest(connection, tags)?;
        self.driver = "t0";
        self.from = "tags t0".into();
        if on_prompts {
            // CROSS JOIN fixes the order of the tables.
            self.from.push_str(" CROSS JOIN prompts p ON p.key = t0.prompt");
        }
        self.restrict("t0.tag = ?".into(), [Value::Text(tags[rarest].clone())]);
        let others: Vec<String> =
            tags.iter().enumerate().filter(|(place, _)| *place != rarest).map(|(_, tag)| tag.clone()).collect();
        self.check_tags(&others);
        Ok(())
    }

    fn check_tags(&mut self, tags: &[String]) {
        let key = self.key();
        for tag in tags {
            let carries = format!("EXISTS (SELECT 1 FROM tags t WHERE t.prompt = {key} AND t.tag = ?)");
            self.restrict(carries, [Value::Text(tag.clone())]);
        }
    }

    /// The expression for a row's key.
    fn key(&self) -> &'static str {
        if self.driver == "t0" { "t0.prompt" } else { "p.key" }
    }

    fn restrict<const N: usize>(&mut self, condition: String, values: [Value; N]) {
        self.conditions.push(condition);
        self.values.extend(values);
    }

    fn query(self, what: &str, then: &str) -> Query {
        let mut sql = format!("SELECT {what} FROM {}", self.from);
        for (place, condition) in self.conditions.iter().enumerate() {
            sql.push_str(if place == 0 { " WHERE " } else { " AND " });
            sql.push_str(condition);
        }
        sql.push_str(then);
        Query { sql, values: self.values }
    }
}

/// The tag with the fewest prompts, counting at most a thousand of each.
fn rarest(connection: &Connection, tags: &[String]) -> SqliteResult<usize> {
    if tags.len() == 1 {
        return Ok(0);
    }
    let mut statement =
        connection.prepare_cached("SELECT count(*) FROM (SELECT 1 FROM tags WHERE tag = ? LIMIT 1000)")?;
    let mut best = (u32::MAX, 0);
    for (place, tag) in tags.iter().enumerate() {
        best = best.min((statement.query_row([tag], |row| row.get(0))?, place));
    }
    Ok(best.1)
}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;
