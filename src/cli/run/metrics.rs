//! `aludel metrics`: measures prompts, each and all together.

use aludel_core::api::{Filters, MetricsRequest};

use crate::cli::Invocation;
use crate::cli::args::MetricsArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;
use crate::cli::format::Format;
use crate::cli::printer::json_line;
use crate::cli::progress::while_waiting;
use crate::cli::view;

pub(crate) fn metrics(args: &MetricsArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: MetricsRequest = engine.decode(args.request())?;
    let chooses_all = request.filters == Filters::default();
    let printer = &invocation.printer;
    let report = while_waiting(printer, "measuring prompts", engine.metrics(request))?;
    match printer.format() {
        Format::Jsonl => printer.data(&report.prompts.iter().map(json_line).collect::<CommandResult<String>>()?)?,
        Format::Csv => printer.data(&view::csv_of_metrics(&report)?)?,
        Format::Markdown => printer.data(view::document_of_metrics(&report))?,
        Format::Text if report.prompts.is_empty() => printer.note(super::nothing_stored(chooses_all)),
        Format::Text | Format::Json | Format::Yaml | Format::Html => {
            printer.value(&report, |page| view::metrics(page, &report))?;
        }
    }
    Ok(Exit::Done)
}
