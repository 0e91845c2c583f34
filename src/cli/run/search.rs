//! `aludel search` and `aludel similar`: finds stored prompts.
//!
//! JSON and YAML are only the list, as over HTTP; the total and remarks go to standard error.

use aludel_core::api::{SearchBy, SearchRequest, SimilarRequest};
use aludel_core::domain::{FoundPrompt, Prompt, PromptSummary, SearchResult, SelectedPrompt};
use aludel_core::engine::Engine;
use aludel_core::error::Error;
use aludel_core::store::PromptForm;
use aludel_core::time::{Clock, SystemClock};

use super::list::check_fields;
use crate::cli::Invocation;
use crate::cli::args::{SearchArgs, SimilarArgs};
use crate::cli::exit::Exit;
use crate::cli::failure::{self, CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::input::Source;
use crate::cli::printer::{Printer, json_line};
use crate::cli::view::{self, Layout, count_of};
use crate::cli::wait;

pub(crate) fn search(args: &SearchArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let query = match args.text.as_slice() {
        [] => None,
        [only] if only == "-" => Some(Source::Stdin.read("query")?),
        words => Some(words.join(" ")),
    };
    let engine = invocation.engine()?;
    let request: SearchRequest = engine.decode(args.request(query))?;
    let printer = &invocation.printer;
    check_fields(request.fields, printer)?;
    let by = request.by;
    let shown = ResultLayout {
        counted: if by == SearchBy::Text { Counted::Matches } else { Counted::Prompts },
        offset: request.offset,
        layout: Layout::of_flag(args.flat),
    };
    // For what a search by words proposes if it finds nothing.
    let instead = (by == SearchBy::Text && printer.takes_notes()).then(|| request.clone());
    let found = match printer.format() {
        Format::Json | Format::Jsonl | Format::Yaml => {
            let (result, closed) = look::<SelectedPrompt>(&engine, request)?;
            failure::with_close_result(result.and_then(|result| print(printer, &result, shown, data)), closed)?
        }
        Format::Csv | Format::Markdown => {
            let (result, closed) = look::<Prompt>(&engine, request)?;
            failure::with_close_result(result.and_then(|result| print(printer, &result, shown, sheet)), closed)?
        }
        Format::Text | Format::Html => {
            let (result, closed) = look::<PromptSummary>(&engine, request)?;
            failure::with_close_result(result.and_then(|result| print(printer, &result, shown, text)), closed)?
        }
    };
    if let Some(request) = instead.filter(|_| found == 0) {
        printer.note(proposal(wait::wait(engine.nearest_instead(&request)).as_ref()));
    }
    Ok(Exit::Done)
}

/// The result, and that of closing the engine.
type SearchOutcome<P> = (CommandResult<SearchResult<P>>, Result<(), Error>);

fn look<P: PromptForm>(engine: &Engine, request: SearchRequest) -> CommandResult<SearchOutcome<P>> {
    if request.by == SearchBy::Text {
        return Ok((wait::wait(engine.search_as(request)).map_err(Failure::from), Ok(())));
    }
    // Embedding the query can need the network.
    Ok(wait::on_a_runtime(async {
        let result = engine.search_as(request).await.map_err(Failure::from);
        (result, engine.close().await)
    })?)
}

pub(crate) fn similar(args: &SimilarArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: SimilarRequest = engine.decode(args.request())?;
    let printer = &invocation.printer;
    check_fields(request.fields, printer)?;
    // The order is the nearness that was asked for, so runs are not grouped.
    let shown = ResultLayout { counted: Counted::Prompts, offset: request.offset, layout: Layout::Flat };
    match printer.format() {
        Format::Json | Format::Jsonl | Format::Yaml => {
            print(printer, &wait::wait(engine.similar_as::<SelectedPrompt>(request))?, shown, data)?;
        }
        Format::Csv | Format::Markdown => {
            print(printer, &wait::wait(engine.similar(request))?, shown, sheet)?;
        }
        Format::Text | Format::Html => {
            print(printer, &wait::wait(engine.similar_as::<PromptSummary>(request))?, shown, text)?;
        }
    }
    Ok(Exit::Done)
}

/// Columns of the request in a proposal.
const LINE: usize = 80;

/// What the total of a result counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// Matching prompts.
    Matches,
    /// Compared prompts: every one is more or less near.
    Prompts,
}

