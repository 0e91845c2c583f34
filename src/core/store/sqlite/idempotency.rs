//! Idempotency keys as rows, one a key. A key whose holder died is recognised by its lease.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use super::SqliteStore;
use super::failure::SqliteResult;
use super::jobs::NOW;
use super::rows::{Columns, integer, json};
use crate::domain::SessionId;
use crate::store::{HeldKey, IdempotencyStore, KeyClaim, KeyedAnswer, NewKeyClaim, Pending};

impl IdempotencyStore for SqliteStore {
    fn claim_key(&self, claim: NewKeyClaim) -> Pending<KeyClaim> {
        // A power loss ends the request as well, so the claim need not survive one.
        self.write_unflushed("claiming an idempotency key", move |connection| self::claim(connection, &claim))
    }

    fn renew_key(&self, held: HeldKey, lease: Duration) -> Pending<bool> {
        self.write_unflushed("keeping an idempotency key", move |connection| renew(connection, &held, lease))
    }

    fn answer_key(&self, held: HeldKey, answer: KeyedAnswer, stored_for: Duration) -> Pending<()> {
        self.write_finished("storing an answer", move |connection| self::answer(connection, &held, &answer, stored_for))
    }

    fn release_key(&self, held: HeldKey) -> Pending<()> {
        self.write_unflushed("releasing an idempotency key", move |connection| release(connection, &held))
    }

    fn delete_expired_keys(&self) -> Pending<u64> {
        // Reads first, so that nothing is created or locked for nothing.
        const DOING: &str = "deleting expired idempotency keys";
        match self.read_now(false, has_expired) {
            Ok(false) => Pending::ready(Ok(0)),
            Ok(true) => self.write_unflushed(DOING, delete_expired),
            Err(failure) => Pending::ready(Err(failure.explain(&self.place, DOING))),
        }
    }
}

fn claim(connection: &Connection, new: &NewKeyClaim) -> SqliteResult<KeyClaim> {
    delete_expired(connection)?;
    let HeldKey { owner, key, claim } = &new.held;
    let written = connection
        .prepare_cached(&format!(
            "INSERT INTO idempotency_keys (owner, key, fingerprint, claim, leased_until, expires_at)
             VALUES (?1, ?2, ?3, ?4, {NOW} + ?5, {NOW} + ?5) ON CONFLICT DO NOTHING"
        ))?
        .execute(params![owner, key, new.fingerprint.0, claim.as_bytes(), millis(new.lease)])?;
    if written == 1 {
        return Ok(KeyClaim::Held);
    }
    let mut statement = connection.prepare_cached(
        "SELECT fingerprint, run, status, headers, body FROM idempotency_keys WHERE owner = ? AND key = ?",
    )?;
    let mut rows = statement.query(params![owner, key])?;
    // Both statements see one state of the database, so the row is there.
    let Some(row) = rows.next()? else { return Ok(KeyClaim::InProgress) };
    let mut columns = Columns::of(row);
    if columns.take::<[u8; 32]>()? != new.fingerprint.0 {
        return Ok(KeyClaim::OtherRequest);
    }
    let run = columns.optional_id()?.map(SessionId);
    let Some(status) = columns.take::<Option<u16>>()? else { return Ok(KeyClaim::InProgress) };
    Ok(KeyClaim::Answered(KeyedAnswer { run, status, headers: columns.json()?, body: columns.take()? }))
}

fn renew(connection: &Connection, held: &HeldKey, lease: Duration) -> SqliteResult<bool> {
    let renewed = connection
        .prepare_cached(&format!(
            "UPDATE idempotency_keys SET leased_until = {NOW} + ?1, expires_at = {NOW} + ?1
             WHERE owner = ?2 AND key = ?3 AND claim = ?4 AND status IS NULL RETURNING 1"
        ))?
        .query_row(params![millis(lease), held.owner, held.key, held.claim.as_bytes()], |_| Ok(()))
        .optional()?;
    Ok(renewed.is_some())
}

fn answer(connection: &Connection, held: &HeldKey, answer: &KeyedAnswer, stored_for: Duration) -> SqliteResult<()> {
    let KeyedAnswer { run, status, headers, body } = answer;
    connection
        .prepare_cached(&format!(
            "UPDATE idempotency_keys
             SET leased_until = NULL, run = ?, status = ?, headers = ?, body = ?, expires_at = {NOW} + ?
             WHERE owner = ? AND key = ? AND claim = ? AND status IS NULL"
        ))?
        .execute(params![
            run.map(|run| *run.0.as_bytes()),
            status,
            json(headers)?,
            body,
            millis(stored_for),
            held.owner,
            held.key,
            held.claim.as_bytes()
        ])?;
    Ok(())
}

fn release(connection: &Connection, held: &HeldKey) -> SqliteResult<()> {
    connection
        .prepare_cached("DELETE FROM idempotency_keys WHERE owner = ? AND key = ? AND claim = ? AND status IS NULL")?
        .execute(params![held.owner, held.key, held.claim.as_bytes()])?;
    Ok(())
}

fn has_expired(connection: &Connection) -> SqliteResult<bool> {
    let mut statement = connection
        .prepare_cached(&format!("SELECT EXISTS (SELECT 1 FROM idempotency_keys WHERE expires_at < {NOW})"))?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

fn delete_expired(connection: &Connection) -> SqliteResult<u64> {
    let deleted =
        connection.prepare_cached(&format!("DELETE FROM idempotency_keys WHERE expires_at < {NOW}"))?.execute([])?;
    Ok(deleted as u64)
}

/// Deletes the recorded bodies of these runs, of which no prompt is left. The keys stay answered, so
/// that a repetition does not spend.
pub(super) fn sweep(connection: &Connection, runs: &[SessionId]) -> SqliteResult<()> {
    let mut statement = connection.prepare_cached(
        "UPDATE idempotency_keys SET body = NULL
         WHERE run = ?1 AND body IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM prompts WHERE session_id = ?1)
             AND NOT EXISTS (SELECT 1 FROM trash WHERE prompt ->> 'session_id' = ?2)",
    )?;
    for run in runs {
        statement.execute(params![run.0.as_bytes(), run.to_string()])?;
    }
    Ok(())
}

/// Deletes every recorded body.
pub(super) fn clear(connection: &Connection) -> SqliteResult<()> {
    connection.execute("UPDATE idempotency_keys SET body = NULL WHERE body IS NOT NULL", [])?;
    Ok(())
}

fn millis(duration: Duration) -> i64 {
    integer(duration.as_millis())
}
