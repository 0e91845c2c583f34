//! `aludel stats`: totals of the stored prompts.

use std::sync::{Arc, Mutex, PoisonError};

use aludel_core::api::{Filters, StatsRequest};
use aludel_core::domain::{StatsBy, StatsLine, StatsReport};
use aludel_core::engine::{Engine, MeasureProgress};
use aludel_core::error::Error;
use serde::Serialize;

use super::watching::drawn;
use crate::cli::Invocation;
use crate::cli::args::StatsArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::{Printer, json_line};
use crate::cli::progress;
use crate::cli::shown::EscapedText;
use crate::cli::view::{self, Frame, Role};
use crate::cli::wait;

/// After this time a count shows a bar, in milliseconds.
const BAR_FROM_MS: u64 = 1_000;

pub(crate) fn stats(args: &StatsArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: StatsRequest = engine.decode(args.request())?;
    let chooses_all = request.filters == Filters::default();
    let printer = &invocation.printer;
    // The totals of all prompts are stored, and need no runtime.
    let report = if chooses_all { wait::wait(engine.stats(request))? } else { counted(printer, &engine, request)? };
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

/// Counts the chosen prompts one by one: with a bar on a terminal after a second. A signal ends it.
fn counted(printer: &Printer, engine: &Engine, request: StatsRequest) -> CommandResult<StatsReport> {
    let seen = Arc::new(Mutex::new(None::<MeasureProgress>));
    let told = Arc::clone(&seen);
    let at = || *seen.lock().unwrap_or_else(PoisonError::into_inner);
    let ended = wait::on_a_runtime(async {
        let mut interrupts =
            Interrupts::listen().map_err(|error| Error::Internal(format!("signals cannot be heard: {error}")))?;
        let counting = engine.stats_watched(request, move |progress| {
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
        });
        Ok::<_, Error>(drawn(Some(printer), &mut interrupts, |frame| vec![line(at(), frame)], counting).await)
    })??;
    let Some(report) = ended else { return Err(Failure::Reported(Exit::Interrupted)) };
    Ok(report?)
}

/// The progress of the count, once it is worth a bar.
fn line(at: Option<MeasureProgress>, frame: &Frame) -> EscapedText {
    match at {
        Some(MeasureProgress { done, total }) if frame.elapsed_ms >= BAR_FROM_MS => {
            progress::bar("adding up", done, total, frame)
        }
        _ => progress::line(&format!("{} adding up what is stored", frame.spinner), Role::Faint, frame),
    }
}

/// A line of a group, with what it is grouped by.
#[derive(Serialize)]
struct Line<'a> {
    by: StatsBy,
    #[serde(flatten)]
    line: &'a StatsLine,
}

fn lines(report: &StatsReport) -> CommandResult<String> {
    let lines = report.groups.iter().flat_map(|group| group.lines.iter().map(|line| Line { by: group.by, line }));
    lines.map(|line| json_line(&line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::view::Paint;

    #[test]
    fn past_a_second_a_bar_says_how_far_the_count_is() {
        let shown = |at, elapsed_ms| line(at, &Frame { elapsed_ms, spinner: '⠋', width: 80, paint: Paint::Plain });
        let at = Some(MeasureProgress { done: 2_000, total: 8_000 });
        assert_eq!(shown(at, 1_000), "  ⠋ adding up ██████░░░░░░░░░░░░░░░░░░ 2,000 of 8,000 prompts · 3.0 s left");
        assert_eq!(shown(at, 999), "⠋ adding up what is stored");
        assert_eq!(shown(None, 5_000), "⠋ adding up what is stored");
    }
}
