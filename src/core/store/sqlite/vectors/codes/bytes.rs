//! The file of bytes beside a file of codes: eight-bit vectors to choose from what the codes find.
//!
//! ```text
//! record   number of the vector (i64), scale, greatest error (f32 each), numbers (i8 a dimension), checksum (u64)
//! ```
//!
//! A record is at the same position as its code in the file of codes, so the file needs no header.
//! Its checksum covers that position and the salt both files were made with, so a record that was
//! never written, is half written, or belongs to another file is detected when it is read, without
//! a check of the whole file. Records are written before the block of codes that refers to them.

use std::fs::File;
use std::io::Result;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::super::kernel::{Cosines, Rounded};
use super::file::{read_at, unfit};
use super::layout::{Header, Layout};

/// Bytes before the numbers.
const BEFORE: usize = 16;

/// Bytes after the numbers.
const CHECKSUM: usize = 8;

/// A vector's approximate cosine with a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct ApproximateCosine {
    /// The vector's number.
    pub(in super::super) number: i64,
    /// The approximate cosine.
    pub(in super::super) cosine: f32,
    /// Bound on its error.
    pub(in super::super) error: f32,
}

impl ApproximateCosine {
    /// An upper bound on the cosine.
    pub(in super::super) fn at_most(&self) -> f32 {
        self.cosine + self.error
    }
}

/// Bytes of a record.
pub(super) fn length(layout: Layout) -> usize {
    BEFORE + layout.dimensions + CHECKSUM
}

/// The file offset of this row's record.
pub(super) fn place(layout: Layout, block: usize, row: usize) -> u64 {
    (index(layout, block, row)) * (length(layout) as u64)
}

fn index(layout: Layout, block: usize, row: usize) -> u64 {
    block as u64 * layout.rows as u64 + row as u64
}

/// Appends the record of a half-precision vector.
pub(super) fn push(header: &Header, block: usize, row: usize, number: i64, stored: &[u8], records: &mut Vec<u8>) {
    let from = records.len();
    let Rounded { scale, error, numbers } = Rounded::of(stored);
    records.extend(number.to_le_bytes());
    records.extend(scale.to_le_bytes());
    records.extend(error.to_le_bytes());
    records.extend(numbers.iter().map(|number| number.cast_unsigned()));
    let checksum = xxh3_64_with_seed(&records[from..], seed(header, block, row));
    records.extend(checksum.to_le_bytes());
}

/// Compares a query with the record of this row.
pub(super) fn compare(
    header: &Header,
    file: &File,
    (block, row): (usize, usize),
    cosines: Cosines<'_>,
    room: &mut Vec<u8>,
) -> Result<ApproximateCosine> {
    room.resize(length(header.layout), 0);
    read_at(file, room, place(header.layout, block, row))?;
    decode(room, seed(header, block, row), cosines).ok_or_else(|| unfit("a record of bytes is damaged"))
}

fn decode(record: &[u8], seed: u64, cosines: Cosines<'_>) -> Option<ApproximateCosine> {
    let (covered, checksum) = record.split_last_chunk::<CHECKSUM>()?;
    if u64::from_le_bytes(*checksum) != xxh3_64_with_seed(covered, seed) {
        return None;
    }
    let (number, rest) = covered.split_first_chunk::<8>()?;
    let (scale, rest) = rest.split_first_chunk::<4>()?;
    let (error, numbers) = rest.split_first_chunk::<4>()?;
    let cosine = cosines.with_rounded(f32::from_le_bytes(*scale), numbers);
    Some(ApproximateCosine { number: i64::from_le_bytes(*number), cosine, error: f32::from_le_bytes(*error) })
}

fn seed(header: &Header, block: usize, row: usize) -> u64 {
    header.salt ^ index(header.layout, block, row).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::super::super::kernel;
    use super::*;
    use crate::store::samples;

    fn header(salt: u64) -> Header {
        let layout = Layout { dimensions: 70, rows: 64 };
        Header { layout, stamp: [7; 16], made_of: 12, salt, mean: vec![0.0; 70] }
    }

    #[test]
    fn a_record_tells_the_cosine_within_its_error() {
        let (query, header) = (samples::vector(1, 70), header(5));
        for seed in 0..50 {
            let stored = kernel::stored(&samples::vector(seed, 70));
            let mut record = Vec::new();
            push(&header, 2, 9, 77, &stored, &mut record);
            assert_eq!(record.len(), length(header.layout));
            let nearly = decode(&record, super::seed(&header, 2, 9), Cosines::of(&query)).unwrap();
            let cosine = Cosines::of(&query).with(&stored);
            assert_eq!(nearly.number, 77);
            assert!(
                (nearly.cosine - cosine).abs() <= nearly.error && cosine <= nearly.at_most(),
                "{nearly:?} {cosine}"
            );
            assert!(nearly.error < 0.02, "{nearly:?}");
        }
    }

    #[test]
    fn a_record_that_is_spoilt_moved_or_anothers_is_none() {
        let (query, own) = (samples::vector(1, 70), header(5));
        let mut record = Vec::new();
        push(&own, 2, 9, 77, &kernel::stored(&query), &mut record);
        let read = |record: &[u8], header: &Header, block, row| {
            decode(record, super::seed(header, block, row), Cosines::of(&query))
        };
        assert!(read(&record, &own, 2, 9).is_some());
        assert_eq!([read(&record, &own, 2, 8), read(&record, &own, 1, 9), read(&record, &header(6), 2, 9)], [None; 3]);
        for place in 0..record.len() {
            let mut record = record.clone();
            record[place] ^= 4;
            assert_eq!(read(&record, &own, 2, 9), None, "{place}");
        }
        assert_eq!(read(&vec![0; record.len()], &own, 2, 9), None, "never written");
    }
}
