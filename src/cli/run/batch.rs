//! `aludel batch`: rows in, a line each out.
//!
//! Next to the output file a file of the same name with [`OF_JOB`] names the job, until every row
//! is written: by it `--resume` finds the batch, and sees that one is complete. Each line is
//! written once: what a resumed batch has done before is compared with the lines that are there,
//! and half a line, which a kill can leave, is written anew.

mod junit;
mod output;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aludel_core::api::{BatchRequest, JobKey, JobRequest, ResumeJobRequest};
use aludel_core::domain::{BatchSummary, Job, JobState, SessionId};
use aludel_core::engine::{BadRows, BatchInput, CheckedRows, Engine};
use aludel_core::error::{Code, Error, Result};
use aludel_core::event::run::Run;
use aludel_core::event::{EventKind, Outcome, RunState, RunView};
use aludel_core::files;
use aludel_core::job::LEASE;
use aludel_core::transfer::{Input, spool_whole};

use super::output_file::OutputFile;
use super::watching::confirmed;
use crate::cli::Invocation;
use crate::cli::args::BatchArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{self, CommandResult, Failure};
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::Printer;
use crate::cli::progress::{self, Progress};
use crate::cli::view::{self, count_of, span};
use crate::cli::wait::{self, wait};
use crate::figures::thousands;
use output::RowOutput;

/// The ending of the file that names the job.
const OF_JOB: &str = ".job";

/// How often the job of a resumed batch is looked at.
const RETRIED_EVERY: Duration = Duration::from_millis(500);

pub(crate) fn batch(args: &BatchArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: BatchRequest = engine.decode(args.request())?;
    let source = source_of(args)?;
    if args.dry_run {
        return dry_run(&engine, &request, source, &invocation.printer);
    }
    let output = args.output_file.as_deref().map(OutputFile::prepare).transpose()?;
    let junit = args.junit.as_deref().map(OutputFile::prepare).transpose()?;
    let earlier = match output {
        Some(file) => earlier_batch(file.path(), args.resume)?,
        None if args.resume => {
            return Err(Error::shape("resume", "needs --output-file: the file that the batch writes").into());
        }
        None => Earlier::None,
    };
    let job = match earlier {
        Earlier::Complete => {
            invocation.printer.note("the batch is complete; nothing is left to do");
            return Ok(Exit::Done);
        }
        Earlier::Job(id) if is_half_stored(&engine, id, &invocation.printer)? => {
            invocation.printer.note("the batch was killed before it began, and starts again");
            BatchStart::New(Box::new(new_batch(&engine, &request, source, invocation)?))
        }
        Earlier::Job(id) => BatchStart::Earlier(id),
        Earlier::None => BatchStart::New(Box::new(new_batch(&engine, &request, source, invocation)?)),
    };
    let output = output.map(OutputFile::path);
    let ways =
        Ways { output, of_job: output.filter(|path| !is_special(path)).map(job_file), is_ordered: args.ordered, junit };
    run(&engine, job, &request, &ways, args.no_vectors || args.no_save, invocation)
}

/// Prints the rest of a resumed batch to standard output.
pub(super) fn resume(
    engine: &Engine,
    request: &ResumeJobRequest,
    id: SessionId,
    invocation: &Invocation<'_>,
) -> CommandResult<Exit> {
    let caps = BatchRequest { budget_usd: request.budget_usd, max_calls: request.max_calls, ..BatchRequest::default() };
    let ways = Ways { output: None, of_job: None, is_ordered: false, junit: None };
    run(engine, BatchStart::Earlier(id), &caps, &ways, true, invocation)
}

