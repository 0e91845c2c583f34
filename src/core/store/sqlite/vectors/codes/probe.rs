//! A query against codes: first the differing bits, then the query projected on the code's signs.
//!
//! The first is a popcount per word, over all codes. It keeps the nearest few thousand: a histogram
//! of the distances so far gives the cut-off, so nothing is sorted. The second uses the query in
//! full precision and the vector as plus or minus one per dimension, and sorts those few thousand
//! in an order much closer to the true one.

use pulp::{Arch, NullaryFnOnce};

use super::layout::{Layout, TILE};

/// The code of a vector: one bit per dimension, set where it is above the mean.
pub(super) fn code_of(vector: &[f32], mean: &[f32]) -> Vec<u64> {
    let above = |(place, (number, mean)): (usize, (&f32, &f32))| u64::from(number > mean) << place;
    vector
        .chunks(64)
        .zip(mean.chunks(64))
        .map(|(vector, mean)| vector.iter().zip(mean).enumerate().map(above).fold(0, |word, bit| word | bit))
        .collect()
}

/// A row near by its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct CodeMatch {
    /// Number of differing bits.
    pub(in super::super) distance: u32,
    /// The block's index in the file.
    pub(super) block: usize,
    /// The row's index in the block.
    pub(super) row: usize,
}

/// The nearest rows by code, from one walk over blocks.
#[derive(Debug)]
pub(super) struct NearestCodes {
    layout: Layout,
    wanted: usize,
    /// How many rows in the net are at each distance, up to the bound.
    at: Vec<usize>,
    /// Rows further than this are skipped.
    bound: u32,
    /// How many rows in the net are within the bound.
    within: usize,
    rows: Vec<CodeMatch>,
    codes: Vec<u64>,
    has_thrown_out: bool,
}

impl NearestCodes {
    /// Keeps `wanted` rows, and any as near as the last of them.
    pub(super) fn new(layout: Layout, wanted: usize) -> Self {
        let furthest = layout.words() * 64;
        let bound = u32::try_from(furthest).unwrap_or(u32::MAX);
        let (rows, codes) = (Vec::new(), Vec::new());
        Self { layout, wanted, at: vec![0; furthest + 1], bound, within: 0, rows, codes, has_thrown_out: false }
    }

    /// True if nothing was skipped or discarded: it holds everything walked.
    pub(super) fn holds_all(&self) -> bool {
        self.bound as usize + 1 == self.at.len() && !self.has_thrown_out
    }

    fn take(&mut self, near: CodeMatch, tile: &[[u8; 8]]) {
        self.rows.push(near);
        let words = (0..self.layout.words()).map(|word| u64::from_le_bytes(tile[word * TILE + near.row % TILE]));
        self.codes.extend(words);
        self.at[near.distance as usize] += 1;
        self.within += 1;
        while self.within - self.at[self.bound as usize] >= self.wanted {
            self.within -= self.at[self.bound as usize];
            self.bound -= 1;
        }
        if self.rows.len() >= self.wanted.saturating_mul(4).max(4096) {
            self.throw_out();
        }
    }

    /// Discards rows that are now too far; at the same distance, the oldest first.
    fn throw_out(&mut self) {
        self.has_thrown_out = true;
        let words = self.layout.words();
        let too_many = self.within.saturating_sub(self.wanted.saturating_mul(2));
        let (mut kept, mut skipped) = (0, 0);
        for place in 0..self.rows.len() {
            let near = self.rows[place];
            let is_too_far = near.distance > self.bound;
            let is_too_much = near.distance == self.bound && skipped < too_many;
            skipped += usize::from(is_too_much);
            if !is_too_far && !is_too_much {
                self.rows[kept] = near;
                self.codes.copy_within(place * words..(place + 1) * words, kept * words);
                kept += 1;
            }
        }
        self.at[self.bound as usize] -= skipped;
        self.within -= skipped;
        self.rows.truncate(kept);
        self.codes.truncate(kept * words);
    }
}

/// A row in the net, and its estimated nearness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Candidate {
    pub(in super::super) near: CodeMatch,
    /// The query projected on the row's signs; greater is nearer.
    pub(super) estimate: f32,
}

/// A prepared query.
#[derive(Debug)]
pub(super) struct Probe<'query> {
    query: &'query [f32],
    code: Vec<u64>,
    processor: Arch,
}

impl<'query> Probe<'query> {
    pub(super) fn new(query: &'query [f32], mean: &[f32]) -> Self {
        Self { query, code: code_of(query, mean), processor: Arch::new() }
    }

