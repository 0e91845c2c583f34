//! Totals that are updated as prompts come and go, so that they need not be recounted.
//!
//! Counts, tokens, cost and means are exact. Values for percentiles are stored exactly while there
//! are at most [`MOST_EXACT`] distinct ones, then in ranges, each shown as its middle, within 0.8 %
//! of all in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Sums, Tallies, Tally, ValueCounts, spread_of};
use crate::domain::{Spread, StatsBy, StatsTotals};

/// The number of distinct values up to which each is stored exactly.
const MOST_EXACT: usize = 64;

/// Leading bits that select a number's range: 64 ranges from each power of two to the next.
const BITS: u32 = 6;

/// Whether prompts are added to or removed from totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TotalsChange {
    /// They were added.
    Add,
    /// They were removed.
    Remove,
}

/// Totals that can be updated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunningTotals {
    sums: Sums,
    latency: Histogram,
    first_token: Histogram,
}

impl Tallies {
    /// Applies the tallied change: calls `kept` for the overall totals (no key), then per key.
    ///
    /// # Errors
    /// The first error of `kept`.
    pub fn change_each<E>(
        &self,
        change: TotalsChange,
        mut kept: impl FnMut(Option<StatsBy>, &str, &dyn Fn(&mut RunningTotals)) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each()
            .try_for_each(|(by, key, tally)| kept(by, key, &|kept: &mut RunningTotals| kept.change(change, tally)))
    }
}

impl RunningTotals {
    fn change(&mut self, change: TotalsChange, tally: &Tally) {
        let (own, other) = (self.sums.each_mut(), tally.sums.clone().each_mut().map(|sum| *sum));
        for (own, other) in own.into_iter().zip(other) {
            *own = match change {
                TotalsChange::Add => own.saturating_add(other),
                TotalsChange::Remove => own.saturating_sub(other),
            };
        }
        self.latency.change(change, &tally.latency);
        self.first_token.change(change, &tally.first_token);
    }

    /// True when no prompt is left.
    pub fn is_empty(&self) -> bool {
        self.sums.prompts == 0
    }

    /// The totals as shown.
    pub fn totals(&self) -> StatsTotals {
        self.sums.totals(self.latency.sum as f64, self.latency.spread(), self.first_token.spread())
    }
}

impl Sums {
    fn each_mut(&mut self) -> [&mut u128; 13] {
        let Self {
            prompts,
            steps,
            calls,
            retries,
            cached,
            fallbacks,
            estimated,
            input_tokens,
            output_tokens,
            total_tokens,
            unpriced,
            cost,
            timed_output,
        } = self;
        [
            prompts,
            steps,
            calls,
            retries,
            cached,
            fallbacks,
            estimated,
            input_tokens,
            output_tokens,
            total_tokens,
            unpriced,
            cost,
            timed_output,
        ]
    }
}

/// Whole numbers, or ranges of them, each with its count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Histogram {
    sum: u128,
    /// The numbers, or the middles of ranges.
    counts: BTreeMap<u64, u64>,
    /// True once the keys are ranges; reset when it becomes empty.
    is_coarse: bool,
    /// The exact extremes, where they are known.
    least: Option<u64>,
    most: Option<u64>,
}

impl Histogram {
    fn change(&mut self, change: TotalsChange, numbers: &ValueCounts) {
        for (number, count) in &numbers.counts {
            match change {
                TotalsChange::Add => self.add(*number, *count),
                TotalsChange::Remove => self.remove(*number, *count),
            }
        }
    }

    fn key(&self, number: u64) -> u64 {
        if self.is_coarse { middle(number) } else { number }
    }

    fn add(&mut self, number: u64, count: u64) {
        let key = self.key(number);
        // A number beyond all ranges is an extreme, whatever the extremes were.
        let is_first = self.counts.first_key_value().is_none_or(|(first, _)| key < *first);
        let is_last = self.counts.last_key_value().is_none_or(|(last, _)| key > *last);
        if is_first || self.least.is_some_and(|least| number < least) {
            self.least = Some(number);
        }
        if is_last || self.most.is_some_and(|most| number > most) {
            self.most = Some(number);
        }
        self.sum = self.sum.saturating_add(u128::from(number) * u128::from(count));
        *self.counts.entry(key).or_default() += count;
        if !self.is_coarse && self.counts.len() > MOST_EXACT {
            self.is_coarse = true;
            for (number, count) in std::mem::take(&mut self.counts) {
                *self.counts.entry(middle(number)).or_default() += count;
            }
        }
    }

