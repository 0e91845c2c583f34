//! A file of codes and its file of bytes: opening, walking, comparing, creating.
//!
//! A file is renamed into place when complete, and afterwards only whole blocks are appended, so
//! any process can read it while another appends. Data after the last whole block is left by a
//! crash, and overwritten by the next append. Checksums are verified on first read.
//!
//! An error means that the file is unusable; it never fails a search, which compares in full.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Result, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use super::super::super::connection::{FileId, file_at};
use super::super::super::lock;
use super::super::kernel::Cosines;
use super::super::nearest::Keys;
use super::CodesError;
use super::bytes::{self, ApproximateCosine};
use super::layout::{Header, Layout, Summary, word};
use super::probe::{Candidate, NearestCodes, Probe};

/// Bytes of codes above which two threads walk.
const WORTH_A_THREAD: u64 = 2 << 20;

/// Number of records above which two threads compare.
const WORTH_HALVING: usize = 512;

/// The extension of the file of bytes, in place of that of the codes.
pub(super) const BYTES: &str = "bytes";

/// Maximum bytes of a file to cache: a million vectors of 384 dimensions. Every walk reads larger
/// files.
const KEPT: u64 = 64 << 20;

/// Computed once, because it reads several files.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));

/// An open file of codes.
#[derive(Debug)]
pub(in super::super) struct CodeFile {
    file: File,
    bytes: File,
    id: Option<FileId>,
    pub(super) header: Header,
    /// The blocks this process has verified.
    checked: Mutex<Vec<Option<Checked>>>,
    has_been_walked: AtomicBool,
}

/// A verified block.
#[derive(Debug, Clone)]
struct Checked {
    summary: Summary,
    /// Its codes and keys, cached from the second walk of a process on.
    kept: Option<Arc<Aligned>>,
}

/// Bytes aligned to a cache line.
#[derive(Debug)]
struct Aligned {
    bytes: Vec<u8>,
    from: usize,
    length: usize,
}

impl Aligned {
    const LINE: usize = 64;

    fn new(length: usize) -> Self {
        let bytes = vec![0; length + Self::LINE];
        let from = bytes.as_ptr().align_offset(Self::LINE).min(Self::LINE);
        Self { bytes, from, length }
    }

    fn get(&self) -> &[u8] {
        &self.bytes[self.from..][..self.length]
    }

    fn get_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.from..][..self.length]
    }
}

/// The result of a walk.
pub(in super::super) struct WalkResult {
    /// Candidates by estimate, nearest first.
    pub(in super::super) candidates: Vec<Candidate>,
    /// True if those are all that pass.
    pub(in super::super) is_all: bool,
    /// Codes in the file.
    pub(in super::super) rows: u64,
    /// The highest vector number in the file; higher ones are not in it.
    pub(in super::super) reach: i64,
}

impl CodeFile {
    /// Opens the files of this space, if they exist and are intact.
    pub(super) fn open(path: &Path, stamp: &[u8; 16], dimensions: usize) -> Result<Self> {
        let file = File::open(path)?;
        let mut beginning = vec![0; Layout { dimensions, rows: 0 }.header()];
        read_at(&file, &mut beginning, 0)?;
        let header = Header::decode(&beginning).ok_or_else(|| unfit("its header is damaged"))?;
        if header.stamp != *stamp || header.layout.dimensions != dimensions {
            return Err(unfit("it belongs to another space"));
        }
        let bytes = File::open(path.with_extension(BYTES)).map_err(|_| unfit("there is no file of bytes beside it"))?;
        Ok(Self {
            file,
            bytes,
            id: file_at(path),
            header,
            checked: Mutex::default(),
            has_been_walked: AtomicBool::new(false),
        })
    }

