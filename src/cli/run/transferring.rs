//! The progress of an import or export: one line on a terminal, once it has lasted for a second.

use std::time::{Duration, Instant};

use aludel_core::transfer::{Stage, TransferProgress};

use crate::cli::printer::Printer;
use crate::cli::progress::{INTERVAL, Progress};
use crate::cli::shown::Shown;
use crate::cli::view::{Role, count_of};

/// How long it must last to be told.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line that is drawn over itself, and wiped in the end.
pub(super) struct Transferring<'a> {
    printer: &'a Printer,
    progress: Option<Progress>,
    began: Instant,
    drawn: Option<Instant>,
}

impl<'a> Transferring<'a> {
    /// Nothing drawn yet.
    pub(super) fn on(printer: &'a Printer) -> Self {
        let progress = printer.may_draw().then(Progress::new);
        Self { printer, progress, began: Instant::now(), drawn: None }
    }

    /// Draws how far it is, now and then.
    pub(super) fn show(&mut self, now: TransferProgress) {
        let Some(progress) = &mut self.progress else { return };
        if self.began.elapsed() < PATIENCE || self.drawn.is_some_and(|drawn| drawn.elapsed() < INTERVAL) {
            return;
        }
        self.drawn = Some(Instant::now());
        progress.draw_lines(self.printer, |frame| {
            let spinner = frame.paint.text(Role::Handle, &frame.spinner.to_string());
            vec![Shown::of_parts(["  ".into(), spinner, format!(" {}", line(now)).into()])]
        });
    }
}

impl Drop for Transferring<'_> {
    fn drop(&mut self) {
        if let Some(progress) = &mut self.progress {
            progress.clear(self.printer);
        }
    }
}

fn line(now: TransferProgress) -> String {
    let doing = match now.stage {
        Stage::Checking => "checking",
        Stage::Storing => "storing",
        Stage::Writing => "writing",
    };
    match now.total {
        Some(total) if total > 0 => {
            let percent = (now.prompts * 100 / total).min(100);
            format!("{doing}: {} of {} ({percent} %)", now.prompts, count_of(total, "prompt"))
        }
        _ => format!("{doing}: {}", count_of(now.prompts, "prompt")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is() {
        let at = |stage, prompts, total| line(TransferProgress { stage, prompts, total });
        assert_eq!(at(Stage::Checking, 1, None), "checking: 1 prompt");
        assert_eq!(at(Stage::Storing, 500, Some(2000)), "storing: 500 of 2,000 prompts (25 %)");
        assert_eq!(at(Stage::Writing, 3, Some(0)), "writing: 3 prompts");
    }
}