/// True for a batch that was killed while its rows were being stored: nothing has been sent for it.
fn is_half_stored(engine: &Engine, id: SessionId, printer: &Printer) -> CommandResult<bool> {
    let began = Instant::now();
    loop {
        if wait(engine.are_rows_stored(id))? {
            return Ok(false);
        }
        let job = wait(engine.job(JobRequest { job_id: JobKey::Id(id) }))?.job;
        if job.state != JobState::Running {
            return Ok(true);
        }
        // Its process may still be storing them.
        if began.elapsed() > LEASE + RETRIED_EVERY {
            return Ok(false);
        }
        if began.elapsed() < RETRIED_EVERY {
            say_waiting(&job, printer);
        }
        std::thread::sleep(RETRIED_EVERY);
    }
}

fn say_waiting(job: &Job, printer: &Printer) {
    let (owner, most) = (job.owner.as_deref().unwrap_or("another process"), LEASE.as_secs());
    printer.say(format!("{owner} works on the batch or was killed; waiting up to {most} s to see which"));
}

/// A batch that is about to run.
enum BatchStart {
    New(Box<aludel_core::engine::Prepared>),
    Earlier(SessionId),
}

/// Where the lines go.
struct Ways<'a> {
    output: Option<&'a Path>,
    /// The file that names the job.
    of_job: Option<PathBuf>,
    is_ordered: bool,
    junit: Option<OutputFile<'a>>,
}

/// The file of rows; `None` for standard input.
fn source_of(args: &BatchArgs) -> Result<Option<&Path>> {
    let files = match args.files.split_first() {
        // `batch process FILE`.
        Some((first, rest)) if first.as_os_str() == "process" => rest,
        _ => &args.files[..],
    };
    match (files, &args.input_file) {
        ([], None) => Ok(None),
        ([one], None) => Ok(Some(one.as_path()).filter(|path| path.as_os_str() != "-")),
        ([], Some(path)) => Ok(Some(path.as_path()).filter(|path| path.as_os_str() != "-")),
        _ => Err(Error::shape("input_file", "is given twice: name one file of rows")),
    }
}

/// The rows, which are read twice; what cannot be is copied first.
fn open(source: Option<&Path>) -> Result<(BatchInput, BadRows)> {
    let Some(path) = source else {
        if crate::cli::input::stdin_is_terminal() {
            return Err(Error::shape(
                "input_file",
                "is missing: name a file of rows (aludel batch FILE), or pipe rows in",
            ));
        }
        let name = PathBuf::from("standard input");
        let source = spool_whole(std::io::stdin().lock(), &name)?;
        return Ok((BatchInput::File(Input { name, source }), BadRows::Fail));
    };
    let failed = |error: &std::io::Error| files::failure("read", path, error);
    let source = File::open(path).map_err(|error| failed(&error))?;
    let found = source.metadata().map_err(|error| failed(&error))?;
    if found.is_dir() {
        return Err(failed(&std::io::ErrorKind::IsADirectory.into()));
    }
    let source = if found.is_file() { source } else { spool_whole(source, path)? };
    Ok((BatchInput::File(Input { name: path.to_owned(), source }), BadRows::Refuse))
}

fn dry_run(engine: &Engine, request: &BatchRequest, source: Option<&Path>, printer: &Printer) -> CommandResult<Exit> {
    let (mut input, bad_rows) = open(source)?;
    let checked = engine.check_batch(request, &mut input, bad_rows, true)?;
    let CheckedRows { rows, bad, estimate } = &checked;
    let estimate = estimate.clone().unwrap_or_default();
    let seconds = wait(engine.expected_seconds(request, &estimate))?;
    let value = serde_json::json!({ "rows": rows, "bad": bad, "estimate": estimate, "seconds": seconds });
    printer.value(&value, |page| {
        page.line(format!(
            "{}{}",
            count_of(*rows, "row"),
            if *bad > 0 { format!(", {bad} of them bad") } else { String::new() }
        ));
        let most = match estimate.most_usd {
            Some(most) => format!("up to ${most}"),
            None => format!("an unknown amount, because the price of {} is unknown", estimate.unpriced.join(", ")),
        };
        let (sent, received) = (thousands(estimate.input_tokens), thousands(estimate.output_tokens));
        page.line(format!("{}, {most}", count_of(estimate.calls, "call")));
        page.line(format!("up to {sent} tokens sent and {received} received"));
        page.line(match seconds {
            Some(seconds) => format!("about {}, as its models took so far", span(milliseconds(seconds))),
            None => "how long it takes is unknown until its models have made prompts here".to_owned(),
        });
        page.line("nothing was sent");
    })?;
    Ok(Exit::Done)
}

