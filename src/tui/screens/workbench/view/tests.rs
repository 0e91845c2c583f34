//! Snapshots of the Workbench at three sizes, with and without colours, and their invariants.

use crate::tui::effect::{Effect, TerminalEffect};
use crate::tui::message::Message;
use crate::tui::model::{Costly, CostlyAction, Overlay};
use crate::tui::picture::view;
use crate::tui::terminal::output::FrameBytes;
use crate::tui::testing::gallery::{Gallery, check};
use crate::tui::testing::*;
use crate::tui::theme::{Charset, Theme};
use crate::tui::widgets::scroll::Follow;
use aludel_core::domain::{ModelMetadata, Phase, VariantFailure};
use aludel_core::error::{Code, Error, Fault, Problem};
use aludel_core::event::EventKind;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

mod desk;

const GALLERY: Gallery = Gallery("workbench");
const IDEA: &str = "Write a prompt that makes a model review Rust pull requests like a careful senior engineer.";

#[test]
fn where_there_is_ascii_alone_our_signs_are_ascii_and_texts_are_what_they_were() {
    const ANSWER: &str = "Schön · — … ✓ │ 素数";
    let mut bench = Bench::new(120, 40);
    bench.run("Größe", 1);
    bench.tell(whole_variant(0, ANSWER));
    let rows = rows_of(&bench.buffer(&Theme::mono().with_letters(Charset::Ascii))).join("\n");
    assert!(rows.contains(ANSWER) && rows.contains("Größe"), "{rows}");
    let ours = rows.replace(ANSWER, "").replace("Größe", "");
    assert!(ours.is_ascii(), "{ours}");
}

fn streaming(bench: &mut Bench) {
    bench.run(IDEA, 3);
    for variant in 0..3 {
        bench.tell(whole_phase(variant, Phase::PrimaMateria, TEXTS[2]));
        bench.now += 300;
    }
    for variant in 0..2 {
        bench.tell(vec![phase_started(variant, Phase::Solutio)]);
        for word in TEXTS[variant as usize].split_inclusive(' ').take(40 - 14 * variant as usize) {
            bench.tell(vec![delta(variant, Phase::Solutio, word)]);
            bench.now += 20;
        }
    }
    bench.tell(vec![
        phase_started(2, Phase::Solutio),
        EventKind::Retrying {
            variant: 2,
            phase: Phase::Solutio,
            provider: "sim".into(),
            model: "sim-1".into(),
            attempt: 2,
            delay_ms: 6_000,
            error: overloaded(),
        },
        EventKind::Warning {
            variant: None,
            phase: None,
            message: "`temperature` was left out: sim-1 does not take it".into(),
            code: None,
        },
    ]);
    bench.wait(600);
}

fn finished(bench: &mut Bench) {
    bench.run(IDEA, 3);
    for variant in 0..3 {
        bench.tell(whole_variant(variant, TEXTS[variant as usize]));
        bench.now += 4_000;
    }
    bench.tell(ending(&[(0, TEXTS[0], 0.81), (1, TEXTS[1], 0.87), (2, TEXTS[2], 0.64)], Vec::new()));
}

fn partly_failed(bench: &mut Bench) {
    bench.run(IDEA, 2);
    bench.tell(whole_variant(0, TEXTS[0]));
    bench.tell(vec![
        phase_started(1, Phase::PrimaMateria),
        delta(1, Phase::PrimaMateria, "The demands are: correct"),
        EventKind::VariantFailed { variant: 1, phase: Some(Phase::PrimaMateria), error: overloaded() },
    ]);
    let failures = vec![VariantFailure { variant: 1, phase: Some(Phase::PrimaMateria), error: *overloaded() }];
    bench.tell(ending(&[(0, TEXTS[0], 0.81)], failures));
    bench.press("]");
}

#[test]
fn empty() {
    GALLERY.keep("empty", |_| {});
}

#[test]
fn while_text_arrives() {
    GALLERY.keep("streaming", streaming);
}

#[test]
fn with_a_result() {
    GALLERY.keep("finished", finished);
}

#[test]
fn with_a_failed_variant() {
    GALLERY.keep("failed", partly_failed);
}

/// The core's reason for a variant that is not stored.
const NOT_STORED: &str = "prompt 000000a1 is finished but not stored: no space is left for the database; it is saved in \
                          `~/.aludel/unsaved-1.jsonl`: `aludel import ~/.aludel/unsaved-1.jsonl` stores it once that is fixed";

