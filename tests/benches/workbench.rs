//! The cost of the workbench while text streams: a frame, a key, a token, an hour, and its start.
//!
//! Each alternates with a yardstick in the same run:
//! | measured | yardstick |
//! |---|---|
//! | a frame at 200x60, nine panes of 5,000 tokens, one token for each variant | ratatui's `Paragraph`, wrapped and scrolled, over three such texts |
//! | a key until its glyph is drawn, while 3 x 200 tokens a second stream | the same keys while nothing streams |
//! | bytes for a token, 3 x 50 a second at 120x40, following by row and by page | every frame painted whole |
//! | memory after an hour of streaming in simulated time, in sixty runs and in one | the same after the first minutes |
//! | start to first frame on a pseudo-terminal | `--version` of the same program, and `true` |
//!
//! `cargo bench --bench workbench [NAME…]` measures those named, of memory, frame, key, bytes,
//! start; `ALUDEL_BENCH_ROUNDS` sets the rounds (300).
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

use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use aludel::tui::headless::{FollowMode, OffscreenTerminal, open};
use aludel_core::config::{self, Environment, Flags};
use aludel_core::domain::{ModelMetadata, Operation, Phase, SessionId};
use aludel_core::engine::Engine;
use aludel_core::event::{Event, EventKind};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::widgets::{Block, Paragraph, Wrap};
use ratatui::{Terminal, TerminalOptions, Viewport};
use spread::percentile;
use tokio::sync::mpsc;

const VARIANTS: u32 = 3;
const TOKENS: u64 = 5_000;
const LARGE: (u16, u16) = (200, 60);
const MEDIUM: (u16, u16) = (120, 40);

fn main() {
    // Memory first, before the others leave any behind.
    wanted::make(&[("memory", memory), ("frame", frames), ("key", keys), ("bytes", bytes), ("start", starts)], 300);
}

/// Sends a run's numbered events.
struct EventFeed {
    sheet: OffscreenTerminal,
    seq: u64,
    words: u64,
}

impl EventFeed {
    fn new((width, height): (u16, u16), following: FollowMode) -> Self {
        Self { sheet: OffscreenTerminal::new(width, height, following).expect("a screen"), seq: 0, words: 0 }
    }

    fn tell(&mut self, kinds: Vec<EventKind>) {
        let session_id = SessionId("01932c07-7d1c-7c3e-8a51-0e4b00000001".parse().expect("an identifier"));
        let event = |kind| {
            self.seq += 1;
            Event { session_id, seq: self.seq - 1, kind }
        };
        let events = kinds.into_iter().map(event).collect();
        self.sheet.tell(events);
    }

    fn run(&mut self) {
        self.seq = 0;
        self.sheet.run("Write a prompt that reviews pull requests");
        let started = EventKind::Started {
            operation: Operation::Generate,
            total: None,
            variants: VARIANTS,
            phases: Phase::ALL.to_vec(),
        };
        self.tell(vec![started]);
    }

    fn begin(&mut self, phase: Phase) {
        let begun = |variant| EventKind::PhaseStarted {
            variant,
            phase,
            provider: "sim".into(),
            model: "sim-1".into(),
            strategy: "direct".into(),
        };
        self.tell((0..VARIANTS).map(begun).collect());
    }

    /// One token for each variant.
    fn token(&mut self, phase: Phase) {
        self.words += 1;
        let words = self.words;
        let delta = |variant| EventKind::Delta { variant, phase, text: word(words + u64::from(variant)) };
        self.tell((0..VARIANTS).map(delta).collect());
    }

    /// A whole phase of this many tokens per variant, at once.
    fn whole(&mut self, phase: Phase, tokens: u64) {
        self.begin(phase);
        let contents: Vec<String> = (0..VARIANTS).map(|variant| text(u64::from(variant), tokens)).collect();
        let delta = |(variant, text): (u32, &String)| EventKind::Delta { variant, phase, text: text.clone() };
        self.tell((0..).zip(&contents).map(delta).collect());
        self.finish(phase, contents, tokens);
    }

    fn finish(&mut self, phase: Phase, contents: Vec<String>, tokens: u64) {
        let finished = |(variant, content)| EventKind::PhaseFinished {
            variant,
            phase,
            provider: "sim".into(),
            model: "sim-1".into(),
            content,
            model_metadata: ModelMetadata { output_tokens: tokens, latency_ms: 2_000, ..ModelMetadata::default() },
        };
        self.tell((0..).zip(contents).map(finished).collect());
    }
}

