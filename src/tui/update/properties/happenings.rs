//! Random input for the workbench: keys, pastes, sizes, time, and replies of the core in any order,
//! including malformed and stale ones.

use aludel_core::domain::ImportReport;
use aludel_core::domain::{CompareResult, Job, JobDetails, JobState, Operation, Phase, RowStatus, SpendBy};
use aludel_core::engine::{DetectedProvider, Indexing, RowCursor};
use aludel_core::error::{Error, Problem};
use aludel_core::event::{EventKind, Outcome};
use aludel_core::trace::LogLine;
use aludel_core::transfer::{Stage, TransferProgress};
use proptest::prelude::*;
use proptest::sample::select;
use ratatui::layout::Position;
use serde_json::json;
use tracing::Level;

use super::LARGEST;
use crate::tui::action::ACTIONS;
use crate::tui::effect::{CoreResult, Draft, Ticket};
use crate::tui::message::{Copied, DraftReply, Edited, HistoryReply, Message, Pointer, QueryReply};
use crate::tui::model::composer::vi::{MODAL_KEYS, ModalKey};
use crate::tui::model::drafts::{CutShort, Leftovers};
use crate::tui::model::history::{Row, Start};
use crate::tui::model::jobs::JobListing;
use crate::tui::model::listing::SettingRow;
use crate::tui::model::providers::Test;
use crate::tui::model::{Costly, CostlyAction, Model, Names};
use crate::tui::testing::batches::{batch_job, failed_row, faults, fine_row, offer, row_lines, rows_page};
use crate::tui::testing::samples::{job_details, jobs, provider_details, provider_test, spent};
use crate::tui::testing::{
    Bench, TEXTS, answer, compared, comparison, delta, ending, key_named, overloaded, phase_finished, phase_started,
    prompt, selection, started, whole_variant,
};
use crate::tui::widgets::safe::safe_line;

/// One input.
#[derive(Debug, Clone)]
pub(super) enum Happening {
    /// A key of an action or of an overlay.
    Key(String),
    /// A message.
    Sent(Box<Message>),
    /// Events of the newest run, or of an earlier one.
    Events { is_stale: bool, kinds: Vec<EventKind> },
    /// The run is refused.
    Refused { is_stale: bool },
    /// Events of the judging, or of an earlier one.
    Judging { is_stale: bool, kinds: Vec<EventKind> },
    /// A comparison: a reply about the two, about all, or to an older request.
    Compared { question: usize, outcome: CoreResult<Box<CompareResult>> },
    /// A run or judging may cost more than the limit.
    CostAsked(CostlyAction),
    /// A reply to a query of a screen or an overlay.
    Reply { question: usize, told: QueryReply },
    /// A reply about what is stored, to one of the possible requests.
    HistoryReply { question: usize, news: Box<HistoryReply> },
    /// Time passes.
    Time(u64),
}

/// Every key with an action, and some that type.
fn keys() -> impl Strategy<Value = String> {
    let bound = ACTIONS.iter().flat_map(|info| info.keys).map(|key| (*key).to_owned());
    let boxes = ["Enter", "Esc", "Backspace", "Down", "Up", "Left", "Right", "Tab", "Home", "End", "0", "9", "ß", "世"];
    let modes = MODAL_KEYS.iter().flat_map(ModalKey::letters).filter(char::is_ascii_graphic);
    let all: Vec<String> = bound.chain(boxes.map(str::to_owned)).chain(modes.map(String::from)).collect();
    select(all)
}

/// Text as a user may paste it or a model write it.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,40}",
        "[a-z \\n\\t\\r\u{1b}\\[\\]m;世👩\u{200d}\u{301}\u{202e}]{0,80}",
        select(TEXTS.to_vec()).prop_map(str::to_owned),
        (0_usize..400).prop_map(|length| "word ".repeat(length)),
    ]
}

pub(super) fn sizes() -> impl Strategy<Value = (u16, u16)> {
    prop_oneof![(0..=LARGEST.0, 0..=LARGEST.1), select(vec![(80, 24), (120, 40), LARGEST, (60, 16), (59, 15), (0, 0)])]
}