#[test]
fn a_finished_variant_that_is_not_stored_says_so_and_keeps_its_text() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut bench = Bench::new(width, height);
        bench.run(IDEA, 2);
        bench.tell(whole_variant(0, TEXTS[0]));
        bench.tell(whole_variant(1, TEXTS[1]));
        let warning =
            |variant, message: &str, code| EventKind::Warning { variant, phase: None, message: message.into(), code };
        bench.tell(vec![
            warning(Some(1), NOT_STORED, Some(Code::Storage)),
            warning(None, "something of less weight that came later", None),
        ]);
        bench.tell(ending(&[(0, TEXTS[0], 0.81), (1, TEXTS[1], 0.87)], Vec::new()));
        let picture = bench.picture();
        for said in ["1 not stored", "Not stored: prompt", "copies it", "000000a1 is finished but not stored"] {
            assert!(picture.contains(said), "{width}x{height}: no {said:?} in\n{picture}");
        }
        let begins = "Senior Rust reviewer.";
        assert!(picture.contains(begins), "{width}x{height}: the text is in view:\n{picture}");
    }
}

#[test]
fn refused() {
    GALLERY.keep("refused", |bench| {
        bench.run("   ", 0);
        let faults = vec![
            Fault::new("input", "must not be blank; write what the prompt is for"),
            Fault::new("count", "must be 1 to 100, got 101"),
        ];
        let problem = Box::new(Problem::from(Error::Value(faults.into())));
        let ticket = bench.model.last_ticket;
        bench.send(Message::RunRefused { ticket, problem });
    });
}

#[test]
fn lines_scrolled_to_while_the_input_was_low_leave_no_blank_rows_when_it_is_high() {
    let mut bench = Bench::new(80, 24);
    let lines: Vec<String> = (1..=9).map(|number| format!("line {number}")).collect();
    bench.send(Message::Paste(lines.join("\n")));
    bench.picture();
    bench.press("Ctrl+J");
    bench.tell(vec![started(3)]);
    assert!(bench.picture().contains("▴ 7"), "what is hidden is told:\n{}", bench.picture());
    bench.press("i");
    let picture = bench.picture();
    for line in &lines[1..] {
        assert!(picture.contains(line.as_str()), "no {line:?} in\n{picture}");
    }
    assert!(picture.contains("▴ 1"), "what is hidden is told:\n{picture}");
    bench.press("Ctrl+Home");
    assert!(bench.picture().contains("▾ 1") && bench.picture().contains("line 1"), "{}", bench.picture());
}

/// A paid run whose first variant has finished a phase, and which the user has stopped.
fn stopped_while_calls_are_under_way(bench: &mut Bench, spent: Option<ModelMetadata>) {
    bench.run(IDEA, 2);
    bench.tell((0..2).map(|variant| phase_started(variant, Phase::PrimaMateria)).collect());
    bench.press("Ctrl+C");
    let cancelled = |variant| EventKind::VariantFailed {
        variant,
        phase: Some(Phase::PrimaMateria),
        error: Box::new(Problem::from(Error::Cancelled)),
    };
    bench.tell((0..2).map(cancelled).collect());
    bench.tell(spent.into_iter().map(|model_metadata| EventKind::Spent { model_metadata }).collect());
    bench.tell(vec![EventKind::Cancelled {}]);
    bench.wait(5_000);
}

#[test]
fn a_stopped_run_is_not_called_free_while_its_calls_may_have_been_paid_for() {
    let mut bench = Bench::new(120, 40);
    let spent = ModelMetadata { cost_usd: Some(0.0), most_usd: Some(0.11), ..ModelMetadata::default() };
    stopped_while_calls_are_under_way(&mut bench, Some(spent));
    let [screen, details] = [bench.picture(), {
        bench.press("e");
        bench.picture()
    }];
    for picture in [screen, details] {
        assert!(picture.contains("at most $0.1100") && !picture.contains("free"), "{picture}");
    }
    let mut nothing_went_out = Bench::new(120, 40);
    stopped_while_calls_are_under_way(&mut nothing_went_out, None);
    assert!(!nothing_went_out.picture().contains("· free"), "{}", nothing_went_out.picture());
    nothing_went_out.press("e");
    assert!(!nothing_went_out.picture().contains("· free"), "{}", nothing_went_out.picture());
}

#[test]
fn nothing_is_called_free_while_calls_are_under_way() {
    let mut bench = Bench::new(120, 40);
    bench.run(IDEA, 1);
    let free = ModelMetadata { cost_usd: Some(0.0), ..metadata(90) };
    let done = EventKind::PhaseFinished {
        variant: 0,
        phase: Phase::PrimaMateria,
        provider: "builtin".into(),
        model: "builtin".into(),
        content: "text".into(),
        model_metadata: free,
    };
    bench.tell(vec![phase_started(0, Phase::PrimaMateria), delta(0, Phase::PrimaMateria, "text"), done]);
    bench.tell(vec![phase_started(0, Phase::Solutio)]);
    let last = |bench: &Bench| bench.picture().lines().rev().nth(1).unwrap_or_default().to_owned();
    assert!(last(&bench).contains("live · 130 tok") && !last(&bench).contains("free"), "{}", last(&bench));
}

