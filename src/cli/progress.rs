//! Progress of a run on a terminal: a line per variant with a tick per phase.
//!
//! The lines are a pure function of the run's view; [`Progress`] redraws them in place. They appear
//! after a moment, so a short run does not flicker, and vanish before the result is printed. The
//! cursor is never hidden, so a killed process leaves the terminal as it was.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use aludel_core::domain::{Operation, Phase, ProviderTest};
use aludel_core::engine::{Engine, MigrationProgress};
use aludel_core::event::{PhaseState, RunView, VariantState, VariantView, part};

use super::printer::Printer;
use super::shown::EscapedText;
use super::view::{self, Frame, Paint, Role, count_of, cut, one_line, span};
use super::wait::wait;
use crate::cli::view::symbols::DOT;
use crate::cli::view::symbols::{BAD, EMPTY, FULL, GOOD, PENDING, RETRIED, is_ascii};
use crate::figures::{rate, thousands};

/// How often it is redrawn.
pub(crate) const INTERVAL: Duration = Duration::from_millis(100);
/// How long a run must last before its progress is shown.
const SHOW_AFTER: Duration = Duration::from_millis(150);
/// How long a migration must last before its progress is shown.
const MIGRATION_SHOW_AFTER: Duration = Duration::from_secs(1);
/// Columns of a bar.
const BAR: u64 = 24;
/// More variants than this share one line.
const MOST_LINES: usize = 12;
const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

const ASCII_SPINNER: [char; 4] = ['|', '/', '-', '\\'];

fn spinner(frame: usize) -> char {
    let signs: &[char] = if is_ascii() { &ASCII_SPINNER } else { &SPINNER };
    signs[frame % signs.len()]
}

/// The progress display of one run.
#[derive(Debug)]
pub(crate) struct Progress {
    started: Instant,
    drawn: usize,
    frame: usize,
    /// The part of the work drawn last, and when it began.
    part: Option<(String, Instant)>,
    /// Rows that earlier attempts at a batch have done, and how many of them failed.
    earlier: (u64, u64),
}

impl Progress {
    /// Starts with nothing drawn.
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), drawn: 0, frame: 0, part: None, earlier: (0, 0) }
    }

    /// Counts these rows of earlier attempts as done, and how many of them failed.
    pub(crate) fn with_earlier(self, done: u64, failed: u64) -> Self {
        Self { earlier: (done, failed), ..self }
    }

    /// Draws the state of the run, with a remark below it.
    pub(crate) fn draw(&mut self, printer: &Printer, view: &RunView, remark: Option<&str>) {
        let before = self.before_part(view.part.as_deref());
        let earlier = self.earlier;
        self.draw_lines(printer, |frame| {
            let mut lines = match view.operation {
                Some(Operation::Select | Operation::Compare) => vec![selection_line(view, frame)],
                Some(Operation::TestProviders) => view::provider_test_progress(&tested(view), frame),
                Some(Operation::Generate) | None => {
                    lines(view, frame.elapsed_ms, frame.spinner, frame.width, frame.paint)
                }
                Some(Operation::Batch) => vec![batch_line(view, earlier, frame)],
                Some(other) => vec![job_line(other, view, before, frame)],
            };
            lines.extend(remark.map(|remark| line(&format!("    {remark}"), Role::Faint, frame)));
            lines
        });
    }

    /// Draws the state of a run of which only whole units are known.
    pub(crate) fn draw_units(&mut self, printer: &Printer, view: &RunView) {
        if let Some(operation) = view.operation {
            self.draw_lines(printer, |frame| vec![job_line(operation, view, 0, frame)]);
        }
    }

    /// Milliseconds from the start of the work to that of this part, as far as was seen.
    fn before_part(&mut self, part: Option<&str>) -> u64 {
        let Some(part) = part else { return 0 };
        let (_, began) = match self.part.take() {
            Some(known) if known.0 == part => self.part.insert(known),
            // The first part began with the work.
            None => self.part.insert((part.to_owned(), self.started)),
            Some(_) => self.part.insert((part.to_owned(), Instant::now())),
        };
        u64::try_from(began.duration_since(self.started).as_millis()).unwrap_or(u64::MAX)
    }

    /// Draws these lines over the last ones. There must not be fewer of them.
    pub(crate) fn draw_lines(&mut self, printer: &Printer, lines: impl FnOnce(&Frame) -> Vec<EscapedText>) {
        let elapsed = self.started.elapsed();
        if elapsed < SHOW_AFTER {
            return;
        }
        let lines = lines(&Frame {
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            spinner: spinner(self.frame),
            width: printer.width(),
            paint: printer.talk_paint(),
        });
        self.frame += 1;
        let back = EscapedText::lines_back(self.drawn);
        let text = EscapedText::of_parts(std::iter::once(back).chain(lines.iter().map(EscapedText::drawn_over)));
        // There are never fewer lines than before: messages stay.
        self.drawn = lines.len();
        printer.talk(text);
    }

    /// Clears the display.
    pub(crate) fn clear(&mut self, printer: &Printer) {
        if self.drawn > 0 {
            let back = || std::iter::once(EscapedText::lines_back(self.drawn));
            let wiped = std::iter::repeat_with(|| EscapedText::drawn_over(&EscapedText::default())).take(self.drawn);
            printer.talk(EscapedText::of_parts(back().chain(wiped).chain(back())));
            self.drawn = 0;
        }
    }
}