    /// True while the path still names the file that is open.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        self.id.is_some() && self.id == file_at(path)
    }

    pub(super) fn layout(&self) -> Layout {
        self.header.layout
    }

    /// Codes per block.
    pub(in super::super) fn rows_a_block(&self) -> u64 {
        self.layout().rows as u64
    }

    /// The number of whole blocks now.
    pub(in super::super) fn blocks(&self) -> Result<usize> {
        let blocks = self.layout().blocks(self.file.metadata()?.len());
        // Truncated blocks must be verified again when rewritten.
        lock(&self.checked).truncate(blocks);
        Ok(blocks)
    }

    /// The summaries of these blocks; those not verified yet are read unchecked.
    pub(super) fn summaries(&self, blocks: usize) -> Result<Vec<Summary>> {
        let checked = lock(&self.checked);
        let checked: Vec<Option<Summary>> =
            checked.iter().map(|checked| checked.as_ref().map(|it| it.summary)).collect();
        let summary = |block: usize| match checked.get(block) {
            Some(Some(summary)) => Ok(*summary),
            _ => {
                let mut bytes = [0; 32];
                read_at(&self.file, &mut bytes, self.layout().place(block) + self.layout().summary() as u64)?;
                Ok(Summary::decode(&bytes))
            }
        };
        (0..blocks).map(summary).collect()
    }

    /// A whole block, verified.
    pub(super) fn block(&self, block: usize) -> Result<(Vec<u8>, Summary)> {
        let mut bytes = vec![0; self.layout().block()];
        let summary = self.read(block, &mut bytes, None, 0)?;
        Ok((bytes, summary))
    }

    /// Reads the needed part of a block, or all of it if it still has to be verified.
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

    /// Finds about `wanted` rows with codes near the query's, of prompts among `keys`.
    pub(in super::super) fn walk(&self, query: &[f32], keys: &Keys, wanted: usize) -> Result<WalkResult> {
        let layout = self.layout();
        let blocks = self.blocks()?;
        let mut known = lock(&self.checked).clone();
        known.resize(blocks, None);
        let probe = Probe::new(query, &self.header.mean);
        let is_large = (blocks as u64) * (layout.keys() as u64) >= WORTH_A_THREAD;
        let next = AtomicUsize::new(0);
        // Any free thread takes the next block. One may get all, so each casts the whole net.
        let work = || self.walk_some(&probe, keys, wanted.max(1), &known, &next);
        let parts = on_threads(is_large, work)?;

        let mut nets = Vec::new();
        for (net, found) in parts {
            nets.push(net);
            for (block, checked) in found {
                known[block] = Some(checked);
            }
        }
        self.has_been_walked.store(true, Ordering::Relaxed);
        let (mut rows, mut reach) = (0, 0);
        for Checked { summary, .. } in known.iter().flatten() {
            if summary.first <= reach {
                return Err(unfit("its blocks overlap"));
            }
            (rows, reach) = (rows + summary.rows as u64, summary.last);
        }
        *lock(&self.checked) = known;
        let is_all = nets.iter().all(NearestCodes::holds_all);
        Ok(WalkResult { candidates: probe.order(&nets), is_all, rows, reach })
    }

    fn walk_some(
        &self,
        probe: &Probe<'_>,
        keys: &Keys,
        wanted: usize,
        known: &[Option<Checked>],
        next: &AtomicUsize,
    ) -> Result<(NearestCodes, Vec<(usize, Checked)>)> {
        let layout = self.layout();
        // A process that searches once needs no cache.
        let keeps = self.has_been_walked.load(Ordering::Relaxed) && (known.len() * layout.numbers()) as u64 <= KEPT;
        let needed = if keeps || !matches!(keys, Keys::All) { layout.numbers() } else { layout.keys() };
        let (mut net, mut found) = (NearestCodes::new(layout, wanted), Vec::new());
        let mut room = Aligned::new(layout.block());
        loop {
            let block = next.fetch_add(1, Ordering::Relaxed);
            let Some(known) = known.get(block) else { return Ok((net, found)) };
            let kept = known.as_ref().and_then(|known| known.kept.as_ref());
            let summary = match (known, kept) {
                (Some(known), Some(_)) => known.summary,
                _ => self.read(block, room.get_mut(), known.as_ref().map(|known| known.summary), needed)?,
            };
            let bytes = kept.map_or(room.get(), |kept| kept.get());
            let (codes, rest) = bytes.split_at(layout.keys());
            let passes = |row| keys.pass(i64::from_le_bytes(word(rest, row)));
            match keys {
                Keys::All => probe.walk(codes, block, summary.rows, |_| true, &mut net),
                Keys::Some { .. } => probe.walk(codes, block, summary.rows, passes, &mut net),
            }
            if known.is_none() || (keeps && kept.is_none()) {
                let kept = keeps.then(|| {
                    let mut kept = Aligned::new(needed);
                    kept.get_mut().copy_from_slice(&bytes[..needed]);
                    Arc::new(kept)
                });
                found.push((block, Checked { summary, kept }));
            }
        }
    }

    /// Compares with the eight-bit vectors of these candidates, in their order.
    pub(in super::super) fn compare(
        &self,
        cosines: Cosines<'_>,
        candidates: &[Candidate],
    ) -> Result<Vec<ApproximateCosine>> {
        const STEP: usize = 64;
        let next = AtomicUsize::new(0);
        let work = || {
            let (mut room, mut steps) = (Vec::new(), Vec::new());
            loop {
                let step = next.fetch_add(1, Ordering::Relaxed);
                let Some(some) = candidates.chunks(STEP).nth(step) else { return Ok(steps) };
                let compare = |candidate: &Candidate| {
                    let place = (candidate.near.block, candidate.near.row);
                    bytes::compare(&self.header, &self.bytes, place, cosines, &mut room)
                };
                steps.push((step, some.iter().map(compare).collect::<Result<Vec<ApproximateCosine>>>()?));
            }
        };
        let mut steps: Vec<_> = on_threads(candidates.len() >= WORTH_HALVING, work)?.into_iter().flatten().collect();
        steps.sort_unstable_by_key(|(step, _)| *step);
        Ok(steps.into_iter().flat_map(|(_, compared)| compared).collect())
    }
}

