//! Aggregates accounts: the fold behind [`super::MeasureStore`] and the totals of selections.
//!
//! Sums saturate at the maximum of their field when shown. For percentiles each distinct value is
//! stored once with its count: exact, and for milliseconds at most some tens of thousands of
//! entries, however many prompts there are. Pure: no database, no clock.

mod kept;

use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

pub use self::kept::{RunningTotals, TotalsChange};
use super::PromptTotals;
use crate::domain::{ModelMetadata, Prompt, Spread, StatsBy, StatsLine, StatsTotals, Timestamp};
use crate::ledger::Money;

/// The counted fields of a [`ModelMetadata`], read without its texts.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Account {
    input_tokens: u64,
    output_tokens: u64,
    total_tokens: u64,
    cost_usd: Option<f64>,
    latency_ms: u64,
    first_token_ms: Option<u64>,
    calls: u32,
    retries: u32,
    cached: bool,
    fallback_from: Option<IgnoredAny>,
    estimated: bool,
}

impl From<&ModelMetadata> for Account {
    fn from(metadata: &ModelMetadata) -> Self {
        Self {
            input_tokens: metadata.input_tokens,
            output_tokens: metadata.output_tokens,
            total_tokens: metadata.total_tokens,
            cost_usd: metadata.cost_usd,
            latency_ms: metadata.latency_ms,
            first_token_ms: metadata.first_token_ms,
            calls: metadata.calls,
            retries: metadata.retries,
            cached: metadata.cached,
            fallback_from: metadata.fallback_from.as_ref().map(|_| IgnoredAny),
            estimated: metadata.estimated,
        }
    }
}

/// A part of a prompt that has an account: a step, or the whole prompt where it has no steps.
#[derive(Debug, Clone)]
pub struct Part {
    /// Its phase.
    pub phase: String,
    /// Its provider.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// Its account.
    pub account: Account,
    /// False for a whole prompt.
    pub is_step: bool,
}

/// The counted fields of one prompt.
#[derive(Debug, Clone)]
pub struct CountedPrompt<'a> {
    /// The day it was made, UTC.
    pub day: &'a str,
    /// Its persona.
    pub persona: &'a str,
    /// Its tags; can be empty when not grouping by tag.
    pub tags: &'a [String],
    /// Its steps; the prompt itself where it has none.
    pub parts: &'a [Part],
}

/// Running totals, overall and by several keys.
#[derive(Debug)]
pub struct Tallies {
    by: Vec<StatsBy>,
    total: Tally,
    groups: Vec<Group>,
}

impl Tallies {
    /// Creates empty totals.
    pub fn new(by: &[StatsBy]) -> Self {
        Self { by: by.to_vec(), total: Tally::default(), groups: by.iter().map(|_| Group::default()).collect() }
    }

    /// Adds a prompt.
    pub fn add(&mut self, prompt: &CountedPrompt<'_>) {
        self.total.sums.prompts += 1;
        for part in prompt.parts {
            self.total.add(part);
        }
        for (by, group) in self.by.iter().zip(&mut self.groups) {
            match by {
                StatsBy::Day => group.add_whole(prompt.day, prompt.parts),
                StatsBy::Persona => group.add_whole(prompt.persona, prompt.parts),
                StatsBy::Tag if prompt.tags.is_empty() => group.add_whole("", prompt.parts),
                StatsBy::Tag => {
                    for tag in prompt.tags {
                        group.add_whole(tag, prompt.parts);
                    }
                }
                StatsBy::Phase => group.add_parts(prompt.parts, |part| &part.phase),
                StatsBy::Provider => group.add_parts(prompt.parts, |part| &part.provider),
                StatsBy::Model => group.add_parts(prompt.parts, |part| &part.model),
            }
        }
    }

