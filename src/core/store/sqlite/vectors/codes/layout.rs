//! The format of a file of codes: a header, then blocks of one size, all little-endian.
//!
//! ```text
//! header   magic, stamp of the space (16 bytes), dimensions, rows a block (u32 each), codes when it was made (u64),
//!          salt (u64), mean (f32 a dimension), checksum (u64); filled up to whole pages
//! block    codes (see below), keys of prompts, numbers of vectors (8 bytes a row each),
//!          rows in use, first number, last number, checksum (u64 each)
//! ```
//!
//! A code is one bit a dimension: whether the vector is above the mean there. Codes are in tiles of
//! [`TILE`] rows, word by word, so that one instruction compares the same word of several rows. A
//! block's checksum covers its position and its space, so a block that is half written, moved or
//! from another file is detected. The random salt ties the file of bytes ([`super::bytes`]) to it.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Rows whose codes are stored together.
pub(super) const TILE: usize = 32;

/// Bytes of a word.
const WORD: usize = 8;

/// Identifies the file type and format.
const MAGIC: [u8; 8] = *b"aludelc2";

/// Sized so that the codes of a block fit in a core's own cache.
const BLOCK_CODES: usize = 64 << 10;

/// The header is padded to a multiple of this.
const PAGE: usize = 4096;

/// Sizes and offsets, derived from two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) dimensions: usize,
    /// Rows per block; a multiple of [`TILE`].
    pub(super) rows: usize,
}

impl Layout {
    /// The default layout for these dimensions.
    pub(super) fn of(dimensions: usize) -> Self {
        let rows = BLOCK_CODES / (dimensions.div_ceil(64) * WORD);
        Self { dimensions, rows: ((rows + 1).next_power_of_two() / 2).clamp(TILE, 1024) }
    }

    /// Words of a code.
    pub(super) fn words(self) -> usize {
        self.dimensions.div_ceil(64)
    }

    /// Bytes of a tile.
    pub(super) fn tile(self) -> usize {
        TILE * self.words() * WORD
    }

    /// Offset of the keys in a block, after the codes.
    pub(super) fn keys(self) -> usize {
        self.rows * self.words() * WORD
    }

    /// Offset of the numbers in a block.
    pub(super) fn numbers(self) -> usize {
        self.keys() + self.rows * WORD
    }

    /// Offset of the summary in a block.
    pub(super) fn summary(self) -> usize {
        self.numbers() + self.rows * WORD
    }

    /// Bytes of a block.
    pub(super) fn block(self) -> usize {
        self.summary() + 4 * WORD
    }

    /// Bytes of the header.
    pub(super) fn header(self) -> usize {
        (48 + self.dimensions * 4 + WORD).next_multiple_of(PAGE)
    }

    /// Offset of this block in the file.
    pub(super) fn place(self, block: usize) -> u64 {
        (self.header() as u64) + (block as u64) * (self.block() as u64)
    }

    /// Number of whole blocks in a file of this size.
    pub(super) fn blocks(self, bytes: u64) -> usize {
        let blocks = bytes.saturating_sub(self.header() as u64) / (self.block() as u64);
        usize::try_from(blocks).unwrap_or(usize::MAX)
    }
}

/// The header of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Header {
    pub(super) layout: Layout,
    /// The stamp of the space.
    pub(super) stamp: [u8; 16],
    /// The number of codes when the mean was taken.
    pub(super) made_of: u64,
    /// Random; the file of bytes made with it has the same.
    pub(super) salt: u64,
    /// The mean that vectors are coded against.
    pub(super) mean: Vec<f32>,
}

