//! Providers and their test results: as tables of at most 80 columns, and as documents.

use std::fmt::Write;

use aludel_core::domain::{
    ProviderCheckName, ProviderCheckStatus, ProviderInfo, ProviderKind, ProviderTest, ProviderTests,
};
use aludel_core::text::markdown::escaped;

use super::frame::Frame;
use super::page::{Page, Role};
use super::table::{Column, Table, cut};
use super::words::{money, one_line, span, thousands};
use crate::cli::shown::EscapedText;
use crate::cli::view::symbols::DOT;
use crate::cli::view::symbols::{BAD, GOOD, NONE, SKIPPED, Symbol};

/// The least width of a terminal on which names share a line.
const WIDE: usize = 60;
/// Columns for the name of a model on a terminal.
const MODEL_WIDTH: usize = 20;
/// Fills an empty cell.
const NOTHING: Symbol = NONE;

/// Writes the providers, a row each, and their models if requested.
pub(crate) fn providers(page: &mut Page, providers: &[ProviderInfo], with_models: bool) {
    let mut table = Table::new(vec![
        Column::words("provider").painted(Role::Handle),
        Column::words("model"),
        Column::words("embeds"),
        Column::words("where, or why not").painted(Role::Faint),
    ])
    .wrapping();
    for provider in providers {
        table.row(vec![
            format!("{} {}", mark(provider.available), name_and_kind(&provider.name, provider.kind)),
            model(page, provider.default_model.as_deref()),
            if provider.supports_embeddings { "yes" } else { "no" }.to_owned(),
            place(provider),
        ]);
    }
    table.write(page);
    for provider in providers.iter().filter(|provider| with_models && provider.available) {
        page.gap();
        page.painted(Role::Heading, &format!("models of {}", provider.name));
        for model in &provider.models {
            page.line(format!("  {}", one_line(model)));
        }
    }
}

/// Providers as a document.
pub(crate) fn document_of_providers(providers: &[ProviderInfo], with_models: bool) -> String {
    let mut text = String::from(
        "| provider | kind | available | model | embeds | where, or why not |\n|---|---|---|---|---|---|\n",
    );
    for provider in providers {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            escaped(&provider.name),
            provider.kind,
            if provider.available { "yes" } else { "no" },
            escaped(provider.default_model.as_deref().unwrap_or(NOTHING.as_str())),
            if provider.supports_embeddings { "yes" } else { "no" },
            escaped(&place(provider))
        );
    }
    for provider in providers.iter().filter(|provider| with_models && provider.available) {
        let _ = writeln!(text, "\n## Models of {}\n", escaped(&provider.name));
        for model in &provider.models {
            let _ = writeln!(text, "- {}", escaped(&one_line(model)));
        }
    }
    text
}

fn mark(is_good: bool) -> &'static str {
    if is_good { GOOD.as_str() } else { BAD.as_str() }
}

fn name_and_kind(name: &str, kind: ProviderKind) -> String {
    if name == kind.as_str() { name.to_owned() } else { format!("{name} ({kind})") }
}

fn model(page: &Page, model: Option<&str>) -> String {
    let model = one_line(model.unwrap_or(NOTHING.as_str()));
    // Rows that are split into lines have room for all of it.
    if page.is_terminal() && page.width() >= WIDE { cut(&model, MODEL_WIDTH) } else { model }
}

/// The address of a provider, or why it cannot be used.
fn place(provider: &ProviderInfo) -> String {
    match (&provider.reason, &provider.base_url) {
        (Some(reason), _) => one_line(reason),
        (None, Some(url)) => one_line(url),
        (None, None) if provider.kind == ProviderKind::Sim => "runs a script".to_owned(),
        (None, None) => "inside this program".to_owned(),
    }
}

/// Writes the test results: a row for each tested provider, then the faults and what was left out.
pub(crate) fn provider_tests(page: &mut Page, tests: &ProviderTests) {
    let (tested, left_out): (Vec<_>, Vec<_>) = tests.providers.iter().partition(|test| test.tested);
    let mut table = Table::new(vec![
        Column::words("provider").painted(Role::Handle),
        Column::words("model"),
        Column::numbers("first"),
        Column::numbers("total"),
        Column::numbers("tokens"),
        Column::numbers("cost"),
        Column::words("result"),
    ]);
    for test in &tested {
        table.row(vec![
            format!("{} {}", mark(test.ok), test.name),
            model(page, test.model.as_deref()),
            milliseconds(test.first_token_ms),
            milliseconds(test.latency_ms),
            test.total_tokens.map_or_else(|| NOTHING.to_string(), thousands),
            cost(test),
            result(test),
        ]);
    }
    if !tested.is_empty() {
        table.write(page);
        page.gap();
    }
    for test in &tested {
        if let Some(failure) = test.failure() {
            let said = format!("{}: {}: {}", test.name, failure.name.as_str(), one_line(&failure.detail));
            page.marked(Role::Bad, BAD.as_str(), &said, 4);
        }
        for warning in &test.warnings {
            page.marked(Role::Warning, "!", &format!("{}: {}", test.name, one_line(warning)), 4);
        }
    }
    if has_remarks(&tested) {
        page.gap();
    }
    if !left_out.is_empty() {
        page.painted(Role::Faint, "not set up, skipped:");
        let widest = left_out.iter().map(|test| test.name.chars().count()).max().unwrap_or(0);
        for test in &left_out {
            page.paragraph(Role::Body, &format!("  {:widest$}  {}", test.name, why_left_out(test)), widest + 4);
        }
        page.gap();
    }
    let failed = tested.iter().filter(|test| !test.ok).count();
    match (tested.len(), failed) {
        (0, _) => page.painted(Role::Warning, "there is nothing to test"),
        (1, 0) => page.painted(Role::Good, "it works"),
        (all, 0) => page.painted(Role::Good, &format!("all {all} work")),
        (1, _) => page.painted(Role::Bad, "the test failed"),
        (all, failed) => page.painted(Role::Bad, &format!("{failed} of {all} failed")),
    }
}

