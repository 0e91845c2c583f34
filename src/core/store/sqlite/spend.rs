//! Calls as rows, and the running totals of each day, of all and of each caller. A reservation is also a row, without a phase
//! ([`SET_ASIDE`]): it counts towards the total but is not a call.
//!
//! Every change runs inside the writer's transaction, which holds the database's write lock from
//! its beginning: that makes a cap hold across processes.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use uuid::Uuid;

use super::SqliteStore;
use super::failure::SqliteResult;
use super::rows::{Columns, integer, json, millis, millis_not_before};
use crate::domain::{SessionId, SpendBy, Timestamp};
use crate::ledger::{CallEnd, Caller, CapPeriod, Money, Need};
use crate::store::{
    Admitted, Draw, LEASE, Pending, ReservationReply, SpendCall, SpendQuery, SpendReservation, SpendRow, SpendStore,
};

/// An upper bound on any amount; larger ones are stored as this, so that sums fit in 64 bits.
const MOST: i64 = 1_000_000_000_000_000_000;

const MILLIS_A_DAY: i64 = 86_400_000;

/// The phase of a reservation's row.
const SET_ASIDE: &str = "";

impl SpendStore for SqliteStore {
    fn admit_call(&self, call: SpendCall, cap: Money) -> Pending<Admitted> {
        self.write("asking for room under the daily budget", move |connection| admit(connection, &call, cap))
    }

    fn withdraw_call(&self, id: Uuid) -> Pending<()> {
        self.write("taking back a call", move |connection| withdraw(connection, id))
    }

    fn set_aside(&self, amount: SpendReservation, cap: Money) -> Pending<ReservationReply> {
        self.write("asking for room under the daily budget", move |connection| set_aside(connection, &amount, cap))
    }

    fn admit_call_from(&self, call: SpendCall, draw: Draw, cap: Money) -> Pending<Admitted> {
        self.write("asking for room under the daily budget", move |connection| admit_from(connection, &call, draw, cap))
    }

    fn extend_call(&self, id: Uuid, by: Money, cap: Money, caller: Option<Arc<Caller>>) -> Pending<Admitted> {
        self.write("asking for more room under the daily budget", move |connection| {
            extend(connection, id, by, cap, caller.as_deref())
        })
    }

    fn end_call(&self, id: Uuid, how: CallEnd) -> Pending<()> {
        self.write_finished("recording the cost of a call", move |connection| end(connection, id, how))
    }

    fn record_call(&self, call: SpendCall, end: CallEnd) -> Pending<()> {
        self.write_finished("recording the cost of a call", move |connection| record(connection, &call, end))
    }

    fn spend(&self, query: SpendQuery) -> Pending<Vec<SpendRow>> {
        let absent = if query.by.is_none() { vec![SpendRow::default()] } else { Vec::new() };
        self.read("computing the totals", absent, |connection| sums(connection, &query))
    }

    fn counted_for(&self, session: SessionId) -> Pending<Need> {
        self.read("reading what a run has cost", Need::default(), |connection| counted_for(connection, session))
    }

    fn counted_on(&self, moment: Timestamp) -> Pending<Money> {
        self.read("reading what a day has cost", Money::ZERO, |connection| counted_on(connection, moment))
    }

    fn counted_to(&self, caller: Arc<Caller>, moment: Timestamp) -> Pending<Need> {
        self.read("reading what a day has cost", Need::default(), |connection| {
            counted_to(connection, &caller, day_of(moment))
        })
    }
}

/// The state of a call, as columns.
struct CallState {
    state: &'static str,
    input_tokens: Option<i64>,
    output_tokens: Option<i64>,
    cost: Option<i64>,
    counted: i64,
}

impl CallState {
    fn open(worst: Option<Money>) -> Self {
        Self {
            state: "open",
            input_tokens: None,
            output_tokens: None,
            cost: None,
            counted: nanos(worst.unwrap_or_default()),
        }
    }