    /// Adds the near rows of a block to the net. Its first `rows` are in use; `passes` filters.
    pub(super) fn walk(
        &self,
        codes: &[u8],
        block: usize,
        rows: usize,
        passes: impl Fn(usize) -> bool,
        net: &mut NearestCodes,
    ) {
        let code = &self.code;
        self.processor.dispatch(Walk { code, codes, block, rows, passes, net });
    }

    /// The rows of the nets, nearest first by estimate; ties put the newest first. Contains every
    /// row as near by code as its furthest.
    pub(super) fn order(&self, nets: &[NearestCodes]) -> Vec<Candidate> {
        let along = SignProjection::new(self.query);
        let bound = common_bound(nets);
        let mut candidates = Vec::new();
        for net in nets {
            let codes = net.codes.chunks_exact(net.layout.words());
            let rows = net.rows.iter().zip(codes).filter(|(near, _)| near.distance <= bound);
            candidates.extend(rows.map(|(near, code)| Candidate { near: *near, estimate: along.estimate(code) }));
        }
        candidates.sort_unstable_by(|a, b| {
            b.estimate.total_cmp(&a.estimate).then_with(|| (b.near.block, b.near.row).cmp(&(a.near.block, a.near.row)))
        });
        candidates
    }
}

/// The least distance within which the nets together hold the wanted number, each net completely.
fn common_bound(nets: &[NearestCodes]) -> u32 {
    let wanted = nets.iter().map(|net| net.wanted).max().unwrap_or_default();
    let widest = nets.iter().map(|net| net.bound).min().unwrap_or_default();
    let mut within = 0;
    for bound in 0..widest {
        within += nets.iter().map(|net| net.at[bound as usize]).sum::<usize>();
        if within >= wanted {
            return bound;
        }
    }
    widest
}

/// A walk over one block.
struct Walk<'a, P> {
    code: &'a [u64],
    codes: &'a [u8],
    block: usize,
    rows: usize,
    passes: P,
    net: &'a mut NearestCodes,
}

impl<P: Fn(usize) -> bool> NullaryFnOnce for Walk<'_, P> {
    type Output = ();

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "must become part of what is compiled for the processor at hand")]
    fn call(self) {
        let Self { code, codes, block, rows, passes, net } = self;
        for (tile, bytes) in codes.chunks_exact(net.layout.tile()).enumerate() {
            let (words, _) = bytes.as_chunks::<8>();
            let Some(distances) = distances(words, code, u64::from(net.bound)) else { continue };
            for (row, distance) in (tile * TILE..rows).zip(distances) {
                let distance = u32::try_from(distance).unwrap_or(u32::MAX);
                if distance <= net.bound && passes(row) {
                    net.take(CodeMatch { distance, block, row }, words);
                }
            }
        }
    }
}

/// The number of differing bits of each row of a tile; `None` if all exceed the bound, which often
/// shows before the codes are fully read.
#[inline(always)]
#[expect(clippy::inline_always, reason = "must become part of the loop that is compiled for the processor at hand")]
fn distances(tile: &[[u8; 8]], code: &[u64], bound: u64) -> Option<[u64; TILE]> {
    let mut distances = [0; TILE];
    let (words, _) = tile.as_chunks::<TILE>();
    // Two words per iteration and an early exit: this makes the compiler keep the rows in parallel.
    for (words, own) in words.chunks(2).zip(code.chunks(2)) {
        for (words, own) in words.iter().zip(own) {
            for lane in 0..TILE {
                distances[lane] += u64::from((u64::from_le_bytes(words[lane]) ^ own).count_ones());
            }
        }
        if distances.iter().copied().fold(u64::MAX, u64::min) > bound {
            return None;
        }
    }
    Some(distances)
}

/// The contribution of each byte of a code to the estimate.
struct SignProjection {
    bytes: Vec<[f32; 256]>,
}

impl SignProjection {
    fn new(query: &[f32]) -> Self {
        let table = |numbers: &[f32]| {
            let mut sums = [0.0_f32; 256];
            sums[0] = -numbers.iter().sum::<f32>();
            for (bit, number) in numbers.iter().enumerate() {
                let (known, unknown) = sums.split_at_mut(1 << bit);
                for (sum, without) in unknown.iter_mut().zip(known) {
                    *sum = *without + 2.0 * number;
                }
            }
            sums
        };
        Self { bytes: query.chunks(8).map(table).collect() }
    }

