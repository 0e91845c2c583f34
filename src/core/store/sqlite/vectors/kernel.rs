//! Vector arithmetic: lengths, cosines, half precision and eight-bit numbers, vectorised.
//!
//! Each loop is written once, over blocks of lanes that the compiler vectorises, and `pulp` selects
//! at run time the instruction set it was compiled for. That needs inlining, so each is a
//! [`NullaryFnOnce`], which is always inlined; a closure may not be, and is then compiled for the
//! oldest processor. The kernels of `numkong` are faster per call, but take two minutes to build,
//! and its safe interface compares one pair a call where a code has six words. Every variant gives
//! the same sums to the last bit, because the order of addition is fixed here.

use half::f16;
use pulp::{Arch, NullaryFnOnce};

/// Number of parallel sums.
const LANES: usize = 32;

/// Bytes of a half-precision number.
pub(super) const HALF: usize = 2;

/// The normalised vector; `None` if it is all zeros or has a number that is not finite.
pub(super) fn normalised(vector: &[f32]) -> Option<Vec<f32>> {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most one")]
    Some(vector.iter().map(|number| (f64::from(*number) / length) as f32).collect())
}

/// A normalised vector as stored: half precision, little-endian.
pub(super) fn stored(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| f16::from_f32(*number).to_le_bytes()).collect()
}

/// A stored vector in single precision.
pub(super) fn widened(stored: &[u8]) -> Vec<f32> {
    let (halves, _) = stored.as_chunks::<HALF>();
    halves.iter().map(|half| widen(*half)).collect()
}

/// Converts a finite half-precision number exactly. Branch-free, so that loops vectorise: shifting
/// the bits gives the number with its exponent too small by 112, subnormal or not.
#[inline(always)]
fn widen(half: [u8; HALF]) -> f32 {
    const TWO_TO_112: f32 = f32::from_bits((127 + 112) << 23);
    let bits = u32::from(u16::from_le_bytes(half));
    let magnitude = f32::from_bits((bits & 0x7FFF) << 13) * TWO_TO_112;
    f32::from_bits(magnitude.to_bits() | ((bits & 0x8000) << 16))
}

/// Converts an eight-bit number exactly, through the mantissa: a cast would not vectorise.
#[inline(always)]
fn whole(number: u8) -> f32 {
    const TWO_TO_23: f32 = 8_388_608.0;
    f32::from_bits(TWO_TO_23.to_bits() | u32::from(number ^ 0x80)) - (TWO_TO_23 + 128.0)
}

/// Compares one vector with many that are stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cosines<'query> {
    query: &'query [f32],
    processor: Arch,
}

impl<'query> Cosines<'query> {
    /// Compares with this normalised vector.
    pub(super) fn of(query: &'query [f32]) -> Self {
        Self { query, processor: Arch::new() }
    }

    /// The vector's dimensions.
    pub(super) fn dimensions(self) -> usize {
        self.query.len()
    }

    /// The cosine, -1..=1, divided by the length of the stored vector, which rounding changed.
    pub(super) fn with(self, stored: &[u8]) -> f32 {
        let (dot, square) = self.processor.dispatch(DotAndSquare { query: self.query, stored });
        if square > 0.0 { (dot / square.sqrt()).clamp(-1.0, 1.0) } else { 0.0 }
    }
}

struct DotAndSquare<'a> {
    query: &'a [f32],
    stored: &'a [u8],
}

impl NullaryFnOnce for DotAndSquare<'_> {
    type Output = (f32, f32);

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "must become part of what is compiled for the processor at hand")]
    fn call(self) -> (f32, f32) {
        let (halves, _) = self.stored.as_chunks::<HALF>();
        let (mut dots, mut squares) = ([0.0_f32; LANES], [0.0_f32; LANES]);
        let (query_blocks, query_rest) = self.query.as_chunks::<LANES>();
        let (half_blocks, half_rest) = halves.as_chunks::<LANES>();
        for (numbers, halves) in query_blocks.iter().zip(half_blocks) {
            for lane in 0..LANES {
                let number = widen(halves[lane]);
                dots[lane] += numbers[lane] * number;
                squares[lane] += number * number;
            }
        }
        for (lane, (number, half)) in query_rest.iter().zip(half_rest).enumerate() {
            let half = widen(*half);
            dots[lane] += number * half;
            squares[lane] += half * half;
        }
        (dots.iter().sum(), squares.iter().sum())
    }
}

/// A normalised vector in eight bits a number, with its rounding error.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rounded {
    /// The factor from stored to real numbers.
    pub(super) scale: f32,
    /// Bound on the error of a cosine with it, relative to [`Cosines::with`].
    pub(super) error: f32,
    /// -127..=127.
    pub(super) numbers: Vec<i8>,
}

/// A bound on the rounding error of one cosine's 32-bit sums, at any dimensions that can be stored.
const LOST_IN_SUMS: f64 = 2e-5;