#[test]
fn a_run_that_only_asks_is_no_failure() {
    let problem = || Box::new(Problem::from(Error::Budget("this run may cost up to $2.00".into())));
    let costly = || Box::new(Costly { what: CostlyAction::Run(serde_json::Value::Null), most_usd: 2.0, calls: 9 });
    let theme = Theme::ansi16();
    for is_question_first in [true, false] {
        let mut bench = Bench::new(120, 40);
        bench.run(IDEA, 0);
        let ticket = bench.model.last_ticket;
        let asked = Message::CostAsked { ticket, costly: costly() };
        let refused = Message::RunRefused { ticket, problem: problem() };
        let both = if is_question_first { [asked, refused] } else { [refused, asked] };
        for message in both {
            bench.send(message);
        }
        for keys in ["", "Esc", "Tab e"] {
            if !keys.is_empty() {
                bench.press(keys);
            }
            let buffer = bench.buffer(&theme);
            let red = buffer.content().iter().find(|cell| Some(cell.fg) == theme.bad.fg);
            assert!(red.is_none(), "after {keys:?}:\n{}", bench.picture());
            assert!(bench.picture().contains("may cost up to $2 (9 calls)"), "after {keys:?}:\n{}", bench.picture());
            assert!(bench.picture().contains("? asks first"), "after {keys:?}:\n{}", bench.picture());
        }
    }
}

#[test]
fn refused_until_it_is_confirmed() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut bench = Bench::new(width, height);
        bench.run(IDEA, 0);
        let detail = "this run may cost up to $0.2171 (9 calls), and `spend.preflight_usd` lets no more than $0.10 pass \
                      without asking: confirm with a `budget_usd` of 0.2171 (on the command line --yes does), or ask for \
                      fewer variants, fewer phases or lower `max_tokens`";
        let problem = Box::new(Problem::from(Error::Budget(detail.into())));
        let ticket = bench.model.last_ticket;
        bench.send(Message::RunRefused { ticket, problem });
        bench.model.overlay = Some(Overlay::Details { top: 0 });
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let buffer = bench.buffer(&Theme::ansi16());
        let shown = words(&rows_of(&buffer).join(" ").replace(['│', '┃', '║', '▐', '█', '▌'], " "));
        assert!(shown.contains("may cost up to $0.2171 (9 calls)"), "{width}x{height}: {shown}");
        if height >= 24 && width >= 80 {
            assert!(shown.contains("or lower `max_tokens`"), "{width}x{height}: {shown}");
        }
    }
}

#[test]
fn stopped() {
    GALLERY.keep("stopped", |bench| {
        streaming(bench);
        bench.press("Ctrl+C");
        bench.tell(vec![EventKind::Cancelled {}]);
        bench.wait(5_000);
    });
}

#[test]
fn help() {
    GALLERY.keep("help", |bench| {
        streaming(bench);
        bench.press("? Down Down");
    });
}

#[test]
fn settings() {
    GALLERY.keep("settings", |bench| {
        bench.press("F2");
        bench.names();
        bench.press("Right Down");
    });
}

#[test]
fn details() {
    GALLERY.keep("details", |bench| {
        finished(bench);
        bench.press("e");
    });
}

#[test]
fn asking_to_quit() {
    GALLERY.keep("quit", |bench| {
        streaming(bench);
        bench.press("Ctrl+Q");
    });
}

#[test]
fn eight_variants_and_a_zoom() {
    let mut bench = Bench::new(120, 40);
    bench.run(IDEA, 8);
    for variant in 0..8 {
        bench.tell(whole_phase(variant, Phase::PrimaMateria, TEXTS[variant as usize % 3]));
    }
    bench.press("] ] ] ]");
    GALLERY.keep_one("eight_variants", &bench);
    bench.press("z");
    GALLERY.keep_one("zoomed", &bench);
}

#[test]
fn in_colour() {
    GALLERY.keep_in_colour("streaming", streaming);
    GALLERY.keep_in_colour("finished", finished);
    GALLERY.keep_in_colour("failed", partly_failed);
    GALLERY.keep_in_colour("details", |bench| {
        partly_failed(bench);
        bench.press("e");
    });
    GALLERY.keep_in_colour("quit", |bench| {
        streaming(bench);
        bench.press("Ctrl+Q");
    });
}

