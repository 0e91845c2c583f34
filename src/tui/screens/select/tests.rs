//! Tests of selecting with the mouse, and of clicks and the wheel on every screen.

use aludel_core::domain::Phase;
use aludel_core::event::{EventKind, Outcome};
use ratatui::style::Modifier;

use crate::tui::action::ScreenName;
use crate::tui::effect::{CoreEffect, Effect, Query, TerminalEffect};
use crate::tui::message::{Message, Pointer};
use crate::tui::model::Focus;
use crate::tui::model::history::{Part, Row};
use crate::tui::testing::gallery::Gallery;
use crate::tui::testing::*;
use crate::tui::theme::Theme;
use crate::tui::widgets::cells;

/// A run with one variant that is being written.
fn writing(width: u16, height: u16, text: &str) -> Bench {
    let mut bench = Bench::new(width, height);
    bench.run("an idea", 1);
    bench.tell(vec![phase_started(0, Phase::PrimaMateria), delta(0, Phase::PrimaMateria, text)]);
    bench
}

/// A run of three, compared or judged as `keys` say.
fn finished(keys: &str) -> Bench {
    let mut bench = Bench::new(120, 40);
    bench.run("review pull requests", 3);
    for (variant, text) in (0..).zip(TEXTS) {
        bench.tell(whole_variant(variant, text));
    }
    bench.tell(ending(&[(0, TEXTS[0], 0.81), (1, TEXTS[1], 0.74), (2, TEXTS[2], 0.6)], Vec::new()));
    for effect in bench.press(keys) {
        match effect {
            Effect::Core(CoreEffect::Compare { ticket, raw }) => {
                let all = [(0, TEXTS[0]), (1, TEXTS[1]), (2, TEXTS[2])];
                let asked = raw["prompt_ids"].as_array().unwrap().len();
                bench.send(Message::Compared { ticket, outcome: Ok(Box::new(compared(&all[..asked]))) });
            }
            Effect::Core(CoreEffect::Select { ticket, .. }) => {
                let result = selection(true);
                let told = result.comparisons.iter().map(|one| EventKind::Judged { comparison: one.clone() });
                let end = EventKind::Finished { outcome: Box::new(Outcome::Select(result.clone())) };
                bench.tell_of(ticket, told.chain([end]).collect());
            }
            _ => {}
        }
    }
    bench
}

/// The cells drawn reversed.
fn reversed(bench: &Bench) -> String {
    let buffer = bench.buffer(&Theme::ansi16());
    let marked = buffer.content().iter().filter(|cell| cell.modifier.contains(Modifier::REVERSED));
    marked.map(ratatui::buffer::Cell::symbol).collect()
}

fn copy(text: &str) -> Vec<Effect> {
    vec![TerminalEffect::Copy(text.into()).into()]
}

#[test]
fn a_selection_looks_like_this_in_colours_and_without() {
    Gallery("select").keep_in_colour("pane", |bench| {
        bench.run("an idea", 1);
        bench.tell(vec![phase_started(0, Phase::PrimaMateria), delta(0, Phase::PrimaMateria, TEXTS[1])]);
        bench.wait(600);
        let (x, y) = bench.place_of("Rust reviewer");
        bench.drag((x, y), (x, y + 3));
    });
}

#[test]
fn what_is_dragged_over_is_selected_and_copied() {
    let mut bench = writing(80, 24, "one two three\nfour five six");
    let ((x, y), (to, below)) = (bench.place_of("two"), bench.place_of("five"));
    bench.drag((x, y), (to + 3, below));
    assert_eq!(reversed(&bench), "two threefour five");
    assert_eq!(bench.press("y"), copy("two three\nfour five"));
    assert!(bench.model.copying.as_deref().is_some_and(|said| said.starts_with("the selection, 19 characters")));
    bench.drag((to + 3, below), (x, y));
    assert_eq!(bench.press("y"), copy("two three\nfour five"), "backwards too");
    let hints = rows_of(&bench.buffer(&Theme::ansi16())).pop().unwrap();
    assert!(hints.contains("y copy selection"), "{hints}");
}

