//! The spending: a line for each day, model, …, the sum, what it leaves out, and the caps in force.

use std::fmt::Write as _;

use aludel_core::domain::{SpendBy, SpendReport, SpendTotals};
use aludel_core::error::Result;
use aludel_core::text::cell::Cell;
use aludel_core::text::markdown::escaped;

use super::csv::csv_of_rows;
use super::page::{Page, Role};
use super::table::{Column, Table};
use super::words::{self, count_of, money, one_line, thousands};

/// Writes the whole report.
pub(crate) fn spend(page: &mut Page, report: &SpendReport) {
    if report.lines.is_empty() {
        page.line("no paid calls yet");
    } else {
        spend_lines(page, report);
    }
    let remarks: Vec<String> = unknowns(&report.total).chain(caps(report)).collect();
    if !remarks.is_empty() {
        page.gap();
        for remark in &remarks {
            page.paragraph(Role::Body, remark, 2);
        }
    }
}

/// Writes only the lines and their sum.
pub(crate) fn spend_lines(page: &mut Page, report: &SpendReport) {
    if report.lines.is_empty() {
        return;
    }
    let mut table = Table::new(vec![
        Column::words(report.by.as_str()).painted(Role::Handle),
        Column::numbers("calls"),
        Column::numbers("tokens in"),
        Column::numbers("tokens out"),
        Column::numbers("cost"),
    ]);
    for (key, totals) in rows(report) {
        let SpendTotals { calls, input_tokens, output_tokens, .. } = totals;
        table.row(vec![key, thousands(calls), thousands(input_tokens), thousands(output_tokens), cost(&totals)]);
    }
    table.write(page);
}

/// The lines and their sum, each with its name.
fn rows(report: &SpendReport) -> impl Iterator<Item = (String, SpendTotals)> + '_ {
    let lines = report.lines.iter().map(|line| (name(report.by, &line.key), line.totals));
    lines.chain([("total".to_owned(), report.total)])
}

fn name(by: SpendBy, key: &str) -> String {
    match (by, key) {
        (SpendBy::Tag, "") => "(no tag)".to_owned(),
        _ => one_line(key),
    }
}

fn cost(totals: &SpendTotals) -> String {
    words::cost(totals.cost_usd, totals.known_cost_usd)
}

/// What the sum leaves out.
fn unknowns(total: &SpendTotals) -> impl Iterator<Item = String> {
    let unpriced = (total.unpriced > 0).then(|| {
        format!("{} went to models whose price is unknown and are not in the total", count_of(total.unpriced, "call"))
    });
    let unseen = (total.unseen > 0).then(|| {
        let calls = count_of(total.unseen, "call");
        let most = money(Some(total.unseen_usd));
        format!("{calls} unconfirmed (cancelled, cut off or in progress): up to {most} more")
    });
    let failed = (total.failed > 0).then(|| {
        format!(
            "{} refused by the provider, free of charge",
            was_or_were(&count_of(total.failed, "call"), total.failed)
        )
    });
    [unpriced, unseen, failed].into_iter().flatten()
}

fn was_or_were(calls: &str, count: u64) -> String {
    format!("{calls} {}", if count == 1 { "was" } else { "were" })
}

/// The caps in force.
fn caps(report: &SpendReport) -> impl Iterator<Item = String> {
    let caps = report.caps;
    let daily = match (caps.daily_budget_usd, caps.left_today_usd) {
        (Some(budget), Some(left)) => format!(
            "daily budget {}: {} used or reserved today (UTC), {} left",
            exactly(budget),
            exactly(caps.used_today_usd),
            exactly(left)
        ),
        _ => "no daily budget is set (`spend.daily_budget_usd`)".to_owned(),
    };
    let preflight =
        caps.preflight_usd.map(|most| format!("a run that may cost more than {} asks first", exactly(most)));
    std::iter::once(daily).chain(preflight)
}

/// Dollars to a hundredth of a cent, the precision of caps.
fn exactly(dollars: f64) -> String {
    if (dollars * 100.0).fract().abs() < 1e-9 { format!("${dollars:.2}") } else { format!("${dollars:.4}") }
}

