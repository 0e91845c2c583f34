//! `aludel list`: stored prompts, a page at a time.

use aludel_core::api::ListRequest;
use aludel_core::engine::PromptPage;
use aludel_core::time::{Clock, SystemClock};

use crate::cli::Invocation;
use crate::cli::args::ListArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::Outcome;
use crate::cli::format::Format;
use crate::cli::printer::{Printer, json_line};
use crate::cli::view;
use crate::cli::wait::wait;

pub(crate) fn list(args: &ListArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let engine = invocation.engine()?;
    let request: ListRequest = engine.decode(args.request())?;
    let asked = request.clone();
    let page = wait(engine.list(request))?;
    let printer = &invocation.printer;
    let layout = view::Layout::of_flag(args.flat);
    match printer.format() {
        Format::Jsonl => printer.data(&page.prompts.iter().map(json_line).collect::<Outcome<String>>()?)?,
        Format::Csv => printer.data(&view::csv(&page.prompts)?)?,
        Format::Markdown => printer.data(view::document_of_list(&page.prompts))?,
        Format::Text if printer.is_quiet() => {
            printer.data(view::lines(page.prompts.iter().map(|listed| listed.prompt.id)))?;
        }
        Format::Text if page.prompts.is_empty() => printer.note(nothing(&asked)),
        Format::Text | Format::Json | Format::Yaml | Format::Html => {
            printer.value(&page, |text| view::list(text, &page.prompts, layout, SystemClock.now()))?;
        }
    }
    // In JSON and YAML the data says it itself.
    if !printer.is_quiet() && !matches!(printer.format(), Format::Json | Format::Yaml) {
        more(printer, &page, &asked);
    }
    Ok(Exit::Done)
}

/// Why there is nothing to list.
fn nothing(asked: &ListRequest) -> &'static str {
    let all = ListRequest { limit: asked.limit, sort: asked.sort, ..ListRequest::default() };
    super::nothing_stored(*asked == all)
}

/// Says how to see the rest.
fn more(printer: &Printer, page: &PromptPage, asked: &ListRequest) {
    let Some(next) = &page.next_cursor else { return };
    if asked.cursor.is_some() {
        printer.say(format!("there are more: --cursor {next}"));
    } else {
        printer.say(format!("there are more: --offset {}", asked.offset + page.prompts.len() as u64));
    }
}