    fn ended(end: CallEnd, worst: Option<Money>) -> Self {
        match end {
            CallEnd::Answered { input_tokens, output_tokens, cost, counted } => Self {
                state: "answered",
                input_tokens: Some(whole(input_tokens)),
                output_tokens: Some(whole(output_tokens)),
                cost: cost.map(nanos),
                counted: nanos(counted),
            },
            CallEnd::Failed => Self { state: "failed", cost: Some(0), counted: 0, ..Self::open(worst) },
            CallEnd::Unseen => Self { state: "unseen", ..Self::open(worst) },
            CallEnd::Cut { counted } => Self { state: "unseen", counted: nanos(counted), ..Self::open(worst) },
        }
    }
}

/// Admits a call, if there is room.
pub(super) fn admit(connection: &Connection, call: &SpendCall, cap: Money) -> SqliteResult<Admitted> {
    let worst = call.worst.unwrap_or_default();
    if let Some(used) = without_room(connection, call.caller.as_deref(), day_of(call.at), one_call(worst))? {
        return Ok(Admitted::NoneForCaller { used });
    }
    let counted = counted_on(connection, call.at)?;
    if counted + worst > cap {
        return Ok(Admitted::No { counted });
    }
    insert(connection, call, 1, &CallState::open(call.worst))?;
    Ok(Admitted::Yes)
}

const fn one_call(worst: Money) -> Need {
    Need { calls: 1, money: worst }
}

/// What counts against the caps of a caller, if there is no room for `wanted` under them.
fn without_room(
    connection: &Connection,
    caller: Option<&Caller>,
    day: i64,
    wanted: Need,
) -> SqliteResult<Option<Need>> {
    let Some(caller) = caller.filter(|caller| caller.is_capped()) else { return Ok(None) };
    let used = counted_to(connection, caller, day)?;
    Ok((!caller.has_room(used, wanted)).then_some(used))
}

/// Reserves an amount, if there is room.
pub(super) fn set_aside(
    connection: &Connection,
    wanted: &SpendReservation,
    cap: Money,
) -> SqliteResult<ReservationReply> {
    let SpendReservation { id, at, amount, calls, caller } = wanted;
    let now = millis(*at);
    let lapsed = now - integer(LEASE.as_millis());
    let mut statement =
        connection.prepare_cached("SELECT id FROM calls WHERE at >= ? AND at < ? AND phase = ? AND state = 'open'")?;
    let read = |row: &Row<'_>| row.get::<_, [u8; 16]>(0);
    let left_behind: Vec<[u8; 16]> =
        statement.query_map(params![now - MILLIS_A_DAY, lapsed, SET_ASIDE], read)?.collect::<Result<_, _>>()?;
    for id in left_behind {
        withdraw(connection, Uuid::from_bytes(id))?;
    }
    let need = Need { calls: *calls, money: *amount };
    if let Some(used) = without_room(connection, caller.as_deref(), day_of(*at), need)? {
        return Ok(ReservationReply::NoneForCaller { used });
    }
    let counted = counted_on(connection, *at)?;
    if counted + *amount > cap {
        let mut statement = connection
            .prepare_cached("SELECT count(*) FROM calls WHERE at >= ? AND day = ? AND phase = ? AND state = 'open'")?;
        let chains: i64 = statement.query_row(params![lapsed, day_of(*at), SET_ASIDE], |row| row.get(0))?;
        return Ok(ReservationReply::No { counted, chains: chains.unsigned_abs() });
    }
    let row = SpendCall {
        id: *id,
        at: *at,
        session_id: None,
        command: String::new(),
        phase: SET_ASIDE.to_owned(),
        provider: String::new(),
        model: String::new(),
        tags: Vec::new(),
        worst: Some(*amount),
        caller: caller.clone(),
    };
    insert(connection, &row, *calls, &CallState::open(row.worst))?;
    Ok(ReservationReply::Yes)
}

