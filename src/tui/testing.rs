//! Shared by the workbench's tests: a model with keys to press, events to feed and pictures to
//! check, and an engine with a scripted provider.

use std::collections::BTreeMap;
use std::path::Path;

use aludel_core::compare::{CompareContext, compare};
use aludel_core::config::{Environment, Flags, load};
use aludel_core::domain::{
    CompareResult, Comparison, GenerationResult, ModelMetadata, Operation, Phase, Prompt, PromptId, RankedCandidate,
    Ranking, SelectResult, SessionId, Source, Step, VariantFailure,
};
use aludel_core::engine::Engine;
use aludel_core::error::{Error, Problem, ProviderError, ProviderFailure};
use aludel_core::event::{Event, EventKind, Outcome};
use aludel_core::rank::Weights;
use aludel_core::time::from_millis;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier, Style};

use super::effect::{Effect, Ticket};
use super::message::{HistoryReply, Message, Pointer};
use super::model::history::{ResultFacts, ResultPage, Row};
use super::model::{Defaults, Model, Names, Settings};
use super::picture::view;
use super::theme::Theme;
use super::update::{Cx, update};
use super::widgets::cells;
use super::widgets::scroll::Follow;

pub(crate) mod batches;
pub(crate) mod gallery;
pub(crate) mod samples;

/// A workbench under test, without a terminal.
pub(crate) struct Bench {
    pub(crate) model: Model,
    pub(crate) now: u64,
    seq: u64,
}

impl Bench {
    pub(crate) fn new(width: u16, height: u16) -> Self {
        let model = Model::new(defaults(), Follow::Tail);
        let mut bench = Self { model, now: 0, seq: 0 };
        bench.send(Message::Resize { width, height });
        bench
    }

    pub(crate) fn send(&mut self, message: Message) -> Vec<Effect> {
        update(&mut self.model, message, Cx { now: self.now })
    }

    /// Presses keys by name, in sequence.
    pub(crate) fn press(&mut self, keys: &str) -> Vec<Effect> {
        keys.split(' ').flat_map(|key| self.send(Message::Key(key_named(key)))).collect()
    }

    pub(crate) fn type_text(&mut self, text: &str) {
        for character in text.chars() {
            self.send(Message::Key(KeyEvent::new(KeyCode::Char(character), KeyModifiers::NONE)));
        }
    }

    /// Sends a mouse event at a cell.
    pub(crate) fn point(&mut self, pointer: Pointer, x: u16, y: u16) -> Vec<Effect> {
        self.send(Message::Pointer { pointer, at: Position::new(x, y) })
    }

    /// Presses and releases the mouse button at a cell.
    pub(crate) fn click(&mut self, x: u16, y: u16) -> Vec<Effect> {
        [self.point(Pointer::Click, x, y), self.point(Pointer::Release, x, y)].concat()
    }

    /// Drags the mouse from the first cell to the second.
    pub(crate) fn drag(&mut self, from: (u16, u16), to: (u16, u16)) {
        self.point(Pointer::Click, from.0, from.1);
        self.point(Pointer::Drag, to.0, to.1);
        self.point(Pointer::Release, to.0, to.1);
    }

    /// The cell at which `text` starts in the picture.
    pub(crate) fn place_of(&self, text: &str) -> (u16, u16) {
        let picture = self.picture();
        let found = picture.lines().enumerate().find_map(|(y, row)| {
            let at = row.find(text)?;
            Some((cells(ratatui::text::Line::from(&row[..at]).width()), cells(y)))
        });
        found.unwrap_or_else(|| panic!("no {text:?} in\n{picture}"))
    }

    /// Lets time pass, tick by tick like the runtime.
    pub(crate) fn wait(&mut self, milliseconds: u64) {
        self.wait_and_see(milliseconds);
    }

    /// Like [`Bench::wait`], but returns the effects.
    pub(crate) fn wait_and_see(&mut self, milliseconds: u64) -> Vec<Effect> {
        let end = self.now + milliseconds;
        let mut effects = Vec::new();
        while let Some(next) = super::update::next_wake(&self.model).filter(|next| *next <= end) {
            self.now = next.max(self.now);
            effects.extend(self.send(Message::Tick));
        }
        self.now = end;
        effects
    }

    /// Feeds events of the current run.
    pub(crate) fn tell(&mut self, kinds: Vec<EventKind>) -> Vec<Effect> {
        self.tell_of(self.model.last_ticket, kinds)
    }

    pub(crate) fn tell_of(&mut self, ticket: Ticket, kinds: Vec<EventKind>) -> Vec<Effect> {
        let events = kinds.into_iter().map(|kind| {
            let event = Event { session_id: session(), seq: self.seq, kind };
            self.seq += 1;
            event
        });
        let events = events.collect();
        self.send(Message::RunEvents { ticket, events })
    }

