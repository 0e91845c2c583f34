//! Laws of the whole workbench, held against any sequence of messages: keys, pastes, sizes, time, and answers of the core in
//! any order, malformed and stale ones among them.
//!
//! After each message the screen draws and what has the keys is there; from wherever one is, `Esc` leads home. A core that
//! is right never sends most of what is sent here; a screen must bear it all the same.

use aludel_core::domain::{CompareResult, Phase};
use aludel_core::engine::{Indexing, Newcomer};
use aludel_core::error::{Error, Problem};
use aludel_core::event::{EventKind, Outcome as RunOutcome};
use aludel_core::transfer::{ImportReport, Stage, TransferProgress};
use proptest::prelude::*;
use proptest::sample::select;
use ratatui::layout::Position;

use super::*;
use crate::tui::action::ACTIONS;
use crate::tui::effect::Ticket;
use crate::tui::message::{DeskNews, News, Outcome, Pointer, Told};
use crate::tui::model::Costly;
use crate::tui::model::history::{Row, Start};
use crate::tui::testing::{
    Bench, TEXTS, answer, compared, comparison, delta, ending, key_named, overloaded, phase_finished, phase_started,
    prompt, selection, started, whole_variant,
};
use crate::tui::theme::Theme;

/// So many `Esc` lead home from everywhere.
const STEPS_HOME: usize = 6;

/// The largest screen that is drawn here.
const LARGEST: (u16, u16) = (200, 60);

/// One thing that happens.
#[derive(Debug, Clone)]
enum Happening {
    /// A key of the list of actions, or one that some box takes.
    Key(String),
    /// Something is sent.
    Sent(Box<Message>),
    /// Events of the run with the newest ticket, or of one before it.
    Events { is_stale: bool, kinds: Vec<EventKind> },
    /// The run is refused.
    Refused { is_stale: bool },
    /// Events of the judging, or of one before it.
    Judging { is_stale: bool, kinds: Vec<EventKind> },
    /// Prompts beside each other: an answer about the two, about all, or to an older question.
    Compared { question: usize, outcome: Outcome<Box<CompareResult>> },
    /// It may cost more than passes without asking.
    CostAsked(CostlyWhat),
    /// An answer to one of the questions that could be waiting.
    News { question: usize, news: Box<News> },
    /// Time passes.
    Time(u64),
}

/// Every key that does something, and some that are typed.
fn keys() -> impl Strategy<Value = String> {
    let bound = ACTIONS.iter().flat_map(|info| info.keys).map(|key| (*key).to_owned());
    let boxes = ["Enter", "Esc", "Backspace", "Down", "Up", "Left", "Right", "Tab", "Home", "End", "0", "9", "ß", "世"];
    let all: Vec<String> = bound.chain(boxes.map(str::to_owned)).collect();
    select(all)
}

/// Text as anyone may paste it, or a model write it.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,40}",
        "[a-z \\n\\t\\r\u{1b}\\[\\]m;世👩\u{200d}\u{301}\u{202e}]{0,80}",
        select(TEXTS.to_vec()).prop_map(str::to_owned),
        (0_usize..400).prop_map(|length| "word ".repeat(length)),
    ]
}

fn sizes() -> impl Strategy<Value = (u16, u16)> {
    prop_oneof![(0..=LARGEST.0, 0..=LARGEST.1), select(vec![(80, 24), (120, 40), LARGEST, (60, 16), (59, 15), (0, 0)])]
}

