//! Tests of how labelling responds to keys and replies and of what it hides; and snapshots.

use std::path::PathBuf;

use aludel_core::engine::{Better, Labelling, StoredLabel};
use aludel_core::error::{Error, Problem};
use aludel_core::judge::labels::blind::{BlindPair, BlindPrompt};

use crate::tui::action::ScreenName;
use crate::tui::effect::{CoreEffect, Effect, Query};
use crate::tui::message::{Message, Pointer, QueryReply};
use crate::tui::model::label::PairOutcome;
use crate::tui::testing::gallery::Gallery;
use crate::tui::testing::*;

const GALLERY: Gallery = Gallery("labelling");

/// A pair of prompts; the first is short and the second many lines long.
fn pair(number: u32) -> BlindPair {
    let side = |variant: u32, content: String| BlindPrompt { id: prompt(variant, "", None).id, content };
    let line = |line: u32| format!("{line}. Name boat number {line} after a star, and say why.");
    let lines = (1..40).map(line).collect::<Vec<_>>().join("\n");
    BlindPair {
        task: format!("Name {number} boats for a small sailing school by the sea"),
        persona: Some("writing".into()),
        left: side(2 * number, format!("You name boats. Give {number} names, one a line, and nothing else.")),
        right: side(2 * number + 1, format!("# Boats\n{lines}")),
    }
}

fn sitting(pairs: u32) -> Labelling {
    Labelling {
        path: PathBuf::from("/home/me/.aludel/labels.jsonl"),
        shown_path: PathBuf::from("~/.aludel/labels.jsonl"),
        pairs: (1..=pairs).map(pair).collect(),
        known: 7,
    }
}

fn answer(bench: &mut Bench, pairs: u32) {
    let ticket = bench.model.label.asked.unwrap();
    bench.send(Message::Reply { ticket, reply: QueryReply::Pairs(Ok(Box::new(sitting(pairs)))) });
}

fn refused<T>(message: &str) -> Result<T, Box<Problem>> {
    Err(Box::new(Problem::from(Error::Conflict(message.into()))))
}

/// A label as the core returns it after storing it.
fn kept() -> StoredLabel {
    let folder = tempfile::tempdir().unwrap();
    scripted(folder.path(), "seed: 1").keep_label(&pair(1), Better::Left).unwrap()
}

/// Replies that the label being written is stored.
fn keep(bench: &mut Bench) {
    let ticket = bench.model.label.writing.unwrap();
    bench.send(Message::Reply { ticket, reply: QueryReply::LabelKept(Ok(Box::new(kept()))) });
}

/// The choice among `effects`.
fn choice(effects: &[Effect]) -> Option<Better> {
    effects.iter().find_map(|effect| match effect {
        Effect::Core(CoreEffect::RunQuery { inquiry: Query::KeepLabel(_, better), .. }) => Some(*better),
        _ => None,
    })
}

fn opened(pairs: u32) -> impl Fn(&mut Bench) {
    move |bench| {
        bench.press("Esc B");
        answer(bench, pairs);
    }
}

#[test]
fn a_pair_is_shown_side_by_side_or_stacked() {
    GALLERY.keep("pair", opened(40));
}

#[test]
fn the_end_says_what_to_do_with_the_labels() {
    GALLERY.keep("done", |bench| {
        opened(2)(bench);
        bench.press("h");
        keep(bench);
        bench.now += 61_000;
        bench.press("s");
    });
}

#[test]
fn without_pairs_it_says_why() {
    GALLERY.keep("none", |bench| {
        bench.press("Esc B");
        let ticket = bench.model.label.asked.unwrap();
        let told =
            QueryReply::Pairs(refused("no stored run has two different prompts; generate two or more variants first"));
        bench.send(Message::Reply { ticket, reply: told });
    });
}

#[test]
fn with_colours_without_them_and_without_letters_it_is_all_there() {
    GALLERY.keep_in_colour("pair", opened(40));
    GALLERY.keep_in_ascii("pair", opened(40));
}

#[test]
fn nothing_tells_which_prompt_is_which() {
    let mut bench = Bench::new(120, 40);
    opened(3)(&mut bench);
    let picture = bench.picture();
    for prompt in [pair(1).left, pair(1).right] {
        assert!(!picture.contains(&prompt.id.short()) && !picture.contains("writing"), "{picture}");
    }
    assert!(picture.contains("Name 1 boats") && picture.contains("Give 1 names"));
}

