//! `aludel select`: the judge's choice among stored prompts.
//!
//! With `--format jsonl` events are printed as they arrive, the last one with the result; otherwise
//! the result is printed at the end. SIGINT stops it; answers so far are cached.

use std::time::{Duration, Instant};

use aludel_core::api::SelectRequest;
use aludel_core::domain::{Operation, SelectResult};
use aludel_core::error::Error;
use aludel_core::event::{RunState, RunView};

use super::watching::{Watcher, confirmed, watch};
use crate::cli::Invocation;
use crate::cli::args::SelectArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{self, CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::Printer;
use crate::cli::view;
use crate::cli::wait;

pub(crate) fn select(args: &SelectArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let printer = &invocation.printer;
    let engine = invocation.engine()?;
    let request: SelectRequest = engine.decode_own(args.request())?;
    let mut watcher = Watcher::new(printer, false, false);
    let started = Instant::now();
    wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Failure::from(Error::Internal(format!("cannot install the signal handlers: {error}"))))?;
        let prepared = engine.prepare_selection(Operation::Select, request).await?;
        let run = confirmed(prepared, invocation)?.start()?;
        let ended = watch(run, &mut watcher, &mut interrupts).await;
        let elapsed = started.elapsed();
        watcher.clear();
        let outcome = ended.and_then(|()| conclude(printer, &watcher.view, elapsed));
        failure::with_close_result(outcome, engine.close().await)
    })?
}

/// Prints the choice, or the reason why there is none.
pub(super) fn conclude(printer: &Printer, view: &RunView, elapsed: Duration) -> CommandResult<Exit> {
    let result = chosen(printer, view)?;
    print_result(printer, result, u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))?;
    printer.note(format!("`aludel why {}` shows the judge's reasons", result.prompt.id.short()));
    exit_or_problem(view)
}

/// An error if something could not be stored, or if a cap ended the run; else success.
pub(super) fn exit_or_problem(view: &RunView) -> CommandResult<Exit> {
    match view.not_stored().or_else(|| view.cap_reached()) {
        Some(problem) => Err(Failure::Problem(Box::new(problem))),
        None => Ok(Exit::Done),
    }
}

/// The result of the judge's run; prints its warnings.
pub(super) fn chosen<'a>(printer: &Printer, view: &'a RunView) -> CommandResult<&'a SelectResult> {
    // For a program, an error comes alone.
    let is_well = matches!(view.state, RunState::Finished(_)) && exit_or_problem(view).is_ok();
    let is_told = is_well || !printer.format().is_json();
    if is_told && !printer.is_quiet() {
        // Failed storage and a reached cap are the error of the command, not warnings.
        let cap = view.cap_reached().filter(|_| view.not_stored().is_none());
        let is_no_error = |warning: &&String| {
            !view.storage_warnings.contains(warning) && cap.as_ref().is_none_or(|cap| cap.detail != **warning)
        };
        for warning in view.warnings.iter().filter(is_no_error) {
            printer.say(format!("warning: {warning}"));
        }
    }
    match &view.state {
        RunState::Failed(problem) => {
            if let Some(spent) = &view.spent {
                printer.note(format!("no choice was made; the judge cost {}", view::spent(spent)));
            }
            Err(Failure::Problem(problem.clone()))
        }
        RunState::Cancelled => {
            let cost = view.spent.as_ref().map_or_else(String::new, |spent| format!(" ({})", view::spent(spent)));
            printer.say(format!(
                "interrupted: nothing was chosen{cost}; the judge's answers so far are cached and will be reused"
            ));
            Err(Failure::Reported(Exit::Interrupted))
        }
        RunState::Finished(_) => {
            view.selection().ok_or_else(|| Error::Internal("the run returned an unexpected result".into()).into())
        }
        RunState::Waiting | RunState::Running => Err(Error::Internal("the run ended without a result".into()).into()),
    }
}

fn print_result(printer: &Printer, result: &SelectResult, elapsed_ms: u64) -> CommandResult {
    match printer.format() {
        // It was in the last event.
        Format::Jsonl => Ok(()),
        Format::Markdown => printer.data(view::document_of_selection(result)),
        Format::Text if printer.is_quiet() => {
            let mut page = printer.page();
            page.exactly(&result.prompt.content);
            printer.data(page.finish())
        }
        _ => printer.value(result, |page| view::selection(page, result, elapsed_ms)),
    }
}
