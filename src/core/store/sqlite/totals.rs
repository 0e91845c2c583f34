//! Totals of all stored prompts, maintained as they come and go, for `stats` without a filter.
//!
//! The table `kept_totals` has one row for all prompts together and one for each key of each
//! grouping ([`StatsBy`]), each a [`RunningTotals`] as JSON, written in the prompts' transaction.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params};

use super::failure::SqliteResult;
use super::filter::Query;
use super::measure;
use super::migrate::RowProgress;
use super::rows::{Columns, json};
use crate::domain::{Prompt, StatsBy, StatsLine};
use crate::store::PromptTotals;
use crate::store::tally::{RunningTotals, Tallies, TotalsChange};

/// Prompts counted between two reads of the database.
const STEP: u32 = 10_000;

/// Adds or subtracts prompts.
pub(super) fn change(connection: &Connection, change: TotalsChange, prompts: &[Prompt]) -> SqliteResult<()> {
    let mut tallies = Tallies::new(&StatsBy::ALL);
    for prompt in prompts {
        tallies.add_prompt(prompt);
    }
    write(connection, change, &tallies)
}

/// Moves a prompt from its old tags to its new ones.
pub(super) fn retag(connection: &Connection, before: &Prompt, after: &Prompt) -> SqliteResult<()> {
    for (change, prompt) in [(TotalsChange::Remove, before), (TotalsChange::Add, after)] {
        let mut tallies = Tallies::new(&[StatsBy::Tag]);
        tallies.add_prompt(prompt);
        tallies.change_each(change, |by, key, change| match by {
            Some(by) => write_one(connection, Some(by), key, change),
            None => Ok(()),
        })?;
    }
    Ok(())
}

/// Deletes all totals.
pub(super) fn clear(connection: &Connection) -> SqliteResult<()> {
    connection.execute("DELETE FROM kept_totals", [])?;
    Ok(())
}

/// The totals of all prompts.
pub(super) fn read(connection: &Connection, by: &[StatsBy]) -> SqliteResult<PromptTotals> {
    let mut lines = connection.prepare_cached("SELECT key, totals FROM kept_totals WHERE kind = ?")?;
    let mut read = |by: Option<StatsBy>| -> SqliteResult<Vec<StatsLine>> {
        let mut rows = lines.query([kind(by)])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let mut columns = Columns::of(row);
            let key: String = columns.take()?;
            found.push(StatsLine { key, totals: columns.json::<RunningTotals>()?.totals() });
        }
        Ok(found)
    };
    let total = read(None)?.pop().map_or_else(|| RunningTotals::default().totals(), |line| line.totals);
    let groups = by.iter().map(|by| read(Some(*by))).collect::<SqliteResult<_>>()?;
    Ok(PromptTotals { total, groups })
}

/// Counts all prompts, for a file that has no totals yet.
pub(super) fn count_all(connection: &Connection, tell: &mut dyn FnMut(RowProgress)) -> SqliteResult<()> {
    let total = connection.query_row("SELECT count(*) FROM prompts", [], |row| row.get::<_, i64>(0))?.unsigned_abs();
    let mut ends = connection
        .prepare("SELECT count(*), max(key) FROM (SELECT key FROM prompts WHERE key > ? ORDER BY key LIMIT ?)")?;
    let (mut after, mut done) = (0_i64, 0_u64);
    loop {
        tell(RowProgress { done, total });
        let (count, last): (i64, Option<i64>) =
            ends.query_row([after, STEP.into()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let Some(last) = last else { return Ok(()) };
        let sql = "SELECT key FROM prompts WHERE key > ? AND key <= ?".to_owned();
        let step = Query { sql, values: vec![Value::Integer(after), Value::Integer(last)] };
        write(connection, TotalsChange::Add, &measure::tally(connection, &step, &StatsBy::ALL, &mut |_| Ok(()))?)?;
        after = last;
        done += count.unsigned_abs();
    }
}

fn write(connection: &Connection, change: TotalsChange, tallies: &Tallies) -> SqliteResult<()> {
    tallies.change_each(change, |by, key, change| write_one(connection, by, key, change))
}

fn write_one(
    connection: &Connection,
    by: Option<StatsBy>,
    key: &str,
    change: &dyn Fn(&mut RunningTotals),
) -> SqliteResult<()> {
    let mut get = connection.prepare_cached("SELECT totals FROM kept_totals WHERE kind = ? AND key = ?")?;
    let kept = get.query_row(params![kind(by), key], |row| Ok(Columns::of(row).json::<RunningTotals>())).optional()?;
    let mut kept = kept.transpose()?.unwrap_or_default();
    change(&mut kept);
    if kept.is_empty() {
        let mut delete = connection.prepare_cached("DELETE FROM kept_totals WHERE kind = ? AND key = ?")?;
        delete.execute(params![kind(by), key])?;
    } else {
        let mut put =
            connection.prepare_cached("INSERT OR REPLACE INTO kept_totals (kind, key, totals) VALUES (?, ?, ?)")?;
        put.execute(params![kind(by), key, json(&kept)?])?;
    }
    Ok(())
}

/// The `kind` of a grouping's rows; empty for the overall totals.
fn kind(by: Option<StatsBy>) -> &'static str {
    by.map_or("", StatsBy::as_str)
}