fn events() -> impl Strategy<Value = EventKind> {
    let place = || (0_u32..5, select(Phase::ALL.to_vec()));
    prop_oneof![
        (0_u32..5, prop::sample::subsequence(Phase::ALL.to_vec(), 0..=3)).prop_map(|(variants, phases)| {
            EventKind::Started { operation: Operation::Generate, total: None, variants, phases }
        }),
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

/// A correct run, or events in any order.
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

fn news() -> impl Strategy<Value = HistoryReply> {
    let rows = |count: u32, text: &str| -> Vec<Row> {
        (0..count).map(|number| Row::listed(&prompt(number, text, None).into(), None)).collect()
    };
    let import = ImportReport {
        records: 3,
        imported: 1,
        existing: 1,
        conflicts: 0,
        conflicting: Vec::new(),
        skipped: 1,
        skips: Vec::new(),
        warnings: vec!["a \u{1b}[2Jwarning".into()],
        dry_run: false,
    };
    prop_oneof![
        3 => (0_u32..70, texts(), any::<bool>()).prop_map(move |(count, text, is_more)| {
            let mut answer = answer(rows(count, &text));
            answer.next = is_more.then(|| Start::Offset(u64::from(count)));
            HistoryReply::Found(Ok(Box::new(answer)))
        }),
        3 => (0_u32..70, texts()).prop_map(|(number, text)| HistoryReply::Read(Ok(Box::new(prompt(number, &text, Some(0.5)))))),
        1 => Just(HistoryReply::Found(Err(problem()))),
        1 => Just(HistoryReply::Read(Err(problem()))),
        1 => (0_u32..70).prop_map(|number| HistoryReply::Updated(Ok(Box::new(prompt(number, "changed", None))))),
        1 => Just(HistoryReply::Updated(Err(problem()))),
        1 => (0_u32..70).prop_map(|number| HistoryReply::Deleted(Ok(vec![prompt(number, "", None).id]))),
        1 => Just(HistoryReply::Deleted(Err(problem()))),
        1 => (0_u32..70).prop_map(|number| HistoryReply::Restored(Ok(vec![prompt(number, "", None).id]))),
        1 => Just(HistoryReply::Restored(Err(problem()))),
        1 => (0_u64..9).prop_map(|prompts| HistoryReply::Transferring(TransferProgress {
            stage: Stage::Writing,
            prompts,
            total: Some(9)
        })),
        1 => Just(HistoryReply::Exported(Ok(7))),
        1 => Just(HistoryReply::Exported(Err(problem()))),
        1 => Just(HistoryReply::Imported(Ok(Box::new(import)))),
        1 => Just(HistoryReply::Imported(Err(problem()))),
    ]
}

/// A correct judging, or events in any order.
fn judged() -> impl Strategy<Value = Vec<EventKind>> {
    let begun = || EventKind::Started { operation: Operation::Select, total: None, variants: 0, phases: Vec::new() };
    let one = |(a, b, margin, agreed)| EventKind::Judged { comparison: comparison(a, b, margin, agreed) };
    let end = |confident| EventKind::Finished { outcome: Box::new(Outcome::Select(selection(confident))) };
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

fn beside() -> impl Strategy<Value = CoreResult<Box<CompareResult>>> {
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

/// A reply to a query.
fn told_to_a_place() -> impl Strategy<Value = QueryReply> {
    let every = vec![SpendBy::Day, SpendBy::Model, SpendBy::Provider, SpendBy::Phase, SpendBy::Tag];
    let setting =
        |(key, value)| SettingRow { key, value, origin: "default".into(), takes: "text".into(), is_set: true };
    prop_oneof![
        3 => prop::sample::subsequence(provider_details(), 0..=3).prop_map(QueryReply::Providers),
        2 => any::<bool>().prop_map(|ok| QueryReply::Tested(Ok(Box::new(provider_test(ok))))),
        1 => Just(QueryReply::Tested(Err(problem()))),
        2 => (select(every), 0_usize..5, 0_usize..40).prop_map(|(by, lines, days)| {
            let mut spent = spent(by);
            spent.report.lines.truncate(lines);
            spent.days.truncate(days);
            QueryReply::Spent(Ok(Box::new(spent)))
        }),
        1 => Just(QueryReply::Spent(Err(problem()))),
        2 => proptest::collection::vec((texts(), texts()).prop_map(setting), 0..9)
            .prop_map(|rows| QueryReply::Settings(Ok(rows))),
        1 => Just(QueryReply::Settings(Err(problem()))),
        4 => told_of_jobs(),
        6 => told_of_batches(),
    ]
}

/// A reply about batches.
fn told_of_batches() -> impl Strategy<Value = QueryReply> {
    let some = || {
        (select(JobState::ALL.to_vec()), 0_u64..99, 0_u64..99)
            .prop_map(|(state, a, b)| batch_job(state, a.max(b), a.min(b)))
    };
    let lines = || (select(vec![RowStatus::Ok, RowStatus::Failed]), 0_u64..9, 0_u64..60);
    let next = || proptest::option::of(Just(RowCursor { before: 50, ..RowCursor::FIRST }));
    let page = (some(), lines(), next(), texts()).prop_map(|(job, (status, from, count), next, text)| {
        let mut lines = row_lines(status, from..from + count);
        for line in &mut lines {
            line.id.clone_from(&safe_line(&text));
        }
        QueryReply::Batch(Ok(Box::new(rows_page(job, lines, next))))
    });
    prop_oneof![
        1 => (0_u64..9_999).prop_map(QueryReply::BatchChecking),
        2 => select(vec![None, Some(4.0)]).prop_map(|most| QueryReply::BatchChecked(Ok(offer(most, most)))),
        1 => Just(QueryReply::BatchChecked(Err(faults()))),
        2 => some().prop_map(|job| QueryReply::BatchStarted(Ok(Box::new(job)))),
        1 => Just(QueryReply::BatchStarted(Err(problem()))),
        1 => some().prop_map(|job| QueryReply::BatchResumed(Ok(Box::new(job)))),
        1 => Just(QueryReply::BatchResumed(Err(problem()))),
        1 => some().prop_map(|job| QueryReply::BatchEnded(Box::new(job))),
        6 => page,
        1 => Just(QueryReply::Batch(Err(problem()))),
        2 => (0_u64..9, texts()).prop_map(|(row, text)| QueryReply::BatchRow(Ok(Box::new(fine_row(row, &text))))),
        2 => (0_u64..9, texts()).prop_map(|(row, text)| QueryReply::BatchRow(Ok(Box::new(failed_row(row, &text))))),
        1 => Just(QueryReply::BatchRow(Err(problem()))),
    ]
}

/// A reply about jobs.
fn told_of_jobs() -> impl Strategy<Value = QueryReply> {
    let some = || (0_usize..6).prop_map(|at| jobs().jobs.remove(at));
    let text = |(job, text): (Job, String)| JobDetails { request: json!({ "input": text }), ..job_details(job) };
    prop_oneof![
        3 => (prop::sample::subsequence(jobs().jobs, 0..=6), any::<bool>(), texts()).prop_map(|(mut rows, has_batch, about)| {
            if has_batch {
                rows.insert(0, batch_job(JobState::Running, 7, 2));
            }
            for job in &mut rows {
                job.about.clone_from(&about);
            }
            QueryReply::Jobs(Ok(Box::new(JobListing { jobs: rows, ..jobs() })))
        }),
        1 => Just(QueryReply::Jobs(Err(problem()))),
        2 => (some(), texts()).prop_map(move |both| QueryReply::Job(Ok(Box::new(text(both))))),
        1 => Just(QueryReply::Job(Err(problem()))),
        1 => some().prop_map(|job| QueryReply::JobStopped(Ok(Box::new(job)))),
        1 => Just(QueryReply::JobStopped(Err(problem()))),
        2 => some().prop_map(|job| QueryReply::JobResumed(Ok(Box::new(job_details(job))))),
        1 => Just(QueryReply::JobResumed(Err(problem()))),
    ]
}

/// A reply about drafts.
fn desk_news() -> impl Strategy<Value = DraftReply> {
    let left = (texts(), any::<bool>(), proptest::collection::vec(texts(), 0..3), 0_usize..4);
    prop_oneof![
        left.prop_map(|(text, is_cut, others, stored)| DraftReply::Left(Leftovers {
            written: Draft { text: text.clone(), run: None },
            draft: Some((text, "5 min".into())),
            others,
            cut_short: is_cut.then_some(CutShort { stored, asked: 3 }),
        })),
        proptest::collection::vec(texts(), 0..9).prop_map(|all| DraftReply::Inputs(Ok(all))),
        Just(DraftReply::Inputs(Err(problem()))),
        Just(DraftReply::NotKept(problem())),
    ]
}

/// A message from the terminal.
fn from_the_terminal() -> impl Strategy<Value = Message> {
    let file =
        prop_oneof![Just(None), texts().prop_map(|path| Some(Ok(path))), texts().prop_map(|reason| Some(Err(reason))),];
    prop_oneof![
        (any::<bool>(), any::<bool>(), file).prop_map(|(system, terminal, file)| Message::Copied(Copied {
            system,
            terminal,
            file
        })),
        texts().prop_map(|text| Message::Edited(Edited::Saved(text))),
        texts().prop_map(|reason| Message::Edited(Edited::Failed(reason))),
        any::<bool>().prop_map(Message::Resumed),
        any::<bool>().prop_map(Message::Attention),
    ]
}

fn log_lines() -> impl Strategy<Value = Vec<LogLine>> {
    let level = select(vec![Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG]);
    let line = (level, texts()).prop_map(|(level, text)| LogLine { at: "2026-11-22T02:41:07Z".into(), level, text });
    proptest::collection::vec(line, 0..60)
}

fn messages() -> impl Strategy<Value = Message> {
    // Drags and releases come with and without a click before them.
    let all =
        [Pointer::Click, Pointer::Double, Pointer::Drag, Pointer::Drag, Pointer::Release, Pointer::Up, Pointer::Down];
    let pointers = select(all.to_vec());
    prop_oneof![
        3 => (pointers, 0..LARGEST.0, 0..LARGEST.1)
            .prop_map(|(pointer, x, y)| Message::Pointer { pointer, at: Position { x, y } }),
        2 => desk_news().prop_map(Message::DraftState),
        2 => from_the_terminal(),
        1 => log_lines().prop_map(Message::Log),
        3 => texts().prop_map(Message::Paste),
        4 => sizes().prop_map(|(width, height)| Message::Resize { width, height }),
        1 => texts().prop_map(|text| Message::Run(serde_json::json!({ "input": text }))),
        1 => texts().prop_map(|text| Message::Names(Names {
            personas: vec![text.clone(), "code".into()],
            providers: vec![text],
        })),
        1 => texts().prop_map(|name| Message::DetectedProviders(vec![DetectedProvider { name, reason: "its key is set".into() }])),
        1 => (0_u64..9, any::<bool>()).prop_map(|(left, has_failed)| {
            Message::Indexing(Indexing { done: 3, left, problem: has_failed.then(|| "it \u{1b}[1mfailed".to_owned()) })
        }),
    ]
}

pub(super) fn happenings() -> impl Strategy<Value = Happening> {
    prop_oneof![
        12 => keys().prop_map(Happening::Key),
        4 => messages().prop_map(|message| Happening::Sent(Box::new(message))),
        4 => (any::<bool>(), told()).prop_map(|(is_stale, kinds)| Happening::Events { is_stale, kinds }),
        1 => any::<bool>().prop_map(|is_stale| Happening::Refused { is_stale }),
        3 => (any::<bool>(), judged()).prop_map(|(is_stale, kinds)| Happening::Judging { is_stale, kinds }),
        3 => (0_usize..3, beside()).prop_map(|(question, outcome)| Happening::Compared { question, outcome }),
        1 => select(vec![CostlyAction::Judging, CostlyAction::Run(serde_json::json!({ "input": "x" }))])
            .prop_map(Happening::CostAsked),
        6 => (0_usize..14, told_to_a_place()).prop_map(|(question, told)| Happening::Reply { question, told }),
        4 => (0_usize..6, news()).prop_map(|(question, news)| Happening::HistoryReply { question, news: Box::new(news) }),
        2 => (0_u64..20_000).prop_map(Happening::Time),
    ]
}

pub(super) fn happen(bench: &mut Bench, happening: Happening) {
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
            let ticket = if what == CostlyAction::Judging { judged.unwrap_or_default() } else { newest };
            bench.send(Message::CostAsked { ticket, costly: Box::new(Costly { what, most_usd: 0.4, calls: 6 }) });
        }
        Happening::Reply { question, told } => {
            let ticket = questions_of_places(&bench.model)[question].unwrap_or_default();
            bench.send(Message::Reply { ticket, reply: told });
        }
        Happening::HistoryReply { question, news } => {
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

/// The tickets a query reply can have: those pending, and one that is not.
fn questions_of_places(model: &Model) -> [Option<Ticket>; 14] {
    let tested = model.providers.tests.values().find_map(|test| match test {
        Test::Waiting(ticket) => Some(*ticket),
        _ => None,
    });
    let jobs = &model.jobs;
    let batch = jobs.batch.as_deref();
    [
        model.providers.asked,
        tested,
        model.spend.asked,
        Some(model.last_inquiry),
        Some(Ticket(1)),
        jobs.asked.map(|(ticket, _)| ticket),
        jobs.reading.map(|(ticket, _)| ticket),
        jobs.stopping.map(|(ticket, _)| ticket),
        jobs.resuming.map(|(ticket, _)| ticket),
        jobs.checking.map(|checking| checking.ticket),
        jobs.starting,
        batch.and_then(|batch| batch.asked).map(|asked| asked.ticket),
        batch.and_then(|batch| batch.open.as_ref()).map(|open| open.reading),
        Some(Ticket(0)),
    ]
}
