//! `aludel generate`: turns a request into ranked prompts.
//!
//! All input is checked before the run: texts are read, the output file is tried, the request is
//! decoded. Then events are shown as they arrive, and the result in the requested format. SIGINT
//! and SIGTERM stop the run; finished variants are stored and printed like any result. So are those
//! of a run that a cap on money or calls ended, and the exit code is that of the cap. After the
//! result, the command waits until its prompts are embedded for search.

use std::time::{Duration, Instant};

use aludel_core::api::{JobKey, JobRequest};
use aludel_core::domain::{GenerationResult, Prompt, VariantFailure};
use aludel_core::engine::{DetectedProvider, Engine};
use aludel_core::error::{Error, Problem};
use aludel_core::event::{RunState, RunView, VariantState};

use super::output_file::OutputFile;
use super::texts;
use super::watching::{Watcher, confirmed, watch};
use crate::cli::Invocation;
use crate::cli::args::GenerateArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{self, CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::Printer;
use crate::cli::shown::EscapedText;
use crate::cli::view::{self, Page, Summary, count_of};
use crate::cli::wait;

/// How long closing may take before a message says so.
const CLOSING_NOTICE_AFTER: Duration = Duration::from_secs(1);

/// Formats of a result.
const FORMATS_OF_FILES: [Format; 5] = [Format::Text, Format::Json, Format::Jsonl, Format::Yaml, Format::Markdown];

pub(crate) fn generate(args: &GenerateArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    if invocation.globals.output.is_some() {
        return Err(
            Error::value("output", "means --format elsewhere; here say --format, or --output-file for a file").into()
        );
    }
    let file = args.output_file.as_deref().map(OutputFile::prepare).transpose()?;
    let of_name = file.and_then(|file| Format::of_file(file.path())).filter(|of| FORMATS_OF_FILES.contains(of));
    let printer = invocation.printer.clone().with_format(invocation.format.or(of_name).unwrap_or(Format::Text));

    let engine = invocation.engine()?;
    let request = texts::request(args, &engine, &printer)?;
    let prepared = confirmed(engine.prepare(request.clone())?, invocation)?;
    let mut watcher = Watcher::new(&printer, args.stream, file.is_some());
    let job = Job { engine: &engine, printer: &printer, file, is_saved: request.save };
    let started = Instant::now();
    wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Failure::from(Error::Internal(format!("cannot install the signal handlers: {error}"))))?;
        // Only people are told about detected providers, so programs need no detection.
        let detected_providers = printer.takes_notes().then(|| engine.look_for_providers(request.provider.as_deref()));
        let ended = watch(prepared.start()?, &mut watcher, &mut interrupts).await;
        let elapsed = started.elapsed();
        watcher.clear();
        if ended.is_err() || matches!(watcher.view.state, RunState::Cancelled) {
            // A user who stops a run wants the process to end.
            engine.stop_indexing();
        }
        let outcome = match ended {
            Ok(()) => {
                let detected_providers = match detected_providers {
                    Some(detected_providers) => detected_providers.point_out().await,
                    None => Vec::new(),
                };
                let outcome = job.conclude(&watcher, elapsed);
                for newcomer in &detected_providers {
                    point_out(&printer, newcomer);
                }
                outcome
            }
            Err(failure) => Err(failure),
        };
        // The result is printed; the rest is for later searches.
        let closed = close_engine(&engine, &printer, &mut interrupts).await;
        failure::with_close_result(outcome, closed)
    })?
}

/// Prints the result of a resumed run.
pub(super) fn conclude_resumed(
    engine: &Engine,
    printer: &Printer,
    watcher: &Watcher<'_>,
    elapsed: Duration,
) -> CommandResult<Exit> {
    Job { engine, printer, file: None, is_saved: true }.conclude(watcher, elapsed)
}

/// Closes the engine, which waits until the prompts are embedded. Says so on a terminal if it takes
/// long; a signal postpones the rest.
async fn close_engine(engine: &Engine, printer: &Printer, interrupts: &mut Interrupts) -> Result<(), Error> {
    let mut closing = std::pin::pin!(engine.close());
    let mut is_told = !printer.may_draw();
    loop {
        tokio::select! {
            biased;
            closed = &mut closing => return closed,
            () = interrupts.next() => engine.stop_indexing(),
            () = tokio::time::sleep(CLOSING_NOTICE_AFTER), if !is_told => {
                is_told = true;
                printer.say("embedding the prompts for search by meaning; Ctrl-C leaves it for later");
            }
        }
    }
}

