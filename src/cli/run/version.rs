//! `aludel version`. Reads nothing.

use crate::cli::Invocation;
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;
use crate::cli::version as this;

pub(crate) fn version(invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let line = format!("aludel {}", this::LINE);
    invocation.printer.value(&this::build(), |page| page.line(&line))?;
    Ok(Exit::Done)
}
