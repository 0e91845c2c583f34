//! `aludel spend`: what was spent, and the caps.

use aludel_core::api::SpendRequest;

use crate::cli::Invocation;
use crate::cli::args::SpendArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;
use crate::cli::format::Format;
use crate::cli::printer::json_line;
use crate::cli::view;
use crate::cli::wait::wait;

pub(crate) fn spend(args: &SpendArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: SpendRequest = engine.decode(args.request())?;
    let report = wait(engine.spend(request))?;
    let printer = &invocation.printer;
    match printer.format() {
        Format::Jsonl => printer.data(&report.lines.iter().map(json_line).collect::<CommandResult<String>>()?)?,
        Format::Csv => printer.data(&view::csv_of_spend(&report)?)?,
        Format::Markdown => printer.data(view::document_of_spend(&report))?,
        Format::Text if printer.is_quiet() => {
            let mut page = printer.page();
            view::spend_lines(&mut page, &report);
            printer.data(page.finish())?;
        }
        Format::Text | Format::Json | Format::Yaml | Format::Html => {
            printer.value(&report, |page| view::spend(page, &report))?;
        }
    }
    Ok(Exit::Done)
}