/// Runs `work` on this thread and, if worth it, on another one too.
fn on_threads<T: Send>(is_worth_it: bool, work: impl Fn() -> Result<T> + Sync) -> Result<Vec<T>> {
    if !is_worth_it || *PROCESSORS < 2 {
        return Ok(vec![work()?]);
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(&work);
        let own = work();
        let other = other.join().unwrap_or_else(|_| Err(unfit("a thread died")));
        Ok(vec![own?, other?])
    })
}

/// Both files, open for writing.
pub(super) struct CodeFileWriter {
    codes: File,
    bytes: File,
}

impl CodeFileWriter {
    /// Opens the existing files.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let open = |path: &Path| OpenOptions::new().write(true).open(path);
        Ok(Self { codes: open(path)?, bytes: open(&path.with_extension(BYTES))? })
    }

    /// Writes a block over whatever a crash may have left: first the records, then the codes.
    pub(super) fn write(&mut self, layout: Layout, block: usize, codes: &[u8], records: &[u8]) -> Result<()> {
        self.bytes.seek(SeekFrom::Start(bytes::place(layout, block, 0)))?;
        self.bytes.write_all(records)?;
        self.codes.seek(SeekFrom::Start(layout.place(block)))?;
        self.codes.write_all(codes)
    }
}

/// Replaces any existing files with private new ones: the header, then what `write` adds.
pub(super) fn make(
    path: &Path,
    header: &Header,
    write: impl FnOnce(&mut CodeFileWriter) -> std::result::Result<(), CodesError>,
) -> std::result::Result<(), CodesError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let unfinished = || tempfile::Builder::new().prefix(".codes-").tempfile_in(folder);
    let (mut codes, bytes) = (unfinished()?, unfinished()?);
    codes.write_all(&header.encode())?;
    write(&mut CodeFileWriter { codes: codes.reopen()?, bytes: bytes.reopen()? })?;
    // A reader between the renames sees that the salts differ. Checksums reveal power losses.
    bytes.persist(path.with_extension(BYTES)).map_err(Error::from)?;
    codes.persist(path).map_err(Error::from)?;
    Ok(())
}

/// The error for an unusable file.
pub(super) fn unfit(why: &str) -> Error {
    Error::new(ErrorKind::InvalidData, why)
}

#[cfg(unix)]
pub(super) fn read_at(file: &File, bytes: &mut [u8], place: u64) -> Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, place)
}

#[cfg(windows)]
pub(super) fn read_at(file: &File, mut bytes: &mut [u8], mut place: u64) -> Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, place)? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            read => (bytes, place) = (&mut bytes[read..], place + read as u64),
        }
    }
    Ok(())
}
