//! `aludel export`: writes stored prompts chunk by chunk.
//!
//! A chunk is written before the next is read, so memory holds only one, and a closed pipe ends the
//! export. A file gets its name when it is complete; after a signal the former file is unchanged.

use std::cell::Cell;

use aludel_core::api::ExportRequest;
use aludel_core::error::Error;
use aludel_core::transfer::Export;

use super::output_file::{OutputFile, WholeFile};
use super::watching::drawn;
use crate::cli::Invocation;
use crate::cli::args::ExportArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{CommandResult, Failure};
use crate::cli::format::Format;
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::Printer;
use crate::cli::progress;
use crate::cli::view::{Frame, count_of};
use crate::cli::wait;

/// The destination of the chunks.
enum Sink<'a> {
    Output(&'a Printer),
    File(WholeFile<'a>),
}

impl Sink<'_> {
    fn write(&mut self, text: &str) -> CommandResult {
        match self {
            Self::Output(printer) => printer.exactly(text),
            Self::File(file) => file.write(text).map_err(Failure::from),
        }
    }
}

pub(crate) fn export(args: &ExportArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    if invocation.globals.output.is_some() {
        return Err(
            Error::value("output", "means --format elsewhere; here say --format, or --output-file for a file").into()
        );
    }
    let printer = &invocation.printer;
    let file = args.output_file.as_deref().map(OutputFile::prepare).transpose()?;
    let of_name = file.and_then(|file| Format::of_file(file.path())).filter(|format| *format != Format::Text);
    let format = invocation.format.or(of_name).unwrap_or(Format::Json);

    let engine = invocation.engine()?;
    let request: ExportRequest = engine.decode(args.request(format))?;
    let mut sink = match file {
        Some(file) => Sink::File(file.begin()?),
        None => Sink::Output(printer),
    };
    let is_output = matches!(sink, Sink::Output(_));
    let mut export = engine.export(&request);
    wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")))?;
        // A bar would mix with the text if both go to the same terminal.
        let bar = Some(printer).filter(|printer| printer.may_draw() && !(is_output && printer.shows_data()));
        let total = if bar.is_some() { export.total().await? } else { 0 };
        let written = Cell::new(0);
        let picture = |frame: &Frame| vec![progress::bar("writing", written.get(), total, frame)];
        let work = write(&mut export, &mut sink, &written);
        drawn(bar, &mut interrupts, picture, work).await.unwrap_or(Err(Failure::Reported(Exit::Interrupted)))
    })??;
    if let Sink::File(written) = sink {
        let path = written.finish()?;
        printer.note(format!("wrote {} to {}", count_of(export.written(), "prompt"), path.display()));
    } else if export.written() == 0 {
        printer.note("no stored prompt matches the filters, so the export is empty");
    }
    Ok(Exit::Done)
}

/// Writes everything, updating `written`.
async fn write(export: &mut Export, sink: &mut Sink<'_>, written: &Cell<u64>) -> CommandResult {
    while let Some(piece) = export.next().await? {
        sink.write(&piece)?;
        written.set(export.written());
        // Lets a signal be handled between two chunks.
        tokio::task::yield_now().await;
    }
    Ok(())
}
