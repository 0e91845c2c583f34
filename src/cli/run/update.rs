//! `aludel update`: changes a prompt's tags or notes, or derives a new prompt from it.

use aludel_core::api::UpdateRequest;

use super::show;
use crate::cli::args::UpdateArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::Outcome;
use crate::cli::wait::wait;
use crate::cli::{Invocation, input};

pub(crate) fn update(args: &UpdateArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let read =
        |given: &Option<String>, field| given.as_deref().map(|text| input::text_or_file(text, field)).transpose();
    let notes = read(&args.notes, "notes")?;
    let content = read(&args.content, "content")?;
    let engine = invocation.engine()?;
    let request: UpdateRequest = engine.decode(args.request(notes.as_ref(), content.as_ref()))?;
    let prompt = wait(engine.update(request))?;
    wait(engine.close())?;
    show::print(invocation, &prompt)?;
    match prompt.parent_id {
        Some(parent) if content.is_some() => invocation.printer.note(&format!(
            "stored as a new prompt, {}, derived from {}",
            prompt.id.short(),
            parent.short()
        )),
        _ => invocation.printer.note(&format!("changed; this is revision {}", prompt.revision)),
    }
    Ok(Exit::Done)
}
