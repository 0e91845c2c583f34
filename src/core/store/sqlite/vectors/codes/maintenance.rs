//! Keeps files of codes in step with the database: creating, extending, detecting stale ones.
//!
//! Only committed vectors are coded, in the order of their numbers, so a file holds every vector of
//! its space up to the highest number in it, except those deleted since. One process at a time does
//! this, under a lock; the others use what is there. A file is rebuilt when it is damaged or stale,
//! when a quarter of it is gone from the database, and when the space has outgrown its mean.
//!
//! Searches and writers do a slice at a time; what the file does not cover yet is compared in full.
//! A process that stays open does the rest in the background.

use std::fs::{File, OpenOptions};
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use super::super::super::failure::SqliteResult;
use super::super::{StoredSpace, kernel};
use super::bytes;
use super::file::{self, CodeFile, CodeFileWriter};
use super::layout::{Block, Header, Layout, code, word};
use super::probe::code_of;
use super::{Codes, CodesError, SUFFIX};
use crate::files;

/// Number of vectors sampled for the mean.
const SAMPLE: i64 = 4096;

/// A file is rebuilt when its space has grown by this factor.
const GROWTH: u64 = 8;

/// Rows at the end of the file that are compared with the database before each search: a file and a
/// restored database differ up to the end.
const LAST_ROWS: usize = 8;

/// Blocks whose first row is compared with the database before a file is extended.
const SPREAD: usize = 16;

/// The maintenance a file needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) enum IndexMaintenance {
    /// None, as far as the search could tell.
    #[default]
    None,
    /// Vectors may be missing or deleted.
    Look,
    /// The file is damaged.
    Rebuild,
}

/// How much maintenance to do at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Pace {
    /// Little enough to do during a search.
    Slice,
    /// Everything, unless the store is closed.
    Whole,
}

impl Codes {
    /// Creates or extends the file of a space. Failures only cost speed, and are logged.
    pub(in super::super) fn keep_up(
        &self,
        connection: &Connection,
        space: &StoredSpace,
        maintenance: IndexMaintenance,
        pace: Pace,
    ) -> SqliteResult<()> {
        if maintenance == IndexMaintenance::None || space.vectors < self.least {
            return Ok(());
        }
        match self.keep_up_alone(connection, space, maintenance, pace) {
            Ok(()) => Ok(()),
            Err(CodesError::Database(failure)) => Err(failure),
            Err(CodesError::File(error)) => {
                tracing::debug!(%error, folder = %self.folder.display(), "no file of codes; full vectors are compared");
                Ok(())
            }
        }
    }

