//! Tests of the search in every pane that can have the focus; and snapshots.

use aludel_core::domain::Phase;
use aludel_core::event::{EventKind, Outcome};
use proptest::prelude::*;
use ratatui::buffer::Cell;
use ratatui::style::Modifier;

use crate::tui::action::ScreenName;
use crate::tui::effect::CoreEffect;
use crate::tui::message::Message;
use crate::tui::model::history::{Part, Row};
use crate::tui::model::{Focus, Overlay};
use crate::tui::testing::gallery::Gallery;
use crate::tui::testing::*;
use crate::tui::theme::Theme;
use crate::tui::widgets::wrapped::tests::pieces;

const GALLERY: Gallery = Gallery("find");

/// Three variants being written, the first with `text`.
fn streaming(bench: &mut Bench, text: &str) {
    bench.run("review pull requests", 3);
    for (variant, text) in (0..).zip([text, TEXTS[1], TEXTS[2]]) {
        bench.tell(vec![phase_started(variant, Phase::PrimaMateria), delta(variant, Phase::PrimaMateria, text)]);
    }
    bench.wait(600);
}

fn compared_pair(bench: &mut Bench) {
    bench.run("review pull requests", 2);
    for variant in 0..2 {
        bench.tell(whole_variant(variant, TEXTS[variant as usize]));
    }
    bench.tell(ending(&[(0, TEXTS[0], 0.81), (1, TEXTS[1], 0.74)], Vec::new()));
    for effect in bench.press("C") {
        if let crate::tui::effect::Effect::Core(CoreEffect::Compare { ticket, .. }) = effect {
            let outcome = Ok(Box::new(compared(&[(0, TEXTS[0]), (1, TEXTS[1])])));
            bench.send(Message::Compared { ticket, outcome });
        }
    }
}

fn judged(bench: &mut Bench) {
    bench.run("review pull requests", 2);
    for variant in 0..2 {
        bench.tell(whole_variant(variant, TEXTS[variant as usize]));
    }
    bench.tell(ending(&[(0, TEXTS[0], 0.81), (1, TEXTS[1], 0.74)], Vec::new()));
    bench.press("J");
    let ticket = bench.model.judge.judged.as_ref().unwrap().ticket;
    let result = selection(true);
    let told = result.comparisons.iter().map(|comparison| EventKind::Judged { comparison: comparison.clone() });
    let end = EventKind::Finished { outcome: Box::new(Outcome::Select(result.clone())) };
    bench.tell_of(ticket, told.chain([end]).collect());
}

fn previewed(bench: &mut Bench) {
    bench.press("Alt+5");
    bench.answer(answer((0..9).map(|number| Row::listed(&prompt(number, TEXTS[1], None).into(), None)).collect()));
    bench.read(prompt(0, TEXTS[1], Some(0.4)));
}

/// The text of the status row.
fn said(bench: &Bench) -> String {
    let rows = rows_of(&bench.buffer(&Theme::ansi16()));
    rows[rows.len() - 2].clone()
}

fn top(bench: &Bench) -> usize {
    let run = bench.model.run.as_ref().unwrap();
    run.pane(run.active, run.shown_phase(run.active)).unwrap().scroll.top
}

/// The cells drawn as matches.
fn marked(bench: &Bench) -> String {
    let buffer = bench.buffer(&Theme::ansi16());
    let found = Modifier::BOLD | Modifier::UNDERLINED;
    buffer.content().iter().filter(|cell| cell.modifier.contains(found)).map(Cell::symbol).collect()
}

/// The cells drawn as the current match.
fn current(bench: &Bench) -> String {
    let buffer = bench.buffer(&Theme::ansi16());
    let current = Modifier::BOLD | Modifier::UNDERLINED | Modifier::REVERSED;
    buffer.content().iter().filter(|cell| cell.modifier.contains(current)).map(Cell::symbol).collect()
}