fn milliseconds(seconds: f64) -> u64 {
    let duration = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn new_batch(
    engine: &Engine,
    request: &BatchRequest,
    source: Option<&Path>,
    invocation: &Invocation<'_>,
) -> CommandResult<aludel_core::engine::Prepared> {
    let (mut input, bad_rows) = open(source)?;
    let checked = engine.check_batch(request, &mut input, bad_rows, engine.needs_estimate(request))?;
    confirmed(engine.prepare_batch(request.clone(), input, &checked)?, invocation)
}

/// What is there of a batch that writes this file.
enum Earlier {
    None,
    Complete,
    Job(SessionId),
}

fn job_file(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(OF_JOB);
    name.into()
}

/// True for a pipe or a device, such as /dev/stdout.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_file())
}

fn earlier_batch(output: &Path, resumes: bool) -> Result<Earlier> {
    let of_job = job_file(output);
    let refused = |reason: &str| Error::File { action: "write", path: output.into(), reason: reason.to_owned() };
    match std::fs::read_to_string(&of_job) {
        Ok(_) if !resumes => {
            Err(refused("a batch that writes it is not complete; go on with it with --resume, or name another file"))
        }
        Ok(id) => id.trim().parse().map(Earlier::Job).map_err(|_| Error::File {
            action: "read",
            path: of_job,
            reason: "it does not name a job; remove it and the output to start again".into(),
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => match output.metadata() {
            Ok(_) if is_special(output) => Ok(Earlier::None),
            Ok(_) if resumes => Ok(Earlier::Complete),
            Ok(_) => Err(refused("it exists already, and a batch overwrites no file; name another")),
            Err(_) => Ok(Earlier::None),
        },
        Err(error) => Err(files::failure("read", &of_job, &error)),
    }
}

fn run(
    engine: &Engine,
    begun: BatchStart,
    request: &BatchRequest,
    ways: &Ways<'_>,
    no_vectors: bool,
    invocation: &Invocation<'_>,
) -> CommandResult<Exit> {
    let printer = &invocation.printer;
    let resumes = matches!(begun, BatchStart::Earlier(_));
    wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Failure::from(Error::Internal(format!("cannot install the signal handlers: {error}"))))?;
        let mut watched = Watched::new(printer);
        let outcome = async {
            let (id, running) = match begun {
                BatchStart::New(prepared) => {
                    let running = prepared.start()?;
                    (running.session_id(), Some(running))
                }
                BatchStart::Earlier(id) => {
                    let resumed = resumed(engine, id, request, printer, &mut interrupts).await?;
                    (id, resumed.map(|(running, before)| watched.after(&before, running)))
                }
            };
            watched.id = Some(id);
            if let Some(of_job) = &ways.of_job {
                files::write_atomically(of_job, format!("{id}\n").as_bytes(), 0o666)?;
            }
            let mut lines = RowOutput::open(ways.output, ways.is_ordered, resumes, printer)?;
            let mut done = engine.batch_results(id);
            if lines.is_resumed() {
                while let Some(row) = done.next().await? {
                    lines.take(&row)?;
                }
            }
            if let Some(running) = running {
                watched.watch(running, &mut lines, &mut interrupts).await?;
            }
            lines.finish()?;
            Ok::<_, Failure>(id)
        }
        .await;
        watched.clear();
        let outcome = match outcome {
            Ok(id) => conclude(engine, id, &watched, ways, printer).await,
            Err(failure) => Err(failure),
        };
        if !no_vectors && matches!(outcome, Ok(_) | Err(Failure::Reported(Exit::Failed))) {
            super::import::make_vectors(printer, engine, &mut interrupts).await;
        }
        failure::with_close_result(outcome, engine.close().await)
    })?
}