/// The report as a Markdown document.
pub(crate) fn document_of_spend(report: &SpendReport) -> String {
    let mut text = format!("# Spending by {}\n\n", report.by.as_str());
    // Writing to memory cannot fail.
    let _ =
        writeln!(text, "| {} | calls | tokens in | tokens out | cost |\n|---|---:|---:|---:|---:|", report.by.as_str());
    for (key, totals) in rows(report) {
        let SpendTotals { calls, input_tokens, output_tokens, .. } = totals;
        let (key, cost) = (escaped(&key), cost(&totals));
        let _ = writeln!(text, "| {key} | {calls} | {input_tokens} | {output_tokens} | {cost} |");
    }
    text.push('\n');
    for remark in unknowns(&report.total).chain(caps(report)) {
        let _ = writeln!(text, "- {remark}");
    }
    text
}

/// The report as CSV: a row for each line; an unknown cost is empty.
///
/// # Errors
/// `internal` if a row cannot be written.
pub(crate) fn csv_of_spend(report: &SpendReport) -> Result<String> {
    let numbers = [
        "calls",
        "failed",
        "unseen",
        "unpriced",
        "input_tokens",
        "output_tokens",
        "cost_usd",
        "known_cost_usd",
        "unseen_usd",
    ];
    let rows = report.lines.iter().map(|line| {
        let totals = &line.totals;
        vec![
            Cell::text(&line.key),
            Cell::value(totals.calls),
            Cell::value(totals.failed),
            Cell::value(totals.unseen),
            Cell::value(totals.unpriced),
            Cell::value(totals.input_tokens),
            Cell::value(totals.output_tokens),
            Cell::optional(totals.cost_usd),
            Cell::value(totals.known_cost_usd),
            Cell::value(totals.unseen_usd),
        ]
    });
    csv_of_rows([report.by.as_str()].into_iter().chain(numbers), rows)
}

#[cfg(test)]
mod tests {
    use aludel_core::domain::{SpendCaps, SpendLine};

    use super::*;
    use crate::cli::view::Paint;

    fn report() -> SpendReport {
        let known = SpendTotals {
            calls: 1200,
            failed: 3,
            unseen: 1,
            unpriced: 0,
            input_tokens: 1_234_567,
            output_tokens: 45_678,
            cost_usd: Some(1.25),
            known_cost_usd: 1.25,
            unseen_usd: 0.0042,
        };
        let unknown = SpendTotals { unpriced: 2, cost_usd: None, known_cost_usd: 0.0, unseen: 0, calls: 2, ..known };
        let both = SpendTotals { unpriced: 2, cost_usd: None, calls: 1202, ..known };
        let line = |key: &str, totals| SpendLine { key: key.into(), totals };
        SpendReport {
            by: SpendBy::Tag,
            since: None,
            until: None,
            lines: vec![line("launch", known), line("", unknown)],
            total: both,
            caps: SpendCaps {
                daily_budget_usd: Some(5.0),
                used_today_usd: 1.2542,
                left_today_usd: Some(3.7458),
                preflight_usd: Some(1.0),
            },
        }
    }

    #[test]
    fn a_report_reads_well() {
        let mut page = Page::new(Paint::Plain, 80, false);
        spend(&mut page, &report());
        insta::assert_snapshot!(format!("{}\n=====\n\n{}", &*page.finish(), document_of_spend(&report())));
    }

    #[test]
    fn nothing_spent_is_said_and_the_caps_with_it() {
        let caps = SpendCaps { daily_budget_usd: None, used_today_usd: 0.0, left_today_usd: None, preflight_usd: None };
        let empty = SpendReport { lines: Vec::new(), total: SpendTotals::default(), caps, ..report() };
        let mut page = Page::new(Paint::Plain, 80, false);
        spend(&mut page, &empty);
        let text = String::from(page.finish());
        assert_eq!(text, "no paid calls yet\n\nno daily budget is set (`spend.daily_budget_usd`)\n");
        spend_lines(&mut Page::new(Paint::Plain, 80, false), &empty);
    }

    #[test]
    fn a_spreadsheet_has_a_row_a_line_and_no_cost_where_it_is_unknown() {
        let text = csv_of_spend(&report()).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(
            rows[0],
            "tag,calls,failed,unseen,unpriced,input_tokens,output_tokens,cost_usd,known_cost_usd,unseen_usd"
        );
        assert_eq!(rows[1], "launch,1200,3,1,0,1234567,45678,1.25,1.25,0.0042");
        assert_eq!(rows[2], ",2,3,0,2,1234567,45678,,0,0.0042");
    }
}