/// A one-token word with a trailing blank; every thirtieth ends a line.
fn word(number: u64) -> String {
    const WORDS: [&str; 12] = [
        "amber ", "vessel ", "to ", "review ", "dilute ", "of ", "furnace ", "risk ", "salt ", "a ", "state ", "line ",
    ];
    let drawn = number.wrapping_mul(6_364_136_223_846_793_005).rotate_left(23) % WORDS.len() as u64;
    let word = WORDS[usize::try_from(drawn).unwrap_or(0)];
    if number % 30 == 29 { word.trim_end().to_owned() + "\n" } else { word.to_owned() }
}

fn text(seed: u64, tokens: u64) -> String {
    (0..tokens).map(|number| word(number + seed)).collect()
}

/// Prints the median and the 99th percentile, and returns the median.
fn told(name: &str, unit: &str, values: &mut [f64]) -> f64 {
    let (middle, most) = (percentile(values, 0.5), percentile(values, 0.99));
    println!("{name}: {middle:.3} {unit} p50, {most:.3} {unit} p99, of {}", values.len());
    middle
}

fn milliseconds(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

fn frames(rounds: u64) {
    let mut ours = EventFeed::new(LARGE, FollowMode::ByRow);
    ours.run();
    ours.whole(Phase::PrimaMateria, TOKENS);
    ours.whole(Phase::Solutio, TOKENS);
    ours.begin(Phase::Coagulatio);
    for _ in 0..TOKENS {
        ours.token(Phase::Coagulatio);
    }
    ours.sheet.draw_anew().expect("a frame");
    let mut yardstick = Paragraphs::new();
    yardstick.frame();
    let (mut of_ours, mut of_theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let began = Instant::now();
        ours.token(Phase::Coagulatio);
        ours.sheet.draw().expect("a frame");
        of_ours.push(milliseconds(began.elapsed()));
        yardstick.token();
        let began = Instant::now();
        yardstick.frame();
        of_theirs.push(milliseconds(began.elapsed()));
    }
    let mut ratios: Vec<f64> = of_ours.iter().zip(&of_theirs).map(|(ours, theirs)| ours / theirs).collect();
    told("frame at 200x60, nine panes of 5,000 tokens", "ms", &mut of_ours);
    told("  three Paragraphs over three of these texts", "ms", &mut of_theirs);
    println!("  {:.3}x, the middle of the pairs", percentile(&mut ratios, 0.5));
}

/// Three texts as ratatui draws them: rewrapped for each frame, scrolled to about their end.
struct Paragraphs {
    terminal: Terminal<CrosstermBackend<std::io::Sink>>,
    texts: Vec<String>,
    words: u64,
}

impl Paragraphs {
    fn new() -> Self {
        let viewport = Viewport::Fixed(Rect::new(0, 0, LARGE.0, LARGE.1));
        let backend = CrosstermBackend::new(std::io::sink());
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport }).expect("a screen");
        Self { terminal, texts: (0..u64::from(VARIANTS)).map(|seed| text(seed, TOKENS)).collect(), words: TOKENS }
    }

    fn token(&mut self) {
        self.words += 1;
        for (text, seed) in self.texts.iter_mut().zip(0..) {
            text.push_str(&word(self.words + seed));
        }
    }

    fn frame(&mut self) {
        let texts = &self.texts;
        let draw = |frame: &mut ratatui::Frame<'_>| {
            let columns = Layout::horizontal([Constraint::Fill(1); 3]).split(frame.area());
            for (text, area) in texts.iter().zip(columns.iter()) {
                // A row per line break and full width. The exact number would cost as much again.
                let rows = text.lines().map(|line| line.len() / usize::from(area.width - 4) + 1).sum::<usize>();
                let top = u16::try_from(rows.saturating_sub(usize::from(area.height))).unwrap_or(u16::MAX);
                let paragraph = Paragraph::new(text.as_str()).block(Block::bordered());
                frame.render_widget(paragraph.wrap(Wrap { trim: false }).scroll((top, 0)), *area);
            }
        };
        self.terminal.draw(draw).expect("a frame");
    }
}