impl Header {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.layout.header());
        bytes.extend(MAGIC);
        bytes.extend(self.stamp);
        for number in [self.layout.dimensions, self.layout.rows] {
            bytes.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
        }
        bytes.extend(self.made_of.to_le_bytes());
        bytes.extend(self.salt.to_le_bytes());
        bytes.extend(self.mean.iter().flat_map(|number| number.to_le_bytes()));
        let checksum = xxh3_64_with_seed(&bytes, 0);
        bytes.extend(checksum.to_le_bytes());
        bytes.resize(self.layout.header(), 0);
        bytes
    }

    /// Decodes a header; `None` if it is not intact.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(&MAGIC)?;
        let (stamp, rest) = rest.split_first_chunk::<16>()?;
        let (dimensions, rest) = rest.split_first_chunk::<4>()?;
        let (rows, rest) = rest.split_first_chunk::<4>()?;
        let (made_of, rest) = rest.split_first_chunk::<8>()?;
        let (salt, rest) = rest.split_first_chunk::<8>()?;
        let [dimensions, rows] = [dimensions, rows].map(|number| u32::from_le_bytes(*number) as usize);
        let (mean, rest) = rest.split_at_checked(dimensions.checked_mul(4)?)?;
        let checksum = u64::from_le_bytes(*rest.first_chunk()?);
        let covered = bytes.len() - rest.len();
        let is_whole = checksum == xxh3_64_with_seed(&bytes[..covered], 0);
        let mean = mean.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect();
        let layout = Layout { dimensions, rows };
        (is_whole && rows > 0 && rows % TILE == 0).then_some(Self {
            layout,
            stamp: *stamp,
            made_of: u64::from_le_bytes(*made_of),
            salt: u64::from_le_bytes(*salt),
            mean,
        })
    }
}

/// The summary of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Summary {
    /// Rows in use, from the first on.
    pub(super) rows: usize,
    /// The lowest vector number in it.
    pub(super) first: i64,
    /// The highest vector number in it.
    pub(super) last: i64,
}

impl Summary {
    /// Decodes the last bytes of a block, unchecked.
    pub(super) fn decode(bytes: &[u8; 4 * WORD]) -> Self {
        let (words, _) = bytes.as_chunks::<WORD>();
        let rows = usize::try_from(u64::from_le_bytes(words[0])).unwrap_or(usize::MAX);
        Self { rows, first: i64::from_le_bytes(words[1]), last: i64::from_le_bytes(words[2]) }
    }

    /// Decodes a whole block; `None` if its checksum is wrong.
    pub(super) fn check(layout: Layout, stamp: &[u8; 16], place: usize, block: &[u8]) -> Option<Self> {
        let (covered, checksum) = block.split_last_chunk::<WORD>()?;
        let summary = Self::decode(block.last_chunk()?);
        let is_whole = u64::from_le_bytes(*checksum) == xxh3_64_with_seed(covered, seed(stamp, place));
        (is_whole && (1..=layout.rows).contains(&summary.rows) && summary.first <= summary.last).then_some(summary)
    }
}

/// A block that is being filled.
#[derive(Debug)]
pub(super) struct Block {
    layout: Layout,
    bytes: Vec<u8>,
    summary: Summary,
}

impl Block {
    pub(super) fn new(layout: Layout) -> Self {
        let summary = Summary { rows: 0, first: i64::MAX, last: 0 };
        Self { layout, bytes: vec![0; layout.block()], summary }
    }

    /// Rows that still fit.
    pub(super) fn room(&self) -> usize {
        self.layout.rows - self.summary.rows
    }

    /// Adds a row; numbers must be ascending.
    pub(super) fn push(&mut self, code: &[u64], key: i64, number: i64) {
        let row = self.summary.rows;
        let tile = row / TILE * self.layout.tile();
        for (word, value) in code.iter().enumerate() {
            self.put(tile + (word * TILE + row % TILE) * WORD, value.to_le_bytes());
        }
        self.put(self.layout.keys() + row * WORD, key.to_le_bytes());
        self.put(self.layout.numbers() + row * WORD, number.to_le_bytes());
        self.summary =
            Summary { rows: row + 1, first: self.summary.first.min(number), last: self.summary.last.max(number) };
    }

    fn put(&mut self, at: usize, word: [u8; WORD]) {
        self.bytes[at..at + WORD].copy_from_slice(&word);
    }

