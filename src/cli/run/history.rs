//! `aludel history`: runs, newest first, with their variants.

use aludel_core::api::HistoryRequest;
use aludel_core::domain::PromptSummary;
use aludel_core::time::{Clock, SystemClock};

use crate::cli::Invocation;
use crate::cli::args::HistoryArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;
use crate::cli::format::Format;
use crate::cli::printer::json_line;
use crate::cli::view;
use crate::cli::wait::wait;

pub(crate) fn history(args: &HistoryArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: HistoryRequest = engine.decode(args.request())?;
    let offset = request.offset;
    let printer = &invocation.printer;
    if matches!(printer.format(), Format::Text) {
        let page = wait(engine.history_as::<PromptSummary>(request))?;
        if page.sessions.is_empty() {
            printer.note("no run is stored: aludel generate \"Write a haiku\" makes one");
            return Ok(Exit::Done);
        }
        printer.value(&page, |text| view::history(text, &page.sessions, SystemClock.now()))?;
        if page.next_cursor.is_some() {
            let next = offset + page.sessions.len() as u64;
            printer.note(format!("there are more: add --offset {next}"));
        }
        return Ok(Exit::Done);
    }
    let page = wait(engine.history(request))?;
    match printer.format() {
        Format::Jsonl => printer.data(&page.sessions.iter().map(json_line).collect::<CommandResult<String>>()?)?,
        Format::Markdown => printer.data(view::document_of_history(&page.sessions))?,
        _ => printer.value(&page, |_| ())?,
    }
    Ok(Exit::Done)
}
