//! `aludel judge audit`: a judge's own test or a person's labels, with progress, and the list of those that were tested.

use std::cell::Cell;

use aludel_core::api::JudgeAuditRequest;
use aludel_core::engine::{Audited, Engine, LabelsAudited, LabelsProgress};
use aludel_core::error::{Error, Result};
use aludel_core::time::{Clock, SystemClock};

use super::watching::consent;
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
    let engine = invocation.engine()?;
    let mut request: JudgeAuditRequest = engine.decode(args.request())?;
    let seen = Cell::new(Seen::Preparing);
    if let Some(path) = &args.labels {
        let (pairs, preflight) = wait::wait(async {
            let pairs = engine.labels(path).await?;
            let preflight = engine.preflight_labels(&request, &pairs).await?;
            Ok::<_, Error>((pairs, preflight))
        })?;
        request.budget_usd = consent(&preflight, invocation)?.or(request.budget_usd);
        let asking = engine.audit_labels(request, &pairs, |progress| seen.set(Seen::of_labels(progress)));
        return watched(&engine, invocation, &seen, asking, |tested| put_labels_out(&invocation.printer, tested));
    }
    let preflight = engine.preflight_audit(&request)?;
    request.budget_usd = consent(&preflight, invocation)?.or(request.budget_usd);
    let testing = engine.audit_judge(request, |done, total| seen.set(Seen::Testing(done, total)));
    watched(&engine, invocation, &seen, testing, |tested| put_out(&invocation.printer, tested))
}

/// Runs a test with its progress shown, until it ends or a signal comes.
fn watched<T>(
    engine: &Engine,
    invocation: &Invocation<'_>,
    seen: &Cell<Seen>,
    testing: impl Future<Output = Result<T>>,
    put_out: impl FnOnce(T) -> Outcome<Exit>,
) -> Outcome<Exit> {
    let printer = &invocation.printer;
    let mut drawn = printer.may_draw().then(Progress::new);
    let ended = wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")))?;
        let mut ticks = tokio::time::interval(progress::INTERVAL);
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
        Some(tested) => tested.map_err(Failure::from).and_then(put_out),
        None => {
            printer.say("interrupted: the test was not finished and is not stored; `aludel spend --by command` shows what it cost");
            Err(Failure::Said(Exit::Interrupted))
        }
    };
    failure::and_closed(outcome, closed)
}

/// What was heard last of a test.
#[derive(Debug, Clone, Copy)]
enum Seen {
    /// It is not said yet how many questions there are.
    Preparing,
    /// The judge's own test: questions answered, of how many.
    Testing(usize, usize),
    /// The labels: questions answered, of how many.
    Labels(usize, usize),
}

impl Seen {
    fn of_labels(progress: LabelsProgress) -> Self {
        match progress {
            LabelsProgress::Testing(done, total) => Self::Testing(done, total),
            LabelsProgress::Asking(done, total) => Self::Labels(done, total),
        }
    }
}

/// The labels' figures; with the whole profile where the judge was tested just now, and for programs.
fn put_labels_out(printer: &Printer, tested: LabelsAudited) -> Outcome<Exit> {
    let LabelsAudited { audited: Audited { profile, warnings, not_kept }, is_tested } = tested;
    for warning in warnings {
        printer.say(format!("warning: {warning}"));
    }
    match printer.format() {
        Format::Jsonl => printer.data(&json_line(&profile)?)?,
        _ if is_tested => printer.value(&profile, |page| view::judge_profile(page, &profile))?,
        _ => printer.value(&profile, |page| view::judge_labels(page, &profile))?,
    }
    ended(not_kept, profile.usable || !is_tested)
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
    ended(not_kept, profile.usable)
}

/// How a test ends whose outcome is put out: a judge that failed it is a failure, which says why by itself.
fn ended(not_kept: Option<Error>, is_passed: bool) -> Outcome<Exit> {
    match not_kept {
        Some(error) => Err(error.into()),
        None if is_passed => Ok(Exit::Done),
        None => Err(Failure::Said(Exit::Failed)),
    }
}

/// How far it has come, on a line.
fn line(seen: Seen, frame: &Frame) -> Shown {
    let what = match seen {
        Seen::Preparing => "asking the judge for texts of its own".to_owned(),
        Seen::Testing(done, total) => format!("testing the judge: {done} of {total} questions"),
        Seen::Labels(done, total) => format!("asking about your labels: {done} of {total} questions"),
    };
    let elapsed = span(frame.elapsed_ms);
    let words = cut(&format!("  {} {what}{DOT}{elapsed}", frame.spinner), frame.width);
    frame.paint.text(Role::Faint, &words)
}