#[test]
fn one_key_chooses_and_the_next_pair_comes_once_it_is_on_the_disk() {
    let mut bench = Bench::new(80, 24);
    opened(6)(&mut bench);
    for (key, better) in [
        ("h", Better::Left),
        ("Left", Better::Left),
        ("l", Better::Right),
        ("Right", Better::Right),
        ("=", Better::Neither),
    ] {
        let at = bench.model.label.past.len();
        assert_eq!(choice(&bench.press(key)), Some(better), "{key}");
        assert_eq!(bench.model.label.past.len(), at, "it is not kept yet");
        assert_eq!(choice(&bench.press("h")), None, "one at a time");
        keep(&mut bench);
        assert_eq!(bench.model.label.past.len(), at + 1);
    }
    assert_eq!(choice(&bench.press("Down")), Some(Better::Neither));
    keep(&mut bench);
    assert!(bench.model.label.is_done() && bench.model.label.kept() == 6);
    assert!(bench.press("h").is_empty(), "behind the last there is nothing to choose");
}

#[test]
fn a_label_that_cannot_be_kept_leaves_the_pair_and_says_why() {
    let mut bench = Bench::new(80, 24);
    opened(3)(&mut bench);
    bench.press("l");
    let ticket = bench.model.label.writing.unwrap();
    bench.send(Message::Reply { ticket, reply: QueryReply::LabelKept(refused("the disk is full")) });
    assert!(bench.picture().contains("the disk is full") && bench.model.label.past.is_empty());
    assert_eq!(choice(&bench.press("l")), Some(Better::Right), "it can be tried again");
}

#[test]
fn undo_takes_back_what_was_done_last() {
    let mut bench = Bench::new(80, 24);
    opened(4)(&mut bench);
    bench.press("u");
    assert!(bench.picture().contains("nothing to undo"));
    bench.press("h");
    keep(&mut bench);
    bench.press("s");
    assert_eq!(bench.model.label.past.last(), Some(&PairOutcome::Skipped));
    assert!(bench.press("u").is_empty(), "a pair that was skipped left nothing behind");
    let effects = bench.press("u");
    let is_taken_back =
        |effect: &Effect| matches!(effect, Effect::Core(CoreEffect::RunQuery { inquiry: Query::TakeLabelBack(_), .. }));
    assert!(effects.iter().any(is_taken_back), "{effects:?}");
    let ticket = bench.model.label.writing.unwrap();
    bench.send(Message::Reply { ticket, reply: QueryReply::LabelTakenBack(Ok(())) });
    assert!(bench.model.label.past.is_empty() && bench.picture().contains("1 of 4"));
}

#[test]
fn both_texts_scroll_together_and_a_new_pair_begins_at_the_top() {
    let mut bench = Bench::new(80, 24);
    opened(3)(&mut bench);
    bench.press("j j PageDown");
    assert!(bench.model.label.top > 2, "{}", bench.model.label.top);
    bench.press("G g");
    assert_eq!(bench.model.label.top, 0);
    let (x, y) = bench.place_of("1. Name boat");
    bench.point(Pointer::Down, x, y);
    assert_eq!(bench.model.label.top, 3);
    bench.press("s");
    assert_eq!(bench.model.label.top, 0);
}

#[test]
fn leaving_says_the_command_and_coming_back_goes_on() {
    let mut bench = Bench::new(120, 40);
    bench.press("Esc 3 B");
    answer(&mut bench, 3);
    bench.press("h");
    keep(&mut bench);
    bench.press("Esc");
    assert_eq!(bench.model.screen, ScreenName::Judge);
    assert!(bench.picture().contains("aludel judge audit --labels ~/.aludel/labels.jsonl"), "{}", bench.picture());
    assert!(bench.press("B").is_empty(), "nothing is asked anew");
    assert!(bench.picture().contains("2 of 3"));
}

#[test]
fn an_answer_to_another_question_is_not_taken() {
    let mut bench = Bench::new(80, 24);
    bench.press("Esc B");
    let old = bench.model.label.asked.unwrap();
    bench.press("Esc B");
    bench.send(Message::Reply { ticket: old, reply: QueryReply::Pairs(Ok(Box::new(sitting(1)))) });
    assert!(bench.model.label.sitting.is_none());
    answer(&mut bench, 2);
    assert_eq!(bench.model.label.sitting.as_ref().map(|sitting| sitting.pairs.len()), Some(2));
}

#[test]
fn the_time_goes_on_by_itself() {
    let mut bench = Bench::new(80, 24);
    opened(40)(&mut bench);
    bench.wait(65_500);
    assert!(bench.picture().contains("1 of 40 · 1:05"), "{}", bench.picture());
}
