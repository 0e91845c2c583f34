//! Reads a file block by block, tracking line numbers and limiting what is buffered.
//!
//! Independent of formats. A leading byte order mark is skipped.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use super::read::{RECORD_BYTES, ReadError, RecordPosition};

/// Bytes to peek at before reading.
const HEAD_BYTES: u64 = 4096;

/// A file with its peeked bytes put back.
pub(super) type PeekedFile<R> = Chain<Cursor<Vec<u8>>, R>;

/// The first bytes of a file, by which its format can be told.
///
/// # Errors
/// The I/O error.
pub fn head_of(source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    source.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

/// The file without its byte order mark, and its first bytes.
pub(super) fn without_mark<R: Read>(mut source: R) -> io::Result<(PeekedFile<R>, Vec<u8>)> {
    let mut head = head_of(&mut source)?;
    if head.starts_with(b"\xef\xbb\xbf") {
        head.drain(..3);
    }
    Ok((Cursor::new(head.clone()).chain(source), head))
}

/// A sequentially read file.
pub(super) struct Bytes<R> {
    reader: BufReader<PeekedFile<R>>,
    /// The current line, from 1.
    pub(super) line: u64,
    /// The column of the next byte in it, in bytes from 1.
    pub(super) column: u64,
}

impl<R: Read> Bytes<R> {
    pub(super) fn of(source: PeekedFile<R>) -> Self {
        Self { reader: BufReader::new(source), line: 1, column: 1 }
    }

    /// The buffered bytes; empty at the end.
    pub(super) fn block(&mut self) -> Result<&[u8], ReadError> {
        self.reader.fill_buf().map_err(ReadError::File)
    }

    /// Consumes bytes, which must be buffered.
    pub(super) fn advance(&mut self, count: usize) {
        let mut lines = self.reader.buffer()[..count].rsplit(|byte| *byte == b'\n');
        let last = lines.next().map_or(0, <[u8]>::len) as u64;
        let ended = lines.count() as u64;
        self.line += ended;
        self.column = if ended == 0 { self.column + last } else { 1 + last };
        self.reader.consume(count);
    }

    /// The next byte that is not white space, without consuming it.
    pub(super) fn next_solid(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            let block = self.block()?;
            if block.is_empty() {
                return Ok(None);
            }
            let solid = block.iter().position(|byte| !byte.is_ascii_whitespace());
            let (found, passed) = match solid {
                Some(at) => (Some(block[at]), at),
                None => (None, block.len()),
            };
            self.advance(passed);
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// Appends the next line including its end to `line`; returns false at the end of the file.
    pub(super) fn line(&mut self, line: &mut Vec<u8>, place: RecordPosition) -> Result<bool, ReadError> {
        let mut found = false;
        loop {
            let block = self.block()?;
            if block.is_empty() {
                return Ok(found);
            }
            found = true;
            let end = block.iter().position(|byte| *byte == b'\n');
            let count = end.map_or(block.len(), |at| at + 1);
            line.extend_from_slice(&block[..count]);
            self.advance(count);
            check_size(line, place)?;
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}

/// Checks what was buffered for one record against the limit.
pub(super) fn check_size(gathered: &[u8], place: RecordPosition) -> Result<(), ReadError> {
    if gathered.len() <= RECORD_BYTES {
        return Ok(());
    }
    Err(too_large(place))
}

/// The error that a record is over the limit.
pub(super) fn too_large(place: RecordPosition) -> ReadError {
    ReadError::end(
        place,
        format!(
            "is over {} MiB, the maximum for one record: it is not an aludel export, or a quote or bracket is not closed",
            RECORD_BYTES >> 20
        ),
    )
}
