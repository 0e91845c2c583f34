//! Conversion between domain values and SQLite values, both ways.
//!
//! Both are exact, including texts with NUL characters and every finite number. A row that no
//! version of this program can have written is an error that names it, never a guess.

use std::str::FromStr;

use rusqlite::Row;
use rusqlite::types::FromSql;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::failure::{Failure, SqliteResult};
use crate::domain::{Phase, Source, Timestamp};
use crate::time::from_millis;

/// Reads the columns of a row in order.
pub(super) struct Columns<'row, 'statement> {
    row: &'row Row<'statement>,
    next: usize,
}

impl<'row, 'statement> Columns<'row, 'statement> {
    /// Starts at the first column.
    pub(super) fn of(row: &'row Row<'statement>) -> Self {
        Self { row, next: 0 }
    }

    /// The next column.
    pub(super) fn take<T: FromSql>(&mut self) -> SqliteResult<T> {
        let column = self.next;
        self.next += 1;
        self.row.get(column).map_err(|error| self.damaged(error))
    }

    /// The next column, a whole number that is not negative.
    pub(super) fn number(&mut self) -> SqliteResult<u64> {
        let number = self.take::<i64>()?;
        u64::try_from(number).map_err(|_| self.damaged(format!("{number} is negative")))
    }

    /// The next column, an id.
    pub(super) fn id(&mut self) -> SqliteResult<Uuid> {
        self.optional_id()?.ok_or_else(|| self.damaged("an id is missing"))
    }

    /// The next column, an id or null.
    pub(super) fn optional_id(&mut self) -> SqliteResult<Option<Uuid>> {
        let bytes = self.take::<Option<[u8; 16]>>()?;
        Ok(bytes.map(Uuid::from_bytes))
    }

    /// The next column, milliseconds since 1970.
    pub(super) fn moment(&mut self) -> SqliteResult<Timestamp> {
        Ok(from_millis(self.take()?))
    }

    /// The next column, milliseconds since 1970 or null.
    pub(super) fn optional_moment(&mut self) -> SqliteResult<Option<Timestamp>> {
        Ok(self.take::<Option<i64>>()?.map(from_millis))
    }

    /// The next column, JSON text.
    pub(super) fn json<T: DeserializeOwned>(&mut self) -> SqliteResult<T> {
        serde_json::from_str(&self.take::<String>()?).map_err(|error| self.damaged(error))
    }

    /// The next column, a phase.
    pub(super) fn phase(&mut self) -> SqliteResult<Phase> {
        Phase::from_str(&self.take::<String>()?).map_err(|error| self.damaged(error))
    }

    /// The next column, a source.
    pub(super) fn source(&mut self) -> SqliteResult<Source> {
        let text = self.take::<String>()?;
        Source::parse(&text).ok_or_else(|| self.damaged(format!("`{text}` is not a source")))
    }

    /// An error about the column taken last.
    fn damaged(&self, reason: impl std::fmt::Display) -> Failure {
        let statement: &rusqlite::Statement<'_> = self.row.as_ref();
        let column = statement.column_name(self.next.saturating_sub(1));
        Failure::damaged(format_args!("column `{}`: {reason}", column.unwrap_or("?")))
    }
}

/// A moment as stored: whole milliseconds since 1970, truncated.
pub(super) fn millis(moment: Timestamp) -> i64 {
    moment.as_millisecond()
}

/// The first whole millisecond not before `moment`: the bound for `>=` and `<` over stored moments.
pub(super) fn millis_not_before(moment: Timestamp) -> i64 {
    let floor = moment.as_nanosecond().div_euclid(1_000_000);
    let exact = moment.as_nanosecond().rem_euclid(1_000_000) == 0;
    i64::try_from(if exact { floor } else { floor + 1 }).unwrap_or(i64::MAX)
}

/// A count as SQLite takes it, whose numbers end where nothing of ours comes near.
pub(super) fn integer(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

/// JSON text.
pub(super) fn json<T: Serialize>(value: &T) -> SqliteResult<String> {
    serde_json::to_string(value).map_err(|error| {
        Failure::from(crate::error::Error::Internal(format!("a value cannot be written as JSON: {error}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_finer_than_a_millisecond_are_rounded_up() {
        let at = |nanos: i128| millis_not_before(Timestamp::from_nanosecond(nanos).unwrap());
        assert_eq!((at(2_000_000), at(2_000_001), at(1_999_999)), (2, 3, 2));
        assert_eq!((at(-2_000_000), at(-1_999_999), at(-2_000_001)), (-2, -1, -2));
    }
}
