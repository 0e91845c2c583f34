//! Statistics of stored prompts: ordered totals, and measures of single prompts and of a selection.
//!
//! Pure: sums over the store come from [`crate::store::MeasureStore`], text measures from
//! [`crate::text::measure`] (the same as in ranking), and [`crate::engine`] queries the store. An
//! unknown cost is never guessed; it is left out and counted as unknown.

use std::cmp::Reverse;

use unicode_segmentation::UnicodeSegmentation;

use crate::domain::{
    Figure, MetricsReport, MetricsSummary, Phase, Prompt, PromptMetrics, StatsBy, StatsGroup, StatsLine, StepMetrics,
    TextSize, limits,
};
use crate::store::tally::Tallies;
use crate::store::{PromptTotals, Relations};
use crate::text::measure::{Demands, Measure, Reader};
use crate::text::tokens;

/// The groupings of a selection's totals.
const BY: [StatsBy; 3] = [StatsBy::Phase, StatsBy::Provider, StatsBy::Model];

/// Sorts the groups of `measured` and cuts each to `limit` lines, or to its default.
pub fn groups(by: &[StatsBy], measured: Vec<Vec<StatsLine>>, limit: Option<u32>) -> Vec<StatsGroup> {
    let group = |(by, mut lines): (StatsBy, Vec<StatsLine>)| {
        sort(by, &mut lines);
        let keys = lines.len() as u64;
        let usual = if by == StatsBy::Day { limits::DEFAULT_DAYS } else { limits::DEFAULT_LIMIT };
        lines.truncate(limit.unwrap_or(usual) as usize);
        StatsGroup { by, keys, lines }
    };
    by.iter().copied().zip(measured).map(group).collect()
}

fn sort(by: StatsBy, lines: &mut [StatsLine]) {
    match by {
        StatsBy::Day => lines.sort_by(|a, b| b.key.cmp(&a.key)),
        StatsBy::Phase => lines.sort_by_key(|line| Phase::ALL.iter().position(|phase| phase.as_str() == line.key)),
        _ => lines.sort_by(|a, b| {
            let weight = |line: &StatsLine| Reverse((line.totals.total_tokens, line.totals.steps));
            weight(a).cmp(&weight(b)).then_with(|| a.key.cmp(&b.key))
        }),
    }
}

/// Measures these prompts, each with its relations, which are the newest of `matched` prompts.
pub fn metrics(prompts: &[Prompt], relations: Vec<Relations>, matched: u64) -> MetricsReport {
    let mut reader = Reader::new();
    let measured: Vec<PromptMetrics> =
        prompts.iter().zip(relations).map(|(prompt, relations)| of_prompt(prompt, relations, &mut reader)).collect();
    let mut tallies = Tallies::new(&BY);
    for prompt in prompts {
        tallies.add_prompt(prompt);
    }
    let PromptTotals { total, groups: lines } = tallies.finish();
    let summary = MetricsSummary {
        matched,
        measured: measured.len() as u64,
        total,
        groups: groups(&BY, lines, None),
        figures: figures(&measured),
    };
    MetricsReport { prompts: measured, summary }
}

/// Measures one prompt.
pub fn of_prompt(prompt: &Prompt, relations: Relations, reader: &mut Reader) -> PromptMetrics {
    let demands = Demands::of(&prompt.original_input, &prompt.context, 0, reader);
    let written = demands.read(&prompt.content, reader);
    let step =
        |step: &crate::domain::Step| StepMetrics { phase: step.phase, model_metadata: step.model_metadata.clone() };
    PromptMetrics {
        prompt_id: prompt.id,
        session_id: prompt.session_id,
        created_at: prompt.created_at,
        persona: prompt.persona.clone(),
        strategy: prompt.strategy.clone(),
        source: prompt.source,
        steps: prompt.steps.iter().map(step).collect(),
        model_metadata: prompt.model_metadata.clone(),
        content: size(&prompt.content),
        original_input: size(&prompt.original_input),
        measures: Measure::ALL
            .into_iter()
            .filter_map(|measure| Some((measure.as_str().to_owned(), measure.of(&written, &demands)?)))
            .collect(),
        score: prompt.score,
        rank: relations.rank,
        ranked: relations.ranked,
        parent_id: prompt.parent_id,
        children: relations.children,
    }
}

/// Measures the size of a text.
pub fn size(text: &str) -> TextSize {
    TextSize {
        characters: text.chars().count() as u64,
        words: text.unicode_words().count() as u64,
        lines: text.lines().count() as u64,
        tokens: tokens::estimate(text),
    }
}

/// The figures that at least one of the prompts has.
fn figures(prompts: &[PromptMetrics]) -> Vec<Figure> {
    type Of = fn(&PromptMetrics) -> Option<f64>;
    let figures: [(&str, Of); 7] = [
        ("latency_ms", |it| {
            let account = &it.model_metadata;
            (account.calls > 0 && !account.cached).then_some(account.latency_ms as f64)
        }),
        ("total_tokens", |it| Some(it.model_metadata.total_tokens as f64)),
        ("cost_usd", |it| it.model_metadata.cost_usd),
        ("characters", |it| Some(it.content.characters as f64)),
        ("words", |it| Some(it.content.words as f64)),
        ("content_tokens", |it| Some(it.content.tokens as f64)),
        ("score", |it| it.score),
    ];
    let all = figures.into_iter().filter_map(|(name, of)| figure(name, prompts.iter().filter_map(of).collect()));
    let measures = Measure::ALL.into_iter().map(Measure::as_str).filter_map(|name| {
        figure(name, prompts.iter().filter_map(|prompt| prompt.measures.get(name).copied()).collect())
    });
    all.chain(measures).collect()
}

fn figure(name: &str, mut numbers: Vec<f64>) -> Option<Figure> {
    numbers.sort_by(f64::total_cmp);
    let (min, max) = (*numbers.first()?, *numbers.last()?);
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let median = numbers[(numbers.len() - 1) / 2];
    Some(Figure { name: name.to_owned(), count: numbers.len() as u64, min, median, max, mean })
}

#[cfg(test)]
mod tests;
