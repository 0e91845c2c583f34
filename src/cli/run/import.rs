//! `aludel import` and `aludel migrate --from`: prompts of a file, stored.
//!
//! Standard input is put aside first, because a file is read twice. A signal stops between two records: what is stored stays,
//! and the same command takes up the rest.

use std::fs::File;
use std::future::Future;
use std::path::Path;

use aludel_core::api::{ImportAlchemyRequest, ImportRequest};
use aludel_core::error::{Error, Result};
use aludel_core::files;
use aludel_core::transfer::{ImportReport, Input, TransferFormat, spool};

use super::transferring::Transferring;
use crate::cli::Invocation;
use crate::cli::args::{ImportArgs, MigrateArgs};
use crate::cli::exit::Exit;
use crate::cli::failure::{self, Failure, Outcome};
use crate::cli::format::Format;
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::Printer;
use crate::cli::view;
use crate::cli::wait;

pub(crate) fn import(args: &ImportArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let printer = &invocation.printer;
    let engine = invocation.engine()?;
    let request: ImportRequest = engine.decode(args.request(invocation.format))?;
    let input = open(&args.file, request.format.as_deref())?;
    stoppable(printer, async {
        let mut told = Transferring::on(printer);
        let report = engine.import(request, input, |now| told.show(now)).await;
        (report, engine.close().await)
    })
}

/// Takes over the history of the Go program.
pub(super) fn import_alchemy(path: &Path, args: &MigrateArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let printer = &invocation.printer;
    let engine = invocation.engine()?;
    let request: ImportAlchemyRequest = engine.decode(args.request())?;
    stoppable(printer, async {
        let mut told = Transferring::on(printer);
        let report = engine.import_alchemy(request, path, |now| told.show(now)).await;
        (report, engine.close().await)
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

/// Runs an import until it is done and the engine closed, or a signal comes; puts out what it came to.
fn stoppable(printer: &Printer, import: impl Future<Output = (Result<ImportReport>, Result<()>)>) -> Outcome<Exit> {
    wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")))?;
        tokio::select! {
            biased;
            () = interrupts.next() => {
                printer.say("interrupted: what was imported so far is stored; run the same command again for the rest");
                Err(Failure::Said(Exit::Interrupted))
            }
            (report, closed) = import => {
                let outcome = report.map_err(Failure::from).and_then(|report| put_out(printer, &report));
                failure::and_closed(outcome, closed)
            }
        }
    })?
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
