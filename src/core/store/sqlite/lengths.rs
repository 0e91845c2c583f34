//! The number of terms of each prompt in the text index, packed in the order of keys.
//!
//! FTS5 has the same in a table with one row per prompt, which BM25 reads for every match: most of
//! the cost of ranking a common word. Here thousands share one row, two bytes each, written in the
//! transaction that writes the index, so every process reads correct values.
//!
//! Lengths are only looked up for matches, so those of deleted prompts stay behind: keys are never
//! reused. A length that is missing or does not fit two bytes is looked up in FTS5.

use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

use super::failure::{Failure, SqliteResult};

/// Keys per row: as many as fit on one page.
const BLOCK: u16 = 2_000;

/// Marks a length that does not fit.
const LONG: u16 = u16::MAX;

/// Stores the lengths of prompts, by key.
pub(super) fn put(connection: &Connection, lengths: &[(i64, usize)]) -> SqliteResult<()> {
    let mut get = connection.prepare_cached("SELECT lengths FROM prompt_lengths WHERE block = ?")?;
    let mut put = connection.prepare_cached("INSERT OR REPLACE INTO prompt_lengths (block, lengths) VALUES (?, ?)")?;
    for of_block in lengths.chunk_by(|a, b| block(a.0) == block(b.0)) {
        let block = block(of_block[0].0);
        let before: Option<Vec<u8>> = get.query_row([block], |row| row.get(0)).optional()?;
        let mut bytes = before.unwrap_or_default();
        bytes.resize(2 * usize::from(BLOCK), 0);
        for (key, length) in of_block {
            let length = u16::try_from(*length).unwrap_or(LONG);
            let place = place(*key);
            bytes[place..place + 2].copy_from_slice(&length.to_le_bytes());
        }
        put.execute(params![block, bytes])?;
    }
    Ok(())
}

/// Reads lengths; fastest in the order of keys.
pub(super) struct Lengths<'connection> {
    statement: CachedStatement<'connection>,
    /// The row read last.
    block: Option<i64>,
    bytes: Vec<u8>,
}

impl<'connection> Lengths<'connection> {
    /// A reader that has read nothing yet.
    pub(super) fn of(connection: &'connection Connection) -> SqliteResult<Self> {
        let statement = connection.prepare_cached("SELECT lengths FROM prompt_lengths WHERE block = ?")?;
        Ok(Self { statement, block: None, bytes: Vec::new() })
    }

    /// The number of terms of a prompt; `None` if FTS5 must be asked.
    pub(super) fn get(&mut self, key: i64) -> SqliteResult<Option<u32>> {
        let wanted = block(key);
        if self.block != Some(wanted) {
            self.bytes.clear();
            let mut rows = self.statement.query([wanted])?;
            if let Some(row) = rows.next()? {
                let bytes = row.get_ref(0)?.as_blob().map_err(|_| Failure::damaged("lengths of prompts"))?;
                self.bytes.extend_from_slice(bytes);
            }
            self.block = Some(wanted);
        }
        let place = place(key);
        let bytes = self.bytes.get(place..place + 2).and_then(|bytes| bytes.try_into().ok());
        Ok(bytes.map(u16::from_le_bytes).filter(|length| ![0, LONG].contains(length)).map(u32::from))
    }
}

fn block(key: i64) -> i64 {
    key.div_euclid(BLOCK.into())
}

/// The offset of a key's length in its row.
fn place(key: i64) -> usize {
    usize::try_from(key.rem_euclid(BLOCK.into())).unwrap_or_default() * 2
}