/// Admits a call that draws on a reservation, if there is room for the rest of it.
pub(super) fn admit_from(connection: &Connection, call: &SpendCall, draw: Draw, cap: Money) -> SqliteResult<Admitted> {
    let day = day_of(call.at);
    let reservation = open_call(connection, draw.id)?.filter(|held| held.day == day);
    let held = reservation.as_ref().map_or(Need::default(), OpenCall::need);
    let worst = call.worst.unwrap_or_default();
    let rest = held.saturating_sub(one_call(worst));
    let kept = Need { calls: rest.calls.min(draw.keep.calls), money: rest.money.min(draw.keep.money) };
    let released = held.saturating_sub(kept);
    if let Some(caller) = call.caller.as_deref().filter(|caller| caller.is_capped()) {
        let used = counted_to(connection, caller, day)?;
        if !caller.has_room(used.saturating_sub(released), one_call(worst)) {
            return Ok(Admitted::NoneForCaller { used });
        }
    }
    let counted = counted_on(connection, call.at)?;
    if counted.saturating_sub(released.money) + worst > cap {
        return Ok(Admitted::No { counted });
    }
    connection
        .prepare_cached(
            "UPDATE calls SET worst = ?2, counted = ?2, calls = ?5, at = ?3
             WHERE id = ?1 AND day = ?4 AND state = 'open'",
        )?
        .execute(params![draw.id.as_bytes(), nanos(kept.money), millis(call.at), day, whole(kept.calls)])?;
    let change = Change { nanos: nanos(kept.money) - nanos(held.money), calls: whole(kept.calls) - whole(held.calls) };
    add_to_day(connection, day, reservation.as_ref().and_then(|held| held.caller.as_deref()), change)?;
    insert(connection, call, 1, &CallState::open(call.worst))?;
    Ok(Admitted::Yes)
}

/// Raises the worst case of an open call, if there is room on its day.
pub(super) fn extend(
    connection: &Connection,
    id: Uuid,
    by: Money,
    cap: Money,
    caller: Option<&Caller>,
) -> SqliteResult<Admitted> {
    let Some(open) = open_call(connection, id)? else { return Ok(Admitted::Yes) };
    if let Some(used) = without_room(connection, caller, open.day, Need { calls: 0, money: by })? {
        return Ok(Admitted::NoneForCaller { used });
    }
    let counted = counted_on_day(connection, open.day)?;
    if counted + by > cap {
        return Ok(Admitted::No { counted });
    }
    connection
        .prepare_cached("UPDATE calls SET worst = min(worst + ?2, ?3), counted = min(counted + ?2, ?3) WHERE id = ?1")?
        .execute(params![id.as_bytes(), nanos(by), MOST])?;
    add_to_day(connection, open.day, open.caller.as_deref(), Change { nanos: nanos(by), calls: 0 })?;
    Ok(Admitted::Yes)
}

/// Records a call that has ended.
pub(super) fn record(connection: &Connection, call: &SpendCall, end: CallEnd) -> SqliteResult<()> {
    insert(connection, call, 1, &CallState::ended(end, call.worst))
}

/// Writes a row that counts as this many calls of its caller.
fn insert(connection: &Connection, call: &SpendCall, calls: u64, standing: &CallState) -> SqliteResult<()> {
    let day = day_of(call.at);
    let caller = call.caller.as_ref().map(|caller| caller.id.as_str());
    connection
        .prepare_cached(
            "INSERT INTO calls (id, at, day, session_id, command, phase, provider, model, tags, state, input_tokens,
                 output_tokens, cost, worst, counted, caller, calls)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            call.id.as_bytes(),
            millis(call.at),
            day,
            call.session_id.map(|session| session.0.into_bytes()),
            call.command,
            call.phase,
            call.provider,
            call.model,
            json(&call.tags)?,
            standing.state,
            standing.input_tokens,
            standing.output_tokens,
            standing.cost,
            call.worst.map(nanos),
            standing.counted,
            caller,
            whole(calls),
        ])?;
    add_to_day(connection, day, caller, Change { nanos: standing.counted, calls: whole(calls) })
}