    /// Makes every search by meaning cost money.
    pub(crate) fn meaning_costs(&mut self) {
        self.model.settings = Settings::new(Defaults { is_embedding_free: false, ..defaults() });
    }

    /// Marks `builtin` as already explained.
    pub(crate) fn builtin_is_known(&mut self) {
        self.model.settings = Settings::new(Defaults { knows_builtin: true, ..defaults() });
    }

    /// Types a request and runs it; `variants` of it are announced.
    pub(crate) fn run(&mut self, idea: &str, variants: u32) {
        self.type_text(idea);
        self.press("Ctrl+J");
        self.tell(vec![started(variants)]);
    }

    pub(crate) fn names(&mut self) {
        self.send(Message::Names(Names {
            personas: ["analysis", "code", "generic", "writing"].map(String::from).to_vec(),
            providers: ["builtin", "local"].map(String::from).to_vec(),
        }));
    }

    /// Replies to the newest search.
    pub(crate) fn answer(&mut self, answer: ResultPage) -> Vec<Effect> {
        let asked = self.model.history.asked.unwrap_or_else(|| panic!("no rows are asked for"));
        self.send(Message::History { ticket: asked.ticket, news: HistoryReply::Found(Ok(Box::new(answer))) })
    }

    /// Replies to the newest request for a whole prompt.
    pub(crate) fn read(&mut self, prompt: Prompt) {
        let ticket = self.model.history.reading.unwrap_or_else(|| panic!("no prompt is asked for"));
        self.send(Message::History { ticket, news: HistoryReply::Read(Ok(Box::new(prompt))) });
    }

    pub(crate) fn buffer(&self, theme: &Theme) -> Buffer {
        let size = self.model.size;
        let mut terminal = Terminal::new(TestBackend::new(size.width, size.height)).unwrap();
        terminal.draw(|frame| view(&self.model, frame, theme)).unwrap();
        terminal.backend().buffer().clone()
    }

    /// The screen as text, without trailing blanks.
    pub(crate) fn picture(&self) -> String {
        rows_of(&self.buffer(&Theme::ansi16())).join("\n")
    }
}

fn defaults() -> Defaults {
    let builtin = vec!["builtin".to_owned()];
    Defaults {
        persona: "generic".into(),
        count: 3,
        temperature: 0.7,
        providers: builtin.clone(),
        writers: builtin,
        is_embedding_free: true,
        knows_builtin: false,
    }
}

/// An engine over an empty folder whose only provider plays `script`.
pub(crate) fn scripted(folder: &Path, script: &str) -> Engine {
    scripted_with(folder, script, "")
}

/// Like [`scripted`], with `more` in the configuration.
pub(crate) fn scripted_with(folder: &Path, script: &str, more: &str) -> Engine {
    let file = folder.join("sim.yaml");
    std::fs::write(&file, script).unwrap();
    let providers = format!("providers:\n  model: {{kind: sim, max_retries: 0, script: {}}}\n", file.display());
    configured(folder, &(providers + more))
}

/// An engine with this configuration.
pub(crate) fn configured(folder: &Path, config: &str) -> Engine {
    std::fs::write(folder.join("config.yaml"), config).unwrap();
    let environment = Environment::from_pairs([("ALUDEL_HOME", folder.to_str().unwrap())]);
    Engine::open(load(&Flags::default(), &environment).unwrap())
}

/// The rows of a buffer as text, without the cells after a wide character.
pub(crate) fn rows_of(buffer: &Buffer) -> Vec<String> {
    use unicode_width::UnicodeWidthStr;
    let area = buffer.area;
    (0..area.height)
        .map(|y| {
            let (mut row, mut x) = (String::new(), 0);
            while x < area.width {
                let symbol = buffer[(x, y)].symbol();
                row.push_str(symbol);
                x += super::widgets::cells(symbol.width().max(1));
            }
            row.trim_end().to_owned()
        })
        .collect()
}

/// The screen with the style of each run of cells: `<cyan,bold>text`.
pub(crate) fn styles_of(buffer: &Buffer) -> String {
    let area = buffer.area;
    let mut out = String::new();
    for y in 0..area.height {
        let mut last = None;
        for x in 0..area.width {
            let cell = &buffer[(x, y)];
            let style = (cell.fg, cell.bg, cell.modifier);
            if last != Some(style) {
                out = out + "<" + &style_name(cell.style()) + ">";
                last = Some(style);
            }
            out.push_str(cell.symbol());
        }
        out = out.trim_end().to_owned() + "\n";
    }
    out
}

