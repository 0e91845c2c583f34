//! Properties of the whole workbench under any sequence of messages: keys, pastes, sizes, time, and
//! replies of the core in any order, including malformed and stale ones.
//!
//! After each message the screen can be drawn and the focus is valid; from anywhere, `Esc` leads
//! back. A correct core never sends most of these replies; the screens must cope anyway.

use std::collections::BTreeMap;

use aludel_core::domain::{Phase, SpendBy};
use aludel_core::event::{EventKind, Outcome};
use proptest::prelude::*;
use ratatui::layout::{Position, Rect};

use super::*;
use crate::tui::action::ScreenName;
use crate::tui::message::QueryReply;
use crate::tui::model::history::Row;
use crate::tui::screens::chrome::inner;
use crate::tui::screens::workbench;
use crate::tui::testing::samples::{jobs, provider_details, spent};
use crate::tui::testing::{
    Bench, TEXTS, answer, compared, comparison, delta, ending, phase_started, prompt, selection, whole_variant,
};
use crate::tui::theme::Theme;
use crate::tui::widgets::scroll::Follow;
use crate::tui::{keymap, picture};
use happenings::{happen, happenings, sizes};

mod happenings;

/// This many `Esc` lead back from anywhere.
const STEPS_HOME: usize = 6;

/// More are needed with modes: to cancel a partial command, and to leave visual mode.
const STEPS_OF_MODES: usize = 2;

/// The largest size drawn here.
const LARGEST: (u16, u16) = (200, 60);

/// The focused part exists, and so does the selected row.
fn assert_focus_is_valid(model: &Model) {
    let history = &model.history;
    assert!(history.marked < history.rows.len().max(1), "a row is marked that is not there");
    assert!(history.top <= history.marked, "the marked row is above the list");
    assert!(model.jobs.marked < model.jobs.rows().len().max(1), "a job is marked that is not there");
    if let Some(batch) = &model.jobs.batch {
        assert!(batch.marked < batch.lines().len().max(1), "a row of a batch is marked that is not there");
        assert!(!batch.pages.is_empty(), "no page of a batch is shown");
    }
    let (compare, judge) = (&model.compare, &model.judge);
    assert!(compare.prompts.is_empty() || compare.two().is_some(), "what is beside each other is not there");
    assert!(judge.marked < judge.prompts.len().max(1), "a candidate is marked that is not there");
    if let Some(run) = &model.run {
        assert!(run.active < run.variants().max(1), "a variant has the keys that is not there");
    }
}

/// The screen can be drawn, and the cursor is on it.
fn assert_draws(model: &Model) -> ratatui::Terminal<ratatui::backend::TestBackend> {
    let size = model.size;
    let backend = ratatui::backend::TestBackend::new(size.width, size.height);
    let mut terminal = ratatui::Terminal::new(backend).unwrap();
    terminal.draw(|frame| picture::view(model, frame, &Theme::ansi16())).unwrap();
    let Position { x, y } = terminal.get_cursor_position().unwrap();
    assert!(size.width * size.height == 0 || x < size.width && y < size.height, "the cursor is at {x}, {y} of {size}");
    terminal
}

/// What is drawn contains no control characters.
fn assert_draws_text_alone(model: &Model) {
    let terminal = assert_draws(model);
    let mut cells = terminal.backend().buffer().content().iter();
    let control = cells.find(|cell| cell.symbol().chars().any(char::is_control));
    assert!(control.is_none(), "a control character reached the screen: {control:?}");
}

/// No pane shows blank rows while rows above are hidden, except to be filled by page.
fn assert_no_room_is_lost(model: &Model) {
    let full = |top: usize, height: u16, rows: usize| top == 0 || top + usize::from(height) <= rows;
    for shown in screens::texts::shown(model) {
        let scroll = screens::texts::scroll_of(model, shown.name.place);
        let is_filling = scroll.following && model.follow == Follow::Page && model.live_run().is_some();
        let (height, rows) = (shown.area.height, shown.text.rows());
        assert!(is_filling || full(shown.top, height, rows), "{:?}: {} of {rows}", shown.name.place, shown.top);
    }
    let screen = Rect::new(0, 0, model.size.width, model.size.height);
    let composer = inner(workbench::layout::layout(model, screen).composer);
    if model.screen == ScreenName::Work && !composer.is_empty() && !model.composer.is_empty() {
        let (above, _) = model.composer.hidden(composer.height);
        assert!(full(above, composer.height, model.composer.rows()), "the input: {above} of {}", model.composer.rows());
    }
    let history = &model.history;
    let list = history::layout::layout(model, screen);
    let last = history.rows.len().saturating_sub(1);
    assert!(list.list.is_empty() || history.top <= list.top_for(history, last), "the list");
}

