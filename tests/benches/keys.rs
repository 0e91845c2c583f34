//! The cost of single user actions: a key, a resize, a comparison, a search, a key on a slow line.
//!
//! Each alternates with a yardstick in the same run:
//! | measured | yardstick |
//! |---|---|
//! | bytes of a whole frame at three sizes | as many blanks, one a cell |
//! | a resize, nine panes of 22 KB at 200x60: rewrapped and repainted, two widths in turn | textwrap, first fit, the same texts |
//! | two texts of 20 KB side by side, as Compare does it: a few words changed, and every line moved | `similar` alone, by words |
//! | a letter typed in the palette, and among as many and as long earlier inputs as possible | a letter typed in the input |
//! | a letter typed in an input of 20 and of 100 KB, wrapped, to the painted frame | the bare text area, painted at the same size |
//! | a key to its glyph over a line of 10 KB/s, while three variants stream | the same line, without the repaint optimiser |
//!
//! `cargo bench --bench keys [NAME…]` measures paint, size, compare, search, input and line, or
//! those named; `ALUDEL_BENCH_ROUNDS` sets the rounds (100).
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, stops where it cannot go on, and is told how much by the environment"
)]

#[path = "measure/spread.rs"]
mod spread;
#[path = "measure/wanted.rs"]
mod wanted;

use std::hint::black_box;
use std::io::{Read, Write as _};
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use aludel::tui::headless::{FollowMode, OffscreenTerminal, beside};
use aludel_core::domain::{ModelMetadata, Operation, Phase, SessionId};
use aludel_core::event::{Event, EventKind};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use similar::TextDiff;
use spread::percentile;
use textwrap::{Options, WrapAlgorithm};
use tui_textarea::{CursorMove, TextArea, WrapMode};

const SMALL: (u16, u16) = (80, 24);
const MEDIUM: (u16, u16) = (120, 40);
const LARGE: (u16, u16) = (200, 60);

fn main() {
    wanted::make(
        &[
            ("paint", paint),
            ("size", sizes),
            ("compare", comparisons),
            ("search", searches),
            ("input", inputs),
            ("line", lines),
        ],
        100,
    );
}

fn milliseconds(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

/// Prints the median and the 99th percentile.
fn told(name: &str, values: &mut [f64]) -> f64 {
    let (middle, most) = (percentile(values, 0.5), percentile(values, 0.99));
    println!("{name}: {middle:.3} ms p50, {most:.3} ms p99, of {}", values.len());
    middle
}

/// Prints both, and their ratio.
fn print_ratio(name: &str, ours: &mut [f64], yardstick: &str, theirs: &mut [f64]) {
    let ratio = told(name, ours) / told(&format!("  {yardstick}"), theirs);
    println!("  {ratio:.2}x, middle to middle");
}

/// The time this took, in milliseconds.
fn timed<T>(work: impl FnOnce() -> T) -> f64 {
    let began = Instant::now();
    black_box(work());
    milliseconds(began.elapsed())
}

/// A word with a trailing blank; every thirtieth ends a line.
fn word(number: usize) -> String {
    const WORDS: [&str; 12] = [
        "amber ", "vessel ", "to ", "review ", "dilute ", "of ", "furnace ", "risk ", "salt ", "a ", "state ", "line ",
    ];
    let drawn = (number.wrapping_mul(40_503) >> 7) % WORDS.len();
    if number % 30 == 29 { WORDS[drawn].trim_end().to_owned() + "\n" } else { WORDS[drawn].to_owned() }
}

/// A text of about this many bytes.
fn text(seed: usize, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 8);
    let mut number = seed * 7_919;
    while text.len() < bytes {
        text.push_str(&word(number));
        number += 1;
    }
    text
}

/// A run whose three variants have finished all phases with this many bytes each.
fn filled((width, height): (u16, u16), bytes: usize) -> (OffscreenTerminal, Vec<String>) {
    let mut sheet = OffscreenTerminal::new(width, height, FollowMode::ByRow).expect("a screen");
    sheet.run("Write a prompt that reviews pull requests");
    let session_id = SessionId("01932c07-7d1c-7c3e-8a51-0e4b00000001".parse().expect("an identifier"));
    let mut kinds = vec![EventKind::Started {
        operation: Operation::Generate,
        total: None,
        variants: 3,
        phases: Phase::ALL.to_vec(),
    }];
    let mut texts = Vec::new();
    for (index, phase) in Phase::ALL.into_iter().enumerate() {
        for variant in 0..3 {
            let content = text(index * 3 + variant as usize, bytes);
            let (provider, model) = ("sim".to_owned(), "sim-1".to_owned());
            kinds.push(EventKind::PhaseStarted { variant, phase, provider, model, strategy: "direct".into() });
            kinds.push(EventKind::Delta { variant, phase, text: content.clone() });
            kinds.push(EventKind::PhaseFinished {
                variant,
                phase,
                provider: "sim".into(),
                model: "sim-1".into(),
                content: content.clone(),
                model_metadata: ModelMetadata::default(),
            });
            texts.push(content);
        }
    }
    sheet.tell((0..).zip(kinds).map(|(seq, kind)| Event { session_id, seq, kind }).collect());
    sheet.draw_anew().expect("a frame");
    (sheet, texts)
}

