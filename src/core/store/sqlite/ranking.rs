//! Text search: walks every match once, counts those that pass the filter, and keeps the best.
//!
//! The score is BM25 as FTS5's `bm25` computes it
//! (<https://www.sqlite.org/fts5.html#the_bm25_function>), exact up to the order of sums; a
//! property test compares the two. It is faster because text lengths come from [`super::lengths`],
//! a single phrase is counted while it is ranked, and optional phrases are not counted.
//!
//! The filter is applied before scoring. First matches are looked up one by one; with many, all
//! passing keys are read.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection};

use super::failure::SqliteResult;
use super::filter::Query;
use super::lengths::Lengths;
use super::matches::{self, Match};
use super::rows::{Columns, millis_not_before};
use super::terms;
use super::vectors::Keys;
use crate::domain::{Filter, Phase, PromptId};
use crate::store::{Hit, Lexical, SearchHits};

/// Weights of content, original input, tags and notes: what a person wrote about a prompt says more
/// than one of the many words of its text.
pub(super) const WEIGHTS: [f64; 4] = [1.0, 2.0, 4.0, 2.0];

/// Term frequency saturation; as in `bm25`.
const K1: f64 = 1.2;

/// Length normalisation; as in `bm25`.
const B: f64 = 0.75;

/// Weight of a phrase in more than half of all prompts; as in `bm25`.
const LEAST_WEIGHT: f64 = 1e-6;

/// Matches looked up one by one when filtering by tag or run: an index lists the few that pass.
const LOOKED_UP: u32 = 2_000;

/// The same for other filters: most prompts may share a model, and listing them takes longer.
const LOOKED_UP_OF_MANY: u32 = 20_000;

/// The prompts that match and pass the filter, best first; ties put the newest row first.
pub(super) fn search(connection: &Connection, wanted: &Lexical) -> SqliteResult<SearchHits> {
    matches::prepare(connection)?;
    let Some(expression) = terms::expression(connection, &wanted.query)? else { return Ok(SearchHits::default()) };
    let mut walk = Walk {
        passing: Passing::of(connection, &wanted.filter)?,
        lengths: Lengths::of(connection)?,
        formula: None,
        best: Best::of(if wanted.limit == 0 { 0 } else { wanted.offset.saturating_add(wanted.limit.into()) }),
        matched: 0,
        passed: 0,
    };
    matches::each(connection, &expression, &mut |found| walk.take(found))?;
    let Walk { formula, best, matched, passed, .. } = walk;

    let weight = formula.map_or(1.0, |formula| formula.weight_of_one(matched));
    let mut id_of = connection.prepare_cached("SELECT id FROM prompts WHERE key = ?")?;
    let skipped = usize::try_from(wanted.offset).unwrap_or(usize::MAX);
    let hits = best.into_sorted().into_iter().skip(skipped).map(|ranked| {
        let id = id_of.query_row([ranked.key], |row| Ok(Columns::of(row).id()))??;
        Ok(Hit { id: PromptId(id), score: weight * ranked.score })
    });
    Ok(SearchHits { hits: hits.collect::<SqliteResult<Vec<Hit>>>()?, total: passed })
}

/// The state of a walk over the matches.
struct Walk<'connection> {
    passing: Passing<'connection>,
    lengths: Lengths<'connection>,
    /// Computed at the first match.
    formula: Option<Formula>,
    best: Best,
    matched: u64,
    passed: u64,
}

impl Walk<'_> {
    fn take(&mut self, found: &Match<'_>) -> SqliteResult<()> {
        self.matched += 1;
        let key = found.key();
        if !self.passing.pass(key)? {
            return Ok(());
        }
        self.passed += 1;
        if self.best.wanted == 0 {
            return Ok(());
        }
        let length = match self.lengths.get(key)? {
            Some(length) => length,
            None => found.length()?,
        };
        let formula = match &mut self.formula {
            Some(formula) => formula,
            none => none.insert(Formula::of(found)?),
        };
        let score = formula.score(found, length)?;
        self.best.offer(Ranked { score, key });
        Ok(())
    }
}

/// BM25 of one expression.
struct Formula {
    /// Prompts in the index.
    rows: f64,
    /// Average number of terms of a prompt.
    average: f64,
    /// The weight of each phrase, computed when it is first needed.
    weights: Vec<Option<f64>>,
}

impl Formula {
    fn of(found: &Match<'_>) -> SqliteResult<Self> {
        let rows = found.rows()? as f64;
        let weights = match found.phrases() {
            // The same factor for every match, applied once the matches are counted.
            1 => vec![Some(1.0)],
            phrases => vec![None; phrases],
        };
        Ok(Self { rows, average: found.terms()? as f64 / rows, weights })
    }

    fn score(&mut self, found: &Match<'_>, length: u32) -> SqliteResult<f64> {
        let mut score = 0.0;
        let damping = K1 * (1.0 - B + B * f64::from(length) / self.average);
        for (phrase, weight) in self.weights.iter_mut().enumerate() {
            let mut often = 0.0;
            found.places(phrase, |column| often += WEIGHTS.get(column).unwrap_or(&1.0))?;
            if often > 0.0 {
                let weight = match weight {
                    Some(weight) => *weight,
                    none => *none.insert(weight_of(self.rows, found.rows_with(phrase)? as f64)),
                };
                score += weight * ((often * (K1 + 1.0)) / (often + damping));
            }
        }
        Ok(score)
    }