/// The same, on the picture: below hidden rows, a frame's last two rows are not both blank.
fn assert_hidden_rows_have_no_room(bench: &Bench) {
    let picture = bench.picture();
    let rows: Vec<Vec<char>> = picture.lines().map(|row| row.chars().collect()).collect();
    let cell = |x: usize, y: usize| rows[y].get(x).copied().unwrap_or(' ');
    for (y, row) in rows.iter().enumerate() {
        for (x, _) in row.iter().enumerate().filter(|(_, letter)| **letter == '▴') {
            let Some(left) = (0..x).rev().find(|x| matches!(row[*x], '╰' | '┗')) else { continue };
            let is_blank = |y: usize| (left + 1..x).all(|x| cell(x, y) == ' ');
            assert!(!(is_blank(y - 1) && is_blank(y - 2)), "blank rows below hidden text:\n{picture}");
        }
    }
}

fn is_home(model: &Model) -> bool {
    model.screen == ScreenName::Work && model.overlay.is_none() && !model.zoom
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_it_draws_the_focus_is_valid_and_esc_leads_home(
        size in sizes(),
        preset in proptest::sample::select(aludel_core::config::KEYMAPS),
        all in proptest::collection::vec(happenings(), 0..50),
    ) {
        let mut bench = Bench::new(size.0, size.1);
        bench.model.take_keymap(keymap::read(preset, &BTreeMap::new()).unwrap());
        for happening in all {
            happen(&mut bench, happening);
            assert_focus_is_valid(&bench.model);
            assert_draws_text_alone(&bench.model);
            assert_no_room_is_lost(&bench.model);
        }
        // At a size that can be drawn.
        bench.send(Message::Resize { width: 80, height: 24 });
        let modes = if bench.model.keymap.is_modal() { STEPS_OF_MODES } else { 0 };
        for _ in 0..STEPS_HOME + modes {
            if !is_home(&bench.model) {
                bench.press("Esc");
            }
        }
        prop_assert!(is_home(&bench.model), "{:?}, {:?}", bench.model.screen, bench.model.overlay);
    }
}

/// Screens with content, some of them under an overlay or zoomed.
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
    for keys in ["C", "C v", "J", "J E", "6", "7", "8", "8 Enter", "8 j", "L", "Ctrl+P", "F3"] {
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
            let end = EventKind::Finished { outcome: Box::new(Outcome::Select(selection(true))) };
            bench.tell_of(ticket, vec![EventKind::Judged { comparison: comparison(1, 0, 0.5, true) }, end]);
        }
        for ticket in [bench.model.providers.asked, bench.model.spend.asked].into_iter().flatten() {
            bench.send(Message::Reply { ticket, reply: QueryReply::Providers(provider_details()) });
            bench.send(Message::Reply { ticket, reply: QueryReply::Spent(Ok(Box::new(spent(SpendBy::Model)))) });
        }
        if let Some((ticket, _)) = bench.model.jobs.asked {
            bench.send(Message::Reply { ticket, reply: QueryReply::Jobs(Ok(Box::new(jobs()))) });
        }
        if !more.is_empty() {
            bench.press(more);
        }
        all.push(bench);
    }
    for keys in ["", "z", "t", "a", "D", "E", "/"] {
        let mut bench = new();
        bench.press("Esc 5");
        bench.answer(answer(
            (0..60).map(|number| Row::listed(&prompt(number, TEXTS[2], Some(0.4)).into(), None)).collect(),
        ));
        bench.read(prompt(0, TEXTS[1], Some(0.4)));
        if !keys.is_empty() {
            bench.press(keys);
        }
        all.push(bench);
    }
    all
}

/// Draws every size of these widths, each on one of the screens.
fn assert_every_size_draws(widths: std::ops::RangeInclusive<u16>) {
    let mut benches = laid_out();
    let count = benches.len();
    for width in widths {
        for height in 0..=LARGEST.1 {
            // Neighbouring sizes use different screens, so each screen meets every range of sizes.
            let bench = &mut benches[(usize::from(width) * 7 + usize::from(height)) % count];
            bench.send(Message::Resize { width, height });
            assert_draws(&bench.model);
        }
    }
}

#[test]
fn no_pane_is_blank_below_while_it_hides_text_above() {
    let low = [(60, 16), (80, 24), (110, 30)];
    for mut bench in laid_out() {
        // Scrolls to the end in little space, then enlarges the screen.
        for (before, after) in low.into_iter().zip([(80, 24), (120, 40), LARGEST]) {
            bench.send(Message::Resize { width: before.0, height: before.1 });
            bench.press("G End");
            assert_draws(&bench.model);
            for (width, height) in [before, after] {
                bench.send(Message::Resize { width, height });
                assert_draws(&bench.model);
                assert_hidden_rows_have_no_room(&bench);
                assert_no_room_is_lost(&bench.model);
            }
        }
    }
}

// In three parts, which can run in parallel.

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
