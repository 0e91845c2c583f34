//! Reads the model file: its header, sections and numbers.
//!
//! Owns the file format, which `assets/embedding/make.py` describes; [`super::model`] interprets
//! the sections. What always holds: any bytes give sections or an error that says what is wrong,
//! never a panic, and a returned section has the requested length.

use std::ops::Range;

const MAGIC: &[u8] = b"ALMB";
const VERSION: u32 = 1;
/// Magic, version, vocabulary size, number of sections.
const HEAD: usize = 16;
/// Offset and length of a section.
const ENTRY: usize = 16;

/// What is wrong with a model file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum AssetError {
    #[error("it does not start like a model file")]
    Magic,
    #[error("it is of version {0}, and this program reads {VERSION}")]
    Version(u32),
    #[error("it ends before section {0}")]
    Short(usize),
    #[error("section {section} ({what}) has {came} bytes where it needs {wanted}")]
    Length { section: usize, what: &'static str, came: usize, wanted: usize },
    #[error("section {section} ({what}) has invalid content")]
    Content { section: usize, what: &'static str },
    #[error("it has {0} sections more than a model")]
    Rest(usize),
}

/// The sections of a file, read in order.
pub(super) struct Sections<'a> {
    bytes: &'a [u8],
    vocabulary: usize,
    count: usize,
    next: usize,
}

impl<'a> Sections<'a> {
    /// Opens a file, checking magic, version and section table.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, AssetError> {
        if !bytes.starts_with(MAGIC) {
            return Err(AssetError::Magic);
        }
        let number = |at: usize| read_u32(bytes, at).ok_or(AssetError::Short(0));
        let version = number(4)?;
        if version != VERSION {
            return Err(AssetError::Version(version));
        }
        let (vocabulary, count) = (number(8)? as usize, number(12)? as usize);
        Ok(Self { bytes, vocabulary, count, next: 0 })
    }

    /// The vocabulary size from the header.
    pub(super) fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// The next section, whatever its length.
    pub(super) fn take_any(&mut self) -> Result<&'a [u8], AssetError> {
        let section = self.next;
        let found = (section < self.count).then(|| self.range(section)).flatten();
        let found = found.and_then(|range| self.bytes.get(range)).ok_or(AssetError::Short(section))?;
        self.next += 1;
        Ok(found)
    }

    /// The next section, which must have `wanted` bytes.
    pub(super) fn take(&mut self, what: &'static str, wanted: usize) -> Result<&'a [u8], AssetError> {
        let section = self.next;
        let found = self.take_any()?;
        if found.len() == wanted {
            Ok(found)
        } else {
            Err(AssetError::Length { section, what, came: found.len(), wanted })
        }
    }

    /// The next two sections: a 4-bit matrix and its scales, one per `group` values of a row.
    pub(super) fn take_nibbles(
        &mut self,
        what: &'static str,
        (rows, columns): (usize, usize),
        group: usize,
    ) -> Result<Nibbles<'a>, AssetError> {
        let values = self.take(what, rows * columns / 2)?;
        let scales = self.take(what, rows * columns / group * 2)?;
        Ok(Nibbles { values, scales, columns, group })
    }

    /// The error that the last section makes no sense.
    pub(super) fn nonsense(&self, what: &'static str) -> AssetError {
        AssetError::Content { section: self.next.saturating_sub(1), what }
    }

    /// Ends reading; fails if sections are left.
    pub(super) fn end(self) -> Result<(), AssetError> {
        match self.count - self.next {
            0 => Ok(()),
            rest => Err(AssetError::Rest(rest)),
        }
    }

    fn range(&self, section: usize) -> Option<Range<usize>> {
        let at = HEAD.checked_add(section.checked_mul(ENTRY)?)?;
        let offset = usize::try_from(read_u64(self.bytes, at)?).ok()?;
        let length = usize::try_from(read_u64(self.bytes, at.checked_add(8)?)?).ok()?;
        Some(offset..offset.checked_add(length)?)
    }
}

/// A 4-bit matrix as stored.
#[derive(Clone, Copy)]
pub(super) struct Nibbles<'a> {
    values: &'a [u8],
    scales: &'a [u8],
    columns: usize,
    group: usize,
}

impl Nibbles<'_> {
    /// Widens one row into `row`, of the matrix's width; does nothing if there is none.
    pub(super) fn widen_row(&self, number: usize, row: &mut [f32]) {
        let (bytes, scales) = (self.columns / 2, self.columns / self.group * 2);
        let values = self.values.get(number * bytes..(number + 1) * bytes).unwrap_or_default();
        let scales = self.scales.get(number * scales..(number + 1) * scales).unwrap_or_default();
        let groups = values.chunks_exact(self.group / 2).zip(row.chunks_exact_mut(self.group));
        for ((packed, wide), scale) in groups.zip(scales.chunks_exact(2)) {
            let scale = half(scale);
            for (byte, pair) in packed.iter().zip(wide.chunks_exact_mut(2)) {
                pair[0] = (f32::from(byte & 15) - 8.0) * scale;
                pair[1] = (f32::from(byte >> 4) - 8.0) * scale;
            }
        }
    }
}

