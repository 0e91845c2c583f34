//! `aludel why`: how a prompt was made and ranked.

use aludel_core::api::WhyRequest;
use aludel_core::time::{Clock, SystemClock};

use crate::cli::Invocation;
use crate::cli::args::WhyArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;
use crate::cli::view;
use crate::cli::wait::wait;

pub(crate) fn why(args: &WhyArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: WhyRequest = engine.decode(args.request())?;
    let why = wait(engine.why(request))?;
    invocation.printer.value(&why, |page| view::why(page, &why, SystemClock.now()))?;
    Ok(Exit::Done)
}
