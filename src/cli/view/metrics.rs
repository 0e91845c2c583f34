//! Measurements of prompts: one in depth, or several and how they differ.

use std::fmt::Write as _;

use aludel_core::domain::{
    Figure, MetricsReport, MetricsSummary, ModelMetadata, PromptMetrics, TextSize, write_moment,
};
use aludel_core::error::Result;
use aludel_core::text::cell::Cell;
use aludel_core::text::markdown::escaped;

use super::csv::csv_of_rows;
use super::page::{Page, Role};
use super::plot::bar;
use super::prompt::{account, by, write_facts};
use super::stats::{document_of_groups, document_of_totals, stats_groups, totals};
use super::table::{Column, Table};
use super::words::{cost, count_of, money, one_line, span, thousands};
use crate::cli::view::symbols::NONE;

/// Columns of a measure's bar.
const BAR: usize = 24;

/// Writes the report: one prompt in depth, or several together.
pub(crate) fn metrics(page: &mut Page, report: &MetricsReport) {
    if let [one] = report.prompts.as_slice() {
        return prompt(page, one);
    }
    page.line(measured(&report.summary));
    totals(page, &report.summary.total);
    page.gap();
    stats_groups(page, &report.summary.groups);
    page.gap();
    page.rule("how they differ");
    figures_table(&report.summary.figures).write(page);
    page.gap();
    page.rule("each");
    prompts_table(&report.prompts).write(page);
}

fn measured(summary: &MetricsSummary) -> String {
    let measured = count_of(summary.measured, "prompt");
    if summary.measured == summary.matched {
        format!("{measured} measured")
    } else {
        format!("{measured} measured, the newest of {}: --limit raises that", thousands(summary.matched))
    }
}

fn prompt(page: &mut Page, prompt: &PromptMetrics) {
    page.rule(&format!("prompt {}", prompt.prompt_id.short()));
    write_facts(page, &facts(prompt));
    page.gap();
    steps_table(prompt).write(page);
    page.gap();
    sizes_table(prompt).write(page);
    page.gap();
    measures_table(prompt, page.width()).write(page);
}