/// True if the table is followed by remarks.
fn has_remarks(tested: &[&ProviderTest]) -> bool {
    tested.iter().any(|test| test.failure().is_some() || !test.warnings.is_empty())
}

fn milliseconds(measured: Option<u64>) -> String {
    measured.map_or_else(|| NOTHING.to_string(), span)
}

fn cost(test: &ProviderTest) -> String {
    match test.cost_usd {
        None if test.ok => "unknown".to_owned(),
        None => NOTHING.to_string(),
        cost => money(cost).replace("under ", "<"),
    }
}

/// The result of a test in a word or two.
fn result(test: &ProviderTest) -> String {
    let embeds = test.check(ProviderCheckName::Embeddings).is_some_and(|it| it.status == ProviderCheckStatus::Ok);
    match test.failure() {
        Some(failure) => format!("fails: {}", failure.name.as_str()),
        None if embeds => "works, embeds".to_owned(),
        None => "works".to_owned(),
    }
}

/// The reason given by the check of the key.
fn why_left_out(test: &ProviderTest) -> String {
    test.check(ProviderCheckName::Key).map_or_else(String::new, |check| one_line(&check.detail))
}

/// The test results as a document.
pub(crate) fn document_of_provider_tests(tests: &ProviderTests) -> String {
    let titles = ProviderCheckName::ALL.map(ProviderCheckName::as_str).join(" | ");
    let mut text =
        format!("| provider | model | first | total | tokens | cost | {titles} |\n|---|---|---:|---:|---:|---:|");
    let _ = writeln!(text, "{}", "---|".repeat(ProviderCheckName::ALL.len()));
    for test in &tests.providers {
        let marks: Vec<&str> = test.checks.iter().map(|check| letter(check.status)).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            escaped(&test.name),
            escaped(&one_line(test.model.as_deref().unwrap_or(NOTHING.as_str()))),
            milliseconds(test.first_token_ms),
            milliseconds(test.latency_ms),
            test.total_tokens.map_or_else(|| NOTHING.to_string(), thousands),
            cost(test),
            marks.join(" | ")
        );
    }
    let failures = tests.providers.iter().filter_map(|test| test.failure().map(|failure| (test, failure)));
    let failures =
        failures.map(|(test, failure)| format!("{}: {}: {}", test.name, failure.name.as_str(), failure.detail));
    let left_out = tests.providers.iter().filter(|test| !test.tested);
    let left_out = left_out.map(|test| format!("{}: not tested: {}", test.name, why_left_out(test)));
    let warnings =
        tests.providers.iter().flat_map(|test| test.warnings.iter().map(move |it| format!("{}: {it}", test.name)));
    let remarks: Vec<String> = failures.chain(warnings).chain(left_out).collect();
    if !remarks.is_empty() {
        text.push('\n');
    }
    for remark in remarks {
        let _ = writeln!(text, "- {}", escaped(&one_line(&remark)));
    }
    text
}

fn letter(status: ProviderCheckStatus) -> &'static str {
    match status {
        ProviderCheckStatus::Ok => GOOD.as_str(),
        ProviderCheckStatus::Failed => BAD.as_str(),
        ProviderCheckStatus::Skipped => SKIPPED.as_str(),
    }
}

/// The providers that have answered so far, as lines for a terminal.
pub(crate) fn provider_test_progress(known: &[ProviderTest], frame: &Frame) -> Vec<EscapedText> {
    let paint = |role, text: &str| frame.paint.text(role, text);
    let tested = known.iter().filter(|test| test.tested);
    let mut lines: Vec<EscapedText> = tested
        .map(|test| {
            let (role, took) = if test.ok { (Role::Good, test.latency_ms) } else { (Role::Bad, None) };
            let remark = took.map_or_else(|| result(test), span);
            let line = cut(&format!("{} {}  {}", mark(test.ok), one_line(&test.name), one_line(&remark)), frame.width);
            paint(role, &line)
        })
        .collect();
    lines.push(paint(Role::Faint, &format!("{} waiting for answers{DOT}{}", frame.spinner, span(frame.elapsed_ms))));
    lines
}
