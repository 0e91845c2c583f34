//! Runs on the command line: consent to the cost, progress, stopping by a signal.
//!
//! The same for every command that calls models: event lines with `--format jsonl`, live text,
//! progress on a terminal. Each command handles the result itself.

use std::io::IsTerminal;
use std::pin::pin;

use aludel_core::engine::{Preflight, Prepared};
use aludel_core::event::run::Run;
use aludel_core::event::{Event, Outcome, RunState, RunView};

use crate::cli::Invocation;
use crate::cli::exit::Exit;
use crate::cli::failure::{CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::interrupt::Interrupts;
use crate::cli::live::LiveText;
use crate::cli::printer::{Printer, json_line};
use crate::cli::progress::{self, Progress};
use crate::cli::shown::{EscapedStream, EscapedText};
use crate::cli::view::{Frame, count_of};

/// Asks before a run whose estimated cost needs consent; --yes gives it. The estimate becomes the
/// budget. Without anyone to ask, the engine refuses the run, as on every face.
pub(super) fn confirmed(prepared: Prepared, invocation: &Invocation<'_>) -> CommandResult<Prepared> {
    let Some(budget_usd) = consent(prepared.preflight(), invocation)? else { return Ok(prepared) };
    Ok(prepared.with_budget(Some(budget_usd)))
}

/// The budget the user consented to; `None` if no question is needed, or none can be asked.
pub(super) fn consent(preflight: &Preflight, invocation: &Invocation<'_>) -> CommandResult<Option<f64>> {
    let Preflight::Ask(estimate) = preflight else { return Ok(None) };
    let printer = &invocation.printer;
    if !invocation.globals.yes {
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return Ok(None);
        }
        let (most, calls) = (estimate.most_usd.unwrap_or_default(), count_of(estimate.calls, "call"));
        if !printer.asks(&format!("This run may cost up to ${most} ({calls}). Go on?")) {
            printer.say("nothing was sent");
            return Err(Failure::Reported(Exit::BudgetExceeded));
        }
    }
    Ok(estimate.most_usd)
}

/// Handles events to the last. The first signal cancels the run, the second ends the process.
pub(super) async fn watch(mut run: Run, watcher: &mut Watcher<'_>, interrupts: &mut Interrupts) -> CommandResult {
    let mut ticks = tokio::time::interval(progress::INTERVAL);
    let mut is_cancelled = false;
    loop {
        tokio::select! {
            biased;
            () = interrupts.next() => {
                if is_cancelled {
                    watcher.clear();
                    // The second signal must not wait, not even for the runtime to shut down.
                    std::process::exit(Exit::Interrupted.number().into());
                }
                is_cancelled = true;
                if let Some(stopping) = watcher.stopping {
                    watcher.say(stopping);
                }
                run.control().cancel_all();
            }
            _ = ticks.tick(), if watcher.progress.is_some() => watcher.draw(),
            event = run.next() => {
                let Some(event) = event else { return Ok(()) };
                watcher.take(&event)?;
                while let Some(event) = run.try_next() {
                    watcher.take(&event)?;
                }
                watcher.show()?;
            }
        }
    }
}

/// Runs some work; `None` if a signal came first. Draws `picture` repeatedly if the printer has a
/// terminal, and clears it at the end.
pub(super) async fn drawn<T>(
    printer: Option<&Printer>,
    interrupts: &mut Interrupts,
    picture: impl Fn(&Frame) -> Vec<EscapedText>,
    work: impl Future<Output = T>,
) -> Option<T> {
    let mut drawn = printer.filter(|printer| printer.may_draw()).map(|printer| (printer, Progress::new()));
    let mut ticks = tokio::time::interval(progress::INTERVAL);
    let mut work = pin!(work);
    let ended = loop {
        tokio::select! {
            biased;
            () = interrupts.next() => break None,
            ended = &mut work => break Some(ended),
            _ = ticks.tick(), if drawn.is_some() => {
                if let Some((printer, drawn)) = &mut drawn {
                    drawn.draw_lines(printer, &picture);
                }
            }
        }
    };
    if let Some((printer, drawn)) = &mut drawn {
        drawn.clear(printer);
    }
    ended
}