/// A progress bar for work on prompts.
pub(crate) fn bar(what: &str, done: u64, total: u64, frame: &Frame) -> EscapedText {
    bar_of(what, done, total, &count_of(total, "prompt"), 0, frame)
}

/// A bar for other work: `of` names the total; `before` it passed so many milliseconds.
fn bar_of(what: &str, done: u64, total: u64, of: &str, before: u64, frame: &Frame) -> EscapedText {
    let elapsed = frame.elapsed_ms.saturating_sub(before);
    let full = done.saturating_mul(BAR).checked_div(total).unwrap_or(BAR);
    let bar: String = (0..BAR).map(|place| if place < full { FULL.as_str() } else { EMPTY.as_str() }).collect();
    let left =
        (done > 0 && done < total).then(|| format!("{DOT}{} left", span(elapsed.saturating_mul(total - done) / done)));
    let figures = format!("{} of {of}{}", thousands(done), left.unwrap_or_default());
    line(&format!("  {} {what:<7} {bar} {figures}", frame.spinner), Role::Faint, frame)
}

/// A batch: rows, failures, rate, cost, and the time left at that rate.
fn batch_line(view: &RunView, (earlier, failed_before): (u64, u64), frame: &Frame) -> EscapedText {
    let (new, total) = (view.done, view.total.unwrap_or_default());
    let (done, failed) = (earlier + new, failed_before + view.failed_rows);
    let full = done.saturating_mul(BAR).checked_div(total).unwrap_or(0);
    let bar: String = (0..BAR).map(|place| if place < full { FULL.as_str() } else { EMPTY.as_str() }).collect();
    let mut text = format!("  {} batch {bar} {} of {}", frame.spinner, thousands(done), count_of(total, "row"));
    if failed > 0 {
        text = format!("{text}{DOT}{} failed", thousands(failed));
    }
    if new > 0 {
        text = format!("{text}{DOT}{}", rate(new, frame.elapsed_ms));
    }
    if let Some(cost) = view.spent.as_ref().and_then(|spent| spent.cost_usd).filter(|cost| *cost > 0.0) {
        text = format!("{text}{DOT}${cost:.2}");
    }
    if new > 0 && done < total {
        text = format!("{text}{DOT}{} left", span(frame.elapsed_ms.saturating_mul(total - done) / new));
    }
    line(&text, Role::Faint, frame)
}

/// A job without lines of its own: what it does, a bar if the total is known, its counts.
fn job_line(operation: Operation, view: &RunView, before: u64, frame: &Frame) -> EscapedText {
    let what = doing(operation, view.part.as_deref());
    match view.total {
        Some(total) => bar_of(what, view.done, total, &count_of(total, view::unit_of(operation)), before, frame),
        None => {
            let done = count_of(view.done, view::unit_of(operation));
            let text = format!("  {} {what}{DOT}{done}{DOT}{}", frame.spinner, span(frame.elapsed_ms));
            line(&text, Role::Faint, frame)
        }
    }
}

