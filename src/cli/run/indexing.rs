//! Watches while an index is made, or whatever takes long: a bar on a terminal, and an end at the first signal.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;

use aludel_core::engine::{IndexPart, ReindexProgress};

use crate::cli::interrupt::Interrupts;
use crate::cli::printer::Printer;
use crate::cli::progress::{self, Frame, Progress};
use crate::cli::shown::Shown;
use crate::cli::view::Role;

/// What it comes to; `None` when a signal came first. `seen` is how far it is, and `remark` a line below the bar.
pub(super) async fn watched<T>(
    printer: &Printer,
    interrupts: &mut Interrupts,
    seen: &Cell<Option<ReindexProgress>>,
    remark: Option<&str>,
    making: impl Future<Output = T>,
) -> Option<T> {
    let picture = |frame: &Frame| seen.get().map(|at| lines(at, remark, frame)).unwrap_or_default();
    drawn(printer, interrupts, picture, making).await
}

/// What some work comes to; `None` when a signal came first. On a terminal `picture` is drawn now and then, and wiped.
pub(super) async fn drawn<T>(
    printer: &Printer,
    interrupts: &mut Interrupts,
    picture: impl Fn(&Frame) -> Vec<Shown>,
    work: impl Future<Output = T>,
) -> Option<T> {
    let mut drawn = printer.may_draw().then(Progress::new);
    let mut ticks = tokio::time::interval(progress::INTERVAL);
    let mut work = pin!(work);
    let ended = loop {
        tokio::select! {
            biased;
            () = interrupts.next() => break None,
            ended = &mut work => break Some(ended),
            _ = ticks.tick(), if drawn.is_some() => {
                if let Some(drawn) = &mut drawn {
                    drawn.draw_lines(printer, &picture);
                }
            }
        }
    };
    if let Some(drawn) = &mut drawn {
        drawn.clear(printer);
    }
    ended
}

/// How far it has come, on a line, and what else there is to say.
fn lines(progress: ReindexProgress, remark: Option<&str>, frame: &Frame) -> Vec<Shown> {
    let ReindexProgress { part, done, total } = progress;
    let what = match part {
        IndexPart::Text => "words",
        IndexPart::Vectors => "vectors",
    };
    let remark = remark.map(|remark| progress::line(&format!("    {remark}"), Role::Faint, frame));
    std::iter::once(progress::bar(what, done, total, frame)).chain(remark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::view::Paint;

    #[test]
    fn the_bar_fills_and_says_what_is_left() {
        let frame = Frame { elapsed_ms: 10_000, spinner: '⠋', width: 100, paint: Paint::Plain };
        let progress = ReindexProgress { part: IndexPart::Vectors, done: 250, total: 1000 };
        let shown = lines(progress, None, &frame);
        assert_eq!(shown, ["  ⠋ vectors ██████░░░░░░░░░░░░░░░░░░ 250 of 1,000 prompts · 30.0 s left"]);
        let none = ReindexProgress { part: IndexPart::Text, done: 0, total: 0 };
        assert_eq!(&*lines(none, None, &frame)[0], format!("  ⠋ words   {} 0 of 0 prompts", "█".repeat(24)));
    }

    #[test]
    fn a_remark_stands_below_the_bar_and_fits_the_terminal() {
        let frame = Frame { elapsed_ms: 0, spinner: '⠋', width: 20, paint: Paint::Plain };
        let progress = ReindexProgress { part: IndexPart::Vectors, done: 0, total: 3 };
        let shown = lines(progress, Some("Ctrl-C leaves the rest to later"), &frame);
        assert_eq!(shown.len(), 2);
        assert_eq!(shown[1], "    Ctrl-C leaves t…");
    }
}
