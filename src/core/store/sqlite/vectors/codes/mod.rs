//! Files of codes beside the database: what makes a search among a million vectors fast.
//!
//! A vector's code is one bit a dimension, so the codes are a sixteenth of the vectors, and are read in order. Beside them
//! lies every vector in eight bits a number, of which some thousand are looked up a search. All of it is only ever a
//! hint where to look: every score a search answers with comes from the database, and a row that is gone from there is
//! passed over. So a file that is missing, cut off, damaged or old costs time or, until it is found out, a place in the
//! list; never a wrong score, a deleted prompt, or a failure. It may be deleted at any time.
//!
//! They lie in the folder `<database>-vectors`, one a space, named by the space's stamp. A small space has none: comparing
//! it in full is as fast. Read plainly, in pieces that fit into a core's cache, because the pages of a mapped file can
//! vanish under a reader. A process that searches again keeps the codes in memory, up to 64 MB: from there they are
//! compared in half the time.
//!
//! Where to go next: [`layout`] and [`bytes`] for what lies on the disk, [`mod@file`] for reading and writing them, [`probe`] for comparing,
//! [`maintenance`] for how they follow the database.

mod bytes;
mod file;
mod layout;
mod maintenance;
mod probe;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::super::failure::Failure;
use super::super::lock;
use super::StoredSpace;

pub(super) use bytes::Nearly;
pub(super) use file::CodeFile;
pub(super) use maintenance::{IndexMaintenance, Pace, is_mostly_gone, is_stale};
pub(super) use probe::Candidate;

/// What a file's name ends in.
const SUFFIX: &str = ".codes";

/// A space of fewer vectors is compared in full.
const LEAST: u64 = 20_000;

/// So many prompts are looked up one by one; more are found faster by walking.
const FEW: u64 = 2_000;

/// So many vectors are written before this process looks whether a file wants extending.
const LOOK_AFTER: u64 = 1024;

/// Vectors that a search or a writer codes on its way, at most.
const SLICE: u64 = 16_384;

/// Codes that are kept of the first comparison, at least.
const NET: usize = 6000;

/// Why something with a file of codes did not go.
#[derive(Debug)]
pub(super) enum CodesError {
    /// The file is missing, damaged, or cannot be written: costs time alone.
    File(std::io::Error),
    /// The database failed.
    Database(Failure),
}

impl From<std::io::Error> for CodesError {
    fn from(error: std::io::Error) -> Self {
        Self::File(error)
    }
}

impl From<Failure> for CodesError {
    fn from(failure: Failure) -> Self {
        Self::Database(failure)
    }
}

impl From<rusqlite::Error> for CodesError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error.into())
    }
}

/// The files of codes of one database.
#[derive(Debug)]
pub(in super::super) struct Codes {
    folder: PathBuf,
    /// A space of fewer vectors is compared in full.
    pub(in super::super) least: u64,
    /// So many prompts are looked up one by one.
    pub(in super::super) few: u64,
    /// Codes that are kept of the first comparison, at least.
    pub(in super::super) net: usize,
    /// Rows a block, where not the usual ones.
    pub(in super::super) block_rows: Option<usize>,
    /// Vectors that a search or a writer codes on its way, at most.
    pub(in super::super) slice: u64,
    /// The file that was used last.
    opened: Mutex<Option<Arc<CodeFile>>>,
    /// Vectors written since the last look.
    written: AtomicU64,
    closed: AtomicBool,
}

impl Codes {
    /// Beside this database.
    pub(in super::super) fn beside(database: &Path) -> Self {
        let mut folder = database.file_name().unwrap_or_default().to_owned();
        folder.push("-vectors");
        Self {
            folder: database.with_file_name(folder),
            least: LEAST,
            few: FEW,
            net: NET,
            block_rows: None,
            slice: SLICE,
            opened: Mutex::default(),
            written: AtomicU64::new(0),
            closed: AtomicBool::new(false),
        }
    }

    fn path(&self, space: &StoredSpace) -> PathBuf {
        let stamp = u128::from_be_bytes(space.stamp);
        self.folder.join(format!("{stamp:032x}{SUFFIX}"))
    }

    /// The file of a space, as it is now.
    ///
    /// # Errors
    /// Where there is none, or it is damaged at its beginning.
    pub(super) fn open(&self, space: &StoredSpace) -> std::io::Result<Arc<CodeFile>> {
        let path = self.path(space);
        let mut opened = lock(&self.opened);
        if let Some(file) = opened.as_ref().filter(|file| file.header.stamp == space.stamp && file.is_current(&path)) {
            return Ok(Arc::clone(file));
        }
        let file = Arc::new(CodeFile::open(&path, &space.stamp, space.dimensions)?);
        Ok(Arc::clone(opened.insert(file)))
    }

    /// Deletes the file of a space.
    pub(super) fn forget(&self, space: &StoredSpace) {
        let path = self.path(space);
        drop(std::fs::remove_file(path.with_extension(file::BYTES)));
        drop(std::fs::remove_file(path));
    }

    /// Ends what is being made, soon.
    pub(in super::super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Counts vectors that are being written; true when it is time to look after the file.
    pub(super) fn is_time_to_look(&self, written: u64) -> bool {
        let before = self.written.fetch_add(written, Ordering::Relaxed);
        if before + written < LOOK_AFTER {
            return false;
        }
        self.written.store(0, Ordering::Relaxed);
        true
    }
}
