//! `aludel search` and `aludel similar`: stored prompts, found.
//!
//! JSON and YAML are the list alone, as over HTTP; how many there are, and what to know besides, goes to standard error.

use aludel_core::api::{SearchBy, SearchRequest, SimilarRequest};
use aludel_core::domain::{FoundPrompt, SearchResult};
use aludel_core::time::{Clock, SystemClock};

use crate::cli::Invocation;
use crate::cli::args::{SearchArgs, SimilarArgs};
use crate::cli::exit::Exit;
use crate::cli::failure::{self, Failure, Outcome};
use crate::cli::format::Format;
use crate::cli::input::Source;
use crate::cli::printer::{Printer, json_line};
use crate::cli::view::{self, Layout, count_of};
use crate::cli::wait;

pub(crate) fn search(args: &SearchArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let query = match args.text.as_slice() {
        [] => None,
        [only] if only == "-" => Some(Source::Stdin.read("query")?),
        words => Some(words.join(" ")),
    };
    let engine = invocation.engine()?;
    let request: SearchRequest = engine.decode(args.request(query))?;
    let (by, offset) = (request.by, request.offset);
    let printer = &invocation.printer;
    let mut nearest = None;
    let (result, closed) = match by {
        SearchBy::Text => {
            let result = wait::wait(engine.search(request.clone()));
            if printer.takes_notes() && result.as_ref().is_ok_and(|result| result.total == 0) {
                nearest = wait::wait(engine.nearest_instead(&request));
            }
            (result, Ok(()))
        }
        // Who embeds the query may be anywhere.
        SearchBy::Meaning | SearchBy::Both => wait::on_a_runtime(async {
            let result = engine.search(request).await;
            (result, engine.close().await)
        })?,
    };
    let counted = match by {
        SearchBy::Text => Counted::Matches,
        SearchBy::Meaning | SearchBy::Both => Counted::Prompts,
    };
    let layout = Layout::of_flag(args.flat);
    let found_nothing = by == SearchBy::Text && result.as_ref().is_ok_and(|result| result.total == 0);
    let outcome = result.map_err(Failure::from).and_then(|result| print(printer, &result, counted, offset, layout));
    if found_nothing {
        printer.note(proposal(nearest.as_ref()));
    }
    failure::and_closed(outcome, closed)
}

pub(crate) fn similar(args: &SimilarArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let engine = invocation.engine()?;
    let request: SimilarRequest = engine.decode(args.request())?;
    let offset = request.offset;
    let result = wait::wait(engine.similar(request))?;
    // How near each one is, is what was asked.
    print(&invocation.printer, &result, Counted::Prompts, offset, Layout::Flat)
}

/// Columns of what was asked for a prompt that is proposed.
const LINE: usize = 80;

/// What the total of a result counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// Prompts that match.
    Matches,
    /// Prompts that were compared: every one is more or less near.
    Prompts,
}

fn print(printer: &Printer, result: &SearchResult, counted: Counted, offset: u64, layout: Layout) -> Outcome<Exit> {
    let found = &result.prompts;
    match printer.format() {
        Format::Jsonl => printer.data(&found.iter().map(json_line).collect::<Outcome<String>>()?)?,
        Format::Csv => printer.data(&view::csv_of_found(found)?)?,
        Format::Markdown => printer.data(view::document_of_found(found))?,
        Format::Text if printer.is_quiet() => {
            printer.data(view::lines(found.iter().map(|found| found.prompt.id)))?;
        }
        Format::Text if found.is_empty() => {}
        Format::Text | Format::Json | Format::Yaml | Format::Html => {
            printer.value(found, |page| view::found(page, found, layout, SystemClock.now()))?;
        }
    }
    if printer.is_quiet() {
        return Ok(Exit::Done);
    }
    for warning in &result.warnings {
        printer.say(format!("warning: {warning}"));
    }
    // A program counts for itself.
    printer.note(footer(found.len() as u64, result.total, counted, offset));
    Ok(Exit::Done)
}

/// What may find what words did not.
fn proposal(nearest: Option<&FoundPrompt>) -> String {
    const PROPOSED: &str = "--semantic searches by meaning";
    let Some(FoundPrompt { prompt, .. }) = nearest else { return PROPOSED.to_owned() };
    let line = prompt.original_input.trim_start().lines().next().unwrap_or_default();
    format!("{PROPOSED}; nearest is {}: {}", prompt.id.short(), view::cut(&view::one_line(line), LINE))
}

/// How many there are, and how to see more.
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