/// An engine in `folder` whose provider streams 200 tokens a second.
fn streaming(folder: &Path) -> Engine {
    let script = "answer: {words: 50000}\npacing: {first_token_ms: 20, tokens_per_s: 200}\n";
    std::fs::write(folder.join("script.yaml"), script).expect("a script");
    // Vectors are not measured: without an embedding model none are made.
    let config = "providers:\n  sim: {script: script.yaml}\n\
                  generation: {default_max_tokens: 60000, default_embedding_model: openai}\n";
    std::fs::write(folder.join("config.yaml"), config).expect("a configuration");
    let environment = Environment::from_pairs([("ALUDEL_HOME", folder.to_str().expect("a UTF-8 path"))]);
    Engine::open(config::load(&Flags::default(), &environment).expect("a configuration"))
}

fn keys(rounds: u64) {
    let mut idle = latencies(rounds, "");
    let mut busy = latencies(rounds, "idea\n");
    let calm = told("key to glyph at 120x40, nothing streams", "ms", &mut idle);
    let streaming = told("  while 3 x 200 tokens a second stream", "ms", &mut busy);
    println!("  {:.2}x, middle to middle", streaming / calm);
}

/// Time from a key to a frame with its glyph, once the effect of `first` is visible.
fn latencies(rounds: u64, first: &str) -> Vec<f64> {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let engine = streaming(folder.path());
    // As in the program: the loop on this thread, runs on two others.
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let (typing, typed) = mpsc::channel(64);
    let (drawn, mut frames) = mpsc::channel::<Vec<u8>>(4_096);
    let first = first.to_owned();
    let typist = runtime.spawn(async move {
        for character in first.chars() {
            typing.send(character).await.expect("it listens");
            tokio::time::sleep(Duration::from_millis(60)).await;
        }
        if !first.is_empty() {
            // A token estimate means that text is arriving. Then back to the input.
            until_drawn(&mut frames, "~").await;
            typing.send('i').await.expect("it listens");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        let mut took = Vec::new();
        for round in 0..rounds {
            // Out of step with the frames.
            tokio::time::sleep(Duration::from_millis(23 + round * 7 % 31)).await;
            // Consecutive letters that appear nowhere else on the screen.
            let letter = char::from_u32(0x0E01 + u32::try_from(round % 40).unwrap_or(0)).expect("a letter");
            while frames.try_recv().is_ok() {}
            let began = Instant::now();
            typing.send(letter).await.expect("it listens");
            until_drawn(&mut frames, &letter.to_string()).await;
            took.push(milliseconds(began.elapsed()));
        }
        took
    });
    let show = move |frame: &[u8]| _ = drawn.try_send(frame.to_vec());
    runtime.block_on(open(engine, MEDIUM, typed, show)).expect("it works and ends");
    runtime.block_on(typist).expect("keys were typed")
}

/// Waits for a frame that contains `text`.
async fn until_drawn(frames: &mut mpsc::Receiver<Vec<u8>>, text: &str) {
    while !String::from_utf8_lossy(&frames.recv().await.expect("the workbench is open")).contains(text) {}
}

fn bytes(rounds: u64) {
    let seconds = rounds.div_ceil(5).max(2);
    for (name, following) in [("by row", FollowMode::ByRow), ("by page", FollowMode::ByPage)] {
        let (tokens, written, frames, whole) = streamed(seconds, following);
        let each = written as f64 / tokens as f64;
        println!(
            "bytes for a token, 3 x 50 a second at 120x40 for {seconds} s, following {name}: {each:.1} in {frames} frames; \
             painted whole {:.1}, {:.3}x",
            whole as f64 / tokens as f64,
            each * tokens as f64 / whole as f64
        );
    }
}

/// Streams into full panes in simulated time: tokens, bytes, frames, and the bytes of whole frames.
fn streamed(seconds: u64, following: FollowMode) -> (u64, usize, u64, usize) {
    let mut teller = EventFeed::new(MEDIUM, following);
    teller.run();
    teller.begin(Phase::PrimaMateria);
    for _ in 0..1_000 {
        teller.token(Phase::PrimaMateria);
    }
    teller.sheet.draw_anew().expect("a frame");
    let whole = teller.sheet.draw_anew().expect("a frame").len();
    let (mut written, mut frames, mut tokens) = (0, 0, 0);
    for now in 0..seconds * 1_000 {
        if now % 20 == 0 {
            teller.token(Phase::PrimaMateria);
            tokens += u64::from(VARIANTS);
        }
        if let Some(frame) = teller.sheet.pass(now).expect("a frame") {
            written += frame.len();
            frames += 1;
        }
    }
    (tokens, written, frames, whole * usize::try_from(frames).unwrap_or(0))
}

fn memory(rounds: u64) {
    /// Seconds of streaming in each phase of one of sixty runs: three phases make a minute.
    const SHORT: u64 = 20;
    let runs = rounds.div_ceil(5).max(6);
    println!("memory before: {} kB, at most {} kB", held("VmRSS"), held("VmHWM"));
    let mut teller = EventFeed::new(MEDIUM, FollowMode::ByRow);
    let mut now = 0;
    for run in 1..=runs {
        now = minute(&mut teller, now, SHORT);
        if run == 5 || run == runs {
            println!(
                "  after {run} runs of a minute, 3 x 50 tokens a second: {} kB, at most {} kB",
                held("VmRSS"),
                held("VmHWM")
            );
        }
    }
    // The whole hour in one run: the longest possible texts.
    let phase = runs * SHORT;
    minute(&mut teller, now, phase);
    println!("  after one run of {} minutes: {} kB, at most {} kB", phase * 3 / 60, held("VmRSS"), held("VmHWM"));
    minute(&mut teller, now + 3_000 * phase, SHORT);
    println!("  after one more of a minute: {} kB, at most {} kB", held("VmRSS"), held("VmHWM"));
}

/// A run that streams 50 tokens a second for this long in each of three phases; returns the end.
fn minute(teller: &mut EventFeed, mut now: u64, seconds: u64) -> u64 {
    teller.run();
    for phase in Phase::ALL {
        teller.begin(phase);
        let mut contents = vec![String::new(); VARIANTS as usize];
        for _ in 0..seconds * 50 {
            teller.token(phase);
            for (content, variant) in contents.iter_mut().zip(0..) {
                let _ = write!(content, "{}", word(teller.words + variant));
            }
            now += 20;
            teller.sheet.pass(now).expect("a frame");
        }
        teller.finish(phase, contents, seconds * 50);
    }
    teller.tell(vec![EventKind::Cancelled {}]);
    now
}

/// Memory of this process, in kB (proc(5)): `VmRSS` is current, `VmHWM` the peak.
fn held(name: &str) -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line.split_whitespace().nth(1).unwrap_or("?").to_owned()
}