fn style_name(style: Style) -> String {
    let mut parts = Vec::new();
    for (name, colour) in [("", style.fg), ("on ", style.bg)] {
        if let Some(colour) = colour.filter(|colour| *colour != Color::Reset) {
            parts.push(format!("{name}{colour}").to_lowercase());
        }
    }
    if style.add_modifier != Modifier::empty() {
        parts.push(format!("{:?}", style.add_modifier).to_lowercase());
    }
    parts.join(",")
}

/// `Ctrl+J`, `Esc`, `x` as a terminal reports it.
pub(crate) fn key_named(name: &str) -> KeyEvent {
    let chord: super::keymap::Chord = name.parse().unwrap_or_else(|_| panic!("no key is called {name}"));
    chord.pressed()
}

pub(crate) fn session() -> SessionId {
    "01932c07-7d1c-7c3e-8a51-0e4b00000001".parse().unwrap()
}

pub(crate) fn started(variants: u32) -> EventKind {
    EventKind::Started { operation: Operation::Generate, total: None, variants, phases: Phase::ALL.to_vec() }
}

pub(crate) fn phase_started(variant: u32, phase: Phase) -> EventKind {
    EventKind::PhaseStarted {
        variant,
        phase,
        provider: "sim".into(),
        model: "sim-1".into(),
        strategy: ["direct", "stepwise", "by example"][variant as usize % 3].into(),
    }
}

pub(crate) fn delta(variant: u32, phase: Phase, text: &str) -> EventKind {
    EventKind::Delta { variant, phase, text: text.into() }
}

pub(crate) fn metadata(tokens: u64) -> ModelMetadata {
    ModelMetadata {
        provider: "sim".into(),
        model: "sim-1".into(),
        input_tokens: 40,
        output_tokens: tokens,
        total_tokens: tokens + 40,
        cost_usd: Some(tokens as f64 * 0.000_04),
        latency_ms: 2_100,
        first_token_ms: Some(180),
        calls: 1,
        ..ModelMetadata::default()
    }
}

pub(crate) fn phase_finished(variant: u32, phase: Phase, content: &str, tokens: u64) -> EventKind {
    EventKind::PhaseFinished {
        variant,
        phase,
        provider: "sim".into(),
        model: "sim-1".into(),
        content: content.into(),
        model_metadata: metadata(tokens),
    }
}

/// All events of a phase.
pub(crate) fn whole_phase(variant: u32, phase: Phase, content: &str) -> Vec<EventKind> {
    vec![phase_started(variant, phase), delta(variant, phase, content), phase_finished(variant, phase, content, 90)]
}

pub(crate) fn prompt(variant: u32, content: &str, score: Option<f64>) -> Prompt {
    let account = metadata(90);
    Prompt {
        id: PromptId(uuid::Uuid::from_u128(0x0193_2c07_7d1c_7c3e_8a51_0e4b_0000_00a0 + u128::from(variant))),
        session_id: session(),
        variant,
        content: content.into(),
        original_input: "idea".into(),
        phase: Phase::Coagulatio,
        persona: "generic".into(),
        provider: "sim".into(),
        model: "sim-1".into(),
        temperature: 0.7,
        max_tokens: 2_000,
        tags: Vec::new(),
        context: Vec::new(),
        notes: None,
        parent_id: None,
        source: Source::Generated,
        strategy: "direct".into(),
        revision: 1,
        score,
        score_formula: None,
        steps: Phase::ALL
            .into_iter()
            .map(|phase| Step {
                phase,
                provider: "sim".into(),
                model: "sim-1".into(),
                content: content.into(),
                model_metadata: account.clone(),
            })
            .collect(),
        model_metadata: ModelMetadata::sum([&account, &account, &account]),
        created_at: from_millis(0),
        updated_at: from_millis(0),
    }
}

/// A result of these rows and no more, which took three milliseconds.
pub(crate) fn answer(rows: Vec<Row>) -> ResultPage {
    let facts = ResultFacts {
        total: None,
        warnings: Vec::new(),
        took_ms: 3,
        cost_usd: None,
        nearest: None,
        at: from_millis(200_000_000),
    };
    ResultPage { rows, next: None, facts }
}

/// All events of a variant, up to its stored prompt.
pub(crate) fn whole_variant(variant: u32, content: &str) -> Vec<EventKind> {
    let mut kinds: Vec<EventKind> =
        Phase::ALL.into_iter().flat_map(|phase| whole_phase(variant, phase, content)).collect();
    kinds.push(EventKind::variant_finished(prompt(variant, content, None)));
    kinds
}

