//! `aludel update`: changes a prompt's tags or notes, or derives a new prompt from it.

use aludel_core::api::UpdateRequest;

use crate::cli::args::UpdateArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::Outcome;
use crate::cli::format::Format;
use crate::cli::wait::wait;
use crate::cli::{Invocation, input, view};

pub(crate) fn update(args: &UpdateArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let read =
        |given: &Option<String>, field| given.as_deref().map(|text| input::text_or_file(text, field)).transpose();
    let notes = read(&args.notes, "notes")?;
    let content = read(&args.content, "content")?;
    let engine = invocation.engine()?;
    let request: UpdateRequest = engine.decode(args.request(notes.as_ref(), content.as_ref()))?;
    let prompt = wait(engine.update(request))?;
    wait(engine.close())?;
    let printer = &invocation.printer;
    match printer.format() {
        Format::Text if printer.is_quiet() => printer.data(&view::lines([prompt.id]))?,
        Format::Markdown => printer.data(&view::document_of_prompt(&prompt))?,
        _ => printer.value(&prompt, |page| view::changed(page, &prompt))?,
    }
    Ok(Exit::Done)
}