fn events() -> impl Strategy<Value = EventKind> {
    let place = || (0_u32..5, select(Phase::ALL.to_vec()));
    prop_oneof![
        (0_u32..5, prop::sample::subsequence(Phase::ALL.to_vec(), 0..=3))
            .prop_map(|(variants, phases)| { EventKind::Started { operation: "generate".into(), variants, phases } }),
        place().prop_map(|(variant, phase)| phase_started(variant, phase)),
        (place(), texts()).prop_map(|((variant, phase), text)| delta(variant, phase, &text)),
        (place(), texts()).prop_map(|((variant, phase), text)| phase_finished(variant, phase, &text, 90)),
        (place(), 0_u64..9_000).prop_map(|((variant, phase), delay_ms)| EventKind::Retrying {
            variant,
            phase,
            provider: "sim".into(),
            model: "sim-1".into(),
            attempt: 2,
            delay_ms,
            error: overloaded(),
        }),
        place().prop_map(|(variant, phase)| EventKind::VariantFailed {
            variant,
            phase: Some(phase),
            error: overloaded()
        }),
        (0_u32..5, texts()).prop_map(|(variant, text)| EventKind::variant_finished(prompt(variant, &text, None))),
        texts().prop_map(|message| EventKind::Warning { variant: None, phase: None, message, code: None }),
        Just(EventKind::Cancelled {}),
        Just(EventKind::Failed { error: overloaded() }),
    ]
}

/// A run as it should be, or events in any order.
fn told() -> impl Strategy<Value = Vec<EventKind>> {
    let whole = |text: String| {
        let mut kinds = vec![started(2)];
        kinds.extend((0..2).flat_map(|variant| whole_variant(variant, &text)));
        kinds.extend(ending(&[(0, &text, 0.7), (1, &text, 0.8)], Vec::new()));
        kinds
    };
    prop_oneof![
        2 => proptest::collection::vec(events(), 1..6),
        1 => (1_u32..5).prop_map(|variants| vec![started(variants)]),
        1 => texts().prop_map(whole),
    ]
}

fn problem() -> Box<Problem> {
    Box::new(Problem::from(Error::value("limit", "is 0, and must be 1 to 1000\nat \u{1b}[31mleast")))
}

fn news() -> impl Strategy<Value = News> {
    let rows = |count: u32, text: &str| -> Vec<Row> {
        (0..count).map(|number| Row::listed(&prompt(number, text, None), None)).collect()
    };
    let import = ImportReport {
        records: 3,
        imported: 1,
        existing: 1,
        conflicts: 0,
        conflicting: Vec::new(),
        skipped: 1,
        skips: Vec::new(),
        vectors: 0,
        warnings: vec!["a \u{1b}[2Jwarning".into()],
        dry_run: false,
    };
    prop_oneof![
        3 => (0_u32..70, texts(), any::<bool>()).prop_map(move |(count, text, is_more)| {
            let mut answer = answer(rows(count, &text));
            answer.next = is_more.then(|| Start::Offset(u64::from(count)));
            News::Found(Ok(Box::new(answer)))
        }),
        3 => (0_u32..70, texts()).prop_map(|(number, text)| News::Read(Ok(Box::new(prompt(number, &text, Some(0.5)))))),
        1 => Just(News::Found(Err(problem()))),
        1 => Just(News::Read(Err(problem()))),
        1 => (0_u32..70).prop_map(|number| News::Updated(Ok(Box::new(prompt(number, "changed", None))))),
        1 => Just(News::Updated(Err(problem()))),
        1 => (0_u32..70).prop_map(|number| News::Deleted(Ok(vec![prompt(number, "", None).id]))),
        1 => Just(News::Deleted(Err(problem()))),
        1 => (0_u64..9).prop_map(|prompts| News::Transferring(TransferProgress {
            stage: Stage::Writing,
            prompts,
            total: Some(9)
        })),
        1 => Just(News::Exported(Ok(7))),
        1 => Just(News::Exported(Err(problem()))),
        1 => Just(News::Imported(Ok(Box::new(import)))),
        1 => Just(News::Imported(Err(problem()))),
    ]
}

/// A judging as it should be, or parts of one in any order.
fn judged() -> impl Strategy<Value = Vec<EventKind>> {
    let begun = || EventKind::Started { operation: "select".into(), variants: 0, phases: Vec::new() };
    let one = |(a, b, margin, agreed)| EventKind::Judged { comparison: comparison(a, b, margin, agreed) };
    let end = |confident| EventKind::Finished { result: Box::new(RunOutcome::Selection(selection(confident))) };
    let comparisons = || proptest::collection::vec((0_u32..4, 0_u32..4, -1.0..1.0_f64, any::<bool>()), 0..6);
    prop_oneof![
        (comparisons(), any::<bool>()).prop_map(move |(all, confident)| {
            let events = all.into_iter().map(one);
            [begun()].into_iter().chain(events).chain([end(confident)]).collect::<Vec<_>>()
        }),
        comparisons().prop_map(move |all| all.into_iter().map(one).collect()),
        Just(vec![begun()]),
        Just(vec![EventKind::Cancelled {}]),
        Just(vec![EventKind::Failed { error: overloaded() }]),
    ]
}