pub(crate) fn ranking(variant: u32, rank: u32, score: f64) -> Ranking {
    let part = |coverage: f64, clarity: f64, structure: f64| {
        BTreeMap::from([("coverage".into(), coverage), ("clarity".into(), clarity), ("structure".into(), structure)])
    };
    Ranking {
        prompt_id: prompt(variant, "", None).id,
        rank,
        score,
        components: part(score, score - 0.05, score + 0.04),
        weights: part(0.5, 0.3, 0.2),
        level: rank,
        checks: Vec::new(),
        formula: aludel_core::text::measure::VERSION,
    }
}

/// The end of a run in which `contents` finished with these scores.
pub(crate) fn ending(contents: &[(u32, &str, f64)], failures: Vec<VariantFailure>) -> Vec<EventKind> {
    let mut best: Vec<_> = contents.to_vec();
    best.sort_by(|a, b| b.2.total_cmp(&a.2));
    let rankings: Vec<Ranking> =
        best.iter().zip(1..).map(|((variant, _, score), rank)| ranking(*variant, rank, *score)).collect();
    let prompts: Vec<Prompt> =
        best.iter().map(|(variant, content, score)| prompt(*variant, content, Some(*score))).collect();
    let result = GenerationResult {
        session_id: session(),
        model_metadata: ModelMetadata::sum(prompts.iter().map(|prompt| &prompt.model_metadata)),
        prompts,
        rankings: rankings.clone(),
        selected: None,
        failures,
        warnings: Vec::new(),
    };
    vec![EventKind::Ranked { rankings }, EventKind::Finished { outcome: Box::new(Outcome::Generate(result)) }]
}

/// The core's comparison of these variants.
pub(crate) fn compared(variants: &[(u32, &str)]) -> CompareResult {
    let prompts: Vec<Prompt> = variants.iter().map(|(variant, text)| prompt(*variant, text, Some(0.5))).collect();
    compare(prompts, &CompareContext { task: None, gaps: Vec::new(), weights: &Weights::default() })
}

/// The judge's comparison of two variants.
pub(crate) fn comparison(a: u32, b: u32, margin: f64, agreed: bool) -> Comparison {
    let winner = if margin > 0.0 {
        Some(prompt(a, "", None).id)
    } else if margin < 0.0 {
        Some(prompt(b, "", None).id)
    } else {
        None
    };
    let reasoning = "The one names its audience and a failure case; \u{1b}[31mthe other leaves both to chance.".into();
    Comparison { a: prompt(a, "", None).id, b: prompt(b, "", None).id, winner, margin, agreed, reasoning }
}

fn standing(variant: u32, score: f64, [wins, losses, ties]: [u32; 3]) -> RankedCandidate {
    RankedCandidate {
        prompt_id: prompt(variant, "", None).id,
        score,
        interval: [score - 0.15, score + 0.12],
        wins,
        losses,
        ties,
    }
}

/// The judge's selection among three variants, of which the second is best.
pub(crate) fn selection(confident: bool) -> SelectResult {
    SelectResult {
        prompt: prompt(1, TEXTS[1], Some(0.74)),
        reasoning: format!("Against {} (+0.75): names its audience.", prompt(0, "", None).id.short()),
        confidence: if confident { 0.91 } else { 0.55 },
        confident,
        tied: if confident { Vec::new() } else { vec![prompt(0, "", None).id] },
        ranking: vec![standing(1, 0.74, [2, 0, 0]), standing(0, 0.52, [1, 1, 0]), standing(2, 0.24, [0, 1, 1])],
        comparisons: vec![comparison(1, 0, 0.75, true), comparison(2, 0, -0.5, false), comparison(1, 2, 0.5, true)],
        swap_consistency: Some(0.67),
        missing: 0,
        audit_age_days: None,
        criteria: [("clarity".to_owned(), 0.6), ("fit".to_owned(), 0.4)].into(),
        model_metadata: metadata(300),
    }
}

/// A provider's failure.
pub(crate) fn overloaded() -> Box<Problem> {
    let error = ProviderError::new("sim", ProviderFailure::RateLimited, "the server answered 529, overloaded");
    Box::new(Problem::from(Error::Provider(error.with_status(529))))
}

pub(crate) const TEXTS: [&str; 3] = [
    "You are reviewing a Rust pull request for a team that ships a library. Read the whole diff before you write \
     anything. Report only problems that could change behaviour, break callers or hide a failure.\n\nFor each one, say \
     where it is, what goes wrong, and the smallest fix you would accept. If nothing is wrong, say so in one line.",
    "# Role\nSenior Rust reviewer.\n\n# Task\nReview {{diff}}. List at most seven findings, ranked by severity.\n\n# \
     Rules\n- No style remarks.\n- Unsure? Say \"unverified\" and how to check.",
    "Review the change 世界 as a careful engineer 👩\u{200d}💻 would: correctness first, then unsafe blocks, then error handling.",
];
