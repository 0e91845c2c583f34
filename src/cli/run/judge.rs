//! `aludel judge audit`: tests a judge or compares it with a person's labels; lists earlier tests.

use aludel_core::api::JudgeAuditRequest;
use aludel_core::domain::JudgeAudit;
use aludel_core::error::{Error, Problem};
use aludel_core::event::Outcome;
use aludel_core::time::{Clock, SystemClock};

use super::watching::{Watcher, confirmed, watch};
use crate::cli::Invocation;
use crate::cli::args::{JudgeAuditArgs, JudgeCommand};
use crate::cli::exit::Exit;
use crate::cli::failure::{self, CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::{Printer, json_line};
use crate::cli::view;
use crate::cli::wait;

pub(crate) fn judge(command: &JudgeCommand, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    match command {
        JudgeCommand::Audit(args) if args.list => list(invocation),
        JudgeCommand::Audit(args) => audit(args, invocation),
    }
}

fn list(invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let printer = &invocation.printer;
    let profiles = wait::wait(invocation.engine()?.judge_profiles())?;
    match printer.format() {
        Format::Jsonl => printer.data(&profiles.iter().map(json_line).collect::<CommandResult<String>>()?)?,
        Format::Text if profiles.is_empty() => printer.note("no judge was tested yet: `aludel judge audit` does that"),
        _ => printer.value(&profiles, |page| view::judge_profiles(page, &profiles, SystemClock.now()))?,
    }
    Ok(Exit::Done)
}

fn audit(args: &JudgeAuditArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: JudgeAuditRequest = engine.decode(args.request())?;
    let prepared = match &args.labels {
        Some(path) => wait::wait(async {
            let pairs = engine.labels(path).await?;
            engine.prepare_labels_audit(request, pairs).await
        })?,
        None => engine.prepare_audit(request)?,
    };
    let prepared = confirmed(prepared, invocation)?;
    let printer = &invocation.printer;
    wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")))?;
        let mut watcher = Watcher::of_progress(printer);
        let ended = match prepared.start() {
            Ok(run) => watch(run, &mut watcher, &mut interrupts).await,
            Err(error) => Err(error.into()),
        };
        watcher.clear();
        let outcome = ended.and_then(|()| {
            let audited = watcher.result(|_| Some(INTERRUPTED.to_owned()))?;
            print_result(printer, audited, watcher.view.not_stored())
        });
        failure::with_close_result(outcome, engine.close().await)
    })?
}

const INTERRUPTED: &str =
    "interrupted: the test was not finished and is not stored; `aludel spend --by command` shows what it cost";

/// Prints the judge's profile; if it was tested before, only the figures of the labels. A judge
/// that failed its test is an error, whose reason the profile shows.
fn print_result(printer: &Printer, audited: Outcome, not_stored: Option<Problem>) -> CommandResult<Exit> {
    let Outcome::JudgeAudit(audited) = audited else { return Err(super::unexpected_outcome(&audited)) };
    let JudgeAudit { profile, tested, warnings } = *audited;
    for warning in warnings {
        printer.say(format!("warning: {warning}"));
    }
    match printer.format() {
        Format::Jsonl => printer.data(&json_line(&profile)?)?,
        _ if tested => printer.value(&profile, |page| view::judge_profile(page, &profile))?,
        _ => printer.value(&profile, |page| view::judge_labels(page, &profile))?,
    }
    match not_stored {
        Some(problem) => Err(Failure::Problem(Box::new(problem))),
        None if profile.usable || !tested => Ok(Exit::Done),
        None => Err(Failure::Reported(Exit::Failed)),
    }
}