    fn remove(&mut self, number: u64, count: u64) {
        let key = self.key(number);
        self.sum = self.sum.saturating_sub(u128::from(number) * u128::from(count));
        if let Some(left) = self.counts.get_mut(&key) {
            *left = left.saturating_sub(count);
            if *left == 0 {
                self.counts.remove(&key);
            }
        }
        if self.counts.is_empty() {
            *self = Self::default();
        }
        // There may be another of the same value, so the extreme becomes unknown.
        self.least = self.least.filter(|least| *least != number);
        self.most = self.most.filter(|most| *most != number);
    }

    fn spread(&self) -> Option<Spread> {
        let counts: Vec<(u64, u64)> = self.counts.iter().map(|(number, count)| (*number, *count)).collect();
        let spread = spread_of(&counts, self.sum as f64)?;
        let (min, max) = (self.least.unwrap_or(spread.min), self.most.unwrap_or(spread.max));
        let within = |number: u64| number.clamp(min, max.max(min));
        Some(Spread {
            min,
            p50: within(spread.p50),
            p90: within(spread.p90),
            p95: within(spread.p95),
            p99: within(spread.p99),
            max,
            ..spread
        })
    }
}

/// The middle of the range that a number is in.
fn middle(number: u64) -> u64 {
    let shift = number.checked_ilog2().unwrap_or_default().saturating_sub(BITS);
    let from = number >> shift << shift;
    from + ((1_u64 << shift) >> 1)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::domain::Prompt;
    use crate::store::samples;

    const ALL: [StatsBy; 6] =
        [StatsBy::Day, StatsBy::Phase, StatsBy::Provider, StatsBy::Model, StatsBy::Persona, StatsBy::Tag];

    /// Totals as a backend stores them: serialised, by key.
    #[derive(Default)]
    struct Store(BTreeMap<(String, String), String>);

    impl Store {
        fn change(&mut self, change: TotalsChange, prompts: &[Prompt]) {
            let mut tallies = Tallies::new(&ALL);
            for prompt in prompts {
                tallies.add_prompt(prompt);
            }
            let changed = tallies.change_each(change, |by, key, change| {
                let place = (format!("{by:?}"), key.to_owned());
                let written = self.0.get(&place);
                let mut kept: RunningTotals =
                    written.map_or_else(RunningTotals::default, |kept| serde_json::from_str(kept).unwrap());
                change(&mut kept);
                if kept.is_empty() {
                    self.0.remove(&place);
                } else {
                    self.0.insert(place, serde_json::to_string(&kept).unwrap());
                }
                Ok::<(), ()>(())
            });
            changed.unwrap();
        }

        fn totals(&self) -> BTreeMap<(String, String), StatsTotals> {
            let totals = |kept: &String| serde_json::from_str::<RunningTotals>(kept).unwrap().totals();
            self.0.iter().map(|(place, kept)| (place.clone(), totals(kept))).collect()
        }
    }

    /// The same, recounted.
    fn counted(prompts: &[Prompt]) -> BTreeMap<(String, String), StatsTotals> {
        let mut tallies = Tallies::new(&ALL);
        for prompt in prompts {
            tallies.add_prompt(prompt);
        }
        let measured = tallies.finish();
        let mut all = BTreeMap::new();
        if !prompts.is_empty() {
            all.insert(("None".to_owned(), String::new()), measured.total);
        }
        for (by, group) in ALL.iter().zip(measured.groups) {
            all.extend(group.into_iter().map(|line| ((format!("{:?}", Some(by)), line.key), line.totals)));
        }
        all
    }

    fn assert_near(kept: Option<&Spread>, counted: Option<&Spread>) {
        let (Some(kept), Some(counted)) = (kept, counted) else { return assert_eq!(kept, counted) };
        assert_eq!((kept.count, kept.mean), (counted.count, counted.mean));
        let of = |spread: &Spread| [spread.min, spread.p50, spread.p90, spread.p95, spread.p99, spread.max];
        for (kept, counted) in of(kept).into_iter().zip(of(counted)) {
            assert!(kept.abs_diff(counted) as f64 <= counted as f64 * 0.01, "{kept} for {counted}");
        }
    }

    fn assert_same(kept: &BTreeMap<(String, String), StatsTotals>, counted: &BTreeMap<(String, String), StatsTotals>) {
        assert_eq!(kept.keys().collect::<Vec<_>>(), counted.keys().collect::<Vec<_>>());
        for (place, counted) in counted {
            let kept = &kept[place];
            assert_near(kept.latency_ms.as_ref(), counted.latency_ms.as_ref());
            assert_near(kept.first_token_ms.as_ref(), counted.first_token_ms.as_ref());
            let exact =
                StatsTotals { latency_ms: counted.latency_ms, first_token_ms: counted.first_token_ms, ..kept.clone() };
            assert_eq!(&exact, counted, "{place:?}");
        }
    }

    fn prompt() -> impl Strategy<Value = Prompt> {
        let number = prop_oneof![0..300_u64, 0..100_000_u64, any::<u64>()];
        let cost = prop_oneof![Just(None), Just(Some(0.0)), (0.0..5.0).prop_map(Some), Just(Some(f64::MAX))];
        let tags = vec(select(vec!["a", "b", "c"]), 0..3);
        (any::<u16>(), vec((number.clone(), number, cost, 0..3_u32, any::<bool>()), 1..4), tags).prop_map(
            |(seed, accounts, tags)| {
                let mut prompt = samples::prompt(u32::from(seed));
                prompt.tags = tags.into_iter().map(str::to_owned).collect();
                let (first, rest) = accounts.split_first().unwrap();
                let accounts = std::iter::once(first).chain(rest);
                let metadata = std::iter::once(&mut prompt.model_metadata);
                let metadata = metadata.chain(prompt.steps.iter_mut().map(|step| &mut step.model_metadata));
                for (metadata, (latency, tokens, cost, calls, cached)) in metadata.zip(accounts.cycle()) {
                    metadata.latency_ms = *latency;
                    metadata.first_token_ms = Some(latency / 2);
                    (metadata.input_tokens, metadata.output_tokens) = (*tokens, *latency);
                    metadata.cost_usd = *cost;
                    (metadata.calls, metadata.cached) = (*calls, *cached);
                }
                prompt
            },
        )
    }

    #[test]
    fn a_range_is_told_within_a_hundredth() {
        let numbers = (0..200_000).chain((0..64).flat_map(|bit| [1 << bit, (1 << bit) - 1, u64::MAX >> bit]));
        for number in numbers {
            assert!(middle(number).abs_diff(number) as f64 <= number as f64 / 100.0, "{number}");
        }
    }

    #[test]
    fn few_numbers_are_told_exactly_and_many_by_their_extremes() {
        let mut kept = Histogram::default();
        (0..50).for_each(|number| kept.add(1_001 + number, 1));
        assert_eq!(kept.spread().map(|spread| (spread.min, spread.p50, spread.max)), Some((1_001, 1_025, 1_050)));
        (0..500).for_each(|number| kept.add(2_001 + number, 1));
        assert!(kept.is_coarse);
        assert_eq!(kept.spread().map(|spread| (spread.min, spread.max)), Some((1_001, 2_500)));
        kept.remove(2_500, 1);
        assert_near(kept.spread().as_ref(), Some(&Spread { min: 1_001, max: 2_499, ..kept.spread().unwrap() }));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn kept_totals_are_those_of_a_full_count(
            batches in vec(vec(prompt(), 1..60), 1..6),
            gone in vec(any::<proptest::sample::Index>(), 0..80),
        ) {
            let mut store = Store::default();
            let mut rows = Vec::new();
            for batch in &batches {
                store.change(TotalsChange::Add, batch);
                rows.extend(batch.iter().cloned());
            }
            assert_same(&store.totals(), &counted(&rows));
            for index in gone {
                if !rows.is_empty() {
                    let prompt = rows.swap_remove(index.index(rows.len()));
                    store.change(TotalsChange::Remove, &[prompt]);
                }
            }
            assert_same(&store.totals(), &counted(&rows));
            store.change(TotalsChange::Remove, &rows);
            prop_assert!(store.0.is_empty(), "what is empty leaves nothing behind");
        }
    }
}