/// How a result is printed.
#[derive(Debug, Clone, Copy)]
struct ResultLayout {
    counted: Counted,
    offset: u64,
    layout: Layout,
}

/// Prints a result with its remarks; returns the total.
fn print<P>(
    printer: &Printer,
    result: &SearchResult<P>,
    shown: ResultLayout,
    write: impl FnOnce(&Printer, &[FoundPrompt<P>], Layout) -> CommandResult,
) -> CommandResult<u64> {
    write(printer, &result.prompts, shown.layout)?;
    if !printer.is_quiet() {
        for warning in &result.warnings {
            printer.say(format!("warning: {warning}"));
        }
        // Only for people: a program counts by itself.
        printer.note(footer(result.prompts.len() as u64, result.total, shown.counted, shown.offset));
    }
    Ok(result.total)
}

fn data(printer: &Printer, found: &[FoundPrompt<SelectedPrompt>], _: Layout) -> CommandResult {
    if printer.format() == Format::Jsonl {
        return printer.data(&found.iter().map(json_line).collect::<CommandResult<String>>()?);
    }
    printer.value(&found, |_| ())
}

fn sheet(printer: &Printer, found: &[FoundPrompt], _: Layout) -> CommandResult {
    if printer.format() == Format::Csv {
        return printer.data(&view::csv_of_found(found)?);
    }
    printer.data(view::document_of_found(found))
}

fn text(printer: &Printer, found: &[FoundPrompt<PromptSummary>], layout: Layout) -> CommandResult {
    if printer.is_quiet() {
        return printer.data(view::lines(found.iter().map(|found| found.prompt.id)));
    }
    if found.is_empty() {
        return Ok(());
    }
    printer.value(&found, |page| view::found(page, found, layout, SystemClock.now()))
}

/// The proposal after a search by words found nothing.
fn proposal(nearest: Option<&FoundPrompt<PromptSummary>>) -> String {
    const PROPOSED: &str = "--semantic searches by meaning";
    let Some(FoundPrompt { prompt, .. }) = nearest else { return PROPOSED.to_owned() };
    let line = prompt.original_input.trim_start().lines().next().unwrap_or_default();
    format!("{PROPOSED}; nearest is {}: {}", prompt.id.short(), view::cut(&view::one_line(line), LINE))
}

/// The total, and how to see more.
fn footer(shown: u64, total: u64, counted: Counted, offset: u64) -> String {
    let things = |number| match counted {
        Counted::Matches if number == 1 => "1 match".to_owned(),
        Counted::Matches => count_of(number, "match").replace("matchs", "matches"),
        Counted::Prompts => count_of(number, "prompt"),
    };
    let after = offset.saturating_add(shown);
    match (shown, counted) {
        (0, Counted::Matches) if total == 0 => "no stored prompt matches".to_owned(),
        (0, Counted::Prompts) if total == 0 => "no stored prompt matches these filters".to_owned(),
        (0, _) => format!("nothing from row {} on; there are {}", offset + 1, things(total)),
        _ if after >= total && offset == 0 => things(total),
        _ if after >= total => format!("the last {shown} of {}", things(total)),
        _ => format!("{shown} of {}; there are more: --offset {after}", things(total)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footer_says_how_many_there_are_and_how_to_see_more() {
        let by_words = |shown, total, offset| footer(shown, total, Counted::Matches, offset);
        assert_eq!(by_words(0, 0, 0), "no stored prompt matches");
        assert_eq!(by_words(1, 1, 0), "1 match");
        assert_eq!(by_words(10, 1234, 0), "10 of 1,234 matches; there are more: --offset 10");
        assert_eq!(by_words(4, 14, 10), "the last 4 of 14 matches");
        assert_eq!(by_words(0, 14, 20), "nothing from row 21 on; there are 14 matches");
        assert_eq!(footer(2, 7, Counted::Prompts, 1), "2 of 7 prompts; there are more: --offset 3");
        assert_eq!(footer(0, 0, Counted::Prompts, 0), "no stored prompt matches these filters");
    }
}
