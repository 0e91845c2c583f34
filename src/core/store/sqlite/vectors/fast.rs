//! Approximate search by codes: a wide net, an estimate, then the vectors themselves.
//!
//! The net keeps some thousands of rows by their codes, and the estimate sorts them. The first of
//! them are compared in eight bits a number, and the few dozen that can be among the best are
//! compared in full. How far down both orders the hits were tells how safe the first two cuts were:
//! if all were near the top, anything cut off is very likely further away. Otherwise more is taken,
//! until comparing everything is cheaper. The third cut is exact: the error of an eight-bit vector
//! is known. Prefers a slow right answer to a fast incomplete one.

use std::collections::HashSet;

use rusqlite::Connection;

use super::super::failure::SqliteResult;
use super::StoredSpace;
use super::codes::{
    ApproximateCosine, Candidate, CodeFile, Codes, CodesError, IndexMaintenance, is_mostly_gone, is_stale,
};
use super::exact::{self, Best, Scored};
use super::kernel::Cosines;
use super::nearest::Keys;

/// All hits must be in the first third by code, or a net three times as wide is cast. Among a
/// million clustered vectors of 384 dimensions one in five hundred of the ten nearest is beyond the
/// two thousandth position.
const MARGIN: usize = 3;

/// All hits must be in the first quarter of what was compared in eight bits, or twice as many are.
const CLEARANCE: usize = 4;

/// How many rows are first compared in eight bits. With thousands of vectors of 384 dimensions in
/// one cluster, one in seventy of the ten nearest is beyond position 500 by estimate and none
/// beyond 2000; at 1536 none is beyond position 100.
fn at_first(dimensions: usize) -> usize {
    (2000 * 384 * 384 / (dimensions * dimensions)).clamp(200, 2000)
}

/// The result of a fast search.
pub(super) struct CodeSearch {
    /// Best first; `None` if everything has to be compared.
    pub(super) best: Option<Vec<Scored>>,
    /// The maintenance the file needs.
    pub(super) maintenance: IndexMaintenance,
}

/// Searches a space that has a file of codes.
pub(super) fn find(
    connection: &Connection,
    codes: &Codes,
    space: &StoredSpace,
    query: &[f32],
    keys: &Keys,
    wanted: usize,
) -> SqliteResult<CodeSearch> {
    let exact = |maintenance| Ok(CodeSearch { best: None, maintenance });
    let file = match codes.open(space) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return exact(IndexMaintenance::Look),
        Err(_) => return exact(IndexMaintenance::Rebuild),
    };
    let search = Search { connection, space, file: &file, query, keys, wanted };
    let found = match is_stale(connection, space, &file, 0) {
        Ok(true) => return exact(IndexMaintenance::Look),
        Ok(false) => search.run(codes.net),
        Err(trouble) => Err(trouble),
    };
    match found {
        Ok(fast) => Ok(fast),
        Err(CodesError::Database(failure)) => Err(failure),
        Err(CodesError::File(error)) => {
            tracing::debug!(%error, "a file of codes cannot be used");
            exact(IndexMaintenance::Rebuild)
        }
    }
}

struct Search<'search> {
    connection: &'search Connection,
    space: &'search StoredSpace,
    file: &'search CodeFile,
    query: &'search [f32],
    keys: &'search Keys,
    wanted: usize,
}

