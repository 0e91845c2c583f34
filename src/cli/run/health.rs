//! `aludel health`: how a running server is.

use aludel_core::domain::HealthStatus;

use crate::cli::Invocation;
use crate::cli::args::HealthArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::view;
use crate::cli::wait;

pub(crate) fn health(args: &HealthArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let report = wait::on_a_runtime(engine.server_health(args.url.as_deref()))??;
    let printer = &invocation.printer;
    match printer.format() {
        Format::Text if printer.is_quiet() => {}
        _ => printer.value(&report, |page| view::health(page, &report))?,
    }
    // A degraded server serves.
    if report.status == HealthStatus::Down { Err(Failure::Reported(Exit::Failed)) } else { Ok(Exit::Done) }
}