/// What a job is doing now.
fn doing(operation: Operation, now: Option<&str>) -> &str {
    match (operation, now) {
        (Operation::JudgeAudit, None) => "asking the judge for texts of its own",
        (Operation::JudgeAudit, Some(part::TEST)) => "testing the judge",
        (Operation::JudgeAudit, Some(part::LABELS)) => "asking about your labels",
        (_, Some(part)) => part,
        (operation, None) => operation.as_str(),
    }
}

/// The providers that were tested so far.
fn tested(view: &RunView) -> Vec<ProviderTest> {
    let results = view.units.iter().filter_map(|(_, result)| result.clone());
    results.filter_map(|result| serde_json::from_value(result).ok()).collect()
}

/// A text on one line.
pub(crate) fn line(text: &str, role: Role, frame: &Frame) -> EscapedText {
    frame.paint.text(role, &cut(text, frame.width))
}

/// Shows on a terminal the progress of a slow migration, if the engine starts one.
pub(crate) fn watch_migrations(engine: &Engine, printer: &Printer) {
    if !printer.may_draw() {
        return;
    }
    let printer = printer.clone();
    let drawing = Mutex::new(None::<Drawing>);
    engine.watch_migrations(move |progress| {
        let mut drawing = drawing.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.done < progress.total {
            drawing.get_or_insert_with(Drawing::begin).draw(&printer, progress);
        } else if let Some(ended) = drawing.take() {
            { ended.progress }.clear(&printer);
        }
    });
}

/// The display of a migration.
struct Drawing {
    progress: Progress,
    next: Instant,
}

impl Drawing {
    fn begin() -> Self {
        let progress = Progress::new();
        Self { next: progress.started + MIGRATION_SHOW_AFTER, progress }
    }

    fn draw(&mut self, printer: &Printer, at: MigrationProgress) {
        let now = Instant::now();
        if now >= self.next {
            self.next = now + INTERVAL;
            let what = format!("bringing the database up to date: {}", at.migration);
            self.progress.draw_lines(printer, |frame| vec![bar(&what, at.done, at.total, frame)]);
        }
    }
}