    /// Adds a prompt, reading its accounts.
    pub fn add_prompt(&mut self, prompt: &Prompt) {
        let part = |phase: &str, provider: &str, model: &str, metadata: &ModelMetadata, is_step| Part {
            phase: phase.to_owned(),
            provider: provider.to_owned(),
            model: model.to_owned(),
            account: Account::from(metadata),
            is_step,
        };
        let mut parts: Vec<Part> = prompt
            .steps
            .iter()
            .map(|step| part(step.phase.as_str(), &step.provider, &step.model, &step.model_metadata, true))
            .collect();
        if parts.is_empty() {
            let Prompt { phase, provider, model, model_metadata, .. } = prompt;
            parts.push(part(phase.as_str(), provider, model, model_metadata, false));
        }
        let day = day_of(prompt.created_at);
        let mut tags = prompt.tags.clone();
        tags.sort_unstable();
        tags.dedup();
        self.add(&CountedPrompt { day: &day, persona: &prompt.persona, tags: &tags, parts: &parts });
    }

    /// The overall totals, without a key, then those of each key.
    fn each(&self) -> impl Iterator<Item = (Option<StatsBy>, &str, &Tally)> {
        let groups = self.by.iter().zip(&self.groups).flat_map(|(by, group)| group.each(*by));
        std::iter::once((None, "", &self.total)).chain(groups)
    }

    /// The totals.
    pub fn finish(self) -> PromptTotals {
        PromptTotals { total: self.total.totals(), groups: self.groups.into_iter().map(Group::lines).collect() }
    }
}

/// The day of a moment, UTC: `2026-11-21`.
pub fn day_of(moment: Timestamp) -> String {
    moment.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}

/// Running sums, one per key.
#[derive(Debug, Default)]
struct Group {
    places: HashMap<String, usize, FixedState>,
    tallies: Vec<Tally>,
}

impl Group {
    fn tally(&mut self, key: &str) -> &mut Tally {
        let place = match self.places.get(key) {
            Some(place) => *place,
            None => {
                let place = self.tallies.len();
                self.places.insert(key.to_owned(), place);
                self.tallies.push(Tally::default());
                place
            }
        };
        &mut self.tallies[place]
    }

    fn add_whole(&mut self, key: &str, parts: &[Part]) {
        let tally = self.tally(key);
        tally.sums.prompts += 1;
        for part in parts {
            tally.add(part);
        }
    }

    /// Adds each part to its own key; the prompt counts once per key.
    fn add_parts(&mut self, parts: &[Part], key_of: fn(&Part) -> &str) {
        for (position, part) in parts.iter().enumerate() {
            let key = key_of(part);
            let is_first = parts[..position].iter().all(|earlier| key_of(earlier) != key);
            let tally = self.tally(key);
            tally.sums.prompts += u128::from(is_first);
            tally.add(part);
        }
    }

    fn each(&self, by: StatsBy) -> impl Iterator<Item = (Option<StatsBy>, &str, &Tally)> {
        self.places.iter().map(move |(key, place)| (Some(by), key.as_str(), &self.tallies[*place]))
    }

    fn lines(self) -> Vec<StatsLine> {
        let mut totals: Vec<StatsTotals> = self.tallies.iter().map(Tally::totals).collect();
        let line = |(key, place): (String, usize)| StatsLine { key, totals: std::mem::take(&mut totals[place]) };
        self.places.into_iter().map(line).collect()
    }
}

/// Running sums.
#[derive(Debug, Default)]
struct Tally {
    sums: Sums,
    latency: ValueCounts,
    first_token: ValueCounts,
}

/// The sums. Wide enough never to saturate, so that what was added can be subtracted again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Sums {
    prompts: u128,
    steps: u128,
    calls: u128,
    retries: u128,
    cached: u128,
    fallbacks: u128,
    estimated: u128,
    input_tokens: u128,
    output_tokens: u128,
    total_tokens: u128,
    unpriced: u128,
    /// Billionths of a dollar.
    cost: u128,
    /// Output tokens of the calls that took time.
    timed_output: u128,
}

