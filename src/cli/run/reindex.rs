//! `aludel reindex`: rebuilds the search indexes, with progress.
//!
//! The first signal stops it: each step is durable, so finished steps stay.

use aludel_core::api::ReindexRequest;
use aludel_core::error::Error;
use aludel_core::event::{Outcome, RunView, part};

use super::watching::{Watcher, watch};
use crate::cli::Invocation;
use crate::cli::args::ReindexArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{self, CommandResult};
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::Printer;
use crate::cli::view::{Page, count_of};
use crate::cli::wait;

pub(crate) fn reindex(args: &ReindexArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: ReindexRequest = engine.decode(args.request())?;
    let printer = &invocation.printer;
    wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")))?;
        let mut watcher = Watcher::of_progress(printer);
        let ended = match engine.reindex(request) {
            Ok(run) => watch(run, &mut watcher, &mut interrupts).await,
            Err(error) => Err(error.into()),
        };
        watcher.clear();
        let outcome =
            ended.and_then(|()| print_result(printer, request, &watcher.result(|view| Some(interrupted(view)))?));
        failure::with_close_result(outcome, engine.close().await)
    })?
}

fn interrupted(view: &RunView) -> String {
    match view.part.as_deref() {
        Some(part::WORDS) => "interrupted: the word index is incomplete; `aludel reindex` completes it".to_owned(),
        _ => "interrupted: finished vectors are stored; `aludel reindex` makes the rest".to_owned(),
    }
}

fn print_result(printer: &Printer, request: ReindexRequest, made: &Outcome) -> CommandResult<Exit> {
    let Outcome::Reindex(reindexed) = made else { return Err(super::unexpected_outcome(made)) };
    printer.value(reindexed, |page: &mut Page| {
        if request.text {
            page.line(format!("words of {} indexed", count_of(reindexed.text, "prompt")));
        }
        if request.vectors {
            page.line(&match reindexed.vectors {
                0 => "no vector was missing".to_owned(),
                made => format!("vectors of {} made", count_of(made, "prompt")),
            });
        }
    })?;
    Ok(Exit::Done)
}
