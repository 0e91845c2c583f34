//! `aludel reindex`: the indices that searches read, made anew, with progress.
//!
//! The first signal stops it: each step is durable, so what is done stays.

use aludel_core::api::ReindexRequest;
use aludel_core::engine::{IndexPart, ReindexProgress, Reindexed};
use aludel_core::error::Error;

use crate::cli::Invocation;
use crate::cli::args::ReindexArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::{self, Failure, Outcome};
use crate::cli::interrupt::Interrupts;
use crate::cli::printer::Printer;
use crate::cli::progress::{self, Frame, Progress};
use crate::cli::shown::Shown;
use crate::cli::view::{Page, count_of};
use crate::cli::wait;

pub(crate) fn reindex(args: &ReindexArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let engine = invocation.engine()?;
    let request: ReindexRequest = engine.decode(args.request())?;
    let printer = &invocation.printer;
    let seen = std::cell::Cell::new(None::<ReindexProgress>);
    let mut drawn = printer.may_draw().then(Progress::new);
    let ended = wait::on_a_runtime(async {
        let mut interrupts = Interrupts::listen()
            .map_err(|error| Error::Internal(format!("cannot install the signal handlers: {error}")))?;
        let mut ticks = tokio::time::interval(progress::INTERVAL);
        let making = engine.reindex(request, |progress| seen.set(Some(progress)));
        let mut making = std::pin::pin!(making);
        let ended = loop {
            tokio::select! {
                biased;
                () = interrupts.next() => break None,
                ended = &mut making => break Some(ended),
                _ = ticks.tick(), if drawn.is_some() => {
                    if let (Some(drawn), Some(progress)) = (&mut drawn, seen.get()) {
                        drawn.draw_lines(printer, |frame| vec![line(progress, frame)]);
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

/// How far it has come, on a line.
fn line(progress: ReindexProgress, frame: &Frame) -> Shown {
    let ReindexProgress { part, done, total } = progress;
    let what = match part {
        IndexPart::Text => "words",
        IndexPart::Vectors => "vectors",
    };
    progress::bar(what, done, total, frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::view::Paint;

    #[test]
    fn the_bar_fills_and_says_what_is_left() {
        let frame = Frame { elapsed_ms: 10_000, spinner: '⠋', width: 100, paint: Paint::Plain };
        let progress = ReindexProgress { part: IndexPart::Vectors, done: 250, total: 1000 };
        let shown = line(progress, &frame);
        assert_eq!(shown, "  ⠋ vectors ██████░░░░░░░░░░░░░░░░░░ 250 of 1,000 prompts · 30.0 s left");
        let none = ReindexProgress { part: IndexPart::Text, done: 0, total: 0 };
        assert_eq!(&*line(none, &frame), format!("  ⠋ words   {} 0 of 0 prompts", "█".repeat(24)));
    }
}
