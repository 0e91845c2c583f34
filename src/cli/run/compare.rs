//! `aludel compare`: stored prompts side by side and, with a task, the judge's choice among them.
//!
//! Without a task nothing is sent and no runtime starts. With one, progress and warnings go to
//! standard error, and SIGINT stops the judge; answers received so far are cached.

use aludel_core::api::CompareRequest;
use aludel_core::domain::CompareResult;
use aludel_core::engine::Engine;
use aludel_core::error::Error;
use aludel_core::event::Outcome;
use aludel_core::time::{Clock, SystemClock};

use super::select::{chosen, exit_or_problem};
use super::watching::{Watcher, confirmed, watch};
use crate::cli::Invocation;
use crate::cli::args::CompareArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{self, CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::{Printer, json_line};
use crate::cli::view;
use crate::cli::wait;

pub(crate) fn compare(args: &CompareArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: CompareRequest = engine.decode_own(args.request())?;
    if request.task().is_some() {
        return judged(&engine, request, invocation);
    }
    print_result(&invocation.printer, &wait::wait(engine.compare(request))?.conclude(None)?)?;
    Ok(Exit::Done)
}

fn judged(engine: &Engine, request: CompareRequest, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let printer = &invocation.printer;
    // The result is one value; even with `--format jsonl`, events are not part of the data.
    let watched = printer.clone().with_format(Format::Json);
    let mut watcher = Watcher::new(&watched, false, false);
    wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Failure::from(Error::Internal(format!("cannot install the signal handlers: {error}"))))?;
        let mut comparing = engine.compare(request).await?;
        let ended = match comparing.take_prepared() {
            Some(prepared) => watch(confirmed(prepared, invocation)?.start()?, &mut watcher, &mut interrupts).await,
            None => Ok(()),
        };
        watcher.clear();
        let outcome = ended.and_then(|()| {
            let selection = chosen(printer, &watcher.view)?.clone();
            print_result(printer, &comparing.conclude(Some(Outcome::Compare(selection)))?)?;
            exit_or_problem(&watcher.view)
        });
        failure::with_close_result(outcome, engine.close().await)
    })?
}

fn print_result(printer: &Printer, result: &CompareResult) -> CommandResult {
    match printer.format() {
        Format::Jsonl => printer.data(&json_line(result)?),
        Format::Markdown => printer.data(view::document_of_comparison(result)),
        Format::Html => printer.data(&view::page_of_comparison(result, SystemClock.now())?),
        _ => printer.value(result, |page| view::comparison(page, result)),
    }
}
