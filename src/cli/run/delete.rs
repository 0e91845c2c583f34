//! `aludel delete`: asks, then deletes.

use std::io::IsTerminal;

use aludel_core::api::{DeleteRequest, PromptKey, ShowRequest};
use aludel_core::domain::write_moment;
use aludel_core::engine::{Deletion, Engine};
use aludel_core::error::{Error, Result};

use crate::cli::Invocation;
use crate::cli::args::DeleteArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::printer::Printer;
use crate::cli::view::{count_of, cut, lines, one_line};
use crate::cli::wait::wait;

pub(crate) fn delete(args: &DeleteArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: DeleteRequest = engine.decode(args.request())?;
    let printer = &invocation.printer;
    if !invocation.globals.yes && !is_confirmed(&engine, &request, printer)? {
        printer.say("nothing was deleted");
        return Err(Failure::Reported(Exit::Failed));
    }
    let deletion = wait(engine.delete(request))?;
    wait(engine.close())?;
    report(printer, &deletion)?;
    Ok(Exit::Done)
}

/// Shows what would be deleted, and asks.
fn is_confirmed(engine: &Engine, request: &DeleteRequest, printer: &Printer) -> Result<bool> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(Error::shape("yes", "is required: there is no terminal to confirm on; add --yes to confirm"));
    }
    let how = if request.forever { " for good" } else { "" };
    let question = if request.all {
        format!("Delete all stored prompts ({}){how}?", count_of(wait(engine.count())?, "prompt"))
    } else {
        for key in &request.prompt_ids {
            printer.say(format!("  {}", line_of(engine, key, printer.width())?));
        }
        format!("Delete {}{how}?", count_of(request.prompt_ids.len() as u64, "prompt"))
    };
    Ok(printer.asks(&question))
}

/// A line by which a person recognises a prompt.
fn line_of(engine: &Engine, key: &PromptKey, width: usize) -> Result<String> {
    let prompt = wait(engine.show(ShowRequest { prompt_id: key.clone() }))?;
    Ok(cut(&format!("{}  {}", prompt.id.short(), one_line(&prompt.original_input)), width.saturating_sub(2)))
}

pub(super) fn report(printer: &Printer, deletion: &Deletion) -> CommandResult {
    match printer.format() {
        Format::Text if printer.is_quiet() => printer.data(lines(&deletion.deleted)),
        _ => printer.value(deletion, |page| {
            let deleted = count_of(deletion.deleted.len() as u64, "prompt");
            page.line(match deletion.restorable_until.map(write_moment) {
                Some(until) => {
                    format!(
                        "deleted {deleted}; until {} `aludel trash restore` brings back what you name",
                        &until[..10]
                    )
                }
                None => format!("deleted {deleted} for good"),
            });
        }),
    }
}