/// Ends a call, if it is still open.
pub(super) fn end(connection: &Connection, id: Uuid, end: CallEnd) -> SqliteResult<()> {
    let Some(open) = open_call(connection, id)? else { return Ok(()) };
    let worst = open.worst.map(|nanos| Money::from_nanos(nanos.unsigned_abs()));
    let standing = CallState::ended(end, worst);
    connection
        .prepare_cached(
            "UPDATE calls SET state = ?, input_tokens = ?, output_tokens = ?, cost = ?, counted = ? WHERE id = ?",
        )?
        .execute(params![
            standing.state,
            standing.input_tokens,
            standing.output_tokens,
            standing.cost,
            standing.counted,
            id.as_bytes()
        ])?;
    let change = Change { nanos: standing.counted - open.counted, calls: 0 };
    add_to_day(connection, open.day, open.caller.as_deref(), change)
}

/// Removes a call that never went out.
pub(super) fn withdraw(connection: &Connection, id: Uuid) -> SqliteResult<()> {
    let Some(open) = open_call(connection, id)? else { return Ok(()) };
    connection.prepare_cached("DELETE FROM calls WHERE id = ?")?.execute([id.as_bytes()])?;
    let change = Change { nanos: -open.counted, calls: -open.calls };
    add_to_day(connection, open.day, open.caller.as_deref(), change)
}

/// A call that has not ended.
struct OpenCall {
    day: i64,
    counted: i64,
    worst: Option<i64>,
    /// The id of its caller.
    caller: Option<String>,
    /// The calls that it counts as.
    calls: i64,
}

impl OpenCall {
    fn need(&self) -> Need {
        Need { calls: self.calls.unsigned_abs(), money: Money::from_nanos(self.counted.unsigned_abs()) }
    }
}

fn open_call(connection: &Connection, id: Uuid) -> SqliteResult<Option<OpenCall>> {
    let mut statement = connection
        .prepare_cached("SELECT day, counted, worst, caller, calls FROM calls WHERE id = ? AND state = 'open'")?;
    let read = |row: &Row<'_>| {
        Ok(OpenCall {
            day: row.get(0)?,
            counted: row.get(1)?,
            worst: row.get(2)?,
            caller: row.get(3)?,
            calls: row.get(4)?,
        })
    };
    Ok(statement.query_row([id.as_bytes()], read).optional()?)
}

/// A change of running totals.
#[derive(Debug, Clone, Copy)]
struct Change {
    nanos: i64,
    calls: i64,
}

/// Adds to the total of a day, and to that of a caller.
fn add_to_day(connection: &Connection, day: i64, caller: Option<&str>, change: Change) -> SqliteResult<()> {
    let Change { nanos, calls } = change;
    if let Some(caller) = caller {
        connection
            .prepare_cached(
                "INSERT INTO caller_days (caller, day, counted, calls) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (caller, day) DO UPDATE SET counted = counted + ?3, calls = calls + ?4",
            )?
            .execute(params![caller, day, nanos, calls])?;
    }
    connection
        .prepare_cached(
            "INSERT INTO call_days (day, counted) VALUES (?1, ?2)
             ON CONFLICT (day) DO UPDATE SET counted = counted + ?2",
        )?
        .execute([day, nanos])?;
    Ok(())
}

/// What the calls of a day count as.
pub(super) fn counted_on(connection: &Connection, moment: Timestamp) -> SqliteResult<Money> {
    counted_on_day(connection, day_of(moment))
}