fn beside() -> impl Strategy<Value = Outcome<Box<CompareResult>>> {
    prop_oneof![
        (texts(), texts()).prop_map(|(first, second)| Ok(Box::new(compared(&[(0, &first), (1, &second)])))),
        (texts(), texts(), texts()).prop_map(|(first, second, third)| Ok(Box::new(compared(&[
            (0, &first),
            (1, &second),
            (2, &third)
        ])))),
        Just(Err(problem())),
    ]
}

fn places() -> impl Strategy<Value = Told> {
    prop_oneof![
        Just(Told::Providers(Vec::new())),
        Just(Told::Tested(Err(problem()))),
        Just(Told::Spent(Err(problem()))),
        Just(Told::Settings(Ok(Vec::new()))),
        Just(Told::Settings(Err(problem()))),
    ]
}

fn messages() -> impl Strategy<Value = Message> {
    let pointers = select(vec![Pointer::Click, Pointer::Up, Pointer::Down]);
    prop_oneof![
        3 => (pointers, 0..LARGEST.0, 0..LARGEST.1)
            .prop_map(|(pointer, x, y)| Message::Pointer { pointer, at: Position { x, y } }),
        1 => (0_u64..9, places()).prop_map(|(ticket, told)| Message::Told { ticket: Ticket(ticket), told }),
        1 => proptest::collection::vec(texts(), 0..9).prop_map(|all| Message::Desk(DeskNews::Inputs(Ok(all)))),
        1 => Just(Message::Desk(DeskNews::NotKept(problem()))),
        3 => texts().prop_map(Message::Paste),
        4 => sizes().prop_map(|(width, height)| Message::Resize { width, height }),
        1 => any::<bool>().prop_map(Message::Attention),
        1 => any::<bool>().prop_map(Message::Resumed),
        1 => texts().prop_map(|text| Message::Run(serde_json::json!({ "input": text }))),
        1 => texts().prop_map(|text| Message::Names(crate::tui::model::Names {
            personas: vec![text.clone(), "code".into()],
            providers: vec![text],
        })),
        1 => texts().prop_map(|name| Message::Newcomers(vec![Newcomer { name, reason: "its key is set".into() }])),
        1 => (0_u64..9, any::<bool>()).prop_map(|(left, has_failed)| {
            Message::Indexing(Indexing { done: 3, left, problem: has_failed.then(|| "it \u{1b}[1mfailed".to_owned()) })
        }),
    ]
}

fn happenings() -> impl Strategy<Value = Happening> {
    prop_oneof![
        12 => keys().prop_map(Happening::Key),
        4 => messages().prop_map(|message| Happening::Sent(Box::new(message))),
        4 => (any::<bool>(), told()).prop_map(|(is_stale, kinds)| Happening::Events { is_stale, kinds }),
        1 => any::<bool>().prop_map(|is_stale| Happening::Refused { is_stale }),
        3 => (any::<bool>(), judged()).prop_map(|(is_stale, kinds)| Happening::Judging { is_stale, kinds }),
        3 => (0_usize..3, beside()).prop_map(|(question, outcome)| Happening::Compared { question, outcome }),
        1 => select(vec![CostlyWhat::Judging, CostlyWhat::Run(serde_json::json!({ "input": "x" }))])
            .prop_map(Happening::CostAsked),
        4 => (0_usize..6, news()).prop_map(|(question, news)| Happening::News { question, news: Box::new(news) }),
        2 => (0_u64..20_000).prop_map(Happening::Time),
    ]
}

