//! `aludel import` and `aludel migrate --from`: prompts of a file, stored.
//!
//! Standard input is put aside first, because a file is read twice. A signal stops between two records: what is stored stays,
//! and the same command takes up the rest. The report is out as soon as everything is stored. Vectors come after that,
//! and a signal then leaves what is missing to later: the import is done, so the exit is 0.

use std::cell::Cell;
use std::fs::File;
use std::future::Future;
use std::path::Path;

use aludel_core::api::{ImportAlchemyRequest, ImportRequest};
use aludel_core::engine::{Engine, ReindexProgress};
use aludel_core::error::{Error, Result};
use aludel_core::files;
use aludel_core::transfer::{ImportReport, Input, TransferFormat, spool};

use super::indexing;
use super::transferring::Transferring;
use crate::cli::Invocation;
use crate::cli::args::{ImportArgs, MigrateArgs};
use crate::cli::exit::Exit;
use crate::cli::failure::{self, Failure, Outcome};
use crate::cli::format::Format;
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::Printer;
use crate::cli::view::{self, count_of};
use crate::cli::wait;

pub(crate) fn import(args: &ImportArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let printer = &invocation.printer;
    let engine = invocation.engine()?;
    let request: ImportRequest = engine.decode(args.request(invocation.format))?;
    let input = open(&args.file, request.format.as_deref())?;
    let makes_vectors = request.makes_vectors();
    take(printer, &engine, makes_vectors, async {
        let mut told = Transferring::on(printer);
        engine.import(request, input, |now| told.show(now)).await
    })
}

/// Takes over the history of the Go program.
pub(super) fn import_alchemy(path: &Path, args: &MigrateArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let printer = &invocation.printer;
    let engine = invocation.engine()?;
    let request: ImportAlchemyRequest = engine.decode(args.request())?;
    take(printer, &engine, request.makes_vectors(), async {
        let mut told = Transferring::on(printer);
        engine.import_alchemy(request, path, |now| told.show(now)).await
    })
}

/// The file, or standard input put aside.
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

/// Runs an import until the prompts are stored or a signal comes, and puts out what it came to; then makes the vectors.
fn take(
    printer: &Printer,
    engine: &Engine,
    makes_vectors: bool,
    import: impl Future<Output = Result<ImportReport>>,
) -> Outcome<Exit> {
    wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")))?;
        let report = tokio::select! {
            biased;
            () = interrupts.next() => None,
            report = import => Some(report),
        };
        let outcome = match report {
            None => {
                printer.say("interrupted: what was imported so far is stored; run the same command again for the rest");
                Err(Failure::Said(Exit::Interrupted))
            }
            Some(report) => report.map_err(Failure::from).and_then(|report| put_out(printer, &report)),
        };
        // Somebody who has read enough of the report has not taken back the import.
        if makes_vectors && matches!(outcome, Ok(_) | Err(Failure::ReaderGone)) {
            make_vectors(printer, engine, &mut interrupts).await;
        }
        failure::and_closed(outcome, engine.close().await)
    })?
}

/// Gives vectors to what has none. The prompts are stored by now, so neither a signal nor a failure is one of the import.
async fn make_vectors(printer: &Printer, engine: &Engine, interrupts: &mut Interrupts) {
    let seen = Cell::new(None::<ReindexProgress>);
    let making = engine.embed_missing(|progress| seen.set(Some(progress)));
    match indexing::watched(printer, interrupts, &seen, Some("Ctrl-C leaves the rest to later"), making).await {
        Some(Ok(0)) => {}
        Some(Ok(made)) => printer.note(format!("{} can be found by meaning now", count_of(made, "prompt"))),
        Some(Err(error)) => printer.say(format!("warning: the prompts are stored; {}: {error}", lacking(seen.get()))),
        None => printer.say(format!(
            "the prompts are stored; {}: `aludel reindex --vectors` makes them, and so do the servers and the workbench",
            lacking(seen.get())
        )),
    }
}

/// How many prompts search by meaning passes over.
fn lacking(seen: Option<ReindexProgress>) -> String {
    match seen.map(|at| at.total.saturating_sub(at.done)) {
        None => "their vectors for search by meaning are not made yet".into(),
        Some(1) => "1 prompt has no vectors for search by meaning yet".into(),
        Some(left) => format!("{} have no vectors for search by meaning yet", count_of(left, "prompt")),
    }
}

/// The report: as a value for programs, in words on standard error for people.
fn put_out(printer: &Printer, report: &ImportReport) -> Outcome<Exit> {
    match printer.format() {
        Format::Json | Format::Jsonl | Format::Yaml => printer.value(report, |_| {})?,
        _ if printer.is_quiet() => {}
        _ => view::import(report).iter().for_each(|line| printer.say(line)),
    }
    Ok(Exit::Done)
}