/// Thirty lines, every tenth with a gold nugget.
fn gold() -> String {
    (0..30).map(|line| if line % 10 == 9 { format!("line {line} gold\n") } else { format!("line {line}\n") }).collect()
}

/// Searches, as if typing, for words in a text that is being written.
fn typed(bench: &mut Bench) {
    streaming(bench, TEXTS[0]);
    bench.press("/");
    bench.type_text("or");
}

#[test]
fn words_found_while_text_arrives_look_like_this_in_colours_and_without() {
    GALLERY.keep("streaming", typed);
    GALLERY.keep_in_colour("streaming", typed);
    GALLERY.keep_in_ascii("streaming", typed);
}

#[test]
fn words_found_in_two_prompts_beside_each_other_look_like_this() {
    GALLERY.keep("compared", |bench| {
        compared_pair(bench);
        bench.press("/");
        bench.type_text("review");
        bench.press("Enter n");
    });
}

#[test]
fn words_found_in_the_judges_words_look_like_this() {
    GALLERY.keep("judged", |bench| {
        judged(bench);
        bench.press("/");
        bench.type_text("audience");
        bench.press("Enter");
    });
}

#[test]
fn words_found_in_a_preview_look_like_this() {
    GALLERY.keep("preview", |bench| {
        previewed(bench);
        bench.press("Ctrl+F");
        bench.type_text("idea");
        bench.press("Enter");
    });
}

#[test]
fn a_match_is_told_without_colours_too() {
    let mut bench = Bench::new(80, 24);
    streaming(&mut bench, "gold, and gold");
    bench.press("/");
    bench.type_text("gold");
    for theme in [Theme::ansi16(), Theme::mono()] {
        let styles = styles_of(&bench.buffer(&theme));
        let row = styles.lines().find(|row| row.contains(">, and ")).unwrap();
        assert!(row.contains("reversed>gold<") && row.contains("<bold | underlined>gold<"), "{row}");
    }
}

#[test]
fn what_is_typed_is_found_at_once_and_esc_goes_back() {
    let mut bench = Bench::new(80, 24);
    streaming(&mut bench, &gold());
    bench.press("g /");
    bench.type_text("go");
    assert!(said(&bench).contains("find go  match 1/3"), "{}", said(&bench));
    assert_eq!((marked(&bench), current(&bench)), ("go".to_owned(), "go".to_owned()));
    bench.type_text("ld");
    bench.press("Down Down");
    assert!(said(&bench).contains("match 3/3"), "{}", said(&bench));
    assert!(top(&bench) > 10 && bench.picture().contains("line 29 gold"));
    bench.type_text("en");
    assert!(said(&bench).contains("no match") && top(&bench) == 0, "{}", said(&bench));
    bench.press("Backspace Backspace Down Esc");
    assert_eq!((bench.model.find.is_none(), top(&bench), marked(&bench)), (true, 0, String::new()));
    assert_eq!((bench.model.screen, bench.model.focus), (ScreenName::Work, Focus::Vessels));
}

#[test]
fn what_was_kept_is_gone_through_in_a_circle() {
    let mut bench = Bench::new(80, 24);
    streaming(&mut bench, &gold());
    bench.press("g /");
    bench.type_text("gold");
    bench.press("Enter n");
    assert!(said(&bench).contains("match 2/3"), "{}", said(&bench));
    bench.press("n n");
    assert!(said(&bench).contains("match 1/3"), "{}", said(&bench));
    bench.press("N");
    assert!(said(&bench).contains("match 3/3"), "{}", said(&bench));
    let there = top(&bench);
    bench.press("Esc");
    assert_eq!((bench.model.find.is_none(), top(&bench)), (true, there), "one stays where one went");
    bench.press("g n");
    assert!(said(&bench).contains("find gold  match 1/3"), "what was looked for last: {}", said(&bench));
}