#[test]
fn the_least_size_is_whole_and_a_smaller_one_says_what_is_needed() {
    let mut bench = Bench::new(60, 16);
    finished(&mut bench);
    check(&bench);
    bench.send(Message::Resize { width: 59, height: 16 });
    let said: Vec<_> = bench.picture().lines().map(|row| row.trim().to_owned()).filter(|row| !row.is_empty()).collect();
    assert_eq!(said, ["aludel needs 60x16, this is 59x16", "Ctrl+C quits"]);
}

/// Bytes sent to the terminal per token: 3 variants at 50 tokens/s on 120 × 40, with full panes.
fn bytes_per_token(follow: Follow) -> f64 {
    /// The codes that begin and end a frame.
    const SYNCHRONISED: usize = 16;
    let mut bench = Bench::new(120, 40);
    bench.model.follow = follow;
    bench.run(IDEA, 3);
    let phase = Phase::PrimaMateria;
    bench.tell((0..3).map(|variant| phase_started(variant, phase)).collect());
    bench.tell((0..3).map(|variant| delta(variant, phase, &TEXTS[0].repeat(8))).collect());
    let bytes = FrameBytes::default();
    let viewport = TerminalOptions { viewport: Viewport::Fixed(Rect::new(0, 0, 120, 40)) };
    let mut terminal = Terminal::with_options(CrosstermBackend::new(bytes.clone()), viewport).unwrap();
    let (mut written, mut tokens) = (0, 0);
    // Ten seconds, a token a stream every 20 ms, a frame every 40.
    for frame in 0..250 {
        bench.now += 40;
        for _ in 0..2 {
            bench.tell((0..3).map(|variant| delta(variant, phase, " word")).collect());
            tokens += 3;
        }
        terminal.draw(|frame| view(&bench.model, frame, &Theme::ansi16())).unwrap();
        let drawn = bytes.take().len();
        // The first frame draws everything.
        written += if frame > 0 { drawn + SYNCHRONISED } else { 0 };
    }
    f64::from(u32::try_from(written).unwrap()) / f64::from(tokens)
}

#[test]
fn a_token_costs_few_bytes_and_fewest_where_the_line_is_slow() {
    let (tail, page) = (bytes_per_token(Follow::Tail), bytes_per_token(Follow::Page));
    assert!(tail < 90.0, "{tail:.0} bytes a token by row");
    assert!(page < 45.0, "{page:.0} bytes a token by page");
}

#[test]
fn hostile_text_is_shown_without_its_sequences_everywhere() {
    const HOSTILE: &str = "before\u{1b}]52;c;aGk=\u{7}\u{1b}[2J\u{9b}31mafter\u{202e}";
    let mut bench = Bench::new(200, 60);
    bench.run("idea", 1);
    let mut problem = overloaded();
    problem.detail = HOSTILE.into();
    problem.title = HOSTILE.into();
    problem.provider = Some(HOSTILE.into());
    let start = EventKind::PhaseStarted {
        variant: 0,
        phase: Phase::PrimaMateria,
        provider: HOSTILE.into(),
        model: HOSTILE.into(),
        strategy: HOSTILE.into(),
    };
    bench.tell(vec![
        start,
        delta(0, Phase::PrimaMateria, HOSTILE),
        EventKind::Warning { variant: None, phase: None, message: HOSTILE.into(), code: None },
        EventKind::VariantFailed { variant: 0, phase: Some(Phase::PrimaMateria), error: problem.clone() },
        EventKind::Failed { error: problem },
    ]);
    for overlay in [None, Some(Overlay::Details { top: 0 })] {
        bench.model.overlay = overlay;
        let picture = bench.picture();
        assert!(picture.contains("beforeafter"), "{picture}");
        for litter in ["52;c", "[2J", "31m", "\u{202e}", "\u{1b}"] {
            assert!(!picture.contains(litter), "{litter:?} in\n{picture}");
        }
    }
}

#[test]
fn without_letters_but_those_of_ascii_it_can_be_used() {
    GALLERY.keep_in_ascii("streaming", streaming);
}

#[test]
fn a_pane_that_let_go_of_its_beginning_says_so_and_copies_all() {
    let mut bench = Bench::new(120, 40);
    bench.run("idea", 1);
    let text = "a line of a model that does not stop\n".repeat(40_000);
    bench.tell(vec![phase_started(0, Phase::PrimaMateria), delta(0, Phase::PrimaMateria, &text)]);
    let picture = bench.picture();
    assert!(picture.contains("KB are no longer shown; Y copies all"), "{picture}");
    let copied = bench.press("Y");
    assert!(copied.contains(&Effect::Terminal(TerminalEffect::Copy(text))), "the whole, as the model wrote it");
}
