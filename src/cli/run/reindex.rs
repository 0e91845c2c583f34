//! `aludel reindex`: the indices that searches read, made anew, with progress.
//!
//! The first signal stops it: each step is durable, so what is done stays.

use aludel_core::api::ReindexRequest;
use aludel_core::engine::{IndexPart, ReindexProgress, Reindexed};
use aludel_core::error::Error;

use super::indexing::watched;
use crate::cli::Invocation;
use crate::cli::args::ReindexArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{self, Failure, Outcome};
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::Printer;
use crate::cli::view::{Page, count_of};
use crate::cli::wait;

pub(crate) fn reindex(args: &ReindexArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let engine = invocation.engine()?;
    let request: ReindexRequest = engine.decode(args.request())?;
    let printer = &invocation.printer;
    let seen = std::cell::Cell::new(None::<ReindexProgress>);
    let (ended, closed) = wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")))?;
        let making = engine.reindex(request, |progress| seen.set(Some(progress)));
        let ended = watched(printer, &mut interrupts, &seen, None, making).await;
        Ok::<_, Error>((ended, engine.close().await))
    })??;
    failure::and_closed(put_out(printer, request, ended, seen.get()), closed)
}

fn put_out(
    printer: &Printer,
    request: ReindexRequest,
    ended: Option<Result<Reindexed, Error>>,
    seen: Option<ReindexProgress>,
) -> Outcome<Exit> {
    let Some(reindexed) = ended else {
        printer.say(match seen.map(|progress| progress.part) {
            Some(IndexPart::Text) => "interrupted: the word index is incomplete; `aludel reindex` completes it",
            _ => "interrupted: finished vectors are stored; `aludel reindex` makes the rest",
        });
        return Err(Failure::Said(Exit::Interrupted));
    };
    let reindexed = reindexed?;
    printer.value(&reindexed, |page: &mut Page| {
        if request.text {
            page.line(format!("words of {} indexed", count_of(reindexed.text, "prompt")));
        }
        if request.vectors {
            page.line(&match reindexed.vectors {
                0 => "no vector was missing".to_owned(),
                made => format!("vectors of {} made", count_of(made, "prompt")),
            });
        }
    })?;
    Ok(Exit::Done)
}
