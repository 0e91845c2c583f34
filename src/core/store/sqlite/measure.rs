//! Totals of stored prompts, and how a prompt relates to others.
//!
//! Totals of all prompts are maintained ([`super::totals`]); those of some are folded in one pass
//! over their rows. SQLite could parse the JSON accounts too, but exact percentiles need every
//! number anyway, and one pass serves any number of keys, where SQL would sort or group for each.

use std::ops::ControlFlow;

use rusqlite::{CachedStatement, Connection, OptionalExtension, params_from_iter};

use super::SqliteStore;
use super::failure::SqliteResult;
use super::filter::{self, Query};
use super::rows::Columns;
use super::totals;
use crate::domain::{Filter, PromptId, StatsBy};
use crate::error::Error;
use crate::store::tally::{Account, CountedPrompt, Part, Tallies, day_of};
use crate::store::{MeasureProgress, MeasureStore, MeasureWatch, Pending, PromptTotals, Relations};
use crate::time::from_millis;

const MILLIS_A_DAY: i64 = 86_400_000;

impl MeasureStore for SqliteStore {
    fn measure_watched(&self, filter: Filter, by: Vec<StatsBy>, watch: MeasureWatch) -> Pending<PromptTotals> {
        let absent = Tallies::new(&by).finish();
        self.read("adding up prompts", absent, |connection| measure(connection, &filter, &by, &watch))
    }

    fn relations(&self, ids: Vec<PromptId>) -> Pending<Vec<Relations>> {
        let absent = vec![Relations::default(); ids.len()];
        self.read("looking up what prompts relate to", absent, |connection| relations(connection, &ids))
    }
}

/// Totals of the prompts that pass the filter.
pub(super) fn measure(
    connection: &Connection,
    filter: &Filter,
    by: &[StatsBy],
    watch: &MeasureWatch,
) -> SqliteResult<PromptTotals> {
    if *filter == Filter::default() {
        return totals::read(connection, by);
    }
    let chosen = filter::all(connection, filter)?;
    let mut total = None;
    let tallies = tally(connection, &chosen, by, &mut |done| {
        if !watch.is_due(done) {
            return Ok(());
        }
        // The total is counted when a report is due, so that quick requests do not pay for it.
        let total = match total {
            Some(total) => total,
            None => *total.insert(count(connection, &chosen)?),
        };
        match watch.report(MeasureProgress { done, total: total.max(done) }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Cancelled.into()),
        }
    })?;
    Ok(tallies.finish())
}

/// The number of these keys.
fn count(connection: &Connection, chosen: &Query) -> SqliteResult<u64> {
    let mut count = connection.prepare_cached(&format!("SELECT count(*) FROM ({})", chosen.sql))?;
    Ok(count.query_row(params_from_iter(&chosen.values), |row| row.get::<_, i64>(0))?.unsigned_abs())
}

/// Tallies the prompts of these keys one by one, calling `counted` with the number so far.
pub(super) fn tally(
    connection: &Connection,
    chosen: &Query,
    by: &[StatsBy],
    counted: &mut dyn FnMut(u64) -> SqliteResult<()>,
) -> SqliteResult<Tallies> {
    // CROSS JOIN: chosen keys first, then each looked up.
    let mut prompts = connection.prepare_cached(&format!(
        "WITH chosen (key) AS ({}) SELECT p.key, p.created_at, p.persona, p.phase, p.provider, p.model, p.model_metadata
         FROM chosen CROSS JOIN prompts p ON p.key = chosen.key",
        chosen.sql
    ))?;
    let mut steps = connection.prepare_cached(
        "SELECT phase, provider, model, model_metadata FROM steps WHERE prompt = ? ORDER BY position",
    )?;
    let mut tags = connection.prepare_cached("SELECT tag FROM tags WHERE prompt = ?")?;
    let needs_tags = by.contains(&StatsBy::Tag);

    let (mut tallies, mut done) = (Tallies::new(by), 0);
    let mut day = (i64::MIN, String::new());
    let mut rows = prompts.query(params_from_iter(&chosen.values))?;
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of(row);
        let key: i64 = columns.take()?;
        let made: i64 = columns.take()?;
        let persona: String = columns.take()?;
        let mut parts = parts_of(&mut steps, key)?;
        if parts.is_empty() {
            parts.push(part(&mut columns, false)?);
        }
        // Consecutive rows are nearly always of the same day.
        if day.0 != made.div_euclid(MILLIS_A_DAY) {
            day = (made.div_euclid(MILLIS_A_DAY), day_of(from_millis(made)));
        }
        let tags = if needs_tags { tags_of(&mut tags, key)? } else { Vec::new() };
        tallies.add(&CountedPrompt { day: &day.1, persona: &persona, tags: &tags, parts: &parts });
        done += 1;
        counted(done)?;
    }
    Ok(tallies)
}

fn parts_of(steps: &mut CachedStatement<'_>, key: i64) -> SqliteResult<Vec<Part>> {
    steps.query_and_then([key], |row| part(&mut Columns::of(row), true))?.collect()
}

fn part(columns: &mut Columns<'_, '_>, is_step: bool) -> SqliteResult<Part> {
    Ok(Part {
        phase: columns.take()?,
        provider: columns.take()?,
        model: columns.take()?,
        account: columns.json::<Account>()?,
        is_step,
    })
}

fn tags_of(tags: &mut CachedStatement<'_>, key: i64) -> SqliteResult<Vec<String>> {
    Ok(tags.query_map([key], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// The relations of these prompts to others.
pub(super) fn relations(connection: &Connection, ids: &[PromptId]) -> SqliteResult<Vec<Relations>> {
    // By rank, which can differ from the order of near-equal scores; by score if an export lost it.
    let mut standing = connection.prepare_cached(
        "SELECT sum(other.score IS NOT NULL),
             iif(this.score IS NULL, NULL, 1 + sum(ifnull(
                 iif(this.rank IS NULL OR other.rank IS NULL, other.score > this.score, other.rank < this.rank), 0)))
         FROM prompts this JOIN prompts other ON other.session_id = this.session_id
         WHERE this.id = ? GROUP BY this.key",
    )?;
    let mut children =
        connection.prepare_cached("SELECT id FROM prompts WHERE parent_id = ? ORDER BY created_at, id")?;
    ids.iter()
        .map(|id| {
            let id = id.0.as_bytes();
            let standing = standing.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            let (ranked, rank) = standing.unwrap_or_default();
            let mut rows = children.query([id])?;
            let mut relations = Relations { rank, ranked, children: Vec::new() };
            while let Some(row) = rows.next()? {
                relations.children.push(PromptId(Columns::of(row).id()?));
            }
            Ok(relations)
        })
        .collect()
}