    fn estimate(&self, code: &[u64]) -> f32 {
        let mut sum = 0.0;
        for (sums, word) in self.bytes.chunks(8).zip(code) {
            for (sums, byte) in sums.iter().zip(word.to_le_bytes()) {
                sum += sums[usize::from(byte)];
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Block;
    use super::*;
    use crate::store::samples;

    /// A block of random rows, and their codes.
    fn block(layout: Layout, rows: u64, mean: &[f32]) -> (Vec<u8>, Vec<Vec<u64>>) {
        let mut block = Block::new(layout);
        let dimensions = u32::try_from(layout.dimensions).unwrap();
        let codes: Vec<Vec<u64>> = (0..rows).map(|seed| code_of(&samples::vector(seed, dimensions), mean)).collect();
        for (code, number) in codes.iter().zip(1..) {
            block.push(code, number, number);
        }
        (block.seal(&[0; 16], 0), codes)
    }

    fn naive_estimate(query: &[f32], code: &[u64]) -> f32 {
        let sign = |place: usize| if code[place / 64] >> (place % 64) & 1 == 1 { 1.0 } else { -1.0 };
        query.iter().enumerate().map(|(place, number)| number * sign(place)).sum()
    }

    #[test]
    fn the_net_holds_the_nearest_by_code_in_order_of_estimates() {
        for (dimensions, rows, wanted) in [(1, 10, 3), (63, 64, 5), (64, 1000, 1), (65, 999, 40), (384, 700, 100)] {
            let layout = Layout { dimensions, rows: 1024 };
            let mean = vec![0.01; dimensions];
            let (bytes, codes) = block(layout, rows, &mean);
            let query = samples::vector(12_345, u32::try_from(dimensions).unwrap());
            let probe = Probe::new(&query, &mean);
            let passes = |row: usize| row % 3 != 1;
            // However unevenly two threads share the rows.
            let (mut net, mut other) = (NearestCodes::new(layout, wanted), NearestCodes::new(layout, wanted));
            probe.walk(&bytes[..layout.keys()], 0, codes.len(), |row| passes(row) && row % 7 != 0, &mut net);
            probe.walk(&bytes[..layout.keys()], 0, codes.len(), |row| passes(row) && row % 7 == 0, &mut other);

            let distance = |code: &[u64]| -> u32 {
                code.iter().zip(code_of(&query, &mean)).map(|(a, b)| (a ^ b).count_ones()).sum()
            };
            let passing = || codes.iter().enumerate().filter(|(row, _)| passes(*row));
            let mut distances: Vec<u32> = passing().map(|(_, code)| distance(code)).collect();
            distances.sort_unstable();
            let bound = distances[wanted - 1];
            let mut expected: Vec<usize> =
                passing().filter(|(_, code)| distance(code) <= bound).map(|(row, _)| row).collect();
            let found = probe.order(&[net, other]);
            for candidate in &found {
                let naive = naive_estimate(&query, &codes[candidate.near.row]);
                assert!((candidate.estimate - naive).abs() < 1e-4);
                assert_eq!(candidate.near.distance, distance(&codes[candidate.near.row]));
            }
            assert!(found.is_sorted_by(|a, b| a.estimate >= b.estimate));
            let mut rows: Vec<usize> = found.iter().map(|candidate| candidate.near.row).collect();
            rows.sort_unstable();
            expected.sort_unstable();
            assert_eq!(rows, expected, "{dimensions} dimensions");
        }
    }

    #[test]
    fn a_flood_of_equals_keeps_those_stored_last() {
        let layout = Layout { dimensions: 8, rows: 1024 };
        let mut block = Block::new(layout);
        for number in 1..=1024 {
            block.push(&[0], number, number);
        }
        let bytes = block.seal(&[0; 16], 0);
        let query = vec![-0.5; 8];
        let probe = Probe::new(&query, &[0.0; 8]);
        let mut net = NearestCodes::new(layout, 10);
        for block in 0..40 {
            probe.walk(&bytes[..layout.keys()], block, 1024, |_| true, &mut net);
        }
        let found = probe.order(&[net]);
        assert!((10..5000).contains(&found.len()), "{}", found.len());
        let last: Vec<(usize, usize)> = found[..10].iter().map(|found| (found.near.block, found.near.row)).collect();
        assert_eq!(last, (0..10).map(|back| (39, 1023 - back)).collect::<Vec<_>>());
    }
}