#[test]
fn a_selection_stays_while_text_arrives_and_through_another_width() {
    let mut bench = writing(120, 40, &"line\n".repeat(60));
    bench.tell(vec![delta(0, Phase::PrimaMateria, "here it is")]);
    let (x, y) = bench.place_of("here");
    bench.drag((x, y), (x + 3, y));
    for _ in 0..30 {
        bench.tell(vec![delta(0, Phase::PrimaMateria, "\nmore and more")]);
    }
    assert_eq!(reversed(&bench), "here", "what arrives does not move it away");
    bench.send(Message::Resize { width: 80, height: 24 });
    bench.send(Message::Resize { width: 200, height: 60 });
    assert_eq!(reversed(&bench), "here");
    bench.press("g");
    assert_eq!((reversed(&bench).as_str(), bench.press("y")), ("", copy("here")), "seen or not");
}

#[test]
fn what_is_selected_stays_shown_though_the_next_phase_begins() {
    let mut bench = writing(80, 24, "one two three");
    let (x, y) = bench.place_of("two");
    bench.point(Pointer::Click, x, y);
    bench.point(Pointer::Drag, x + 1, y);
    bench.tell(vec![
        phase_finished(0, Phase::PrimaMateria, "one two three", 3),
        phase_started(0, Phase::Solutio),
        delta(0, Phase::Solutio, "silver"),
    ]);
    bench.point(Pointer::Drag, x + 2, y);
    bench.point(Pointer::Release, x + 2, y);
    assert_eq!((reversed(&bench).as_str(), bench.press("y")), ("two", copy("two")));
    bench.press("Esc");
    assert!(bench.picture().contains("silver"), "{}", bench.picture());
}

#[test]
fn a_click_and_esc_take_a_selection_away() {
    let mut bench = writing(80, 24, "one two three");
    let (x, y) = bench.place_of("two");
    bench.drag((x, y), (x + 2, y));
    bench.press("Esc");
    assert_eq!((reversed(&bench).as_str(), bench.model.selection.is_none()), ("", true));
    bench.drag((x, y), (x + 2, y));
    bench.click(x, y);
    assert!(bench.model.selection.is_none());
    assert_eq!(bench.press("y"), [], "the prompt is not finished");
    bench.drag((x, y), (x + 2, y));
    bench.press("5");
    assert!(bench.model.selection.is_none(), "it is not on this screen");
}

#[test]
fn a_double_click_selects_a_word() {
    let mut bench = writing(80, 24, "don't stop, 世界");
    let (x, y) = bench.place_of("don't");
    bench.click(x + 2, y);
    bench.point(Pointer::Double, x + 2, y);
    bench.point(Pointer::Drag, x + 3, y);
    bench.point(Pointer::Release, x + 3, y);
    assert_eq!((reversed(&bench).as_str(), bench.press("y")), ("don't", copy("don't")));
}

#[test]
fn a_pane_gets_the_keys_when_the_button_is_let_go_and_nothing_moves_before() {
    let mut bench = Bench::new(80, 24);
    bench.type_text("an idea\nof several\nlines");
    bench.press("Ctrl+J");
    bench.tell(vec![started(1), phase_started(0, Phase::PrimaMateria), delta(0, Phase::PrimaMateria, "one two")]);
    bench.press("Tab");
    let (x, y) = bench.place_of("two");
    bench.point(Pointer::Click, x, y);
    bench.point(Pointer::Drag, x + 1, y);
    assert_eq!((bench.model.focus, bench.place_of("two")), (Focus::Composer, (x, y)));
    bench.point(Pointer::Release, x + 1, y);
    assert_eq!((bench.model.focus, reversed(&bench).as_str()), (Focus::Vessels, "tw"));
}

#[test]
fn a_drag_past_the_edge_scrolls() {
    let text = (0..60).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n");
    let mut bench = writing(80, 24, &text);
    bench.press("g");
    let (x, y) = bench.place_of("line 3");
    bench.point(Pointer::Click, x, y);
    for _ in 0..20 {
        bench.point(Pointer::Drag, x + 6, 23);
    }
    bench.point(Pointer::Release, x + 6, 23);
    let Effect::Terminal(TerminalEffect::Copy(copied)) = bench.press("y").remove(0) else {
        panic!("nothing is copied")
    };
    assert!(copied.starts_with("line 3\nline 4") && copied.contains("line 30"), "{copied}");
}