/// Waits for a slow future, with a line on the terminal that says what is being done.
pub(crate) fn while_waiting<T: Send>(printer: &Printer, what: &str, future: impl Future<Output = T> + Send) -> T {
    if !printer.may_draw() {
        return wait(future);
    }
    let mut progress = Progress::new();
    let (done, is_done) = sync_channel::<()>(1);
    let answer = std::thread::scope(|scope| {
        let work = scope.spawn(move || {
            let answer = wait(future);
            drop(done);
            answer
        });
        // Until the sender is dropped, with or without an answer.
        while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(INTERVAL) {
            progress.draw_lines(printer, |frame| {
                let line = format!("{} {what}{DOT}{}", frame.spinner, span(frame.elapsed_ms));
                vec![frame.paint.text(Role::Faint, &cut(&line, frame.width))]
            });
        }
        work.join()
    });
    progress.clear(printer);
    answer.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The line for a selection.
fn selection_line(view: &RunView, frame: &Frame) -> EscapedText {
    let (made, most) = (view.done, view.total.unwrap_or_default());
    let line = format!("{} {made} of {}{DOT}{}", frame.spinner, count_of(most, "comparison"), span(frame.elapsed_ms));
    frame.paint.text(Role::Faint, &cut(&line, frame.width))
}

/// The lines for a run: one per variant, or one in all if there are many.
fn lines(view: &RunView, elapsed_ms: u64, spinner: char, width: usize, paint: Paint) -> Vec<EscapedText> {
    let mut lines: Vec<EscapedText> = Vec::new();
    if view.variants.len() <= MOST_LINES {
        lines.extend(
            view.variants
                .iter()
                .map(|(number, variant)| variant_line(*number, variant, &view.phases, spinner, width, paint)),
        );
    }
    lines.push(EscapedText::of_parts(["  ".into(), paint.text(Role::Faint, &total_line(view, elapsed_ms))]));
    lines
}

fn variant_line(
    number: u32,
    variant: &VariantView,
    phases: &[Phase],
    spinner: char,
    width: usize,
    paint: Paint,
) -> EscapedText {
    let mut plain = format!("{:>3} ", number + 1);
    let mut line = EscapedText::from(&plain);
    let mut add = |text: &str, role: Role| {
        plain.push_str(text);
        line.add(paint.text(role, text));
    };
    for phase in phases {
        let state = variant.phases.iter().rev().find(|view| view.phase == *phase).map(|view| &view.state);
        let (mark, role) = match state {
            None => (PENDING.to_string(), Role::Faint),
            Some(PhaseState::Streaming) => (spinner.to_string(), Role::Handle),
            Some(PhaseState::Retrying { .. }) => (RETRIED.to_string(), Role::Warning),
            Some(PhaseState::Finished(_)) => (GOOD.to_string(), Role::Good),
            Some(PhaseState::Failed) => (BAD.to_string(), Role::Bad),
        };
        add(&format!(" {mark} {phase}"), role);
    }
    let rest = width.saturating_sub(textwrap::core::display_width(&plain) + 3);
    let remark = cut(&remark(variant), rest);
    if rest > 0 && !remark.is_empty() {
        line.add("  ");
        line.add(paint.text(Role::Faint, &remark));
    }
    line
}

/// A remark on a variant in addition to its phases.
fn remark(variant: &VariantView) -> String {
    match (&variant.state, variant.phases.last().map(|phase| &phase.state)) {
        (VariantState::Failed(error), _) => one_line(&error.detail),
        (_, Some(PhaseState::Retrying { attempt, delay_ms, .. })) => {
            format!("attempt {attempt} in {}", span(*delay_ms))
        }
        _ => one_line(&variant.strategy),
    }
}

fn total_line(view: &RunView, elapsed_ms: u64) -> String {
    let total = view.variants.len();
    let count = |wanted: fn(&VariantState) -> bool| view.variants.values().filter(|v| wanted(&v.state)).count();
    let finished = count(|state| matches!(state, VariantState::Finished(_)));
    let failed = count(|state| matches!(state, VariantState::Failed(_)));
    let mut parts = vec![format!("{finished} of {} done", count_of(total as u64, "variant"))];
    if failed > 0 {
        parts.push(format!("{failed} failed"));
    }
    if finished + failed == total && total > 1 {
        parts.push("choosing the best".into());
    }
    parts.push(span(elapsed_ms));
    parts.join(DOT.as_str())
}

#[cfg(test)]
mod tests {
    use aludel_core::domain::{ModelMetadata, SessionId};
    use aludel_core::error::{Error, Problem};
    use aludel_core::event::{Event, EventKind};

    use super::*;

    fn view(variants: u32, kinds: Vec<EventKind>) -> RunView {
        let started = EventKind::Started {
            operation: Operation::Generate,
            total: None,
            variants,
            phases: vec![Phase::PrimaMateria, Phase::Solutio],
        };
        let mut view = RunView::default();
        for (seq, kind) in std::iter::once(started).chain(kinds).enumerate() {
            view.apply(&Event { session_id: SessionId(uuid::Uuid::nil()), seq: seq as u64, kind });
        }
        view
    }

    fn begun(variant: u32, phase: Phase) -> EventKind {
        EventKind::PhaseStarted { variant, phase, provider: "p".into(), model: "m".into(), strategy: "examples".into() }
    }

    #[test]
    fn a_batch_says_its_rows_failures_rate_cost_and_time_left() {
        let view = RunView {
            total: Some(400),
            done: 90,
            failed_rows: 2,
            spent: Some(Box::new(ModelMetadata { cost_usd: Some(1.234), ..ModelMetadata::sum([]) })),
            ..RunView::default()
        };
        let frame = Frame { elapsed_ms: 30_000, spinner: '⠋', width: 100, paint: Paint::Plain };
        assert_eq!(
            batch_line(&view, (10, 1), &frame).to_string(),
            "  ⠋ batch ██████░░░░░░░░░░░░░░░░░░ 100 of 400 rows · 3 failed · 3 a second · $1.23 · 1 min 40 s left"
        );
        let fresh = RunView { total: Some(400), ..RunView::default() };
        let shown = batch_line(&fresh, (0, 0), &frame).to_string();
        assert_eq!(shown, "  ⠋ batch ░░░░░░░░░░░░░░░░░░░░░░░░ 0 of 400 rows");
        for (count, elapsed_ms, shown) in [
            (1_500, 1_000, "1,500 a second"),
            (3, 1_000, "3 a second"),
            (3, 2_000, "90 a minute"),
            (1, 600_000, "6 an hour"),
        ] {
            assert_eq!(rate(count, elapsed_ms), shown);
        }
    }

    #[test]
    fn a_line_a_variant_with_a_tick_a_phase() {
        let problem = Box::new(Problem::from(Error::Internal("it broke".into())));
        let view = view(
            3,
            vec![
                begun(0, Phase::PrimaMateria),
                begun(1, Phase::PrimaMateria),
                EventKind::VariantFailed { variant: 1, phase: Some(Phase::PrimaMateria), error: problem },
            ],
        );
        assert_eq!(
            lines(&view, 1200, '⠋', 60, Paint::Plain),
            [
                "  1  ⠋ prima-materia · solutio  examples",
                "  2  ✗ prima-materia · solutio  it broke; this is a defect…",
                "  3  · prima-materia · solutio",
                "  0 of 3 variants done · 1 failed · 1.2 s",
            ]
        );
    }

    #[test]
    fn a_job_is_a_bar_of_its_part_that_fills_and_says_what_is_left() {
        let frame = Frame { elapsed_ms: 12_000, spinner: '⠋', width: 100, paint: Paint::Plain };
        let at = |operation, part: Option<&str>, done, total| {
            let part = part.map(str::to_owned);
            let view = RunView { operation: Some(operation), part, done, total, ..RunView::default() };
            job_line(operation, &view, 2_000, &frame).to_string()
        };
        let (reindex, audit) = (Operation::Reindex, Operation::JudgeAudit);
        let quarter = "██████░░░░░░░░░░░░░░░░░░";
        let full = "█".repeat(24);
        assert_eq!(
            [
                at(reindex, Some(part::VECTORS), 1_250, Some(5_000)),
                at(reindex, Some(part::WORDS), 0, Some(0)),
                at(Operation::Import, Some(part::CHECKING), 1, None),
                at(audit, None, 0, None),
                at(audit, Some(part::TEST), 90, Some(90)),
                at(Operation::Migrate, None, 0, None),
            ],
            [
                format!("  ⠋ vectors {quarter} 1,250 of 5,000 prompts · 30.0 s left"),
                format!("  ⠋ words   {full} 0 of 0 prompts"),
                "  ⠋ checking · 1 prompt · 12.0 s".to_owned(),
                "  ⠋ asking the judge for texts of its own · 0 questions · 12.0 s".to_owned(),
                format!("  ⠋ testing the judge {full} 90 of 90 questions"),
                "  ⠋ migrate · 0 prompts · 12.0 s".to_owned(),
            ]
        );
    }

    #[test]
    fn each_part_is_timed_for_itself() {
        let mut progress = Progress::new();
        assert_eq!((progress.before_part(None), progress.before_part(Some("words"))), (0, 0));
        progress.started -= Duration::from_secs(3);
        let before = progress.before_part(Some("vectors"));
        assert!(before >= 3_000, "{before}");
        assert_eq!(progress.before_part(Some("vectors")), before);
    }

    #[test]
    fn many_variants_take_one_line() {
        assert_eq!(lines(&view(64, vec![]), 90, '⠋', 80, Paint::Plain), ["  0 of 64 variants done · 90 ms"]);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let view = view(2, vec![begun(0, Phase::PrimaMateria)]);
        for line in lines(&view, 5, '⠋', 40, Paint::Plain) {
            assert!(textwrap::core::display_width(&line) <= 40, "{line:?}");
        }
    }
}
