//! `aludel trash`: lists, restores and removes deleted prompts.

use std::io::IsTerminal;

use aludel_core::api::{EmptyTrashRequest, RestoreRequest, TrashRequest};
use aludel_core::engine::TrashPage;
use aludel_core::error::Error;
use aludel_core::time::{Clock, SystemClock};

use super::delete;
use crate::cli::Invocation;
use crate::cli::args::{TrashArgs, TrashCommand, TrashEmptyArgs, TrashListArgs, TrashRestoreArgs};
use crate::cli::exit::Exit;
use crate::cli::failure::{CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::printer::json_line;
use crate::cli::view::{self, count_of, lines};
use crate::cli::wait::wait;

pub(crate) fn trash(args: &TrashArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    match &args.command {
        TrashCommand::List(args) => list(args, invocation),
        TrashCommand::Restore(args) => restore(args, invocation),
        TrashCommand::Empty(args) => empty(args, invocation),
    }
}

fn list(args: &TrashListArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: TrashRequest = engine.decode(args.request())?;
    let offset = request.offset;
    let page = wait(engine.trash(request))?;
    let TrashPage { prompts, total } = &page;
    let printer = &invocation.printer;
    match printer.format() {
        Format::Jsonl => printer.data(&prompts.iter().map(json_line).collect::<CommandResult<String>>()?)?,
        Format::Text if printer.is_quiet() => printer.data(lines(prompts.iter().map(|trashed| trashed.prompt.id)))?,
        Format::Text if *total == 0 => printer.note("the trash is empty"),
        _ => {
            printer.value(&page, |text| view::trash(text, &page, SystemClock.now()))?;
            let next = offset + prompts.len() as u64;
            if next < *total && !prompts.is_empty() {
                printer.note(format!("{total} in all: add --offset {next} for more"));
            }
        }
    }
    Ok(Exit::Done)
}

fn restore(args: &TrashRestoreArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: RestoreRequest = engine.decode(args.request())?;
    let restoration = wait(engine.restore(request))?;
    wait(engine.close())?;
    let printer = &invocation.printer;
    match printer.format() {
        Format::Text if printer.is_quiet() => {
            printer.data(lines(restoration.restored.iter().map(|prompt| prompt.id)))?;
        }
        _ => printer.value(&restoration, |page| {
            page.line(format!("restored {}", count_of(restoration.restored.len() as u64, "prompt")));
        })?,
    }
    Ok(Exit::Done)
}

fn empty(args: &TrashEmptyArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: EmptyTrashRequest = engine.decode(args.request())?;
    let printer = &invocation.printer;
    if !invocation.globals.yes {
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            let needed = "is required: there is no terminal to confirm on; add --yes to confirm";
            return Err(Error::shape("yes", needed).into());
        }
        let count = match request.prompt_ids.len() as u64 {
            0 => wait(engine.trash(TrashRequest { limit: Some(1), offset: 0 }))?.total,
            named => named,
        };
        if !printer.asks(&format!("Delete {} for good?", count_of(count, "prompt"))) {
            printer.say("nothing was deleted");
            return Err(Failure::Reported(Exit::Failed));
        }
    }
    let deletion = wait(engine.empty_trash(request))?;
    wait(engine.close())?;
    delete::report(printer, &deletion)?;
    Ok(Exit::Done)
}