/// Widens 16-bit numbers, up to the shorter length.
pub(super) fn widen_halves(bytes: &[u8], values: &mut [f32]) {
    for (pair, value) in bytes.chunks_exact(2).zip(values) {
        *value = half(pair);
    }
}

/// A 16-bit number (IEEE 754 binary16, little-endian); zero if there are no two bytes.
fn half(bytes: &[u8]) -> f32 {
    let &[low, high] = bytes else { return 0.0 };
    let bits = u32::from(u16::from_le_bytes([low, high]));
    let sign = (bits & 0x8000) << 16;
    let magnitude = (bits & 0x7FFF) << 13;
    // Rebias the exponent from 15 to 127. Multiplying also normalises subnormal numbers.
    let scaled = f32::from_bits(magnitude) * f32::from_bits((254 - 15) << 23);
    let is_infinite_or_not_a_number = bits & 0x7C00 == 0x7C00;
    let wide = if is_infinite_or_not_a_number { magnitude | 0x7F80_0000 } else { scaled.to_bits() };
    f32::from_bits(wide | sign)
}

/// The 32-bit number at `at`.
pub(super) fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    let found = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(found.try_into().ok()?))
}

fn read_u64(bytes: &[u8], at: usize) -> Option<u64> {
    let found = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(found.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "every number of 16 bits is a number of 32, exactly")]
    fn numbers_of_16_bits_widen_exactly() {
        let cases: [(u16, f32); 9] = [
            (0x0000, 0.0),
            (0x3C00, 1.0),
            (0xC000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7BFF, 65_504.0),
            (0x0400, 6.103_515_6e-5),
            (0x0001, 5.960_464_5e-8),
            (0x83FF, -6.097_555e-5),
            (0x7C00, f32::INFINITY),
        ];
        for (bits, value) in cases {
            assert_eq!(half(&bits.to_le_bytes()), value, "{bits:#06x}");
        }
        assert!(half(&0x7E00_u16.to_le_bytes()).is_nan());
    }

    #[test]
    fn nibbles_are_widened_low_half_first_group_by_group() {
        let scales = [0x3C00_u16.to_le_bytes(), 0x4000_u16.to_le_bytes()].concat();
        let matrix = Nibbles { values: &[0x98, 0x0F], scales: &scales, columns: 4, group: 2 };
        let mut row = [0.0; 4];
        matrix.widen_row(0, &mut row);
        assert_eq!(row.map(f32::to_bits), [0.0_f32, 1.0, 14.0, -16.0].map(f32::to_bits));
    }

    fn file(sections: &[(u64, u64)], length: usize) -> Vec<u8> {
        let count = u32::try_from(sections.len()).unwrap();
        let mut bytes = [MAGIC, &1_u32.to_le_bytes(), &7_u32.to_le_bytes(), &count.to_le_bytes()].concat();
        for (offset, length) in sections {
            bytes.extend(offset.to_le_bytes());
            bytes.extend(length.to_le_bytes());
        }
        bytes.resize(length, 9);
        bytes
    }

    #[test]
    fn sections_come_in_order_and_nothing_may_be_left() {
        let bytes = file(&[(64, 2), (66, 1)], 67);
        let mut sections = Sections::open(&bytes).unwrap();
        assert_eq!(sections.vocabulary(), 7);
        assert_eq!(sections.take("first", 2).unwrap(), [9, 9]);
        let wrong = sections.take("second", 3).unwrap_err();
        assert_eq!(wrong, AssetError::Length { section: 1, what: "second", came: 1, wanted: 3 });
        let mut sections = Sections::open(&bytes).unwrap();
        sections.take_any().unwrap();
        assert_eq!(sections.end(), Err(AssetError::Rest(1)));
    }

    #[test]
    fn files_that_are_no_models_are_told_apart() {
        assert_eq!(Sections::open(b"PK").err(), Some(AssetError::Magic));
        assert_eq!(Sections::open(b"ALMB\x02\0\0\0").err(), Some(AssetError::Version(2)));
        assert_eq!(Sections::open(b"ALMB\x01\0\0\0").err(), Some(AssetError::Short(0)));
        let beyond = file(&[(64, u64::MAX)], 64);
        assert_eq!(Sections::open(&beyond).unwrap().take_any(), Err(AssetError::Short(0)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn any_bytes_give_sections_or_an_error(rest in proptest::collection::vec(any::<u8>(), 0..80)) {
            let bytes = [MAGIC, &1_u32.to_le_bytes(), &rest].concat();
            if let Ok(mut sections) = Sections::open(&bytes) {
                while sections.take_any().is_ok() {}
            }
        }
    }
}
