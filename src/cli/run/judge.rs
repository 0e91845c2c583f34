//! `aludel judge audit`: a judge's own test, with progress, and the list of those that were tested.

use aludel_core::api::JudgeAuditRequest;
use aludel_core::engine::Audited;
use aludel_core::error::Error;
use aludel_core::time::{Clock, SystemClock};

use super::watching::confirmed;
use crate::cli::Invocation;
use crate::cli::args::{JudgeAuditArgs, JudgeCommand};
use crate::cli::exit::Exit;
use crate::cli::failure::{self, Failure, Outcome};
use crate::cli::format::Format;
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::{Printer, json_line};
use crate::cli::progress::{self, Frame, Progress};
use crate::cli::shown::Shown;
use crate::cli::view::ornament::DOT;
use crate::cli::view::{self, Role, cut, span};
use crate::cli::wait;

pub(crate) fn judge(command: &JudgeCommand, invocation: &Invocation<'_>) -> Outcome<Exit> {
    match command {
        JudgeCommand::Audit(args) if args.list => list(invocation),
        JudgeCommand::Audit(args) => audit(args, invocation),
    }
}

fn list(invocation: &Invocation<'_>) -> Outcome<Exit> {
    let printer = &invocation.printer;
    let profiles = wait::wait(invocation.engine()?.judge_profiles())?;
    match printer.format() {
        Format::Jsonl => printer.data(&profiles.iter().map(json_line).collect::<Outcome<String>>()?)?,
        Format::Text if profiles.is_empty() => printer.note("no judge was tested yet: `aludel judge audit` does that"),
        _ => printer.value(&profiles, |page| view::judge_profiles(page, &profiles, SystemClock.now()))?,
    }
    Ok(Exit::Done)
}

fn audit(args: &JudgeAuditArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let printer = &invocation.printer;
    let engine = invocation.engine()?;
    let mut request: JudgeAuditRequest = engine.decode(args.request())?;
    let preflight = engine.preflight_audit(&request)?;
    request.budget_usd = confirmed(preflight, request.budget_usd, invocation)?;
    let seen = std::cell::Cell::new((0, 0));
    let mut drawn = printer.may_draw().then(Progress::new);
    let ended = wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")))?;
        let mut ticks = tokio::time::interval(progress::INTERVAL);
        let testing = engine.audit_judge(request, |done, total| seen.set((done, total)));
        let mut testing = std::pin::pin!(testing);
        let ended = loop {
            tokio::select! {
                biased;
                () = interrupts.next() => break None,
                ended = &mut testing => break Some(ended),
                _ = ticks.tick(), if drawn.is_some() => {
                    if let Some(drawn) = &mut drawn {
                        drawn.draw_lines(printer, |frame| vec![line(seen.get(), frame)]);
                    }
                }
            }
        };
        Ok::<_, Error>((ended, engine.close().await))
    });
    if let Some(drawn) = &mut drawn {
        drawn.clear(printer);
    }
    let (ended, closed) = ended??;
    let outcome = match ended {
        Some(tested) => tested.map_err(Failure::from).and_then(|tested| put_out(printer, tested)),
        None => {
            printer.say("interrupted: the test was not finished and is not stored; `aludel spend --by command` shows what it cost");
            Err(Failure::Said(Exit::Interrupted))
        }
    };
    failure::and_closed(outcome, closed)
}

fn put_out(printer: &Printer, tested: Audited) -> Outcome<Exit> {
    let Audited { profile, warnings, not_kept } = tested;
    for warning in warnings {
        printer.say(format!("warning: {warning}"));
    }
    match printer.format() {
        Format::Jsonl => printer.data(&json_line(&profile)?)?,
        _ => printer.value(&profile, |page| view::judge_profile(page, &profile))?,
    }
    not_kept.map_or(Ok(Exit::Done), |error| Err(error.into()))
}

/// How far it has come, on a line.
fn line((done, total): (usize, usize), frame: &Frame) -> Shown {
    let what = match total {
        0 => "asking the judge for texts of its own".to_owned(),
        _ => format!("testing the judge: {done} of {total} questions"),
    };
    let elapsed = span(frame.elapsed_ms);
    let words = cut(&format!("  {} {what}{DOT}{elapsed}", frame.spinner), frame.width);
    frame.paint.text(Role::Faint, &words)
}
