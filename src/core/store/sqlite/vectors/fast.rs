//! The nearest by way of codes: a wide net, an estimate, then the vectors themselves.
//!
//! The net keeps some thousands of rows by their codes, the estimate puts those in order, and the first few hundred are
//! compared in full. How far down both orders what was found stood tells how safe the two cuts were: as long as it all
//! stood near the top, what was cut off is very likely further away than anything found. Else more is taken, until comparing
//! everything is cheaper. A slow right answer rather than a fast one that lacks
//! something.

use std::collections::HashSet;

use rusqlite::Connection;

use super::super::failure::Outcome;
use super::StoredSpace;
use super::codes::{Candidate, CodeFile, Codes, Trouble, Upkeep, is_mostly_gone, is_stale};
use super::exact::{self, Best, Scored};
use super::kernel::Cosines;
use super::nearest::Keys;

/// All that was found must stand in the first quarter by code, for the net to have been wide enough; else one four times as
/// wide is cast.
const MARGIN: usize = 4;

/// All that was found must stand in the first fifth of what was compared in full, for that to have been enough; else twice as
/// many are. Where thousands of vectors lie in one cluster, an estimate puts one in ten of the ten nearest behind the
/// hundredth place and one in a hundred behind the five hundredth.
const CLEARANCE: usize = 5;

/// What came of it.
pub(super) struct Fast {
    /// Best first; `None` where everything has to be compared.
    pub(super) best: Option<Vec<Scored>>,
    /// What the file needs.
    pub(super) upkeep: Upkeep,
}

/// Finds the best of a space that has a file of codes.
pub(super) fn find(
    connection: &Connection,
    codes: &Codes,
    space: &StoredSpace,
    query: &[f32],
    keys: &Keys,
    wanted: usize,
) -> Outcome<Fast> {
    let exact = |upkeep| Ok(Fast { best: None, upkeep });
    let file = match codes.open(space) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return exact(Upkeep::Look),
        Err(_) => return exact(Upkeep::Rebuild),
    };
    let search = Search { connection, space, file: &file, query, keys, wanted };
    let found = match is_stale(connection, space, &file, 0) {
        Ok(true) => return exact(Upkeep::Look),
        Ok(false) => search.run(codes.net),
        Err(trouble) => Err(trouble),
    };
    match found {
        Ok(fast) => Ok(fast),
        Err(Trouble::Database(failure)) => Err(failure),
        Err(Trouble::File(error)) => {
            tracing::debug!(%error, "a file of codes cannot be used");
            exact(Upkeep::Rebuild)
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
    fn run(&self, least: usize) -> Result<Fast, Trouble> {
        let cosines = Cosines::of(self.query);
        // The more bits a code has, the better it tells.
        let least = (least * 384 / self.query.len()).clamp(least / 4, least);
        let mut net = least.max(self.wanted.saturating_mul(64));
        let mut first_compared = (least / 4).max(self.wanted.saturating_mul(16));
        loop {
            let walked = self.file.walk(self.query, self.keys, net)?;
            let mut tail = Best::of(self.wanted);
            let in_tail = exact::scan(self.connection, self.space, walked.reach, cosines, self.keys, &mut tail)?;
            let gone = is_mostly_gone(walked.rows, self.space.vectors.saturating_sub(in_tail));
            let upkeep = if gone || in_tail >= self.file.rows_a_block() { Upkeep::Look } else { Upkeep::None };
            if !walked.is_all && (net as u64).saturating_mul(4) > walked.rows {
                return Ok(Fast { best: None, upkeep });
            }
            let compared = self.compare(cosines, &walked.candidates, first_compared, tail)?;
            if walked.is_all || compared.furthest_by_code < walked.candidates.len() / MARGIN {
                return Ok(Fast { best: Some(compared.best), upkeep });
            }
            first_compared = compared.rows;
            net = net.saturating_mul(MARGIN);
        }
    }

    /// Compares candidates in full, the first by estimate first, until what is found stands well before where it stops.
    fn compare(
        &self,
        cosines: Cosines<'_>,
        candidates: &[Candidate],
        at_first: usize,
        tail: Best,
    ) -> Result<Compared, Trouble> {
        let mut distances: Vec<u32> = candidates.iter().map(|candidate| candidate.near.distance).collect();
        distances.sort_unstable();
        let place_by_code = |candidate: &Candidate| distances.partition_point(|other| *other < candidate.near.distance);
        let mut best = tail.into_sorted();
        let from_tail = best.len();
        // For each that was compared: its score and where it stood in both orders.
        let mut compared: Vec<(Scored, usize, usize)> = Vec::new();
        let mut numbers = HashSet::new();
        let (mut from, mut to) = (0, at_first);
        loop {
            for (place, candidate) in candidates.iter().enumerate().take(to).skip(from) {
                let number = self.file.number(candidate)?;
                if !numbers.insert(number) {
                    continue;
                }
                let scored = exact::number(self.connection, self.space, number, cosines)?;
                if let Some(scored) = scored.filter(|scored| self.keys.pass(scored.key)) {
                    compared.push((scored, place, place_by_code(candidate)));
                }
            }
            compared.sort_unstable_by(|a, b| a.0.compare(&b.0));
            compared.truncate(self.wanted);
            best.truncate(from_tail);
            best.extend(compared.iter().map(|(scored, ..)| *scored));
            let mut merged = best.clone();
            merged.sort_unstable_by(Scored::compare);
            merged.truncate(self.wanted);
            let in_answer = |scored: &Scored| merged.last().is_none_or(|last| scored.compare(last).is_le());
            let found = compared.iter().filter(|(scored, ..)| in_answer(scored));
            let (mut furthest, mut furthest_by_code) = (0, 0);
            for (_, place, by_code) in found {
                (furthest, furthest_by_code) = (furthest.max(*place), furthest_by_code.max(*by_code));
            }
            let is_all = to >= candidates.len();
            let is_full = merged.len() == self.wanted;
            if is_all || (is_full && furthest < to / CLEARANCE) {
                let furthest_by_code = if is_full { furthest_by_code } else { usize::MAX };
                return Ok(Compared { best: merged, furthest_by_code, rows: to });
            }
            (from, to) = (to, to.saturating_mul(2));
        }
    }
}

struct Compared {
    best: Vec<Scored>,
    /// How far down the order of codes the furthest of those found stood.
    furthest_by_code: usize,
    /// How many were compared.
    rows: usize,
}