impl Rounded {
    /// Rounds a half-precision vector, normalising it first.
    pub(super) fn of(stored: &[u8]) -> Self {
        let vector = widened(stored);
        let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
        let greatest = vector.iter().map(|number| f64::from(number.abs())).fold(0.0, f64::max);
        if length == 0.0 {
            return Self { scale: 0.0, error: 0.0, numbers: vec![0; vector.len()] };
        }
        // The length of the vector is part of the scale.
        let step = greatest / 127.0;
        #[expect(clippy::cast_possible_truncation, reason = "-127..=127 by the choice of the step")]
        let numbers: Vec<i8> = vector.iter().map(|number| (f64::from(*number) / step).round() as i8).collect();
        #[expect(clippy::cast_possible_truncation, reason = "a few digits of a number below one are lost")]
        let scale = (step / length) as f32;
        let off = |(number, rounded): (&f32, &i8)| {
            (f64::from(*number) / length - f64::from(scale) * f64::from(*rounded)).powi(2)
        };
        let error = vector.iter().zip(&numbers).map(off).sum::<f64>().sqrt() + LOST_IN_SUMS;
        #[expect(clippy::cast_possible_truncation, reason = "what is lost is far below what was added")]
        Self { scale, error: error as f32, numbers }
    }
}

impl Cosines<'_> {
    /// Approximates the cosine with an eight-bit vector of this [`Rounded::scale`], given as bytes.
    pub(super) fn with_rounded(self, scale: f32, numbers: &[u8]) -> f32 {
        self.processor.dispatch(DotRounded { query: self.query, numbers }) * scale
    }
}

struct DotRounded<'a> {
    query: &'a [f32],
    numbers: &'a [u8],
}

impl NullaryFnOnce for DotRounded<'_> {
    type Output = f32;

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "must become part of what is compiled for the processor at hand")]
    fn call(self) -> f32 {
        let mut dots = [0.0_f32; LANES];
        let (query_blocks, query_rest) = self.query.as_chunks::<LANES>();
        let (blocks, rest) = self.numbers.as_chunks::<LANES>();
        for (own, others) in query_blocks.iter().zip(blocks) {
            for lane in 0..LANES {
                dots[lane] += own[lane] * whole(others[lane]);
            }
        }
        for (lane, (own, other)) in query_rest.iter().zip(rest).enumerate() {
            dots[lane] += own * whole(*other);
        }
        dots.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_half_is_widened_exactly() {
        for bits in 0..=u16::MAX {
            let half = f16::from_bits(bits);
            if half.is_finite() {
                assert_eq!(widen(half.to_le_bytes()).to_bits(), half.to_f32().to_bits(), "{bits:#06x}");
            }
        }
    }

    #[test]
    fn every_number_in_eight_bits_is_made_whole_exactly() {
        for number in i8::MIN..=i8::MAX {
            assert_eq!(whole(number.cast_unsigned()).to_bits(), f32::from(number).to_bits(), "{number}");
        }
    }

    #[test]
    fn cosines_are_those_of_plain_arithmetic() {
        for dimensions in [1_u16, 2, 31, 32, 33, 384, 1000] {
            let number = |seed: u16| f32::from(seed % 17) - 7.5 + f32::from(seed % 3);
            let query = normalised(&(0..dimensions).map(number).collect::<Vec<f32>>()).unwrap();
            let other = normalised(&(0..dimensions).map(|seed| number(seed * 7 + 3)).collect::<Vec<f32>>()).unwrap();
            let expected: f64 = query.iter().zip(&other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            let found = Cosines::of(&query).with(&stored(&other));
            assert!((f64::from(found) - expected).abs() < 5e-4, "{dimensions}: {found} for {expected}");
            assert!((Cosines::of(&other).with(&stored(&other)) - 1.0).abs() < 5e-4);
        }
    }

    #[test]
    fn rounded_vectors_are_as_near_as_they_say() {
        for dimensions in [1_u32, 2, 31, 33, 384, 1536, 65_536] {
            let [query, plain] = [3, 4].map(|seed| crate::store::samples::vector(seed, dimensions));
            let mut uneven = plain.clone();
            uneven[0] = 40.0;
            for vector in [&query, &plain, &uneven].map(|vector| normalised(vector).unwrap()) {
                let (kept, cosines) = (stored(&vector), Cosines::of(&query));
                let rounded = Rounded::of(&kept);
                let numbers: Vec<u8> = rounded.numbers.iter().map(|number| number.cast_unsigned()).collect();
                let off = (cosines.with(&kept) - cosines.with_rounded(rounded.scale, &numbers)).abs();
                assert!(off <= rounded.error, "{dimensions}: {off} is more than {}", rounded.error);
                assert!(rounded.error < 0.2, "{dimensions}: {}", rounded.error);
            }
        }
        assert_eq!(Rounded::of(&[0; 4]), Rounded { scale: 0.0, error: 0.0, numbers: vec![0, 0] });
    }

    #[test]
    fn what_has_no_direction_has_no_length_one() {
        assert_eq!(normalised(&[3.0, 4.0]), Some(vec![0.6, 0.8]));
        for none in [vec![], vec![0.0, 0.0], vec![f32::NAN, 1.0], vec![f32::INFINITY, 1.0]] {
            assert_eq!(normalised(&none), None, "{none:?}");
        }
        assert_eq!(normalised(&[f32::MAX, 0.0]), Some(vec![1.0, 0.0]));
        assert_eq!(normalised(&[1e-45, 0.0]), Some(vec![1.0, 0.0]));
    }
}
