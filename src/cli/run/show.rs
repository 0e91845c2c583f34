//! `aludel show`: one prompt in full.

use aludel_core::api::ShowRequest;
use aludel_core::domain::Prompt;

use crate::cli::Invocation;
use crate::cli::args::ShowArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;
use crate::cli::format::Format;
use crate::cli::view;
use crate::cli::wait::wait;

pub(crate) fn show(args: &ShowArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: ShowRequest = engine.decode(args.request())?;
    let prompt = wait(engine.show(request))?;
    print(invocation, &prompt)?;
    Ok(Exit::Done)
}

/// Prints one prompt; with `--quiet`, only its text.
pub(crate) fn print(invocation: &Invocation<'_>, prompt: &Prompt) -> CommandResult {
    let printer = &invocation.printer;
    match printer.format() {
        Format::Markdown => printer.data(view::document_of_prompt(prompt)),
        Format::Text if printer.is_quiet() => {
            let mut page = printer.page();
            page.exactly(&prompt.content);
            printer.data(page.finish())
        }
        _ => printer.value(prompt, |page| view::prompt(page, prompt)),
    }
}