#[test]
fn what_arrives_is_found_and_moves_nothing() {
    let mut bench = Bench::new(80, 24);
    streaming(&mut bench, &gold());
    bench.press("g /");
    bench.type_text("gold");
    let there = top(&bench);
    bench.tell(vec![delta(0, Phase::PrimaMateria, "more go"), delta(0, Phase::PrimaMateria, "ld, and Gold\n")]);
    assert!(said(&bench).contains("match 1/5"), "{}", said(&bench));
    assert_eq!(top(&bench), there);
    bench.press("Up");
    assert!(said(&bench).contains("match 5/5"), "{}", said(&bench));
}

#[test]
fn a_text_that_is_taken_back_has_no_matches_left() {
    let mut bench = Bench::new(80, 24);
    streaming(&mut bench, "gold gold");
    bench.press("/");
    bench.type_text("gold");
    bench.press("Enter");
    let retrying = EventKind::Retrying {
        variant: 0,
        phase: Phase::PrimaMateria,
        provider: "sim".into(),
        model: "sim-1".into(),
        attempt: 2,
        delay_ms: 0,
        error: overloaded(),
    };
    bench.tell(vec![retrying]);
    assert!(said(&bench).contains("no match"), "{}", said(&bench));
    bench.tell(vec![phase_started(0, Phase::PrimaMateria), delta(0, Phase::PrimaMateria, "no go, gold")]);
    assert!(said(&bench).contains("1 match "), "{}", said(&bench));
    assert_eq!(marked(&bench), "gold");
}

#[test]
fn a_pane_that_is_searched_stays_shown_though_the_next_phase_begins() {
    let mut bench = Bench::new(80, 24);
    streaming(&mut bench, "gold");
    bench.press("/");
    bench.type_text("gold");
    bench.tell(vec![
        phase_finished(0, Phase::PrimaMateria, "gold", 3),
        phase_started(0, Phase::Solutio),
        delta(0, Phase::Solutio, "silver"),
    ]);
    assert!(said(&bench).contains("match 1/1") && marked(&bench) == "gold", "{}", bench.picture());
    bench.press("Enter }");
    assert!(
        said(&bench).contains("no match") && bench.picture().contains("silver"),
        "one can go on: {}",
        bench.picture()
    );
    bench.press("{ Esc Esc");
    assert!(bench.picture().contains("silver"), "the newest is shown again: {}", bench.picture());
}

#[test]
fn another_pane_that_gets_the_keys_is_searched() {
    let mut bench = Bench::new(120, 40);
    streaming(&mut bench, "gold");
    bench.press("/");
    bench.type_text("review");
    assert!(said(&bench).contains("no match"));
    bench.press("Enter ]");
    assert!(said(&bench).contains("2 matches"), "{}", said(&bench));
    bench.press("n");
    assert!(said(&bench).contains("match 1/2"), "{}", said(&bench));
    bench.press("Tab");
    assert!(bench.model.find.is_none(), "the input has the keys");
}

#[test]
fn what_cannot_be_found_is_said() {
    let mut bench = Bench::new(80, 24);
    bench.press("Esc n");
    assert_eq!(bench.model.toast.as_ref().unwrap().text, "no search yet");
    bench.press("/");
    assert_eq!(bench.model.toast.as_ref().unwrap().text, "no run yet");
    streaming(&mut bench, "text");
    bench.press("/ Enter");
    assert!(bench.model.find.is_none(), "nothing was typed");
    bench.press("/");
    bench.type_text("xyz");
    bench.press("Enter n");
    assert_eq!(bench.model.toast.as_ref().unwrap().text, "`xyz` is not in this pane");
    bench.press("6 /");
    assert_eq!(bench.model.toast.as_ref().unwrap().text, "there is no text to find words in here");
}