/// Tells how to use a detected provider that is not configured.
fn point_out(printer: &Printer, newcomer: &DetectedProvider) {
    let DetectedProvider { name, reason } = newcomer;
    printer.note(format!(
        "{reason}, so `{name}` can be used: pass --provider {name}, or add it to the file that `aludel config init` writes"
    ));
}

/// A run's result and what to do with it.
struct Job<'a> {
    engine: &'a Engine,
    printer: &'a Printer,
    file: Option<OutputFile<'a>>,
    is_saved: bool,
}

impl Job<'_> {
    /// Prints the result, or the part that exists, and returns how the run ended.
    fn conclude(&self, watcher: &Watcher<'_>, elapsed: Duration) -> CommandResult<Exit> {
        let view = &watcher.view;
        match &view.state {
            RunState::Failed(problem) => {
                if view.finished_prompts().next().is_some() {
                    self.print_result_or_say_where(&partial(view), watcher, elapsed)?;
                }
                if let Some(spent) = &view.spent {
                    self.printer.note(format!("the run cost {}", view::spent(spent)));
                }
                Err(Failure::Problem(problem.clone()))
            }
            RunState::Cancelled => {
                let result = partial(view);
                self.print_result_or_say_where(&result, watcher, elapsed)?;
                let finished = result.prompts.len();
                let kept = if self.is_saved { "stored" } else { "not stored, as asked for" };
                let all = count_of(view.variants.len() as u64, "variant");
                let not_stored = view.not_stored();
                self.printer.say(&match (finished, &not_stored) {
                    (0, _) if result.model_metadata.calls > 0 || view.spent.is_some() => {
                        format!("interrupted: no variant had finished; {}", view::spent(&result.model_metadata))
                    }
                    (0, _) => "interrupted: no variant had finished".to_owned(),
                    (_, Some(_)) => format!("interrupted: {finished} of {all} finished"),
                    (_, None) => format!(
                        "interrupted: {finished} of {all} finished and {} {kept}",
                        if finished == 1 { "is" } else { "are" }
                    ),
                });
                self.say_how_to_resume(view);
                Err(not_stored
                    .map_or(Failure::Reported(Exit::Interrupted), |problem| Failure::Problem(Box::new(problem))))
            }
            RunState::Finished(_) => {
                let result =
                    view.generation().ok_or_else(|| Error::Internal("the run returned an unexpected result".into()))?;
                self.print_result_or_say_where(result, watcher, elapsed)?;
                self.say_what_next(Summary { result, elapsed_ms: 0 }, view);
                match (view.not_stored(), view.cap_reached()) {
                    (None, None) => Ok(Exit::Done),
                    (None, Some(problem)) => Err(Failure::Problem(Box::new(problem))),
                    (Some(problem), cap) => {
                        if let Some(cap) = cap {
                            self.printer.note(format!("warning: {}", cap.detail));
                        }
                        Err(Failure::Problem(Box::new(problem)))
                    }
                }
            }
            RunState::Waiting | RunState::Running => {
                Err(Error::Internal("the run ended without a result".into()).into())
            }
        }
    }

    /// Tells how to resume the run, if it can be resumed.
    fn say_how_to_resume(&self, view: &RunView) {
        let Some(id) = view.session_id else { return };
        let request = JobRequest { job_id: JobKey::Id(id) };
        if wait::wait(self.engine.job(request)).is_ok_and(|details| details.job.state.is_resumable()) {
            self.printer.note(format!("`aludel jobs resume {}` makes the rest", id.short()));
        }
    }

    /// As [`Job::print_result`]; if the result cannot be written, the error says what is stored of it.
    fn print_result_or_say_where(
        &self,
        result: &GenerationResult,
        watcher: &Watcher<'_>,
        elapsed: Duration,
    ) -> CommandResult {
        self.print_result(result, watcher, elapsed).map_err(|failure| match failure {
            Failure::Error(Error::File { action, path, reason }) => {
                let where_they_are = self.where_they_are(result, &watcher.view);
                Failure::Error(Error::File { action, path, reason: format!("{reason}; {where_they_are}") })
            }
            other => other,
        })
    }

    /// Where a result that could not be written is stored.
    fn where_they_are(&self, result: &GenerationResult, view: &RunView) -> String {
        if !self.is_saved {
            return "with --no-save nothing is stored of the run".to_owned();
        }
        match self.stored(&Summary { result, elapsed_ms: 0 }, view) {
            Some(Stored { how_many, best }) => {
                let verb = if how_many == 1 { "is" } else { "are" };
                let count = count_of(how_many as u64, "prompt");
                format!("nothing is lost: {count} {verb} stored, and `aludel show {}` shows the best", best.id.short())
            }
            None => "no prompt is stored".to_owned(),
        }
    }

    /// The stored prompts of a result.
    fn stored<'a>(&self, summary: &Summary<'a>, view: &RunView) -> Option<Stored<'a>> {
        let unsaved: Vec<u32> = view.unsaved().map(|(variant, _)| variant).collect();
        let is_stored = |prompt: &&Prompt| self.is_saved && !unsaved.contains(&prompt.variant);
        let prompts = &summary.result.prompts;
        let best = summary.best().filter(is_stored).or(prompts.iter().find(is_stored))?;
        Some(Stored { how_many: prompts.iter().filter(is_stored).count(), best })
    }

    fn print_result(&self, result: &GenerationResult, watcher: &Watcher<'_>, elapsed: Duration) -> CommandResult {
        let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let summary = Summary { result, elapsed_ms };
        match (self.file, &watcher.lines) {
            (None, Some(_)) => {}
            (None, None) => self.printer.data(self.rendered(summary, self.printer.page())?)?,
            (Some(file), Some(lines)) => self.write(file, lines)?,
            (Some(file), None) => self.write(file, &self.rendered(summary, Printer::page_of_a_file())?)?,
        }
        // The other formats contain the remarks. Without a prompt, they are the command's error.
        if self.printer.format() == Format::Text && !result.prompts.is_empty() {
            for remark in view::remarks(result) {
                self.printer.note(remark);
            }
        }
        Ok(())
    }

    fn write(&self, file: OutputFile<'_>, text: &str) -> CommandResult {
        file.write(text)?;
        if !self.printer.is_quiet() {
            self.printer.say(format!("wrote {}", file.path().display()));
        }
        Ok(())
    }

    fn rendered(&self, summary: Summary<'_>, mut page: Page) -> CommandResult<EscapedText> {
        match self.printer.format() {
            Format::Text if summary.result.prompts.is_empty() => Ok(EscapedText::default()),
            Format::Text if self.printer.is_quiet() => {
                page.exactly(summary.best().map(|prompt| prompt.content.as_str()).unwrap_or_default());
                Ok(page.finish())
            }
            Format::Markdown => Ok(view::document_of_generation(summary).into()),
            _ => self.printer.rendered(summary.result, page, |page| view::generation(page, summary)),
        }
    }

    /// Tells where the prompts are stored, and what to do with them.
    fn say_what_next(&self, summary: Summary<'_>, view: &RunView) {
        if !self.is_saved {
            return self.printer.note("not stored, as asked for with --no-save");
        }
        let Some(Stored { how_many, best }) = self.stored(&summary, view) else { return };
        let all = summary.result.prompts.len();
        let how_many = if how_many == all { String::new() } else { format!("{how_many} of {all} ") };
        let paths = self.engine.paths();
        let database = paths.shown(&paths.database);
        self.printer.note(format!(
            "{how_many}stored in {}; `aludel show {}` shows every step",
            database.display(),
            best.id.short()
        ));
    }
}

