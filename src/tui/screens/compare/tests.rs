//! Tests of how Compare responds to keys and replies, and snapshots at three sizes and the minimum.

use aludel_core::error::{Error, Problem};

use crate::tui::action::ScreenName;
use crate::tui::effect::{CoreEffect, Effect, TerminalEffect};
use crate::tui::message::Message;
use crate::tui::model::Focus;
use crate::tui::testing::gallery::Gallery;
use crate::tui::testing::*;

const GALLERY: Gallery = Gallery("compare");

const OLDER: &str = "# Role\nSenior Rust reviewer.\n\n# Task\nReview {{diff}}. List at most seven findings, ranked by \
                     severity.\n\n# Rules\n- No style remarks.\n- Unsure? Say \"unverified\" and how to check.\n- Be kind.";
const NEWER: &str = "# Role\nSenior Rust reviewer for a library team.\n\n# Task\nReview {{diff}}. List at most five findings, \
                     ranked by risk to callers.\n\n# Rules\n- No style remarks.\n- Never guess: mark \"unverified\".";

/// A run of three whose prompts are these, finished and ranked in that order.
fn with_a_run(bench: &mut Bench) {
    bench.run("review pull requests", 3);
    for (variant, text) in (0..).zip([OLDER, NEWER, TEXTS[2]]) {
        bench.tell(whole_variant(variant, text));
    }
    bench.tell(ending(&[(0, OLDER, 0.81), (1, NEWER, 0.74), (2, TEXTS[2], 0.6)], Vec::new()));
}

fn asked(effects: &[Effect]) -> Vec<(crate::tui::effect::Ticket, usize)> {
    let question = |effect: &Effect| match effect {
        Effect::Core(CoreEffect::Compare { ticket, raw }) => Some((*ticket, raw["prompt_ids"].as_array()?.len())),
        _ => None,
    };
    effects.iter().filter_map(question).collect()
}

