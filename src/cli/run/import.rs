//! `aludel import` and `aludel migrate --from`: stores the prompts of a file.
//!
//! Standard input is spooled first, because a file is read twice. A signal stops between two
//! records: what is stored stays, and the same command imports the rest. The report comes before
//! the vectors; a signal then leaves missing ones for later, with exit code 0.

use std::fs::File;
use std::path::Path;

use aludel_core::api::{ImportAlchemyRequest, ImportRequest};
use aludel_core::domain::Reindexed;
use aludel_core::engine::Engine;
use aludel_core::error::{Error, Result};
use aludel_core::event::run::Run;
use aludel_core::event::{Outcome, RunState, RunView};
use aludel_core::files;
use aludel_core::transfer::{Input, TransferFormat, spool};

use super::watching::{Watcher, watch};
use crate::cli::Invocation;
use crate::cli::args::{ImportArgs, MigrateArgs};
use crate::cli::exit::Exit;
use crate::cli::failure::{self, CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::Printer;
use crate::cli::view::{self, count_of};
use crate::cli::wait;

pub(crate) fn import(args: &ImportArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let printer = &invocation.printer;
    let engine = invocation.engine()?;
    let request: ImportRequest = engine.decode(args.request(invocation.format))?;
    let input = open(&args.file, request.format.as_deref())?;
    let makes_vectors = request.makes_vectors();
    take(printer, &engine, makes_vectors, || Ok(engine.import(request, input)))
}

/// Imports the history of the Go program.
pub(super) fn import_alchemy(path: &Path, args: &MigrateArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let printer = &invocation.printer;
    let engine = invocation.engine()?;
    let request: ImportAlchemyRequest = engine.decode(args.request())?;
    take(printer, &engine, request.makes_vectors(), || engine.import_alchemy(request, path))
}

/// Opens the file, or spools standard input.
fn open(path: &Path, format: Option<&str>) -> Result<Input<File>> {
    let format = format.and_then(TransferFormat::parse);
    if path.as_os_str() == "-" {
        let name = Path::new("standard input");
        return Ok(Input { name: name.to_owned(), source: spool(std::io::stdin().lock(), name, format)? });
    }
    let failed = |error: &std::io::Error| files::failure("read", path, error);
    let source = File::open(path).map_err(|error| failed(&error))?;
    let found = source.metadata().map_err(|error| failed(&error))?;
    if found.is_dir() {
        return Err(failed(&std::io::ErrorKind::IsADirectory.into()));
    }
    // A pipe cannot be read twice.
    let source = if found.is_file() { source } else { spool(source, path, format)? };
    Ok(Input { name: path.to_owned(), source })
}

/// Runs an import to its end or to a signal, prints the report, then makes the vectors.
fn take(
    printer: &Printer,
    engine: &Engine,
    makes_vectors: bool,
    begin: impl FnOnce() -> Result<Run>,
) -> CommandResult<Exit> {
    wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")))?;
        let mut watcher = Watcher::of_progress(printer);
        let ended = match begin() {
            Ok(run) => watch(run, &mut watcher, &mut interrupts).await,
            Err(error) => Err(error.into()),
        };
        watcher.clear();
        let outcome = ended.and_then(|()| print_result(printer, &watcher.result(|_| Some(INTERRUPTED.to_owned()))?));
        // A closed pipe does not undo the import.
        if makes_vectors && matches!(outcome, Ok(_) | Err(Failure::PipeClosed)) {
            make_vectors(printer, engine, &mut interrupts).await;
        }
        failure::with_close_result(outcome, engine.close().await)
    })?
}

const INTERRUPTED: &str = "interrupted: what was imported so far is stored; run the same command again for the rest";

/// Embeds prompts without vectors. They are stored, so neither signal nor failure is an error.
pub(super) async fn make_vectors(printer: &Printer, engine: &Engine, interrupts: &mut Interrupts) {
    let mut watcher = Watcher::of_progress(printer).with_remark("Ctrl-C leaves the rest to later");
    // No event is printed, so no write can fail.
    _ = watch(engine.embed_missing(), &mut watcher, interrupts).await;
    watcher.clear();
    let lacking = lacking(&watcher.view);
    match &watcher.view.state {
        RunState::Finished(made) => {
            if let Outcome::Reindex(Reindexed { vectors: made @ 1.., .. }) = **made {
                printer.note(format!("{} can be found by meaning now", count_of(made, "prompt")));
            }
        }
        RunState::Failed(problem) => {
            printer.say(format!("warning: the prompts are stored; {lacking}: {}", problem.detail));
        }
        RunState::Waiting | RunState::Running | RunState::Cancelled => printer.say(format!(
            "the prompts are stored; {lacking}: `aludel reindex --vectors` makes them, and so do the servers and the workbench",
        )),
    }
}

/// How many prompts a search by meaning cannot find.
fn lacking(view: &RunView) -> String {
    match view.total.map(|total| total.saturating_sub(view.done)) {
        None => "their vectors for search by meaning are not made yet".into(),
        Some(1) => "1 prompt has no vectors for search by meaning yet".into(),
        Some(left) => format!("{} have no vectors for search by meaning yet", count_of(left, "prompt")),
    }
}

/// The report: a value for programs, text on standard error for people.
fn print_result(printer: &Printer, imported: &Outcome) -> CommandResult<Exit> {
    let (Outcome::Import(report) | Outcome::Migrate(report)) = imported else {
        return Err(super::unexpected_outcome(imported));
    };
    match printer.format() {
        Format::Json | Format::Jsonl | Format::Yaml => printer.value(report, |_| {})?,
        _ if printer.is_quiet() => {}
        _ => view::import(report).iter().for_each(|line| printer.say(line)),
    }
    Ok(Exit::Done)
}
