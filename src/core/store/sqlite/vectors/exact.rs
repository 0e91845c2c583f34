//! Full comparison of vectors: of a whole space, those above a number, or those of given prompts.
//!
//! Every score a search returns is computed here, from the vectors in the database.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::super::failure::{Failure, SqliteResult};
use super::StoredSpace;
use super::kernel::{Cosines, HALF};
use super::nearest::Keys;
use crate::store::nearness;

/// A prompt's score: the nearness of its parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    pub(super) key: i64,
    pub(super) cosine: f32,
}

impl Scored {
    /// Best first; ties put the newest prompt first.
    pub(super) fn compare(&self, other: &Self) -> std::cmp::Ordering {
        other.cosine.total_cmp(&self.cosine).then_with(|| other.key.cmp(&self.key))
    }
}

/// Keeps the best of all that are pushed.
#[derive(Debug)]
pub(super) struct Best {
    wanted: usize,
    kept: Vec<Scored>,
}

impl Best {
    /// Keeps the best `wanted`.
    pub(super) fn of(wanted: usize) -> Self {
        Self { wanted, kept: Vec::new() }
    }

    pub(super) fn push(&mut self, scored: Scored) {
        self.kept.push(scored);
        // Discarded in bulk: cheaper than keeping them sorted.
        if self.kept.len() >= self.wanted.saturating_mul(2).saturating_add(1024) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.kept.len() > self.wanted {
            self.kept.select_nth_unstable_by(self.wanted, Scored::compare);
            self.kept.truncate(self.wanted);
        }
    }

    /// The best, sorted.
    pub(super) fn into_sorted(mut self) -> Vec<Scored> {
        self.cut();
        self.kept.sort_unstable_by(Scored::compare);
        self.kept
    }
}

/// Compares with every vector of the space whose number is above `above`. Returns their count.
pub(super) fn scan(
    connection: &Connection,
    space: &StoredSpace,
    above: i64,
    cosines: Cosines<'_>,
    keys: &Keys,
    best: &mut Best,
) -> SqliteResult<u64> {
    if space.newest <= above {
        return Ok(0);
    }
    // If most vectors are of this space, scanning the table is faster than the index.
    let all: i64 =
        connection.prepare_cached("SELECT ifnull(sum(prompts), 0) FROM spaces")?.query_row([], |row| row.get(0))?;
    let by_table = space.prompts.saturating_mul(4) >= all.unsigned_abs();
    let mut statement = connection.prepare_cached(if by_table {
        "SELECT prompt, input, content FROM vectors NOT INDEXED WHERE number > ?2 AND space = ?1"
    } else {
        "SELECT prompt, input, content FROM vectors INDEXED BY vectors_by_space WHERE space = ?1 AND number > ?2"
    })?;
    let mut rows = statement.query([space.key, above])?;
    let mut vectors = 0;
    while let Some(row) = rows.next()? {
        let key = row.get(0)?;
        vectors += [1, 2].iter().filter(|column| !matches!(row.get_ref(**column), Ok(ValueRef::Null))).count() as u64;
        if keys.pass(key) {
            best.push(Scored { key, cosine: row_nearness(row, 1, cosines)? });
        }
    }
    Ok(vectors)
}

/// Compares with the vector of this number, if it still exists.
pub(super) fn number(
    connection: &Connection,
    space: &StoredSpace,
    number: i64,
    cosines: Cosines<'_>,
) -> SqliteResult<Option<Scored>> {
    let mut statement =
        connection.prepare_cached("SELECT prompt, input, content FROM vectors WHERE number = ? AND space = ?")?;
    let mut rows = statement.query([number, space.key])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    Ok(Some(Scored { key: row.get(0)?, cosine: row_nearness(row, 1, cosines)? }))
}

/// Compares with the vectors of these prompts.
pub(super) fn prompts(
    connection: &Connection,
    space: &StoredSpace,
    prompts: &[i64],
    cosines: Cosines<'_>,
    best: &mut Best,
) -> SqliteResult<()> {
    let mut statement =
        connection.prepare_cached("SELECT input, content FROM vectors WHERE prompt = ? AND space = ?")?;
    for key in prompts {
        let mut rows = statement.query([*key, space.key])?;
        if let Some(row) = rows.next()? {
            best.push(Scored { key: *key, cosine: row_nearness(row, 0, cosines)? });
        }
    }
    Ok(())
}

/// The nearness of a prompt, from its input's vector in `column` and its content's in the next.
pub(super) fn row_nearness(row: &rusqlite::Row<'_>, column: usize, cosines: Cosines<'_>) -> SqliteResult<f32> {
    let cosine = |column: usize| -> SqliteResult<Option<f64>> {
        let ValueRef::Blob(stored) = row.get_ref(column)? else { return Ok(None) };
        if stored.len() != cosines.dimensions() * HALF {
            return Err(Failure::damaged("a vector has other dimensions than its space"));
        }
        Ok(Some(f64::from(cosines.with(stored))))
    };
    #[expect(clippy::cast_possible_truncation, reason = "made of cosines in 32 bits")]
    let near = nearness(cosine(column)?, cosine(column + 1)?).map(|near| near as f32);
    near.ok_or_else(|| Failure::damaged("a prompt's vectors are both missing"))
}
