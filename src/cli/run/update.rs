//! `aludel update`: changes a prompt's tags or notes, or derives a new prompt from it.

use aludel_core::api::UpdateRequest;
use aludel_core::domain::Prompt;

use crate::cli::args::UpdateArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{self, CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::printer::Printer;
use crate::cli::{Invocation, input, view, wait};

pub(crate) fn update(args: &UpdateArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let read =
        |given: &Option<String>, field| given.as_deref().map(|text| input::text_or_file(text, field)).transpose();
    let notes = read(&args.notes, "notes")?;
    let content = read(&args.content, "content")?;
    let engine = invocation.engine()?;
    let request: UpdateRequest = engine.decode(args.request(notes.as_ref(), content.as_ref()))?;
    let changed = async {
        let prompt = engine.update(request).await;
        (prompt, engine.close().await)
    };
    // A new text is embedded, which can need the network.
    let (prompt, closed) = if content.is_some() { wait::on_a_runtime(changed)? } else { wait::wait(changed) };
    let printer = &invocation.printer;
    let outcome = prompt.map_err(Failure::from).and_then(|prompt| print_result(printer, &prompt));
    failure::with_close_result(outcome, closed)
}

fn print_result(printer: &Printer, prompt: &Prompt) -> CommandResult<Exit> {
    match printer.format() {
        Format::Text if printer.is_quiet() => printer.data(view::lines([prompt.id]))?,
        Format::Markdown => printer.data(view::document_of_prompt(prompt))?,
        _ => printer.value(prompt, |page| view::changed(page, prompt))?,
    }
    Ok(Exit::Done)
}
