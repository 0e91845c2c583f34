//! `aludel jobs`: lists, shows, follows, stops and resumes jobs.

use std::time::Instant;

use aludel_core::api::{FollowJobRequest, JobRequest, JobResultRequest, JobsRequest, ResumeJobRequest};
use aludel_core::domain::{Job, JobState, Operation};
use aludel_core::error::Error;
use aludel_core::event::{Event, RunState, RunView};
use aludel_core::job::JobFollower;
use aludel_core::time::{Clock, SystemClock};

use super::watching::{Watcher, watch};
use super::{batch, generate, select};
use crate::cli::Invocation;
use crate::cli::args::{JobFollowArgs, JobResultArgs, JobResumeArgs, JobShowArgs, JobStopArgs, JobsArgs, JobsCommand};
use crate::cli::exit::Exit;
use crate::cli::failure::{self, CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::{Printer, json_line};
use crate::cli::progress::{self, Progress};
use crate::cli::view::{self, lines};
use crate::cli::wait::{self, wait};

pub(crate) fn jobs(args: &JobsArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    match &args.command {
        None => list(args, invocation),
        Some(JobsCommand::Show(args)) => show(args, invocation),
        Some(JobsCommand::Result(args)) => result(args, invocation),
        Some(JobsCommand::Follow(args)) => follow(args, invocation),
        Some(JobsCommand::Stop(args)) => stop(args, invocation),
        Some(JobsCommand::Resume(args)) => resume(args, invocation),
    }
}

fn list(args: &JobsArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: JobsRequest = engine.decode(args.request())?;
    let list = wait(engine.jobs(request))?;
    let printer = &invocation.printer;
    match printer.format() {
        Format::Jsonl => printer.data(&list.jobs.iter().map(json_line).collect::<CommandResult<String>>()?)?,
        Format::Text if printer.is_quiet() => printer.data(lines(list.jobs.iter().map(|job| job.id)))?,
        Format::Text if list.jobs.is_empty() => printer.note(match (request.state, request.all) {
            (None, false) => "no job is running and none can be resumed; --all lists finished jobs",
            _ => "there is no such job",
        }),
        _ => printer.value(&list, |page| view::jobs(page, &list.jobs, SystemClock.now()))?,
    }
    Ok(Exit::Done)
}

fn show(args: &JobShowArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: JobRequest = engine.decode(args.job.request())?;
    let details = wait(engine.job(request))?;
    invocation.printer.value(&details, |page| view::job(page, &details, SystemClock.now()))?;
    Ok(Exit::Done)
}

fn result(args: &JobResultArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: JobResultRequest = engine.decode(args.request())?;
    let result = wait(engine.job_result(request))?;
    let printer = &invocation.printer;
    let is_batch = result.job.operation == Operation::Batch;
    match printer.format() {
        Format::Jsonl if is_batch => {
            printer.data(&result.rows.iter().map(json_line).collect::<CommandResult<String>>()?)?;
        }
        Format::Text if is_batch && printer.is_quiet() => printer.data(lines(result.rows.iter().map(|row| &row.id)))?,
        _ => printer.value(&result, |page| view::job_result(page, &result, SystemClock.now()))?,
    }
    Ok(Exit::Done)
}

fn stop(args: &JobStopArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: JobRequest = engine.decode(args.job.request())?;
    let job = wait(engine.stop_job(request))?;
    wait(engine.close())?;
    let id = job.id.short();
    invocation.printer.value(&job, |page| {
        page.line(match job.state {
            JobState::Stopping => format!("job {id} is asked to stop; what is finished is kept"),
            JobState::Cancelled => format!("job {id} is stopped; `aludel jobs resume {id}` resumes it"),
            state => format!("job {id} had already {state}"),
        });
    })?;
    Ok(Exit::Done)
}

fn follow(args: &JobFollowArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: FollowJobRequest = engine.decode(args.request())?;
    let printer = &invocation.printer;
    wait::on_a_runtime(async {
        let mut interrupts = listen()?;
        let mut following = engine.follow_job(request).await?;
        let outcome = tell(&mut following, printer, &mut interrupts).await;
        failure::with_close_result(outcome, engine.close().await)
    })?
}

/// Prints what happens in a job.
struct JobPrinter<'a> {
    printer: &'a Printer,
    view: RunView,
    progress: Option<Progress>,
}

