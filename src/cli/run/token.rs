//! `aludel token`: a token for clients of the servers, alone on standard output.

use aludel_core::api::TokenRequest;

use crate::cli::Invocation;
use crate::cli::args::TokenArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;
use crate::cli::format::Format;

pub(crate) fn token(args: &TokenArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let minted = engine.mint_token(engine.decode::<TokenRequest>(args.request())?)?;
    let printer = &invocation.printer;
    match printer.format() {
        // On one line, however narrow the terminal.
        Format::Text => printer.data(format!("{}\n", minted.token))?,
        _ => printer.value(&minted, |page| page.line(&minted.token))?,
    }
    Ok(Exit::Done)
}