/// Replies to the request as the core would.
fn answer(bench: &mut Bench, effects: &[Effect]) {
    let texts = [OLDER, NEWER, TEXTS[2]];
    for effect in effects {
        let Effect::Core(CoreEffect::Compare { ticket, raw }) = effect else { continue };
        let ids: Vec<String> =
            raw["prompt_ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().into()).collect();
        let known = (0..3).map(|variant| (variant, prompt(variant, "", None).id.to_string()));
        let number = |id: &String| known.clone().find(|(_, known)| known == id).unwrap().0;
        let asked: Vec<(u32, &str)> =
            ids.iter().map(number).map(|variant| (variant, texts[variant as usize])).collect();
        let outcome = Ok(Box::new(crate::tui::testing::compared(&asked)));
        bench.send(Message::Compared { ticket: *ticket, outcome });
    }
}

fn comparing(bench: &mut Bench, keys: &str) {
    with_a_run(bench);
    let effects = bench.press(keys);
    answer(bench, &effects);
}

#[test]
fn nothing_compared_yet_looks_like_this() {
    GALLERY.keep("nothing", |bench| {
        bench.press("Alt+2");
    });
}

#[test]
fn two_prompts_look_like_this() {
    GALLERY.keep("two", |bench| comparing(bench, "c ] c C"));
}

#[test]
fn three_prompts_and_a_change_that_was_gone_to_look_like_this() {
    GALLERY.keep("three", |bench| {
        comparing(bench, "C");
        bench.press("n n");
    });
}

#[test]
fn they_look_like_this_in_colour() {
    GALLERY.keep_in_colour("two", |bench| comparing(bench, "c ] c C"));
    GALLERY.keep_in_colour("three", |bench| comparing(bench, "C"));
    GALLERY.keep_in_ascii("two", |bench| comparing(bench, "c ] c C"));
}

#[test]
fn marked_prompts_are_compared_in_the_order_of_their_marks() {
    let mut bench = Bench::new(120, 40);
    with_a_run(&mut bench);
    assert!(bench.press("C").len() == 2, "without marks all that is finished");
    bench.press("1");
    bench.press("] c");
    let refused = bench.press("C");
    assert_eq!((asked(&refused), bench.model.screen), (Vec::new(), ScreenName::Work), "one is too few");
    let effects = bench.press("[ c C");
    assert_eq!(asked(&effects).iter().map(|(_, count)| *count).collect::<Vec<_>>(), [2]);
    let labels: Vec<&str> = bench.model.compare.prompts.iter().map(|chosen| chosen.label.as_str()).collect();
    assert_eq!((labels, bench.model.screen), (vec!["B", "A"], ScreenName::Compare));
}

#[test]
fn an_answer_to_an_older_question_is_ignored() {
    let mut bench = Bench::new(120, 40);
    with_a_run(&mut bench);
    let first = bench.press("C");
    let second = bench.press("b");
    answer(&mut bench, &first[..1]);
    assert!(bench.model.compare.pair.is_none());
    answer(&mut bench, &second);
    assert!(bench.model.compare.pair.is_some());
    assert_eq!(bench.model.compare.two().map(|(base, _)| base.label.clone()), Some("B".into()));
}

#[test]
fn changes_are_gone_through_and_the_last_one_stays() {
    let mut bench = Bench::new(70, 16);
    comparing(&mut bench, "c ] c C");
    let all = bench.model.compare.pair.as_ref().map(|(beside, _)| beside.changes()).unwrap();
    assert!(all > 2, "{all}");
    for _ in 0..all + 3 {
        bench.press("n");
    }
    assert_eq!(bench.model.compare.change, Some(all - 1));
    bench.press("N v");
    assert_eq!(bench.model.compare.change, Some(all - 2), "another arrangement keeps the place");
}

#[test]
fn the_right_one_is_copied_and_taken_up() {
    let mut bench = Bench::new(120, 40);
    comparing(&mut bench, "c ] c C");
    assert_eq!(bench.press("y"), [TerminalEffect::Copy(NEWER.to_owned()).into()]);
    bench.press("Enter");
    assert_eq!((bench.model.screen, bench.model.focus), (ScreenName::Work, Focus::Composer));
    assert_eq!(bench.model.composer.text(), NEWER);
}

#[test]
fn what_the_core_refuses_is_said() {
    let mut bench = Bench::new(80, 24);
    with_a_run(&mut bench);
    let effects = bench.press("c ] c C");
    let problem =
        Box::new(Problem::from(Error::NotFound { what: "prompt", key: "7a3f9c21".into(), hint: "aludel list" }));
    bench.send(Message::Compared { ticket: asked(&effects)[0].0, outcome: Err(problem) });
    assert!(bench.picture().contains("7a3f9c21"));
}

#[test]
fn two_are_shown_and_copied_where_the_others_cannot_be_read() {
    let mut bench = Bench::new(200, 60);
    with_a_run(&mut bench);
    let effects = bench.press("C");
    answer(&mut bench, &effects[..1]);
    let problem = Error::NotFound { what: "prompt", key: "7a3f9c21".into(), hint: "aludel list" };
    let outcome = Err(Box::new(Problem::from(problem)));
    bench.send(Message::Compared { ticket: asked(&effects)[1].0, outcome });
    assert!(bench.picture().contains("7a3f9c21") && bench.picture().contains("Measures"), "{}", bench.picture());
    assert_eq!(bench.press("y"), [TerminalEffect::Copy(NEWER.to_owned()).into()]);
}

#[test]
fn letters_become_ids_when_another_run_begins() {
    let mut bench = Bench::new(120, 40);
    comparing(&mut bench, "c ] c C");
    bench.press("1 i Ctrl+J");
    assert!(bench.model.choice.all().iter().all(|chosen| chosen.label == chosen.id.short()));
    assert!(bench.model.compare.prompts.iter().all(|chosen| chosen.label == chosen.id.short()));
}
