//! The mouse: what a click or the wheel means where it happens. Only where `tui.mouse` is set does any of it arrive.
//!
//! Everything it does can be done with keys. It asks the same layouts that drawing asks, so what is clicked is what is
//! seen.

use crossterm::event::KeyCode;
use ratatui::layout::{Position, Rect};

use super::{act, history, providers, refusal, spend, surround, workbench};
use crate::tui::action::{Action, ScreenName};
use crate::tui::effect::Effect;
use crate::tui::keymap::Chord;
use crate::tui::message::Pointer;
use crate::tui::model::Model;
use crate::tui::overlays;

/// Rows that one notch of the wheel moves.
pub(crate) const NOTCH: usize = 3;

/// Does what the mouse says.
pub(crate) fn point(model: &mut Model, pointer: Pointer, at: Position) -> Vec<Effect> {
    let area = Rect::new(0, 0, model.size.width, model.size.height);
    if !area.contains(at) {
        return Vec::new();
    }
    if model.overlay.is_some() {
        return over(model, pointer, at, area);
    }
    match pointer {
        Pointer::Click if at.y == 0 => match surround::tab_at(model, area.width, at.x) {
            Some(screen) if screen != model.screen => act(model, screen.action()),
            _ => Vec::new(),
        },
        Pointer::Click if at.y + 1 == area.height => match surround::hint_at(model, area.width, at.x) {
            Some(action) => act(model, action),
            None => Vec::new(),
        },
        Pointer::Click => match model.screen {
            ScreenName::Work => workbench::click(model, at),
            ScreenName::History => history::click(model, at),
            ScreenName::Providers => providers::click(model, at),
            ScreenName::Compare | ScreenName::Judge | ScreenName::Spend => Vec::new(),
        },
        Pointer::Up | Pointer::Down => {
            let direction = if pointer == Pointer::Up { -1 } else { 1 };
            match model.screen {
                ScreenName::Work => workbench::wheel(model, at, direction),
                ScreenName::History => return history::wheel(model, at, direction),
                ScreenName::Providers => providers::wheel(model, at, direction),
                ScreenName::Spend => spend::wheel(model, direction),
                ScreenName::Compare | ScreenName::Judge => return scroll(model, direction),
            }
            Vec::new()
        }
    }
}

/// Moves what has the keys, as far as it can be moved.
fn scroll(model: &mut Model, direction: isize) -> Vec<Effect> {
    let action = if direction < 0 { Action::Up } else { Action::Down };
    let moves = |model: &mut Model| if refusal(model, action).is_none() { act(model, action) } else { Vec::new() };
    (0..NOTCH).flat_map(|_| moves(model)).collect()
}

/// What lies over the screen takes the wheel as its arrows; a click on the last hint closes it.
fn over(model: &mut Model, pointer: Pointer, at: Position, area: Rect) -> Vec<Effect> {
    let (code, action) = match pointer {
        Pointer::Click if at.y + 1 == area.height && surround::is_pinned(model, area.width, at.x) => {
            return overlays::key(model, Chord::plain(KeyCode::Esc), None);
        }
        Pointer::Click => return Vec::new(),
        Pointer::Up => (KeyCode::Up, Action::Up),
        Pointer::Down => (KeyCode::Down, Action::Down),
    };
    (0..NOTCH).flat_map(|_| overlays::key(model, Chord::plain(code), Some(action))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::message::Message;
    use crate::tui::model::{Focus, Overlay};
    use crate::tui::testing::*;
    use crate::tui::widgets::cells;
    use proptest::prelude::*;

    fn send(bench: &mut Bench, pointer: Pointer, x: u16, y: u16) -> Vec<Effect> {
        bench.send(Message::Pointer { pointer, at: Position::new(x, y) })
    }

    /// Where `text` stands in the picture.
    fn find(bench: &Bench, text: &str) -> (u16, u16) {
        let picture = bench.picture();
        let found = picture.lines().enumerate().find_map(|(y, row)| {
            let at = row.find(text)?;
            Some((cells(row[..at].chars().count()), cells(y)))
        });
        found.unwrap_or_else(|| panic!("no {text:?} in\n{picture}"))
    }

    #[test]
    fn tabs_and_hints_do_what_they_say() {
        let mut bench = Bench::new(120, 40);
        let (x, y) = find(&bench, "5 History");
        send(&mut bench, Pointer::Click, x, y);
        assert_eq!(bench.model.screen, ScreenName::History);
        let (x, y) = find(&bench, "1 Workbench");
        send(&mut bench, Pointer::Click, x + 4, y);
        assert_eq!(bench.model.screen, ScreenName::Work);
        let (x, y) = find(&bench, "F2 settings");
        send(&mut bench, Pointer::Click, x, y);
        assert!(matches!(bench.model.overlay, Some(Overlay::Settings { .. })));
        let (x, y) = find(&bench, "Esc close");
        send(&mut bench, Pointer::Click, x, y);
        assert_eq!(bench.model.overlay, None);
        let (x, y) = find(&bench, "F1 help");
        send(&mut bench, Pointer::Click, x, y);
        assert!(matches!(bench.model.overlay, Some(Overlay::Help { .. })));
    }

    #[test]
    fn a_click_gives_a_pane_the_keys() {
        let mut bench = Bench::new(120, 40);
        bench.run("an idea", 3);
        for variant in 0..3 {
            bench.tell(whole_variant(variant, TEXTS[0]));
        }
        let (x, y) = find(&bench, " B ✓");
        send(&mut bench, Pointer::Click, x + 2, y + 3);
        assert_eq!((bench.model.run.as_ref().unwrap().active, bench.model.focus), (1, Focus::Vessels));
        send(&mut bench, Pointer::Click, 4, 2);
        assert_eq!(bench.model.focus, Focus::Composer);
    }

    #[test]
    fn the_wheel_moves_what_is_under_it_and_not_the_focus() {
        let mut bench = Bench::new(80, 24);
        bench.run("an idea", 1);
        bench.tell(whole_variant(0, &"a line\n".repeat(100)));
        bench.press("g Tab");
        send(&mut bench, Pointer::Down, 10, 15);
        let run = bench.model.run.as_ref().unwrap();
        assert_eq!(run.pane(0, run.shown_phase(0)).unwrap().scroll.top, NOTCH);
        assert_eq!(bench.model.focus, Focus::Composer);
        bench.press("F1");
        send(&mut bench, Pointer::Down, 10, 15);
        assert!(matches!(bench.model.overlay, Some(Overlay::Help { marked: NOTCH, .. })));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn clicks_anywhere_on_any_screen_harm_nothing(
            points in proptest::collection::vec((0_u16..130, 0_u16..45, 0_usize..3, any::<bool>()), 1..40),
        ) {
            let mut bench = Bench::new(120, 40);
            bench.run("an idea", 3);
            bench.tell(whole_variant(0, TEXTS[0]));
            for (x, y, what, next_screen) in points {
                if next_screen {
                    bench.press(["Alt+1", "Alt+2", "Alt+3", "Alt+5", "Alt+6", "Alt+7"][usize::from(x) % 6]);
                }
                send(&mut bench, [Pointer::Click, Pointer::Up, Pointer::Down][what], x, y);
                prop_assert!(!bench.picture().is_empty());
            }
        }
    }
}
