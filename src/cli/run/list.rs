//! `aludel list`: stored prompts, a page at a time.

use aludel_core::api::ListRequest;
use aludel_core::engine::PromptPage;
use aludel_core::time::{Clock, SystemClock};

use crate::cli::Invocation;
use crate::cli::args::ListArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::Outcome;
use crate::cli::format::Format;
use crate::cli::printer::json_line;
use crate::cli::view;
use crate::cli::wait::wait;

pub(crate) fn list(args: &ListArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let engine = invocation.engine()?;
    let request: ListRequest = engine.decode(args.request())?;
    let (limit, offset, is_filtered) = (request.limit, request.offset, is_filtered(&request));
    let page = wait(engine.list(request))?;
    let printer = &invocation.printer;
    match printer.format() {
        Format::Jsonl => printer.data(&page.prompts.iter().map(json_line).collect::<Outcome<String>>()?)?,
        Format::Csv => printer.data(&view::csv(&page.prompts)?)?,
        Format::Markdown => printer.data(&view::document_of_list(&page.prompts))?,
        Format::Text if invocation.globals.quiet => {
            printer.data(&view::lines(page.prompts.iter().map(|prompt| prompt.id)))?;
        }
        Format::Text if page.prompts.is_empty() => {
            printer.note(if is_filtered {
                "no stored prompt passes these filters"
            } else {
                "nothing is stored yet: aludel generate \"Write a haiku\" makes the first prompts"
            });
        }
        Format::Text | Format::Json | Format::Yaml => {
            printer.value(&page, |text| view::list(text, &page.prompts, SystemClock.now()))?;
            more(invocation, &page, limit, offset);
        }
    }
    Ok(Exit::Done)
}

fn is_filtered(request: &ListRequest) -> bool {
    *request != ListRequest { limit: request.limit, sort: request.sort, ..ListRequest::default() }
}

/// Says how to see the rest.
fn more(invocation: &Invocation<'_>, page: &PromptPage, limit: Option<u32>, offset: u64) {
    if page.next_cursor.is_some() {
        let next = offset + page.prompts.len() as u64;
        let limit = limit.map(|limit| format!(" --limit {limit}")).unwrap_or_default();
        invocation.printer.note(&format!("there are more: add --offset {next}{limit}"));
    }
}
