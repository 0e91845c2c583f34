//! Tests of the totals on terminals of several widths, and elsewhere.

use textwrap::core::display_width;

use super::*;
use crate::cli::view::Paint;

pub(in crate::cli::view) fn totals_of(prompts: u64, tokens: u64, cost_usd: Option<f64>, latency: u64) -> StatsTotals {
    let spread = |p50: u64| Spread {
        count: prompts * 3,
        min: p50 / 4,
        p50,
        p90: p50 * 2,
        p95: p50 * 3,
        p99: p50 * 4,
        max: p50 * 5,
        mean: p50 as f64 * 1.25,
    };
    StatsTotals {
        prompts,
        steps: prompts * 3,
        calls: prompts * 3,
        input_tokens: tokens / 3,
        output_tokens: tokens - tokens / 3,
        total_tokens: tokens,
        unpriced: u64::from(cost_usd.is_none()),
        cost_usd,
        known_cost_usd: cost_usd.unwrap_or(0.5),
        latency_ms: (latency > 0).then(|| spread(latency)),
        first_token_ms: (latency > 0).then(|| spread(latency / 10)),
        output_tokens_per_s: (latency > 0).then_some(61.84),
        ..StatsTotals::default()
    }
}

fn line(key: &str, totals: StatsTotals) -> StatsLine {
    StatsLine { key: key.into(), totals }
}

fn report() -> StatsReport {
    let days = vec![
        line("2026-11-21", totals_of(4, 12_000, Some(0.25), 1200)),
        line("2026-11-20", totals_of(1, 900, Some(0.0042), 300)),
        line("2026-11-17", totals_of(12, 34_567, None, 2400)),
    ];
    let phases = vec![
        line("prima-materia", totals_of(17, 9_000, Some(0.1), 800)),
        line("coagulatio", totals_of(17, 38_467, None, 2600)),
    ];
    let tags = vec![line("launch", totals_of(9, 40_000, Some(1.25), 0)), line("", totals_of(8, 20, Some(0.0), 1))];
    let total = StatsTotals { retries: 3, cached: 1234, estimated: 2, ..totals_of(17, 47_467, None, 1900) };
    let group = |by, keys, lines| StatsGroup { by, keys, lines };
    StatsReport {
        since: None,
        until: None,
        total,
        groups: vec![group(StatsBy::Day, 3, days), group(StatsBy::Phase, 2, phases), group(StatsBy::Tag, 14, tags)],
    }
}

fn shown(width: usize, is_terminal: bool) -> String {
    let mut page = Page::new(Paint::Plain, width, is_terminal);
    stats(&mut page, &report());
    page.finish().into()
}

#[test]
fn totals_read_well() {
    insta::assert_snapshot!(format!("{}\n=====\n\n{}", shown(80, true), document_of_stats(&report())));
}

#[test]
fn no_line_is_wider_than_the_terminal_and_bars_go_first() {
    for width in [72, 80, 100, 200] {
        for line in shown(width, true).lines() {
            assert!(display_width(line) <= width, "{width}: {line}");
        }
    }
    assert!(shown(80, true).contains("██") && !shown(40, true).contains("██"));
}

#[test]
fn colours_are_for_terminals() {
    let mut page = Page::new(Paint::Colour, 80, true);
    stats(&mut page, &report());
    assert!(page.finish().contains('\u{1b}'));
    assert!(!shown(80, false).contains('\u{1b}'));
}

#[test]
fn a_long_time_is_squeezed_into_the_line() {
    let days = vec![
        line("2026-11-21", totals_of(4, 12_000, Some(0.0), 0)),
        line("2025-01-01", totals_of(8, 900, Some(0.0), 0)),
    ];
    let mut page = Page::new(Paint::Plain, 80, true);
    stats_groups(&mut page, &[StatsGroup { by: StatsBy::Day, keys: 2, lines: days }]);
    let text = String::from(page.finish());
    assert!(text.contains("2025-01-01 to 2026-11-21, 10 days a mark"), "{text}");
    assert!(text.lines().all(|line| display_width(line) <= 80), "{text}");
    assert!(!text.contains("cost      ▁"), "what is free has no plot: {text}");
}

#[test]
fn keys_that_are_no_days_are_not_drawn() {
    let lines = vec![line("yesterday", totals_of(1, 2, None, 3)), line("2026-11-21", totals_of(1, 2, None, 3))];
    assert!(calendar(&lines).is_none());
    assert!(calendar(&[]).is_none());
}

#[test]
fn a_spreadsheet_has_a_row_a_line_and_nothing_where_nothing_is_known() {
    let text = csv_of_stats(&report()).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.unwrap()).collect();
    let cell = |row: usize, name: &str| rows[row][header.iter().position(|it| it == name).unwrap()].to_owned();
    assert_eq!(rows.len(), 7);
    assert_eq!([cell(0, "by"), cell(0, "key"), cell(0, "latency_ms_p95")], ["day", "2026-11-21", "3600"]);
    assert_eq!([cell(2, "cost_usd"), cell(2, "known_cost_usd"), cell(2, "unpriced")], ["", "0.5", "1"]);
    assert_eq!([cell(5, "by"), cell(5, "latency_ms_p50"), cell(5, "first_token_ms_mean")], ["tag", "", ""]);
}