fn paint(_rounds: u64) {
    for (width, height) in [SMALL, MEDIUM, LARGE] {
        let (mut sheet, _) = filled((width, height), 22_000);
        let bytes = sheet.draw_anew().expect("a frame").len();
        let cells = usize::from(width) * usize::from(height);
        println!("a whole frame at {width}x{height}: {bytes} bytes, {:.2}x its cells", bytes as f64 / cells as f64);
    }
}

fn sizes(rounds: u64) {
    let (mut sheet, texts) = filled(LARGE, 22_000);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let width = if round % 2 == 0 { 190 } else { 200 };
        ours.push(timed(|| {
            sheet.resize(width, 60);
            sheet.draw_anew().expect("a frame")
        }));
        // Three columns next to the settings.
        let options = Options::new(usize::from(width - 56) / 3 - 2).wrap_algorithm(WrapAlgorithm::FirstFit);
        theirs.push(timed(|| texts.iter().map(|text| textwrap::wrap(text, &options).len()).sum::<usize>()));
    }
    print_ratio(
        "a new size, nine panes of 22 KB at 200x60, to the painted frame",
        &mut ours,
        "textwrap, first fit, nine such texts",
        &mut theirs,
    );
}

fn comparisons(rounds: u64) {
    let first = text(1, 20_000);
    let revised: String = first
        .split_inclusive(' ')
        .enumerate()
        .map(|(at, word)| if at % 40 == 7 { "revised ".to_owned() } else { word.to_owned() })
        .collect();
    let mut lines: Vec<&str> = first.split_inclusive('\n').collect();
    lines.sort_by_key(|line| line.bytes().rev().map(u64::from).fold(7_u64, |sum, byte| sum.wrapping_mul(31) + byte));
    let shuffled: String = lines.concat();
    for (name, second) in [("a few words changed", &revised), ("every line in another place", &shuffled)] {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            ours.push(timed(|| beside(&first, second, 100)));
            theirs.push(timed(|| TextDiff::configure().diff_unicode_words(&first, second).ops().len()));
        }
        let name = format!("two texts of 20 KB beside each other, {name}");
        print_ratio(&name, &mut ours, "similar by words", &mut theirs);
    }
}

fn searches(rounds: u64) {
    let letter = |sheet: &mut OffscreenTerminal, letter: &str| {
        let took = timed(|| {
            sheet.press_key(letter);
            sheet.draw().expect("a frame")
        });
        sheet.press_key("Backspace");
        took
    };
    let sheet = || OffscreenTerminal::new(MEDIUM.0, MEDIUM.1, FollowMode::ByRow).expect("a screen");
    let (mut palette, mut earlier, mut typing) = (sheet(), sheet(), sheet());
    palette.press_key("Ctrl+P");
    earlier.press_key("Ctrl+R");
    earlier.take_earlier_inputs((0..200).map(|number| format!("{number} {}", text(number, 5_000))).collect());
    let (mut of_palette, mut of_earlier, mut of_typing) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        of_palette.push(letter(&mut palette, "o"));
        of_earlier.push(letter(&mut earlier, "o"));
        of_typing.push(letter(&mut typing, "o"));
    }
    let typing = told("a letter typed in the input", &mut of_typing);
    let palette = told("  in the palette", &mut of_palette);
    let earlier = told("  among 200 earlier inputs of 5 KB", &mut of_earlier);
    println!("  {:.2}x and {:.2}x, middle to middle", palette / typing, earlier / typing);
}