impl Search<'_> {
    fn run(&self, least: usize) -> Result<CodeSearch, CodesError> {
        let covered = (self.file.blocks()? as u64).saturating_mul(self.file.rows_a_block());
        if covered.saturating_mul(2) < self.space.vectors {
            // Half of it would be compared in full: one scan of all is as fast.
            return Ok(CodeSearch { best: None, maintenance: IndexMaintenance::Look });
        }
        let cosines = Cosines::of(self.query);
        // Codes with more bits discriminate better.
        let least = (least * 384 / self.query.len()).clamp(least / 4, least);
        let mut net = least.max(self.wanted.saturating_mul(64));
        let mut first_compared = at_first(self.query.len()).max(self.wanted.saturating_mul(16));
        loop {
            let walked = self.file.walk(self.query, self.keys, net)?;
            let mut tail = Best::of(self.wanted);
            let in_tail = exact::scan(self.connection, self.space, walked.reach, cosines, self.keys, &mut tail)?;
            let gone = is_mostly_gone(walked.rows, self.space.vectors.saturating_sub(in_tail));
            let maintenance = if gone || in_tail >= self.file.rows_a_block() {
                IndexMaintenance::Look
            } else {
                IndexMaintenance::None
            };
            if !walked.is_all && (net as u64).saturating_mul(4) > walked.rows {
                return Ok(CodeSearch { best: None, maintenance });
            }
            let compared = self.compare(cosines, &walked.candidates, first_compared, tail)?;
            if walked.is_all || compared.furthest_by_code < walked.candidates.len() / MARGIN {
                return Ok(CodeSearch { best: Some(compared.best), maintenance });
            }
            first_compared = compared.rows;
            net = net.saturating_mul(MARGIN);
        }
    }

    /// Compares the first candidates in eight bits a number, and in full those that may be among
    /// the best; takes more until the hits are well before the end.
    fn compare(
        &self,
        cosines: Cosines<'_>,
        candidates: &[Candidate],
        at_first: usize,
        tail: Best,
    ) -> Result<Compared, CodesError> {
        let mut distances: Vec<u32> = candidates.iter().map(|candidate| candidate.near.distance).collect();
        distances.sort_unstable();
        let mut finalists = Finalists::new(self.wanted, tail);
        let (mut from, mut to) = (0, at_first.min(candidates.len()));
        loop {
            let mut nearly: Vec<(ApproximateCosine, usize)> =
                self.file.compare(cosines, &candidates[from..to])?.into_iter().zip(from..).collect();
            nearly.sort_unstable_by(|(a, _), (b, _)| b.at_most().total_cmp(&a.at_most()));
            for (nearly, place) in nearly {
                if finalists.are_all_above(nearly.at_most()) {
                    break;
                }
                if finalists.numbers.insert(nearly.number) {
                    let scored = exact::number(self.connection, self.space, nearly.number, cosines)?;
                    if let Some(scored) = scored.filter(|scored| self.keys.pass(scored.key)) {
                        finalists.push(scored, Some(place));
                    }
                }
            }
            let places = || finalists.best.iter().filter_map(|(_, place)| *place);
            let by_code = |place: usize| distances.partition_point(|other| *other < candidates[place].near.distance);
            let is_full = finalists.best.len() == self.wanted;
            if to == candidates.len() || (is_full && places().all(|place| place < to / CLEARANCE)) {
                let furthest_by_code = if is_full { places().map(by_code).max().unwrap_or(0) } else { usize::MAX };
                let best = finalists.best.into_iter().map(|(scored, _)| scored).collect();
                return Ok(Compared { best, furthest_by_code, rows: to });
            }
            (from, to) = (to, to.saturating_mul(2).min(candidates.len()));
        }
    }
}

/// The best so far by full comparison, and the candidate position of each.
struct Finalists {
    wanted: usize,
    best: Vec<(Scored, Option<usize>)>,
    /// The numbers of all vectors compared.
    numbers: HashSet<i64>,
}

impl Finalists {
    fn new(wanted: usize, tail: Best) -> Self {
        let best = tail.into_sorted().into_iter().map(|scored| (scored, None)).collect();
        Self { wanted, best, numbers: HashSet::new() }
    }

    /// True if no prompt whose nearest part has this cosine at most can be among the best. A prompt
    /// is never nearer than its nearest part, however the two are combined.
    fn are_all_above(&self, at_most: f32) -> bool {
        self.best.len() >= self.wanted && self.best.last().is_none_or(|(last, _)| at_most < last.cosine)
    }

    fn push(&mut self, scored: Scored, place: Option<usize>) {
        let at = self.best.partition_point(|(other, _)| other.compare(&scored).is_le());
        self.best.insert(at, (scored, place));
        self.best.truncate(self.wanted);
    }
}

struct Compared {
    best: Vec<Scored>,
    /// The furthest position of a hit in the order of codes.
    furthest_by_code: usize,
    /// Rows compared in eight bits a number.
    rows: usize,
}