/// The rest of a batch, and the job before it; `None` if it is done. One whose process was killed
/// counts as running until its lease has run out, which is waited for.
async fn resumed(
    engine: &Engine,
    id: SessionId,
    request: &BatchRequest,
    printer: &Printer,
    interrupts: &mut Interrupts,
) -> CommandResult<Option<(Run, Job)>> {
    let began = Instant::now();
    let mut is_told = false;
    let job_id = JobKey::Id(id);
    let caps =
        ResumeJobRequest { job_id: job_id.clone(), budget_usd: request.budget_usd, max_calls: request.max_calls };
    loop {
        let job = engine.job(JobRequest { job_id: job_id.clone() }).await?.job;
        if job.state == JobState::Finished {
            return Ok(None);
        }
        if job.state != JobState::Running || began.elapsed() > LEASE + RETRIED_EVERY {
            return Ok(Some((engine.resume_job(caps).await?, job)));
        }
        if !std::mem::replace(&mut is_told, true) {
            say_waiting(&job, printer);
        }
        tokio::select! {
            biased;
            () = interrupts.next() => return Err(Failure::Reported(Exit::Interrupted)),
            () = tokio::time::sleep(RETRIED_EVERY) => {}
        }
    }
}

/// Writes the report, and says how the batch ended.
async fn conclude(
    engine: &Engine,
    id: SessionId,
    watched: &Watched<'_>,
    ways: &Ways<'_>,
    printer: &Printer,
) -> CommandResult<Exit> {
    if let Some(file) = ways.junit {
        junit::write(file, engine.batch_results(id), id).await?;
    }
    let summary = match &watched.view.state {
        RunState::Finished(outcome) => match &**outcome {
            Outcome::Batch(summary) => summary.clone(),
            other => return Err(super::unexpected_outcome(other)),
        },
        // Everything had been done before.
        RunState::Waiting => finished_summary(engine, id).await?,
        RunState::Failed(problem) => {
            match &ways.of_job {
                // Its rows were not all stored, or it is another's by now.
                Some(of_job) if problem.code == Code::Conflict => {
                    printer.say(format!("to start again, remove {} and the output", of_job.display()));
                }
                _ => say_how_to_resume(id, ways, printer),
            }
            return Err(Failure::Problem(problem.clone()));
        }
        RunState::Running | RunState::Cancelled => {
            printer.say(format!(
                "interrupted: {} of {} done and recorded",
                thousands(watched.earlier + watched.view.done),
                count_of(watched.view.total.unwrap_or_default(), "row")
            ));
            say_how_to_resume(id, ways, printer);
            return Err(Failure::Reported(Exit::Interrupted));
        }
    };
    if let Some(of_job) = &ways.of_job {
        std::fs::remove_file(of_job).map_err(|error| files::failure("remove", of_job, &error))?;
    }
    let elapsed = u64::try_from(watched.started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let text = said(&summary, elapsed);
    if ways.output.is_some() {
        printer.value(&summary, |page| page.line(text))?;
    } else {
        printer.note(text);
    }
    if summary.failed > 0 { Err(Failure::Reported(Exit::Failed)) } else { Ok(Exit::Done) }
}

async fn finished_summary(engine: &Engine, id: SessionId) -> CommandResult<BatchSummary> {
    let details = engine.job(JobRequest { job_id: JobKey::Id(id) }).await?;
    let summary = details.result.map(serde_json::from_value).and_then(std::result::Result::ok);
    summary.ok_or_else(|| Error::Internal(format!("job {id} has no result")).into())
}

fn say_how_to_resume(id: SessionId, ways: &Ways<'_>, printer: &Printer) {
    match ways.of_job {
        Some(_) => printer.say("the same command with --resume does the rest"),
        None => printer.say(format!("`aludel jobs resume {}` does the rest", id.short())),
    }
}

/// The summary in a line.
fn said(summary: &BatchSummary, elapsed_ms: u64) -> String {
    let failed = if summary.failed > 0 { format!(", {} failed", thousands(summary.failed)) } else { String::new() };
    let rows = format!("{} of {} ok{failed}", thousands(summary.ok), count_of(summary.total, "row"));
    format!("{rows}; {}; {}", view::spent(&summary.model_metadata), span(elapsed_ms))
}

/// What is seen of a running batch.
struct Watched<'a> {
    printer: &'a Printer,
    view: RunView,
    id: Option<SessionId>,
    progress: Option<Progress>,
    /// The last hundredth that was printed, without a terminal.
    percent: u64,
    started: Instant,
    /// Rows that earlier attempts have done.
    earlier: u64,
}

