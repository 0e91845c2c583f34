//! Tests of how the Judge responds to keys and events, and snapshots.

use aludel_core::domain::{ModelMetadata, Operation, PromptId};
use aludel_core::error::{Error, Problem};
use aludel_core::event::{EventKind, Outcome};

use crate::tui::action::ScreenName;
use crate::tui::effect::{CoreEffect, Effect, HistoryCommand, TerminalEffect, Ticket};
use crate::tui::message::{HistoryReply, Message};
use crate::tui::model::{Costly, CostlyAction, Overlay};
use crate::tui::testing::gallery::Gallery;
use crate::tui::testing::*;
use crate::tui::theme::Theme;

const GALLERY: Gallery = Gallery("judge");

fn id(variant: u32) -> PromptId {
    prompt(variant, "", None).id
}

fn with_a_run(bench: &mut Bench) {
    bench.run("review pull requests", 3);
    for (variant, text) in (0..).zip(TEXTS) {
        bench.tell(whole_variant(variant, text));
    }
    bench.tell(ending(&[(0, TEXTS[0], 0.81), (1, TEXTS[1], 0.74), (2, TEXTS[2], 0.6)], Vec::new()));
}

/// Presses `keys` and returns the ticket and the raw request of the judging they start.
fn asked(bench: &mut Bench, keys: &str) -> (Ticket, serde_json::Value) {
    let effects = bench.press(keys);
    let found = effects.into_iter().find_map(|effect| match effect {
        Effect::Core(CoreEffect::Select { ticket, raw }) => Some((ticket, raw)),
        _ => None,
    });
    found.expect("the judge is asked")
}

fn begun() -> EventKind {
    EventKind::Started { operation: Operation::Select, total: None, variants: 0, phases: Vec::new() }
}

fn at_work(bench: &mut Bench) -> Ticket {
    with_a_run(bench);
    let (ticket, _) = asked(bench, "J");
    bench.tell_of(ticket, vec![begun(), EventKind::Judged { comparison: comparison(1, 0, 0.75, true) }]);
    ticket
}

fn concluded(bench: &mut Bench, confident: bool) {
    let ticket = at_work(bench);
    let result = selection(confident);
    let rest = result.comparisons[1..].iter().map(|comparison| EventKind::Judged { comparison: comparison.clone() });
    let end = EventKind::Finished { outcome: Box::new(Outcome::Select(result.clone())) };
    bench.tell_of(ticket, rest.chain([end]).collect());
}

#[test]
fn nothing_judged_yet_looks_like_this() {
    GALLERY.keep("nothing", |bench| {
        bench.press("Alt+3");
    });
}

#[test]
fn comparisons_look_like_this_as_they_come() {
    GALLERY.keep("at_work", |bench| {
        at_work(bench);
    });
}

#[test]
fn a_choice_looks_like_this() {
    GALLERY.keep("sure", |bench| concluded(bench, true));
}

#[test]
fn a_choice_that_is_too_close_to_call_looks_like_this() {
    GALLERY.keep("close", |bench| concluded(bench, false));
}

#[test]
fn the_judge_looks_like_this_in_colour() {
    GALLERY.keep_in_colour("at_work", |bench| {
        at_work(bench);
    });
    GALLERY.keep_in_colour("sure", |bench| concluded(bench, true));
    GALLERY.keep_in_ascii("sure", |bench| concluded(bench, true));
}

#[test]
fn the_winner_is_read_anew_and_keeps_its_tags() {
    let mut bench = Bench::new(120, 40);
    concluded(&mut bench, true);
    let effects = bench.press("W");
    let [Effect::Core(CoreEffect::History { ticket, command: HistoryCommand::Read(read) })] = effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(read, id(1));
    let mut stored = prompt(1, TEXTS[1], None);
    (stored.tags, stored.revision) = (vec!["rust".into()], 4);
    let effects = bench.send(Message::History { ticket, news: HistoryReply::Read(Ok(Box::new(stored.clone()))) });
    let [Effect::Core(CoreEffect::History { command: HistoryCommand::Update(raw), .. })] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!((&raw["tags"], &raw["revision"]), (&serde_json::json!(["rust", "winner"]), &serde_json::json!(4)));
    stored.tags.push("winner".into());
    let effects = bench.press("W");
    let [Effect::Core(CoreEffect::History { ticket, .. })] = effects[..] else { panic!("{effects:?}") };
    let effects = bench.send(Message::History { ticket, news: HistoryReply::Read(Ok(Box::new(stored))) });
    assert!(effects.is_empty(), "twice tags once");
}

#[test]
fn the_marked_candidate_is_copied_to_the_letter() {
    let mut bench = Bench::new(120, 40);
    concluded(&mut bench, true);
    let effects = bench.press("j y");
    let [Effect::Core(CoreEffect::History { ticket, command: HistoryCommand::Read(read) })] = effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(read, id(0), "the second of the ranking");
    let effects =
        bench.send(Message::History { ticket, news: HistoryReply::Read(Ok(Box::new(prompt(0, TEXTS[0], None)))) });
    assert_eq!(effects, [TerminalEffect::Copy(TEXTS[0].to_owned()).into()]);
}

#[test]
fn a_task_that_is_typed_asks_anew_with_it() {
    let mut bench = Bench::new(120, 40);
    concluded(&mut bench, true);
    bench.press("E");
    bench.type_text("for a beginner");
    let (_, raw) = asked(&mut bench, "Ctrl+J");
    assert_eq!(raw["task_description"], "for a beginner");
    assert!(bench.model.overlay.is_none() && bench.model.judge.live().is_some());
}