#[test]
fn a_retry_takes_back_what_was_selected() {
    let mut bench = writing(80, 24, "one two three");
    let (x, y) = bench.place_of("two");
    bench.point(Pointer::Click, x, y);
    bench.point(Pointer::Drag, x + 2, y);
    bench.tell(vec![phase_started(0, Phase::PrimaMateria), delta(0, Phase::PrimaMateria, "another")]);
    assert!(bench.model.selection.is_none() && bench.model.held.is_none());
    bench.point(Pointer::Drag, x + 5, y);
    assert_eq!(reversed(&bench), "");
}

#[test]
fn the_input_puts_its_cursor_where_it_is_clicked_and_selects_what_is_dragged_over() {
    let mut bench = Bench::new(120, 40);
    bench.type_text("one two three");
    let (x, y) = bench.place_of("two");
    bench.press("Esc");
    bench.click(x, y);
    bench.type_text("|");
    assert_eq!((bench.model.focus, bench.model.composer.text().as_str()), (Focus::Composer, "one |two three"));
    let (x, y) = bench.place_of("three");
    bench.drag((x, y), (x + 5, y));
    assert_eq!((bench.model.composer.selected().as_deref(), reversed(&bench).as_str()), (Some("three"), "three"));
    assert_eq!(bench.press("Alt+W"), copy("three"));
    bench.point(Pointer::Double, x - 3, y);
    assert_eq!(bench.model.composer.selected().as_deref(), Some("two"));
    bench.click(x + 40, y + 2);
    assert_eq!(bench.model.composer.selected(), None);
}

#[test]
fn the_search_box_and_the_preview_take_the_mouse_too() {
    let mut bench = Bench::new(120, 40);
    bench.press("Alt+5");
    bench.answer(answer((0..9).map(|number| Row::listed(&prompt(number, TEXTS[0], None).into(), None)).collect()));
    bench.read(prompt(0, TEXTS[1], Some(0.4)));
    let (x, y) = bench.place_of("reviewer");
    bench.drag((x, y), (x + 7, y));
    assert_eq!((bench.model.history.focus, reversed(&bench).contains("reviewer")), (Part::Preview, true));
    assert_eq!(bench.press("y"), copy("reviewer"));
    bench.press("/");
    bench.type_text("two words");
    let (x, y) = bench.place_of("two words");
    bench.point(Pointer::Double, x + 5, y);
    assert_eq!(bench.model.history.search.selected().as_deref(), Some("words"));
    bench.point(Pointer::Down, 100, 20);
    assert_eq!(bench.model.history.focus, Part::Search, "the wheel moves no focus");
}

#[test]
fn of_two_beside_each_other_one_is_selected_without_the_marks_of_changes() {
    let mut bench = finished("C");
    let (x, y) = bench.place_of("[-You");
    bench.drag((x, y), (x + 12, y));
    assert_eq!(bench.press("y"), copy("You are rev"));
    let (right, row) = bench.place_of("{+# Role");
    bench.drag((right, row), (right + 40, row + 1));
    let Effect::Terminal(TerminalEffect::Copy(copied)) = bench.press("y").remove(0) else {
        panic!("nothing is copied")
    };
    assert!(copied.starts_with("# Role\nSenior Rust"), "{copied}");
}

#[test]
fn a_click_on_a_measured_prompt_puts_it_at_the_right() {
    let mut bench = finished("C");
    assert_eq!((bench.model.compare.base, bench.model.compare.other), (0, 1));
    let (x, y) = bench.place_of("C     ");
    let effects = bench.click(x, y);
    assert!(matches!(effects.as_slice(), [Effect::Core(CoreEffect::Compare { .. })]), "{effects:?}");
    assert_eq!((bench.model.compare.base, bench.model.compare.other), (0, 2));
    assert_eq!(bench.click(x, y), [], "it is there");
}

