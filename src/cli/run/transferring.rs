//! The progress of an export: one line on a terminal, once it has lasted for a second.

use std::time::{Duration, Instant};

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
    pub(super) fn show(&mut self, written: u64, total: Option<u64>) {
        let Some(progress) = &mut self.progress else { return };
        if self.began.elapsed() < PATIENCE || self.drawn.is_some_and(|drawn| drawn.elapsed() < INTERVAL) {
            return;
        }
        self.drawn = Some(Instant::now());
        progress.draw_lines(self.printer, |frame| {
            let spinner = frame.paint.text(Role::Handle, &frame.spinner.to_string());
            vec![Shown::of_parts(["  ".into(), spinner, format!(" {}", line(written, total)).into()])]
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

fn line(written: u64, total: Option<u64>) -> String {
    match total {
        Some(total) if total > 0 => {
            let percent = (written * 100 / total).min(100);
            format!("writing: {written} of {} ({percent} %)", count_of(total, "prompt"))
        }
        _ => format!("writing: {}", count_of(written, "prompt")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is() {
        assert_eq!(line(1, None), "writing: 1 prompt");
        assert_eq!(line(500, Some(2000)), "writing: 500 of 2,000 prompts (25 %)");
        assert_eq!(line(3, Some(0)), "writing: 3 prompts");
    }
}