fn happen(bench: &mut Bench, happening: Happening) {
    let newest = bench.model.last_ticket;
    let run = |is_stale: bool| if is_stale { Ticket(newest.0.saturating_sub(1)) } else { newest };
    match happening {
        Happening::Key(name) => {
            bench.send(Message::Key(key_named(&name)));
        }
        Happening::Sent(message) => {
            bench.send(*message);
        }
        Happening::Events { is_stale, kinds } => {
            bench.tell_of(run(is_stale), kinds);
        }
        Happening::Refused { is_stale } => {
            bench.send(Message::RunRefused { ticket: run(is_stale), problem: problem() });
        }
        Happening::Judging { is_stale, kinds } => {
            let own = bench.model.judge.judged.as_ref().map(|judged| judged.ticket);
            bench
                .tell_of(own.map_or(newest, |own| if is_stale { Ticket(own.0.saturating_sub(1)) } else { own }), kinds);
        }
        Happening::Compared { question, outcome } => {
            let compare = &bench.model.compare;
            let ticket = [compare.asked_pair, compare.asked, Some(Ticket(1))][question].unwrap_or_default();
            bench.send(Message::Compared { ticket, outcome });
        }
        Happening::CostAsked(what) => {
            let judged = bench.model.judge.judged.as_ref().map(|judged| judged.ticket);
            let ticket = if what == CostlyWhat::Judging { judged.unwrap_or_default() } else { newest };
            bench.send(Message::CostAsked { ticket, costly: Box::new(Costly { what, most_usd: 0.4, calls: 6 }) });
        }
        Happening::News { question, news } => {
            let history = &bench.model.history;
            let questions = [
                history.asked.map(|asked| asked.ticket),
                history.reading,
                history.transfer.map(|transfer| transfer.ticket),
                Some(history.last_ticket),
                Some(Ticket(history.last_ticket.0.saturating_sub(1))),
                Some(Ticket(0)),
            ];
            let ticket = questions[question].unwrap_or_default();
            bench.send(Message::History { ticket, news: *news });
        }
        Happening::Time(milliseconds) => {
            bench.now += milliseconds;
            bench.send(Message::Tick);
        }
    }
}

/// What has the keys is there, and what is marked too.
fn assert_focus_is_valid(model: &Model) {
    let history = &model.history;
    assert!(history.marked < history.rows.len().max(1), "a row is marked that is not there");
    assert!(history.top <= history.marked, "the marked row is above the list");
    let (compare, judge) = (&model.compare, &model.judge);
    assert!(compare.prompts.is_empty() || compare.two().is_some(), "what is beside each other is not there");
    assert!(judge.marked < judge.prompts.len().max(1), "a candidate is marked that is not there");
    if let Some(run) = &model.run {
        assert!(run.active < run.variants().max(1), "a variant has the keys that is not there");
    }
}

/// The screen draws, and its cursor is on it.
fn assert_draws(model: &Model) -> ratatui::Terminal<ratatui::backend::TestBackend> {
    let size = model.size;
    let backend = ratatui::backend::TestBackend::new(size.width, size.height);
    let mut terminal = ratatui::Terminal::new(backend).unwrap();
    terminal.draw(|frame| screens::view(model, frame, &Theme::ansi16())).unwrap();
    let Position { x, y } = terminal.get_cursor_position().unwrap();
    assert!(size.width * size.height == 0 || x < size.width && y < size.height, "the cursor is at {x}, {y} of {size}");
    terminal
}

/// What is drawn moves nothing and colours nothing by itself.
fn assert_draws_text_alone(model: &Model) {
    let terminal = assert_draws(model);
    let mut cells = terminal.backend().buffer().content().iter();
    let control = cells.find(|cell| cell.symbol().chars().any(char::is_control));
    assert!(control.is_none(), "a control character reached the screen: {control:?}");
}

fn is_home(model: &Model) -> bool {
    model.screen == ScreenName::Work && model.overlay.is_none() && !model.zoom
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_it_draws_the_focus_is_valid_and_esc_leads_home(
        size in sizes(),
        all in proptest::collection::vec(happenings(), 0..50),
    ) {
        let mut bench = Bench::new(size.0, size.1);
        for happening in all {
            happen(&mut bench, happening);
            assert_focus_is_valid(&bench.model);
            assert_draws_text_alone(&bench.model);
        }
        for _ in 0..STEPS_HOME {
            if !is_home(&bench.model) {
                bench.press("Esc");
            }
        }
        prop_assert!(is_home(&bench.model), "{:?}, {:?}", bench.model.screen, bench.model.overlay);
    }
}