#[test]
fn the_judge_marks_what_is_clicked_and_scrolls_what_is_under_the_wheel() {
    let mut bench = finished("J");
    bench.send(Message::Resize { width: 80, height: 16 });
    let table = bench.place_of("wins");
    bench.click(20, table.1 + 2);
    assert_eq!(bench.model.judge.marked, 1);
    bench.point(Pointer::Down, 20, table.1 + 1);
    assert_eq!((bench.model.judge.marked, bench.model.judge.top), (2, 0));
    bench.point(Pointer::Down, 20, 13);
    assert!(bench.model.judge.marked == 2 && bench.model.judge.top > 0);
    let (x, y) = bench.place_of("beats");
    bench.point(Pointer::Double, x, y);
    assert_eq!(bench.press("y"), copy("beats"), "the judge's words can be selected");
}

#[test]
fn a_click_in_the_table_of_vessels_shows_the_one_it_hits() {
    for (width, height) in [(120, 40), (200, 60)] {
        let mut bench = finished("g");
        bench.send(Message::Resize { width, height });
        let (name, y) = bench.place_of("C  ✓");
        let names = rows_of(&bench.buffer(&Theme::ansi16())).swap_remove(usize::from(y) - 3);
        let x = cells(names.split_once("solutio").unwrap().0.chars().count());
        let shown = |bench: &Bench| {
            let run = bench.model.run.as_ref().unwrap();
            (run.active, run.shown_phase(run.active))
        };
        bench.click(x + 2, y - 1);
        assert_eq!(shown(&bench), (1, 1), "at {width}");
        bench.click(name, y);
        assert_eq!(shown(&bench), (2, 1), "the name is of no phase");
        bench.click(x, y - 3);
        assert_eq!(shown(&bench), (2, 1), "the names of the phases are none");
    }
}

#[test]
fn hints_do_what_they_say_on_every_screen() {
    let mut bench = finished("C");
    let (x, y) = bench.place_of("v layout");
    bench.click(x, y);
    assert_eq!(bench.model.compare.chosen, Some(crate::tui::model::compare::Arrangement::Unified));
    bench.press("/");
    bench.type_text("review");
    let (x, y) = bench.place_of("Enter keep  ");
    bench.click(x, y);
    assert!(bench.model.find.as_ref().is_some_and(|find| !find.is_typing));
    let (x, y) = bench.place_of("n next match");
    bench.click(x + 3, y);
    assert_eq!(bench.model.find.as_ref().unwrap().current, Some(1));
    let mut bench = finished("J");
    let (x, y) = bench.place_of("E task");
    bench.click(x, y);
    assert!(matches!(bench.model.overlay, Some(crate::tui::model::Overlay::Ask(_))));
    bench.press("Esc");
    for (tab, screen) in [("7 Spending", ScreenName::Spend), ("6 Providers", ScreenName::Providers)] {
        let (x, y) = bench.place_of(tab);
        bench.click(x + 2, y);
        assert_eq!(bench.model.screen, screen);
    }
    let (x, y) = bench.place_of("? help");
    bench.click(x, y);
    assert!(matches!(bench.model.overlay, Some(crate::tui::model::Overlay::Help { .. })));
}

#[test]
fn the_title_of_the_spending_is_a_button_for_what_it_names() {
    let mut bench = Bench::new(120, 40);
    bench.press("Esc 7");
    let before = (bench.model.spend.by, bench.model.spend.range);
    let (x, y) = bench.place_of("Spent by");
    let effects = bench.click(x + 10, y);
    assert!(matches!(effects.as_slice(), [Effect::Core(CoreEffect::RunQuery { inquiry: Query::Spend { .. }, .. })]));
    assert!(bench.model.spend.by != before.0 && bench.model.spend.range == before.1);
    let (x, y) = bench.place_of(bench.model.spend.range.name());
    bench.click(x + 1, y);
    assert_ne!(bench.model.spend.range, before.1);
    let asked = bench.model.spend.asked;
    bench.click(100, y);
    assert_eq!(bench.model.spend.asked, asked, "the rest of the frame is none");
}

#[test]
fn what_lies_over_the_screen_lets_nothing_be_selected_beneath() {
    let mut bench = writing(80, 24, "one two three");
    let (x, y) = bench.place_of("two");
    bench.point(Pointer::Click, x, y);
    bench.press("F1");
    bench.point(Pointer::Drag, x + 2, y);
    bench.point(Pointer::Release, x + 2, y);
    assert!(bench.model.selection.is_none() && bench.model.held.is_none());
    assert_eq!(bench.model.screen, ScreenName::Work);
}