/// Shows a run as it happens and keeps its state.
pub(super) struct Watcher<'a> {
    printer: &'a Printer,
    pub(super) view: RunView,
    /// Event lines, with `--format jsonl`: printed as they arrive, or collected for a file.
    pub(super) lines: Option<String>,
    lines_go_to_file: bool,
    live: Option<LiveText>,
    live_goes_to_data: bool,
    live_text: String,
    live_shown: EscapedStream,
    progress: Option<Progress>,
    /// The message after the first signal, if the work takes time to stop.
    stopping: Option<&'static str>,
    /// A line below the progress.
    remark: Option<&'static str>,
}

impl<'a> Watcher<'a> {
    pub(super) fn new(printer: &'a Printer, is_streamed: bool, has_file: bool) -> Self {
        Self {
            printer,
            view: RunView::default(),
            lines: (printer.format() == Format::Jsonl).then(String::new),
            lines_go_to_file: has_file,
            live: is_streamed.then(LiveText::default),
            // If standard output carries data for a program, the live text goes to standard error.
            live_goes_to_data: printer.format() == Format::Text && !printer.is_quiet() && !has_file,
            live_text: String::new(),
            live_shown: EscapedStream::default(),
            progress: (printer.may_draw() && !is_streamed).then(Progress::new),
            stopping: Some("stopping; what has finished is kept (once more to quit at once)"),
            remark: None,
        }
    }

    /// For work whose events are not printed, and which stops at once: shows only its progress.
    pub(super) fn of_progress(printer: &'a Printer) -> Self {
        Self { lines: None, stopping: None, ..Self::new(printer, false, false) }
    }

    /// Adds a line below the progress.
    pub(super) fn with_remark(self, remark: &'static str) -> Self {
        Self { remark: Some(remark), ..self }
    }

    /// The result of the work. If it was stopped, the error has the text of `interrupted`.
    ///
    /// # Errors
    /// The run's own problem, or that it was stopped.
    pub(super) fn result(&self, interrupted: impl FnOnce(&RunView) -> Option<String>) -> CommandResult<Outcome> {
        match &self.view.state {
            RunState::Finished(outcome) => Ok(Outcome::clone(outcome)),
            RunState::Failed(problem) => Err(Failure::Problem(problem.clone())),
            RunState::Waiting | RunState::Running | RunState::Cancelled => {
                if let Some(said) = interrupted(&self.view) {
                    self.printer.say(said);
                }
                Err(Failure::Reported(Exit::Interrupted))
            }
        }
    }

    fn take(&mut self, event: &Event) -> CommandResult {
        self.view.apply(event);
        if let Some(lines) = &mut self.lines {
            lines.push_str(&json_line(event)?);
        }
        if let Some(live) = &mut self.live {
            self.live_text.push_str(&live.take(&event.kind));
        }
        Ok(())
    }

    /// Prints what has arrived since the last call.
    fn show(&mut self) -> CommandResult {
        if let Some(lines) = self.lines.as_mut().filter(|_| !self.lines_go_to_file) {
            self.printer.data(std::mem::take(lines))?;
        }
        if !self.live_text.is_empty() {
            let text = self.live_shown.push(&std::mem::take(&mut self.live_text));
            if self.live_goes_to_data { self.printer.data(text)? } else { self.printer.talk(text) }
        }
        Ok(())
    }

    fn draw(&mut self) {
        if let Some(progress) = &mut self.progress {
            progress.draw(self.printer, &self.view, self.remark);
        }
    }

    pub(super) fn clear(&mut self) {
        if let Some(progress) = &mut self.progress {
            progress.clear(self.printer);
        }
    }

    fn say(&mut self, text: &'static str) {
        self.clear();
        self.printer.say(text);
    }
}