#[test]
fn what_may_cost_more_is_asked_and_gets_that_budget() {
    let mut bench = Bench::new(120, 40);
    with_a_run(&mut bench);
    let (ticket, _) = asked(&mut bench, "J");
    let problem = Box::new(Problem::from(Error::Budget("it may cost $0.40".into())));
    bench.send(Message::RunRefused { ticket, problem });
    let costly = Costly { what: CostlyAction::Judging, most_usd: 0.4, calls: 6 };
    bench.send(Message::CostAsked { ticket, costly: Box::new(costly.clone()) });
    assert!(bench.picture().contains("may cost up to $0.4 (6 calls)"), "{}", bench.picture());
    bench.press("Esc");
    assert!(bench.model.overlay.is_none() && bench.model.judge.live().is_none());
    assert!(bench.picture().contains("it may cost $0.40"), "the reason stays");
    let theme = Theme::ansi16();
    let red = bench.buffer(&theme).content().iter().any(|cell| Some(cell.fg) == theme.bad.fg);
    assert!(!red && bench.picture().contains("? asks first"), "a question is no failure:\n{}", bench.picture());
    let (ticket, _) = asked(&mut bench, "J");
    bench.send(Message::CostAsked { ticket, costly: Box::new(costly) });
    let (_, raw) = asked(&mut bench, "Enter");
    assert_eq!(raw["budget_usd"], 0.4);
}

#[test]
fn a_judging_that_is_stopped_says_what_it_may_have_cost() {
    let mut bench = Bench::new(120, 40);
    let ticket = at_work(&mut bench);
    let model_metadata = ModelMetadata { cost_usd: Some(0.02), most_usd: Some(0.11), ..ModelMetadata::default() };
    bench.tell_of(ticket, vec![EventKind::Spent { model_metadata }, EventKind::Cancelled {}]);
    assert!(bench.picture().contains("stopped · at most $0.11"), "{}", bench.picture());
}

#[test]
fn a_question_about_costs_takes_away_nothing_that_is_typed() {
    let mut bench = Bench::new(120, 40);
    with_a_run(&mut bench);
    let (ticket, _) = asked(&mut bench, "J");
    let problem = Box::new(Problem::from(Error::Budget("it may cost $0.40".into())));
    bench.send(Message::RunRefused { ticket, problem });
    bench.press("E");
    bench.type_text("for a beginner");
    let costly = Costly { what: CostlyAction::Judging, most_usd: 0.4, calls: 6 };
    bench.send(Message::CostAsked { ticket, costly: Box::new(costly) });
    let Some(Overlay::Ask(asking)) = &bench.model.overlay else { panic!("the box is gone") };
    assert_eq!(asking.field.text(), "for a beginner");
}

#[test]
fn a_run_that_may_cost_more_is_asked_and_gets_that_budget() {
    let mut bench = Bench::new(120, 40);
    asked_about_costs(&mut bench);
    let effects = bench.press("Enter");
    let [Effect::Core(CoreEffect::Generate { raw, .. })] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((&raw["budget_usd"], &raw["input"]), (&serde_json::json!(2.0), &serde_json::json!("an idea")));
}

#[test]
fn the_question_about_costs_looks_like_this() {
    GALLERY.keep("costs", asked_about_costs);
    GALLERY.keep_in_colour("costs", asked_about_costs);
}

/// A run was refused for its cost, and the question is open.
fn asked_about_costs(bench: &mut Bench) {
    bench.type_text("an idea");
    bench.press("Ctrl+J");
    let ticket = bench.model.last_ticket;
    let raw = serde_json::json!({ "input": "an idea" });
    bench.send(Message::RunRefused { ticket, problem: Box::new(Problem::from(Error::Budget("too much".into()))) });
    let costly = Costly { what: CostlyAction::Run(raw), most_usd: 2.0, calls: 9 };
    bench.send(Message::CostAsked { ticket, costly: Box::new(costly) });
    assert!(matches!(bench.model.overlay, Some(Overlay::ConfirmCost(_))));
}

#[test]
fn a_judging_is_stopped_before_a_run() {
    let mut bench = Bench::new(120, 40);
    let ticket = at_work(&mut bench);
    assert_eq!(bench.press("Ctrl+C"), [CoreEffect::CancelRun(ticket).into()]);
    bench.tell_of(ticket, vec![EventKind::Cancelled {}]);
    assert!(bench.model.judge.live().is_none() && bench.picture().contains("stopped"));
}

#[test]
fn leaving_while_the_judge_is_at_work_says_so() {
    let mut bench = Bench::new(120, 40);
    at_work(&mut bench);
    assert!(bench.press("Ctrl+Q").is_empty());
    assert!(bench.picture().contains("The judge is running."), "{}", bench.picture());
}

#[test]
fn events_of_an_older_judging_are_ignored() {
    let mut bench = Bench::new(120, 40);
    let old = at_work(&mut bench);
    bench.press("Ctrl+C");
    bench.tell_of(old, vec![EventKind::Cancelled {}]);
    asked(&mut bench, "J");
    bench.tell_of(old, vec![EventKind::Judged { comparison: comparison(0, 2, 1.0, true) }]);
    assert!(bench.model.judge.comparisons().is_empty());
}

#[test]
fn escape_leads_home_and_nothing_is_lost() {
    let mut bench = Bench::new(120, 40);
    concluded(&mut bench, true);
    bench.press("Esc");
    assert_eq!(bench.model.screen, ScreenName::Work);
    bench.press("3");
    assert!(bench.model.judge.winner().is_some());
}