impl<'a> Watched<'a> {
    fn new(printer: &'a Printer) -> Self {
        let progress = printer.may_draw().then(Progress::new);
        Self { printer, view: RunView::default(), id: None, progress, percent: 0, started: Instant::now(), earlier: 0 }
    }

    /// Counts what was done before a resumed batch.
    fn after(&mut self, before: &Job, running: Run) -> Run {
        self.earlier = before.done;
        self.progress = self.progress.take().map(|progress| progress.with_earlier(before.done, before.failed));
        running
    }

    /// Takes the events to the last. The first signal stops the batch, the second ends the process.
    async fn watch(&mut self, mut run: Run, lines: &mut RowOutput<'_>, interrupts: &mut Interrupts) -> CommandResult {
        let mut ticks = tokio::time::interval(progress::INTERVAL);
        let mut is_stopped = false;
        loop {
            tokio::select! {
                biased;
                () = interrupts.next() => {
                    if is_stopped {
                        self.clear();
                        std::process::exit(Exit::Interrupted.number().into());
                    }
                    is_stopped = true;
                    self.clear();
                    self.printer.say("stopping; what has finished is kept (once more to quit at once)");
                    run.control().cancel_all();
                }
                _ = ticks.tick(), if self.progress.is_some() => {
                    if let Some(progress) = &mut self.progress {
                        progress.draw(self.printer, &self.view, None);
                    }
                }
                event = run.next() => {
                    let Some(event) = event else { return Ok(()) };
                    let mut next = Some(event);
                    while let Some(event) = next {
                        self.view.apply(&event);
                        match &event.kind {
                            EventKind::RowFinished { row } => {
                                self.clear_for(lines);
                                lines.take(row)?;
                            }
                            EventKind::Warning { message, .. } => {
                                self.clear();
                                self.printer.note(format!("warning: {message}"));
                            }
                            _ => {}
                        }
                        next = run.try_next();
                    }
                    lines.flush()?;
                    self.say_percent();
                }
            }
        }
    }

    /// Makes room where the lines go to the same terminal as the progress.
    fn clear_for(&mut self, lines: &RowOutput<'_>) {
        if lines.is_printed() {
            self.clear();
        }
    }

    fn clear(&mut self) {
        if let Some(progress) = &mut self.progress {
            progress.clear(self.printer);
        }
    }

    /// Without a terminal: a line for each hundredth, at most.
    fn say_percent(&mut self) {
        let Some(total) = self.view.total.filter(|total| *total > 0 && !self.printer.may_draw()) else { return };
        let done = self.earlier + self.view.done;
        let percent = done * 100 / total;
        if percent > self.percent && done < total {
            self.percent = percent;
            let failed = self.view.failed_rows;
            let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
            self.printer.note(format!("{percent} %: {} of {}{failed}", thousands(done), count_of(total, "row")));
        }
    }
}