fn facts(prompt: &PromptMetrics) -> [(&'static str, String); 10] {
    let children: Vec<String> = prompt.children.iter().map(ToString::to_string).collect();
    [
        ("id", prompt.prompt_id.to_string()),
        ("run", prompt.session_id.to_string()),
        ("rank", rank(prompt)),
        ("strategy", prompt.strategy.clone()),
        ("persona", prompt.persona.clone()),
        ("source", prompt.source.as_str().to_owned()),
        ("parent", prompt.parent_id.map(|id| id.to_string()).unwrap_or_default()),
        ("children", children.join(", ")),
        ("made", write_moment(prompt.created_at)),
        ("took", account(&prompt.model_metadata)),
    ]
}

fn rank(prompt: &PromptMetrics) -> String {
    match (prompt.rank, prompt.score) {
        (Some(rank), Some(score)) => format!("{rank} of {} in its run, score {score:.2}", prompt.ranked),
        (_, Some(score)) => format!("score {score:.2}"),
        _ => "unranked".to_owned(),
    }
}

fn steps_table(prompt: &PromptMetrics) -> Table {
    let mut table = Table::new(vec![
        Column::words("phase").painted(Role::Handle),
        Column::numbers("in"),
        Column::numbers("out"),
        Column::numbers("cost"),
        Column::numbers("latency"),
        Column::numbers("first"),
        Column::words("by"),
    ])
    .wrapping();
    for step in &prompt.steps {
        table.row(step_cells(step.phase.as_str(), &step.model_metadata));
    }
    if prompt.steps.len() != 1 {
        table.row(step_cells("all", &prompt.model_metadata));
    }
    table
}

fn step_cells(phase: &str, metadata: &ModelMetadata) -> Vec<String> {
    let mut who = one_line(&by(&metadata.provider, &metadata.model));
    if metadata.retries > 0 {
        let _ = write!(who, ", {} retried", metadata.retries);
    }
    if metadata.cached {
        who.push_str(", from the cache");
    }
    if let Some(provider) = &metadata.fallback_from {
        let _ = write!(who, ", in place of {provider}");
    }
    let about = if metadata.estimated { "~" } else { "" };
    vec![
        phase.to_owned(),
        format!("{about}{}", thousands(metadata.input_tokens)),
        format!("{about}{}", thousands(metadata.output_tokens)),
        price(metadata.cost_usd),
        span(metadata.latency_ms),
        metadata.first_token_ms.map_or_else(|| NONE.to_string(), span),
        who,
    ]
}

/// A cost, in a column whose title says so.
fn price(cost_usd: Option<f64>) -> String {
    cost(cost_usd, 0.0)
}

fn sizes_table(prompt: &PromptMetrics) -> Table {
    let mut columns = vec![Column::words("text")];
    columns.extend(["characters", "words", "lines", "~tokens"].map(Column::numbers));
    let mut table = Table::new(columns);
    for (name, size) in [("input", &prompt.original_input), ("prompt", &prompt.content)] {
        table.row(std::iter::once(name.to_owned()).chain(sizes(size)).collect());
    }
    table
}

fn sizes(size: &TextSize) -> [String; 4] {
    [size.characters, size.words, size.lines, size.tokens].map(thousands)
}

/// The measures, each with a bar in the remaining columns.
fn measures_table(prompt: &PromptMetrics, width: usize) -> Table {
    const NUMBERS: usize = 10;
    let names = prompt.measures.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    let room = width.saturating_sub(names + NUMBERS);
    let columns = vec![Column::words("measure"), Column::numbers("0 to 1"), Column::words("").painted(Role::Good)];
    let mut table = Table::new(columns);
    for (name, value) in &prompt.measures {
        table.row(vec![name.clone(), format!("{value:.2}"), bar(*value, 1.0, room.min(BAR))]);
    }
    table
}

fn figures_table(figures: &[Figure]) -> Table {
    let mut columns = vec![Column::words("figure")];
    columns.extend(["prompts", "least", "median", "mean", "most"].map(Column::numbers));
    let mut table = Table::new(columns);
    for figure in figures {
        table.row(figure_cells(figure));
    }
    table
}

fn figure_cells(figure: &Figure) -> Vec<String> {
    let numbers = [figure.min, figure.median, figure.mean, figure.max].map(|number| number_of(&figure.name, number));
    let (name, _) = figure.name.split_once("_ms").or(figure.name.split_once("_usd")).unwrap_or((&figure.name, ""));
    [name.replace('_', " "), thousands(figure.count)].into_iter().chain(numbers).collect()
}

/// A number with the unit of its figure.
fn number_of(figure: &str, number: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts and times, not negative")]
    let whole = number.round().max(0.0) as u64;
    match figure {
        "latency_ms" => span(whole),
        "cost_usd" => money(Some(number)),
        "total_tokens" | "characters" | "words" | "content_tokens" => thousands(whole),
        _ => format!("{number:.2}"),
    }
}

fn prompts_table(prompts: &[PromptMetrics]) -> Table {
    let mut columns = vec![Column::words("id").painted(Role::Handle)];
    columns.extend(["score", "rank", "tokens", "cost", "latency", "words"].map(Column::numbers));
    let mut table = Table::new(columns);
    for prompt in prompts {
        table.row(prompt_cells(prompt));
    }
    table
}

fn prompt_cells(prompt: &PromptMetrics) -> Vec<String> {
    let metadata = &prompt.model_metadata;
    let none = || NONE.to_string();
    vec![
        prompt.prompt_id.short(),
        prompt.score.map_or_else(none, |score| format!("{score:.2}")),
        prompt.rank.map_or_else(none, |rank| format!("{rank}/{}", prompt.ranked)),
        thousands(metadata.total_tokens),
        price(metadata.cost_usd),
        span(metadata.latency_ms),
        thousands(prompt.content.words),
    ]
}

/// The report as a Markdown document.
pub(crate) fn document_of_metrics(report: &MetricsReport) -> String {
    if let [one] = report.prompts.as_slice() {
        let mut text = format!("# Metrics of prompt `{}`\n\n", one.prompt_id.short());
        for (name, fact) in facts(one).iter().filter(|(_, fact)| !fact.is_empty()) {
            // Writing to memory cannot fail.
            let _ = writeln!(text, "- {name}: {}", escaped(fact));
        }
        for table in [steps_table(one), sizes_table(one), measures_of_document(one)] {
            text.push('\n');
            text.push_str(&table.document());
        }
        return text;
    }
    let mut text = format!("# Metrics of {}\n\n", count_of(report.summary.measured, "prompt"));
    document_of_totals(&mut text, &report.summary.total);
    document_of_groups(&mut text, &report.summary.groups);
    for (title, table) in
        [("How they differ", figures_table(&report.summary.figures)), ("Each", prompts_table(&report.prompts))]
    {
        let _ = write!(text, "\n## {title}\n\n{}", table.document());
    }
    text
}

/// The measures without bars.
fn measures_of_document(prompt: &PromptMetrics) -> Table {
    let mut table = Table::new(vec![Column::words("measure"), Column::numbers("0 to 1")]);
    for (name, value) in &prompt.measures {
        table.row(vec![name.clone(), format!("{value:.2}")]);
    }
    table
}

/// The report as CSV: a row for each prompt; unknown values are empty.
///
/// # Errors
/// `internal` if a row cannot be written.
pub(crate) fn csv_of_metrics(report: &MetricsReport) -> Result<String> {
    const MEASURES: [&str; 4] = ["coverage", "structure", "clarity", "concision"];
    let header = [
        "prompt_id",
        "session_id",
        "created_at",
        "persona",
        "strategy",
        "source",
        "score",
        "rank",
        "ranked",
        "provider",
        "model",
        "calls",
        "retries",
        "cached",
        "input_tokens",
        "output_tokens",
        "total_tokens",
        "cost_usd",
        "latency_ms",
        "characters",
        "words",
        "lines",
        "tokens",
        "parent_id",
        "children",
    ];
    let rows = report.prompts.iter().map(|prompt| {
        let metadata = &prompt.model_metadata;
        let mut cells = vec![
            Cell::value(prompt.prompt_id),
            Cell::value(prompt.session_id),
            Cell::value(write_moment(prompt.created_at)),
            Cell::text(&prompt.persona),
            Cell::text(&prompt.strategy),
            Cell::value(prompt.source.as_str()),
            Cell::optional(prompt.score),
            Cell::optional(prompt.rank),
            Cell::value(prompt.ranked),
            Cell::text(&metadata.provider),
            Cell::text(&metadata.model),
            Cell::value(metadata.calls),
            Cell::value(metadata.retries),
            Cell::value(metadata.cached),
            Cell::value(metadata.input_tokens),
            Cell::value(metadata.output_tokens),
            Cell::value(metadata.total_tokens),
            Cell::optional(metadata.cost_usd),
            Cell::value(metadata.latency_ms),
            Cell::value(prompt.content.characters),
            Cell::value(prompt.content.words),
            Cell::value(prompt.content.lines),
            Cell::value(prompt.content.tokens),
            Cell::optional(prompt.parent_id),
            Cell::value(prompt.children.len()),
        ];
        cells.extend(MEASURES.map(|name| Cell::optional(prompt.measures.get(name))));
        cells
    });
    csv_of_rows(header.into_iter().chain(MEASURES), rows)
}

#[cfg(test)]
mod tests {
    use aludel_core::domain::Prompt;
    use aludel_core::statistics;
    use aludel_core::store::Relations;

    use super::*;
    use crate::cli::view::{Paint, samples};

    fn report(mut prompts: Vec<Prompt>) -> MetricsReport {
        for (step, latency) in prompts.iter_mut().flat_map(|prompt| &mut prompt.steps).zip([120, 2400, 80, 700]) {
            step.model_metadata.latency_ms = latency;
            step.model_metadata.calls = 1;
        }
        let kin = |prompt: &Prompt| Relations {
            rank: Some(prompt.variant / 2 + 1),
            ranked: 2,
            children: vec![samples::prompt("00000001", 0, "direct", "x", 0.1).id],
        };
        let relations = prompts.iter().map(kin).collect();
        statistics::metrics(&prompts, relations, 40)
    }

    fn shown(report: &MetricsReport, width: usize, is_terminal: bool) -> String {
        let mut page = Page::new(Paint::Plain, width, is_terminal);
        metrics(&mut page, report);
        page.finish().into()
    }

    #[test]
    fn one_prompt_is_measured_in_depth() {
        let mut prompt = samples::result().prompts.remove(0);
        prompt.steps[0].model_metadata.fallback_from = Some("lab".into());
        prompt.steps[0].model_metadata.cost_usd = None;
        let report = report(vec![prompt]);
        insta::assert_snapshot!(format!("{}\n=====\n\n{}", shown(&report, 80, true), document_of_metrics(&report)));
    }

    #[test]
    fn several_prompts_are_measured_together() {
        let report = report(samples::result().prompts);
        insta::assert_snapshot!(format!("{}\n=====\n\n{}", shown(&report, 80, false), document_of_metrics(&report)));
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let several = report(samples::result().prompts);
        let one = report(samples::result().prompts[..1].to_vec());
        for line in [shown(&several, 80, true), shown(&one, 80, true)].concat().lines() {
            assert!(textwrap::core::display_width(line) <= 80, "{line}");
        }
    }

    #[test]
    fn a_spreadsheet_has_a_row_a_prompt() {
        let mut prompts = samples::result().prompts;
        prompts[1].model_metadata.cost_usd = None;
        let text = csv_of_metrics(&report(prompts.clone())).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.unwrap()).collect();
        let cell = |row: usize, name: &str| &rows[row][header.iter().position(|it| it == name).unwrap()];
        assert_eq!((rows.len(), cell(0, "prompt_id")), (2, prompts[0].id.to_string().as_str()));
        assert_eq!((cell(0, "cost_usd"), cell(1, "cost_usd"), cell(0, "children")), ("0.0021", "", "1"));
        assert!((0.0..=1.0).contains(&cell(1, "concision").parse::<f64>().unwrap()));
    }
}