    /// The factor for the scores of a single phrase, now that its matches are counted.
    fn weight_of_one(&self, matched: u64) -> f64 {
        if self.weights.len() == 1 { weight_of(self.rows, matched as f64) } else { 1.0 }
    }
}

/// The inverse document frequency of a phrase that `having` of `rows` prompts have.
fn weight_of(rows: f64, having: f64) -> f64 {
    let weight = ((rows - having + 0.5) / (having + 0.5)).ln();
    if weight <= 0.0 { LEAST_WEIGHT } else { weight }
}

/// A prompt and its score; greater is better.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    score: f64,
    key: i64,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.key.cmp(&other.key))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

/// The best so far.
struct Best {
    wanted: u64,
    /// A heap with the worst on top.
    kept: BinaryHeap<Reverse<Ranked>>,
}

impl Best {
    fn of(wanted: u64) -> Self {
        Self { wanted, kept: BinaryHeap::new() }
    }

    fn offer(&mut self, ranked: Ranked) {
        if (self.kept.len() as u64) < self.wanted {
            self.kept.push(Reverse(ranked));
        } else if let Some(mut worst) = self.kept.peek_mut()
            && worst.0 < ranked
        {
            worst.0 = ranked;
        }
    }

    fn into_sorted(self) -> Vec<Ranked> {
        self.kept.into_sorted_vec().into_iter().map(|Reverse(ranked)| ranked).collect()
    }
}

/// Decides which prompts pass a filter.
struct Passing<'connection> {
    connection: &'connection Connection,
    filter: &'connection Filter,
    way: FilterCheck<'connection>,
}

enum FilterCheck<'connection> {
    /// Looks up each key, `left` more times.
    OneByOne { lookup: CachedStatement<'connection>, left: u32 },
    /// All passing keys, read at once.
    Known(Keys),
}

impl<'connection> Passing<'connection> {
    fn of(connection: &'connection Connection, filter: &'connection Filter) -> SqliteResult<Self> {
        let way = if *filter == Filter::default() {
            FilterCheck::Known(Keys::All)
        } else {
            let Query { sql, values } = lookup(filter);
            let mut lookup = connection.prepare_cached(&sql)?;
            for (place, value) in values.iter().enumerate() {
                lookup.raw_bind_parameter(place + 2, value)?;
            }
            let is_narrow = !filter.tags.is_empty() || filter.session_id.is_some();
            FilterCheck::OneByOne { lookup, left: if is_narrow { LOOKED_UP } else { LOOKED_UP_OF_MANY } }
        };
        Ok(Self { connection, filter, way })
    }

    fn pass(&mut self, key: i64) -> SqliteResult<bool> {
        if let FilterCheck::OneByOne { left: 0, .. } = self.way {
            self.way = FilterCheck::Known(Keys::of(self.connection, self.filter)?);
        }
        match &mut self.way {
            FilterCheck::Known(keys) => Ok(keys.pass(key)),
            FilterCheck::OneByOne { lookup, left } => {
                *left -= 1;
                lookup.raw_bind_parameter(1, key)?;
                Ok(lookup.raw_query().next()?.is_some())
            }
        }
    }
}

/// A query for a key that passes; the key is the first parameter.
fn lookup(filter: &Filter) -> Query {
    let columns = [
        ("phase =", filter.phase.map(|phase| Value::Text(Phase::as_str(phase).to_owned()))),
        ("provider =", filter.provider.clone().map(Value::Text)),
        ("model =", filter.model.clone().map(Value::Text)),
        ("persona =", filter.persona.clone().map(Value::Text)),
        ("session_id =", filter.session_id.map(|session| Value::Blob(session.0.as_bytes().to_vec()))),
        ("created_at >=", filter.since.map(|since| Value::Integer(millis_not_before(since)))),
        ("created_at <", filter.until.map(|until| Value::Integer(millis_not_before(until)))),
    ];
    let (mut of_columns, mut values) = (vec!["p.key = ?1".to_owned()], Vec::new());
    for (comparison, value) in columns {
        if let Some(value) = value {
            values.push(value);
            of_columns.push(format!("p.{comparison} ?{}", values.len() + 1));
        }
    }
    let mut conditions = Vec::new();
    if of_columns.len() > 1 {
        // This index covers every column used.
        let of_columns = of_columns.join(" AND ");
        conditions.push(format!("EXISTS (SELECT 1 FROM prompts p INDEXED BY prompts_by_key WHERE {of_columns})"));
    }
    for tag in &filter.tags {
        values.push(Value::Text(tag.clone()));
        let place = values.len() + 1;
        conditions.push(format!("EXISTS (SELECT 1 FROM tags t WHERE t.prompt = ?1 AND t.tag = ?{place})"));
    }
    Query { sql: format!("SELECT 1 WHERE {}", conditions.join(" AND ")), values }
}

#[cfg(test)]
#[path = "ranking_tests.rs"]
pub(super) mod tests;
