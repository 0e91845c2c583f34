//! `aludel stats`: totals of what is stored.

use aludel_core::api::{Filters, StatsRequest};
use aludel_core::domain::{StatsBy, StatsLine, StatsReport};
use serde::Serialize;

use crate::cli::Invocation;
use crate::cli::args::StatsArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::Outcome;
use crate::cli::format::Format;
use crate::cli::printer::json_line;
use crate::cli::progress::while_waiting;
use crate::cli::view;

pub(crate) fn stats(args: &StatsArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let engine = invocation.engine()?;
    let request: StatsRequest = engine.decode(args.request())?;
    let chooses_all = request.filters == Filters::default();
    let printer = &invocation.printer;
    let report = while_waiting(printer, "computing the totals", engine.stats(request))?;
    match printer.format() {
        Format::Jsonl => printer.data(&lines(&report)?)?,
        Format::Csv => printer.data(&view::csv_of_stats(&report)?)?,
        Format::Markdown => printer.data(view::document_of_stats(&report))?,
        Format::Text if report.total.prompts == 0 => printer.note(super::nothing_stored(chooses_all)),
        Format::Text if printer.is_quiet() => {
            let mut page = printer.page();
            view::stats_groups(&mut page, &report.groups);
            printer.data(page.finish())?;
        }
        Format::Text | Format::Json | Format::Yaml | Format::Html => {
            printer.value(&report, |page| view::stats(page, &report))?;
        }
    }
    Ok(Exit::Done)
}

/// A line of a group that says of which.
#[derive(Serialize)]
struct Line<'a> {
    by: StatsBy,
    #[serde(flatten)]
    line: &'a StatsLine,
}

fn lines(report: &StatsReport) -> Outcome<String> {
    let lines = report.groups.iter().flat_map(|group| group.lines.iter().map(|line| Line { by: group.by, line }));
    lines.map(|line| json_line(&line)).collect()
}