impl Tally {
    fn add(&mut self, part: &Part) {
        let account = &part.account;
        let sums = &mut self.sums;
        sums.steps += u128::from(part.is_step);
        sums.calls += u128::from(account.calls);
        sums.retries += u128::from(account.retries);
        sums.cached += u128::from(account.cached);
        sums.fallbacks += u128::from(account.fallback_from.is_some());
        sums.estimated += u128::from(account.estimated);
        sums.input_tokens += u128::from(account.input_tokens);
        sums.output_tokens += u128::from(account.output_tokens);
        sums.total_tokens += u128::from(account.total_tokens);
        match account.cost_usd {
            Some(cost) => sums.cost += u128::from(Money::from_dollars_up(cost).nanos()),
            None => sums.unpriced += 1,
        }
        // Without a call there is no latency.
        if account.calls > 0 && !account.cached {
            self.latency.add(account.latency_ms);
            sums.timed_output += u128::from(account.output_tokens);
            if let Some(first_token_ms) = account.first_token_ms {
                self.first_token.add(first_token_ms);
            }
        }
    }

    fn totals(&self) -> StatsTotals {
        self.sums.totals(self.latency.sum(), self.latency.spread(), self.first_token.spread())
    }
}

impl Sums {
    fn totals(&self, waited_ms: f64, latency_ms: Option<Spread>, first_token_ms: Option<Spread>) -> StatsTotals {
        let whole = |sum: u128| u64::try_from(sum).unwrap_or(u64::MAX);
        let cost = Money::from_nanos(whole(self.cost));
        let seconds = waited_ms / 1000.0;
        StatsTotals {
            prompts: whole(self.prompts),
            steps: whole(self.steps),
            calls: whole(self.calls),
            retries: whole(self.retries),
            cached: whole(self.cached),
            fallbacks: whole(self.fallbacks),
            estimated: whole(self.estimated),
            input_tokens: whole(self.input_tokens),
            output_tokens: whole(self.output_tokens),
            total_tokens: whole(self.total_tokens),
            unpriced: whole(self.unpriced),
            cost_usd: (self.unpriced == 0).then(|| cost.dollars()),
            known_cost_usd: cost.dollars(),
            latency_ms,
            first_token_ms,
            output_tokens_per_s: (seconds > 0.0).then(|| self.timed_output as f64 / seconds),
        }
    }
}

/// Distinct whole numbers, each with its count.
#[derive(Debug, Default)]
pub struct ValueCounts {
    counts: HashMap<u64, u64, FixedState>,
}

impl ValueCounts {
    /// Adds a number.
    pub fn add(&mut self, number: u64) {
        *self.counts.entry(number).or_default() += 1;
    }

    fn sum(&self) -> f64 {
        let sum: u128 = self.counts.iter().map(|(number, count)| u128::from(*number) * u128::from(*count)).sum();
        sum as f64
    }

    /// Their distribution; `None` when empty.
    pub fn spread(&self) -> Option<Spread> {
        let mut counts: Vec<(u64, u64)> = self.counts.iter().map(|(number, count)| (*number, *count)).collect();
        counts.sort_unstable();
        spread_of(&counts, self.sum())
    }
}

/// The distribution of numbers, each given with its count, in ascending order; `None` when empty.
/// The `p`th percentile is the number at rank `p`/100 of their count, rounded up, counting from 1.
fn spread_of(counts: &[(u64, u64)], sum: f64) -> Option<Spread> {
    let ((min, _), (max, _)) = (*counts.first()?, *counts.last()?);
    let count: u64 = counts.iter().map(|(_, count)| count).sum();
    let at = |percent: u64| {
        let rank = (u128::from(count) * u128::from(percent)).div_ceil(100);
        let mut seen = 0_u128;
        let found = counts.iter().find(|(_, count)| {
            seen += u128::from(*count);
            seen >= rank
        });
        found.map_or(max, |(number, _)| *number)
    };
    Some(Spread { count, min, p50: at(50), p90: at(90), p95: at(95), p99: at(99), max, mean: sum / count as f64 })
}

#[cfg(test)]
#[path = "tally_tests.rs"]
mod tests;