#[test]
fn beside_each_other_the_keys_of_changes_go_through_matches_while_there_are_any() {
    let mut bench = Bench::new(120, 40);
    compared_pair(&mut bench);
    bench.press("n");
    assert_eq!(bench.model.compare.change, Some(0));
    bench.press("/");
    bench.type_text("review");
    bench.press("Enter");
    let hints = |bench: &Bench| rows_of(&bench.buffer(&Theme::ansi16())).pop().unwrap();
    assert!(hints(&bench).contains("n next match"), "{}", hints(&bench));
    bench.press("n");
    assert!(said(&bench).contains("match 2/") && bench.model.compare.change == Some(0), "{}", said(&bench));
    bench.press("Esc n");
    assert_eq!((bench.model.screen, bench.model.compare.change), (ScreenName::Compare, Some(1)));
    assert!(hints(&bench).contains("n change"), "{}", hints(&bench));
}

#[test]
fn in_the_history_the_key_of_the_search_box_stays_its_own() {
    let mut bench = Bench::new(120, 40);
    previewed(&mut bench);
    bench.press("/");
    assert_eq!((bench.model.history.focus, bench.model.find.is_none()), (Part::Search, true));
    bench.press("Esc Ctrl+F");
    bench.type_text("severity");
    assert_eq!(bench.model.history.focus, Part::Preview);
    assert!(said(&bench).contains("match 1/"), "{}", said(&bench));
    assert_eq!(bench.model.history.search.text(), "", "it is not typed into the box");
    bench.press("Enter h");
    assert!(bench.model.find.is_none(), "the list has the keys");
}

#[test]
fn what_lies_over_the_screen_is_closed_with_all_that_is_marked_beneath() {
    let mut bench = Bench::new(120, 40);
    streaming(&mut bench, &gold());
    bench.press("/");
    bench.type_text("gold");
    bench.press("Enter F1");
    bench.type_text("next match");
    bench.press("Enter");
    assert!(said(&bench).contains("match 2/3"), "the list does it: {}", said(&bench));
    bench.press("e");
    assert!(matches!(bench.model.overlay, Some(Overlay::Details { .. })) && bench.model.find.is_some());
    bench.press("Esc");
    assert!(bench.model.overlay.is_none() && bench.model.find.is_none());
}

#[test]
fn a_paste_into_the_field_is_looked_for_and_runs_nothing() {
    let mut bench = Bench::new(80, 24);
    streaming(&mut bench, "gold\u{1b}[31m nugget");
    bench.press("/");
    assert_eq!(bench.send(Message::Paste("gold nug\nand more".into())), []);
    assert!(said(&bench).contains("find gold nug  match 1/1"), "{}", said(&bench));
    assert_eq!(bench.press("Ctrl+J"), [], "no run where no idea is seen");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the text and the width, the current match drawn is what was searched for.
    #[test]
    fn what_is_marked_is_what_was_looked_for(
        pieces in pieces(),
        needle in "[a-z]{1,3}|世|界",
        width in 60_u16..201,
        height in 16_u16..61,
        zoom in any::<bool>(),
    ) {
        let mut bench = Bench::new(width, height);
        let text = pieces.concat() + " " + &needle;
        streaming(&mut bench, &text);
        // Only a letter before a variation selector or a joiner is shown as U+FFFD.
        let bare = text.replace(['\u{301}', 'ﾞ'], "");
        let has_stand_in = |letter: char| ['\u{200d}', '\u{fe0e}', '\u{fe0f}'].iter().any(|next| bare.contains(&format!("{letter}{next}")));
        if zoom {
            bench.press("z");
        }
        bench.press("/");
        bench.type_text(&needle);
        for _ in 0..4 {
            // The cell after a wide character is blank; a mark on its last letter belongs to it.
            let drawn = current(&bench).replace(' ', "");
            let letters: String = drawn.chars().filter(|character| !matches!(character, '\u{301}' | 'ﾞ' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')).collect();
            let is_wanted = |(drawn, wanted): (char, char)| drawn == wanted || (drawn == '\u{fffd}' && has_stand_in(wanted));
            let is_needle = letters.chars().count() == needle.chars().count();
            prop_assert!(is_needle && letters.chars().zip(needle.chars()).all(is_wanted), "{letters:?} {}", bench.picture());
            bench.press("Down");
        }
    }
}