    fn keep_up_alone(
        &self,
        connection: &Connection,
        space: &StoredSpace,
        maintenance: IndexMaintenance,
        pace: Pace,
    ) -> Result<(), CodesError> {
        files::make_folder(&self.folder)?;
        let lock = open_private(&self.folder.join("lock"))?;
        if lock.try_lock().is_err() {
            return Ok(());
        }
        let path = self.path(space);
        let at_most = match pace {
            Pace::Slice => self.slice,
            Pace::Whole => u64::MAX,
        };
        if maintenance != IndexMaintenance::Rebuild
            && let Ok(current) = self.open(space)
        {
            match fitness(connection, space, &current) {
                // If all cannot be rebuilt now, the old file beats a partial one.
                Ok(Fitness::Outgrown) if space.vectors > at_most => {
                    return self.extend(connection, space, &current, &path, at_most);
                }
                Ok(Fitness::Fit) => return self.extend(connection, space, &current, &path, at_most),
                Ok(Fitness::Outgrown | Fitness::Stale) | Err(CodesError::File(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        self.make(connection, space, &path, at_most)
    }

    fn make(&self, connection: &Connection, space: &StoredSpace, path: &Path, at_most: u64) -> Result<(), CodesError> {
        let mean = mean(connection, space)?;
        let layout =
            Layout { rows: self.block_rows.unwrap_or(Layout::of(space.dimensions).rows), dimensions: space.dimensions };
        let salt = connection.query_row("SELECT random()", [], |row| row.get::<_, i64>(0))?.cast_unsigned();
        let header = Header { layout, stamp: space.stamp, made_of: space.vectors, salt, mean };
        file::make(path, &header, |files| self.append(connection, space, &header, files, (0, 0), at_most))?;
        tracing::info!(vectors = space.vectors, path = %path.display(), "a file of codes was made");
        self.sweep(connection);
        Ok(())
    }

    fn extend(
        &self,
        connection: &Connection,
        space: &StoredSpace,
        current: &CodeFile,
        path: &Path,
        at_most: u64,
    ) -> Result<(), CodesError> {
        let blocks = current.blocks()?;
        let reach = reach(current, blocks)?;
        let mut files = CodeFileWriter::open(path)?;
        if !current.is_current(path) {
            return Ok(());
        }
        self.append(connection, space, &current.header, &mut files, (blocks, reach), at_most)
    }

    /// Codes the vectors above a number and appends whole blocks after `blocks`, up to about
    /// `at_most` vectors; the rest waits for the next time.
    fn append(
        &self,
        connection: &Connection,
        space: &StoredSpace,
        header: &Header,
        files: &mut CodeFileWriter,
        (blocks, above): (usize, i64),
        at_most: u64,
    ) -> Result<(), CodesError> {
        let layout = header.layout;
        let (mut place, mut vectors) = (blocks, 0);
        let (mut block, mut records) = (Block::new(layout), Vec::new());
        let mut written = Ok(());
        each_above(connection, space.key, above, |number, key, parts| {
            if block.room() < parts.len() {
                // Both codes of a row go into one block, so its highest number tells its reach.
                vectors += (layout.rows - block.room()) as u64;
                written = files.write(layout, place, &block.seal(&header.stamp, place), &records);
                records.clear();
                place += 1;
                if self.is_closed() {
                    written = Err(file::unfit("the store was closed"));
                }
                if written.is_err() || vectors >= at_most {
                    return false;
                }
            }
            for part in parts {
                bytes::push(header, place, layout.rows - block.room(), number, part, &mut records);
                block.push(&code_of(&kernel::widened(part), &header.mean), key, number);
            }
            true
        })?;
        written?;
        if block.room() == 0 {
            files.write(layout, place, &block.seal(&header.stamp, place), &records)?;
        }
        Ok(())
    }

    /// Deletes the files of deleted spaces.
    fn sweep(&self, connection: &Connection) {
        let Ok(files) = std::fs::read_dir(&self.folder) else { return };
        for path in files.flatten().map(|file| file.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let Some(stamp) = name.strip_suffix(SUFFIX).and_then(|hex| u128::from_str_radix(hex, 16).ok()) else {
                continue;
            };
            let known = connection
                .query_row("SELECT 1 FROM spaces WHERE stamp = ?", [stamp.to_be_bytes()], |_| Ok(()))
                .optional();
            if let Ok(None) = known {
                drop(std::fs::remove_file(path.with_extension(file::BYTES)));
                drop(std::fs::remove_file(&path));
            }
        }
    }
}

/// Calls the visitor with the rows of a space above a number, in order, until it breaks.
fn each_above(
    connection: &Connection,
    space: i64,
    above: i64,
    mut visit: impl FnMut(i64, i64, &[&[u8]]) -> bool,
) -> SqliteResult<()> {
    let mut statement = connection.prepare_cached(
        "SELECT number, prompt, input, content FROM vectors WHERE space = ? AND number > ? ORDER BY number",
    )?;
    let mut rows = statement.query([space, above])?;
    while let Some(row) = rows.next()? {
        let mut parts = Vec::with_capacity(2);
        for column in [2, 3] {
            parts.extend(row.get_ref(column)?.as_blob_or_null().map_err(rusqlite::Error::from)?);
        }
        if !visit(row.get(0)?, row.get(1)?, &parts) {
            break;
        }
    }
    Ok(())
}

/// The mean of vectors sampled across the space.
fn mean(connection: &Connection, space: &StoredSpace) -> SqliteResult<Vec<f32>> {
    let mut statement = connection.prepare_cached(
        "SELECT number, input, content FROM vectors INDEXED BY vectors_by_space
         WHERE space = ? AND number >= ? ORDER BY number LIMIT 1",
    )?;
    let first: Option<i64> = connection
        .prepare_cached("SELECT min(number) FROM vectors INDEXED BY vectors_by_space WHERE space = ?")?
        .query_row([space.key], |row| row.get(0))?;
    let first = first.unwrap_or_default();
    let step = ((space.newest - first) / SAMPLE).max(1);
    let mut sums = vec![0.0_f64; space.dimensions];
    let (mut vectors, mut from) = (0_u32, first);
    loop {
        let mut rows = statement.query([space.key, from])?;
        let Some(row) = rows.next()? else { break };
        for column in [1, 2] {
            let Some(stored) = row.get_ref(column)?.as_blob_or_null().map_err(rusqlite::Error::from)? else { continue };
            for (sum, number) in sums.iter_mut().zip(kernel::widened(stored)) {
                *sum += f64::from(number);
            }
            vectors += 1;
        }
        from = row.get::<_, i64>(0)? + step;
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most one")]
    Ok(sums.into_iter().map(|sum| (sum / f64::from(vectors.max(1))) as f32).collect())
}

/// The highest number in the file.
fn reach(file: &CodeFile, blocks: usize) -> std::io::Result<i64> {
    match blocks.checked_sub(1) {
        Some(last) => Ok(file.block(last)?.1.last),
        None => Ok(0),
    }
}

/// How well a file fits its space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fitness {
    /// It fits, as far as it reaches.
    Fit,
    /// Mostly deleted vectors, or made when the space was much smaller: correct but slow.
    Outgrown,
    /// It describes other vectors.
    Stale,
}

fn fitness(connection: &Connection, space: &StoredSpace, file: &CodeFile) -> Result<Fitness, CodesError> {
    let blocks = file.blocks()?;
    if is_stale(connection, space, file, SPREAD)? {
        return Ok(Fitness::Stale);
    }
    let rows: u64 = file.summaries(blocks)?.iter().map(|summary| summary.rows as u64).sum();
    let reach = reach(file, blocks)?;
    let alive = space.vectors.saturating_sub(vectors_above(connection, space, reach)?);
    let grown = space.vectors >= file.header.made_of.saturating_mul(GROWTH);
    Ok(if grown || is_mostly_gone(rows, alive) { Fitness::Outgrown } else { Fitness::Fit })
}

/// True if a quarter of the file's rows is gone from the database.
pub(in super::super) fn is_mostly_gone(rows: u64, alive: u64) -> bool {
    rows.saturating_sub(alive) > rows / 4
}

fn vectors_above(connection: &Connection, space: &StoredSpace, above: i64) -> SqliteResult<u64> {
    let mut statement = connection.prepare_cached(
        "SELECT ifnull(sum((input IS NOT NULL) + (content IS NOT NULL)), 0) FROM vectors WHERE space = ? AND number > ?",
    )?;
    Ok(statement.query_row([space.key, above], |row| row.get::<_, i64>(0))?.unsigned_abs())
}

/// True if file and database differ because one was replaced by an older copy. Compares the last
/// rows, and the first of up to `spread` blocks.
pub(in super::super) fn is_stale(
    connection: &Connection,
    space: &StoredSpace,
    file: &CodeFile,
    spread: usize,
) -> Result<bool, CodesError> {
    let blocks = file.blocks()?;
    let Some(last) = blocks.checked_sub(1) else { return Ok(false) };
    let (bytes, summary) = file.block(last)?;
    let given: i64 = connection
        .prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'vectors'")?
        .query_row([], |row| row.get(0))?;
    if given < summary.last {
        return Ok(true);
    }
    for row in summary.rows.saturating_sub(LAST_ROWS)..summary.rows {
        if !is_as_stored(connection, space, file, &bytes, row)? {
            return Ok(true);
        }
    }
    let spread = spread.min(last);
    for place in 0..spread {
        if !is_as_stored(connection, space, file, &file.block(place * last / spread)?.0, 0)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True if the row's vector in the database matches its code, or is deleted.
fn is_as_stored(
    connection: &Connection,
    space: &StoredSpace,
    file: &CodeFile,
    block: &[u8],
    row: usize,
) -> SqliteResult<bool> {
    let layout = file.layout();
    let number = i64::from_le_bytes(word(&block[layout.numbers()..], row));
    let key = i64::from_le_bytes(word(&block[layout.keys()..], row));
    let mut statement =
        connection.prepare_cached("SELECT space, prompt, input, content FROM vectors WHERE number = ?")?;
    let mut rows = statement.query(params![number])?;
    let Some(stored) = rows.next()? else { return Ok(true) };
    if (stored.get::<_, i64>(0)?, stored.get::<_, i64>(1)?) != (space.key, key) {
        return Ok(false);
    }
    let coded = code(layout, block, row);
    for column in [2, 3] {
        let part = stored.get_ref(column)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
        if part.is_some_and(|part| code_of(&kernel::widened(part), &file.header.mean) == coded) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn open_private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
