//! One file of codes: opening, walking, appending, making.
//!
//! A file gets its name when it is whole, and is only ever appended to afterwards, whole blocks at a time; so any process
//! may read it while another appends. What is behind the last whole block, a crash left there, and the next append writes
//! over it. A block is checked against its checksum when this process first reads it.
//!
//! An error here means that the file is of no use, never that a search fails: whoever gets one compares in full.

use std::fs::File;
use std::io::{Error, ErrorKind, Result, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};

use super::super::super::connection::{FileId, file_at};
use super::super::super::lock;
use super::super::nearest::Keys;
use super::Trouble;
use super::layout::{Header, Layout, Summary, word};
use super::probe::{Candidate, Net, Probe};

/// From so many bytes of codes on, two threads walk.
const WORTH_A_THREAD: u64 = 2 << 20;

/// Asked once: the answer is read from several files.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));

/// An open file of codes.
#[derive(Debug)]
pub(in super::super) struct CodeFile {
    file: File,
    id: Option<FileId>,
    pub(super) header: Header,
    /// Of the blocks this process has checked.
    checked: Mutex<Vec<Option<Summary>>>,
}

/// A walk's outcome.
pub(in super::super) struct Walked {
    /// By estimate, nearest first.
    pub(in super::super) candidates: Vec<Candidate>,
    /// True when those are all that pass.
    pub(in super::super) is_all: bool,
    /// Codes in the file.
    pub(in super::super) rows: u64,
    /// The highest number in the file: what is above it is not.
    pub(in super::super) reach: i64,
}

impl CodeFile {
    /// Opens the file of this space, if it is there and whole.
    pub(super) fn open(path: &Path, stamp: &[u8; 16], dimensions: usize) -> Result<Self> {
        let file = File::open(path)?;
        let mut beginning = vec![0; Layout { dimensions, rows: 0 }.header()];
        read_at(&file, &mut beginning, 0)?;
        let header = Header::decode(&beginning).ok_or_else(|| unfit("its header is damaged"))?;
        if header.stamp != *stamp || header.layout.dimensions != dimensions {
            return Err(unfit("it belongs to another space"));
        }
        Ok(Self { file, id: file_at(path), header, checked: Mutex::default() })
    }

