//! Similarity search: applies the filter and chooses how to compare.
//!
//! Few prompts are compared one by one, a small space as a whole, a large one by its codes first.
//! The filter always comes before ranking, and every score from the database's vectors.

use rusqlite::{Connection, params_from_iter};

use super::super::failure::SqliteResult;
use super::super::filter;
use super::codes::{Codes, IndexMaintenance};
use super::exact::{self, Best};
use super::kernel::Cosines;
use super::{fast, stored_space};
use crate::domain::{Filter, PromptId};
use crate::store::{Hit, Nearest, SearchHits};

/// A search result and how it was computed.
#[derive(Debug, Default)]
pub(super) struct VectorSearchResult {
    pub(super) found: SearchHits,
    pub(super) way: ComparisonMethod,
    pub(super) maintenance: IndexMaintenance,
}

/// How vectors were compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ComparisonMethod {
    /// Those of a few prompts, one by one.
    #[default]
    Few,
    /// All of the space.
    All,
    /// By codes first.
    Codes,
}

/// The keys of the prompts that pass a filter.
#[derive(Debug)]
pub(in super::super) enum Keys {
    /// All prompts.
    All,
    /// A bit set of keys.
    Some {
        /// Bit `key % 64` of word `key / 64`.
        bits: Vec<u64>,
        /// How many keys are set.
        count: u64,
    },
}

impl Keys {
    pub(in super::super) fn of(connection: &Connection, filter: &Filter) -> SqliteResult<Self> {
        if *filter == Filter::default() {
            return Ok(Self::All);
        }
        let query = filter::all(connection, filter)?;
        let mut statement = connection.prepare_cached(&query.sql)?;
        let mut rows = statement.query(params_from_iter(query.values))?;
        let (mut bits, mut count) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            let key = row.get::<_, i64>(0)?.unsigned_abs();
            let word = usize::try_from(key / 64).unwrap_or(usize::MAX);
            if word >= bits.len() {
                bits.resize(word + 1, 0);
            }
            bits[word] |= 1 << (key % 64);
            count += 1;
        }
        Ok(Self::Some { bits, count })
    }

    /// True if the prompt passes.
    pub(in super::super) fn pass(&self, key: i64) -> bool {
        match self {
            Self::All => true,
            Self::Some { bits, .. } => {
                let key = key.unsigned_abs();
                let word = usize::try_from(key / 64).ok().and_then(|word| bits.get(word));
                word.is_some_and(|word| word >> (key % 64) & 1 == 1)
            }
        }
    }

    /// The keys, if there are at most `at_most`.
    fn few(&self, at_most: u64) -> Option<Vec<i64>> {
        match self {
            Self::Some { bits, count } if *count <= at_most => {
                let set = bits.iter().zip(0_i64..).filter(|(word, _)| **word != 0);
                let in_word = |(word, place): (&u64, i64)| {
                    let word = *word;
                    (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| place * 64 + bit)
                };
                Some(set.flat_map(in_word).collect())
            }
            _ => None,
        }
    }
}

/// Searches. The query vector has length one and the dimensions of its space.
pub(super) fn find(connection: &Connection, codes: &Codes, query: &Nearest) -> SqliteResult<VectorSearchResult> {
    let keys = Keys::of(connection, &query.filter)?;
    let total = match &keys {
        Keys::All => filter::count(connection, &query.filter)?,
        Keys::Some { count, .. } => *count,
    };
    let skipped = usize::try_from(query.offset).unwrap_or(usize::MAX);
    let wanted = skipped.saturating_add(query.limit as usize);
    let space = stored_space(connection, &query.space)?.filter(|_| query.limit > 0 && query.offset < total);
    let Some(space) = space else {
        return Ok(VectorSearchResult {
            found: SearchHits { hits: Vec::new(), total },
            ..VectorSearchResult::default()
        });
    };

    let cosines = Cosines::of(&query.vector);
    let (mut way, mut maintenance) = (ComparisonMethod::Few, IndexMaintenance::None);
    let best = if let Some(few) = keys.few(codes.few) {
        let mut best = Best::of(wanted);
        exact::prompts(connection, &space, &few, cosines, &mut best)?;
        best.into_sorted()
    } else {
        let mut by_codes = None;
        if !query.exact && space.vectors >= codes.least {
            let fast = fast::find(connection, codes, &space, &query.vector, &keys, wanted)?;
            (by_codes, maintenance) = (fast.best, fast.maintenance);
        }
        way = if by_codes.is_some() { ComparisonMethod::Codes } else { ComparisonMethod::All };
        match by_codes {
            Some(best) => best,
            None => {
                let mut best = Best::of(wanted);
                exact::scan(connection, &space, 0, cosines, &keys, &mut best)?;
                best.into_sorted()
            }
        }
    };
    let mut id = connection.prepare_cached("SELECT id FROM prompts WHERE key = ?")?;
    let hits = best.into_iter().skip(skipped).map(|scored| {
        let id = id.query_row([scored.key], |row| row.get(0))?;
        Ok(Hit { id: PromptId(uuid::Uuid::from_bytes(id)), score: f64::from(scored.cosine) })
    });
    let hits = hits.collect::<SqliteResult<Vec<Hit>>>()?;
    Ok(VectorSearchResult { found: SearchHits { hits, total }, way, maintenance })
}