fn starts(rounds: u64) {
    let aludel = env!("CARGO_BIN_EXE_aludel");
    let home = tempfile::tempdir().expect("a scratch folder");
    let rounds = rounds.div_ceil(5).max(2);
    let (mut ours, mut version, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        // The first frame ends with its synchronised update.
        ours.push(milliseconds(until(home.path(), &[aludel, "tui"], Some("\u{1b}[?2026l"))));
        version.push(milliseconds(until(home.path(), &[aludel, "--version"], None)));
        bare.push(milliseconds(until(home.path(), &["true"], None)));
    }
    let ratio = |theirs: &[f64]| {
        let mut ratios: Vec<f64> = ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect();
        percentile(&mut ratios, 0.5)
    };
    let ratios = (ratio(&version), ratio(&bare));
    told("start to first frame at 120x40", "ms", &mut ours);
    told("  --version of the same program", "ms", &mut version);
    told("  true", "ms", &mut bare);
    println!("  {:.2}x --version, {:.2}x true, the middle of the pairs", ratios.0, ratios.1);
}

/// The time until a command on a pseudo-terminal has written `text`, or ended.
fn until(home: &Path, command: &[&str], text: Option<&str>) -> Duration {
    let (cols, rows) = MEDIUM;
    let pair = native_pty_system()
        .openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 })
        .expect("a pseudo-terminal");
    let mut builder = CommandBuilder::new(command[0]);
    builder.args(&command[1..]);
    builder.env_clear();
    builder.env("ALUDEL_HOME", home);
    builder.env("TERM", "xterm-256color");
    builder.env("PATH", "/usr/bin:/bin");
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let began = Instant::now();
    let mut child = pair.slave.spawn_command(builder).expect("the program starts");
    drop(pair.slave);
    let (mut written, mut buffer) = (Vec::new(), [0; 16 * 1024]);
    let mut has_come = false;
    while !has_come {
        // On some systems, reading fails once nobody writes to a terminal.
        let Ok(length @ 1..) = reader.read(&mut buffer) else { break };
        written.extend_from_slice(&buffer[..length]);
        has_come = text.is_some_and(|text| String::from_utf8_lossy(&written).contains(text));
    }
    let took = began.elapsed();
    assert!(text.is_none() || has_come, "{command:?} wrote {}", String::from_utf8_lossy(&written));
    // It has drawn its first frame and is no longer needed.
    if text.is_some() {
        child.kill().expect("it runs");
    }
    child.wait().expect("it ends");
    took
}