    /// True while the path still names the file that is open.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        self.id.is_some() && self.id == file_at(path)
    }

    pub(super) fn layout(&self) -> Layout {
        self.header.layout
    }

    /// Codes a block.
    pub(in super::super) fn rows_a_block(&self) -> u64 {
        self.layout().rows as u64
    }

    /// How many whole blocks it has now.
    pub(super) fn blocks(&self) -> Result<usize> {
        Ok(self.layout().blocks(self.file.metadata()?.len()))
    }

    /// What these blocks say of themselves; those not read yet are taken at their word.
    pub(super) fn summaries(&self, blocks: usize) -> Result<Vec<Summary>> {
        let checked = lock(&self.checked).clone();
        let summary = |block| match checked.get(block) {
            Some(Some(summary)) => Ok(*summary),
            _ => {
                let mut bytes = [0; 32];
                read_at(&self.file, &mut bytes, self.layout().place(block) + self.layout().summary() as u64)?;
                Ok(Summary::decode(&bytes))
            }
        };
        (0..blocks).map(summary).collect()
    }

    /// A whole block, checked.
    pub(super) fn block(&self, block: usize) -> Result<(Vec<u8>, Summary)> {
        let mut bytes = vec![0; self.layout().block()];
        let summary = self.read(block, &mut bytes, None, 0)?;
        Ok((bytes, summary))
    }

    /// Reads as much of a block as is needed; all of it, to check it, where that was not done yet.
    fn read(&self, block: usize, bytes: &mut [u8], known: Option<Summary>, needed: usize) -> Result<Summary> {
        let place = self.layout().place(block);
        if let Some(summary) = known {
            read_at(&self.file, &mut bytes[..needed], place)?;
            return Ok(summary);
        }
        read_at(&self.file, bytes, place)?;
        let summary = Summary::check(self.layout(), &self.header.stamp, block, bytes);
        summary.ok_or_else(|| unfit("a block is damaged"))
    }

    /// Finds some `wanted` rows whose codes are near to the query's, of prompts that are among the keys.
    pub(in super::super) fn walk(&self, query: &[f32], keys: &Keys, wanted: usize) -> Result<Walked> {
        let layout = self.layout();
        let blocks = self.blocks()?;
        let mut known = lock(&self.checked).clone();
        known.resize(blocks, None);
        let probe = Probe::new(query, &self.header.mean);
        let is_large = (blocks as u64) * (layout.keys() as u64) >= WORTH_A_THREAD;
        let threads = if is_large { (*PROCESSORS).clamp(1, 2) } else { 1 };
        let next = AtomicUsize::new(0);
        // Whichever thread is free takes the next block: one that sleeps may leave all of them to the other, so each casts the
        // whole net.
        let work = || self.walk_some(&probe, keys, wanted.max(1), &known, &next);
        let parts = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            let others = others.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(unfit("a thread died"))));
            std::iter::once(own).chain(others).collect::<Result<Vec<_>>>()
        })?;

        let mut nets = Vec::new();
        for (net, found) in parts {
            nets.push(net);
            for (block, summary) in found {
                known[block] = Some(summary);
            }
        }
        let (mut rows, mut reach) = (0, 0);
        for summary in known.iter().flatten() {
            if summary.first <= reach {
                return Err(unfit("its blocks overlap"));
            }
            (rows, reach) = (rows + summary.rows as u64, summary.last);
        }
        *lock(&self.checked) = known;
        let is_all = nets.iter().all(Net::holds_all);
        Ok(Walked { candidates: probe.order(&nets), is_all, rows, reach })
    }

    fn walk_some(
        &self,
        probe: &Probe<'_>,
        keys: &Keys,
        wanted: usize,
        known: &[Option<Summary>],
        next: &AtomicUsize,
    ) -> Result<(Net, Vec<(usize, Summary)>)> {
        let layout = self.layout();
        let needed = if matches!(keys, Keys::All) { layout.keys() } else { layout.numbers() };
        let (mut net, mut found) = (Net::new(layout, wanted), Vec::new());
        let mut bytes = vec![0; layout.block()];
        loop {
            let block = next.fetch_add(1, Ordering::Relaxed);
            let Some(known) = known.get(block) else { return Ok((net, found)) };
            let summary = self.read(block, &mut bytes, *known, needed)?;
            if known.is_none() {
                found.push((block, summary));
            }
            let (codes, rest) = bytes.split_at(layout.keys());
            let passes = |row| keys.pass(i64::from_le_bytes(word(rest, row)));
            match keys {
                Keys::All => probe.walk(codes, block, summary.rows, |_| true, &mut net),
                Keys::Some { .. } => probe.walk(codes, block, summary.rows, passes, &mut net),
            }
        }
    }

    /// The number of the vector that a candidate stands for.
    pub(in super::super) fn number(&self, candidate: &Candidate) -> Result<i64> {
        let layout = self.layout();
        let place = layout.place(candidate.near.block) + (layout.numbers() + candidate.near.row * 8) as u64;
        let mut bytes = [0; 8];
        read_at(&self.file, &mut bytes, place)?;
        Ok(i64::from_le_bytes(bytes))
    }
}

/// Puts a new file in the place of whatever is there: the header, then what `write` adds. Readable by its owner alone.
pub(super) fn make(
    path: &Path,
    header: &Header,
    write: impl FnOnce(&mut File) -> std::result::Result<(), Trouble>,
) -> std::result::Result<(), Trouble> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut unfinished = tempfile::Builder::new().prefix(".codes-").tempfile_in(folder)?;
    unfinished.write_all(&header.encode())?;
    write(unfinished.as_file_mut())?;
    // What a power loss may take of it, the checksums tell.
    unfinished.persist(path).map_err(Error::from)?;
    Ok(())
}

/// Says why a file cannot be used.
pub(super) fn unfit(why: &str) -> Error {
    Error::new(ErrorKind::InvalidData, why)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], place: u64) -> Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, place)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut place: u64) -> Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, place)? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            read => (bytes, place) = (&mut bytes[read..], place + read as u64),
        }
    }
    Ok(())
}