/// Screens with something on them, each with something over it in turn.
fn laid_out() -> Vec<Bench> {
    let new = || Bench::new(120, 40);
    let mut streaming = new();
    streaming.run("Review pull requests", 3);
    streaming.tell((0..3).map(|variant| phase_started(variant, Phase::PrimaMateria)).collect());
    streaming.tell((0..3).map(|variant| delta(variant, Phase::PrimaMateria, TEXTS[variant as usize])).collect());
    let mut all = vec![new(), streaming];
    for keys in ["", "z", "e", "?", "F2", "q"] {
        let mut bench = new();
        bench.run("Review pull requests", 3);
        bench.tell((0..3).flat_map(|variant| whole_variant(variant, TEXTS[variant as usize])).collect());
        bench.tell(ending(&[(0, TEXTS[0], 0.8), (1, TEXTS[1], 0.7), (2, TEXTS[2], 0.9)], Vec::new()));
        if !keys.is_empty() {
            bench.press(keys);
        }
        all.push(bench);
    }
    for keys in ["C", "C v", "J", "J E", "6", "7", "L", "Ctrl+P", "F3"] {
        let mut bench = new();
        bench.run("Review pull requests", 3);
        bench.tell((0..3).flat_map(|variant| whole_variant(variant, TEXTS[variant as usize])).collect());
        bench.tell(ending(&[(0, TEXTS[0], 0.8), (1, TEXTS[1], 0.7), (2, TEXTS[2], 0.9)], Vec::new()));
        let (first, more) = keys.split_once(' ').unwrap_or((keys, ""));
        bench.press(first);
        for ticket in [bench.model.compare.asked_pair, bench.model.compare.asked].into_iter().flatten() {
            let all = [(0, TEXTS[0]), (1, TEXTS[1]), (2, TEXTS[2])];
            let those = if bench.model.compare.asked == Some(ticket) { &all[..] } else { &all[..2] };
            bench.send(Message::Compared { ticket, outcome: Ok(Box::new(compared(those))) });
        }
        if let Some(ticket) = bench.model.judge.judged.as_ref().map(|judged| judged.ticket) {
            let end = EventKind::Finished { result: Box::new(RunOutcome::Selection(selection(true))) };
            bench.tell_of(ticket, vec![EventKind::Judged { comparison: comparison(1, 0, 0.5, true) }, end]);
        }
        if !more.is_empty() {
            bench.press(more);
        }
        all.push(bench);
    }
    for keys in ["", "z", "t", "a", "D", "E", "/"] {
        let mut bench = new();
        bench.press("Esc 5");
        bench.answer(answer((0..60).map(|number| Row::listed(&prompt(number, TEXTS[2], Some(0.4)), None)).collect()));
        bench.read(prompt(0, TEXTS[1], Some(0.4)));
        if !keys.is_empty() {
            bench.press(keys);
        }
        all.push(bench);
    }
    all
}

/// Draws every size of these widths, on one of the screens in turn.
fn assert_every_size_draws(widths: std::ops::RangeInclusive<u16>) {
    let mut benches = laid_out();
    let count = benches.len();
    for width in widths {
        for height in 0..=LARGEST.1 {
            // Neighbours in both directions show different screens, so that each meets every range of sizes.
            let bench = &mut benches[(usize::from(width) * 7 + usize::from(height)) % count];
            bench.send(Message::Resize { width, height });
            assert_draws(&bench.model);
        }
    }
}

// In three parts, which are tested side by side.

#[test]
fn every_size_from_nothing_to_110_columns_draws() {
    assert_every_size_draws(0..=110);
}

#[test]
fn every_size_of_111_to_160_columns_draws() {
    assert_every_size_draws(111..=160);
}

#[test]
fn every_size_of_161_columns_to_the_largest_draws() {
    assert_every_size_draws(161..=LARGEST.0);
}
