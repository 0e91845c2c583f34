//! Reciprocal rank fusion of two rankings.
//!
//! A prompt's score is the sum, over the lists it is in, of 1 / (60 + its rank there), ranks from 1
//! (Cormack, Clarke, Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank
//! learning methods", SIGIR 2009, with k = 60). Only ranks count: the scores of the lists need no
//! common scale.
//!
//! The order is total: ties are broken by the better single rank, then words before meaning, then
//! the newer id. Pages are consistent as long as they come from lists of one depth ([`depth`]).

use std::collections::HashMap;

use super::shown::Row;
use crate::domain::{MatchKind, PromptId};
use crate::store::Hit;

/// The formula, for users.
pub const FORMULA: &str =
    "the sum, over the lists it stands in (by words, by meaning), of 1 / (60 + its rank there), ranks from 1";

/// The k of the formula: dampens the weight of the first ranks.
const K: f64 = 60.0;

/// The minimum depth of a list.
const LEAST_DEPTH: u64 = 256;

/// How many hits of each list to fuse for a page: a power of two and at least four times the page's
/// reach, so that neighbouring pages come from the same lists.
pub(super) fn depth(offset: u64, limit: u32) -> u32 {
    let reach = offset.saturating_add(u64::from(limit)).saturating_mul(4).max(LEAST_DEPTH);
    reach.checked_next_power_of_two().and_then(|depth| u32::try_from(depth).ok()).unwrap_or(u32::MAX)
}

/// A prompt's ranks in the two lists.
#[derive(Debug, Clone, Copy, Default)]
struct Ranks {
    by_words: Option<usize>,
    by_meaning: Option<usize>,
}

impl Ranks {
    fn score(self) -> f64 {
        [self.by_words, self.by_meaning].into_iter().flatten().map(|rank| 1.0 / (K + rank as f64)).sum()
    }

    fn best(self) -> usize {
        self.by_words.unwrap_or(usize::MAX).min(self.by_meaning.unwrap_or(usize::MAX))
    }

    fn kind(self) -> MatchKind {
        match (self.by_words, self.by_meaning) {
            (Some(_), Some(_)) => MatchKind::Hybrid,
            (Some(_), None) => MatchKind::Text,
            (None, _) => MatchKind::Semantic,
        }
    }
}

/// Fuses two lists, each best first and without duplicates.
pub(super) fn fuse(by_words: &[Hit], by_meaning: &[Hit]) -> Vec<Row> {
    let mut ranks: HashMap<PromptId, Ranks> = HashMap::with_capacity(by_words.len() + by_meaning.len());
    for (place, hit) in by_words.iter().enumerate() {
        ranks.entry(hit.id).or_default().by_words = Some(place + 1);
    }
    for (place, hit) in by_meaning.iter().enumerate() {
        ranks.entry(hit.id).or_default().by_meaning = Some(place + 1);
    }
    let mut fused: Vec<(PromptId, Ranks)> = ranks.into_iter().collect();
    fused.sort_by(|(a_id, a), (b_id, b)| {
        let words = |ranks: &Ranks| ranks.by_words.unwrap_or(usize::MAX);
        b.score()
            .total_cmp(&a.score())
            .then_with(|| a.best().cmp(&b.best()))
            .then_with(|| words(a).cmp(&words(b)))
            .then_with(|| b_id.cmp(a_id))
    });
    fused.into_iter().map(|(id, ranks)| Row { id, score: ranks.score(), kind: ranks.kind(), is_far: false }).collect()
}

/// Merges several similarity rankings, with each prompt's best score; the newer id breaks ties.
pub(super) fn nearest_of(hits: impl Iterator<Item = Hit>) -> Vec<Hit> {
    let mut nearest: HashMap<PromptId, f64> = HashMap::new();
    for hit in hits {
        nearest.entry(hit.id).and_modify(|score| *score = score.max(hit.score)).or_insert(hit.score);
    }
    let mut all: Vec<Hit> = nearest.into_iter().map(|(id, score)| Hit { id, score }).collect();
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.id.cmp(&a.id)));
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn hits(ids: &[u128]) -> Vec<Hit> {
        ids.iter().map(|id| Hit { id: PromptId(Uuid::from_u128(*id)), score: 1.0 }).collect()
    }

    fn order(rows: &[Row]) -> Vec<(u128, MatchKind)> {
        rows.iter().map(|row| (row.id.0.as_u128(), row.kind)).collect()
    }

    #[test]
    fn what_both_find_comes_before_what_one_finds() {
        let rows = fuse(&hits(&[1, 2, 3]), &hits(&[4, 3, 5]));
        let expected = [
            (3, MatchKind::Hybrid),
            (1, MatchKind::Text),
            (4, MatchKind::Semantic),
            (2, MatchKind::Text),
            (5, MatchKind::Semantic),
        ];
        assert_eq!(order(&rows), expected);
        assert!((rows[0].score - (1.0 / 63.0 + 1.0 / 62.0)).abs() < 1e-12);
        assert!((rows[1].score - 1.0 / 61.0).abs() < 1e-12);
    }

    #[test]
    fn an_empty_list_leaves_the_other_as_it_is() {
        assert_eq!(order(&fuse(&[], &hits(&[7, 8]))), [(7, MatchKind::Semantic), (8, MatchKind::Semantic)]);
        assert_eq!(order(&fuse(&hits(&[7, 8]), &[])), [(7, MatchKind::Text), (8, MatchKind::Text)]);
    }

    #[test]
    fn pages_are_cut_from_lists_of_one_depth() {
        assert_eq!([depth(0, 10), depth(50, 10), depth(60, 10), depth(0, 1000)], [256, 256, 512, 4096]);
        assert_eq!(depth(u64::MAX, 1000), u32::MAX);
    }

    #[test]
    fn the_nearest_part_counts() {
        let id = |id: u128| PromptId(Uuid::from_u128(id));
        let hit = |number, score| Hit { id: id(number), score };
        let merged = nearest_of([hit(1, 0.2), hit(2, 0.5), hit(1, 0.9), hit(3, 0.5)].into_iter());
        assert_eq!(merged, [hit(1, 0.9), hit(3, 0.5), hit(2, 0.5)]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn fusing_keeps_every_prompt_once_and_never_depends_on_chance(
            a in proptest::collection::hash_set(0_u128..40, 0..30), b in proptest::collection::hash_set(0_u128..40, 0..30)
        ) {
            let (a, b): (Vec<u128>, Vec<u128>) = (a.into_iter().collect(), b.into_iter().collect());
            let rows = fuse(&hits(&a), &hits(&b));
            prop_assert_eq!(order(&rows), order(&fuse(&hits(&a), &hits(&b))));
            let mut ids: Vec<u128> = rows.iter().map(|row| row.id.0.as_u128()).collect();
            prop_assert!(rows.is_sorted_by(|x, y| x.score >= y.score));
            ids.sort_unstable();
            let mut all: Vec<u128> = a.iter().chain(&b).copied().collect();
            all.sort_unstable();
            all.dedup();
            prop_assert_eq!(ids, all);
        }
    }
}