fn inputs(rounds: u64) {
    for bytes in [20_000, 99_000] {
        let text = text(1, bytes);
        let mut sheet = OffscreenTerminal::new(MEDIUM.0, MEDIUM.1, FollowMode::ByRow).expect("a screen");
        sheet.paste(&text);
        sheet.draw_anew().expect("a frame");
        let mut area = TextArea::default();
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        area.insert_str(&text);
        let viewport = Viewport::Fixed(Rect::new(0, 0, MEDIUM.0, MEDIUM.1));
        let mut terminal = Terminal::with_options(CrosstermBackend::new(std::io::sink()), TerminalOptions { viewport })
            .expect("a screen");
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        // In the middle, so that what follows has to move.
        (0..40).for_each(|_| sheet.press_key("Up"));
        (0..40).for_each(|_| area.move_cursor(CursorMove::Up));
        for _ in 0..rounds {
            ours.push(timed(|| {
                sheet.press('x');
                sheet.draw().expect("a frame")
            }));
            theirs.push(timed(|| {
                area.insert_char('x');
                terminal.draw(|frame| frame.render_widget(&area, frame.area())).expect("a frame");
            }));
        }
        let name = format!("a letter typed in {} KB, wrapped, to the painted frame at 120x40", bytes / 1_000);
        print_ratio(&name, &mut ours, "the bare text area", &mut theirs);
    }
}

fn lines(rounds: u64) {
    let rounds = rounds.div_ceil(5).max(9);
    let mut spared = over_a_line(rounds, &[("SSH_CONNECTION", "far 1 near 22")]);
    let mut not_spared = over_a_line(rounds.min(20), &[]);
    print_ratio(
        "a key to its glyph over 10 KB/s at 120x40, while 3 x 50 tokens a second stream",
        &mut spared,
        "not spared",
        &mut not_spared,
    );
}

/// Forwards a terminal's output piece by piece, no faster than 10 KB/s.
fn carried(mut reader: Box<dyn Read + Send>) -> Receiver<Vec<u8>> {
    /// Nanoseconds per byte.
    const BYTE_NS: u64 = 100_000;
    let (sender, carried) = sync_channel(4_096);
    std::thread::spawn(move || {
        let (mut buffer, mut free_at) = ([0; 256], Instant::now());
        while let Ok(length @ 1..) = reader.read(&mut buffer) {
            free_at = free_at.max(Instant::now()) + Duration::from_nanos(length as u64 * BYTE_NS);
            std::thread::sleep(free_at.saturating_duration_since(Instant::now()));
            if sender.send(buffer[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    carried
}

/// Key latencies over such a line, once panes are full.
fn over_a_line(rounds: u64, variables: &[(&str, &str)]) -> Vec<f64> {
    let home = tempfile::tempdir().expect("a scratch folder");
    scripted(home.path());
    let (cols, rows) = MEDIUM;
    let pair = native_pty_system()
        .openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 })
        .expect("a pseudo-terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_aludel"));
    command.arg("tui");
    command.env_clear();
    command.env("ALUDEL_HOME", home.path());
    command.env("TERM", "xterm-256color");
    for (name, value) in variables {
        command.env(name, value);
    }
    let mut child = pair.slave.spawn_command(command).expect("the program starts");
    drop(pair.slave);
    let mut keys = pair.master.take_writer().expect("a writer");
    let frames = carried(pair.master.try_clone_reader().expect("a reader"));
    let mut written = String::new();
    let mut until = |wanted: &str| {
        written.clear();
        while !written.contains(wanted) {
            written.push_str(&String::from_utf8_lossy(&frames.recv().expect("the workbench is open")));
        }
    };
    until("Nothing here yet");
    keys.write_all(b"idea").expect("it reads");
    until("idea");
    keys.write_all(b"\n").expect("it reads");
    // Panes are full; back to the input.
    until("\u{25b4}");
    keys.write_all(b"i").expect("it reads");
    let mut took = Vec::new();
    for round in 0..rounds {
        // Out of step with the frames.
        let rest = Instant::now() + Duration::from_millis(400 + round * 37 % 211);
        while let Ok(piece) = frames.recv_timeout(rest.saturating_duration_since(Instant::now())) {
            black_box(piece);
        }
        let letter = char::from_u32(0x0E01 + u32::try_from(round % 40).unwrap_or(0)).expect("a letter").to_string();
        let began = Instant::now();
        keys.write_all(letter.as_bytes()).expect("it reads");
        let mut written = Vec::new();
        while !String::from_utf8_lossy(&written).contains(&letter) {
            written.extend(frames.recv().expect("the workbench is open"));
        }
        took.push(milliseconds(began.elapsed()));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    took
}

/// A provider that streams 50 tokens a second in `home`.
fn scripted(home: &Path) {
    let script = "answer: {words: 50000}\npacing: {first_token_ms: 20, tokens_per_s: 50}\n";
    std::fs::write(home.join("script.yaml"), script).expect("a script");
    let config = "providers:\n  sim: {script: script.yaml}\n\
                  generation: {default_max_tokens: 60000, default_embedding_model: openai}\n";
    std::fs::write(home.join("config.yaml"), config).expect("a configuration");
}
