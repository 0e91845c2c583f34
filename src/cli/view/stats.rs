//! Totals of the stored prompts: sums, tables with bars for each key, days as sparklines.

use std::fmt::Write as _;

use aludel_core::domain::{Spread, StatsBy, StatsGroup, StatsLine, StatsReport, StatsTotals};
use aludel_core::error::Result;
use aludel_core::text::cell::Cell;
use aludel_core::text::markdown::escaped;
use jiff::civil::Date;

use super::csv::csv_of_rows;
use super::page::{Page, Role};
use super::plot::{bar, sparkline, squeezed};
use super::table::{Column, Table};
use super::words::{cost, count_of, one_line, span, thousands};
use crate::cli::shown::EscapedText;
use crate::cli::view::symbols::{DOT, NONE};

/// Columns of the longest bar.
const BAR: usize = 24;
/// A shorter bar shows too little.
const SHORTEST_BAR: usize = 6;
/// Columns of a sparkline's name.
const NAME: usize = 9;

/// Writes the whole report.
pub(crate) fn stats(page: &mut Page, report: &StatsReport) {
    totals(page, &report.total);
    if !report.groups.is_empty() {
        page.gap();
    }
    stats_groups(page, &report.groups);
}

/// Writes the sums, one line each.
pub(crate) fn totals(page: &mut Page, total: &StatsTotals) {
    for (name, text) in facts(total) {
        page.marked(Role::Faint, &format!("{name:<NAME$}"), &text, NAME + 1);
    }
}

fn facts(total: &StatsTotals) -> Vec<(&'static str, String)> {
    let mut stored = vec![count_of(total.prompts, "prompt"), count_of(total.steps, "step")];
    stored.push(count_of(total.calls, "call"));
    let more = [(total.retries, "retried"), (total.cached, "from the cache"), (total.fallbacks, "by a fallback")];
    stored.extend(
        more.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{} {what}", thousands(count))),
    );
    let estimated = match total.estimated {
        0 => String::new(),
        accounts => format!("{DOT}{} estimated", thousands(accounts)),
    };
    let unpriced = match total.unpriced {
        0 => String::new(),
        accounts => format!("{DOT}{} without a known price", thousands(accounts)),
    };
    let mut facts = vec![
        ("stored", stored.join(DOT.as_str())),
        (
            "tokens",
            format!("{} in{DOT}{} out{estimated}", thousands(total.input_tokens), thousands(total.output_tokens)),
        ),
        ("cost", format!("{}{unpriced}", cost(total.cost_usd, total.known_cost_usd))),
    ];
    facts.extend(total.latency_ms.map(|spread| ("latency", percentiles(&spread))));
    facts.extend(total.first_token_ms.map(|spread| ("first", percentiles(&spread))));
    facts.extend(total.output_tokens_per_s.map(|rate| ("speed", format!("{} tokens out a second", rounded(rate)))));
    facts
}