fn counted_on_day(connection: &Connection, day: i64) -> SqliteResult<Money> {
    let mut statement = connection.prepare_cached("SELECT counted FROM call_days WHERE day = ?")?;
    let counted: Option<i64> = statement.query_row([day], |row| row.get(0)).optional()?;
    Ok(Money::from_nanos(counted.unwrap_or(0).unsigned_abs()))
}

/// What the calls of a caller count as in the period of its caps that `day` is in, and how many they
/// are.
pub(super) fn counted_to(connection: &Connection, caller: &Caller, day: i64) -> SqliteResult<Need> {
    let mut statement = connection.prepare_cached(
        "SELECT ifnull(sum(calls), 0), ifnull(sum(counted), 0) FROM caller_days
         WHERE caller = ?1 AND (?2 IS NULL OR day = ?2)",
    )?;
    let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let day = (caller.period == CapPeriod::Day).then_some(day);
    let (calls, nanos) = statement.query_row(params![caller.id, day], read)?;
    Ok(Need { calls: calls.unsigned_abs(), money: Money::from_nanos(nanos.unsigned_abs()) })
}

/// How many calls of a run went out, and what they count as.
pub(super) fn counted_for(connection: &Connection, session: SessionId) -> SqliteResult<Need> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT count(*), ifnull(sum(counted), 0) FROM calls WHERE session_id = ? AND phase <> '{SET_ASIDE}'"
    ))?;
    let mut rows = statement.query([session.0.as_bytes()])?;
    let Some(row) = rows.next()? else { return Ok(Need::default()) };
    let mut columns = Columns::of(row);
    Ok(Need { calls: columns.number()?, money: Money::from_nanos(columns.number()?) })
}

/// Totals of calls.
pub(super) fn sums(connection: &Connection, query: &SpendQuery) -> SqliteResult<Vec<SpendRow>> {
    let (key, from) = match query.by {
        None => ("''", "calls"),
        Some(SpendBy::Day) => ("date(calls.day * 86400, 'unixepoch')", "calls"),
        Some(SpendBy::Model) => ("calls.model", "calls"),
        Some(SpendBy::Provider) => ("calls.provider", "calls"),
        Some(SpendBy::Phase) => ("calls.phase", "calls"),
        Some(SpendBy::Command) => ("calls.command", "calls"),
        Some(SpendBy::Tag) => ("ifnull(tag.value, '')", "calls LEFT JOIN json_each(calls.tags) AS tag"),
    };
    let group = if query.by.is_some() { "GROUP BY 1" } else { "" };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {key}, count(*), ifnull(sum(state = 'failed'), 0), ifnull(sum(state IN ('open', 'unseen')), 0),
             ifnull(sum(state = 'answered' AND cost IS NULL), 0), ifnull(sum(input_tokens), 0),
             ifnull(sum(output_tokens), 0), ifnull(sum(cost), 0),
             ifnull(sum(iif(state IN ('open', 'unseen'), counted, 0)), 0)
         FROM {from} WHERE calls.at >= ? AND calls.at < ? AND calls.phase <> '{SET_ASIDE}' {group}"
    ))?;
    let bounds = [query.since.map_or(i64::MIN, millis_not_before), query.until.map_or(i64::MAX, millis_not_before)];
    let mut rows = statement.query(params_from_iter(bounds))?;
    let mut sums = Vec::new();
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of(row);
        sums.push(SpendRow {
            key: columns.take()?,
            calls: columns.number()?,
            failed: columns.number()?,
            unseen: columns.number()?,
            unpriced: columns.number()?,
            input_tokens: columns.number()?,
            output_tokens: columns.number()?,
            cost: Money::from_nanos(columns.number()?),
            unseen_cost: Money::from_nanos(columns.number()?),
        });
    }
    Ok(sums)
}

fn day_of(moment: Timestamp) -> i64 {
    millis(moment).div_euclid(MILLIS_A_DAY)
}

fn nanos(money: Money) -> i64 {
    whole(money.nanos())
}

fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(MOST).min(MOST)
}
