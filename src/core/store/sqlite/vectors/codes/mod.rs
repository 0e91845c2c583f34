//! The sidecar vector index: files of codes that make searching a million vectors fast.
//!
//! A vector's code is one bit a dimension, so the codes are a sixteenth of the vectors, and are
//! read sequentially. A second file has every vector in eight bits a number, of which some thousand
//! are looked up per search. Both only hint where to look: every score comes from the database, and
//! rows deleted there are skipped. A missing, truncated, damaged or old file costs time or, until
//! detected, a hit; never a wrong score, a deleted prompt, or a failure. It can be deleted.
//!
//! The files are in the folder `<database>-vectors`, one per space, named by the space's stamp. A
//! small space has none: comparing it in full is as fast. They are read in pieces that fit into a
//! core's cache rather than mapped, because pages of a mapped file can vanish under a reader. From
//! its second search on, a process caches up to 64 MB of codes, which halves the time.
//!
//! Where to go next: [`layout`] and [`bytes`] for the format, [`mod@file`] for reading and writing,
//! [`probe`] for comparing, [`maintenance`] for following the database.

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

pub(super) use bytes::ApproximateCosine;
pub(super) use file::CodeFile;
pub(super) use maintenance::{IndexMaintenance, Pace, is_mostly_gone, is_stale};
pub(super) use probe::Candidate;

/// The extension of a file of codes.
const SUFFIX: &str = ".codes";

/// Smaller spaces are compared in full.
const LEAST: u64 = 20_000;

/// Up to this many prompts are looked up one by one; more are found faster by walking.
const FEW: u64 = 2_000;

/// Vectors written before this process checks whether a file needs extending.
const LOOK_AFTER: u64 = 1024;

/// Maximum vectors that a search or a write codes in passing.
const SLICE: u64 = 16_384;

/// Minimum number of codes to keep from the first comparison.
const NET: usize = 6000;

/// Why a file of codes could not be used or written.
#[derive(Debug)]
pub(super) enum CodesError {
    /// The file is missing, damaged, or cannot be written: this only costs time.
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

/// The code files of one database.
#[derive(Debug)]
pub(in super::super) struct Codes {
    folder: PathBuf,
    /// Smaller spaces are compared in full.
    pub(in super::super) least: u64,
    /// Up to this many prompts are looked up one by one.
    pub(in super::super) few: u64,
    /// Minimum number of codes to keep from the first comparison.
    pub(in super::super) net: usize,
    /// Rows per block, if not the default.
    pub(in super::super) block_rows: Option<usize>,
    /// Maximum vectors that a search or a write codes in passing.
    pub(in super::super) slice: u64,
    /// The file that was used last.
    opened: Mutex<Option<Arc<CodeFile>>>,
    /// Vectors written since the last check.
    written: AtomicU64,
    closed: AtomicBool,
}

impl Codes {
    /// The code files of this database.
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

    /// Opens the current file of a space.
    ///
    /// # Errors
    /// If there is none, or its header is damaged.
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

    /// Stops running maintenance soon.
    pub(in super::super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Counts written vectors; true when the file is due for a check.
    pub(super) fn is_time_to_look(&self, written: u64) -> bool {
        let before = self.written.fetch_add(written, Ordering::Relaxed);
        if before + written < LOOK_AFTER {
            return false;
        }
        self.written.store(0, Ordering::Relaxed);
        true
    }
}