    /// The finished block for this position; starts the next one.
    pub(super) fn seal(&mut self, stamp: &[u8; 16], place: usize) -> Vec<u8> {
        let at = self.layout.summary();
        let Summary { rows, first, last } = self.summary;
        self.put(at, (rows as u64).to_le_bytes());
        self.put(at + WORD, first.to_le_bytes());
        self.put(at + 2 * WORD, last.to_le_bytes());
        let checksum = xxh3_64_with_seed(&self.bytes[..at + 3 * WORD], seed(stamp, place));
        self.put(at + 3 * WORD, checksum.to_le_bytes());
        let next = Self::new(self.layout);
        std::mem::replace(self, next).bytes
    }
}

fn seed(stamp: &[u8; 16], place: usize) -> u64 {
    let (words, _) = stamp.as_chunks::<WORD>();
    u64::from_le_bytes(words[0]) ^ (place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A word of a list, by index.
pub(super) fn word(list: &[u8], place: usize) -> [u8; WORD] {
    list.as_chunks().0[place]
}

/// The code of this row of a block.
pub(super) fn code(layout: Layout, block: &[u8], row: usize) -> Vec<u64> {
    let tile = &block[row / TILE * layout.tile()..];
    (0..layout.words()).map(|place| u64::from_le_bytes(word(tile, place * TILE + row % TILE))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: [u8; 16] = [7; 16];

    fn header() -> Header {
        let layout = Layout { dimensions: 70, rows: 64 };
        Header { layout, stamp: STAMP, made_of: 12, salt: 99, mean: (0_u16..70).map(f32::from).collect() }
    }

    fn block() -> Vec<u8> {
        let mut block = Block::new(header().layout);
        for row in 0..40 {
            block.push(&[row * 3, row], 100 + row.cast_signed(), 200 + row.cast_signed());
        }
        assert_eq!(block.room(), 24);
        block.seal(&STAMP, 5)
    }

    #[test]
    fn what_was_written_is_read_back() {
        let bytes = header().encode();
        assert_eq!((bytes.len(), Header::decode(&bytes)), (4096, Some(header())));
        let (layout, block) = (header().layout, block());
        assert_eq!(block.len(), layout.block());
        let summary = Summary { rows: 40, first: 200, last: 239 };
        assert_eq!(Summary::check(layout, &STAMP, 5, &block), Some(summary));
        assert_eq!(code(layout, &block, 35), [105, 35]);
        assert_eq!(i64::from_le_bytes(word(&block[layout.keys()..], 35)), 135);
        assert_eq!(i64::from_le_bytes(word(&block[layout.numbers()..], 35)), 235);
    }

    #[test]
    fn a_header_or_block_that_is_not_whole_is_none() {
        let bytes = header().encode();
        for length in [0, 7, 24, 39, 40, 47, 48, 100, 335] {
            assert_eq!(Header::decode(&bytes[..length]), None, "{length}");
        }
        for place in 0..300 {
            let mut bytes = bytes.clone();
            bytes[place] ^= 1;
            assert_eq!(Header::decode(&bytes), None, "{place}");
        }
        let (layout, whole) = (header().layout, block());
        assert_eq!(Summary::check(layout, &STAMP, 4, &whole), None, "moved");
        assert_eq!(Summary::check(layout, &[8; 16], 5, &whole), None, "another file's");
        for place in (0..whole.len()).step_by(61).chain([whole.len() - 1]) {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x10;
            assert_eq!(Summary::check(layout, &STAMP, 5, &bytes), None, "{place}");
        }
        assert_eq!(Summary::check(layout, &STAMP, 5, &vec![0; layout.block()]), None, "never written");
    }

    #[test]
    fn blocks_stay_in_cache_at_any_dimensions() {
        let rows = |dimensions| Layout::of(dimensions).rows;
        assert_eq!([rows(1), rows(384), rows(1536), rows(65_536)], [1024, 1024, 256, 32]);
        let layout = Layout::of(384);
        assert_eq!(layout.blocks(layout.place(3)), 3);
        assert_eq!(layout.blocks(layout.place(3) - 1), 2);
        assert_eq!(layout.blocks(0), 0);
    }
}