fn percentiles(spread: &Spread) -> String {
    let Spread { p50, p90, p95, p99, max, .. } = *spread;
    let named = [("p50", p50), ("p90", p90), ("p95", p95), ("p99", p99), ("max", max)];
    named.map(|(name, number)| format!("{name} {}", span(number))).join(DOT.as_str())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate of tokens, not negative")]
fn rounded(rate: f64) -> String {
    if rate < 10.0 { format!("{rate:.1}") } else { thousands(rate.round() as u64) }
}

/// Writes only the groups.
pub(crate) fn stats_groups(page: &mut Page, groups: &[StatsGroup]) {
    for (position, group) in groups.iter().enumerate() {
        if position > 0 {
            page.gap();
        }
        page.rule(&format!("by {}", group.by.as_str()));
        if group.by == StatsBy::Day {
            sparklines(page, &group.lines);
        }
        table(page, group);
        let hidden = group.keys - group.lines.len() as u64;
        if hidden > 0 {
            page.painted(Role::Faint, &format!("and {} more: see them with --limit", thousands(hidden)));
        }
    }
}

fn table(page: &mut Page, group: &StatsGroup) {
    let mut columns = vec![Column::words(group.by.as_str()).painted(Role::Handle)];
    columns.extend(["prompts", "steps", "tokens", "cost", "p50", "p95"].map(Column::numbers));
    let rows: Vec<Vec<String>> = group.lines.iter().map(|line| cells(group.by, line)).collect();
    let mut table = Table::new(columns.clone());
    for row in &rows {
        table.row(row.clone());
    }
    let room = page.width().saturating_sub(table.width() + 2).min(BAR);
    if room >= SHORTEST_BAR {
        let most = group.lines.iter().map(|line| line.totals.total_tokens).max().unwrap_or(0);
        columns.push(Column::words("tokens").painted(Role::Good));
        table = Table::new(columns);
        for (line, mut row) in group.lines.iter().zip(rows) {
            row.push(bar(line.totals.total_tokens as f64, most as f64, room));
            table.row(row);
        }
    }
    table.write(page);
}

fn cells(by: StatsBy, line: &StatsLine) -> Vec<String> {
    let totals = &line.totals;
    let latency =
        |of: fn(&Spread) -> u64| totals.latency_ms.as_ref().map_or_else(|| NONE.to_string(), |it| span(of(it)));
    vec![
        name(by, &line.key),
        thousands(totals.prompts),
        thousands(totals.steps),
        thousands(totals.total_tokens),
        cost(totals.cost_usd, totals.known_cost_usd),
        latency(|spread| spread.p50),
        latency(|spread| spread.p95),
    ]
}

fn name(by: StatsBy, key: &str) -> String {
    match (by, key) {
        (StatsBy::Tag, "") => "(no tag)".to_owned(),
        (_, "") => "(none)".to_owned(),
        _ => one_line(key),
    }
}

/// Writes the days as sparklines, one mark for each day of the calendar.
fn sparklines(page: &mut Page, lines: &[StatsLine]) {
    type Of = fn(&StatsTotals) -> f64;
    let Some(days) = calendar(lines).filter(|days| days.len() > 1) else { return };
    let width = page.width().saturating_sub(NAME + 1).max(SHORTEST_BAR);
    let series: [(&str, Of); 4] = [
        ("prompts", |it| it.prompts as f64),
        ("tokens", |it| it.total_tokens as f64),
        ("cost", |it| it.known_cost_usd),
        ("p95", |it| it.latency_ms.map_or(0.0, |spread| spread.p95 as f64)),
    ];
    let mut each = 1;
    for (name, of) in series {
        let values: Vec<Option<f64>> = days.iter().map(|day| day.map(of)).collect();
        // Zeros are not worth a line; and percentiles cannot be summed.
        let is_flat = values.iter().flatten().all(|value| *value <= 0.0);
        if is_flat || (name == "p95" && values.len() > width) {
            continue;
        }
        let (days_a_mark, marks) = squeezed(&values, width);
        each = days_a_mark;
        let name = page.paint().text(Role::Faint, &format!("{name:<NAME$} "));
        page.line(EscapedText::of_parts([name, page.paint().text(Role::Good, sparkline(&marks).trim_end())]));
    }
    if let (Some(first), Some(last)) = (lines.last(), lines.first()) {
        let each = if each == 1 { "a day".to_owned() } else { format!("{each} days") };
        page.painted(Role::Faint, &format!("{:NAME$} {} to {}, {each} a mark", "", first.key, last.key));
        page.gap();
    }
}

/// Every day from the first to the last, with its totals if any; `None` if a key is not a day.
fn calendar(lines: &[StatsLine]) -> Option<Vec<Option<&StatsTotals>>> {
    let days: Vec<Date> = lines.iter().map(|line| line.key.parse().ok()).collect::<Option<_>>()?;
    let (first, last) = (*days.iter().min()?, *days.iter().max()?);
    let place = |day: Date| usize::try_from((day - first).get_days()).unwrap_or(0);
    let mut calendar = vec![None; place(last) + 1];
    for (line, day) in lines.iter().zip(days) {
        calendar[place(day)] = Some(&line.totals);
    }
    Some(calendar)
}

/// The report as a Markdown document.
pub(crate) fn document_of_stats(report: &StatsReport) -> String {
    let mut text = String::from("# Stored prompts\n\n");
    document_of_totals(&mut text, &report.total);
    document_of_groups(&mut text, &report.groups);
    text
}

/// The sums as a list.
pub(crate) fn document_of_totals(text: &mut String, total: &StatsTotals) {
    for (name, fact) in facts(total) {
        // Writing to memory cannot fail.
        let _ = writeln!(text, "- {name}: {fact}");
    }
}

/// Each group as a table.
pub(crate) fn document_of_groups(text: &mut String, groups: &[StatsGroup]) {
    for group in groups {
        let by = group.by.as_str();
        // Writing to memory cannot fail.
        let _ = writeln!(text, "\n## By {by}\n\n| {by} | prompts | steps | tokens | cost | p50 | p95 |");
        text.push_str("|---|---:|---:|---:|---:|---:|---:|\n");
        for line in &group.lines {
            let cells: Vec<String> = cells(group.by, line).iter().map(|cell| escaped(cell)).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
    }
}

/// The report as CSV: a row for each line of every group; unknown values are empty.
///
/// # Errors
/// `internal` if a row cannot be written.
pub(crate) fn csv_of_stats(report: &StatsReport) -> Result<String> {
    const SPREAD: [&str; 6] = ["p50", "p90", "p95", "p99", "max", "mean"];
    let mut header: Vec<String> = [
        "by",
        "key",
        "prompts",
        "steps",
        "calls",
        "retries",
        "cached",
        "fallbacks",
        "estimated",
        "input_tokens",
        "output_tokens",
        "total_tokens",
        "unpriced",
        "cost_usd",
        "known_cost_usd",
        "output_tokens_per_s",
    ]
    .map(str::to_owned)
    .to_vec();
    for name in ["latency_ms", "first_token_ms"] {
        header.extend(SPREAD.map(|part| format!("{name}_{part}")));
    }
    let lines = report.groups.iter().flat_map(|group| group.lines.iter().map(|line| record(group.by, line)));
    csv_of_rows(header, lines)
}

fn record(by: StatsBy, line: &StatsLine) -> Vec<Cell> {
    let totals = &line.totals;
    let mut cells = vec![Cell::value(by.as_str()), Cell::text(&line.key)];
    let counts = [
        totals.prompts,
        totals.steps,
        totals.calls,
        totals.retries,
        totals.cached,
        totals.fallbacks,
        totals.estimated,
        totals.input_tokens,
        totals.output_tokens,
        totals.total_tokens,
        totals.unpriced,
    ];
    cells.extend(counts.map(Cell::value));
    cells.push(Cell::optional(totals.cost_usd));
    cells.push(Cell::value(totals.known_cost_usd));
    cells.push(Cell::optional(totals.output_tokens_per_s));
    for spread in [totals.latency_ms, totals.first_token_ms] {
        match spread {
            Some(Spread { p50, p90, p95, p99, max, mean, .. }) => {
                cells.extend([p50, p90, p95, p99, max].map(Cell::value));
                cells.push(Cell::value(mean));
            }
            None => cells.extend(std::iter::repeat_n(Cell::optional(None::<u64>), 6)),
        }
    }
    cells
}

#[cfg(test)]
#[path = "stats_tests.rs"]
mod tests;