impl JobPrinter<'_> {
    fn take(&mut self, event: &Event) -> CommandResult {
        self.view.apply(event);
        self.clear();
        match self.printer.format() {
            Format::Text if self.printer.is_quiet() => Ok(()),
            Format::Text => {
                let mut page = self.printer.page();
                view::job_event(&mut page, &event.kind);
                self.printer.data(page.finish())
            }
            // In every other format an event is one line, readable as it arrives.
            _ => self.printer.data(json_line(event)?),
        }
    }

    fn draw(&mut self) {
        if let Some(progress) = &mut self.progress {
            progress.draw_units(self.printer, &self.view);
        }
    }

    fn clear(&mut self) {
        if let Some(progress) = &mut self.progress {
            progress.clear(self.printer);
        }
    }
}

/// Prints events until the job ends or the user stops watching.
async fn tell(following: &mut JobFollower, printer: &Printer, interrupts: &mut Interrupts) -> CommandResult<Exit> {
    let progress = printer.may_draw().then(Progress::new);
    let mut telling = JobPrinter { printer, view: RunView::default(), progress };
    let mut ticks = tokio::time::interval(progress::INTERVAL);
    loop {
        tokio::select! {
            biased;
            () = interrupts.next() => {
                telling.clear();
                let id = following.job().id.short();
                printer.say(format!("no longer watching; the job goes on (`aludel jobs stop {id}` stops it)"));
                return Err(Failure::Reported(Exit::Interrupted));
            }
            _ = ticks.tick(), if telling.progress.is_some() => telling.draw(),
            next = following.next() => match next? {
                Some(event) => telling.take(&event)?,
                None => break,
            },
        }
    }
    telling.clear();
    concluded(following.job(), &telling.view.state, printer)
}

/// The exit for the end of the job.
fn concluded(job: &Job, state: &RunState, printer: &Printer) -> CommandResult<Exit> {
    let id = job.id.short();
    match (state, job.state) {
        (RunState::Failed(problem), _) => Err(Failure::Problem(problem.clone())),
        (_, JobState::Finished) => Ok(Exit::Done),
        (_, state) => {
            printer.say(format!("job {id} is {state}; `aludel jobs resume {id}` resumes it"));
            Err(Failure::Reported(Exit::Failed))
        }
    }
}

fn resume(args: &JobResumeArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let engine = invocation.engine()?;
    let request: ResumeJobRequest = engine.decode(args.request())?;
    let details = wait(engine.job(JobRequest { job_id: request.job_id.clone() }))?;
    if details.job.operation == Operation::Batch {
        return batch::resume(&engine, &request, details.job.id, invocation);
    }
    let printer = &invocation.printer;
    let mut watcher = Watcher::new(printer, false, false);
    let started = Instant::now();
    wait::on_a_runtime(async {
        let mut interrupts = listen()?;
        let ended = watch(engine.resume_job(request).await?, &mut watcher, &mut interrupts).await;
        let elapsed = started.elapsed();
        watcher.clear();
        let outcome = ended.and_then(|()| match watcher.view.operation {
            Some(Operation::Select) => select::conclude(printer, &watcher.view, elapsed),
            _ => generate::conclude_resumed(&engine, printer, &watcher, elapsed),
        });
        failure::with_close_result(outcome, engine.close().await)
    })?
}

fn listen() -> CommandResult<Interrupts> {
    Interrupts::listen().map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")).into())
}
