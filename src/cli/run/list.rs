//! `aludel list`: stored prompts, a page at a time.

use aludel_core::api::ListRequest;
use aludel_core::domain::{PromptFields, PromptSummary, SelectedPrompt};
use aludel_core::engine::PromptPage;
use aludel_core::error::Error;
use aludel_core::time::{Clock, SystemClock};

use crate::cli::Invocation;
use crate::cli::args::ListArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;
use crate::cli::format::Format;
use crate::cli::printer::{Printer, json_line};
use crate::cli::view;
use crate::cli::wait::wait;

pub(crate) fn list(args: &ListArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: ListRequest = engine.decode(args.request())?;
    let printer = &invocation.printer;
    check_fields(request.fields, printer)?;
    let asked = request.clone();
    match printer.format() {
        // The data itself says that there are more.
        Format::Json | Format::Yaml => {
            printer.value(&wait(engine.list_as::<SelectedPrompt>(request))?, |_| ())?;
        }
        Format::Jsonl => {
            let page = wait(engine.list_as::<SelectedPrompt>(request))?;
            printer.data(&page.prompts.iter().map(json_line).collect::<CommandResult<String>>()?)?;
            more(printer, &page, &asked);
        }
        Format::Csv => {
            let page = wait(engine.list(request))?;
            printer.data(&view::csv(&page.prompts)?)?;
            more(printer, &page, &asked);
        }
        Format::Markdown => {
            let page = wait(engine.list(request))?;
            printer.data(view::document_of_list(&page.prompts))?;
            more(printer, &page, &asked);
        }
        Format::Text | Format::Html => {
            let page = wait(engine.list_as::<PromptSummary>(request))?;
            let layout = view::Layout::of_flag(args.flat);
            if printer.is_quiet() {
                printer.data(view::lines(page.prompts.iter().map(|listed| listed.prompt.id)))?;
            } else if page.prompts.is_empty() {
                printer.note(nothing(&asked));
            } else {
                printer.value(&page, |text| view::list(text, &page.prompts, layout, SystemClock.now()))?;
            }
            more(printer, &page, &asked);
        }
    }
    Ok(Exit::Done)
}

/// Refuses `--fields` in formats with fixed fields.
pub(super) fn check_fields(fields: Option<PromptFields>, printer: &Printer) -> CommandResult {
    if fields.is_none() || matches!(printer.format(), Format::Json | Format::Jsonl | Format::Yaml) {
        return Ok(());
    }
    let format = printer.format().as_str();
    let message = format!("chooses what json, jsonl and yaml hold, not {format}: add --format json, or leave it out");
    Err(Error::value("fields", message).into())
}

/// The message for an empty list.
fn nothing(asked: &ListRequest) -> &'static str {
    let all = ListRequest { limit: asked.limit, sort: asked.sort, ..ListRequest::default() };
    super::nothing_stored(*asked == all)
}

/// Tells how to see the rest.
fn more<P>(printer: &Printer, page: &PromptPage<P>, asked: &ListRequest) {
    let Some(next) = page.next_cursor.as_ref().filter(|_| !printer.is_quiet()) else { return };
    if asked.cursor.is_some() {
        printer.say(format!("there are more: --cursor {next}"));
    } else {
        printer.say(format!("there are more: --offset {}", asked.offset + page.prompts.len() as u64));
    }
}