/// The stored prompts of a result.
struct Stored<'a> {
    how_many: usize,
    best: &'a Prompt,
}

/// The result of an unfinished run: the finished variants, in the order of their ranking, if any.
fn partial(view: &RunView) -> GenerationResult {
    let mut prompts: Vec<Prompt> = view.finished_prompts().cloned().collect();
    let place = |prompt: &Prompt| {
        let ranked = view.rankings.iter().position(|ranking| ranking.prompt_id == prompt.id);
        (ranked.unwrap_or(usize::MAX), prompt.variant)
    };
    prompts.sort_by_key(place);
    GenerationResult {
        session_id: view.session_id.unwrap_or(aludel_core::domain::SessionId(uuid::Uuid::nil())),
        prompts,
        rankings: view.rankings.clone(),
        selected: None,
        failures: view.variants.iter().filter_map(|(number, variant)| failed(*number, variant)).collect(),
        warnings: view.warnings.clone(),
        model_metadata: view.account(),
    }
}

fn failed(number: u32, variant: &aludel_core::event::VariantView) -> Option<VariantFailure> {
    if let Some(why) = &variant.unsaved {
        return Some(VariantFailure { variant: number, phase: None, error: Error::Storage(why.clone()).into() });
    }
    let VariantState::Failed(error) = &variant.state else { return None };
    let phase = variant.phases.last().map(|phase| phase.phase);
    Some(VariantFailure { variant: number, phase, error: Problem::clone(error) })
}
