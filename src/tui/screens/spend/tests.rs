//! Tests of how the Spending responds to keys and replies, and snapshots.

use crate::tui::action::ScreenName;
use crate::tui::effect::{CoreEffect, Effect, Query};
use crate::tui::message::{Message, QueryReply};
use crate::tui::model::spend::{Day, Spent};
use crate::tui::range::Range;
use crate::tui::testing::gallery::Gallery;
use crate::tui::testing::samples::{spent, stored};
use crate::tui::testing::*;
use aludel_core::domain::{SpendBy, SpendCaps, SpendReport, SpendTotals, StatsTotals};
use aludel_core::error::{Error, Problem};

const GALLERY: Gallery = Gallery("spending");

fn answer(bench: &mut Bench, spent: Spent) {
    let ticket = bench.model.spend.asked.unwrap_or_else(|| panic!("nothing is asked"));
    bench.send(Message::Reply { ticket, reply: QueryReply::Spent(Ok(Box::new(spent))) });
}

fn refuse(bench: &mut Bench) {
    let ticket = bench.model.spend.asked.unwrap_or_else(|| panic!("nothing is asked"));
    let problem = Problem::from(Error::Internal("the disk is full".into()));
    bench.send(Message::Reply { ticket, reply: QueryReply::Spent(Err(Box::new(problem))) });
}

/// The screen as just opened, and then what `prepare` does.
fn opened(prepare: impl Fn(&mut Bench)) -> impl Fn(&mut Bench) {
    move |bench| {
        bench.press("Esc 7");
        prepare(bench);
    }
}

fn by_model(bench: &mut Bench) {
    answer(bench, spent(SpendBy::Model));
}

#[test]
fn what_was_spent_and_what_may_be() {
    GALLERY.keep("spent", opened(by_model));
}

#[test]
fn nothing_spent_says_so() {
    let empty = SpendReport { lines: Vec::new(), total: SpendTotals::default(), ..spent(SpendBy::Day).report };
    let caps = SpendCaps { daily_budget_usd: None, left_today_usd: None, preflight_usd: None, used_today_usd: 0.0 };
    let stored = StatsTotals { prompts: 0, ..stored() };
    let days = vec![Day { name: "10-01".into(), cost_usd: 0.0, tokens: 0 }];
    let nothing = Spent { report: SpendReport { caps, ..empty }, days, stored };
    GALLERY.keep("nothing", opened(|bench| answer(bench, nothing.clone())));
}

#[test]
fn a_failure_says_why_and_what_to_press() {
    GALLERY.keep("failed", opened(refuse));
}

#[test]
fn with_colours_without_them_and_without_letters_it_is_all_there() {
    GALLERY.keep_in_colour("spent", opened(by_model));
    GALLERY.keep_in_ascii("spent", opened(by_model));
}

/// The range and the grouping of the request among `effects`.
fn question(effects: &[Effect]) -> Option<(Range, SpendBy)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Core(CoreEffect::RunQuery { inquiry: Query::Spend { range, by }, .. }) => Some((*range, *by)),
        _ => None,
    })
}

#[test]
fn ranges_and_groupings_go_round() {
    let mut bench = Bench::new(80, 24);
    assert_eq!(question(&bench.press("Alt+7")), Some((Range::Month, SpendBy::Day)));
    let ranges: Vec<_> = (0..4).map(|_| question(&bench.press("v")).unwrap().0).collect();
    assert_eq!(ranges, [Range::All, Range::Day, Range::Week, Range::Month]);
    let groups: Vec<_> = (0..6).map(|_| question(&bench.press("o")).unwrap().1).collect();
    assert_eq!((groups[0], groups[5]), (SpendBy::Model, SpendBy::Day));
    assert_eq!(Range::Week.request(SpendBy::Tag), serde_json::json!({ "since": "7d", "by": "tag" }));
    assert_eq!(Range::All.request(SpendBy::Day), serde_json::json!({ "by": "day" }));
}

#[test]
fn only_the_answer_to_the_newest_question_is_taken() {
    let mut bench = Bench::new(80, 24);
    bench.press("Alt+7");
    let first = bench.model.spend.asked.unwrap();
    bench.press("o");
    bench.send(Message::Reply { ticket: first, reply: QueryReply::Spent(Ok(Box::new(spent(SpendBy::Day)))) });
    assert!(bench.model.spend.spent.is_none());
    answer(&mut bench, spent(SpendBy::Model));
    assert_eq!(bench.model.spend.spent.as_ref().unwrap().report.by, SpendBy::Model);
}

#[test]
fn a_failure_goes_with_the_next_answer() {
    let mut bench = Bench::new(80, 24);
    bench.press("Alt+7");
    refuse(&mut bench);
    assert!(bench.picture().contains("the disk is full"));
    bench.press("r");
    answer(&mut bench, spent(SpendBy::Model));
    assert!(!bench.picture().contains("the disk is full"));
    bench.press("G Esc");
    assert_eq!(bench.model.screen, ScreenName::Work);
}
